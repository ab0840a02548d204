//! The search tools, each through the plugin's own object and messages.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests make pipes with mkfifo, which is not a tool's work")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod content;
mod names;
mod references;

use serde_json::json;
use stud_plugin_testkit::{ErrorClass, TestHost, assert_conforms};
use stud_tools_search::{find_references, grep, search_files};

#[test]
fn c1_all_tools_conform() {
    assert_conforms::<grep>();
    assert_conforms::<search_files>();
    assert_conforms::<find_references>();
}

#[test]
fn c9_search_tools_are_keyed_by_the_directory() {
    let host = TestHost::new();
    for (path, key) in [(".", "."), ("src/", "src"), ("./a/../b", "b")] {
        assert_eq!(host.approval_key::<grep>(json!({"pattern": "x", "path": path})).unwrap(), key);
        assert_eq!(host.approval_key::<search_files>(json!({"pattern": "x", "path": path})).unwrap(), key);
        assert_eq!(
            host.approval_key::<find_references>(json!({"identifier": "x", "path": path})).unwrap(),
            key
        );
    }
    assert_eq!(host.approval_key::<grep>(json!({"pattern": "x"})).unwrap(), ".");
}

#[test]
fn w1_no_search_starts_outside_or_at_what_is_not_there() {
    let host = TestHost::new();
    host.write("f", "x");
    assert!(std::process::Command::new("mkfifo").arg(host.path("pipe")).status().unwrap().success());
    for (path, code) in [
        ("..", "path_escapes"),
        ("/etc", "path_escapes"),
        ("none", "path_not_found"),
        ("pipe", "not_a_file"),
        ("", "invalid_path"),
    ] {
        for outcome in [
            host.call::<grep>(json!({"pattern": "x", "path": path})),
            host.call::<search_files>(json!({"pattern": "x", "path": path})),
            host.call::<find_references>(json!({"identifier": "x", "path": path})),
        ] {
            assert_eq!(outcome.unwrap_err().code, code, "{path}");
        }
    }
}

#[test]
fn w1_links_are_not_followed() {
    let outside = TestHost::new();
    outside.write("secret.txt", "needle");
    let host = TestHost::new();
    host.write("in.txt", "needle");
    std::os::unix::fs::symlink(outside.workspace(), host.path("out")).unwrap();
    std::os::unix::fs::symlink(outside.path("secret.txt"), host.path("link.txt")).unwrap();
    let text = host.call::<grep>(json!({"pattern": "needle"})).unwrap().text;
    assert_eq!(text, "in.txt:1:needle\n[1 matching line in 1 file]\n");
    // The link itself has a name in the workspace; what is behind it has not.
    let text = host.call::<search_files>(json!({"pattern": "*.txt"})).unwrap().text;
    assert_eq!(text, "in.txt\nlink.txt\n[2 files]\n");
}

#[test]
fn d6_a_search_stops_when_cancelled() {
    let host = TestHost::new();
    host.write("f", "x");
    host.cancel();
    let class = |outcome: Result<_, stud_plugin_testkit::ToolError>| outcome.unwrap_err().class;
    assert_eq!(class(host.call::<grep>(json!({"pattern": "x"}))), ErrorClass::Cancelled);
    assert_eq!(class(host.call::<search_files>(json!({"pattern": "*"}))), ErrorClass::Cancelled);
    assert_eq!(class(host.call::<find_references>(json!({"identifier": "x"}))), ErrorClass::Cancelled);
}
