//! L2: folders with a `tool.toml`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use stud_e2e::{Layer, World, artefacts};

/// A folder entry with this description; the library in it is `libhostile.so`.
fn folder(toml: &str) -> (World, PathBuf) {
    let world = World::new();
    let library = fs::read(artefacts().fixture("hostile")).unwrap();
    let folder = world.put_bytes(Layer::Global, "mine/libhostile.so", &library).parent().unwrap().to_owned();
    fs::write(folder.join("tool.toml"), toml).unwrap();
    (world, folder)
}

#[track_caller]
fn check(toml: &str, message: &str) {
    let (world, folder) = folder(toml);
    let reason = format!(
        "discovery: {message}; it needs a table `[library]` with a line such as linux-x86_64 = \"libtool.so\""
    );
    assert_eq!(world.verdict(&folder.join("tool.toml")), ("failed".to_owned(), reason));
    world.others_work();
}

#[test]
fn l2_the_library_for_this_platform_is_taken() {
    let (world, folder) =
        folder("[library]\nlinux-x86_64 = \"libhostile.so\"\nmacos-aarch64 = \"libhostile.dylib\"\n");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    assert_eq!(world.listed("greet")[0]["file"].as_str(), folder.join("libhostile.so").to_str());
}

#[test]
fn l2_no_library_for_this_platform() {
    check("[library]\nmacos-aarch64 = \"libhostile.dylib\"\n", "it names no library for linux-x86_64");
}

#[test]
fn l2_the_library_lies_in_the_folder() {
    for name in ["../libhostile.so", "sub/libhostile.so", "/usr/lib/libc.so.6", "..", ".", ""] {
        check(
            &format!("[library]\nlinux-x86_64 = \"{name}\"\n"),
            &format!("`{name}` is not the name of a file in this folder"),
        );
    }
}

#[test]
fn l2_a_description_with_other_keys() {
    check("[library]\n[run]\ncommand = \"sh\"\n", "unknown field `run`, expected `library`");
}

#[test]
fn l2_a_library_that_is_not_there() {
    let (world, folder) = folder("[library]\nlinux-x86_64 = \"other.so\"\n");
    let (status, reason) = world.verdict(&folder.join("other.so"));
    assert_eq!(status, "failed");
    assert!(reason.starts_with("discovery: it cannot be read: No such file or directory"), "{reason}");
    world.others_work();
}

#[test]
fn l2_a_library_that_is_a_link_out_of_the_folder() {
    let (world, folder) = folder("[library]\nlinux-x86_64 = \"link.so\"\n");
    let outside = world.put(Layer::Global, "constructor");
    symlink(outside, folder.join("link.so")).unwrap();
    let (status, reason) = world.verdict(&folder.join("link.so"));
    assert_eq!(status, "failed");
    assert!(reason.starts_with("discovery: it is a symbolic link that leads out of its layer"), "{reason}");
}

#[test]
fn l2_a_folder_that_others_may_write() {
    let (world, folder) = folder("[library]\nlinux-x86_64 = \"libhostile.so\"\n");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let (status, reason) = world.verdict(&folder);
    assert_eq!(status, "failed");
    assert!(reason.starts_with("ownership: everyone may write it"), "{reason}");
    world.others_work();
}

#[test]
fn l2_a_folder_without_a_description_is_none_of_ours() {
    let (world, folder) = folder("");
    fs::remove_file(folder.join("tool.toml")).unwrap();
    assert!(world.listing().iter().all(|tool| tool["layer"] == "bundled"));
}

#[test]
fn l2_uninstalling_takes_the_whole_folder() {
    let (world, folder) = folder("[library]\nlinux-x86_64 = \"libhostile.so\"\n");
    let output = world.stud(&["uninstall", "greet"]).exits(0);
    assert_eq!(output.stdout, format!("removed `{}`\n", folder.display()));
    assert!(!folder.exists());
    assert!(world.listing().iter().all(|tool| tool["layer"] == "bundled"));
}
