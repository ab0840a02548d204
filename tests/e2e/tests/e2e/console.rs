//! The console from a pipe.

use std::fs;
use stud_e2e::{Layer, World};

#[track_caller]
fn check(lines: &str, code: i32, stdout: &str, stderr: &str) {
    let output = World::with("hostile").console(lines).exits(code);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (stdout, stderr), "{output}");
}

#[test]
fn console_calls_by_pairs_and_by_json() {
    check(
        "greet name=Ada\n\n# a comment\ngreet name=\"Ada Lovelace\" times=2\ngreet {\"name\": \"Bob\", \"others\": [\"Eve\"]}\n/call greet name=Zoe\n",
        0,
        "hello Ada\nhello Ada Lovelace, hello Ada Lovelace\nhello Bob and Eve\nhello Zoe\n",
        "",
    );
}

#[test]
fn console_an_error_does_not_end_it_and_is_the_exit_code() {
    check(
        "fails number=x\ngreet name=Ada\n",
        1,
        "hello Ada\n",
        "error: the number \"x\": invalid digit found in string [execution_error]\n",
    );
}

#[test]
fn console_wrong_lines_are_named() {
    let lines = "/tolls\ngret name=Ada\ngreet Ada\ngreet name='Ada\ngreet {\"name\": }\ngreet name=Ada\n";
    let output = World::with("hostile").console(lines).exits(1);
    assert_eq!(output.stdout, "hello Ada\n");
    for text in [
        "there is no command `/tolls`",
        "did you mean `/tools`?",
        "there is no tool \"gret\"",
        "`Ada` is no argument",
        "a quote is not closed in this line",
        "the arguments are not valid JSON",
    ] {
        assert!(output.stderr.contains(text), "{text}: {output}");
    }
}

#[test]
fn console_quit_ends_it() {
    check("greet name=Ada\n/quit\ngreet name=Bob\n", 0, "hello Ada\n", "");
    check("", 0, "", "");
    check("greet name=Ada", 0, "hello Ada\n", "");
    check("greet name=Ada\r\n", 0, "hello Ada\n", "");
}

#[test]
fn console_bytes_that_are_no_text() {
    let world = World::with("hostile");
    let output = world.fed(&[], b"\xff\xfe\x00\n\x1b[31m\ngreet name=Ada\n").exits(1);
    assert_eq!(output.stdout, "hello Ada\n");
    assert!(!output.stderr.contains('\x1b'), "{output}");
}

#[test]
fn console_slash_commands() {
    let world = World::with("hostile");
    let output = world.console("/help\n/tools\n/tools greet\n/config\n/doctor\n/reload\n/trust\n").exits(0);
    for text in
        ["/reload", "TOOL", "Greets somebody.", "limits.timeout_ms", "isolation", "there is nothing to trust"]
    {
        assert!(output.stdout.contains(text), "{text}: {output}");
    }
}

#[test]
fn console_reload_sees_what_was_put_there() {
    let world = World::with("hostile");
    let mut console = world.start(&[]);
    console.line("greet name=Ada");
    console.wait_for("hello Ada");
    world.put(Layer::Global, "constructor");
    console.line("/reload");
    console.line("canary");
    console.wait_for("alive");
    let _ = console.finish().exits(0);
}

const QUESTION: &str = "note (write) {\"path\":\"n.txt\"}\nallow this call? [y/N]\n";
const DENIED: &str = "error: the user did not allow this call of `note` [user_denied]\n";

#[test]
fn a7_the_next_line_answers_a_question() {
    let world = World::with("hostile");
    let output = world.console("note path=n.txt\ny\n").exits(0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("noted in n.txt\n", QUESTION));
    assert_eq!(fs::read_to_string(world.project().join("n.txt")).unwrap(), "noted\n");
    let _ = world.console("always_asks\nYES\n").exits(0);
}

#[test]
fn a7_no_means_no() {
    for answer in ["n", "no", "No"] {
        let world = World::with("hostile");
        let output = world.console(&format!("note path=n.txt\n{answer}\ngreet name=Ada\n")).exits(1);
        assert_eq!((output.stdout.as_str(), output.stderr), ("hello Ada\n", format!("{QUESTION}{DENIED}")));
        assert!(!world.project().join("n.txt").exists());
    }
}

#[test]
fn a7_another_line_is_no_answer_and_the_next_command() {
    let world = World::with("hostile");
    let output = world.console("note path=n.txt\ngreet name=Ada\n").exits(1);
    assert_eq!(output.stdout, "hello Ada\n");
    let refusal = "error: `note` (write) needs approval, and nobody was asked [permission_denied]\n  hint: type the call again and answer y\n";
    assert_eq!(output.stderr, format!("{QUESTION}{refusal}"));
    assert!(!world.project().join("n.txt").exists());
}

#[test]
fn a7_the_end_of_the_input_is_no_answer() {
    let world = World::with("hostile");
    let _ = world.console("note path=n.txt\n").exits(1).says("nobody was asked");
    assert!(!world.project().join("n.txt").exists());
}

#[test]
fn a7_one_answer_allows_one_call() {
    let world = World::with("hostile");
    let output = world.console("note path=n.txt\ny\nnote path=m.txt\nn\n").exits(1);
    assert_eq!(output.stdout, "noted in n.txt\n");
    assert!(!world.project().join("m.txt").exists());
}

#[test]
fn d8_a_line_of_ten_megabytes_is_one_line() {
    let world = World::with("hostile");
    // What lies behind the limit must not become a command of its own.
    let mut line = format!("greet {{\"name\": \"{}", "a".repeat(8 * 1024 * 1024 + 1024));
    line.truncate(8 * 1024 * 1024 + 1024);
    line.push_str("note path=smuggled.txt\ny\ngreet name=Ada\n");
    let output = world.console(&line).exits(1);
    assert!(!world.project().join("smuggled.txt").exists());
    assert!(output.stdout.ends_with("hello Ada\n"), "{output}");
    assert!(!output.stderr.contains("allow this call?"), "{output}");
}
