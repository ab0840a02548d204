//! What a call of a tool may do. Pure: no files, no clock, no output; the same input gives the same answer.
//!
//! - [`decide`] takes a [`Policy`], the facts of a call and of its session, and gives a [`Decision`] with its reasons.
//! - [`command::analyse`] takes a line for the shell apart, with bash's grammar.
//! - [`SensitiveFiles`] says which files may be touched without a question.
//! - [`Redactor`] takes secrets out of texts; [`RedactStream`] out of streams.
//! - [`Approvals`] is what people have said before.
//!
//! ```
//! use stud_contract::{SideEffects, ToolName};
//! use stud_policy::{CallFacts, Policy, SessionFacts, Verdict, decide};
//!
//! let policy = Policy::from_toml("security_mode = 'ask'\n[[rules]]\ncommands = ['git push *']\nverdict = 'deny'")?;
//! let session = SessionFacts::default();
//! let tool = ToolName::new("run_command")?;
//! let verdict = |line: &str| {
//!     decide(&policy, &CallFacts::new(tool.clone(), SideEffects::Execute).command(line), &session).verdict
//! };
//! assert_eq!(verdict("git status && ls | head"), Verdict::Allow);
//! assert_eq!(verdict("git status && cargo test"), Verdict::Ask);
//! assert_eq!(verdict("git status && git push origin main"), Verdict::Deny);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approvals;
pub mod command;
mod decide;
mod decision;
mod facts;
mod key;
mod modes;
mod policy;
mod redact;
mod sensitive;

pub use approvals::{Approval, Approvals, Scope};
pub use decide::decide;
pub use decision::{Decision, Reason, Severity, Verdict};
pub use facts::{CallFacts, EmbedderSays, SessionFacts};
pub use key::{KeyProblem, MAX_KEY, check_key, parent_directory_key};
pub use modes::{AgentMode, ClassMode, ClassModes, SecurityMode};
pub use policy::{Examples, Policy, PolicyError, Rule};
pub use redact::{MIN_SECRET, REDACTED, RedactStream, Redactor};
pub use sensitive::{SensitiveFiles, SensitivePattern};
