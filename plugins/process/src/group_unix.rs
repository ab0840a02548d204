//! A child and its descendants as one process group, which signals reach as a whole.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How long to wait at most before looking at the caller's wishes again.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// Puts the child into a process group of its own, whose number is the child's.
pub(crate) fn prepare(command: &mut Command) {
    command.process_group(0);
}

/// The group of one child. Its number cannot be given to another group while the child is not reaped or the group has
/// members; it must not be signalled later than that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(Option<Pid>);

impl Group {
    pub(crate) fn of(child: &Child) -> Group {
        Group(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
    }

    /// Blocks until the child has ended, and leaves it to be reaped.
    pub(crate) fn wait_for_leader(self) {
        let Some(pid) = self.0 else { return };
        loop {
            match rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(rustix::io::Errno::INTR) => {}
                // An error means that it is no longer ours to wait for.
                _ => return,
            }
        }
    }

    /// Whether the child can be waited for by [`Group::wait_for_leader`].
    pub(crate) const NOTIFIES: bool = true;

    /// Asks all members to end. One that is stopped would never hear it, so they are continued as well.
    pub(crate) fn terminate(self, _leader: &mut Child) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Ends all members.
    pub(crate) fn kill(self, _leader: &mut Child) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        if let Some(pid) = self.0 {
            // It fails when nobody is left, which is what was wanted.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }

    /// Whether the group has members that are not just waiting to be reaped.
    pub(crate) fn is_alive(self) -> bool {
        let Some(pid) = self.0 else { return false };
        rustix::process::test_kill_process_group(pid).is_ok() && has_running_member(pid)
    }
}

/// Orphans that nobody reaps (in a container whose first process does not) are members for ever: only `/proc` tells.
#[cfg(target_os = "linux")]
fn has_running_member(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_nonzero().get().to_string();
    processes.flatten().any(|process| {
        let is_process = process.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
        is_process
            && std::fs::read(process.path().join("stat")).is_ok_and(|stat| {
                // "pid (name) state parent group …", where the name may hold anything.
                let stat = String::from_utf8_lossy(&stat);
                let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
                let state = fields.next().unwrap_or_default();
                fields.nth(1) == Some(group.as_str()) && !matches!(state, "Z" | "X")
            })
    })
}

#[cfg(not(target_os = "linux"))]
fn has_running_member(_group: Pid) -> bool {
    true
}

/// The signal that ended a process.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Its usual name.
pub(crate) fn signal_name(number: i32) -> String {
    let name = match Signal::from_named_raw(number) {
        Some(Signal::HUP) => "SIGHUP",
        Some(Signal::INT) => "SIGINT",
        Some(Signal::QUIT) => "SIGQUIT",
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::TRAP) => "SIGTRAP",
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::BUS) => "SIGBUS",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::USR1) => "SIGUSR1",
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::USR2) => "SIGUSR2",
        Some(Signal::PIPE) => "SIGPIPE",
        Some(Signal::ALARM) => "SIGALRM",
        Some(Signal::TERM) => "SIGTERM",
        Some(Signal::XCPU) => "SIGXCPU",
        Some(Signal::XFSZ) => "SIGXFSZ",
        Some(Signal::SYS) => "SIGSYS",
        _ => return format!("signal {number}"),
    };
    name.to_owned()
}
