//! The console: a line is a tool call or a slash command, from a terminal or from a pipe.

mod lines;
mod slash;

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::run as running;
use crate::signals::Signals;
use crate::{commands, confirm, render};
use lines::Lines;
use std::io::IsTerminal;
use stud_host::{Approval, Call, Host, Session};
use tokio::runtime::Runtime;

/// What the console works with. Replaced as a whole by `/reload`.
pub(crate) struct Console<'a> {
    app: &'a App,
    host: Host,
    session: Session,
    runtime: Runtime,
    signals: Signals,
    lines: Lines,
    /// Whether anything failed, for the exit code of a script.
    failed: bool,
}

pub(crate) fn run(app: &App) -> Result<Exit, Failure> {
    let interactive = std::io::stdin().is_terminal();
    let host = app.host(interactive)?;
    let session = host.session()?;
    let runtime = running::runtime()?;
    let mut console = Console {
        app,
        session,
        signals: Signals::listen(&runtime),
        runtime,
        lines: Lines::open(app, &host, interactive),
        host,
        failed: false,
    };
    if interactive {
        render::note(&console.greeting());
    }
    while let Some(line) = console.lines.next() {
        match console.line(line.trim()) {
            Ok(true) => {}
            Ok(false) => break,
            Err(failure) => {
                render::failure(&failure);
                console.failed = true;
            }
        }
        if console.signals.ends() {
            console.runtime.shutdown_background();
            return Ok(Exit::Interrupted);
        }
    }
    let failed = console.failed && !interactive;
    console.runtime.shutdown_background();
    Ok(if failed { Exit::Error } else { Exit::Done })
}

impl Console<'_> {
    fn greeting(&self) -> String {
        let tools = self.host.registry().snapshot().advertised().count();
        format!(
            "stud {} · {tools} tools · {}\n/help says what can be typed, /quit ends",
            stud_host::CORE_VERSION,
            render::path(&self.app.paths.project)
        )
    }

    /// One line. Says whether the console goes on.
    fn line(&mut self, line: &str) -> Result<bool, Failure> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(true);
        }
        match line.strip_prefix('/') {
            Some(command) => self.slash(command),
            None => self.call(line).map(|()| true),
        }
    }

    /// `NAME key=value …` or `NAME {json}`.
    fn call(&mut self, line: &str) -> Result<(), Failure> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let input = if rest.starts_with('{') {
            rest.to_owned()
        } else {
            commands::call::pairs_as_json(&self.session, name, &lines::words(rest)?)?
        };
        let mut call = Call::new(name, input);
        call.approval = self.approval(name, &call.input);
        let result = running::call(&self.runtime, &self.signals, &self.session.turn(), call);
        self.failed |= result.is_error;
        commands::call::print(&result, "type the call again and answer y")
    }

    /// Asks before a gated tool runs. Without an answer it does not.
    fn approval(&mut self, name: &str, input: &str) -> Approval {
        // The one that would run: a layer above may offer the name and not work.
        let turn = self.session.turn();
        let Some(tool) = turn.implementation(name).map(|entry| entry.embedded()) else {
            return Approval::NotGiven;
        };
        if !tool.gated && !tool.always_require_approval {
            return Approval::NotGiven;
        }
        let question = format!("{} ({}) {input}\nallow this call?", tool.name, tool.side_effects);
        match self.lines.answer(&question) {
            Some(true) => Approval::Once,
            Some(false) => Approval::Denied,
            None => Approval::NotGiven,
        }
    }

    fn reload(&mut self) -> Result<(), Failure> {
        let host = self.app.host(confirm::can_ask())?;
        self.session = host.session()?;
        self.host = host;
        Ok(())
    }
}
