//! L5: what others may write is refused, with the command that mends it.

use rustix::fs::{Gid, Uid};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use stud_e2e::{Layer, World, run};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The file is refused for this reason; doing what the reason says mends it.
#[track_caller]
fn check(world: &World, path: &Path, message: &str, remedy: &str) {
    let reason = format!("ownership: {message}; {remedy}");
    assert_eq!(world.verdict(path), ("failed".to_owned(), reason));
    assert_eq!(world.error("greet", r#"{"name": "Ada"}"#)["class"], "not_found");
    world.others_work();
    let command = remedy.rsplit(": ").next().unwrap();
    let _ = run(Command::new("sh").args(["-c", command]), b"", Duration::from_secs(10)).exits(0);
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn l5_a_layer_that_everyone_may_write() {
    for mode in [0o777, 0o1777] {
        let world = World::with("hostile");
        let layer = world.tools(Layer::Global);
        set_mode(&layer, mode);
        let message = format!("everyone may write it (mode {mode:04o}), so that others decide what runs");
        check(&world, &layer, &message, &format!("chmod go-w '{}'", layer.display()));
    }
}

#[test]
fn l5_a_layer_that_its_group_may_write() {
    let world = World::with("hostile");
    let layer = world.tools(Layer::Global);
    set_mode(&layer, 0o775);
    let message = "its group may write it (mode 0775), so that others decide what runs";
    check(&world, &layer, message, &format!("chmod go-w '{}'", layer.display()));
}

#[test]
fn l5_a_library_that_others_may_write() {
    for (mode, who) in [(0o666, "everyone"), (0o664, "its group"), (0o602, "everyone")] {
        let world = World::new();
        let file = world.put(Layer::Global, "hostile");
        set_mode(&file, mode);
        let message = format!("{who} may write it (mode {mode:04o}), so that others decide what runs");
        check(&world, &file, &message, &format!("chmod go-w '{}'", file.display()));
    }
}

#[test]
fn l5_a_library_of_another_user() {
    let world = World::new();
    let file = world.put(Layer::Global, "hostile");
    if rustix::fs::chown(&file, Some(Uid::from_raw(54_321)), None::<Gid>).is_err() {
        // Only root can give a file away.
        return;
    }
    let message = "it belongs to user 54321, who is neither you nor root and could change it at any time";
    check(&world, &file, message, &format!("if you trust it: chown 0 '{}'", file.display()));
}

#[test]
fn l5_a_link_is_judged_by_what_it_leads_to() {
    let world = World::new();
    let target = world.put(Layer::Global, "hostile");
    let hidden = world.tools(Layer::Global).join("hidden");
    fs::rename(target, &hidden).unwrap();
    set_mode(&hidden, 0o666);
    let link = world.tools(Layer::Global).join("link.so");
    std::os::unix::fs::symlink("hidden", &link).unwrap();
    let (status, reason) = world.verdict(&link);
    assert_eq!(status, "failed");
    assert!(reason.starts_with("ownership: everyone may write it (mode 0666)"), "{reason}");
}

#[test]
fn l5_the_projects_layer_is_held_to_the_same() {
    let world = World::new();
    world.put(Layer::Project, "hostile");
    let layer = world.tools(Layer::Project);
    set_mode(&layer, 0o777);
    let _ = world.stud(&["trust", "--yes"]);
    let (status, reason) = world.verdict(&layer);
    assert_eq!(status, "failed");
    assert!(reason.starts_with("ownership: everyone may write it"), "{reason}");
    assert!(world.listed("greet").is_empty());
}

#[test]
fn t3_a_trust_file_that_others_may_write_trusts_nothing() {
    let world = World::new();
    world.put(Layer::Project, "hostile");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    let file = world.home().join("trust.toml");
    set_mode(&file, 0o666);
    assert_eq!(world.listed("greet")[0]["status"], "untrusted");
    let _ = world.stud(&["tools"]).exits(0).says("nothing of this project is trusted").says("chmod go-w");
    let _ = world.stud(&["trust"]).exits(2);
    world.others_work();
}
