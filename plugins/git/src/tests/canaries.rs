//! A repository can name programs in many places. Each trap here names one that leaves a mark when it runs; the tools
//! must not make it run, and plain git must, or the trap would prove nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use super::repositories::{Repo, git};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

struct Trap {
    name: &'static str,
    set: fn(&Repo, &str),
    /// What makes plain git run the program; nothing where this git never does so without a terminal, or is too old to.
    bites: &'static [&'static str],
}

const TRAPS: &[Trap] = &[
    Trap {
        name: "core.fsmonitor",
        set: |repo, program| config(repo, "core.fsmonitor", program),
        bites: &["status"],
    },
    Trap {
        name: "filter.clean",
        set: |repo, program| filter(repo, "evil", "clean", program),
        bites: &["diff"],
    },
    Trap {
        name: "filter.process",
        set: |repo, program| filter(repo, "evil", "process", program),
        bites: &["diff"],
    },
    Trap {
        name: "filter.NAME=.clean",
        set: |repo, program| filter(repo, "a=b.c", "clean", program),
        bites: &["status"],
    },
    Trap { name: "textconv", set: |repo, program| driver(repo, "textconv", program), bites: &["diff"] },
    Trap { name: "diff driver", set: |repo, program| driver(repo, "command", program), bites: &["diff"] },
    Trap {
        name: "diff.external",
        set: |repo, program| config(repo, "diff.external", program),
        bites: &["diff"],
    },
    Trap {
        name: "hook",
        set: |repo, program| {
            fs::create_dir_all(repo.host.path(".git/hooks")).unwrap();
            fs::copy(program, repo.host.path(".git/hooks/post-index-change")).unwrap();
        },
        bites: &["diff"],
    },
    Trap {
        name: "core.hooksPath",
        set: |repo, program| {
            fs::create_dir_all(repo.host.path("hooks")).unwrap();
            fs::copy(program, repo.host.path("hooks/post-index-change")).unwrap();
            config(repo, "core.hooksPath", repo.host.path("hooks").to_str().unwrap());
        },
        bites: &["status"],
    },
    Trap {
        name: "hook.NAME.command",
        set: |repo, program| {
            config(repo, "hook.evil.event", "post-index-change");
            config(repo, "hook.evil.command", program);
        },
        bites: &[],
    },
    Trap { name: "gpg.program", set: signed_commit, bites: &["log"] },
    Trap { name: "promisor remote", set: missing_object, bites: &["log", "-p"] },
    Trap { name: "submodule", set: submodule, bites: &["status"] },
    Trap {
        name: "pager",
        set: |repo, program| {
            for key in ["core.pager", "pager.status", "pager.diff", "pager.log"] {
                config(repo, key, program);
            }
        },
        bites: &[],
    },
    Trap {
        name: "alias",
        set: |repo, program| {
            for command in ["status", "diff", "log", "config", "rev-parse"] {
                config(repo, &format!("alias.{command}"), &format!("!{program}"));
            }
            config(repo, "alias.other", &format!("!{program}"));
        },
        bites: &["other"],
    },
];

#[test]
fn c6_no_program_that_a_repository_names_is_run() {
    for trap in TRAPS {
        let repo = Repo::with_a_commit();
        repo.host.write("a.txt", "one\nzwei\n").write("same.txt", "same\n");
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", "second"]);
        let marks = tempfile::tempdir().unwrap();
        let mark = marks.path().join("mark");
        let program = marks.path().join("program");
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\nexec cat \"$@\"\n", mark.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        (trap.set)(&repo, program.to_str().unwrap());
        // Changed content of the same size, and with a fresh time so that git has to look.
        repo.host.write("a.txt", "one\ntrei\n");
        // The same content with another time makes git want to write its index.
        let same = fs::File::options().write(true).open(repo.host.path("same.txt")).unwrap();
        same.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();

        // Some traps make a command fail, which is as good.
        let _ = repo.status();
        for arguments in [
            json!({}),
            json!({"staged": true}),
            json!({"from": "HEAD~1"}),
            json!({"from": "HEAD~1", "to": "HEAD"}),
            json!({"stat": true, "path": "a.txt"}),
        ] {
            let _ = repo.diff(arguments);
        }
        for arguments in [json!({}), json!({"stat": true}), json!({"path": "a.txt", "stat": true})] {
            let _ = repo.log(arguments);
        }
        assert!(!mark.exists(), "{}: the program was run", trap.name);

        if !trap.bites.is_empty() {
            git(repo.host.workspace(), trap.bites);
            assert!(mark.exists(), "{}: plain git does not run it, so this proves nothing", trap.name);
        }
    }
}

fn config(repo: &Repo, key: &str, value: &str) {
    repo.git(&["config", key, value]);
}

fn filter(repo: &Repo, name: &str, kind: &str, program: &str) {
    repo.host.write(".gitattributes", format!("*.txt filter={name}\n"));
    config(repo, &format!("filter.{name}.{kind}"), program);
    config(repo, &format!("filter.{name}.required"), "true");
}

fn driver(repo: &Repo, kind: &str, program: &str) {
    repo.host.write(".gitattributes", "*.txt diff=evil\n");
    config(repo, &format!("diff.evil.{kind}"), program);
}

/// A commit with a signature that `log.showSignature` wants to have checked.
fn signed_commit(repo: &Repo, program: &str) {
    let commit = repo.git_output(&["cat-file", "commit", "HEAD"]);
    let (head, message) = commit.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----";
    repo.host.write("commit", format!("{head}\n{signature}\n\n{message}"));
    let id = repo.git_output(&["hash-object", "-t", "commit", "-w", "commit"]);
    repo.git(&["update-ref", "HEAD", id.trim()]);
    config(repo, "gpg.program", program);
    config(repo, "log.showSignature", "true");
}

/// A blob that is not there, and a remote that promises to send it, by way of a program.
fn missing_object(repo: &Repo, program: &str) {
    let id = repo.git_output(&["rev-parse", "HEAD~1:a.txt"]);
    let (directory, file) = id.trim().split_at(2);
    fs::remove_file(repo.host.path(&format!(".git/objects/{directory}/{file}"))).unwrap();
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("remote.evil.url", &format!("ext::{program} x")),
        ("protocol.ext.allow", "always"),
    ] {
        config(repo, key, value);
    }
}

/// A repository within the repository whose own configuration names the program.
fn submodule(repo: &Repo, program: &str) {
    let inner = repo.host.path("sub");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("b.txt"), "b\n").unwrap();
    for args in [["init", "-q"].as_slice(), &["add", "."], &["commit", "-qm", "inner"]] {
        assert!(git(&inner, args));
    }
    repo.git(&["add", "sub"]);
    repo.git(&["commit", "-qm", "a submodule"]);
    assert!(git(&inner, &["config", "core.fsmonitor", program]));
    config(repo, "diff.submodule", "diff");
    config(repo, "status.submoduleSummary", "true");
}
