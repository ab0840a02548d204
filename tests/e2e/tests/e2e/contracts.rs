//! C2, C3, C4: the embedded contract, made wrong in the file itself.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use stud_e2e::{Layer, World, artefacts, patch_contract, patch_contract_json, rename_section};

fn constructor() -> Vec<u8> {
    fs::read(artefacts().fixture("constructor")).unwrap()
}

fn patched(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut library = fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut library, change);
    library
}

fn placed(library: &[u8]) -> (World, PathBuf) {
    let world = World::with("constructor");
    let file = world.put_bytes(Layer::Global, "patched.so", library);
    (world, file)
}

/// The library is listed so, for this reason; its neighbours work and its tools are not there.
#[track_caller]
fn check(library: &[u8], status: &str, reason: &str) {
    let (world, file) = placed(library);
    assert_eq!(world.verdict(&file), (status.to_owned(), reason.to_owned()));
    assert_eq!(world.error("greet", r#"{"name": "Ada"}"#)["class"], "not_found");
    assert_eq!(world.text("canary", "{}"), "alive");
    world.others_work();
    let inspected = world.stud(&["inspect", file.to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!(inspected["compatible"], false, "{inspected:#}");
    let _ = world.stud(&["install", file.to_str().unwrap(), "--force"]).exits(1);
}

#[test]
fn c2_a_contract_of_a_newer_major() {
    check(
        &patched(|contract| contract["contractVersion"] = "2.0.0".into()),
        "incompatible",
        "contractVersion: it was built for contract 2.0.0, this host speaks 1.0.0 (at `/contractVersion`); \
         update stud, or rebuild the plugin with a stud-plugin-api of contract 1",
    );
}

#[test]
fn c2_a_contract_of_a_newer_minor() {
    check(
        &patched(|contract| contract["contractVersion"] = "1.1.0".into()),
        "incompatible",
        "contractVersion: it was built for contract 1.1.0, this host speaks 1.0.0 (at `/contractVersion`); \
         update stud, or rebuild the plugin with a stud-plugin-api of contract 1",
    );
}

#[test]
fn c2_a_contract_of_an_older_major() {
    check(
        &patched(|contract| contract["contractVersion"] = "0.9.0".into()),
        "incompatible",
        "contractVersion: it was built for contract 0.9.0, this host speaks 1.0.0 (at `/contractVersion`); \
         rebuild the plugin with a stud-plugin-api of contract 1.0",
    );
}

#[test]
fn c2_a_newer_patch_is_the_same_contract() {
    let (world, _) = placed(&patched(|contract| contract["contractVersion"] = "1.0.9".into()));
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn c2_a_version_that_is_none() {
    check(
        &patched(|contract| contract["contractVersion"] = "one".into()),
        "incompatible",
        "contractVersion: \"one\" is no semantic version (at `/contractVersion`); rebuild it with stud-plugin-api",
    );
}

#[test]
fn c1_a_range_that_excludes_this_host() {
    check(
        &patched(|contract| contract["requiredCoreVersion"] = ">=9.0.0".into()),
        "incompatible",
        "requiredCoreVersion: it asks for stud >=9.0.0, this is 0.1.0 (at `/requiredCoreVersion`); \
         install a stud that is >=9.0.0, or widen `requires` in its `export_plugin!` and rebuild it",
    );
}

#[test]
fn c1_a_range_that_is_none() {
    let (world, file) = placed(&patched(|contract| contract["requiredCoreVersion"] = "later".into()));
    let (status, reason) = world.verdict(&file);
    assert_eq!(status, "incompatible");
    assert!(reason.starts_with("requiredCoreVersion: \"later\" is no range of versions"), "{reason}");
}

#[test]
fn x5_a_plugin_that_aborts_on_panic() {
    check(
        &patched(|contract| contract["panic"] = "abort".into()),
        "failed",
        "shape: it is built with panic = \"abort\": a panic in it would end the host (at `/panic`); \
         remove `panic = \"abort\"` from the profile and rebuild it",
    );
}

#[test]
fn c4_shape_is_checked_field_by_field() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change, &str); 6] = [
        (
            "another ABI",
            |c| c["abi"] = 2.into(),
            "shape: it was built for ABI 2, this host speaks 1 (at `/abi`)",
        ),
        ("no tools", |c| c["tools"] = json!([]), "shape: it offers no tool (at `/tools`)"),
        (
            "no name",
            |c| c["plugin"]["name"] = "".into(),
            "shape: \"\" is no name for a plugin (at `/plugin/name`)",
        ),
        (
            "a name twice",
            |c| c["tools"][1]["name"] = c["tools"][0]["name"].clone(),
            "shape: it has two tools named `panics` (at `/tools/1/name`)",
        ),
        (
            "a remote tool in a library",
            |c| c["tools"][0]["executor"] = "remote".into(),
            "shape: `panics` says that it runs remotely, but it stands in a library (at `/tools/0/executor`)",
        ),
        (
            "no category",
            |c| c["tools"][0]["category"] = "".into(),
            "shape: \"\" is no category (at `/tools/0/category`)",
        ),
    ];
    for (case, change, expected) in cases {
        let mut library = fs::read(artefacts().fixture("hostile")).unwrap();
        patch_contract(&mut library, |contract| {
            contract.as_object_mut().unwrap().remove("stateSlot");
            change(contract);
        });
        let (world, file) = placed(&library);
        let (status, reason) = world.verdict(&file);
        assert_eq!(status, "failed", "{case}");
        assert!(reason.starts_with(expected), "{case}: {reason}");
    }
}

#[test]
fn c4_a_contract_that_is_no_contract() {
    let deep = patched(|contract| {
        let nested = (0..200).fold(json!(1), |inner, _| json!([inner]));
        contract["tools"].as_array_mut().unwrap().truncate(1);
        contract["stateSlot"] = json!({ "version": 1, "schema": nested });
    });
    let mut text = constructor();
    patch_contract_json(&mut text, "not JSON");
    let mut kind = constructor();
    patch_contract(&mut kind, |contract| contract["kind"] = "Mind".into());
    let mut name = constructor();
    patch_contract(&mut name, |contract| contract["tools"][0]["name"] = "Canary".into());
    let mut class = constructor();
    patch_contract(&mut class, |contract| contract["tools"][0]["sideEffects"] = "much".into());
    let mut missing = constructor();
    patch_contract(&mut missing, |contract| drop(contract.as_object_mut().unwrap().remove("panic")));
    let cases = [
        (deep, "recursion limit exceeded"),
        (text, "expected"),
        (kind, "unknown variant `Mind`, expected `Tool`"),
        (name, "Canary"),
        (class, "unknown variant `much`"),
        (missing, "missing field `panic`"),
    ];
    for (library, expected) in cases {
        let world = World::with("hostile");
        let file = world.put_bytes(Layer::Global, "patched.so", &library);
        let (status, reason) = world.verdict(&file);
        assert_eq!(status, "failed", "{expected}");
        assert!(reason.starts_with("shape: the contract section holds no valid contract: "), "{reason}");
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    }
}

#[test]
fn c3_a_section_that_is_missing_or_was_changed() {
    let mut renamed = constructor();
    rename_section(&mut renamed);
    let mut changed = constructor();
    let at = changed.windows(8).position(|bytes| bytes == b"\"canary\"").unwrap();
    changed[at + 1] = b'k';
    let rebuild = "build it as a plugin: `export_plugin!` of stud-plugin-api writes the contract";
    let cases = [
        (renamed, "shape: the section `stud_contract` is missing"),
        (changed, "shape: the contract section was changed after it was written: its checksum differs"),
    ];
    for (library, reason) in cases {
        let world = World::with("hostile");
        let file = world.put_bytes(Layer::Global, "patched.so", &library);
        assert_eq!(world.verdict(&file), ("failed".to_owned(), format!("{reason}; {rebuild}")));
        world.others_work();
    }
}

#[test]
fn c3_a_plugin_that_says_something_else_when_it_runs() {
    let world = World::with("disagrees");
    // Nothing was opened yet: the file alone looks innocent.
    assert_eq!(world.listed("innocent")[0]["status"], "active");
    let error = world.error("innocent", "{}");
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("not_found"), Some("tool_failed")));
    let diagnostic = &error["details"]["diagnostics"][0];
    assert_eq!(diagnostic["stage"], "shape");
    assert_eq!(diagnostic["plugin"], "disagrees");
    assert_eq!(diagnostic["field"], "/contract/tools/0/sideEffects".trim_start_matches("/contract"));
    let line = &world.listed("innocent")[0];
    assert_eq!(line["status"], "failed");
    assert_eq!(
        line["reason"],
        "shape: the running plugin and the contract in its file disagree (at `/tools/0/sideEffects`); \
         do not use it: a contract that differs from the code was not made by `export_plugin!`"
    );
    world.others_work();
}

