use serde_json::json;
use stud_plugin_testkit::{ErrorClass, TestHost};
use stud_tools_files::{delete_file, edit_file, write_file};

#[test]
fn b_write_says_what_it_did() {
    let host = TestHost::new();
    let output = host.call::<write_file>(json!({"file": "a/b/c.txt", "content": "ä\nb"})).unwrap();
    assert_eq!(output.text, "created `a/b/c.txt`: 2 lines, 4 B");
    assert_eq!(output.metadata["files_modified"], json!(["a/b/c.txt"]));
    let output = host.call::<write_file>(json!({"path": "a/b/c.txt", "content": "x\n"})).unwrap();
    assert_eq!(output.text, "overwrote `a/b/c.txt`: 1 line, 2 B (before: 4 B)");
    assert_eq!(host.read("a/b/c.txt"), "x\n");
    let output = host.call::<write_file>(json!({"path": "empty", "content": ""})).unwrap();
    assert_eq!(output.text, "created `empty`: 0 lines, 0 B");
    for (path, code) in [("a", "not_a_file"), ("empty/x", "not_a_directory"), ("", "invalid_path")] {
        let error = host.call::<write_file>(json!({"path": path, "content": "x"})).unwrap_err();
        assert_eq!(error.code, code, "{path}: {error}");
    }
}

#[test]
fn d6_nothing_is_written_once_cancelled() {
    let host = TestHost::new();
    host.write("f", "old").cancel();
    let class = |outcome: Result<_, stud_plugin_testkit::ToolError>| outcome.unwrap_err().class;
    assert_eq!(class(host.call::<write_file>(json!({"path": "f", "content": "new"}))), ErrorClass::Cancelled);
    let edit = json!({"path": "f", "old_text": "old", "new_text": "new"});
    assert_eq!(class(host.call::<edit_file>(edit)), ErrorClass::Cancelled);
    assert_eq!(class(host.call::<delete_file>(json!({"path": "f"}))), ErrorClass::Cancelled);
    assert_eq!(host.read("f"), "old");
}

#[test]
fn b_edit_returns_a_diff() {
    let host = TestHost::new();
    let text: String = (1..=9).map(|n| format!("l{n}\n")).collect();
    host.write("f", &text);
    let args = json!({"path": "f", "old_text": "l5\n", "new_text": "five\n5\n"});
    let output = host.call::<edit_file>(args).unwrap();
    assert_eq!(
        output.text,
        "--- a/f\n+++ b/f\n@@ -2,7 +2,8 @@\n l2\n l3\n l4\n-l5\n+five\n+5\n l6\n l7\n l8\n"
    );
    assert_eq!(host.read("f"), text.replace("l5\n", "five\n5\n"));
}

#[test]
fn b_edit_keeps_line_breaks_and_the_lack_of_one() {
    let host = TestHost::new();
    host.write("crlf", "a\r\nb\r\nc");
    let args = json!({"path": "crlf", "old_text": "a\nb\n", "new_text": "A\nB\n"});
    host.call::<edit_file>(args).unwrap();
    assert_eq!(host.read("crlf"), "A\r\nB\r\nc");
    let args = json!({"path": "crlf", "old_text": "c", "new_text": "ç"});
    let output = host.call::<edit_file>(args).unwrap();
    assert!(output.text.contains("\\ No newline at end of file"), "{}", output.text);
    assert_eq!(host.read("crlf"), "A\r\nB\r\nç");
}

#[test]
fn b_edit_refuses_what_is_not_there_once() {
    let host = TestHost::new();
    host.write("f", "a\nb\na\n").write("binary", b"\xFF\xFF\0");
    for (path, old, new, code, words) in [
        ("f", "a", "x", "not_unique", "on lines 1, 3"),
        ("f", "zz", "x", "no_match", "does not occur"),
        ("f", "", "x", "empty_search", "empty"),
        ("f", "b", "b", "same_text", "the same"),
        ("none", "a", "b", "path_not_found", "`none`"),
        ("binary", "a", "b", "not_text", "`binary`"),
        (".", "a", "b", "not_a_file", "directory"),
    ] {
        let args = json!({"path": path, "old_text": old, "new_text": new});
        let error = host.call::<edit_file>(args).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    assert_eq!(host.read("f"), "a\nb\na\n");
}

#[test]
fn b_delete_removes_files_links_and_empty_directories() {
    let host = TestHost::new();
    host.write("d/f", "1234").write("keep/x", "");
    std::os::unix::fs::symlink("nowhere", host.path("link")).unwrap();
    for (path, text) in
        [("d/f", "deleted `d/f` (4 B)"), ("d", "deleted the directory `d`"), ("link", "deleted `link`")]
    {
        assert_eq!(host.call::<delete_file>(json!({"path": path})).unwrap().text, text);
        assert!(host.path(path).symlink_metadata().is_err());
    }
    for (path, code) in
        [("keep", "directory_not_empty"), ("none", "path_not_found"), (".", "is_workspace_root")]
    {
        assert_eq!(host.call::<delete_file>(json!({"path": path})).unwrap_err().code, code);
    }
}
