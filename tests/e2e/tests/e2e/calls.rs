//! X5, D5, D8: calls that end otherwise than they should, or too late.

use serde_json::json;
use std::time::{Duration, Instant};
use stud_e2e::World;

/// The panic is an error with its words and its place in the fixture; the host goes on.
#[track_caller]
fn panics(way: &str, message: &str) {
    let world = World::with("hostile");
    let error = world.error("panics", &json!({ "way": way }).to_string());
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("execution_error"), Some("panic")));
    let said = error["message"].as_str().unwrap();
    assert!(said.starts_with("the tool panicked at ") && said.contains("hostile/src/ends.rs:"), "{said}");
    assert!(said.ends_with(&format!(": {message}")), "{said}");
    assert_eq!(error["details"]["panic"]["message"], message);
    assert!(error["details"]["panic"]["location"].as_str().unwrap().contains("ends.rs:"), "{error:#}");
    let output = world.console(&format!("panics way={way}\ngreet name=Ada\npanics way={way}\n")).exits(1);
    assert_eq!(output.stdout, "hello Ada\n");
    assert_eq!(output.stderr.matches(message).count(), 2, "{output}");
}

#[test]
fn x5_a_panic_with_a_text() {
    panics("text", "the text is wrong");
}

#[test]
fn x5_a_panic_without_a_text() {
    panics("no_text", "the tool panicked with a value that is no text");
}

#[test]
fn x5_a_panic_in_a_destructor() {
    panics("destructor", "dropped a bomb");
}

#[test]
fn d7_a_panic_with_a_text_of_megabytes_is_bounded() {
    let world = World::with("hostile");
    world.config("[limits]\noutput_bytes = 30000\n");
    let output = world.stud(&["call", "panics", "--input", r#"{"way": "long_text"}"#, "--json"]).exits(1);
    assert_eq!(output.json()["error"]["code"], "panic");
    assert!(output.stdout.len() < 100_000, "{} bytes", output.stdout.len());
}

#[test]
fn d8_an_error_by_question_mark() {
    let world = World::with("hostile");
    let error = world.error("fails", r#"{"number": "seven"}"#);
    assert_eq!(
        error,
        json!({
            "class": "execution_error", "code": "failed", "message": "the number \"seven\": invalid digit found in string",
            "retryable": false, "details": null
        })
    );
    assert_eq!(world.text("fails", r#"{"number": "-7"}"#), "-7");
}

#[test]
fn d5_the_deadline_of_one_call() {
    let world = World::with("hostile");
    let started = Instant::now();
    let result = world.call_with("sleeps", r#"{"ms": 20000}"#, &["--timeout-ms", "200"]);
    // Abandoned after two seconds more, long before it would have ended.
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    let error = &result["error"];
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("timeout"), Some("deadline")));
    assert_eq!(error["retryable"], true);
    assert_eq!(error["details"]["abandoned"], true);
    let message = "`sleeps` did not finish within its deadline of 200 ms \
                   and ignored the request to stop for 2 s: it was abandoned and may still run";
    assert_eq!(error["message"], message);
}

#[test]
fn d5_a_call_that_looks_at_its_token_ends_at_the_deadline() {
    let world = World::with("hostile");
    let result = world.call_with("endless", r#"{"honours": true}"#, &["--timeout-ms", "200"]);
    let error = &result["error"];
    assert_eq!(error["class"], "timeout");
    assert_eq!(
        error["message"],
        "`endless` did not finish within its deadline of 200 ms\nstopped where it was"
    );
    assert_eq!(error["details"]["abandoned"], false);
}

#[test]
fn d5_the_deadline_in_the_configuration() {
    let world = World::with("hostile");
    world.config("[tools.endless]\ntimeoutMs = 150\n[limits]\ntimeout_ms = 250\n");
    let message = |tool: &str, input: &str, flags: &[&str]| {
        world.call_with(tool, input, flags)["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let own = message("endless", r#"{"honours": true}"#, &[]);
    assert!(own.starts_with("`endless` did not finish within its deadline of 150 ms"), "{own}");
    let general = message("sleeps", r#"{"ms": 1000}"#, &[]);
    assert!(general.starts_with("`sleeps` did not finish within its deadline of 250 ms"), "{general}");
    // A call may ask for more, up to the cap.
    assert_eq!(message("sleeps", r#"{"ms": 400}"#, &["--timeout-ms", "60000"]), "");
    world.config("[limits]\nmax_timeout_ms = 300\n");
    let capped = message("sleeps", r#"{"ms": 1000}"#, &["--timeout-ms", "60000"]);
    assert!(capped.starts_with("`sleeps` did not finish within its deadline of 300 ms"), "{capped}");
}

#[test]
fn d5_wrong_deadlines_are_wrong_usage() {
    let world = World::with("hostile");
    for value in ["0", "-1", "soon", "99999999999999999999999"] {
        let _ = world.stud(&["call", "greet", "name=Ada", &format!("--timeout-ms={value}")]).exits(2);
    }
}

#[test]
fn d2_an_abandoned_call_does_not_hold_up_the_next() {
    let world = World::with("hostile");
    world.config("[tools.endless]\ntimeoutMs = 100\n");
    let output = world.console("endless honours=false\ngreet name=Ada\nsleeps ms=10\n").exits(1);
    assert_eq!(output.stdout, "hello Ada\nslept 10 ms\n", "{output}");
    assert!(output.stderr.contains("it was abandoned and may still run"), "{output}");
}
