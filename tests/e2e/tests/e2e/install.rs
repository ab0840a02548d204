//! C7, C10, L1: what `stud install` and `stud uninstall` do to a layer, and what they refuse to do.

use std::fs;
use stud_e2e::{Layer, World, artefacts, patch_contract};

fn fixture(name: &str) -> Vec<u8> {
    fs::read(artefacts().fixture(name)).unwrap()
}

#[test]
fn install_never_replaces_a_file_without_force() {
    let world = World::new();
    // The name that it gets is what counts, not the one that it has.
    let from = world.root().join("a");
    fs::write(&from, fixture("constructor")).unwrap();
    let there = world.put_bytes(Layer::Global, "a.so", b"something else");
    let from = from.to_str().unwrap();
    let _ = world.stud(&["install", from]).exits(2).says("is there already").says("--force replaces it");
    assert_eq!(fs::read(&there).unwrap(), b"something else");
    let _ = world.stud(&["install", from, "--force"]).exits(0);
    assert_eq!(fs::read(&there).unwrap(), fixture("constructor"));
}

#[test]
fn c10_install_refuses_a_name_that_the_layer_has() {
    let world = World::new();
    let there = world.put_bytes(Layer::Global, "a.so", &fixture("hostile"));
    let from = artefacts().fixture("hostile").to_str().unwrap();
    for flags in [&["install", from][..], &["install", from, "--force"]] {
        let _ = world.stud(flags).exits(2).says(there.to_str().unwrap()).says("neither would be used");
    }
    assert_eq!(world.listed("greet")[0]["status"], "active");
    // Another layer may have it: it shadows.
    let _ = world.stud(&["install", from, "--project"]).exits(0);
}

#[test]
fn c7_install_refuses_what_needs_approval_and_asks_for_none() {
    let world = World::new();
    let mut bytes = fixture("hostile");
    patch_contract(&mut bytes, |contract| {
        contract["tools"][0]["name"] = "greet2".into();
        contract["tools"][0]["sideEffects"] = "execute".into();
        contract["tools"][0]["gated"] = false.into();
        contract.as_object_mut().unwrap().remove("discoveryRules");
    });
    let from = world.root().join("ungated.so");
    fs::write(&from, bytes).unwrap();
    let from = from.to_str().unwrap();
    let _ = world.stud(&["install", from]).exits(2).says("needs no approval").says("allow_ungated");
    assert!(!world.tools(Layer::Global).join("ungated.so").exists());
    world.config("allow_ungated = [\"greet2\"]\n");
    let _ = world.stud(&["install", from]).exits(0);
}

#[test]
fn uninstall_asks_which_of_several() {
    let world = World::new();
    let [a, b] = ["a.so", "b.so"].map(|name| world.put_bytes(Layer::Global, name, &fixture("constructor")));
    let output = world.stud(&["uninstall", "canary"]).exits(2).says("stands for several of the global layer");
    let _ = output.says(a.to_str().unwrap()).says(b.to_str().unwrap());
    assert!(a.exists() && b.exists());
    let _ = world.stud(&["uninstall", "b.so"]).exits(0);
    assert!(a.exists() && !b.exists());
    let _ = world.stud(&["uninstall", "canary"]).exits(0);
    assert!(!a.exists());
}

#[test]
fn install_and_uninstall_answer_programs() {
    let world = World::new();
    let from = artefacts().fixture("constructor").to_str().unwrap();
    let target = world.tools(Layer::Global).join("libstud_fixture_constructor.so");
    let answer = world.stud(&["install", from, "--json"]).exits(0).json();
    assert_eq!(answer, serde_json::json!({ "installed": target.to_str(), "layer": "global" }));
    let answer = world.stud(&["uninstall", "canary", "--json"]).exits(0).json();
    assert_eq!(answer, serde_json::json!({ "removed": target.to_str(), "layer": "global" }));
}

#[test]
fn a_home_whose_path_is_no_unicode_is_used() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let home = world.root().join(std::ffi::OsStr::from_bytes(b"home\xff"));
    fs::rename(world.home(), &home).unwrap();
    let stud = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        stud_e2e::run(command.env("STUD_HOME", &home), b"", std::time::Duration::from_secs(60))
    };
    let _ = stud(&["install", artefacts().fixture("constructor").to_str().unwrap()]).exits(0);
    assert!(home.join("tools/libstud_fixture_constructor.so").exists());
    assert_eq!(stud(&["call", "canary"]).exits(0).stdout, "alive\n");
}

#[test]
fn a_file_is_no_directory_to_work_in() {
    let world = World::new();
    let file = world.file("a.txt", "");
    let _ = world.stud(&["-C", file.to_str().unwrap(), "tools"]).exits(2).says("a.txt` is not a directory");
}
