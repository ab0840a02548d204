#![cfg(unix)]

mod boundary;
mod canaries;
mod repositories;

use crate::{git_diff, git_log, git_status};
use repositories::Repo;
use serde_json::json;
use stud_plugin_testkit::{ErrorClass, TestHost, assert_conforms};

#[test]
fn they_conform_to_the_contract() {
    assert_conforms::<git_status>();
    assert_conforms::<git_diff>();
    assert_conforms::<git_log>();
}

#[test]
fn status_shows_branch_and_files() {
    let repo = Repo::with_a_commit();
    assert_eq!(repo.status().unwrap(), "## main\nnothing to commit, working tree clean");
    repo.host.write("a.txt", "one\nthree\n").write("nový soubor 漢.txt", "x").write("b.txt", "staged");
    repo.git(&["add", "b.txt"]);
    assert_eq!(repo.status().unwrap(), "## main\n M a.txt\nA  b.txt\n?? \"nový soubor 漢.txt\"");
}

#[test]
fn status_says_what_is_unfinished() {
    let repo = Repo::with_a_commit();
    repo.git(&["checkout", "-qb", "other"]);
    repo.host.write("a.txt", "theirs\n");
    repo.git(&["commit", "-qam", "theirs"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.host.write("a.txt", "ours\n");
    repo.git(&["commit", "-qam", "ours"]);
    repo.git_may_fail(&["merge", "-q", "other"]);
    assert_eq!(repo.status().unwrap(), "## main\nUU a.txt\n[a merge is in progress]");
}

#[test]
fn diff_shows_unstaged_staged_and_revisions() {
    let repo = Repo::with_a_commit();
    assert_eq!(repo.diff(json!({})).unwrap(), "[no differences]");
    repo.host.write("a.txt", "one\nzwei\n").write("dir/c.txt", "c\n");
    let diff = repo.diff(json!({})).unwrap();
    assert!(diff.starts_with("diff --git a/a.txt b/a.txt\n"), "{diff}");
    assert!(diff.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+zwei"), "{diff}");
    assert_eq!(repo.diff(json!({"staged": true})).unwrap(), "[no differences]");
    repo.git(&["add", "."]);
    assert_eq!(repo.diff(json!({})).unwrap(), "[no differences]");
    let staged = repo.diff(json!({"staged": true, "stat": true})).unwrap();
    assert!(staged.contains(" a.txt     | 2 +-\n dir/c.txt | 1 +\n"), "{staged}");
    let one = repo.diff(json!({"staged": true, "file": "./dir/../a.txt"})).unwrap();
    assert!(one.contains("+zwei") && !one.contains("c.txt"), "{one}");
    repo.git(&["commit", "-qm", "second"]);
    for arguments in
        [json!({"from": "HEAD~1", "to": "HEAD"}), json!({"from": "HEAD~1..HEAD"}), json!({"from": "HEAD~1"})]
    {
        let diff = repo.diff(arguments.clone()).unwrap();
        assert!(diff.contains("-two\n+zwei") && diff.contains("+++ b/dir/c.txt"), "{arguments}: {diff}");
    }
}

#[test]
fn log_lists_commits() {
    let repo = Repo::with_a_commit();
    repo.host.write("b.txt", "b\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "přidat b 漢"]);
    let log = repo.log(json!({})).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    let fields: Vec<&str> = lines[0].split("  ").collect();
    assert_eq!(fields[0].len(), 7);
    assert_eq!(fields[1], "2024-01-02 03:04");
    assert_eq!(fields[2..], ["Žofie Author", "přidat b 漢 (HEAD -> main)"]);
    assert_eq!(repo.log(json!({"limit": 1})).unwrap().lines().count(), 1);
    assert!(repo.log(json!({"path": "a.txt"})).unwrap().contains("first"));
    assert!(repo.log(json!({"rev": "HEAD~1..HEAD", "stat": true})).unwrap().contains(" b.txt | 1 +\n"));
    assert_eq!(repo.log(json!({"since": "2025-01-01"})).unwrap(), "[no commits]");
    assert_eq!(repo.log(json!({"path": "nothing.txt"})).unwrap(), "[no commits]");
}

#[test]
fn a_repository_without_commits_is_nothing_wrong() {
    let repo = Repo::empty();
    assert_eq!(repo.log(json!({})).unwrap(), "[no commits yet]");
    assert_eq!(repo.status().unwrap(), "## No commits yet on main\nnothing to commit, working tree clean");
    assert_eq!(repo.diff(json!({})).unwrap(), "[no differences]");
}

#[test]
fn errors_say_what_is_wrong() {
    let host = TestHost::new();
    let error = host.call::<git_status>(json!({})).unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::ExecutionError, "not_a_repository"));
    let repo = Repo::with_a_commit();
    for arguments in
        [json!({"from": "nope"}), json!({"from": "HEAD", "to": "nope"}), json!({"from": "nope..HEAD"})]
    {
        let error = repo.diff(arguments).unwrap_err();
        assert_eq!(error.code, "unknown_revision");
        assert!(error.message.starts_with("there is no revision `nope"), "{}", error.message);
    }
    assert_eq!(repo.log(json!({"rev": "nope"})).unwrap_err().code, "unknown_revision");
    // A file's name is no revision.
    assert_eq!(repo.log(json!({"rev": "a.txt"})).unwrap_err().code, "unknown_revision");
    repo.git(&["config", "core.bare", "true"]);
    assert_eq!(repo.status().unwrap_err().code, "no_working_tree");
}

#[test]
fn arguments_are_never_options() {
    let repo = Repo::with_a_commit();
    let output = format!("--output={}", repo.host.path("written").display());
    for arguments in [
        json!({"from": output}),
        json!({"from": "HEAD", "to": "--no-index"}),
        json!({"to": "HEAD"}),
        json!({"from": "HEAD", "to": "HEAD", "staged": true}),
        json!({"from": "HEAD..HEAD", "to": "HEAD"}),
        json!({"from": "HEAD:a.txt"}),
        json!({"path": ""}),
    ] {
        let error = repo.diff(arguments.clone()).unwrap_err();
        assert_eq!(error.class, ErrorClass::ValidationError, "{arguments}: {}", error.message);
    }
    for arguments in
        [json!({"rev": output}), json!({"limit": 0}), json!({"limit": 1001}), json!({"rev": "a\nb"})]
    {
        let error = repo.log(arguments.clone()).unwrap_err();
        assert_eq!(error.class, ErrorClass::ValidationError, "{arguments}: {}", error.message);
    }
    // Behind `--` and `--since=` they are what they are meant to be.
    assert_eq!(repo.diff(json!({"path": output})).unwrap(), "[no differences]");
    repo.log(json!({"since": output})).unwrap();
    assert!(!repo.host.path("written").exists());
    repo.host.write("-p", "x\n");
    repo.git(&["add", "."]);
    assert!(repo.diff(json!({"staged": true, "path": "-p"})).unwrap().contains("+++ b/-p"));
}

#[test]
fn w1_nothing_outside_of_the_workspace_is_shown() {
    let repo = Repo::with_a_commit();
    for path in ["..", "../x", "/etc/passwd"] {
        for error in
            [repo.diff(json!({"path": path})).unwrap_err(), repo.log(json!({"path": path})).unwrap_err()]
        {
            assert_eq!((error.class, error.code.as_str()), (ErrorClass::PermissionDenied, "path_escapes"));
        }
    }
    // A link that leads out is a link.
    std::os::unix::fs::symlink("/etc", repo.host.path("link")).unwrap();
    assert_eq!(repo.diff(json!({"path": "link/passwd"})).unwrap(), "[no differences]");
    // A working tree elsewhere is not the workspace's.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("a.txt"), "secret").unwrap();
    repo.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    for error in
        [repo.status().unwrap_err(), repo.diff(json!({})).unwrap_err(), repo.log(json!({})).unwrap_err()]
    {
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::PermissionDenied, "path_escapes"));
    }
}

