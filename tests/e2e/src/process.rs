//! Programs under a hard deadline: a test that hangs fails, and leaves nothing behind.

use crate::{Output, wait_until};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that runs in a process group of its own.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Pipe,
    stderr: Pipe,
    deadline: Instant,
    shown: String,
}

/// What came out of a pipe until now.
#[derive(Debug)]
struct Pipe {
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

/// Runs a program to its end.
///
/// # Panics
/// It cannot be started, takes longer than `limit`, or is ended by a signal.
#[track_caller]
pub fn run(command: &mut Command, stdin: &[u8], limit: Duration) -> Output {
    let mut running = Running::start(command, limit);
    let (mut to, input) = (running.stdin.take().unwrap(), stdin.to_vec());
    // A program that does not read its input to the end closes the pipe: its choice.
    std::thread::spawn(move || drop(to.write_all(&input)));
    running.finish()
}

impl Running {
    /// Starts a program whose standard input stays open until [`Running::finish`].
    ///
    /// # Panics
    /// It cannot be started.
    #[track_caller]
    pub fn start(command: &mut Command, limit: Duration) -> Running {
        let shown = format!("{command:?}");
        let piped =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = piped.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        let (stdout, stderr) = (Pipe::drain(child.stdout.take()), Pipe::drain(child.stderr.take()));
        Running { stdin: child.stdin.take(), child, stdout, stderr, deadline: Instant::now() + limit, shown }
    }

    /// Writes a line to its standard input.
    ///
    /// # Panics
    /// It does not read any more.
    #[track_caller]
    pub fn line(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits until it has written this to standard output.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        wait_until(&format!("{text:?} from {}", self.shown), || self.stdout.text().contains(text));
    }

    /// Waits until it has written this to standard error.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn wait_for_error(&self, text: &str) {
        wait_until(&format!("{text:?} from {}", self.shown), || self.stderr.text().contains(text));
    }

    /// Sends a signal to the program alone.
    ///
    /// # Panics
    /// It has ended.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes its standard input and waits for the end.
    ///
    /// # Panics
    /// It does not come in time, or by a signal.
    #[track_caller]
    pub fn finish(mut self) -> Output {
        drop(self.stdin.take());
        self.ends()
    }

    /// Waits for the end of a program whose standard input stays open.
    ///
    /// # Panics
    /// It does not come in time, or by a signal.
    #[track_caller]
    pub fn ends(mut self) -> Output {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > self.deadline {
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
                let _ = self.child.wait();
                panic!("it took too long: {}\n{}", self.shown, self.output(-1));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        // A child that it left behind may hold the pipes open: then what came until now counts.
        let end = Instant::now() + Duration::from_secs(5);
        while !(self.stdout.thread.is_finished() && self.stderr.thread.is_finished()) && Instant::now() < end
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        match status.code() {
            Some(code) => self.output(code),
            None => {
                panic!("it was ended by signal {:?}: {}\n{}", status.signal(), self.shown, self.output(-1))
            }
        }
    }

    fn output(&self, code: i32) -> Output {
        Output { code, stdout: self.stdout.text(), stderr: self.stderr.text() }
    }
}

impl Pipe {
    fn drain(pipe: Option<impl Read + Send + 'static>) -> Pipe {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (mut pipe, to) = (pipe.unwrap(), bytes.clone());
        let thread = std::thread::spawn(move || {
            let mut piece = vec![0; 64 * 1024];
            while let Ok(read @ 1..) = pipe.read(&mut piece) {
                to.lock().unwrap().extend_from_slice(&piece[..read]);
            }
        });
        Pipe { bytes, thread }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }
}
