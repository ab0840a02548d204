//! W1: paths that lead out of the workspace, through the real file tools.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use stud_e2e::World;

const SECRET: &str = "secret of somebody else\n";

/// A workspace with a secret beside it and links that lead there.
fn world() -> (World, PathBuf) {
    let world = World::new();
    let outside = fs::canonicalize(world.root()).unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    let secret = outside.join("secret.txt");
    fs::write(&secret, SECRET).unwrap();
    world.file("inside/a.txt", "inside\n");
    for (target, link) in [
        (secret.as_path(), "link_to_file"),
        (outside.as_path(), "link_to_directory"),
        ("../outside".as_ref(), "relative_link"),
        ("link_to_directory".as_ref(), "link_to_link"),
        (outside.join("new.txt").as_path(), "link_to_nothing"),
        ("/".as_ref(), "link_to_root"),
        ("loop".as_ref(), "loop"),
        ("inside".as_ref(), "honest_link"),
    ] {
        symlink(target, world.project().join(link)).unwrap();
    }
    (world, secret)
}

/// Calls each file tool with the path: all answer with an error of this class and code, and nothing outside changes.
#[track_caller]
fn refused(path: &dyn Fn(&World, &str) -> String, class: &str, code: &str) {
    let (world, secret) = world();
    let path = path(&world, secret.to_str().unwrap());
    let calls: [(&str, Value); 5] = [
        ("read_file", json!({ "path": path })),
        ("write_file", json!({ "path": path, "content": "overwritten" })),
        ("edit_file", json!({ "path": path, "old_text": "secret", "new_text": "public" })),
        ("delete_file", json!({ "path": path })),
        ("list_directory", json!({ "path": path })),
    ];
    for (tool, input) in calls {
        let result = world.call_with(tool, &input.to_string(), &["--approve"]);
        let error = &result["error"];
        assert_eq!(error["class"], class, "{tool} {path:?}: {result:#}");
        assert_eq!(error["code"], code, "{tool} {path:?}: {result:#}");
        if code == "path_escapes" {
            assert!(
                error["message"].as_str().unwrap().contains("Path escapes workspace boundary"),
                "{error:#}"
            );
        }
        assert!(!result.to_string().contains("secret of"), "{result:#}");
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), SECRET, "{path:?}");
    assert_eq!(fs::read_dir(secret.parent().unwrap()).unwrap().count(), 1, "{path:?}");
}

#[track_caller]
fn escapes(path: &str) {
    refused(&|_, _| path.to_owned(), "permission_denied", "path_escapes");
}

#[test]
fn w1_dots() {
    escapes("../outside/secret.txt");
    escapes("inside/../../outside/secret.txt");
    escapes("./.././outside/./secret.txt");
}

#[test]
fn w1_dots_that_come_back() {
    // What is inside in the end was outside on its way.
    escapes("../../../../../../../../etc/passwd");
    escapes("..");
}

#[test]
fn w1_absolute() {
    refused(&|_, secret| secret.to_owned(), "permission_denied", "path_escapes");
    escapes("/etc/passwd");
}

#[test]
fn w1_links_to_files() {
    let (world, secret) = world();
    for tool in ["read_file", "write_file"] {
        let input = json!({ "path": "link_to_file", "content": "overwritten" });
        let input = if tool == "read_file" { json!({ "path": "link_to_file" }) } else { input };
        let error = world.call_with(tool, &input.to_string(), &["--approve"])["error"].clone();
        assert_eq!(error["code"], "path_escapes", "{tool}: {error:#}");
    }
    // Deleting removes the link, which is the workspace's, and never what it leads to.
    let _ = world.call_with("delete_file", r#"{"path": "link_to_file"}"#, &["--approve"]);
    assert_eq!(fs::read_to_string(secret).unwrap(), SECRET);
}

#[test]
fn w1_links_to_directories() {
    for link in ["link_to_directory", "relative_link", "link_to_link"] {
        escapes(&format!("{link}/secret.txt"));
        escapes(&format!("inside/../{link}/secret.txt"));
    }
    escapes("link_to_root/etc/passwd");
}

#[test]
fn w1_nothing_is_made_through_a_link_that_leads_nowhere() {
    let (world, secret) = world();
    for path in ["link_to_nothing", "link_to_directory/new.txt", "relative_link/sub/new.txt"] {
        let input = json!({ "path": path, "content": "made outside" });
        let result = world.call_with("write_file", &input.to_string(), &["--approve"]);
        assert_eq!(result["error"]["code"], "path_escapes", "{path}: {result:#}");
    }
    assert_eq!(fs::read_dir(secret.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn w1_proc() {
    refused(&|_, secret| format!("/proc/self/root{secret}"), "permission_denied", "path_escapes");
    refused(&|_, _| "/proc/self/cwd/../outside/secret.txt".to_owned(), "permission_denied", "path_escapes");
    escapes("/proc/self/environ");
    escapes("/dev/stdin");
}

#[test]
fn w1_nul() {
    refused(&|_, _| "inside/a.txt\0.png".to_owned(), "validation_error", "invalid_path");
    refused(&|_, _| "../outside\0".to_owned(), "validation_error", "invalid_path");
}

#[test]
fn w1_names_that_are_too_long() {
    refused(&|_, _| "n".repeat(300), "validation_error", "invalid_path");
    refused(&|_, _| "d/".repeat(5_000), "validation_error", "invalid_path");
}

#[test]
fn w1_loops_of_links_end() {
    let (world, _) = world();
    let error = world.error("read_file", r#"{"path": "loop"}"#);
    assert_eq!(
        (error["class"].as_str(), error["code"].as_str()),
        (Some("execution_error"), Some("too_many_links"))
    );
}

#[test]
fn w1_what_stays_inside_is_served() {
    let (world, _) = world();
    let root = fs::canonicalize(world.project()).unwrap();
    for path in [
        "inside/a.txt".to_owned(),
        "./inside/../inside/a.txt".to_owned(),
        "honest_link/a.txt".to_owned(),
        root.join("inside/a.txt").display().to_string(),
    ] {
        assert_eq!(world.text("read_file", &json!({ "path": path }).to_string()), "1\tinside\n", "{path}");
    }
}

#[test]
fn w1_search_tools_stay_inside_too() {
    let (world, _) = world();
    for input in [
        json!({ "pattern": "secret", "path": "../outside" }),
        json!({ "pattern": "secret", "path": "link_to_directory" }),
    ] {
        let result = world.call("grep", &input.to_string());
        assert!(!result.to_string().contains("of somebody else"), "{result:#}");
        assert_eq!(result["error"]["class"], "permission_denied", "{result:#}");
    }
    // A search of everything does not follow links out.
    let result = world.call("grep", r#"{"pattern": "somebody"}"#);
    assert!(!result.to_string().contains("secret of somebody"), "{result:#}");
}

#[test]
fn w1_not_a_regular_file() {
    let (world, _) = world();
    let fifo = world.project().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    for path in ["pipe", "inside"] {
        let error = world.error("read_file", &json!({ "path": path }).to_string());
        assert_eq!(error["code"], "not_a_file", "{error:#}");
    }
}

#[test]
fn w1_the_hosts_own_home_is_not_the_workspaces() {
    let (world, _) = world();
    world.config("[limits]\ntimeout_ms = 5000\n");
    let file = world.home().join("config.toml");
    let error = world.error("read_file", &json!({ "path": file }).to_string());
    assert_eq!(error["code"], "path_escapes");
}
