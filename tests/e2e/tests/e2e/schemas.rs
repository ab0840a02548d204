//! C5, C7: schemas outside the subset, and tools that would skip approval.

use stud_e2e::{Layer, World, artefacts};

/// The tool is refused for its schema alone, at this place.
#[track_caller]
fn check(tool: &str, pointer: &str, message: &str) {
    let world = World::with("refused");
    let error = world.error(tool, "{}");
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("not_found"), Some("tool_failed")));
    let line = &world.listed(tool)[0];
    assert_eq!(line["status"], "failed");
    let reason = line["reason"].as_str().unwrap();
    let expected = format!(
        "register: the inputSchema of `{tool}` is outside the subset that every model provider accepts: {message}"
    );
    assert!(reason.starts_with(&expected), "{reason}");
    assert!(reason.contains(&format!("(at `{pointer}`); ")), "{reason}");
    assert!(error["message"].as_str().unwrap().contains(pointer), "{error:#}");
    // Once that is known, the next process says the same instead of pretending that there is no such tool.
    let again = world.error(tool, "{}");
    assert_eq!(
        (again["code"].as_str(), again["message"].as_str()),
        (Some("tool_failed"), error["message"].as_str())
    );
    // Its neighbour in the same library works.
    assert_eq!(world.text("neighbour", "{}"), "fine");
    assert_eq!(world.listed("neighbour")[0]["status"], "active");
    world.others_work();
}

#[test]
fn c5_a_map_with_free_keys_is_refused_by_its_pointer() {
    check("free_keys", "/inputSchema/properties/labels/additionalProperties", "`additionalProperties`");
}

#[test]
fn c5_an_enum_with_data_is_refused_by_its_pointer() {
    check("enum_with_data", "/inputSchema/properties/shapes/items/oneOf", "`oneOf`");
}

#[test]
fn c5_a_type_that_holds_itself_is_refused_by_its_pointer() {
    check("recursive", "/inputSchema/properties/tree/properties/below/items/$ref", "`$ref`");
}

#[test]
fn c5_check_names_every_refused_tool() {
    let world = World::new();
    let report =
        world.stud(&["check", artefacts().fixture("refused").to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!(report["ok"], false);
    let wrong = report["steps"].as_array().unwrap().iter().filter(|step| !step["problem"].is_null());
    let fields: Vec<_> =
        wrong.map(|step| step["problem"]["field"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(fields.len(), 4, "{fields:?}");
    assert!(fields[0].ends_with("/gated"), "{fields:?}");
    assert!(fields[1..].iter().all(|field| field.starts_with("/inputSchema/properties/")), "{fields:?}");
}

#[test]
fn c4_check_finds_nothing_wrong_with_a_good_plugin() {
    let world = World::new();
    for fixture in ["hostile", "constructor"] {
        let report =
            world.stud(&["check", artefacts().fixture(fixture).to_str().unwrap(), "--json"]).exits(0).json();
        assert_eq!(report["ok"], true, "{report:#}");
    }
}

const UNGATED: &str = "register: `ungated_write` can change files and says that it needs no approval (gated = false) (at `/gated`); \
    remove `gated = false` from the tool, or allow it: add \"ungated_write\" to `allow_ungated` in the user's config.toml";

#[test]
fn c7_an_ungated_tool_that_writes_is_refused() {
    let world = World::with("refused");
    let line = &world.listed("ungated_write")[0];
    assert_eq!((line["status"].as_str(), line["reason"].as_str()), (Some("failed"), Some(UNGATED)));
    assert_eq!(world.error("ungated_write", r#"{"path": "x"}"#)["class"], "not_found");
    assert!(!world.project().join("x").exists());
    assert_eq!(world.text("neighbour", "{}"), "fine");
}

#[test]
fn c7_the_operator_may_allow_it_by_name() {
    let world = World::with("refused");
    world.config("allow_ungated = [\"ungated_write\"]\n");
    assert_eq!(world.text("ungated_write", r#"{"path": "x"}"#), "wrote x");
    let world = World::with("refused").env("STUD_ALLOW_UNGATED", "other, ungated_write");
    assert_eq!(world.text("ungated_write", r#"{"path": "x"}"#), "wrote x");
    let world = World::with("refused").env("STUD_ALLOW_UNGATED", "other");
    assert_eq!(world.listed("ungated_write")[0]["status"], "failed");
}

#[test]
fn t4_a_project_may_not_allow_it_before_it_may_relax() {
    let world = World::new();
    world.put(Layer::Project, "refused");
    world.project_config("allow_ungated = [\"ungated_write\"]\n");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(world.listed("ungated_write")[0]["reason"], UNGATED);
    let _ = world.stud(&["tools"]).exits(0).says("`allow_ungated` is not obeyed: it would loosen the user's");
    let _ = world.stud(&["trust", "--yes", "--relax"]).exits(0);
    assert_eq!(world.text("ungated_write", r#"{"path": "x"}"#), "wrote x");
}
