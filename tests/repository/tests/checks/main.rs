//! Checks of the repository itself: what a compiler does not see and a reviewer forgets.
//!
//! Each check is a function from plain input to a list of problems, run once on the repository and once on made-up
//! input that it has to object to.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod architecture;
mod code;
mod files;
mod licences;
mod packages;
mod places;
mod rules;

/// Fails with all problems at once.
#[track_caller]
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{} found:\n  {}", problems.len(), problems.join("\n  "));
}

/// Fails unless there is exactly one problem, which says this.
#[track_caller]
fn assert_one(problems: &[String], says: &str) {
    assert!(
        matches!(problems, [only] if only.contains(says)),
        "expected one that says {says:?}: {problems:#?}"
    );
}
