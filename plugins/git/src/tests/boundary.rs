//! Repositories outside that the workspace points to: shown only when they point back.

use super::repositories::{Repo, git};
use crate::git_status;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use stud_plugin_testkit::{ErrorClass, TestHost};
use tempfile::TempDir;

/// A repository outside of every workspace, with a secret.
struct Other {
    directory: TempDir,
}

impl Other {
    fn new() -> Other {
        let other = Other { directory: tempfile::tempdir().unwrap() };
        fs::write(other.path("secret.txt"), "secret\n").unwrap();
        for args in
            [["init", "-q", "-b", "main"].as_slice(), &["add", "."], &["commit", "-qm", "secret subject"]]
        {
            other.git(args);
        }
        other
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    #[track_caller]
    fn git(&self, args: &[&str]) {
        assert!(git(self.directory.path(), args), "git {args:?}");
    }

    fn text(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }
}

fn without_a_repository() -> Repo {
    Repo { host: TestHost::new() }
}

/// A workspace that is the given directory, by way of a link.
fn at(directory: &Path) -> Repo {
    let repo = without_a_repository();
    fs::remove_dir(repo.host.workspace()).unwrap();
    symlink(directory, repo.host.workspace()).unwrap();
    repo
}

/// Has the one as a submodule of the other; where it is.
fn add_submodule(repository: &Other, module: &Other) -> PathBuf {
    let from = module.text("");
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "module"]);
    repository.path("module")
}

/// That plain git shows the other repository and the tools do not, and why.
#[track_caller]
fn check_refused(repo: &Repo, reason: &str) {
    let plain = repo.git_output(&["log", "--stat", "main"]);
    assert!(plain.contains("secret"), "plain git does not show it, so this proves nothing: {plain}");
    for error in [
        repo.status().unwrap_err(),
        repo.diff(json!({})).unwrap_err(),
        repo.diff(json!({"from": "main"})).unwrap_err(),
        repo.log(json!({"rev": "main"})).unwrap_err(),
    ] {
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::PermissionDenied, "path_escapes"));
        assert!(error.message.contains(reason), "{}", error.message);
        assert!(error.message.contains("as the workspace"), "{}", error.message);
    }
}

#[track_caller]
fn check_shown(repo: &Repo) {
    assert!(repo.status().unwrap().ends_with("nothing to commit, working tree clean"));
    assert_eq!(repo.diff(json!({})).unwrap(), "[no differences]");
    assert!(repo.log(json!({})).unwrap().contains("secret subject"));
}

#[test]
fn w1_a_git_file_that_leads_to_a_foreign_repository_is_refused() {
    let (other, repo) = (Other::new(), without_a_repository());
    repo.host.write(".git", format!("gitdir: {}\n", other.text(".git")));
    check_refused(&repo, "does not know the working tree");
}

#[test]
fn w1_a_git_link_that_leads_to_a_foreign_repository_is_refused() {
    let (other, repo) = (Other::new(), without_a_repository());
    symlink(other.path(".git"), repo.host.path(".git")).unwrap();
    check_refused(&repo, "does not know the working tree");
}

#[test]
fn w1_the_worktree_and_the_submodule_of_somebody_else_are_refused() {
    let (other, elsewhere) = (Other::new(), tempfile::tempdir().unwrap());
    let worktree = elsewhere.path().join("worktree");
    other.git(&["worktree", "add", "-q", "--detach", worktree.to_str().unwrap()]);
    let repo = without_a_repository();
    repo.host.write(".git", format!("gitdir: {}\n", other.text(".git/worktrees/worktree")));
    check_refused(&repo, "does not know the working tree");
    // A link to the file that the repository knows.
    fs::remove_file(repo.host.path(".git")).unwrap();
    symlink(worktree.join(".git"), repo.host.path(".git")).unwrap();
    check_refused(&repo, "does not know the working tree");

    let (module, repo) = (Other::new(), without_a_repository());
    let _ = add_submodule(&other, &module);
    repo.host.write(".git", format!("gitdir: {}\n", other.text(".git/modules/module")));
    check_refused(&repo, "outside of the workspace: look at core.worktree");
}

