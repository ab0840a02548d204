//! Programs under a hard deadline: a test that hangs fails, and leaves nothing behind.

use crate::Output;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A program that runs in a process group of its own.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    deadline: Instant,
    shown: String,
}

/// Runs a program to its end.
///
/// # Panics
/// It cannot be started, takes longer than `limit`, or is ended by a signal.
#[track_caller]
pub fn run(command: &mut Command, stdin: &[u8], limit: Duration) -> Output {
    Running::start(command, stdin, limit).finish()
}

impl Running {
    /// Starts a program; its input is written while it runs.
    ///
    /// # Panics
    /// It cannot be started.
    #[track_caller]
    pub fn start(command: &mut Command, stdin: &[u8], limit: Duration) -> Running {
        let shown = format!("{command:?}");
        let piped =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = piped.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        let (mut to, input) = (child.stdin.take().unwrap(), stdin.to_vec());
        // A program that does not read its input to the end closes the pipe: its choice.
        std::thread::spawn(move || drop(to.write_all(&input)));
        let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
        Running { child, stdout, stderr, deadline: Instant::now() + limit, shown }
    }

    /// Sends a signal to the program alone.
    ///
    /// # Panics
    /// It has ended.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// It does not come in time, or by a signal.
    #[track_caller]
    pub fn finish(mut self) -> Output {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > self.deadline {
                let group = rustix::process::Pid::from_child(&self.child);
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                let _ = self.child.wait();
                panic!("it took too long: {}\n{}", self.shown, self.texts(-1));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let Some(code) = status.code() else {
            panic!("it was ended by signal {:?}: {}\n{}", status.signal(), self.shown, self.texts(-1));
        };
        self.texts(code)
    }

    /// A child that the program left behind may hold the pipes open: then what came until now counts.
    fn texts(&self, code: i32) -> Output {
        let text = |pipe: &Receiver<Vec<u8>>| {
            let bytes = pipe.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Output { code, stdout: text(&self.stdout), stderr: text(&self.stderr) }
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    let mut pipe = pipe.unwrap();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    receive
}
