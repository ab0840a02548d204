//! The first opening of unknown bytes happens in a process of its own: what ends a process there does not end the host.

use super::{StagedCopy, load};
use crate::diagnostic::{Diagnostic, Stage};
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a library may take to open and to describe itself.
const DEADLINE: Duration = Duration::from_secs(10);

/// The program that opens a staged library on the host's behalf and prints its description: it calls
/// [`describe_staged`]. The staged path is its last argument.
#[derive(Debug, Clone)]
pub struct Prober {
    /// The program.
    pub program: PathBuf,
    /// What stands before the path.
    pub arguments: Vec<OsString>,
}

/// The prober's side: opens the library and returns its description.
///
/// # Errors
/// It cannot be opened.
pub fn describe_staged(staged: &StagedCopy) -> Result<Vec<u8>, Diagnostic> {
    load(staged).map(|plugin| plugin.describe())
}

impl Prober {
    /// The description of a staged library, from the other process.
    ///
    /// # Errors
    /// The process could not be started, ended otherwise than it should, or took too long.
    #[allow(clippy::disallowed_methods, reason = "the host's own helper process, not a tool's command")]
    pub fn describe(&self, staged: &StagedCopy) -> Result<Vec<u8>, Diagnostic> {
        let remedy = "rebuild it; `stud check FILE` shows the same result while developing";
        let failed = |message: String| Diagnostic::new(Stage::Load, message, remedy);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .arg(staged.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                failed(format!("the process that would open it first cannot be started: {error}"))
            })?;
        let output = drain(child.stdout.take());
        let errors = drain(child.stderr.take());
        let status = wait(&mut child)
            .map_err(|error| failed(format!("waiting for the process that opened it: {error}")))?;
        let Some(status) = status else {
            let seconds = DEADLINE.as_secs();
            return Err(failed(format!("it did not open and describe itself within {seconds} s")));
        };
        // After the process has ended its pipes are at their end, unless it left a child behind: then they are not waited for.
        let output = output.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        if status.success() {
            return Ok(output);
        }
        let errors = errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        if let Ok(diagnostic) = serde_json::from_slice::<Diagnostic>(&errors) {
            return Err(diagnostic);
        }
        let said = String::from_utf8_lossy(&errors);
        let last: String = said
            .trim()
            .lines()
            .last()
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        let said = if last.is_empty() { String::new() } else { format!(", after it said: {last}") };
        Err(failed(format!("opening it ends the process that opens it ({status}){said}")))
    }
}

/// Reads a pipe to its end on a thread of its own, so that a full pipe cannot block the child; bounded.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::sync::mpsc::Receiver<Vec<u8>> {
    const MOST: u64 = 64 * 1024 * 1024;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is as good as nothing: the status decides.
            let _ = pipe.take(MOST).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

/// Waits for the end, or kills at the deadline and says none.
fn wait(child: &mut Child) -> std::io::Result<Option<std::process::ExitStatus>> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > DEADLINE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}
