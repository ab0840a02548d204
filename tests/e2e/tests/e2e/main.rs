//! The rules of the specification through the real binary. A test bears the id of the rule that it proves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(clippy::disallowed_methods, reason = "tests prepare files, which is not a tool's work")]

mod probe;
