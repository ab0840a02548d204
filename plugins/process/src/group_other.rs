//! The same as `group_unix.rs` for Windows. Written from the documentation, not tested on a machine so far: there is no
//! gentle way to end a process without a console, so both ways end the whole tree at once.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Ends are looked for at this pace here, for nobody tells of them.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// Keeps Ctrl-C in the host's console from the child.
pub(crate) fn prepare(command: &mut Command) {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }
    let _ = command;
}

/// A child and its descendants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(u32);

impl Group {
    pub(crate) fn of(child: &Child) -> Group {
        Group(child.id())
    }

    pub(crate) const NOTIFIES: bool = false;

    pub(crate) fn wait_for_leader(self) {}

    pub(crate) fn terminate(self, leader: &mut Child) {
        self.kill(leader);
    }

    pub(crate) fn kill(self, leader: &mut Child) {
        if cfg!(windows) {
            let id = self.0.to_string();
            #[allow(
                clippy::disallowed_methods,
                reason = "Windows ends a tree of processes through this program"
            )]
            let mut command = Command::new("taskkill");
            command
                .args(["/T", "/F", "/PID", &id])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            // The child itself is ended below in any case.
            let _ = command.status();
        }
        let _ = leader.kill();
    }

    pub(crate) fn is_alive(self) -> bool {
        false
    }
}

pub(crate) fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

pub(crate) fn signal_name(number: i32) -> String {
    format!("signal {number}")
}