#[test]
fn w1_in_a_part_of_a_repository_only_that_part_is_shown() {
    // The working tree is the directory above the workspace.
    let repo = Repo::empty();
    let above = repo.host.workspace().parent().unwrap();
    repo.git(&["config", "core.worktree", above.to_str().unwrap()]);
    let outside = tempfile::tempdir_in(above).unwrap();
    let outside = outside.path().join("outside.txt");
    std::fs::write(&outside, "secret\n").unwrap();
    let both = ["add", "inside.txt", outside.to_str().unwrap()];
    repo.host.write("inside.txt", "seen\n");
    repo.git(&both);
    repo.git(&["commit", "-qm", "both"]);
    std::fs::write(&outside, "changed secret\n").unwrap();
    repo.git(&both);
    repo.git(&["commit", "-qm", "only outside"]);
    std::fs::write(&outside, "more secrets\n").unwrap();
    repo.host.write("inside.txt", "changed\n");
    let host = &repo.host;
    let status = host.call::<git_status>(json!({})).unwrap().text;
    assert_eq!(status, "## main\n M inside.txt");
    for arguments in [json!({}), json!({"from": "HEAD"}), json!({"path": ":(top)"}), json!({"path": ":/"})] {
        let diff = host.call::<git_diff>(arguments.clone()).unwrap().text;
        assert!(!diff.contains("secret"), "{arguments}: {diff}");
    }
    let log = host.call::<git_log>(json!({"stat": true})).unwrap().text;
    assert!(log.contains("both") && !log.contains("outside"), "{log}");
}

#[test]
fn d7_a_huge_diff_is_bounded() {
    let repo = Repo::with_a_commit();
    let long: String = (0..1_000_000).map(|number| format!("line {number}\n")).collect();
    repo.host.write("a.txt", long);
    let output = repo.host.call::<git_diff>(json!({})).unwrap();
    assert!(output.text.len() < 1 << 20);
    assert!(output.text.contains("bytes of stdout not kept") && output.text.ends_with("+line 999999"));
    assert!(output.metadata["dropped_bytes"].as_u64().unwrap() > 10_000_000);
}

#[test]
fn d6_a_cancelled_call_starts_nothing() {
    let repo = Repo::with_a_commit();
    repo.host.cancel();
    assert_eq!(repo.status().unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn c6_reading_changes_nothing() {
    let repo = Repo::with_a_commit();
    let facts = || std::fs::metadata(repo.host.path(".git/index")).unwrap().modified().unwrap();
    // The same content with another time: what makes git want to refresh its index.
    let file = std::fs::File::options().write(true).open(repo.host.path("a.txt")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let before = facts();
    assert!(repo.status().unwrap().contains("clean"));
    assert_eq!(repo.diff(json!({})).unwrap(), "[no differences]");
    assert_eq!(repo.diff(json!({"from": "HEAD", "stat": true})).unwrap(), "[no differences]");
    assert_eq!(facts(), before);
    repo.git(&["diff"]);
    assert_ne!(facts(), before, "a plain diff would have written: the test can fail");
}
