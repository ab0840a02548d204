//! Every operation, on every way out.

use super::*;

/// Runs every operation on a path that leads outside: all refuse it in the same words, and nothing is touched.
#[track_caller]
fn check_refused(fixture: &Fixture, path: &str) {
    let w = &fixture.workspace;
    let create = WriteOptions { create_dirs: true, ..Default::default() };
    let new = WriteOptions { must_not_exist: true, ..Default::default() };
    let codes = [
        ("open_file", code(w.open_file(path))),
        ("read_bytes", code(w.read_bytes(path, 0, Some(1)))),
        ("read_text", code(w.read_text(path))),
        ("metadata", code(w.metadata(path))),
        ("exists", code(w.exists(path))),
        ("real_path", code(w.real_path(path))),
        ("list", code(w.list(path))),
        ("write", code(w.write(path, b"x", WriteOptions::default()))),
        ("write with directories", code(w.write(path, b"x", create))),
        ("write new", code(w.write(path, b"x", new))),
        ("append", code(w.append(path, b"x", false))),
        ("append with directories", code(w.append(path, b"x", true))),
        ("create_dir_all", code(w.create_dir_all(path))),
        ("patch", code(w.patch(path, SECRET, "x"))),
    ];
    for (operation, code) in codes {
        assert_eq!(code, "path_escapes", "{operation} {path}");
    }
    assert!(w.command_dir(path).unwrap().brought_back, "{path}");
    fixture.check_canary();
    fixture.check_no_leftovers();
}

#[test]
fn w1_ways_out_by_text_are_refused_by_every_operation() {
    let fixture = Fixture::new();
    fixture.file("a/b/c", "");
    let outside = fixture.outside_str().to_owned();
    for path in [
        "../outside/secret",
        "../outside/new",
        "a/../../outside/secret",
        "a/b/../../../outside/secret",
        "./a/.././../outside/secret",
        "missing/../../outside/secret",
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd",
        "/dev/null",
        &format!("{outside}/secret"),
        &format!("/proc/self/root{outside}/secret"),
        &format!("{}/../outside/secret", fixture.root.display()),
        &format!("{}x/secret", fixture.root.display()),
    ] {
        check_refused(&fixture, path);
        assert_eq!(code(fixture.workspace.delete(path, true)), "path_escapes");
    }
    fixture.check_canary();
}

#[test]
#[cfg(unix)]
fn w1_links_that_lead_outside_are_refused_by_every_operation() {
    let fixture = Fixture::new();
    fixture.file("d/x", "");
    let outside = fixture.outside.clone();
    fixture
        .link("abs", outside.join("secret"))
        .link("abs-new", outside.join("new"))
        .link("abs-missing-dir", outside.join("no/such"))
        .link("rel", "../outside/secret")
        .link("d/rel", "../../outside/secret")
        .link("dir", &outside)
        .link("chain", "chain2")
        .link("chain2", "d/../chain3")
        .link("chain3", "dir")
        .link("up", "..")
        .link("d/up", "../..")
        .link("round", fixture.root.join("../outside"))
        .link("top", "/")
        .link("proc", "/proc/self/root")
        .link("d/out", "/proc/self/cwd/../outside")
        .link("there-and-back", "../root/d");
    for path in [
        "abs",
        "abs-new",
        "abs-missing-dir",
        "rel",
        "d/rel",
        "dir/secret",
        "dir/new/deep",
        "chain/secret",
        "up/outside/secret",
        "d/up/outside/secret",
        "d/up",
        "round/secret",
        "top/etc/passwd",
        "proc/etc/passwd",
        "d/out/secret",
        "dir/../root/d/x",
        "dir/..",
        "there-and-back/x",
        fixture.root.join("dir/secret").to_str().unwrap(),
    ] {
        check_refused(&fixture, path);
    }
    // Deleting a link deletes the link; through a link it is refused.
    assert_eq!(code(fixture.workspace.delete("dir/dir", true)), "path_escapes");
    assert_eq!(fixture.workspace.delete("dir", true).unwrap().kind, EntryKind::Symlink);
    assert_eq!(fixture.workspace.delete("abs", false).unwrap().kind, EntryKind::Symlink);
    fixture.check_canary();
}