#[test]
fn a_genuine_worktree_is_shown() {
    let (other, repo) = (Other::new(), without_a_repository());
    let workspace = repo.host.workspace().to_str().unwrap();
    other.git(&["worktree", "add", "-q", "--detach", workspace]);
    check_shown(&repo);
    // As newer versions of git write it on demand: relative to the git directory.
    let back = fs::read_dir(other.path(".git/worktrees")).unwrap().next().unwrap().unwrap();
    let back = back.path().join("gitdir");
    let real = repo.host.path(".git").canonicalize().unwrap();
    let depth = back.parent().unwrap().canonicalize().unwrap().components().count() - 1;
    fs::write(&back, format!("{}{}\n", "../".repeat(depth), real.strip_prefix("/").unwrap().display()))
        .unwrap();
    check_shown(&repo);
    fs::write(&back, format!("{}\n", other.text("moved/.git"))).unwrap();
    check_refused(&repo, "git worktree repair");
}

#[test]
fn a_genuine_submodule_is_shown() {
    let (other, module) = (Other::new(), Other::new());
    let workspace = add_submodule(&other, &module);
    assert!(workspace.join(".git").is_file());
    let repo = at(&workspace);
    check_shown(&repo);
    // Where git moves the setting to with a sparse checkout.
    other.git(&["-C", "module", "sparse-checkout", "set", "--no-cone", "/*"]);
    check_shown(&repo);
    let worktree = module.text("worktree");
    other.git(&["-C", "module", "worktree", "add", "-q", "--detach", &worktree]);
    check_shown(&at(Path::new(&worktree)));
    other.git(&["-C", "module", "config", "--worktree", "--unset", "core.worktree"]);
    check_refused(&repo, "does not know the working tree");
}

#[test]
fn w1_a_repository_above_shows_only_the_part_that_is_the_workspace() {
    let (other, elsewhere) = (Other::new(), tempfile::tempdir().unwrap());
    fs::create_dir(other.path("part")).unwrap();
    fs::write(other.path("part/seen.txt"), "seen\n").unwrap();
    other.git(&["add", "."]);
    other.git(&["commit", "-qm", "the part"]);
    let worktree = elsewhere.path().join("worktree");
    other.git(&["worktree", "add", "-q", "--detach", worktree.to_str().unwrap()]);
    let repo = at(&other.path("part"));
    for repo in [&repo, &at(&worktree.join("part"))] {
        let log = repo.log(json!({"stat": true})).unwrap();
        assert!(log.contains("the part") && !log.contains("secret"), "{log}");
        assert!(repo.status().unwrap().ends_with("nothing to commit, working tree clean"));
    }
    // With this the workspace would pass for all of the working tree.
    repo.host.write(".git", "gitdir: ../.git\n");
    check_refused(&repo, "does not know the working tree");
}

#[test]
fn w1_the_working_tree_of_a_detached_repository_above_is_no_way_in() {
    // As people keep the files of their home: the git directory elsewhere, the working tree around everything.
    let (other, home) = (Other::new(), tempfile::tempdir().unwrap());
    other.git(&["config", "core.worktree", home.path().to_str().unwrap()]);
    fs::create_dir(home.path().join("project")).unwrap();
    let repo = at(&home.path().join("project"));
    repo.host.write(".git", format!("gitdir: {}\n", other.text(".git")));
    check_refused(&repo, "does not know the working tree");
    assert!(git(home.path(), &["init", "-q"]));
    check_refused(&repo, "does not know the working tree");
}

#[test]
fn w1_a_common_directory_outside_is_refused() {
    let (other, repo) = (Other::new(), Repo::empty());
    repo.host.write(".git/commondir", other.text(".git"));
    check_refused(&repo, "`commondir`");
    // Inside it is nothing unusual.
    let repo = Repo::with_a_commit();
    repo.git(&["worktree", "add", "-q", "--detach", "inner"]);
    let inner = at(&repo.host.path("inner"));
    assert!(inner.log(json!({})).unwrap().contains("first"));
    repo.host
        .write(".git-of-inner/HEAD", "ref: refs/heads/main\n")
        .write(".git-of-inner/commondir", "../.git");
    fs::rename(repo.host.path(".git"), repo.host.path("real.git")).unwrap();
    repo.host.write(".git-of-inner/commondir", "../real.git").write(".git", "gitdir: .git-of-inner\n");
    assert!(repo.log(json!({})).unwrap().contains("first"));
}

