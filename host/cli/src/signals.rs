//! What Ctrl-C and its relatives do, for as long as the runtime lives. Nothing runs: the program ends. A call runs: the
//! first signal cancels it, the second gives its commands the time to be killed, the third leaves them.

use crate::{render, run};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stud_host::CancelToken;
use tokio::runtime::Runtime;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;
/// How long the second signal waits: a cancelled command has five seconds between SIGTERM and SIGKILL.
const KILLING: Duration = Duration::from_secs(6);

/// What arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrived {
    /// Somebody gives up what runs now.
    Interrupt,
    /// The program is to end: SIGTERM, or its terminal went away.
    End,
}

/// What a signal leads to.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Leave,
    Cancel,
    WaitForTheKill,
}

#[derive(Debug, Default)]
struct State {
    running: Option<CancelToken>,
    /// How many signals the running call has had.
    heard: u32,
    /// Whether the program ends once the call has answered.
    ends: bool,
}

impl State {
    fn hear(&mut self, arrived: Arrived) -> Step {
        let Some(cancel) = &self.running else { return Step::Leave };
        self.heard += 1;
        self.ends |= arrived == Arrived::End || self.heard > 1;
        match self.heard {
            1 => {
                cancel.cancel();
                Step::Cancel
            }
            2 => Step::WaitForTheKill,
            _ => Step::Leave,
        }
    }
}

/// The one place that hears signals. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals(Arc<Mutex<State>>);

impl Signals {
    /// Listens from now on. Without the means to listen, signals do what they do to any program.
    pub(crate) fn listen(runtime: &Runtime) -> Signals {
        let signals = Signals::default();
        // The handlers are there when this returns: none slips through between here and the task's start.
        let _entered = runtime.enter();
        if let Ok(source) = Source::new() {
            runtime.spawn(signals.clone().task(source));
        }
        signals
    }

    /// A call begins: until it ended signals cancel it.
    pub(crate) fn begin(&self, cancel: CancelToken) {
        let mut state = self.state();
        state.running = Some(cancel);
        state.heard = 0;
    }

    /// The call has answered.
    pub(crate) fn end(&self) {
        self.state().running = None;
    }

    /// Whether the program was told to end.
    pub(crate) fn ends(&self) -> bool {
        self.state().ends
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn task(self, mut source: Source) {
        loop {
            let arrived = source.next().await;
            let step = self.state().hear(arrived);
            match step {
                Step::Leave => leave(),
                Step::Cancel => {}
                Step::WaitForTheKill => {
                    run::clear_line();
                    render::note("waiting for the command to end, again to leave it");
                    tokio::spawn(async {
                        tokio::time::sleep(KILLING).await;
                        leave();
                    });
                }
            }
        }
    }
}

fn leave() {
    run::clear_line();
    std::process::exit(INTERRUPTED);
}

#[cfg(unix)]
struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None under `nohup`: it stays ignored.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Source {
    fn new() -> std::io::Result<Source> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Source {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    async fn next(&mut self) -> Arrived {
        let hangup = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Arrived::Interrupt,
            _ = self.terminate.recv() => Arrived::End,
            _ = hangup => Arrived::End,
        }
    }
}

/// Whether whoever started this program wants it to outlive its terminal. Known where `/proc` says so.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (rustix::process::Signal::HUP.as_raw() - 1) & 1 == 1)
}

#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    fn new() -> std::io::Result<Source> {
        Ok(Source)
    }

    async fn next(&mut self) -> Arrived {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Arrived::Interrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_three_signals_and_an_idle_program_one() {
        let mut state = State::default();
        assert_eq!(state.hear(Arrived::Interrupt), Step::Leave);
        let cancel = CancelToken::default();
        state.running = Some(cancel.clone());
        assert_eq!((state.hear(Arrived::Interrupt), state.ends), (Step::Cancel, false));
        assert!(cancel.is_cancelled());
        assert_eq!((state.hear(Arrived::Interrupt), state.ends), (Step::WaitForTheKill, true));
        assert_eq!(state.hear(Arrived::Interrupt), Step::Leave);
    }

    #[test]
    fn the_first_signal_to_end_lets_the_call_answer() {
        let mut state = State { running: Some(CancelToken::default()), ..State::default() };
        assert_eq!((state.hear(Arrived::End), state.ends), (Step::Cancel, true));
    }
}
