//! Runs a program for a tool: in a process group of its own, with nothing on stdin, its output passed on while it runs
//! and kept within bounds, stopped as a whole when the call is cancelled.
//!
//! ```
//! # use stud_tools_process::{Caller, Command};
//! # struct Nobody;
//! # impl Caller for Nobody {
//! #     fn cancelled(&self) -> bool { false }
//! #     fn output(&self, _: stud_tools_process::Stream, _: &[u8]) {}
//! # }
//! # let ctx = &Nobody;
//! let outcome = Command::new("echo").arg("hello").run(ctx)?;
//! assert_eq!(outcome.text(), "hello\n");
//! assert_eq!(outcome.exit_code, Some(0));
//! # Ok::<(), stud_tools_process::StartError>(())
//! ```
//!
//! In a tool, the caller is its `Context`. What this cannot do: a descendant that moved to a session of its own (`setsid`)
//! has left the process group, and no signal to the group reaches it.

mod capture;
mod command;
mod environment;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_other.rs")]
mod group;
mod lookup;
mod outcome;
mod supervise;
#[cfg(test)]
mod tests;

pub use capture::Stream;
pub use command::{Caller, Command, StartError};
pub use lookup::find_program;
pub use outcome::{End, Outcome};
