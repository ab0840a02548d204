use std::time::{Duration, Instant};

/// Waits for a condition, for at most half a minute.
///
/// # Panics
/// It does not come true.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "in half a minute it did not happen: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
