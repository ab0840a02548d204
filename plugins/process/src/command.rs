use crate::capture::{Capture, Stream};
use crate::outcome::Outcome;
use crate::supervise::{Limits, Supervised};
use crate::{environment, group, lookup};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use std::{fmt, io};
use stud_plugin_api::Context;

/// How much of the output is kept, of both streams together.
const CAPTURE: usize = 1 << 20;
/// How long after SIGTERM a group is killed (spec D6).
const GRACE: Duration = Duration::from_secs(5);
/// How long output is awaited after the program itself has ended.
const DRAIN: Duration = Duration::from_millis(500);

/// On whose behalf a program runs.
pub trait Caller {
    /// Whether the program should be stopped. Asked some fifty times a second.
    fn cancelled(&self) -> bool;
    /// Takes a piece of the program's output while it runs.
    fn output(&self, stream: Stream, bytes: &[u8]);
}

impl Caller for Context {
    fn cancelled(&self) -> bool {
        Context::cancelled(self)
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        self.output_bytes(stream.number(), bytes);
    }
}

/// A program to run, with its arguments and bounds.
#[derive(Debug, Clone)]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    directory: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    capture: usize,
    quiet: bool,
    limits: Limits,
}

impl Command {
    /// A program by name (found in `PATH`) or by path.
    pub fn new(program: impl Into<OsString>) -> Command {
        Command {
            program: program.into(),
            args: Vec::new(),
            directory: None,
            env: Vec::new(),
            capture: CAPTURE,
            quiet: false,
            limits: Limits { timeout: None, grace: GRACE, drain: DRAIN },
        }
    }

    /// One more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Command {
        self.args.push(arg.into());
        self
    }

    /// More arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Command {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The directory to run in; the host's own without it.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Command {
        self.directory = Some(directory.into());
        self
    }

    /// A variable besides those that every child gets.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Command {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Stops the program after so long, besides when the caller cancels.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Command {
        self.limits.timeout = Some(timeout);
        self
    }

    /// How long the program may take to end after it was asked to; 5 s without it.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Command {
        self.limits.grace = grace;
        self
    }

    /// How many bytes of output are kept, of both streams together; 1 MiB without it. Beginning and end of each stream are.
    #[must_use]
    pub fn capture(mut self, bytes: usize) -> Command {
        self.capture = bytes;
        self
    }

    /// Does not show the output while it runs: for questions whose answer only the tool reads.
    #[must_use]
    pub fn quiet(mut self) -> Command {
        self.quiet = true;
        self
    }

    /// Runs it to its end, or until it is stopped. Whatever it answers is an outcome; only a program that does not start is an error.
    ///
    /// Blocks. Beside the program it costs up to three short-lived threads and the memory of the capture.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run(&self, caller: &impl Caller) -> Result<Outcome, StartError> {
        let program = lookup::find_program(&self.program)
            .ok_or_else(|| StartError::NoProgram { program: self.program.clone() })?;
        #[allow(clippy::disallowed_methods, reason = "this is the wrapper that the ban points to")]
        let mut command = std::process::Command::new(&program);
        command.args(&self.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs(environment::for_child(std::env::vars_os()));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            // Checked first: the error of the system does not say whether the program or the directory is missing.
            if !directory.is_dir() {
                return Err(StartError::NoDirectory { directory: directory.clone() });
            }
            command.current_dir(directory);
        }
        group::prepare(&mut command);
        let refused = |source| StartError::Refused { program: program.clone(), source };
        let child = command.spawn().map_err(refused)?;
        let supervised = Supervised::new(child, self.limits.clone(), Capture::new(self.capture));
        supervised.run(caller, self.quiet).map_err(refused)
    }
}

/// Why a program did not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// There is no such program.
    NoProgram {
        /// As it was asked for.
        program: OsString,
    },
    /// The directory to run in is none.
    NoDirectory {
        /// Which.
        directory: PathBuf,
    },
    /// The system refused.
    Refused {
        /// What should have been started.
        program: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl StartError {
    /// A word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            StartError::NoProgram { .. } => "no_program",
            StartError::NoDirectory { .. } => "no_directory",
            StartError::Refused { .. } => "not_started",
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NoProgram { program } => {
                let name = Path::new(OsStr::new(program)).display();
                write!(f, "there is no program `{name}` in PATH: install it or use another")
            }
            StartError::NoDirectory { directory } => {
                write!(
                    f,
                    "there is no directory `{}` to run in: create it or choose another",
                    directory.display()
                )
            }
            StartError::Refused { program, .. } => write!(f, "`{}` could not be started", program.display()),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StartError::Refused { source, .. } => Some(source),
            _ => None,
        }
    }
}
