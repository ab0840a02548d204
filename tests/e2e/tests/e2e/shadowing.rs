//! L1, L3, C4: one name in several layers.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use stud_e2e::{Layer, World, artefacts, patch_contract};

fn layers(world: &World, tool: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    world.listed(tool).iter().map(|line| (text(&line["layer"]), text(&line["status"]))).collect()
}

/// The hostile plugin in the global layer and, trusted and changed by `change`, in the project's.
fn overridden(change: impl FnOnce(&mut Value)) -> (World, PathBuf) {
    let world = World::with("hostile");
    let mut library = fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut library, change);
    let file = world.put_bytes(Layer::Project, "mine.so", &library);
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    (world, file)
}

fn pair(layer: &str, status: &str) -> (String, String) {
    (layer.to_owned(), status.to_owned())
}

#[test]
fn l1_the_later_layer_shadows_and_both_are_shown() {
    let (world, file) = overridden(|contract| contract["rustc"] = "another".into());
    assert_eq!(layers(&world, "greet"), [pair("project", "active"), pair("global", "shadowed")]);
    let below = &world.listed("greet")[1];
    assert_eq!(below["shadowed_by"].as_str(), file.to_str());
    assert_eq!(below["reason"], format!("shadowed by `{}` of the project layer", file.display()));
    let result = world.call("greet", r#"{"name": "Ada"}"#);
    assert_eq!(result["metadata"]["origin"]["layer"], "project");
    assert_eq!(result["metadata"]["origin"]["file"].as_str(), file.to_str());
    let table = world.stud(&["tools"]).exits(0).stdout;
    assert!(table.contains("greet (shadowed)"), "{table}");
}

#[test]
fn t1_an_untrusted_tool_takes_no_part_in_shadowing() {
    let (world, _) = overridden(|contract| contract["rustc"] = "another".into());
    let _ = world.stud(&["trust", "--revoke"]).exits(0);
    assert_eq!(layers(&world, "greet"), [pair("project", "untrusted"), pair("global", "active")]);
    assert_eq!(world.call("greet", r#"{"name": "Ada"}"#)["metadata"]["origin"]["layer"], "global");
}

#[test]
fn c4_an_override_of_another_contract_falls_back() {
    let (world, _) = overridden(|contract| contract["contractVersion"] = "9.0.0".into());
    assert_eq!(layers(&world, "greet"), [pair("project", "incompatible"), pair("global", "active")]);
    assert_eq!(world.call("greet", r#"{"name": "Ada"}"#)["metadata"]["origin"]["layer"], "global");
}

#[test]
fn c4_an_override_that_fails_when_it_is_opened_falls_back() {
    // The file names a tool that the code does not have: found when it describes itself, so the whole plugin is refused.
    let (world, _) = overridden(|contract| contract["tools"][0]["name"] = "panicz".into());
    assert_eq!(layers(&world, "greet"), [pair("project", "active"), pair("global", "shadowed")]);
    let result = world.call("greet", r#"{"name": "Ada"}"#);
    assert_eq!(result["content"][0]["text"], "hello Ada");
    assert_eq!(result["metadata"]["origin"]["layer"], "global");
    // From now on it is known, also to a host that starts anew.
    assert_eq!(layers(&world, "greet"), [pair("project", "failed"), pair("global", "active")]);
    // `key=value` takes its types from the one that works.
    assert_eq!(
        world.stud(&["call", "greet", "name=Ada", "times=2"]).exits(0).stdout,
        "hello Ada, hello Ada\n"
    );
}

#[test]
fn c4_an_override_whose_configuration_is_wrong_falls_back_or_is_off() {
    let (world, _) = overridden(|contract| contract["rustc"] = "another".into());
    world.config("[tools.greet]\nenabled = 1\n");
    assert_eq!(layers(&world, "greet"), [pair("project", "disabled"), pair("global", "disabled")]);
}

#[test]
fn c4_a_bad_override_of_a_bundled_tool_leaves_it_alone() {
    let world = World::new();
    let mut library = fs::read(artefacts().fixture("constructor")).unwrap();
    patch_contract(&mut library, |contract| {
        contract["tools"][0]["name"] = "read_file".into();
        contract.as_object_mut().unwrap().remove("discoveryRules");
    });
    world.put_bytes(Layer::Project, "mine.so", &library);
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    world.others_work();
    assert_eq!(layers(&world, "read_file"), [pair("project", "failed"), pair("bundled", "active")]);
}

#[test]
fn l1_names_of_others_do_not_shadow() {
    let world = World::with("hostile");
    let mut library = fs::read(artefacts().fixture("constructor")).unwrap();
    patch_contract(&mut library, |contract| {
        contract["tools"][0]["otherNames"] = serde_json::json!(["greet"]);
        contract.as_object_mut().unwrap().remove("discoveryRules");
    });
    world.put_bytes(Layer::Project, "mine.so", &library);
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn r5_a_deleted_override_uncovers_what_it_shadowed() {
    let (world, file) = overridden(|contract| contract["rustc"] = "another".into());
    let mut console = world.start(&[]);
    console.line("greet name=Ada");
    console.wait_for("hello Ada");
    fs::remove_file(file).unwrap();
    console.line("/reload");
    console.line("/tools greet");
    console.wait_for("global layer");
    console.line("greet name=Bob");
    console.wait_for("hello Bob");
    let _ = console.finish().exits(0);
    assert_eq!(layers(&world, "greet"), [pair("global", "active")]);
}
