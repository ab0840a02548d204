//! Standard output for this program's own answer alone: what a library in this process prints goes to standard error.

use crate::failure::{Exit, Failure};
use std::fs::File;
use std::io::{self, Write};
use std::sync::OnceLock;

static ANSWER: OnceLock<File> = OnceLock::new();

/// Reserves standard output for one JSON document, before the first library is opened.
pub(crate) fn reserve() -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::new(Exit::Error, format!("standard output cannot be kept apart: {error}"))
    };
    if let Some(answer) = take_over().map_err(failed)? {
        let _ = ANSWER.set(answer);
    }
    Ok(())
}

/// Where that document goes.
pub(crate) fn stream() -> Box<dyn Write> {
    match ANSWER.get() {
        Some(answer) => Box::new(answer),
        None => Box::new(io::stdout().lock()),
    }
}

/// Standard output as a file that nothing else in this process writes to.
#[cfg(unix)]
pub(crate) fn take_over() -> io::Result<Option<File>> {
    let answer = File::from(std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?);
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(Some(answer))
}

/// Here it stays shared.
#[cfg(not(unix))]
pub(crate) fn take_over() -> io::Result<Option<File>> {
    Ok(None)
}
