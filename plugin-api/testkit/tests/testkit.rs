//! The test kit, tried with tools as an author would write them.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests make pipes with mkfifo, which is not a tool's work")]
#![allow(clippy::panic, reason = "one of the tools panics on purpose")]

use serde_json::json;
use std::time::{Duration, Instant};
use stud_plugin_api::prelude::*;
use stud_plugin_api::{Level, Question};
use stud_plugin_testkit::{ErrorClass, TestHost, assert_conforms, conformance};

#[data]
#[derive(Default)]
struct Config {
    greeting: Option<String>,
}

/// Uses every service once.
#[tool(side_effects = "write", env("TOKEN"), config = Config, examples({"path": "a.txt"}))]
fn everything(
    ctx: &Context,
    /// A file.
    #[arg(alias("file"))]
    path: String,
) -> Result<String> {
    ctx.output("shown ");
    ctx.output_bytes(2, b"error");
    ctx.output("on");
    ctx.log(Level::Warn, "odd");
    ctx.metadata("lines", 2);
    let count: Option<u32> = ctx.state()?;
    ctx.set_state(&(count.unwrap_or(0) + 1))?;
    let name = ctx.ask(Question { form: "ask".into(), text: "who?".into(), choices: vec![] })?;
    let config: Config = ctx.config()?;
    ctx.files().write(&path, "one\n")?;
    ctx.files().append(&path, b"two\n")?;
    ctx.files().patch(&path, "two", "2")?;
    let text = std::io::read_to_string(ctx.files().open(&path)?)?;
    assert_eq!(ctx.files().read_range(&path, 1, 2)?, b"ne");
    assert_eq!(ctx.files().stat(&path)?.size, 6);
    assert_eq!(ctx.files().list(".")?.len(), 1);
    assert!(ctx.workspace()?.join(&path).is_file());
    ctx.files().delete(&path)?;
    assert!(!ctx.files().exists(&path)?);
    Ok(format!("{} {name} {:?} {text}", config.greeting.unwrap_or_default(), ctx.env("TOKEN")?))
}

#[test]
fn h1_a_tool_gets_its_services_through_the_messages_of_the_abi() {
    let host = TestHost::new();
    host.env("TOKEN", "t").config(json!({"greeting": "hi"})).answer("you").set_state(json!(4));
    let output = host.call::<everything>(json!({"file": "a.txt"})).unwrap();
    assert_eq!(output.text, "hi \"you\" Some(\"t\") one\n2\n");
    assert_eq!(output.metadata["lines"], 2);
    assert_eq!((host.output(), host.output_bytes(2)), ("shown on".to_owned(), b"error".to_vec()));
    assert_eq!((host.logs()[0].level.as_str(), host.logs()[0].message.as_str()), ("warn", "odd"));
    assert_eq!(host.state(), 5);
    assert_eq!(host.questions()[0].text, "who?");
    assert_conforms::<everything>();

    let error = host.call::<everything>(json!({"path": "a.txt"})).unwrap_err();
    assert_eq!(error.class, ErrorClass::ConfirmationTimeout);
}

/// Opens a file.
#[tool(side_effects = "read")]
fn open_it(
    ctx: &Context,
    /// The file.
    path: String,
) -> Result<()> {
    ctx.files().open(&path).map(|_| ())
}

#[test]
fn w1_file_requests_refuse_escapes_and_what_is_no_file() {
    let host = TestHost::new();
    host.write("dir/a", "x");
    assert!(std::process::Command::new("mkfifo").arg(host.path("pipe")).status().unwrap().success());
    let absolute = host.path("dir/a").to_string_lossy().into_owned();
    for good in ["dir/a", "./dir/../dir/a", &absolute] {
        host.call::<open_it>(json!({"path": good})).unwrap();
    }
    for (path, code) in [
        ("../x", "path_escapes"),
        ("dir/../../x", "path_escapes"),
        ("/etc/passwd", "path_escapes"),
        ("", "invalid_path"),
        ("none", "path_not_found"),
        ("dir", "not_a_file"),
        ("pipe", "not_a_file"),
        ("dir/a/b", "not_a_directory"),
    ] {
        let error = host.call::<open_it>(json!({"path": path})).unwrap_err();
        assert_eq!(error.code, code, "{path}: {error}");
    }
}

/// Waits until it is cancelled.
#[tool(side_effects = "none")]
fn wait(ctx: &Context) -> Result<()> {
    while !ctx.cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    ctx.check_cancelled()
}

#[test]
fn d6_a_call_ends_when_cancelled_or_past_its_deadline() {
    let host = TestHost::new();
    host.deadline(Duration::from_millis(20));
    assert_eq!(host.call::<wait>(json!({})).unwrap_err().class, ErrorClass::Cancelled);
    host.deadline(Duration::from_secs(60));
    let canceller = host.canceller();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            canceller.cancel();
        });
        assert_eq!(host.call::<wait>(json!({})).unwrap_err().class, ErrorClass::Cancelled);
    });
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// Panics.
#[tool(side_effects = "none")]
fn bad(
    /// How often.
    #[arg(min = 1)]
    times: u32,
) {
    panic!("{times} times");
}

#[test]
fn x5_a_panic_is_an_error_with_its_place() {
    let error = TestHost::new().call::<bad>(json!({"times": 3})).unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::ExecutionError, "panicked"));
    assert!(error.message.contains("testkit.rs") && error.message.ends_with("3 times"), "{error}");
}

#[test]
fn d1_arguments_are_checked_before_the_tool_runs() {
    let host = TestHost::new();
    for args in [json!({}), json!({"times": 0}), json!({"times": 1, "more": 1}), json!([])] {
        let error = host.call::<bad>(args.clone()).unwrap_err();
        assert_eq!(error.class, ErrorClass::ValidationError, "{args}");
    }
    let error = host.call::<everything>(json!({"path": "a", "file": "b"})).unwrap_err();
    assert!(error.message.contains("same argument"), "{error}");
}

/// Asks for what it did not declare.
#[tool(side_effects = "none")]
fn curious(ctx: &Context) -> Result<()> {
    ctx.env("SECRET").map(|_| ())
}

#[test]
fn h1_an_undeclared_variable_is_refused() {
    let host = TestHost::new();
    host.env("SECRET", "s");
    assert_eq!(host.call::<curious>(json!({})).unwrap_err().code, "undeclared_env");
}

fn noisy_key(_: &careless) -> String {
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    format!("{}\n", CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// Does not conform.
#[tool(side_effects = "write", gated = false, other_names("x", "x"), approval_key = noisy_key, examples({"b": 1}))]
fn careless(map: std::collections::BTreeMap<String, u32>, #[arg(alias("map"))] other: Option<u32>) {
    let _ = (map, other);
}

#[test]
fn c5_c7_c8_c10_conformance_names_every_problem() {
    let problems = conformance::<careless>();
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let text = text.join("\n");
    for expected in [
        "C10: `x` is given twice",
        "C7: a tool of class write cannot skip approval",
        "C5: input schema, /properties/map/additionalProperties: ",
        "C1: argument `map` has no description",
        "C1: `map` is both an argument and another name of `other`",
        "C1: example 0: : \"map\" is required and missing",
        "C1: example 0: /b: there is no such property",
        "C8: example 0: the approval key",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
}
