//! L4: what lies in a layer and is no plugin is listed with its reason and hides nothing.

use rustix::fs::{CWD, Mode};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use stud_e2e::{Layer, World, artefacts};

fn hostile() -> Vec<u8> {
    fs::read(artefacts().fixture("hostile")).unwrap()
}

/// One bad entry beside a good one: it is listed as failed for this reason, everything else works.
#[track_caller]
fn check(world: &World, file: &Path, reason: &str) {
    world.put(Layer::Global, "constructor");
    assert_eq!(world.verdict(file), ("failed".to_owned(), reason.to_owned()));
    assert_eq!(world.text("canary", "{}"), "alive");
    world.others_work();
}

#[track_caller]
fn check_bytes(bytes: &[u8], reason: &str) {
    let world = World::new();
    let file = world.put_bytes(Layer::Global, "bad.so", bytes);
    check(&world, &file, reason);
    // Looking at it by hand says the same, and fails.
    let inspected = world.stud(&["inspect", file.to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!(inspected["compatible"], false);
    let problem = &inspected["problems"][0];
    let said = format!(
        "{}: {}; {}",
        problem["stage"].as_str().unwrap(),
        problem["message"].as_str().unwrap(),
        problem["remedy"].as_str().unwrap()
    );
    assert_eq!(said, reason);
    let checked = world.stud(&["check", file.to_str().unwrap()]).exits(1);
    assert!(checked.stdout.contains(problem["message"].as_str().unwrap()), "{checked}");
    let _ = world
        .stud(&["install", file.to_str().unwrap(), "--force"])
        .exits(1)
        .says(problem["message"].as_str().unwrap());
}

const NO_LIBRARY: &str =
    r#"put a shared library there, built with `crate-type = ["cdylib"]`, or remove the file"#;
const COPY_AGAIN: &str = "copy the file again and let the copy finish, or build the plugin again";

#[test]
fn l4_an_empty_file() {
    check_bytes(b"", &format!("object: the file is empty, not a shared library; {NO_LIBRARY}"));
}

#[test]
fn l4_a_text() {
    check_bytes(
        b"hello",
        &format!(
            "object: the file is unknown (it begins with 68 65 6c 6c), not a shared library; {NO_LIBRARY}"
        ),
    );
}

#[test]
fn l4_a_script() {
    check_bytes(
        b"#!/bin/sh\nexit 0\n",
        &format!("object: the file is a script, not a shared library; {NO_LIBRARY}"),
    );
}

#[test]
fn l4_a_static_library() {
    check_bytes(
        b"!<arch>\n",
        &format!("object: the file is a static library (an archive), not a shared library; {NO_LIBRARY}"),
    );
}

#[test]
fn l4_a_program() {
    let program = fs::read(&artefacts().stud).unwrap();
    check_bytes(
        &program,
        &format!(
            "object: the file is an ELF program (it names an interpreter), not a shared library; {NO_LIBRARY}"
        ),
    );
}

#[test]
fn l4_cut_files() {
    let whole = hostile();
    for length in [1, 5, 63, 64, 1000, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        let world = World::new();
        let file = world.put_bytes(Layer::Global, "cut.so", &whole[..length]);
        let (status, reason) = world.verdict(&file);
        assert_eq!(status, "failed", "cut at {length}");
        let cut = reason.starts_with("object: the file ends too early: ") && reason.ends_with(COPY_AGAIN);
        assert!(cut || length < 4, "cut at {length}: {reason}");
    }
}

#[test]
fn l4_half_a_copy_beside_good_plugins() {
    let whole = hostile();
    let half = &whole[..whole.len() / 2];
    let world = World::new();
    let file = world.put_bytes(Layer::Global, "half.so", half);
    let (_, reason) = world.verdict(&file);
    check(&world, &file, &reason);
    assert!(reason.contains(&format!("the file has {}", half.len())), "{reason}");
}

#[test]
fn l4_a_library_of_another_processor() {
    check_bytes(
        &crate::mutated::for_aarch64(hostile()),
        "object: the library is built for elf aarch64, this host needs elf x86_64; build the plugin for elf x86_64",
    );
}

#[test]
fn l4_libraries_of_other_systems() {
    let world = World::new();
    let mut pe = vec![0; 1024];
    pe[..2].copy_from_slice(b"MZ");
    pe[0x3c] = 0x80;
    pe[0x80..0x84].copy_from_slice(b"PE\0\0");
    let mut macho = vec![0; 1024];
    macho[..8].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1]);
    let files = [("tool.dll", pe), ("libtool.dylib", macho), ("module.so", b"\0asm\x01\0\0\0".to_vec())];
    for (name, bytes) in files {
        let file = world.put_bytes(Layer::Global, name, &bytes);
        let (status, reason) = world.verdict(&file);
        assert_eq!(status, "failed");
        assert!(reason.starts_with("object: ") && reason.contains("; "), "{name}: {reason}");
    }
    world.others_work();
}

