//! T5: what is checked is what is loaded.

use crate::lazy::canary;
use std::fs;
use stud_e2e::{Layer, artefacts};

#[test]
fn t5_a_file_swapped_between_listing_and_call_never_runs() {
    let (world, ran) = canary();
    let file = world.put(Layer::Global, "hostile");
    let mut console = world.start(&[]);
    console.line("/tools");
    console.wait_for("greet");
    // Replaced by a rename, as an installer or an attacker would.
    let other =
        world.put_bytes(Layer::Global, "other", &fs::read(artefacts().fixture("constructor")).unwrap());
    fs::rename(other, &file).unwrap();
    console.line("greet name=Ada");
    console.line("read_file path=missing");
    let output = console.finish().exits(1).says("it changed while it was being loaded");
    assert!(output.stderr.contains("try again once it is no longer being written"), "{output}");
    assert!(!ran.exists());
    // Opened anew, the host sees what is there now.
    assert!(world.listed("greet").is_empty());
    assert_eq!(world.text("canary", "{}"), "alive");
}

#[test]
fn t5_a_trusted_file_swapped_between_listing_and_call_never_runs() {
    let (world, ran) = canary();
    let file = world.put(Layer::Project, "hostile");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let mut console = world.start(&[]);
    console.line("/tools");
    console.wait_for("greet");
    fs::write(&file, fs::read(artefacts().fixture("constructor")).unwrap()).unwrap();
    console.line("greet name=Ada");
    let _ = console.finish().exits(1).says("it changed while it was being loaded");
    assert!(!ran.exists());
    assert_eq!(world.listed("canary")[0]["status"], "untrusted");
}

#[test]
fn t5_a_file_swapped_after_the_first_call_changes_nothing_in_the_running_host() {
    let (world, ran) = canary();
    let file = world.put(Layer::Global, "hostile");
    let mut console = world.start(&[]);
    console.line("greet name=Ada");
    console.wait_for("hello Ada");
    // Written in place: the private copy is another file.
    fs::write(&file, fs::read(artefacts().fixture("constructor")).unwrap()).unwrap();
    console.line("greet name=Bob");
    console.wait_for("hello Bob");
    let _ = console.finish().exits(0);
    assert!(!ran.exists());
}

#[test]
fn t5_a_private_copy_that_was_changed_is_made_anew() {
    let (world, ran) = canary();
    world.put(Layer::Global, "hostile");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    let other = fs::read(artefacts().fixture("constructor")).unwrap();
    let copies: Vec<_> =
        fs::read_dir(world.home().join("staged")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!copies.is_empty());
    for garbage in [&other[..], b"", &other[..1000]] {
        copies.iter().for_each(|copy| fs::write(copy, garbage).unwrap());
        assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    }
    assert!(!ran.exists());
}

#[test]
fn t5_private_copies_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = stud_e2e::World::with("hostile");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    let directory = world.home().join("staged");
    for path in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).chain([directory]) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{path:?} has mode {mode:o}");
    }
}

#[test]
fn t5_the_hidden_command_opens_private_copies_only() {
    let (world, ran) = canary();
    let file = world.put(Layer::Global, "constructor");
    let output = world.stud(&["__describe", file.to_str().unwrap()]).exits(1);
    assert!(output.stderr.contains("it is no private copy of this user's"), "{output}");
    assert!(!ran.exists());
}

#[test]
fn t5_a_private_directory_that_others_may_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let (world, ran) = canary();
    world.put(Layer::Global, "hostile");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    for directory in [world.home().join("staged"), world.home()] {
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        let message = world.error("greet", r#"{"name": "Ada"}"#)["message"].as_str().unwrap().to_owned();
        assert!(message.contains(&format!("chmod go-w '{}'", directory.display())), "{message}");
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    }
    assert!(!ran.exists());
}

#[test]
fn t5_a_file_that_changes_all_the_time_runs_as_it_was_seen_or_not_at_all() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (world, ran) = canary();
    let [good, other] = ["hostile", "constructor"].map(|name| fs::read(artefacts().fixture(name)).unwrap());
    let file = world.put_bytes(Layer::Global, "mine.so", &good);
    let done = AtomicBool::new(false);
    let (mut worked, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for bytes in [&other, &good, &good] {
                    // In place, so that it is seen half-written, too.
                    fs::write(&file, bytes).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(15));
                }
            }
        });
        for _ in 0..25 {
            let result = world.call("greet", r#"{"name": "Ada"}"#);
            match result["error"]["class"].as_str() {
                None => {
                    assert_eq!(result["content"][0]["text"], "hello Ada");
                    worked += 1;
                }
                Some(class) => {
                    assert_eq!(class, "not_found", "{result:#}");
                    refused += 1;
                }
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(!ran.exists(), "{worked} calls worked, {refused} were refused");
    fs::write(&file, &good).unwrap();
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}
