use super::*;

fn tool(schema: Value, aliases: &[(&str, &str)]) -> CallableTool {
    let description = ToolDescription {
        name: stud_contract::ToolName::new("t").unwrap(),
        description: "d".to_owned(),
        input_schema: schema.clone(),
        output_schema: None,
        config_schema: None,
        argument_aliases: aliases.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        examples: Vec::new(),
    };
    CallableTool { description, validator: jsonschema::validator_for(&schema).unwrap() }
}

fn read_tool() -> CallableTool {
    let schema = json!({
        "type": "object", "required": ["path"], "additionalProperties": false,
        "properties": {
            "path": { "type": "string" },
            "limit": { "type": "integer", "minimum": 1 },
            "mode": { "type": "string", "enum": ["fast", "slow"] },
        }
    });
    tool(schema, &[("file", "path")])
}

fn check(input: &str) -> Result<String, ToolError> {
    let tool = read_tool();
    let input = normalise(&tool.description, parse(input)?)?;
    validate(&tool, input).map(|args| args.json().get().to_owned())
}

fn problem(input: &str) -> (String, String, String) {
    let error = check(input).unwrap_err();
    assert_eq!(error.class, ErrorClass::ValidationError);
    let first = &error.details["problems"][0];
    let text = |key: &str| first[key].as_str().unwrap().to_owned();
    (text("field"), text("expected"), text("found"))
}

#[test]
fn d1_declared_aliases_become_the_canonical_name() {
    assert_eq!(check(r#"{"file": "a"}"#).unwrap(), r#"{"path":"a"}"#);
    assert_eq!(check(r#"{"file": "a", "path": "a"}"#).unwrap(), r#"{"path":"a"}"#);
    assert_eq!(check(r#"{"file": "a", "path": "b"}"#).unwrap_err().code, "contradiction");
}

#[test]
fn d8_each_field_is_named_with_what_was_expected_and_what_came() {
    let expect = |input: &str, field: &str, expected: &str, found: &str| {
        assert_eq!(problem(input), (field.to_owned(), expected.to_owned(), found.to_owned()), "{input}");
    };
    expect("{}", "/path", "a value: it is required", "nothing");
    expect(r#"{"path": 3}"#, "/path", "string", "the number 3");
    expect(r#"{"path": "a", "limit": 0}"#, "/limit", "at least 1", "the number 0");
    expect(r#"{"path": "a", "mode": "x"}"#, "/mode", r#"one of ["fast","slow"]"#, r#"the text "x""#);
    expect(r#"{"path": "a", "pth": 1}"#, "", "no other keys", "`pth`");
    let error = check(r#"{"path": "a", "limit": "x", "mode": 1}"#).unwrap_err();
    assert_eq!(
        error.details["problems"].as_array().unwrap().len(),
        3,
        "type and enum of `mode`, type of `limit`"
    );
    assert!(error.message.contains("its arguments are: path, limit, mode"), "{}", error.message);
}

#[test]
fn d8_null_for_an_optional_argument_means_that_it_was_left_out() {
    assert_eq!(check(r#"{"path": "a", "limit": null}"#).unwrap(), r#"{"path":"a"}"#);
    assert_eq!(problem(r#"{"path": null}"#).0, "/path");
    assert!(check(r#"{"path": "a", "unknown": null}"#).is_err());
}

#[test]
fn d8_text_that_is_no_object_is_refused() {
    for bad in ["[]", "3", "\"x\"", "{", "{\"a\":}", "nope", "{} {}"] {
        assert_eq!(parse(bad).unwrap_err().code, "invalid_json", "{bad}");
    }
    for nothing in ["", "  ", "{}"] {
        assert!(parse(nothing).unwrap().is_empty());
    }
}

#[test]
fn d8_arguments_without_end_or_bottom_are_refused() {
    let deep = format!("{}{}", "{\"a\":".repeat(10_000), "1");
    assert_eq!(parse(&deep).unwrap_err().code, "invalid_json");
    let long = format!("{{\"path\": \"{}\"}}", "x".repeat(10_000_000));
    assert_eq!(parse(&long).unwrap_err().code, "arguments_too_large");
}

proptest::proptest! {
    #[test]
    fn d8_no_text_ends_the_host(text in ".{0,200}") {
        let _ = check(&text);
    }
}
