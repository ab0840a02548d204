use crate::approval;
use crate::directory::{self, Place};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stud_plugin_api::prelude::*;
use stud_tools_process::{Command, End, Outcome, find_program};

/// Runs a shell command (bash) in the workspace and returns what it prints.
///
/// Each call is a shell of its own: `cd` and variables do not carry over to the next. There is no terminal and nothing
/// on stdin, so pass flags such as `-y` instead of waiting for questions. The last line says `[exit code N]` when the
/// command failed. To leave a server running, redirect its output to a file: `server >log 2>&1 &`.
#[tool(
    side_effects = "execute",
    gated = true,
    category = "shell",
    other_names("shell", "run_terminal_command"),
    approval_key = approval_key,
    examples(
        {"command": "cargo test -p parser"},
        {"command": "npm run build", "cwd": "web", "timeout_ms": 120000},
        {"command": "ls -la src"}
    )
)]
pub fn run_command(
    ctx: &Context,
    /// The command line, as for `bash -c`.
    #[arg(alias("cmd", "script"))]
    command: String,
    /// Directory to run in, relative to the workspace's root. The root without it.
    #[arg(alias("directory", "workdir", "working_directory"))]
    cwd: Option<String>,
    /// Stop the command after so many milliseconds. Without it, the call's own deadline counts.
    #[arg(alias("timeoutMs"), min = 1)]
    timeout_ms: Option<u64>,
) -> Result<String> {
    if command.trim().is_empty() {
        return Err(Error::invalid("`command` is empty: give the command line to run"));
    }
    if command.contains('\0') {
        return Err(Error::invalid("`command` contains a NUL byte, which no command line can: leave it out"));
    }
    ctx.check_cancelled()?;
    let root = ctx.workspace()?;
    let Place { directory, note } = directory::resolve(root, cwd.as_deref())?;
    let shell = Shell::find()?;
    let mut run = Command::new(&shell.program).args(shell.flags).arg(command).directory(&directory);
    if let Some(milliseconds) = timeout_ms {
        run = run.timeout(Duration::from_millis(milliseconds));
    }
    let outcome = run.run(ctx).map_err(|error| {
        let code = error.code();
        Error::from(error).code(code)
    })?;
    report(ctx, &outcome, note, root, &directory)
}

fn approval_key(arguments: &run_command) -> String {
    approval::key(&arguments.command)
}

struct Shell {
    program: PathBuf,
    flags: &'static [&'static str],
}

impl Shell {
    fn find() -> Result<Shell> {
        const SHELLS: &[(&str, &[&str])] =
            if cfg!(windows) { &[("cmd", &["/C"])] } else { &[("bash", &["-c"]), ("sh", &["-c"])] };
        SHELLS
            .iter()
            .find_map(|(name, flags)| find_program(name).map(|program| Shell { program, flags }))
            .ok_or_else(|| {
                let names: Vec<&str> = SHELLS.iter().map(|(name, _)| *name).collect();
                let message = format!("there is no shell ({}) in PATH: install one", names.join(" or "));
                Error::new(message).code("no_shell")
            })
    }
}

/// What is told of a command that has ended or was stopped.
fn report(
    ctx: &Context,
    outcome: &Outcome,
    note: Option<String>,
    root: &Path,
    directory: &Path,
) -> Result<String> {
    let relative = directory.strip_prefix(root).unwrap_or(directory).to_string_lossy();
    let facts = [
        ("exit_code", json!(outcome.exit_code)),
        ("signal", json!(outcome.signal_name())),
        ("cwd", json!(if relative.is_empty() { "." } else { &relative })),
        ("duration_ms", json!(u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX))),
        ("stdout_bytes", json!(outcome.stdout_bytes)),
        ("stderr_bytes", json!(outcome.stderr_bytes)),
        ("dropped_bytes", json!(outcome.dropped_bytes)),
        ("output_held", json!(outcome.output_held)),
    ];
    let mut lines: Vec<String> = note.into_iter().collect();
    let output = outcome.text();
    // The line break that ends the output is the one before the next line.
    let output = output.strip_suffix('\n').unwrap_or(&output);
    let notes = outcome.notes();
    if !output.is_empty() {
        lines.push(output.to_owned());
    } else if notes.is_empty() {
        lines.push("[no output]".to_owned());
    }
    lines.extend(notes);
    let text = lines.join("\n");
    let seconds = outcome.duration.as_secs_f64();
    let error = match outcome.end {
        End::Exited => {
            facts.into_iter().for_each(|(name, value)| ctx.metadata(name, value));
            return Ok(text);
        }
        End::Cancelled => {
            Error::cancelled(format!("the command was cancelled after {seconds:.1} s; its output so far:\n{text}"))
        }
        End::TimedOut => Error::new(format!(
            "the command was stopped after its timeout_ms, {seconds:.1} s; give it more time or run less; its output so far:\n{text}"
        ))
        .code("timeout"),
    };
    // The partial output must reach the model, and errors carry no metadata: what programs want to know goes along here.
    Err(error.details(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
}
