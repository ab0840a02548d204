//! Paths as text: what `resolve` accepts, and what errors say.

use stud_contract::ErrorClass;

use super::*;

#[track_caller]
fn check(path: &str, expected: &str) {
    let fixture = Fixture::new();
    let path = path.replace("ROOT", fixture.root.to_str().unwrap()).replace("OUTSIDE", fixture.outside_str());
    let shown = match fixture.workspace.resolve(&path) {
        Ok(relative) => relative.to_string(),
        Err(error) => error.code().to_owned(),
    };
    assert_eq!(shown, expected, "{path}");
}

#[test]
fn w1_relative_paths_resolve_against_the_root() {
    check("a", "a");
    check("a/b.txt", "a/b.txt");
    check("./a//b/./c/", "a/b/c");
    check(".", ".");
    check("././/", ".");
    check(" ", " ");
    check("...", "...");
    check("~/x", "~/x");
}

#[test]
fn w1_parent_components_stay_where_a_link_could_change_their_meaning() {
    check("a/../b", "a/../b");
    check("a/b/../..", "a/b/../..");
}

#[test]
fn w1_parent_components_that_leave_the_root_are_refused() {
    for path in [
        "..",
        "../",
        "../a",
        "./..",
        "a/../..",
        "a/../../a",
        "a/b/../../../root/a",
        "..//a",
        "missing/../../x",
    ] {
        check(path, "path_escapes");
    }
}

#[test]
fn w1_absolute_paths_are_accepted_inside_the_root_only() {
    check("ROOT", ".");
    check("ROOT/", ".");
    check("ROOT/a/b", "a/b");
    check("ROOT//./a", "a");
    #[cfg(unix)]
    check("//ROOT/a", "a");
    for path in [
        "/",
        "//",
        "/etc/passwd",
        "OUTSIDE/secret",
        "ROOT2/a",
        "ROOT/../root/a",
        "ROOT/..",
        "/proc/self/root/",
    ] {
        check(path, "path_escapes");
    }
}

#[test]
fn w1_impossible_paths_are_invalid() {
    check("", "invalid_path");
    check("a\0b", "invalid_path");
    check("../\0", "invalid_path");
    check(&"n".repeat(MAX_NAME_BYTES), &"n".repeat(MAX_NAME_BYTES));
    check(&"n".repeat(MAX_NAME_BYTES + 1), "invalid_path");
    check(&format!("a/{}/b", "ä".repeat(128)), "invalid_path");
    check(&"a/".repeat(MAX_PATH_BYTES / 2), "a/".repeat(MAX_PATH_BYTES / 2).trim_end_matches('/'));
    check(&"a/".repeat(MAX_PATH_BYTES / 2 + 1), "invalid_path");
}

#[test]
#[cfg(unix)]
fn w1_backslashes_and_unicode_are_ordinary_characters() {
    check("..\\a", "..\\a");
    check("C:\\a", "C:\\a");
    let fixture = Fixture::new();
    // The same letter, composed and decomposed: two files.
    for (name, content) in
        [("\u{e9}", "composed"), ("e\u{301}", "decomposed"), ("..\\x", "backslash"), ("\n", "line")]
    {
        fixture.workspace.write(name, content.as_bytes(), WriteOptions::default()).unwrap();
    }
    for (name, content) in
        [("\u{e9}", "composed"), ("e\u{301}", "decomposed"), ("..\\x", "backslash"), ("\n", "line")]
    {
        assert_eq!(fixture.workspace.read_text(name).unwrap(), content);
    }
    fixture.check_canary();
}

#[test]
#[cfg(unix)]
fn w1_a_root_given_through_a_link_is_known_by_both_names() {
    let fixture = Fixture::new();
    fixture.file("a", "inside");
    let link = fixture.base.path().join("link");
    std::os::unix::fs::symlink(&fixture.root, &link).unwrap();
    let workspace = Workspace::open(&link).unwrap();
    assert_eq!(workspace.root(), fixture.root);
    for prefix in [link.as_path(), fixture.root.as_path()] {
        assert_eq!(workspace.read_text(prefix.join("a").to_str().unwrap()).unwrap(), "inside");
    }
    // The other workspace was not opened by that name.
    assert_eq!(code(fixture.workspace.read_text(link.join("a").to_str().unwrap())), "path_escapes");
}

