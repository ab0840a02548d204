//! T1, T2, T3: a project's tools and configuration before and after trust.

use crate::lazy::canary;
use std::fs;
use std::os::unix::fs::symlink;
use stud_e2e::{Layer, World, artefacts, patch_contract};

#[test]
fn t1_untrusted_tools_are_listed_and_not_opened() {
    let (world, ran) = canary();
    let file = world.put(Layer::Project, "constructor");
    let line = &world.listed("canary")[0];
    assert_eq!((line["status"].as_str(), line["layer"].as_str()), (Some("untrusted"), Some("project")));
    assert_eq!(line["file"].as_str(), file.to_str());
    assert_eq!(
        line["reason"],
        "trust: this project, or this version of the file, is not trusted; look at it and confirm with `stud trust`"
    );
    assert_eq!(line["sha256"].as_str().unwrap().len(), 64);
    for arguments in [&["tools"][..], &["tools", "canary"], &["trust", "--json"], &["doctor"], &["config"]] {
        let _ = world.stud(arguments).exits(0);
    }
    assert_eq!(world.error("canary", "{}")["class"], "not_found");
    let _ = world.console("canary\n/tools\n/reload\ncanary\n").exits(1);
    assert!(!ran.exists());
}

#[test]
fn t2_without_a_terminal_it_stays_untrusted_and_says_so_once() {
    let (world, ran) = canary();
    world.put(Layer::Project, "constructor");
    world.put(Layer::Global, "hostile");
    let output = world.stud(&["call", "greet", "name=Ada"]).exits(0);
    assert_eq!(output.stdout, "hello Ada\n");
    assert_eq!(
        output.stderr,
        "1 file of this project is not trusted and not used; `stud trust` shows what waits\n"
    );
    let output = world.stud(&["trust"]).exits(3).says("nobody can be asked here: nothing was trusted");
    let output = output.says("hint: look at it above, then run `stud trust --yes`");
    // A `y` on a pipe is no answer of a person.
    let fed = world.fed(&["trust"], b"y\n").exits(3);
    assert_eq!(fed.stdout, output.stdout);
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    assert!(!ran.exists());
}

#[test]
fn t2_the_preview_shows_what_would_load() {
    let world = World::new().env("STUD_FIXTURE_TOKEN", "x");
    let mut library = fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut library, |contract| {
        let tool = &mut contract["tools"][0];
        tool["name"] = "grep".into();
        tool["capabilities"] = serde_json::json!(["net"]);
        contract.as_object_mut().unwrap().remove("discoveryRules");
    });
    world.put_bytes(Layer::Project, "mine.so", &library);
    world.put_bytes(Layer::Project, "bad.so", b"bad");
    world.project_config("[limits]\ntimeout_ms = 5\n");
    let shown = world.stud(&["trust"]).exits(3).stdout;
    for text in [
        ".stud/config.toml",
        ".stud/tools/mine.so  (stud-fixture-hostile 0.1.0)",
        "tool grep: none, runs without asking, wants net, takes the place of the bundled one",
        "tool note: write, asks before it runs",
        "sees STUD_FIXTURE_TOKEN",
        ".stud/tools/bad.so",
        "it would not load: the file is unknown (it begins with 62 61 64)",
    ] {
        assert!(shown.contains(text), "{text:?} is not in {shown}");
    }
    let preview = world.stud(&["trust", "--json"]).exits(0).json();
    assert_eq!(preview["granted"], false);
    let digest = preview["preview"]["files"][2]["sha256"].as_str().unwrap();
    assert!(shown.contains(digest), "{shown}");
}

#[test]
fn t3_yes_grants_and_a_changed_file_is_untrusted_again() {
    let (world, ran) = canary();
    let file = world.put(Layer::Project, "constructor");
    let output = world.stud(&["trust", "--yes"]).exits(0);
    assert!(output.stdout.ends_with("trusted; `stud tools` shows what is active now\n"), "{output}");
    assert!(!ran.exists(), "trusting opens nothing");
    assert_eq!(world.listed("canary")[0]["status"], "active");
    assert_eq!(world.text("canary", "{}"), "alive");
    assert!(ran.exists());
    fs::remove_file(&ran).unwrap();

    let output = world.stud(&["trust"]).exits(0);
    assert!(output.stdout.ends_with("all of it is trusted already\n"), "{output}");

    // One more byte behind everything: the same code, another file.
    let mut bytes = fs::read(&file).unwrap();
    patch_contract(&mut bytes, |contract| contract["rustc"] = "another".into());
    fs::write(&file, bytes).unwrap();
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    assert_eq!(world.error("canary", "{}")["class"], "not_found");
    assert!(!ran.exists());
    let output = world.stud(&["trust"]).exits(3);
    assert!(output.stdout.contains("changed   .stud/tools/libconstructor.so"), "{output}");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(world.text("canary", "{}"), "alive");
}

#[test]
fn t3_a_new_file_is_untrusted_and_the_others_stay_trusted() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    world.put(Layer::Project, "hostile");
    assert_eq!(world.listed("greet")[0]["status"], "untrusted");
    assert_eq!(world.text("canary", "{}"), "alive");
    let output = world.stud(&["trust"]).exits(3);
    assert!(output.stdout.contains("new       .stud/tools/libhostile.so"), "{output}");
    assert!(output.stdout.contains("unchanged .stud/tools/libconstructor.so"), "{output}");
}

