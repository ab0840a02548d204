//! D8: arguments that are not what the tool takes.

use serde_json::json;
use stud_e2e::World;

#[track_caller]
fn check(input: &str, code: &str, message: &str) {
    let world = World::with("hostile");
    let error = world.error("greet", input);
    assert_eq!(
        (error["class"].as_str(), error["code"].as_str()),
        (Some("validation_error"), Some(code)),
        "{error:#}"
    );
    assert_eq!(error["message"], message);
    world.others_work();
}

const NAMES: &str = "its arguments are: name, times, others";

#[test]
fn d8_not_json() {
    check("nonsense", "invalid_json", "the arguments are not valid JSON: expected ident at line 1 column 2");
    check(
        "{\"name\": \"Ada\"",
        "invalid_json",
        "the arguments are not valid JSON: EOF while parsing an object at line 1 column 14",
    );
    check(
        "{\"name\": \"Ada\"} {}",
        "invalid_json",
        "the arguments are not valid JSON: trailing characters at line 1 column 17",
    );
    check(
        "{\"name\": \"\\ud800\"}",
        "invalid_json",
        "the arguments are not valid JSON: unexpected end of hex escape at line 1 column 17",
    );
}

#[test]
fn d8_not_an_object() {
    let object = "the arguments are a JSON object with a key for each argument, not";
    check("[1, 2]", "invalid_json", &format!("{object} a list of 2"));
    check("\"Ada\"", "invalid_json", &format!("{object} the text \"Ada\""));
    check("null", "invalid_json", &format!("{object} null"));
}

#[test]
fn d8_of_the_wrong_shape() {
    let takes = "`greet` does not take these arguments:";
    check(
        "{}",
        "invalid_arguments",
        &format!("{takes} /name: expected a value: it is required, found nothing; {NAMES}"),
    );
    check(
        r#"{"name": 5}"#,
        "invalid_arguments",
        &format!("{takes} /name: expected string, found the number 5; {NAMES}"),
    );
    check(
        r#"{"name": null}"#,
        "invalid_arguments",
        &format!("{takes} /name: expected string, found null; {NAMES}"),
    );
    check(
        r#"{"name": "Ada", "others": ["Bob", 7]}"#,
        "invalid_arguments",
        &format!("{takes} /others/1: expected string, found the number 7; {NAMES}"),
    );
    check(
        r#"{"name": "Ada", "times": 9}"#,
        "invalid_arguments",
        &format!("{takes} /times: expected at most 5, found the number 9; {NAMES}"),
    );
    check(
        r#"{"name": "Ada", "times": 1.5}"#,
        "invalid_arguments",
        &format!("{takes} /times: expected integer, found the number 1.5; {NAMES}"),
    );
}

#[test]
fn d8_every_field_is_named_with_what_came() {
    let world = World::with("hostile");
    let error = world.error("greet", r#"{"name": 5, "times": "two", "loud": true}"#);
    let mut fields: Vec<_> = error["details"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["field"].as_str().unwrap())
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["", "/name", "/times"], "{error:#}");
}

#[test]
fn d8_an_unknown_argument_is_named() {
    check(
        r#"{"name": "Ada", "loud": true}"#,
        "invalid_arguments",
        &format!(
            "`greet` does not take these arguments: the arguments: expected no other keys, found `loud`; {NAMES}"
        ),
    );
}

