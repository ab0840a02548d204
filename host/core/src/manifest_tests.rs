use super::*;
use serde_json::{Value, json};
use stud_contract::ToolName;

fn contract_with(change: impl FnOnce(&mut Value)) -> EmbeddedContract {
    let mut value = json!({
        "kind": "Tool", "contractVersion": CONTRACT_VERSION, "requiredCoreVersion": ">=0.1.0",
        "plugin": { "name": "p", "version": "1.2.3" }, "abi": 1, "panic": "unwind",
        "target": "x86_64-unknown-linux-gnu", "rustc": "rustc 1.95.0",
        "tools": [tool("one")]
    });
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "sideEffects": "none", "gated": false, "category": "c" })
}

/// The first problem as stage, field and message.
fn problem(change: impl FnOnce(&mut Value)) -> (Stage, String, String, String) {
    let first = check_contract(&contract_with(change)).unwrap_err().remove(0);
    assert_eq!(first.plugin.as_deref(), Some("p"));
    (first.stage, first.field.unwrap(), first.message, first.remedy)
}

#[test]
fn c1_a_good_contract_has_no_problem_and_its_defaults() {
    let contract = contract_with(|_| {});
    assert!(check_contract(&contract).is_ok());
    assert!(contract.tools[0].requires_workspace && contract.tools[0].parallel_safe);
    assert_eq!(contract.tools[0].executor, Executor::Local);
}

#[test]
fn c2_the_same_major_and_no_newer_minor_are_compatible() {
    let with = |version: &str| contract_with(|c| c["contractVersion"] = version.into());
    for good in ["1.0.0", "1.0.9"] {
        assert!(check_contract(&with(good)).is_ok(), "{good}");
    }
    for bad in ["1.1.0", "2.0.0", "0.9.0"] {
        let first = check_contract(&with(bad)).unwrap_err().remove(0);
        assert_eq!((first.stage, first.field.as_deref()), (Stage::ContractVersion, Some("/contractVersion")));
        // Both numbers, and what to rebuild with what.
        assert!(first.message.contains(bad) && first.message.contains(CONTRACT_VERSION), "{}", first.message);
        assert!(first.remedy.contains("rebuild"), "{}", first.remedy);
    }
    assert!(check_contract(&with("one")).is_err());
}

#[test]
fn c4_each_stage_names_its_field_and_a_remedy() {
    let (stage, field, message, remedy) = problem(|c| c["requiredCoreVersion"] = ">=9.0".into());
    assert_eq!((stage, field.as_str()), (Stage::RequiredCoreVersion, "/requiredCoreVersion"));
    assert!(message.contains(">=9.0") && message.contains(CORE_VERSION), "{message}");
    assert!(!remedy.is_empty());
    for (field, value) in [("/abi", json!(7)), ("/tools", json!([]))] {
        let (stage, at, ..) = problem(|c| *c.pointer_mut(field).unwrap() = value);
        assert_eq!(stage, Stage::Shape);
        assert!(at.starts_with(field), "{at}");
    }
}

#[test]
fn c4_all_problems_of_a_contract_are_found_at_once() {
    let contract = contract_with(|c| {
        c["abi"] = 9.into();
        c["contractVersion"] = "3.0.0".into();
        c["requiredCoreVersion"] = "not a range".into();
    });
    let stages: Vec<Stage> =
        check_contract(&contract).unwrap_err().into_iter().map(|problem| problem.stage).collect();
    assert_eq!(stages, [Stage::Shape, Stage::ContractVersion, Stage::RequiredCoreVersion]);
}

#[test]
fn c10_a_plugin_cannot_have_a_name_twice() {
    let (stage, field, message, _) = problem(|c| c["tools"] = json!([tool("one"), tool("two"), tool("one")]));
    assert_eq!((stage, field.as_str()), (Stage::Shape, "/tools/2/name"));
    assert!(message.contains("`one`"), "{message}");
}

#[test]
fn x5_panic_abort_is_refused_in_process() {
    let (stage, field, message, _) = problem(|c| c["panic"] = "abort".into());
    assert_eq!((stage, field.as_str()), (Stage::Shape, "/panic"));
    assert!(message.contains("would end the host"), "{message}");
}

#[test]
fn c7_only_harmless_tools_go_ungated_outside_the_bundled_layer() {
    for class in SideEffects::ALL {
        for gated in [true, false] {
            let tool = EmbeddedTool {
                name: ToolName::new("t").unwrap(),
                side_effects: class,
                gated,
                ..contract_with(|_| {}).tools.remove(0)
            };
            let harmful = !gated && class > SideEffects::Read;
            assert_eq!(ungated_problem(Layer::Global, &tool, false).is_some(), harmful, "{class} {gated}");
            assert_eq!(ungated_problem(Layer::Project, &tool, false).is_some(), harmful, "{class} {gated}");
            assert!(ungated_problem(Layer::Bundled, &tool, false).is_none());
            assert!(ungated_problem(Layer::Global, &tool, true).is_none());
        }
    }
}

#[test]
fn c6_the_classes_are_ordered_by_what_they_can_do() {
    assert!(SideEffects::ALL.is_sorted());
    assert!(!SideEffects::Read.mutates() && SideEffects::Write.mutates());
}