#[test]
fn c3_a_tool_renamed_in_the_file_alone() {
    let (world, _) = placed(&patched(|contract| contract["tools"][0]["name"] = "panicz".into()));
    let error = world.error("panicz", "{}");
    assert_eq!(error["details"]["diagnostics"][0]["field"], "/tools/0/name", "{error:#}");
    assert_eq!(world.error("greet", r#"{"name": "Ada"}"#)["class"], "not_found");
    world.others_work();
}

#[test]
fn c4_a_plugin_that_cannot_describe_itself() {
    let cases = [
        ("empty", "load", "the plugin could not describe itself"),
        ("garbage", "shape", "the plugin's description is none: "),
        ("panic", "load", "opening it ends the process that opens it ("),
    ];
    for (order, stage, message) in cases {
        let world = World::with("disagrees").env("STUD_FIXTURE_DESCRIBES", order);
        let error = world.error("innocent", "{}");
        assert_eq!(error["code"], "tool_failed");
        let diagnostic = &error["details"]["diagnostics"][0];
        assert_eq!(diagnostic["stage"], stage, "{order}: {error:#}");
        assert!(diagnostic["message"].as_str().unwrap().starts_with(message), "{order}: {error:#}");
        assert!(!diagnostic["remedy"].as_str().unwrap().is_empty());
        world.others_work();
    }
}

#[test]
fn d8_an_answer_that_is_no_reply() {
    let world = World::with("disagrees").env("STUD_FIXTURE_DESCRIBES", "truth");
    let error = world.error("innocent", "{}");
    assert_eq!(
        (error["class"].as_str(), error["code"].as_str()),
        (Some("execution_error"), Some("invalid_reply"))
    );
    assert!(
        error["message"].as_str().unwrap().starts_with("`innocent` answered with something that is no reply"),
        "{error:#}"
    );
}
