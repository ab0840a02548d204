use crate::render;
use std::process::ExitCode;
use stud_host::{Diagnostic, HostError, TrustError};

/// The exit codes, as the help says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The tool or operation answered with an error.
    Error,
    /// Wrong usage or configuration.
    Usage,
    /// Permission required or denied.
    Permission,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Error => 1,
            Exit::Usage => 2,
            Exit::Permission => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// An error as it is shown: what failed, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A failed write to standard output: a closed pipe is the reader's choice and no failure.
    pub(crate) fn output(error: &std::io::Error) -> Failure {
        Failure::new(Exit::Error, format!("standard output cannot be written: {error}"))
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Failure {
        Failure::new(Exit::Usage, render::line(&error.to_string())).hint(error.remedy())
    }
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Failure {
        Failure::new(Exit::Usage, render::line(&error.to_string())).hint(error.remedy)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        let hint = diagnostic.remedy.clone();
        Failure::new(Exit::Error, render::line(&diagnostic.to_string())).hint(hint)
    }
}
