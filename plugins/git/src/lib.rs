//! The bundled tools that look at a git repository: status, diff and log.
//!
//! They run the `git` program, since nothing else reads every repository, and they only read. A repository's own
//! configuration can name programs that git would run on the way; none of them runs: see `guard`. Nor is a repository
//! shown that the workspace merely points to: see `boundary`.

mod arguments;
mod boundary;
mod diff;
mod guard;
mod log;
mod repository;
mod status;
#[cfg(test)]
mod tests;

pub use diff::git_diff;
pub use log::git_log;
pub use status::git_status;

stud_plugin_api::export_plugin!(git_status, git_diff, git_log);
