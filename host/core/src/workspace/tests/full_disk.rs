//! A disk that runs full in the middle of a write, for real: this test runs itself again under a file size limit.
#![allow(clippy::disallowed_methods, reason = "the test runs itself under a limit")]

use std::process::Command;

use stud_contract::ErrorClass;

use super::*;

const ROOT_VARIABLE: &str = "STUD_TEST_FULL_DISK_ROOT";

#[test]
fn w2_a_write_that_the_system_stops_leaves_the_old_content() {
    let fixture = Fixture::new();
    fixture.file("a", "old").file("log", "line\n");
    let child = module_path!().split_once("::").unwrap().1.to_owned() + "::child";
    // Ignoring the signal turns the limit (in blocks of 512 or 1024 bytes) into an ordinary error of `write`.
    let output = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 100; exec "$0" --exact "$1" --nocapture"#])
        .arg(std::env::current_exe().unwrap())
        .arg(child)
        .env(ROOT_VARIABLE, &fixture.root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!((fixture.content("a"), fixture.content("log")), ("old".to_owned(), "line\n".to_owned()));
    fixture.check_no_leftovers();
    assert_eq!(fs::read_dir(&fixture.root).unwrap().count(), 2);
}

/// The part of the test above that runs under the limit; alone it has no directory to work in and nothing to say.
#[test]
fn child() {
    let Ok(root) = std::env::var(ROOT_VARIABLE) else { return };
    let w = Workspace::open(Path::new(&root)).unwrap();
    let too_much = "x".repeat(1_000_000);
    for error in [
        w.write("a", too_much.as_bytes(), WriteOptions::default()).unwrap_err(),
        w.write("new", too_much.as_bytes(), WriteOptions::default()).unwrap_err(),
        w.append("new", too_much.as_bytes(), false).unwrap_err(),
        w.append("log", too_much.as_bytes(), false).unwrap_err(),
        w.patch("a", "old", &too_much).unwrap_err(),
    ] {
        assert_eq!((error.code(), error.class()), ("io_error", ErrorClass::ExecutionError), "{error:?}");
    }
}
