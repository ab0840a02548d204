use crate::capture::{Capture, Stream};
use crate::group;
use std::time::Duration;

/// Why a program is no longer running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It ended by itself.
    Exited,
    /// The caller cancelled.
    Cancelled,
    /// It took longer than the command's own timeout.
    TimedOut,
}

/// What became of a program.
#[derive(Debug)]
pub struct Outcome {
    /// Why it is no longer running.
    pub end: End,
    /// The exit code, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was stopped and did not heed SIGTERM in time, so that it was killed.
    pub killed: bool,
    /// Whether it could not even be killed and may still run.
    pub survives: bool,
    /// Whether a descendant still held the output open when the program had ended; what it writes is not read.
    pub output_held: bool,
    /// Bytes written to stdout, kept or not.
    pub stdout_bytes: u64,
    /// Bytes written to stderr, kept or not.
    pub stderr_bytes: u64,
    /// Bytes of both that were not kept.
    pub dropped_bytes: u64,
    /// From start to end.
    pub duration: Duration,
    pub(crate) capture: Capture,
}

impl Outcome {
    /// Whether it ended by itself with exit code 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.end == End::Exited && self.exit_code == Some(0)
    }

    /// Both streams in the order in which they arrived; bytes that are no UTF-8 are replaced, and where bytes were
    /// dropped a line says how many. The two streams come through two pipes, so that pieces written at nearly the same time may swap.
    #[must_use]
    pub fn text(&self) -> String {
        self.capture.text(&[Stream::Stdout, Stream::Stderr])
    }

    /// The same of stdout alone.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.capture.text(&[Stream::Stdout])
    }

    /// The same of stderr alone.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.capture.text(&[Stream::Stderr])
    }

    /// The name of the signal that ended it, such as `SIGKILL`.
    #[must_use]
    pub fn signal_name(&self) -> Option<String> {
        self.signal.map(group::signal_name)
    }

    /// What is to be said after the output, a line each; nothing after a plain success.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.end {
            End::Exited => {
                if let Some(signal) = self.signal_name() {
                    notes.push(format!("[killed by {signal}]"));
                }
                if let Some(code) = self.exit_code.filter(|code| *code != 0) {
                    notes.push(format!("[exit code {code}]"));
                }
            }
            End::Cancelled => notes.push(self.stopped("cancelled")),
            End::TimedOut => notes.push(self.stopped("timed out")),
        }
        if self.output_held {
            notes.push(
                "[a background process still holds the output, which is read no further: redirect its output to a file to let it run on]"
                    .to_owned(),
            );
        }
        if self.survives {
            notes.push("[it did not end even after SIGKILL and may still be running]".to_owned());
        }
        notes
    }

    fn stopped(&self, how: &str) -> String {
        let kill = if self.killed { "; it did not heed SIGTERM and was killed" } else { "" };
        format!("[{how} after {:.1} s{kill}; output so far above]", self.duration.as_secs_f64())
    }
}