#[test]
fn t3_the_trusted_bytes_under_another_name_are_a_new_file() {
    let world = World::new();
    let file = world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    fs::rename(&file, file.with_file_name("other.so")).unwrap();
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    let output = world.stud(&["trust"]).exits(3);
    assert!(output.stdout.contains("removed   .stud/tools/libconstructor.so"), "{output}");
}

#[test]
fn t3_revoke_forgets_it() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(world.text("canary", "{}"), "alive");
    let output = world.stud(&["trust", "--revoke"]).exits(0);
    assert_eq!(output.stdout, "this project is not trusted any more\n");
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    let output = world.stud(&["trust", "--revoke"]).exits(0);
    assert_eq!(output.stdout, "this project was not trusted\n");
    let _ = world.stud(&["trust", "--revoke", "--yes"]).exits(2);
}

#[test]
fn t3_list_shows_the_trusted_projects() {
    let world = World::new();
    assert_eq!(world.stud(&["trust", "--list"]).exits(0).stdout, "no project is trusted\n");
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let projects = world.stud(&["trust", "--list", "--json"]).exits(0).json();
    let project = fs::canonicalize(world.project()).unwrap();
    assert_eq!(projects[0]["project"].as_str(), project.to_str());
    assert_eq!(projects[0]["trust"], "files");
    assert_eq!(projects[0]["relax"], false);
    assert!(projects[0]["files"]["tools/libconstructor.so"].is_string(), "{projects:#}");
    assert!(world.stud(&["trust", "--list"]).exits(0).stdout.contains("1 file"));
}

#[test]
fn t3_path_accepts_changes_without_asking() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--path", "--yes"]).exits(0);
    world.put(Layer::Project, "hostile");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    let output = world.stud(&["tools"]).exits(0);
    assert_eq!(output.stderr, "");
    let projects = world.stud(&["trust", "--list", "--json"]).exits(0).json();
    assert_eq!(projects[0]["trust"], "path");
    // Back to files: what lies there now is what counts.
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let file = world.put(Layer::Project, "refused");
    assert_eq!(world.listed("neighbour")[0]["status"], "untrusted", "{file:?}");
}

#[test]
fn t3_trust_belongs_to_the_directory_and_not_to_its_name() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let link = world.root().join("link");
    symlink(world.project(), &link).unwrap();
    let through_link = world.stud(&["-C", link.to_str().unwrap(), "call", "canary"]).exits(0);
    assert_eq!(through_link.stdout, "alive\n");
    // No walk up: a directory within is another project.
    fs::create_dir(world.project().join("sub")).unwrap();
    let below =
        world.stud(&["-C", world.project().join("sub").to_str().unwrap(), "tools", "--json"]).exits(0).json();
    assert!(below["tools"].as_array().unwrap().iter().all(|tool| tool["layer"] == "bundled"));
}

#[test]
fn t1_the_whole_project_directory_may_be_a_link_and_is_held_to_the_same() {
    let (world, ran) = canary();
    let elsewhere = world.root().join("elsewhere");
    fs::rename(world.project().join(".stud"), &elsewhere).unwrap();
    symlink(&elsewhere, world.project().join(".stud")).unwrap();
    world.put(Layer::Project, "constructor");
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    assert!(!ran.exists());
}

#[test]
fn t3_a_broken_trust_file_trusts_nothing() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    fs::write(world.home().join("trust.toml"), "projects = 5").unwrap();
    let _ = world.stud(&["tools"]).exits(0).says("nothing of this project is trusted");
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
    let _ = world.stud(&["trust", "--yes"]).exits(2);
    let _ = world.stud(&["trust", "--list"]).exits(2);
    world.others_work();
}

#[test]
fn t1_nothing_to_trust() {
    let world = World::new();
    let output = world.stud(&["trust"]).exits(0);
    assert_eq!(output.stdout, "this project has no tools and no configuration: there is nothing to trust\n");
    for flags in [&["trust", "--json", "--yes"][..], &["trust", "--json", "--yes", "--path"]] {
        assert_eq!(world.stud(flags).exits(0).json()["granted"], false);
    }
    assert_eq!(world.stud(&["trust", "--list"]).exits(0).stdout, "no project is trusted\n");
}

#[test]
fn t3_a_project_whose_path_is_no_unicode_cannot_be_trusted_and_says_so() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let odd = world.root().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    fs::rename(world.project(), &odd).unwrap();
    fs::create_dir(world.project()).unwrap();
    fs::write(odd.join("a.txt"), "odd\n").unwrap();
    let odd_stud = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        stud_e2e::run(command.current_dir(&odd), b"", std::time::Duration::from_secs(60))
    };
    let _ = odd_stud(&["trust", "--yes"]).exits(2).says("is not Unicode").says("rename");
    let listing = odd_stud(&["tools", "canary", "--json"]).exits(0).json();
    assert_eq!(listing["tools"][0]["status"], "untrusted");
    // Everything else works there.
    assert_eq!(odd_stud(&["call", "read_file", "path=a.txt"]).exits(0).stdout, "1\todd\n");
}
