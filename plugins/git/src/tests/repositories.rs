//! Repositories to test with, made by git itself.
#![allow(clippy::unwrap_used, clippy::result_large_err, reason = "helpers of tests")]

use crate::{git_diff, git_log, git_status};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use stud_plugin_testkit::{TestHost, ToolError};

pub(super) struct Repo {
    pub(super) host: TestHost,
}

impl Repo {
    pub(super) fn empty() -> Repo {
        let repo = Repo { host: TestHost::new() };
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    pub(super) fn with_a_commit() -> Repo {
        let repo = Repo::empty();
        repo.host.write("a.txt", "one\ntwo\n");
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", "first"]);
        repo
    }

    #[track_caller]
    pub(super) fn git(&self, args: &[&str]) {
        assert!(git(self.host.workspace(), args), "git {args:?}");
    }

    pub(super) fn git_may_fail(&self, args: &[&str]) {
        git(self.host.workspace(), args);
    }

    pub(super) fn git_output(&self, args: &[&str]) -> String {
        String::from_utf8(command(self.host.workspace(), args).output().unwrap().stdout).unwrap()
    }

    pub(super) fn status(&self) -> Result<String, ToolError> {
        self.host.call::<git_status>(json!({})).map(|output| output.text)
    }

    pub(super) fn diff(&self, arguments: Value) -> Result<String, ToolError> {
        self.host.call::<git_diff>(arguments).map(|output| output.text)
    }

    pub(super) fn log(&self, arguments: Value) -> Result<String, ToolError> {
        self.host.call::<git_log>(arguments).map(|output| output.text)
    }
}

/// Whether it succeeded.
pub(super) fn git(directory: &Path, args: &[&str]) -> bool {
    command(directory, args).output().unwrap().status.success()
}

/// Git as a person would run it, but for the name and the time of commits.
fn command(directory: &Path, args: &[&str]) -> Command {
    #[allow(clippy::disallowed_methods, reason = "the tests make their repositories with plain git")]
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=Žofie Author", "-c", "user.email=a@example.org"])
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::null())
        .env("GIT_AUTHOR_DATE", "2024-01-02T03:04:05Z")
        .env("GIT_COMMITTER_DATE", "2024-01-02T03:04:05Z");
    command
}