#[test]
#[cfg(unix)]
fn w1_links_that_stay_inside_work_whether_relative_or_absolute() {
    let fixture = Fixture::new();
    fixture.file("d/e/x", "inside").file("y", "top");
    fixture
        .link("rel", "d/e")
        .link("abs", fixture.root.join("d/e"))
        .link("d/back", "../rel")
        .link("chain", "d/back/../e/x")
        .link("self", ".")
        .link("d/root", &fixture.root)
        .link("d/up", "..")
        .link("d/e/self", ".")
        .link("d/e/up", "..");
    for path in
        ["rel/x", "abs/x", "d/back/x", "chain", "self/self/abs/x", "d/root/d/root/rel/x", "d/up/d/up/rel/x"]
    {
        assert_eq!(fixture.workspace.read_text(path).unwrap(), "inside", "{path}");
        assert_eq!(fixture.workspace.real_path(path).unwrap(), Path::new("d/e/x"), "{path}");
    }
    // `..` goes back from where the link led, as the kernel has it: `d/y` is no file, `y` is.
    assert_eq!(code(fixture.workspace.read_text("abs/../y")), "path_not_found");
    assert_eq!(fixture.workspace.read_text("self/abs/../../y").unwrap(), "top");
    // More `..` than names are refused by the text, though this one would stay inside.
    assert_eq!(code(fixture.workspace.read_text("abs/../../y")), "path_escapes");
    // A link to where it is itself, as the last component.
    for (path, real) in [("self", ""), ("d/e/self", "d/e"), ("d/up", ""), ("d/e/up", "d")] {
        assert_eq!(fixture.workspace.metadata(path).unwrap().path, Path::new(real), "{path}");
        assert_eq!(fixture.workspace.create_dir_all(path).unwrap(), Path::new(real), "{path}");
        assert_eq!(code(fixture.workspace.write(path, b"", WriteOptions::default())), "not_a_file", "{path}");
    }
    assert_eq!(fixture.workspace.list("d/root").unwrap().len(), 6);
    assert_eq!(fixture.workspace.real_path("missing/a/../b").unwrap(), Path::new("missing/b"));
}

#[test]
#[cfg(unix)]
fn w1_loops_of_links_end() {
    let fixture = Fixture::new();
    fixture.link("a", "b").link("b", "a").link("s", "s/s").link("d", "./d/..");
    for path in ["a", "a/x", "s", "s/x", "d/x"] {
        assert_eq!(code(fixture.workspace.read_text(path)), "too_many_links", "{path}");
        assert_eq!(
            code(fixture.workspace.write(path, b"", WriteOptions::default())),
            "too_many_links",
            "{path}"
        );
    }
    assert_eq!(fixture.workspace.delete("a", false).unwrap().kind, EntryKind::Symlink);
    // As many as the kernel follows, and not one more.
    fixture.file("l0", "end");
    for i in 0..41 {
        fixture.link(&format!("l{}", i + 1), format!("l{i}"));
    }
    assert_eq!(fixture.workspace.read_text("l40").unwrap(), "end");
    assert_eq!(code(fixture.workspace.read_text("l41")), "too_many_links");
}

#[test]
fn w1_very_deep_paths_need_no_more_descriptors_than_short_ones() {
    let fixture = Fixture::new();
    let deep = "d/".repeat(1500) + "x";
    fixture
        .workspace
        .write(&deep, b"deep", WriteOptions { create_dirs: true, ..Default::default() })
        .unwrap();
    assert_eq!(fixture.workspace.read_text(&deep).unwrap(), "deep");
    let back = "d/".repeat(600) + &"../".repeat(599) + "../y";
    fixture.file("y", "top");
    assert_eq!(fixture.workspace.read_text(&back).map_err(|e| e.code()), Err("too_many_links"));
    let back = "d/".repeat(100) + &"../".repeat(100) + "y";
    assert_eq!(fixture.workspace.read_text(&back).unwrap(), "top");
    fixture.workspace.delete("d", true).unwrap();
}

#[test]
#[cfg(unix)]
fn w1_magic_links_are_read_as_text_even_with_the_whole_system_as_root() {
    let fixture = Fixture::new();
    let open = fs::File::open(fixture.outside.join("secret")).unwrap();
    let magic = format!("self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    if cfg!(target_os = "linux") {
        // A root in which the kernel's links lie: all of them lead outside.
        let proc = Workspace::open(Path::new("/proc")).unwrap();
        for path in [&magic, "self/root/etc/passwd", "self/cwd/Cargo.toml", "thread-self/root", "self/exe"] {
            assert_eq!(code(proc.read_bytes(path, 0, Some(1))), "path_escapes", "{path}");
            assert_eq!(code(proc.metadata(path)), "path_escapes", "{path}");
        }
        assert!(proc.read_text("self/status").unwrap().starts_with("Name:"));
    }
    fixture.check_canary();
}

#[test]
#[cfg(unix)]
fn w2_changes_leave_other_hard_links_of_the_file_alone() {
    for change in ["write", "append", "patch"] {
        let fixture = Fixture::new();
        fs::hard_link(fixture.outside.join("secret"), fixture.root.join("shared")).unwrap();
        let w = &fixture.workspace;
        match change {
            "write" => drop(w.write("shared", b"x", WriteOptions::default()).unwrap()),
            "append" => drop(w.append("shared", b"x", false).unwrap()),
            _ => drop(w.patch("shared", SECRET, "x").unwrap()),
        }
        assert!(fixture.content("shared").ends_with('x'));
        fixture.check_canary();
        fixture.check_no_leftovers();
    }
}
