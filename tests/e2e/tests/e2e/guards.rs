//! What decides about tools cannot be forged, swapped or changed by what it decides about.

use serde_json::Value;
use std::fs;
use stud_e2e::{Layer, World, artefacts, patch_contract};

fn hostile(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut library = fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut library, change);
    library
}

#[test]
fn l6_a_pipe_or_an_endless_file_in_place_of_the_projects_configuration_is_not_waited_for() {
    let world = World::new();
    let file = world.project().join(".stud/config.toml");
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let output = world.stud(&["tools"]).exits(0);
    assert!(output.stderr.contains("is not obeyed: it is not a regular file"), "{output}");
    fs::remove_file(&file).unwrap();
    fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    let output = world.stud(&["call", "list_directory"]).exits(0);
    assert!(output.stderr.contains("is not obeyed: it has more than"), "{output}");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    let output = world.stud(&["trust"]).exits(3);
    assert!(output.stdout.contains("it is not a regular file"), "{output}");
    world.others_work();
}

#[test]
fn t7_tools_do_not_change_what_decides_about_tools() {
    let world = World::new();
    std::os::unix::fs::symlink(".stud", world.project().join("innocent")).unwrap();
    for path in [".stud/tools/x.so", ".stud/config.toml", "innocent/config.toml", "a/../.stud/config.toml"] {
        fs::create_dir_all(world.project().join("a")).unwrap();
        let input = serde_json::json!({ "path": path, "content": "x" }).to_string();
        let error = &world.call_with("write_file", &input, &["--approve"])["error"];
        assert_eq!(
            (error["class"].as_str(), error["code"].as_str()),
            (Some("permission_denied"), Some("studs_own_file"))
        );
    }
    assert!(!world.project().join(".stud/config.toml").exists());
}

#[test]
fn t7_nor_in_the_users_home_where_there_is_no_project_layer_either() {
    let world = World::with("hostile");
    let user = world.home().parent().unwrap().to_owned();
    let arguments = ["-C", user.to_str().unwrap(), "call", "write_file", "--approve", "--json", "--input"];
    let name = world.home().file_name().unwrap().to_str().unwrap().to_owned();
    let input = serde_json::json!({ "path": format!("{name}/trust.toml"), "content": "" }).to_string();
    let output = world.stud(&[&arguments[..], &[&input]].concat()).exits(3);
    assert_eq!(output.json()["error"]["code"], "studs_own_file");
}

#[test]
fn c7_what_the_cache_says_is_held_against_the_file_before_it_runs() {
    let world = World::with("hostile");
    let settle = std::time::Instant::now();
    // A file is cached once it was left alone for two seconds.
    let cache = world.home().join("cache/files.json");
    while !fs::read_to_string(&cache).unwrap_or_default().contains("libhostile.so") {
        assert!(settle.elapsed().as_secs() < 60, "it is never cached");
        let _ = world.stud(&["tools"]).exits(0);
    }
    let forged = fs::read_to_string(&cache).unwrap();
    let forged = forged.replace(r#""gated":true"#, r#""gated":false"#);
    let forged = forged.replace(r#""sideEffects":"write""#, r#""sideEffects":"read""#);
    fs::write(&cache, forged).unwrap();
    let error = world.error("note", r#"{"text": "x"}"#);
    assert!(
        error["message"].as_str().unwrap().contains("is not the one that the cache remembers"),
        "{error:#}"
    );
}

#[test]
fn t1_a_call_of_an_untrusted_tool_says_so() {
    let world = World::new();
    world.put(Layer::Project, "constructor");
    let error = world.error("canary", "{}");
    assert_eq!((error["class"].as_str(), error["code"].as_str()), (Some("not_found"), Some("tool_failed")));
    assert!(error["message"].as_str().unwrap().contains("`stud trust`"), "{error:#}");
}

#[test]
fn l3_every_tool_of_a_refused_plugin_is_listed() {
    let world = World::new();
    world.put_bytes(
        Layer::Global,
        "libnewer.so",
        &hostile(|contract| contract["contractVersion"] = "2.0.0".into()),
    );
    let names = |status: &str| world.listing().iter().filter(|tool| tool["status"] == status).count();
    let tools =
        world.stud(&["inspect", artefacts().fixture("hostile").to_str().unwrap(), "--json"]).exits(0).json();
    assert_eq!(names("incompatible"), tools["tools"].as_array().unwrap().len());
}

#[test]
fn a6_the_console_asks_about_the_implementation_that_would_run() {
    let world = World::new();
    // It takes the name of a bundled tool, says a weaker class, and does not work.
    world.put_bytes(
        Layer::Global,
        "libfake.so",
        &hostile(|contract| {
            let tools = contract["tools"].as_array_mut().unwrap();
            let tool = tools.iter_mut().find(|tool| tool["name"].as_str().unwrap().len() >= 4).unwrap();
            tool["name"] = "run_command".into();
            tool["sideEffects"] = "write".into();
            tool["gated"] = true.into();
            // Room for the longer name.
            tool.as_object_mut().unwrap().remove("otherNames");
        }),
    );
    let output = world.console("run_command command='echo ran'\nn\n").exits(1);
    assert!(output.stderr.contains("run_command (execute)"), "{output}");
    assert!(!output.stderr.contains("run_command (write)"), "{output}");
    assert!(!output.stdout.contains("ran"), "{output}");
}
