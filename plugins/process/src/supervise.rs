//! Watches one program until it has ended or been stopped.

use crate::capture::{Capture, Stream};
use crate::command::Caller;
use crate::group::{self, Group, TICK};
use crate::outcome::{End, Outcome};
use std::io::{self, Read};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a killed group may take to vanish before it is given up; a process deep in the kernel may.
const AFTER_KILL: Duration = Duration::from_millis(1000);
/// One read takes at most this much, the default size of a pipe on Linux.
const READ: usize = 64 * 1024;
/// Reads that may wait to be looked at: what bounds the memory when a program writes faster than the caller takes.
const WAITING: usize = 8;

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) drain: Duration,
}

enum Event {
    Bytes(Stream, Vec<u8>),
    EndOfStream,
    Exited,
}

#[derive(Clone, Copy)]
enum Phase {
    Running,
    Terminating { until: Instant },
    Killed { until: Instant },
}

/// A running program. When this goes away before the program has ended, the program is killed: no way out leaves it behind.
pub(crate) struct Supervised {
    child: Child,
    group: Group,
    status: Option<ExitStatus>,
    limits: Limits,
    capture: Capture,
    started: Instant,
    end: End,
    phase: Phase,
    open_streams: u32,
    exited: Option<Instant>,
    over: bool,
}

impl Supervised {
    pub(crate) fn new(child: Child, limits: Limits, capture: Capture) -> Supervised {
        let group = Group::of(&child);
        Supervised {
            child,
            group,
            status: None,
            limits,
            capture,
            started: Instant::now(),
            end: End::Exited,
            phase: Phase::Running,
            open_streams: 0,
            exited: None,
            over: false,
        }
    }

    /// Fails only when the system has no threads left; the program is killed then.
    pub(crate) fn run(mut self, caller: &impl Caller, quiet: bool) -> io::Result<Outcome> {
        let events = self.start_watching()?;
        while !self.finished() {
            match events.recv_timeout(self.patience()) {
                Ok(Event::Bytes(stream, bytes)) => {
                    if !quiet {
                        caller.output(stream, &bytes);
                    }
                    self.capture.push(stream, &bytes);
                }
                Ok(Event::EndOfStream) => self.open_streams -= 1,
                Ok(Event::Exited) => self.exited = Some(Instant::now()),
                Err(RecvTimeoutError::Timeout) => {}
                // Everybody has reported; only the end is not known where nobody tells of it.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(self.patience()),
            }
            self.look_for_the_end();
            self.advance(caller);
        }
        Ok(self.outcome())
    }

    fn start_watching(&mut self) -> io::Result<Receiver<Event>> {
        let (sender, events) = sync_channel(WAITING);
        if let Some(pipe) = self.child.stdout.take() {
            self.start_reading(Stream::Stdout, pipe, &sender)?;
        }
        if let Some(pipe) = self.child.stderr.take() {
            self.start_reading(Stream::Stderr, pipe, &sender)?;
        }
        if Group::NOTIFIES {
            let group = self.group;
            thread::Builder::new().name("stud-wait".to_owned()).spawn(move || {
                group.wait_for_leader();
                let _ = sender.send(Event::Exited);
            })?;
        }
        Ok(events)
    }

    fn start_reading(
        &mut self,
        stream: Stream,
        pipe: impl Read + Send + 'static,
        sender: &SyncSender<Event>,
    ) -> io::Result<()> {
        let sender = sender.clone();
        thread::Builder::new().name("stud-read".to_owned()).spawn(move || read(stream, pipe, &sender))?;
        self.open_streams += 1;
        Ok(())
    }

    /// How long to wait for the next event.
    fn patience(&self) -> Duration {
        let now = Instant::now();
        let next = match self.phase {
            Phase::Running => self.limits.timeout.and_then(|timeout| self.started.checked_add(timeout)),
            Phase::Terminating { until } | Phase::Killed { until } => Some(until),
        };
        next.map_or(TICK, |next| next.saturating_duration_since(now).min(TICK))
    }

    fn look_for_the_end(&mut self) {
        if !Group::NOTIFIES && self.exited.is_none() && !matches!(self.child.try_wait(), Ok(None)) {
            self.exited = Some(Instant::now());
        }
        // From here on the other members keep the group's number from being given away; see `Group`.
        if self.exited.is_some() && self.status.is_none() && !matches!(self.phase, Phase::Running) {
            self.status = self.child.wait().ok();
        }
    }

    fn finished(&self) -> bool {
        let Some(exited) = self.exited else { return self.over };
        let read = self.open_streams == 0 || exited.elapsed() >= self.limits.drain;
        self.over || (read && (matches!(self.phase, Phase::Running) || !self.group.is_alive()))
    }

    fn advance(&mut self, caller: &impl Caller) {
        match self.phase {
            Phase::Running => {
                if caller.cancelled() {
                    self.stop(End::Cancelled);
                } else if self.limits.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout) {
                    self.stop(End::TimedOut);
                }
            }
            Phase::Terminating { until } if Instant::now() >= until => {
                self.group.kill(&mut self.child);
                self.phase = Phase::Killed { until: Instant::now() + AFTER_KILL };
            }
            Phase::Killed { until } => self.over = Instant::now() >= until,
            Phase::Terminating { .. } => {}
        }
    }

    fn stop(&mut self, end: End) {
        // It may have ended in this very moment with all its output read: then there is nothing to stop.
        if self.exited.is_some() && self.open_streams == 0 {
            return;
        }
        self.end = end;
        self.group.terminate(&mut self.child);
        self.phase = Phase::Terminating { until: Instant::now() + self.limits.grace };
    }

    fn outcome(mut self) -> Outcome {
        if self.exited.is_some() && self.status.is_none() {
            self.status = self.child.wait().ok();
        }
        Outcome {
            end: self.end,
            exit_code: self.status.and_then(|status| status.code()),
            signal: self.status.and_then(group::signal_of),
            killed: matches!(self.phase, Phase::Killed { .. }),
            survives: self.exited.is_none(),
            output_held: self.open_streams > 0 && self.exited.is_some(),
            stdout_bytes: self.capture.total(Stream::Stdout),
            stderr_bytes: self.capture.total(Stream::Stderr),
            dropped_bytes: self.capture.dropped(),
            duration: self.started.elapsed(),
            capture: std::mem::replace(&mut self.capture, Capture::new(0)),
        }
    }
}

impl Drop for Supervised {
    /// Only of use after a failure to start threads, a panic of the caller, or when SIGKILL has not ended the program yet.
    fn drop(&mut self) {
        if self.exited.is_none() {
            self.group.kill(&mut self.child);
        }
        if self.status.is_none() {
            // To reap it must not take for ever: a process deep in the kernel may not end for a long time.
            let patience = Instant::now() + TICK;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Reads until the end, or until nobody wants to know any more. The pipe is closed then: who still writes to it is told so.
fn read(stream: Stream, mut pipe: impl Read, sender: &SyncSender<Event>) {
    let mut buffer = vec![0; READ];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                if sender.send(Event::Bytes(stream, buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // Nobody listens any more when the program was given up.
    let _ = sender.send(Event::EndOfStream);
}