#[test]
fn l4_a_library_without_a_contract() {
    let library = fs::read(artefacts().fixture("no_contract")).unwrap();
    check_bytes(
        &library,
        "shape: the section `stud_contract` is missing; \
         build it as a plugin: `export_plugin!` of stud-plugin-api writes the contract",
    );
}

#[test]
fn l4_a_file_that_cannot_be_read() {
    let world = World::new();
    let file = world.put_bytes(Layer::Global, "secret.so", &hostile());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&file).is_ok() {
        // Nothing is unreadable for root.
        return world.others_work();
    }
    let reason = format!(
        "discovery: it cannot be read: Permission denied (os error 13); chmod u+r '{}'",
        file.display()
    );
    check(&world, &file, &reason);
}

#[test]
fn l4_a_fifo_is_never_waited_for() {
    let world = World::new();
    let file = world.tools(Layer::Global).join("pipe.so");
    rustix::fs::mknodat(CWD, &file, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    check(
        &world,
        &file,
        "discovery: it is named like a library and is a pipe, socket or device; remove or rename it",
    );
    // The commands that take a file do not wait for a writer either.
    let path = file.to_str().unwrap();
    for arguments in [&["inspect", path][..], &["check", path], &["install", path, "--force"]] {
        let output = world.stud(arguments).exits(1);
        assert!(output.to_string().contains("it is not a regular file"), "{output}");
    }
}

#[test]
fn l4_a_socket() {
    let world = World::new();
    let file = world.tools(Layer::Global).join("talk.so");
    let _listener = UnixListener::bind(&file).unwrap();
    check(
        &world,
        &file,
        "discovery: it is named like a library and is a pipe, socket or device; remove or rename it",
    );
}

#[test]
fn l4_a_directory_named_like_a_library() {
    let world = World::new();
    let file = world.tools(Layer::Global).join("folder.so");
    fs::create_dir(&file).unwrap();
    check(&world, &file, "discovery: it is named like a library and is a directory; remove or rename it");
}

#[test]
fn l4_links_that_lead_nowhere_or_in_circles() {
    for (target, error) in [
        ("missing.so", "No such file or directory (os error 2)"),
        ("link.so", "Too many levels of symbolic links (os error 40)"),
    ] {
        let world = World::new();
        let file = world.tools(Layer::Global).join("link.so");
        symlink(target, &file).unwrap();
        let reason = format!(
            "discovery: it is a symbolic link that leads nowhere: {error}; remove it, or copy the library here"
        );
        check(&world, &file, &reason);
    }
}

#[test]
fn l4_a_link_out_of_its_layer() {
    let world = World::new();
    let target = fs::canonicalize(world.root()).unwrap().join("elsewhere.so");
    fs::write(&target, hostile()).unwrap();
    let file = world.tools(Layer::Global).join("link.so");
    symlink(&target, &file).unwrap();
    let reason = format!(
        "discovery: it is a symbolic link that leads out of its layer, to `{}`; copy the library here, or use `stud install FILE`",
        target.display()
    );
    check(&world, &file, &reason);
}

#[test]
fn l4_a_link_within_its_layer_is_fine() {
    let world = World::new();
    let target = world.put_bytes(Layer::Global, "versions/hostile-1", &hostile());
    symlink(target, world.tools(Layer::Global).join("hostile.so")).unwrap();
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn l4_a_link_within_its_layer_to_a_pipe() {
    let world = World::new();
    let pipe = world.tools(Layer::Global).join("pipe");
    rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let file = world.tools(Layer::Global).join("link.so");
    symlink("pipe", &file).unwrap();
    check(
        &world,
        &file,
        "discovery: it is named like a library and is a pipe, socket or device; remove or rename it",
    );
}

#[test]
fn l4_a_layer_that_is_missing_or_a_file() {
    let world = World::new();
    fs::remove_dir(world.tools(Layer::Global)).unwrap();
    let listing = world.listing();
    assert!(
        listing.iter().all(|tool| tool["layer"] == "bundled" && tool["status"] == "active"),
        "{listing:#?}"
    );
    fs::write(world.tools(Layer::Global), b"a file").unwrap();
    let reason = "discovery: a layer is a directory, this is not; remove or rename it";
    assert_eq!(world.verdict(&world.tools(Layer::Global)), ("failed".to_owned(), reason.to_owned()));
    world.others_work();
}

#[test]
fn l4_a_name_that_is_no_unicode() {
    let world = World::new();
    let name = std::ffi::OsStr::from_bytes(b"odd\xff.so");
    fs::write(world.tools(Layer::Global).join(name), hostile()).unwrap();
    fs::write(world.tools(Layer::Global).join(std::ffi::OsStr::from_bytes(b"bad\xff.so")), b"").unwrap();
    let shown = world.listed("greet");
    assert_eq!(shown[0]["status"], "active", "{shown:#?}");
    assert!(shown[0]["file"].as_str().unwrap().ends_with("odd\u{fffd}.so"), "{shown:#?}");
    let failed = world.listing().into_iter().filter(|tool| tool["status"] == "failed").count();
    assert_eq!(failed, 1);
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    world.others_work();
}

#[test]
fn l4_a_name_that_is_no_unicode_of_a_library_that_fails() {
    let world = World::new();
    let library = fs::read(artefacts().fixture("disagrees")).unwrap();
    fs::write(world.tools(Layer::Global).join(std::ffi::OsStr::from_bytes(b"odd\xff.so")), library).unwrap();
    let error = world.error("innocent", "{}");
    let file = error["details"]["diagnostics"][0]["file"].as_str().unwrap();
    assert!(file.ends_with("odd\u{fffd}.so"), "{error:#}");
    assert_eq!(world.listed("innocent")[0]["status"], "failed");
}

#[test]
fn l4_a_name_with_terminal_sequences_is_shown_and_not_obeyed() {
    let world = World::new();
    world.put_bytes(Layer::Global, "\x1b[2Jgone.so", b"");
    let output = world.stud(&["tools"]).exits(0);
    assert!(!output.stdout.contains('\x1b') && output.stdout.contains("[2Jgone.so"), "{output}");
}

#[test]
fn c10_two_of_one_name_in_one_layer_are_both_disabled() {
    let world = World::new();
    let first = world.put_bytes(Layer::Global, "a.so", &hostile());
    let second = world.put_bytes(Layer::Global, "b.so", &hostile());
    let greets = world.listed("greet");
    assert_eq!(greets.len(), 2);
    for (line, file) in greets.iter().zip([&first, &second]) {
        assert_eq!((line["status"].as_str(), line["file"].as_str()), (Some("disabled"), file.to_str()));
        let reason = format!(
            "register: `greet` is offered twice in this layer, by `{}` and `{}`: neither is used (at `/tools`); \
             remove one of the files, or rename one of the tools",
            first.display(),
            second.display()
        );
        assert_eq!(line["reason"], reason);
    }
    assert_eq!(world.error("greet", r#"{"name": "Ada"}"#)["class"], "not_found");
    world.others_work();
    fs::remove_file(first).unwrap();
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}