#[test]
fn d8_null_for_an_optional_argument_means_left_out() {
    let world = World::with("hostile");
    assert_eq!(world.text("greet", r#"{"name": "Ada", "times": null, "others": null}"#), "hello Ada");
}

#[test]
fn d1_aliases_are_normalised() {
    let world = World::with("hostile");
    assert_eq!(world.text("say_hello", r#"{"who": "Ada"}"#), "hello Ada");
    assert_eq!(world.text("greet", r#"{"who": "Ada", "name": "Ada"}"#), "hello Ada");
    check(
        r#"{"person": "Ada", "name": "Bob"}"#,
        "contradiction",
        "`person` is another name of `name`, and they differ: give one of them",
    );
}

#[test]
fn d8_ten_megabytes() {
    let world = World::with("hostile");
    let text = json!({ "name": "a".repeat(10 * 1024 * 1024) }).to_string();
    let file = world.file("big.json", &text);
    let output =
        world.stud(&["call", "greet", "--json", "--input", &format!("@{}", file.display())]).exits(1);
    let error = &output.json()["error"];
    assert_eq!(
        (error["class"].as_str(), error["code"].as_str()),
        (Some("validation_error"), Some("arguments_too_large"))
    );
    let output = world.fed(&["call", "greet", "--json", "--input", "@-"], text.as_bytes()).exits(1);
    assert_eq!(output.json()["error"]["code"], "arguments_too_large");
    world.others_work();
}

#[test]
fn d8_seven_megabytes_are_fine() {
    let world = World::with("hostile");
    let file = world.file("big.json", &json!({ "name": "a".repeat(7 * 1024 * 1024) }).to_string());
    let output =
        world.stud(&["call", "greet", "--json", "--input", &format!("@{}", file.display())]).exits(0);
    assert!(output.json()["metadata"]["truncated"]["bytes"].as_u64().unwrap() > 7_000_000);
}

#[test]
fn d8_nested_ten_thousand_deep() {
    let world = World::with("hostile");
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{{\"name\": {}1{}}}", open.repeat(10_000), close.repeat(10_000));
        let error = world.error("greet", &nested);
        assert_eq!(error["code"], "invalid_json", "{error:#}");
        assert!(error["message"].as_str().unwrap().contains("recursion limit exceeded"), "{error:#}");
        let unclosed = format!("{{\"name\": {}", open.repeat(10_000));
        assert_eq!(world.error("greet", &unclosed)["code"], "invalid_json");
    }
    world.others_work();
}

#[test]
fn d8_odd_values() {
    let world = World::with("hostile");
    for value in ["1e999", "-1e999", "123456789012345678901234567890", "-0", "1e400"] {
        let error = world.error("greet", &format!("{{\"name\": {value}}}"));
        assert_eq!(error["class"], "validation_error", "{value}: {error:#}");
        let error = world.error("greet", &format!("{{\"name\": \"Ada\", \"times\": {value}}}"));
        assert_eq!(error["class"], "validation_error", "{value}: {error:#}");
    }
    assert_eq!(world.text("greet", "{\"name\": \"\\u0000\\u001b[31m\"}"), "hello ");
}

#[test]
fn d8_pairs_take_the_types_of_the_schema() {
    let world = World::with("hostile");
    let call = |pairs: &[&str]| world.stud(&[&["call", "greet"], pairs].concat());
    assert_eq!(call(&["name=7", "times=2"]).exits(0).stdout, "hello 7, hello 7\n");
    assert_eq!(call(&["who=Ada", "others=[\"Bob\"]"]).exits(0).stdout, "hello Ada and Bob\n");
    let _ =
        call(&["name=Ada", "times=two"]).exits(1).says("/times: expected integer, found the text \"two\"");
    let _ = call(&["Ada"]).exits(2).says("`Ada` is no argument").says("write it as key=value");
    let _ = call(&["name=a", "name=b"]).exits(2).says("`name` is given twice");
    let _ = call(&["name=a", "--input", "{}"]).exits(2);
}

#[test]
fn d8_input_that_cannot_be_read() {
    let world = World::with("hostile");
    let _ = world
        .stud(&["call", "greet", "--input", "@missing.json"])
        .exits(2)
        .says("the input `missing.json` cannot be read");
    let _ = world.fed(&["call", "greet", "--input", "@-"], b"\xff\xfe").exits(2).says("cannot be read");
}

#[test]
fn d8_not_found_names_the_nearest() {
    let world = World::with("hostile");
    let error = world.error("gret", "{}");
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("not_found"), Some("unknown_tool")));
    assert_eq!(error["message"], "there is no tool \"gret\"; did you mean `greet` or `grep`?");
    assert_eq!(world.error("readfile", "{}")["details"]["nearest"][0], "read_file");
    let message = world.error("zzzzqqqq", "{}")["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "there is no tool \"zzzzqqqq\"; `stud tools` lists what there is");
    let _ = world.stud(&["call", "gret"]).exits(1).says("did you mean `greet`");
}

#[test]
fn d8_a_name_that_is_no_name() {
    let world = World::with("hostile");
    let long = "x".repeat(100_000);
    for name in ["", "..", "../../bin/sh", "\x1b[31m", long.as_str(), "greet\nrun_command", "Greet"] {
        let error = world.error(name, "{}");
        assert_eq!(error["code"], "unknown_tool", "{name:?}");
        assert!(error["message"].as_str().unwrap().len() < 400, "{error:#}");
    }
}
