//! D6: Ctrl-C.

use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use stud_e2e::{Running, World, wait_until};

/// Starts an endless call and waits until the plugin's code runs.
fn endless(world: &World, honours: bool) -> Running {
    let started = world.root().join("started");
    let input = json!({ "honours": honours, "started": started }).to_string();
    let running = world.start(&["call", "endless", "--json", "--input", &input]);
    wait_until("the call runs", || started.exists());
    running
}

#[test]
fn d6_ctrl_c_cancels_the_call() {
    let world = World::with("hostile");
    let running = endless(&world, true);
    running.signal(Signal::INT);
    let output = running.finish().exits(130);
    let error = &output.json()["error"];
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("cancelled"), Some("cancelled")));
    assert_eq!(error["message"], "the call of `endless` was cancelled\nstopped where it was");
}

#[test]
fn d6_a_second_ctrl_c_ends_the_program() {
    let world = World::with("hostile");
    let running = endless(&world, false);
    let begin = Instant::now();
    running.signal(Signal::INT);
    // Two signals that come at once are one: the second is sent until it is heard.
    let output = std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            running.signal(Signal::INT);
            running.finish()
        });
        waiting.join().unwrap()
    });
    let _ = output.exits(130);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn d6_ctrl_c_ends_a_command_with_its_children_and_keeps_what_it_said() {
    let world = World::new();
    let mark = world.root().join("started");
    let command = format!("echo so far; sleep 300 & touch {}; wait", mark.display());
    let input = json!({ "command": command }).to_string();
    let running = world.start(&["call", "run_command", "--approve", "--json", "--input", &input]);
    wait_until("the command runs", || mark.exists());
    running.signal(Signal::INT);
    let output = running.finish().exits(130);
    let error = &output.json()["error"];
    assert_eq!(error["class"], "cancelled");
    assert!(error["message"].as_str().unwrap().contains("so far"), "{error:#}");
}

#[test]
fn d6_ctrl_c_in_a_scripted_console_cancels_one_call() {
    let world = World::with("hostile");
    let started = world.root().join("started");
    let mut console = world.start(&[]);
    console.line(&format!("endless {}", json!({ "honours": true, "started": started })));
    wait_until("the call runs", || started.exists());
    console.signal(Signal::INT);
    console.line("greet name=Ada");
    console.wait_for("hello Ada");
    let output = console.finish();
    assert!(output.stderr.contains("the call of `endless` was cancelled"), "{output}");
}
