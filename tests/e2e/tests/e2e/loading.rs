//! X5 and the order of loading: libraries that end the process which opens them.

use std::time::{Duration, Instant};
use stud_e2e::{Layer, World, artefacts};

/// The library cannot be used, the host lives and says why.
#[track_caller]
fn check(order: &str, message: &str) {
    let world = World::with("constructor").env("STUD_FIXTURE_CONSTRUCTOR", order);
    world.put(Layer::Global, "hostile");
    let error = world.error("canary", "{}");
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("not_found"), Some("tool_failed")));
    let diagnostic = &error["details"]["diagnostics"][0];
    assert_eq!(diagnostic["stage"], "load");
    assert_eq!(diagnostic["plugin"], "stud-fixture-constructor");
    assert!(diagnostic["message"].as_str().unwrap().starts_with(message), "{error:#}");
    assert!(!diagnostic["remedy"].as_str().unwrap().is_empty());
    // In the console the others go on after it, and the listing says what became of it.
    let output = world.console("canary\ngreet name=Ada\n/tools canary\n").exits(1);
    assert!(output.stdout.starts_with("hello Ada\n"), "{output}");
    assert!(output.stdout.contains(message), "{output}");
    let report = world.stud(&["check", artefacts().fixture("constructor").to_str().unwrap()]).exits(1);
    assert!(report.stdout.contains(message), "{report}");
    world.others_work();
}

#[test]
fn x5_a_constructor_that_aborts() {
    check("abort", "opening it ends the process that opens it (signal: 6 (SIGABRT)");
}

#[test]
fn x5_a_constructor_that_crashes() {
    check("segfault", "opening it ends the process that opens it (signal: 11 (SIGSEGV)");
}

#[test]
fn x5_a_constructor_that_ends_the_process() {
    check("exit=3", "opening it ends the process that opens it (exit status: 3)");
    // An end that looks like a success is none: nothing was said.
    check("exit=0", "the plugin could not describe itself");
}

#[test]
fn x5_a_constructor_that_never_ends() {
    let world = World::with("constructor").env("STUD_FIXTURE_CONSTRUCTOR", "hang");
    let started = Instant::now();
    let error = world.error("canary", "{}");
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("it did not open and describe itself within 10 s"), "{message}");
}

#[test]
fn x5_what_a_constructor_prints_is_no_description() {
    let world = World::with("constructor").env("STUD_FIXTURE_CONSTRUCTOR", "print");
    let output = world.stud(&["tools", "canary", "--json"]).exits(0);
    assert_eq!(output.json()["tools"][0]["status"], "active");
}

#[test]
fn design_json_output_holds_nothing_that_a_plugin_printed() {
    let world = World::with("constructor").env("STUD_FIXTURE_CONSTRUCTOR", "print");
    assert_eq!(world.text("canary", "{}"), "alive");
}

#[test]
fn x5_a_failure_is_not_remembered_longer_than_the_file() {
    let world = World::with("constructor");
    let broken = world
        .command(&["call", "canary", "--json"])
        .env("STUD_FIXTURE_CONSTRUCTOR", "abort")
        .output()
        .unwrap();
    assert_eq!(broken.status.code(), Some(1));
    // What depends on more than the bytes is tried again.
    assert_eq!(world.text("canary", "{}"), "alive");
}
