//! T2, L3: what files and plugins say about themselves cannot draw on the terminal, nor look like the program's own words.

use serde_json::Value;
use stud_e2e::{Layer, Output, World, artefacts, patch_contract};

const FORGED: &str = "1\n  unchanged X\n\u{1b}]0;x\u{7}\u{202e}\u{200b}";

/// A fixture whose contract has been changed.
fn library(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut bytes = std::fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut bytes, |contract| {
        // Room for longer texts.
        contract["tools"].as_array_mut().unwrap().retain(|tool| tool["name"] == "greet");
        change(contract);
    });
    bytes
}

#[track_caller]
fn check(output: &Output) {
    let said = format!("{}{}", output.stdout, output.stderr);
    assert!(said.contains('\u{fffd}'), "it shows what was there: {output}");
    for forged in ['\u{1b}', '\u{7}', '\u{202e}', '\u{200b}'] {
        assert!(!said.contains(forged), "{forged:?} in {said:?}");
    }
    let line = said.lines().find(|line| line.trim_start().starts_with("unchanged X"));
    assert!(line.is_none(), "{output}");
}

#[test]
fn l3_a_plugins_version_stays_in_its_line() {
    let world = World::new();
    let file = world.put_bytes(
        Layer::Project,
        "a.so",
        &library(|contract| contract["plugin"]["version"] = FORGED.into()),
    );
    let file = file.to_str().unwrap();
    check(&world.stud(&["inspect", file]).exits(0));
    check(&world.stud(&["trust"]).exits(3));
    check(&world.stud(&["tools"]).exits(0));
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    check(&world.stud(&["tools", "greet"]).exits(0));
}

#[test]
fn l3_versions_that_are_none_stay_in_their_lines() {
    for field in ["contractVersion", "requiredCoreVersion"] {
        let world = World::new();
        let bytes = library(|contract| contract[field] = FORGED.into());
        let file = world.put_bytes(Layer::Project, "a.so", &bytes);
        let file = file.to_str().unwrap();
        check(&world.stud(&["inspect", file]).exits(1));
        for (command, code) in
            [(&["check", file][..], 1), (&["trust"], 3), (&["tools"], 0), (&["install", file], 1)]
        {
            let output = world.stud(command).exits(code);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(!said.contains('\u{1b}') && !said.contains("\n  unchanged X"), "{output}");
        }
    }
}

#[test]
fn l3_a_files_name_stays_in_its_line() {
    let world = World::new();
    let name = "a\n  unchanged X\u{1b}]0;x\u{7}\u{202e}\u{200b}.so";
    let sound = world.put_bytes(Layer::Project, name, &library(|_| ()));
    let sound = sound.to_str().unwrap();
    check(&world.stud(&["trust"]).exits(3));
    check(&world.stud(&["inspect", sound]).exits(0));
    check(&world.stud(&["install", sound]).exits(0));
    check(&world.stud(&["install", sound]).exits(2));
    check(&world.stud(&["tools"]).exits(0));
    check(&world.stud(&["uninstall", name]).exits(0));
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    check(&world.stud(&["tools", "greet"]).exits(0));
    let bad = world.put_bytes(Layer::Project, name, b"bad");
    check(&world.stud(&["trust"]).exits(3));
    check(&world.stud(&["inspect", bad.to_str().unwrap()]).exits(1));
    std::fs::remove_file(bad).unwrap();
    check(&world.stud(&["inspect", sound]).exits(1));
}

#[test]
fn l3_a_directorys_name_stays_in_its_line() {
    let world = World::new();
    let odd = world.root().join("p\n  unchanged X\u{1b}]0;x\u{7}\u{202e}\u{200b}");
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("file"), "").unwrap();
    check(&world.stud(&["-C", odd.join("file").to_str().unwrap(), "tools"]).exits(2));
    check(&world.stud(&["-C", odd.join("none").to_str().unwrap(), "tools"]).exits(2));
}
