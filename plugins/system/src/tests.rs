use crate::measure::compare;
use crate::snapshot::{Process, Snapshot};
use crate::{Order, system_monitor};
use serde_json::json;
use stud_plugin_testkit::{ErrorClass, TestHost, assert_conforms};

#[test]
fn it_conforms_to_the_contract() {
    assert_conforms::<system_monitor>();
}

#[test]
fn it_measures_this_machine() {
    let output = TestHost::new().call::<system_monitor>(json!({})).unwrap();
    let snapshot: Snapshot = serde_json::from_value(output.metadata["snapshot"].clone()).unwrap();
    assert!(snapshot.cpu_count >= 1);
    assert!((0.0..=100.0).contains(&snapshot.cpu_percent), "{}", snapshot.cpu_percent);
    assert!(snapshot.memory.total > 1 << 20 && snapshot.memory.used <= snapshot.memory.total);
    assert_eq!(snapshot.load_average.len(), 3);
    assert!(snapshot.processes.len() <= 5 && !snapshot.processes.is_empty());
    assert!(snapshot.processes.is_sorted_by(|a, b| a.memory >= b.memory));
    assert!(output.text.starts_with("up      ") && output.text.contains("\nmemory  "), "{}", output.text);
}

#[test]
fn processes_are_ranked_by_what_was_asked_for() {
    let output = TestHost::new().call::<system_monitor>(json!({"top": 50, "sort_by": "cpu"})).unwrap();
    let snapshot: Snapshot = serde_json::from_value(output.metadata["snapshot"].clone()).unwrap();
    assert!(snapshot.processes.is_sorted_by(|a, b| a.cpu_percent >= b.cpu_percent));
    assert!(snapshot.processes.iter().all(|process| !process.name.contains('\n')));
    assert_eq!(snapshot.processes.len(), 50.min(snapshot.process_count as usize));
}

#[test]
fn no_processes_are_shown_when_none_are_wanted() {
    let output = TestHost::new().call::<system_monitor>(json!({"top": 0})).unwrap();
    assert!(!output.text.contains("pid"), "{}", output.text);
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let host = TestHost::new();
    for arguments in [json!({"top": 51}), json!({"top": -1}), json!({"sort": "name"}), json!({"what": 1})] {
        let error = host.call::<system_monitor>(arguments.clone()).unwrap_err();
        assert_eq!(error.class, ErrorClass::ValidationError, "{arguments}");
    }
}

#[test]
fn d6_a_cancelled_call_ends() {
    let host = TestHost::new();
    host.cancel();
    assert_eq!(host.call::<system_monitor>(json!({})).unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn equals_are_ranked_by_their_number() {
    let process = |pid, memory, cpu_percent| Process { pid, name: String::new(), memory, cpu_percent };
    let mut list = [process(3, 1, 0.0), process(1, 1, 0.0), process(2, 1, 5.0), process(4, 9, 0.0)];
    list.sort_by(|a, b| compare(a, b, Order::Memory));
    assert_eq!(list.iter().map(|process| process.pid).collect::<Vec<_>>(), [4, 2, 1, 3]);
    list.sort_by(|a, b| compare(a, b, Order::Cpu));
    assert_eq!(list.iter().map(|process| process.pid).collect::<Vec<_>>(), [2, 4, 1, 3]);
}
