//! The hidden command that opens a library first, in a process that may end for it.

use crate::app::App;
use crate::args::DescribeArgs;
use crate::failure::{Exit, Failure};
use crate::reserved;
use std::io::{self, Write};
use stud_host::{Diagnostic, Staging, describe_staged};

pub(crate) fn run(app: &App, args: &DescribeArgs) -> Result<Exit, Failure> {
    let failed = |error: io::Error| {
        Failure::new(Exit::Error, format!("the description cannot be handed over: {error}"))
    };
    let mut answer = private_output().map_err(failed)?;
    let staging = Staging::new(app.paths.staged_dir());
    match staging.reopen(&args.file).and_then(|staged| describe_staged(&staged)) {
        Ok(description) => {
            answer.write_all(&description).and_then(|()| answer.flush()).map_err(failed)?;
            // The answer is out. Threads that the library left behind are not waited for; its `atexit` handlers and
            // destructors do run, in this process alone: whoever asked waits for them no longer than its deadline.
            std::process::exit(0);
        }
        Err(diagnostic) => Err(reported(&diagnostic)),
    }
}

/// The diagnostic goes to standard error as JSON: the process that asked reads it from there.
fn reported(diagnostic: &Diagnostic) -> Failure {
    let text = serde_json::to_string(diagnostic).unwrap_or_else(|_| diagnostic.to_string());
    let _ = io::stderr().write_all(text.as_bytes());
    std::process::exit(1);
}

/// Standard output for the answer alone. No core dumps: a library that crashes here is a finding, not a bug of this program.
fn private_output() -> io::Result<Box<dyn Write>> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    }
    Ok(match reserved::take_over()? {
        Some(answer) => Box::new(answer),
        None => Box::new(io::stdout()),
    })
}