#[test]
fn w1_objects_borrowed_from_outside_are_refused() {
    let other = Other::new();
    // The branch is the workspace's own, what it leads to is not.
    let repo = || {
        let repo = Repo::empty();
        let id = fs::read_to_string(other.path(".git/refs/heads/main")).unwrap();
        repo.host.write(".git/refs/heads/main", id);
        repo
    };
    let direct = repo();
    direct.host.write(".git/objects/info/alternates", other.text(".git/objects"));
    check_refused(&direct, "--shared");
    direct.git(&["repack", "-adq"]);
    fs::remove_file(direct.host.path(".git/objects/info/alternates")).unwrap();
    assert!(
        direct.log(json!({})).unwrap().contains("secret subject"),
        "what the message advises does not help"
    );

    let by_another = repo();
    by_another.host.write(".git/objects/info/alternates", "../../store\n");
    by_another.host.write("store/info/alternates", other.text(".git/objects"));
    fs::create_dir(by_another.host.path("store/pack")).unwrap();
    check_refused(&by_another, "--shared");
}

#[test]
fn objects_borrowed_from_inside_are_used() {
    let repo = Repo::with_a_commit();
    fs::rename(repo.host.path(".git/objects"), repo.host.path("store")).unwrap();
    repo.host.write(".git/objects/info/alternates", "../../store\n");
    assert!(repo.log(json!({})).unwrap().contains("first"));
    let other = Other::new();
    repo.host.write(".git/refs/heads/main", fs::read(other.path(".git/refs/heads/main")).unwrap());
    for directory in fs::read_dir(other.path(".git/objects")).unwrap().map(Result::unwrap) {
        let link = repo.host.path("store").join(directory.file_name());
        if !link.exists() {
            symlink(directory.path(), link).unwrap();
        }
    }
    check_refused(&repo, "is a link to");
}

#[test]
fn w1_links_in_the_git_directory_do_not_lead_out() {
    for linked in ["objects", "refs", "index", "objects/pack", "by another link"] {
        let (other, repo) = (Other::new(), without_a_repository());
        other.git(&["repack", "-adq"]);
        fs::rename(other.path(".git"), repo.host.path(".git")).unwrap();
        let outside = other.path("outside");
        if linked == "by another link" {
            fs::rename(repo.host.path(".git/objects"), repo.host.path("objects")).unwrap();
            symlink("../objects", repo.host.path(".git/objects")).unwrap();
            fs::rename(repo.host.path("objects/pack"), &outside).unwrap();
            symlink(&outside, repo.host.path("objects/pack")).unwrap();
        } else {
            let inside = repo.host.path(".git").join(linked);
            fs::rename(&inside, &outside).unwrap();
            symlink(&outside, inside).unwrap();
        }
        check_refused(&repo, "is a link to");
    }
}

#[test]
fn links_that_lead_nowhere_else_are_nothing_wrong() {
    let repo = Repo::with_a_commit();
    let hooks = tempfile::tempdir().unwrap();
    fs::remove_dir_all(repo.host.path(".git/hooks")).unwrap();
    symlink(hooks.path(), repo.host.path(".git/hooks")).unwrap();
    // As git once wrote HEAD, and a loop.
    fs::remove_file(repo.host.path(".git/HEAD")).unwrap();
    symlink("refs/heads/main", repo.host.path(".git/HEAD")).unwrap();
    symlink("..", repo.host.path(".git/refs/loop")).unwrap();
    symlink("nothing", repo.host.path(".git/refs/dangling")).unwrap();
    assert!(repo.log(json!({"rev": "main"})).unwrap().contains("first"));
}

/// Set for the copy of this test that runs with the environment of somebody in another repository.
const INNER: &str = "STUD_GIT_TEST_INNER";

#[test]
fn w1_the_hosts_own_git_variables_lead_nowhere() {
    if std::env::var_os(INNER).is_some() {
        let error = without_a_repository().host.call::<git_status>(json!({})).unwrap_err();
        assert_eq!(error.code, "not_a_repository", "{}", error.message);
        return;
    }
    let other = Other::new();
    #[allow(clippy::disallowed_methods, reason = "this test itself, with another environment")]
    let mut copy = std::process::Command::new(std::env::current_exe().unwrap());
    let name = "tests::boundary::w1_the_hosts_own_git_variables_lead_nowhere";
    let copy = copy
        .args(["--exact", name])
        .env(INNER, "1")
        .env("GIT_DIR", other.path(".git"))
        .env("GIT_COMMON_DIR", other.path(".git"))
        .env("GIT_WORK_TREE", other.directory.path())
        .env("GIT_OBJECT_DIRECTORY", other.path(".git/objects"))
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", other.path(".git/objects"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&copy.stdout);
    assert!(copy.status.success() && said.contains("1 passed"), "{said}");
}
