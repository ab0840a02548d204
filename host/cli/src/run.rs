//! Runs calls: one runtime, interruption by signals, a line of progress on a terminal.

use crate::failure::{Exit, Failure};
use crate::signals::Signals;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use stud_host::{Call, ErrorClass, ToolResult, Turn};
use tokio::runtime::Runtime;

/// How long a call may run before its progress is shown.
const QUIET: Duration = Duration::from_millis(800);

/// The runtime that calls run on. Plugins block its threads; tokio replaces those that do.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Error, format!("no threads can be started: {error}")))
}

/// Makes one call, which signals cancel.
pub(crate) fn call(runtime: &Runtime, signals: &Signals, turn: &Turn, call: Call) -> ToolResult {
    runtime.block_on(async {
        signals.begin(call.cancel.clone());
        let name = call.tool.clone();
        let progress = tokio::spawn(progress(name));
        let result = turn.call(call).await;
        signals.end();
        progress.abort();
        // The progress line is gone before the result is printed.
        let _ = progress.await;
        clear_line();
        result
    })
}

async fn progress(name: String) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let started = Instant::now();
    tokio::time::sleep(QUIET).await;
    loop {
        let mut stderr = std::io::stderr();
        let name = crate::render::line(&name);
        let _ = write!(
            stderr,
            "\r{name} has been running for {} s (Ctrl-C cancels)\x1b[K",
            started.elapsed().as_secs()
        );
        let _ = stderr.flush();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Takes the line of progress off the terminal, if it is one.
pub(crate) fn clear_line() {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K");
        let _ = stderr.flush();
    }
}

/// The exit code that a result stands for.
pub(crate) fn exit_of(result: &ToolResult) -> Exit {
    match &result.error {
        None => Exit::Done,
        Some(error) => match error.class {
            ErrorClass::Cancelled => Exit::Interrupted,
            ErrorClass::PermissionDenied | ErrorClass::UserDenied | ErrorClass::ConfirmationTimeout => {
                Exit::Permission
            }
            _ => Exit::Error,
        },
    }
}
