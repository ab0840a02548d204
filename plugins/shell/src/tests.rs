#![cfg(unix)]

use crate::run_command;
use serde_json::json;
use std::thread;
use std::time::{Duration, Instant};
use stud_plugin_testkit::{ErrorClass, TestHost, assert_conforms};

#[test]
fn it_conforms_to_the_contract() {
    assert_conforms::<run_command>();
}

#[test]
fn output_is_the_text_of_both_streams() {
    let host = TestHost::new();
    let output = host.call::<run_command>(json!({"command": "echo out; sleep 0.1; echo err >&2"})).unwrap();
    assert_eq!(output.text, "out\nerr");
    assert_eq!(output.metadata["exit_code"], 0);
    assert_eq!(output.metadata["stdout_bytes"], 4);
    assert_eq!(output.metadata["stderr_bytes"], 4);
    assert_eq!(host.output_bytes(1), b"out\n");
    assert_eq!(host.output_bytes(2), b"err\n");
}

#[test]
fn a_failing_command_is_a_result_that_says_so_at_the_end() {
    let host = TestHost::new();
    for (command, text, code, signal) in [
        ("echo no; exit 7", "no\n[exit code 7]", json!(7), json!(null)),
        ("false", "[exit code 1]", json!(1), json!(null)),
        ("kill -9 $$", "[killed by SIGKILL]", json!(null), json!("SIGKILL")),
        ("true", "[no output]", json!(0), json!(null)),
        ("printf '\\n'", "[no output]", json!(0), json!(null)),
    ] {
        let output = host.call::<run_command>(json!({"command": command})).unwrap();
        assert_eq!(output.text, text, "{command}");
        assert_eq!(output.metadata["exit_code"], code);
        assert_eq!(output.metadata["signal"], signal);
    }
    let output = host.call::<run_command>(json!({"command": "no-such-program-here"})).unwrap();
    assert!(output.text.ends_with("[exit code 127]"), "{}", output.text);
    let output = host.call::<run_command>(json!({"command": "echo 'unbalanced"})).unwrap();
    assert!(output.text.ends_with("[exit code 2]"), "{}", output.text);
}

#[test]
fn a_server_whose_output_is_redirected_is_left_running() {
    let host = TestHost::new();
    let started = Instant::now();
    let output = host.call::<run_command>(json!({"command": "sleep 300 >log 2>&1 & echo $!"})).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(output.metadata["output_held"], false);
    // `kill` succeeds only if it runs.
    let output = host.call::<run_command>(json!({"command": format!("kill {}", output.text)})).unwrap();
    assert_eq!(output.text, "[no output]");
}

#[test]
fn it_is_bash() {
    let host = TestHost::new();
    let output =
        host.call::<run_command>(json!({"command": "[[ a == a ]] && echo ${BASH_VERSION:+bash}"})).unwrap();
    assert_eq!(output.text, "bash");
}

#[test]
fn w3_it_runs_in_the_workspace() {
    let host = TestHost::new();
    host.write("web/ž 1/file", "");
    let output = host.call::<run_command>(json!({"command": "pwd"})).unwrap();
    assert_eq!(output.text, host.workspace().to_str().unwrap());
    assert_eq!(output.metadata["cwd"], ".");
    let output = host.call::<run_command>(json!({"command": "ls", "cwd": "web/ž 1"})).unwrap();
    assert_eq!((output.text.as_str(), &output.metadata["cwd"]), ("file", &json!("web/ž 1")));
    for outside in ["..", "/", "web/../.."] {
        let output = host.call::<run_command>(json!({"command": "pwd", "cwd": outside})).unwrap();
        let (note, rest) = output.text.split_once('\n').unwrap();
        assert!(note.contains(&format!("`{outside}` is outside of the workspace")), "{note}");
        assert_eq!(rest, host.workspace().to_str().unwrap());
    }
    let error = host.call::<run_command>(json!({"command": "pwd", "cwd": "nope"})).unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::ExecutionError, "no_directory"));
}

#[test]
fn d6_a_cancelled_command_returns_what_it_printed() {
    let host = TestHost::new();
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            let deadline = Instant::now() + Duration::from_secs(10);
            while !host.output().contains("half") && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(5));
            }
            host.cancel();
        });
        host.call::<run_command>(json!({"command": "echo half; sleep 60"})).unwrap_err()
    });
    assert_eq!(error.class, ErrorClass::Cancelled);
    let lines: Vec<&str> = error.message.lines().collect();
    assert!(lines[0].starts_with("the command was cancelled after "), "{}", lines[0]);
    assert_eq!(lines[1], "half");
    assert!(
        lines[2].starts_with("[cancelled after ") && lines[2].ends_with("output so far above]"),
        "{}",
        lines[2]
    );
    assert_eq!(error.details["signal"], "SIGTERM");
}

#[test]
fn d5_the_deadline_ends_a_command() {
    let host = TestHost::new();
    host.deadline(Duration::from_millis(200));
    let error = host.call::<run_command>(json!({"command": "echo a; sleep 60"})).unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled);
    assert!(error.message.contains("\na\n"), "{}", error.message);
}

#[test]
fn d5_its_own_timeout_ends_a_command() {
    let host = TestHost::new();
    let error =
        host.call::<run_command>(json!({"command": "echo a; sleep 60", "timeout_ms": 100})).unwrap_err();
    assert_eq!(error.code, "timeout");
    assert!(error.message.contains("\na\n[timed out after 0."), "{}", error.message);
}

#[test]
fn a_call_that_is_cancelled_already_starts_nothing() {
    let host = TestHost::new();
    host.cancel();
    let error = host.call::<run_command>(json!({"command": "touch started"})).unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled);
    assert!(!host.path("started").exists());
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let host = TestHost::new();
    for arguments in [
        json!({"command": ""}),
        json!({"command": " \n"}),
        json!({"command": "echo a\0b"}),
        json!({"command": 1}),
        json!({}),
        json!({"command": "ls", "timeout_ms": 0}),
        json!({"command": "ls", "timeout_ms": -1}),
        json!({"command": "ls", "unknown": 1}),
    ] {
        let error = host.call::<run_command>(arguments.clone()).unwrap_err();
        assert_eq!(error.class, ErrorClass::ValidationError, "{arguments}: {}", error.message);
    }
    // More than the system takes as one argument.
    let error =
        host.call::<run_command>(json!({"command": format!("echo {}", "x".repeat(200_000))})).unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::ExecutionError, "not_started"));
    assert!(error.message.contains("could not be started: Argument list too long"), "{}", error.message);
}

#[test]
fn c9_the_approval_key_is_the_program() {
    let host = TestHost::new();
    let key = |command: &str| host.approval_key::<run_command>(json!({"command": command})).unwrap();
    assert_eq!(key("A=1 cargo test 2>&1"), "cargo");
    assert_eq!(key("cargo test; rm x"), "");
}
