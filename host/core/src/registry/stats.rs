use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What happened to a tool's calls in this process.
#[derive(Debug, Default)]
pub(crate) struct Stats(Mutex<Counters>);

#[derive(Debug, Default)]
struct Counters {
    calls: u64,
    errors: u64,
    last_error: Option<String>,
    /// The latest durations, oldest overwritten first.
    recent_us: Vec<u64>,
    next: usize,
}

/// The counters at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatsView {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) last_error: Option<String>,
    pub(crate) p50_us: Option<u64>,
    pub(crate) p95_us: Option<u64>,
}

/// How many durations the percentiles are over.
const WINDOW: usize = 256;

impl Stats {
    pub(crate) fn record(&self, took: Duration, error: Option<&str>) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.calls += 1;
        if let Some(error) = error {
            counters.errors += 1;
            counters.last_error = Some(error.to_owned());
        }
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let next = counters.next;
        if counters.recent_us.len() < WINDOW {
            counters.recent_us.push(took);
        } else {
            counters.recent_us[next] = took;
        }
        counters.next = (next + 1) % WINDOW;
    }

    pub(crate) fn view(&self) -> StatsView {
        let counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted = counters.recent_us.clone();
        sorted.sort_unstable();
        let at = |share: usize| {
            sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1))).copied()
        };
        StatsView {
            calls: counters.calls,
            errors: counters.errors,
            last_error: counters.last_error.clone(),
            p50_us: at(50),
            p95_us: at(95),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_percentiles_are_over_the_latest_calls() {
        let stats = Stats::default();
        assert_eq!(stats.view().p50_us, None);
        for us in 1..=300 {
            stats.record(Duration::from_micros(us), (us == 300).then_some("late"));
        }
        let view = stats.view();
        assert_eq!((view.calls, view.errors, view.last_error.as_deref()), (300, 1, Some("late")));
        assert_eq!(view.p50_us, Some(173));
        assert!(view.p95_us > Some(280));
    }
}
