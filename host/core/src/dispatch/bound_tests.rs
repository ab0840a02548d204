use super::*;

fn limits(bytes: usize, lines: Option<usize>) -> Limits {
    Limits { bytes, lines }
}

fn numbered(n: usize) -> String {
    (1..=n).map(|i| format!("line {i}\n")).collect()
}

#[test]
fn d7_a_command_keeps_15_lines_at_the_head_and_85_at_the_tail() {
    let text = numbered(1000);
    let cut = cut(&text, &limits(1_000_000, Some(100))).unwrap();
    assert_eq!(cut.head.lines().count(), 15);
    assert_eq!(cut.tail.lines().count(), 85);
    assert_eq!(cut.head.lines().last(), Some("line 15"));
    assert_eq!(cut.tail.lines().next(), Some("line 916"));
    assert_eq!(cut.lines, 900);
}

#[test]
fn d7_what_fits_is_left_alone() {
    assert!(cut(&numbered(100), &limits(1_000_000, Some(100))).is_none());
    assert!(cut(&numbered(1000), &limits(1_000_000, None)).is_none());
}

#[test]
fn d7_bytes_are_bounded_at_character_borders_and_nothing_is_lost_in_the_count() {
    for text in ["ä".repeat(10_000), numbered(5_000), "x".repeat(200_000), "🦀\n".repeat(9_000)] {
        for lines in [None, Some(100)] {
            for bytes in [1_000, 1_001, 4_097] {
                let Some(cut) = cut(&text, &limits(bytes, lines)) else { continue };
                assert!(cut.head.len() + cut.tail.len() <= bytes, "{bytes} {lines:?}");
                assert_eq!(cut.head.len() + cut.bytes + cut.tail.len(), text.len());
                assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
            }
        }
    }
}

#[test]
fn d7_terminal_sequences_are_stripped() {
    assert_eq!(strip("plain\ttext\n"), "plain\ttext\n");
    assert_eq!(strip("\x1b[31mred\x1b[0m\r\nnext\x07\0"), "red\nnext");
    assert_eq!(strip("10%\r20%\r"), "10%\n20%\n");
    assert_eq!(strip("\x1b]0;title\x07body"), "body");
}

#[test]
fn d7_facts_for_programs_are_bounded_too() {
    let directory = tempfile::tempdir().unwrap();
    let spill = Spill::new(directory.path().to_owned());
    let limits = limits(1_000, None);
    let long = || serde_json::Value::from("x".repeat(1_001));
    let dropped = json!("more than 1000 bytes");
    let metadata = serde_json::Map::from_iter([("much".to_owned(), long())]);
    let output = CallOutput { text: "short".to_owned(), structured: Some(json!(["short"])), metadata };
    let outcome = bound(Ok(output), &limits, &spill, "call");
    assert_eq!(json!(outcome.metadata), json!({ "dropped": dropped, "structured": ["short"] }));
    let error =
        ToolError::new(stud_contract::ErrorClass::ExecutionError, "failed", "short").with_details(long());
    let outcome = bound(Err(error.clone().with_details(json!({ "few": 1 }))), &limits, &spill, "call");
    assert_eq!(outcome.error.unwrap().details, json!({ "few": 1 }));
    let outcome = bound(Err(error), &limits, &spill, "call");
    assert_eq!(outcome.error.unwrap().details, json!({ "dropped": dropped }));
}