#[test]
fn w1_a_root_must_be_a_directory() {
    let fixture = Fixture::new();
    fixture.file("file", "");
    assert_eq!(code(Workspace::open(&fixture.root.join("missing"))), "path_not_found");
    assert_eq!(code(Workspace::open(&fixture.root.join("file"))), "not_a_directory");
    assert!(Workspace::open(Path::new(".")).unwrap().root().is_absolute());
}

#[test]
fn w1_the_whole_file_system_can_be_a_root() {
    let fixture = Fixture::new();
    fixture.file("a", "inside");
    let top = fixture.root.ancestors().last().unwrap();
    let path = fixture.root.join("a");
    assert_eq!(Workspace::open(top).unwrap().read_text(path.to_str().unwrap()).unwrap(), "inside");
}

#[test]
fn w1_the_boundary_error_has_the_promised_words_and_class() {
    let fixture = Fixture::new();
    let error = fixture.workspace.read_text("../outside/secret").unwrap_err();
    assert_eq!(error.to_string(), "Path escapes workspace boundary");
    assert_eq!((error.class(), error.class().as_str()), (ErrorClass::PermissionDenied, "permission_denied"));
    assert_eq!((error.code(), error.path()), ("path_escapes", "../outside/secret"));
    assert_eq!(error.remedy(), "use a path inside the workspace, relative to its root");
}

#[test]
fn w1_errors_say_what_and_where_in_one_line() {
    let fixture = Fixture::new();
    fixture.file("a", "x\ny\nx\n").file("d/x", "");
    #[track_caller]
    fn says<T: std::fmt::Debug>(result: Result<T, WorkspaceError>, expected: &str, class: &str) {
        let error = result.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.class().as_str()), (expected, class));
        assert!(!error.remedy().is_empty() && !error.remedy().ends_with('.'));
    }
    let w = &fixture.workspace;
    says(w.read_text("no\nne"), r"`no\nne` does not exist", "execution_error");
    says(w.read_text("d"), "`d` is a directory, not a file", "execution_error");
    says(w.list("a"), "`a` is not a directory or leads through a file", "execution_error");
    says(w.read_text(""), "`` is not a usable path: it is empty", "validation_error");
    says(w.delete(".", true), "`.` is the workspace root, which cannot be deleted", "validation_error");
    says(
        w.patch("a", "x", "z"),
        "the text to replace occurs 2 times in `a`, on lines 1, 3",
        "execution_error",
    );
    says(w.patch("a", "", "z"), "the text to replace in `a` is empty", "validation_error");
    says(
        w.patch("a", " y", "z"),
        "the text to replace does not occur in `a`; line 2 differs only in white space: `y`",
        "execution_error",
    );
}

#[test]
fn w3_a_command_directory_outside_is_brought_back_to_the_root() {
    let fixture = Fixture::new();
    fixture.file("d/x", "");
    #[cfg(unix)]
    fixture.link("out", &fixture.outside).link("in", "d");
    let dir = |cwd: &str| fixture.workspace.command_dir(cwd).map(|dir| (dir.path, dir.brought_back));
    assert_eq!(dir("d").unwrap(), (fixture.root.join("d"), false));
    assert_eq!(dir(".").unwrap(), (fixture.root.clone(), false));
    assert_eq!(dir(fixture.root.to_str().unwrap()).unwrap(), (fixture.root.clone(), false));
    for outside in ["..", "d/../..", "/", fixture.outside_str()] {
        assert_eq!(dir(outside).unwrap(), (fixture.root.clone(), true), "{outside}");
    }
    #[cfg(unix)]
    {
        assert_eq!(dir("in").unwrap(), (fixture.root.join("d"), false));
        assert_eq!(dir("out/dir").unwrap(), (fixture.root.clone(), true));
    }
    assert_eq!(code(dir("missing")), "path_not_found");
    assert_eq!(code(dir("d/x")), "not_a_directory");
}

#[test]
fn w3_another_root_is_another_workspace() {
    let (one, two) = (Fixture::new(), Fixture::new());
    one.file("a", "one");
    two.file("a", "two");
    assert_eq!(two.workspace.read_text("a").unwrap(), "two");
    assert_eq!(code(two.workspace.read_text(one.root.join("a").to_str().unwrap())), "path_escapes");
}
