//! The file tools, each through the plugin's own object and messages.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests make pipes with mkfifo, which is not a tool's work")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod change;
mod list;
mod read;

use serde_json::json;
use stud_plugin_testkit::{TestHost, assert_conforms};
use stud_tools_files::{delete_file, edit_file, list_directory, read_file, write_file};

#[test]
fn c1_all_tools_conform() {
    assert_conforms::<read_file>();
    assert_conforms::<write_file>();
    assert_conforms::<edit_file>();
    assert_conforms::<list_directory>();
    assert_conforms::<delete_file>();
}

#[test]
fn c9_file_tools_are_keyed_by_the_parent_directory() {
    let host = TestHost::new();
    for (path, key) in [("a", "."), ("src/x/a.rs", "src/x"), ("src/../etc/a", "etc")] {
        assert_eq!(host.approval_key::<read_file>(json!({"path": path})).unwrap(), key);
        assert_eq!(host.approval_key::<write_file>(json!({"filePath": path, "content": ""})).unwrap(), key);
        assert_eq!(host.approval_key::<delete_file>(json!({"file": path})).unwrap(), key);
    }
    assert_eq!(host.approval_key::<list_directory>(json!({})).unwrap(), ".");
    assert_eq!(host.approval_key::<list_directory>(json!({"path": "./src/"})).unwrap(), "src");
}

#[test]
fn w1_no_tool_leaves_the_workspace() {
    let host = TestHost::new();
    for path in ["../x", "/etc/passwd", "a/../../x"] {
        for outcome in [
            host.call::<read_file>(json!({"path": path})),
            host.call::<write_file>(json!({"path": path, "content": "x"})),
            host.call::<edit_file>(json!({"path": path, "old_text": "a", "new_text": "b"})),
            host.call::<list_directory>(json!({"path": path})),
            host.call::<delete_file>(json!({"path": path})),
        ] {
            assert_eq!(outcome.unwrap_err().code, "path_escapes", "{path}");
        }
    }
}
