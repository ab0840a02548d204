//! D6: Ctrl-C, and the other signals that end programs.

use rustix::process::{Pid, Signal};
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

/// Sends the signal a second time. Two that come at once are one, so the first one has to be heard before.
fn again(running: &Running, signal: Signal) {
    std::thread::sleep(Duration::from_millis(300));
    running.signal(signal);
    running.wait_for_error("waiting for the command to end, again to leave it");
}

#[test]
fn d6_a_second_ctrl_c_waits_no_longer_than_a_kill_takes() {
    let world = World::with("hostile");
    let running = endless(&world, false);
    let begin = Instant::now();
    running.signal(Signal::INT);
    again(&running, Signal::INT);
    let output = running.finish().exits(130);
    assert_eq!(output.stdout, "");
    let took = begin.elapsed();
    assert!(took > Duration::from_secs(6) && took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn d6_a_third_ctrl_c_ends_the_program_at_once() {
    let world = World::with("hostile");
    let running = endless(&world, false);
    running.signal(Signal::INT);
    again(&running, Signal::INT);
    let begin = Instant::now();
    running.signal(Signal::INT);
    let _ = running.finish().exits(130);
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
}

/// Starts a command that writes the id of a process of its own, and waits until it runs.
fn command(world: &World, shell: &str) -> (Running, Pid) {
    let mark = world.root().join("started");
    let command = shell.replace("MARK", mark.to_str().unwrap());
    let input = json!({ "command": command }).to_string();
    let running = world.start(&["call", "run_command", "--approve", "--json", "--input", &input]);
    let id = || std::fs::read_to_string(&mark).ok()?.strip_suffix('\n')?.parse().ok();
    wait_until("the command runs", || id().is_some());
    (running, Pid::from_raw(id().unwrap()).unwrap())
}

fn gone(pid: Pid) {
    wait_until("the process is gone", || rustix::process::test_kill_process(pid).is_err());
}

#[test]
fn d6_sigterm_and_sighup_end_the_command_and_then_the_program() {
    for signal in [Signal::TERM, Signal::HUP] {
        let world = World::new();
        let (running, pid) = command(&world, "sleep 300 & echo $! > MARK; wait");
        running.signal(signal);
        let output = running.finish().exits(130);
        assert_eq!(output.json()["error"]["class"], "cancelled");
        gone(pid);
    }
}

#[test]
fn d6_a_second_ctrl_c_leaves_no_command_behind_that_ignores_the_first() {
    let world = World::new();
    let (running, pid) =
        command(&world, "trap '' TERM; sleep 300 & echo $! > MARK; while :; do wait; sleep 1; done");
    running.signal(Signal::INT);
    again(&running, Signal::INT);
    let _ = running.finish().exits(130);
    gone(pid);
}

#[test]
fn d6_sigterm_ends_a_console_after_its_call() {
    let world = World::with("hostile");
    let started = world.root().join("started");
    let mut console = world.start(&[]);
    console.line(&format!("endless {}", json!({ "honours": true, "started": started })));
    console.line("greet name=Ada");
    wait_until("the call runs", || started.exists());
    console.signal(Signal::TERM);
    let output = console.ends().exits(130).says("the call of `endless` was cancelled");
    assert_eq!(output.stdout, "");
}

#[test]
fn d6_ctrl_c_ends_a_console_that_runs_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let world = World::with("hostile");
        let mut console = world.start(&[]);
        console.line("greet name=Ada");
        console.wait_for("hello Ada");
        console.signal(signal);
        let _ = console.ends().exits(130);
    }
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
