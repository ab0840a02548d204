//! Panics end at the edge of the plugin: they become a message with the place where they happened.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use stud_contract::PanicReport;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static LAST: RefCell<Option<PanicReport>> = const { RefCell::new(None) };
}

/// Runs `body`; a panic in it, or in the destructors it runs, becomes a report.
pub(crate) fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, PanicReport> {
    install_hook();
    DEPTH.with(|depth| depth.set(depth.get() + 1));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    DEPTH.with(|depth| depth.set(depth.get() - 1));
    outcome.map_err(|payload| {
        // A payload may panic when it is dropped. Leaking it is the only safe end.
        std::mem::forget(payload);
        LAST.with(|last| last.borrow_mut().take())
            .unwrap_or(PanicReport { message: "the tool panicked".to_owned(), location: None })
    })
}

/// A hook that remembers message and place of panics under [`guarded`] and leaves all others to the hook before it.
/// The standard library is linked into the plugin, so that this is the plugin's own hook, not the host's.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DEPTH.with(Cell::get) == 0 {
                return previous(info);
            }
            let message = info
                .payload_as_str()
                .map_or_else(|| "the tool panicked with a value that is no text".to_owned(), str::to_owned);
            let location = info.location().map(ToString::to_string);
            LAST.with(|last| *last.borrow_mut() = Some(PanicReport { message, location }));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    #[test]
    fn x5_a_panic_becomes_a_report_with_its_place() {
        let report = guarded(|| panic!("boom {}", 1)).unwrap_err();
        assert_eq!(report.message, "boom 1");
        assert!(report.location.unwrap().contains("panic.rs"));
    }

    #[test]
    fn x5_a_payload_that_is_no_text_or_panics_when_dropped_is_contained() {
        let report = guarded(|| std::panic::panic_any(Bomb)).unwrap_err();
        assert_eq!(report.message, "the tool panicked with a value that is no text");
        let report = guarded(|| drop(Bomb)).unwrap_err();
        assert_eq!(report.message, "dropped");
    }
}
