use serde_json::{Value, json};
use stud_plugin_testkit::{ErrorClass, TestHost};
use stud_tools_files::list_directory;

#[track_caller]
fn list(host: &TestHost, args: Value) -> String {
    host.call::<list_directory>(args).unwrap().text
}

#[test]
fn b_directories_come_first_and_sizes_are_shown() {
    let host = TestHost::new();
    host.write("b.txt", "1234")
        .write("src/a.rs", "")
        .write("src/deep/x", "")
        .write(".git/objects/o", "")
        .write("ä", "x".repeat(2048));
    std::os::unix::fs::symlink("/etc/passwd", host.path("link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(host.path("pipe")).status().unwrap().success());
    let top = ".git/\nsrc/\nb.txt  4 B\nlink  (link)\npipe  (pipe, socket or device)\nä  2.0 KB\n[2 directories, 4 files]\n";
    assert_eq!(list(&host, json!({})), top);
    assert_eq!(list(&host, json!({"path": host.workspace()})), top);
    assert_eq!(
        list(&host, json!({"path": "src", "depth": 2})),
        "deep/\n  x  0 B\na.rs  0 B\n[1 directory, 2 files]\n"
    );
    // What is in `.git` is shown only when asked for.
    assert!(!list(&host, json!({"depth": 3})).contains("objects"));
    assert_eq!(list(&host, json!({"path": ".git"})), "objects/\n[1 directory, 0 files]\n");
    std::fs::create_dir(host.path("empty")).unwrap();
    assert_eq!(list(&host, json!({"path": "empty"})), "[`empty` is empty]");
}

#[test]
fn b_what_cannot_be_listed_is_an_error() {
    let host = TestHost::new();
    host.write("f", "");
    for (args, code) in [
        (json!({"path": "none"}), "path_not_found"),
        (json!({"path": "f"}), "not_a_directory"),
        (json!({"path": ""}), "invalid_path"),
        (json!({"depth": 0}), "invalid_arguments"),
        (json!({"depth": 9}), "invalid_arguments"),
    ] {
        assert_eq!(host.call::<list_directory>(args.clone()).unwrap_err().code, code, "{args}");
    }
    host.cancel();
    assert_eq!(host.call::<list_directory>(json!({})).unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn b_a_listing_is_bounded_and_says_what_is_missing() {
    let host = TestHost::new();
    for directory in 0..15 {
        for file in 0..120 {
            host.write(&format!("d{directory:02}/f{file:03}"), "");
        }
    }
    let output = list(&host, json!({"depth": 2}));
    assert!(output.contains("  [20 more entries not shown]\n"), "{output}");
    assert!(output.ends_with("5 directories not looked into: list them by themselves]\n"), "{output}");
    assert!(output.contains("d14/\n"), "{output}");
    assert!(output.lines().count() < 1100);
    for file in 0..1200 {
        host.write(&format!("many/f{file}"), "");
    }
    let output = list(&host, json!({"path": "many"}));
    assert!(output.ends_with("[200 more entries not shown]\n[0 directories, 1200 files]\n"), "{output}");
}

#[test]
fn b_a_name_cannot_forge_an_entry() {
    let host = TestHost::new();
    host.write("a\nb/  9 B", "");
    assert_eq!(list(&host, json!({})), "a\u{FFFD}b/\n[1 directory, 0 files]\n");
}
