use crate::render;
use std::io::{self, BufRead, IsTerminal, Write};

/// Whether there is somebody who can be asked: both ends are a terminal.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks yes or no on the terminal. Anything but yes is no.
pub(crate) fn ask(question: &str) -> bool {
    let mut stderr = anstream::stderr();
    if write!(stderr, "{} [y/N] ", render::printable(question)).and_then(|()| stderr.flush()).is_err() {
        return false;
    }
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(n) if n > 0 => is_yes(&answer) == Some(true),
        _ => false,
    }
}

/// What a line says to a question: yes, no, or something else.
pub(crate) fn is_yes(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" | "" => Some(false),
        _ => None,
    }
}
