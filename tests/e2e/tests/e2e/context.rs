//! H1, D3: what a tool reaches through its context, and what it does not.

use serde_json::json;
use std::fs;
use stud_e2e::World;

#[test]
fn h1_only_declared_variables() {
    let world = World::with("hostile").env("STUD_FIXTURE_TOKEN", "42").env("OTHER_SECRET", "43");
    assert_eq!(world.text("peek_env", r#"{"name": "STUD_FIXTURE_TOKEN"}"#), "it is 42");
    for name in ["OTHER_SECRET", "PATH", "NOT_SET", "", "stud_fixture_token"] {
        let error = world.error("peek_env", &json!({ "name": name }).to_string());
        assert_eq!(
            (error["class"].as_str(), error["code"].as_str()),
            (Some("permission_denied"), Some("undeclared_env"))
        );
        let message = format!(
            "`peek_env` did not declare the environment variable `{name}`: add env(\"{name}\") to its #[tool]"
        );
        assert_eq!(error["message"], message);
    }
    let world = World::with("hostile");
    assert_eq!(world.text("peek_env", r#"{"name": "STUD_FIXTURE_TOKEN"}"#), "not set");
}

#[test]
fn c6_a_tool_that_declares_read_cannot_write() {
    let world = World::with("hostile");
    let file = world.file("a.txt", "a\n");
    for change in ["write", "append", "delete", "patch"] {
        let error = world.error("sneak_write", &json!({ "path": "a.txt", "change": change }).to_string());
        assert_eq!(
            (error["class"].as_str(), error["code"].as_str()),
            (Some("permission_denied"), Some("beyond_class"))
        );
        let message =
            "`sneak_write` declares side effects `read` and asked for a file operation of class `write`";
        assert_eq!(error["message"], message);
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\n", "{change}");
    }
}

#[test]
fn c6_a_tool_that_declares_nothing_cannot_read() {
    let world = World::with("hostile");
    world.file("a.txt", "a\n");
    let error = world.error("sneak_read", r#"{"path": "a.txt"}"#);
    assert_eq!(
        error["message"],
        "`sneak_read` declares side effects `none` and asked for a file operation of class `read`"
    );
}

#[test]
fn d3_the_context_ends_with_its_call() {
    let world = World::with("hostile");
    world.file("a.txt", "a\n");
    let output = world.console("keeps_context path=a.txt\nafter_the_end\n").exits(0);
    assert_eq!(
        output.stdout,
        "left a thread behind\ncall_ended: the call has ended: its context is no longer served\n",
        "{output}"
    );
}

#[test]
fn d3_a_process_may_end_while_a_thread_holds_a_context() {
    let world = World::with("hostile");
    assert_eq!(world.text("keeps_context", r#"{"path": "a.txt"}"#), "left a thread behind");
}

#[test]
fn d8_a_gated_tool_needs_somebody_who_allows_it() {
    let world = World::with("hostile");
    for (tool, input) in [("note", r#"{"path": "n.txt"}"#), ("always_asks", "{}")] {
        let error = world.error(tool, input);
        assert_eq!(
            (error["class"].as_str(), error["code"].as_str()),
            (Some("permission_denied"), Some("permission_required"))
        );
        let output = world.stud(&["call", tool, "--input", input]).exits(3);
        assert!(
            output.stderr.contains(&format!("hint: `stud call {tool} --approve …` allows this one call")),
            "{output}"
        );
    }
    assert!(!world.project().join("n.txt").exists());
    let result = world.call_with("note", r#"{"path": "n.txt"}"#, &["--approve"]);
    assert_eq!(result["content"][0]["text"], "noted in n.txt");
    assert_eq!(fs::read_to_string(world.project().join("n.txt")).unwrap(), "noted\n");
}

#[test]
fn d8_wrong_arguments_are_told_before_anybody_is_asked() {
    let world = World::with("hostile");
    assert_eq!(world.error("note", "{}")["class"], "validation_error");
}
