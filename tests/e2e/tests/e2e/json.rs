//! The shapes that programs rely on, as design.md gives them.

use serde_json::Value;
use stud_e2e::{Layer, World, artefacts};

#[track_caller]
fn keys(value: &Value, expected: &[&str]) {
    let keys: Vec<_> =
        value.as_object().unwrap_or_else(|| panic!("{value:#}")).keys().map(String::as_str).collect();
    assert_eq!(keys, expected);
}

const LISTED: &[&str] = &[
    "name",
    "status",
    "layer",
    "file",
    "sha256",
    "plugin",
    "plugin_version",
    "contract_version",
    "side_effects",
    "gated",
    "executor",
    "isolation",
    "category",
    "generation",
    "shadowed_by",
    "reason",
    "calls",
    "errors",
    "p50_us",
    "p95_us",
    "last_error",
];

#[test]
fn l3_tools_have_every_key_whatever_became_of_them() {
    let world = World::with("hostile");
    world.put_bytes(Layer::Global, "bad.so", b"bad");
    world.put(Layer::Project, "constructor");
    let listing = world.stud(&["tools", "--json"]).exits(0).json();
    keys(&listing, &["generation", "tools"]);
    for tool in listing["tools"].as_array().unwrap() {
        keys(tool, LISTED);
        assert!(tool["executor"] == "local" && tool["isolation"] == "in-process", "{tool:#}");
    }
    let one = world.stud(&["tools", "greet", "--json"]).exits(0).json();
    keys(&one["tools"][0], LISTED);
    assert_eq!(one["description"]["argumentAliases"]["who"], "name");
}

#[test]
fn l3_there_is_no_such_tool() {
    let world = World::new();
    let _ = world.stud(&["tools", "nonsense"]).exits(1).says("there is no tool `nonsense`");
    let output = world.stud(&["tools", "nonsense", "--json"]).exits(1);
    assert_eq!(output.stdout, "");
}

#[test]
fn d2_a_result_has_every_key() {
    let world = World::with("hostile");
    let result = world.call("greet", r#"{"name": "Ada"}"#);
    const RESULT: &[&str] = &["type", "tool_use_id", "tool_name", "is_error", "content", "error", "metadata"];
    keys(&result, RESULT);
    assert_eq!(result["type"], "tool_result");
    assert!(result["tool_use_id"].as_str().unwrap().starts_with("tu_"));
    assert_eq!(result["error"], Value::Null);
    keys(&result["metadata"]["origin"], &["layer", "file", "sha256", "generation"]);
    assert!(result["metadata"]["duration_us"].as_u64().is_some());
    let result = world.call("nonsense", "{}");
    keys(&result, RESULT);
    keys(&result["error"], &["class", "code", "message", "retryable", "details"]);
    assert_eq!(result["metadata"]["origin"], Value::Null);
}

#[test]
fn c3_an_inspection_is_the_contract_and_what_the_host_thinks() {
    let world = World::new();
    let file = artefacts().fixture("hostile");
    let inspected = world.stud(&["inspect", file.to_str().unwrap(), "--json"]).exits(0).json();
    for key in [
        "kind",
        "contractVersion",
        "requiredCoreVersion",
        "plugin",
        "abi",
        "panic",
        "target",
        "rustc",
        "tools",
    ] {
        assert!(!inspected[key].is_null(), "{key}");
    }
    for key in ["file", "sha256", "size", "format", "compatible", "problems"] {
        assert!(inspected.get(key).is_some(), "{key}");
    }
    assert_eq!(inspected["format"], "elf");
    assert_eq!(inspected["size"].as_u64(), Some(std::fs::metadata(file).unwrap().len()));
    let _ = world.stud(&["inspect", "missing.so"]).exits(1).says("it cannot be read").says("check the path");
}

#[test]
fn design_wrong_usage_exits_2() {
    let world = World::new();
    for arguments in [
        &["nonsense"][..],
        &["tools", "--jsn"],
        &["call"],
        &["trust", "--yes", "--list"],
        &["-C", "/nowhere", "tools"],
    ] {
        let _ = world.stud(arguments).exits(2);
    }
}

#[test]
fn design_without_a_terminal_there_is_no_colour() {
    let world = World::with("refused");
    for arguments in [&["tools"][..], &["doctor"], &["config"], &["call", "nonsense"], &["--help"]] {
        let output = world.stud(arguments);
        assert!(
            !output.stdout.contains('\x1b') && !output.stderr.contains('\x1b'),
            "{arguments:?}: {output}"
        );
    }
}
