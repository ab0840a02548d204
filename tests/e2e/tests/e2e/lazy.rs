//! L7 and inspection: nothing of a library runs before somebody calls it. A constructor that writes a file is the canary.

use std::path::PathBuf;
use stud_e2e::{Layer, World, artefacts};

/// A world whose constructor writes this file when it runs.
pub(crate) fn canary() -> (World, PathBuf) {
    let world = World::new();
    let file = world.root().join("constructor-ran");
    let order = format!("write={}", file.display());
    (world.env("STUD_FIXTURE_CONSTRUCTOR", order), file)
}

#[test]
fn c3_inspect_shows_the_contract_and_executes_nothing() {
    let (world, ran) = canary();
    let library = artefacts().fixture("constructor").to_str().unwrap();
    let inspected = world.stud(&["inspect", library, "--json"]).exits(0).json();
    assert_eq!(inspected["tools"][0]["name"], "canary");
    assert_eq!(inspected["plugin"]["name"], "stud-fixture-constructor");
    assert_eq!(inspected["compatible"], true);
    let shown = world.stud(&["inspect", library]).exits(0);
    assert!(shown.stdout.contains("canary") && shown.stdout.contains("this host would load it"), "{shown}");
    assert!(!ran.exists());
}

#[test]
fn l7_no_command_opens_what_nobody_calls() {
    let (world, ran) = canary();
    world.put(Layer::Global, "constructor");
    world.put(Layer::Global, "hostile");
    // Twice each: with a cold cache and with a warm one.
    for _ in 0..2 {
        for arguments in [
            &["tools"][..],
            &["tools", "--json"],
            &["tools", "read_file"],
            &["config"],
            &["trust"],
            &["trust", "--list"],
            &["call", "greet", "name=Ada"],
        ] {
            let _ = world.stud(arguments).exits(0);
            assert!(!ran.exists(), "{arguments:?}");
        }
        let _ = world.console("/tools\n/config\n/help\n/reload\ngreet name=Ada\n/quit\n").exits(0);
        assert!(!ran.exists());
    }
    // The test can fail: a call opens it.
    assert_eq!(world.text("canary", "{}"), "alive");
    assert!(ran.exists());
}

#[test]
fn l7_install_and_uninstall_open_nothing() {
    let (world, ran) = canary();
    let library = artefacts().fixture("constructor").to_str().unwrap();
    std::fs::remove_dir(world.tools(Layer::Global)).unwrap();
    let _ = world.stud(&["install", library]).exits(0);
    assert_eq!(world.listed("canary")[0]["status"], "active");
    let _ = world.stud(&["install", library]).exits(2).says("is there already").says("--force replaces it");
    let _ = world.stud(&["install", library, "--force"]).exits(0);
    let _ = world.stud(&["uninstall", "canary"]).exits(0);
    assert!(world.listed("canary").is_empty());
    let _ = world
        .stud(&["uninstall", "canary"])
        .exits(1)
        .says("the global layer has no library, plugin or tool named `canary`");
    assert!(!ran.exists());
}

#[test]
fn l7_the_cache_follows_the_file() {
    let world = World::with("constructor");
    assert_eq!(world.listed("canary").len(), 1);
    let file = world.tools(Layer::Global).join("libconstructor.so");
    // Written in place, to the same name.
    std::fs::write(&file, std::fs::read(artefacts().fixture("hostile")).unwrap()).unwrap();
    assert!(world.listed("canary").is_empty());
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn l7_a_broken_cache_is_no_cache() {
    let world = World::with("constructor");
    assert_eq!(world.text("canary", "{}"), "alive");
    let mut files = vec![world.home().join("cache/files.json")];
    let described = std::fs::read_dir(world.home().join("cache/descriptions")).unwrap();
    files.extend(described.map(|entry| entry.unwrap().path()));
    assert!(files.len() > 1);
    for garbage in [&b""[..], b"{", b"null", b"[[[[[[[[[["] {
        files.iter().for_each(|file| std::fs::write(file, garbage).unwrap());
        assert_eq!(world.listed("canary")[0]["status"], "active");
        assert_eq!(world.text("canary", "{}"), "alive");
    }
}
