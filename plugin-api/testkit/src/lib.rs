//! Runs a tool in its author's own tests, without the host, and checks that it conforms to the contract.
//!
//! A [`TestHost`] owns an empty workspace in a temporary directory and serves one tool at a time through the same
//! object and the same JSON messages as the real host. [`conformance`] looks at what the tool says about itself.
//!
//! ```
//! use serde_json::json;
//! use stud_plugin_api::prelude::*;
//! use stud_plugin_testkit::{TestHost, assert_conforms};
//!
//! /// Counts the lines of a file.
//! #[tool(side_effects = "read", examples({"path": "README.md"}))]
//! fn count_lines(
//!     ctx: &Context,
//!     /// The file.
//!     #[arg(alias("file"))]
//!     path: String,
//! ) -> Result<usize> {
//!     Ok(ctx.files().read(&path)?.lines().count())
//! }
//!
//! let host = TestHost::new();
//! host.write("notes.txt", "one\ntwo\n");
//! let output = host.call::<count_lines>(json!({"file": "notes.txt"})).unwrap();
//! assert_eq!(output.text, "2");
//! assert_conforms::<count_lines>();
//! ```
//!
//! What differs from the real host: paths are kept inside the workspace by comparing text, not by descriptors, so
//! links that lead outside are followed; nothing is gated, confined, cut or redacted.
//!
//! Where the test itself is at fault (a file that is not there, arguments that cannot be encoded), methods panic, as
//! assertions do.
#![allow(clippy::result_large_err, reason = "tests want the tool's error as it is, and are not hot")]

mod conformance;
mod fail;
mod files;
mod host;
mod plugin;
mod services;
mod validate;

pub use conformance::{Problem, assert_conforms, check_approval_key, conformance};
pub use host::{Canceller, TestHost};
pub use services::LogLine;
pub use stud_contract::{CallOutput, ErrorClass, ToolDescription, ToolError};
pub use validate::check_arguments;
