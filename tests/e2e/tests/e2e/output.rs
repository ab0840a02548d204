//! D7: output that is too long or not fit to be shown.

use serde_json::json;
use std::fs;
use std::path::Path;
use stud_e2e::World;

#[test]
fn d7_fifty_megabytes_are_cut_and_kept_in_a_file_that_can_be_read_on() {
    let world = World::with("hostile");
    world.config("[limits]\noutput_bytes = 30000\n");
    let result = world.call("flood", "{}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.len() < 31_000, "{}", text.len());
    assert!(text.starts_with("0000000000000000000000000000000000000000000000001\n"), "{text}");
    assert!(text.ends_with("0000000000000000000000000000000000000000001000000\n"), "{text}");
    let cut = &result["metadata"]["truncated"];
    let file = cut["file"].as_str().unwrap();
    assert!(Path::new(file).starts_with(world.home()), "{file}");
    let marker =
        format!("[... {} lines, {} bytes cut; the full text is in {file} ...]", cut["lines"], cut["bytes"]);
    assert!(text.contains(&marker), "{text}");
    assert_eq!(fs::metadata(file).unwrap().len(), 50_000_000);
    // The model reads on where the cut was.
    let part = world.text("read_file", &json!({ "path": file, "offset": 500_000, "limit": 1 }).to_string());
    assert!(part.starts_with("500000\t0000000000000000000000000000000000000000000500000\n"), "{part}");
}

#[test]
fn d7_full_outputs_are_private_and_not_those_of_another_project() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with("hostile");
    let result = world.call("flood", "{}");
    let file = result["metadata"]["truncated"]["file"].as_str().unwrap().to_owned();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    let other = world.root().join("other");
    fs::create_dir(&other).unwrap();
    let input = json!({ "path": file }).to_string();
    let output = world
        .stud(&["-C", other.to_str().unwrap(), "call", "read_file", "--json", "--input", &input])
        .exits(3);
    assert_eq!(output.json()["error"]["code"], "path_escapes");
    // It is there to be read, not to be changed.
    let input = json!({ "path": file, "content": "changed" }).to_string();
    let result = world.call_with("write_file", &input, &["--approve"]);
    assert_eq!(result["error"]["code"], "path_escapes");
}

#[test]
fn d7_commands_keep_their_first_and_last_lines() {
    let world = World::new();
    let result = world.call_with("run_command", r#"{"command": "seq 1 1000"}"#, &["--approve"]);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1\n2\n") && text.trim_end().ends_with("\n1000"), "{text}");
    assert!(text.contains("\n15\n[... 900 lines, ") && text.contains("...]\n916\n"), "{text}");
}

#[test]
fn d7_terminal_sequences_are_stripped() {
    let world = World::with("hostile");
    let text = world.text("control_characters", r#"{"fail": false}"#);
    assert_eq!(text, "red bell\nnext31m end");
    let error = world.error("control_characters", r#"{"fail": true}"#);
    assert_eq!(error["message"], "red bell\nnext31m end");
    let output = world.stud(&["call", "control_characters", "fail=true"]).exits(1);
    assert!(!output.stderr.contains('\x1b'), "{output}");
}

#[test]
fn d7_the_limit_can_be_set() {
    let world = World::with("hostile");
    world.config("[limits]\noutput_bytes = 1000\n");
    let result = world.call("flood", "{}");
    assert!(result["content"][0]["text"].as_str().unwrap().len() < 1_500);
}

#[test]
fn d7_an_output_that_cannot_be_kept_is_still_cut() {
    let world = World::with("hostile");
    fs::write(world.home().join("outputs"), b"in the way").unwrap();
    let text = world.text("flood", "{}");
    assert!(text.len() < 100_000 && text.contains("the full text could not be kept: "), "{}", text.len());
}

#[test]
fn c12_typed_output_is_text_for_the_model_and_notes_are_metadata() {
    let world = World::with("hostile");
    let result = world.call("structured", "{}");
    assert_eq!(
        result["content"][0]["text"],
        "{\n  \"count\": 2,\n  \"names\": [\n    \"a\",\n    \"b\"\n  ]\n}"
    );
    assert_eq!(result["metadata"]["looked_at"], 3);
}
