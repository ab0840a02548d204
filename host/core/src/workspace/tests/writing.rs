//! Writing, appending, patching, deleting.

use std::sync::Arc;

use stud_contract::ErrorClass;

use super::super::atomic::{Replace, install};
use super::*;

const DIRS: WriteOptions = WriteOptions { create_dirs: true, must_not_exist: false };
const NEW: WriteOptions = WriteOptions { create_dirs: false, must_not_exist: true };

#[test]
fn w1_writes_and_overwrites() {
    let fixture = Fixture::new();
    let w = &fixture.workspace;
    let written = w.write("a", b"one", WriteOptions::default()).unwrap();
    assert_eq!((written.path.as_path(), written.created, written.bytes), (Path::new("a"), true, 3));
    assert!(
        !w.write(fixture.root.join("a").to_str().unwrap(), b"two!", WriteOptions::default()).unwrap().created
    );
    assert_eq!(fixture.content("a"), "two!");
    assert_eq!(code(w.write("d/e/f", b"", WriteOptions::default())), "path_not_found");
    w.write("d/e/f", b"deep", DIRS).unwrap();
    assert_eq!(fixture.content("d/e/f"), "deep");
    assert_eq!(code(w.write("a/b", b"", DIRS)), "not_a_directory");
    for directory in [".", "d", "d/", "new/"] {
        assert_eq!(code(w.write(directory, b"", DIRS)), "not_a_file", "{directory}");
    }
    fixture.check_no_leftovers();
}

#[test]
fn w1_must_not_exist_never_replaces() {
    let fixture = Fixture::new();
    let w = &fixture.workspace;
    assert!(w.write("a", b"first", NEW).unwrap().created);
    assert_eq!(code(w.write("a", b"second", NEW)), "already_exists");
    #[cfg(unix)]
    {
        fixture.link("dangling", "target");
        assert_eq!(code(w.write("dangling", b"x", NEW)), "already_exists");
        assert!(!fixture.root.join("target").exists());
    }
    assert_eq!(fixture.content("a"), "first");
    // Also when it appears between the look and the rename.
    let error = install(w.dir(), "a".as_ref(), Replace::Nothing, |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fixture.content("a"), "first");
    fixture.check_no_leftovers();
}

#[test]
#[cfg(unix)]
fn w2_writes_keep_mode_bits_and_new_files_honour_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let mode = |path: &str| fs::metadata(fixture.root.join(path)).unwrap().permissions().mode() & 0o7777;
    for bits in [0o600, 0o640, 0o755, 0o777, 0o200, 0o666] {
        fixture.file("a", "old text");
        fs::set_permissions(fixture.root.join("a"), fs::Permissions::from_mode(bits)).unwrap();
        fixture.workspace.write("a", b"new text", WriteOptions::default()).unwrap();
        assert_eq!(mode("a"), bits, "write {bits:o}");
        fixture.workspace.append("a", b"more", false).unwrap();
        assert_eq!(mode("a"), bits, "append {bits:o}");
        // Patching has to read it; root may read all.
        if bits & 0o400 != 0 {
            fixture.workspace.patch("a", "new", "newer").unwrap();
            assert_eq!(mode("a"), bits, "patch {bits:o}");
        }
        fs::remove_file(fixture.root.join("a")).unwrap();
    }
    fixture.file("plain", "");
    fixture.workspace.write("new", b"", WriteOptions::default()).unwrap();
    fixture.workspace.append("new2", b"", false).unwrap();
    assert_eq!((mode("new"), mode("new2")), (mode("plain"), mode("plain")));
    fs::set_permissions(fixture.root.join("plain"), fs::Permissions::from_mode(0o6755)).unwrap();
    fixture.workspace.write("plain", b"x", WriteOptions::default()).unwrap();
    assert_eq!(mode("plain"), 0o755, "setuid and setgid must not move to new content");
}

#[test]
fn w2_read_only_files_are_not_replaced() {
    let fixture = Fixture::new();
    fixture.file("a", "old");
    let mut permissions = fs::metadata(fixture.root.join("a")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(fixture.root.join("a"), permissions).unwrap();
    let w = &fixture.workspace;
    assert_eq!(code(w.write("a", b"x", WriteOptions::default())), "read_only");
    assert_eq!(code(w.append("a", b"x", false)), "read_only");
    assert_eq!(code(w.patch("a", "old", "x")), "read_only");
    assert_eq!(fixture.content("a"), "old");
    assert!(w.metadata("a").unwrap().readonly);
}

#[test]
#[cfg(unix)]
fn w2_through_an_inside_link_the_target_is_written_and_the_link_stays() {
    let fixture = Fixture::new();
    fixture.file("d/target", "old").link("link", "d/target").link("to-new", "d/new");
    let w = &fixture.workspace;
    assert_eq!(w.write("link", b"new", WriteOptions::default()).unwrap().path, Path::new("d/target"));
    w.append("link", b"er", false).unwrap();
    w.patch("link", "newer", "newest").unwrap();
    assert_eq!(fixture.content("d/target"), "newest");
    assert!(w.write("to-new", b"created", WriteOptions::default()).unwrap().created);
    assert_eq!(fixture.content("d/new"), "created");
    assert!(fixture.root.join("link").is_symlink() && fixture.root.join("to-new").is_symlink());
}

#[test]
#[cfg(unix)]
fn w2_readers_see_the_old_content_or_the_new_never_a_part() {
    let fixture = Fixture::new();
    let (old, new) = (vec![b'o'; 300_000], vec![b'n'; 500_000]);
    fixture.workspace.write("a", &old, WriteOptions::default()).unwrap();
    let held = fixture.workspace.open_file("a").unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..30 {
                fixture.workspace.write("a", &new, WriteOptions::default()).unwrap();
                fixture.workspace.write("a", &old, WriteOptions::default()).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = fixture.workspace.read_bytes("a", 0, None).unwrap();
            assert!(seen == old || seen == new, "{} bytes, {:?}", seen.len(), seen.first());
        }
    });
    // An open descriptor keeps what it had: the file was replaced, not rewritten.
    let mut still = Vec::new();
    std::io::Read::read_to_end(&mut { held }, &mut still).unwrap();
    assert!(still == old);
}

#[test]
fn w2_a_failed_write_leaves_the_old_content_and_no_temporary_file() {
    let fixture = Fixture::new();
    fixture.file("a", "old");
    let old = fixture.workspace.dir().metadata("a").unwrap();
    for what in [Replace::Like(&old), Replace::Unchanged(&old), Replace::Anything, Replace::Nothing] {
        let error = install(fixture.workspace.dir(), "a".as_ref(), what, |file| {
            std::io::Write::write_all(file, b"half of the n")?;
            let there = snapshot(&fixture.root);
            assert!(there.keys().any(|path| path.to_string_lossy().contains("/.stud-tmp-") || cfg!(windows)));
            Err(std::io::ErrorKind::StorageFull.into())
        });
        assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(fixture.content("a"), "old");
        fixture.check_no_leftovers();
    }
    // A file that changed in the meantime is not overwritten with what was made from its old content.
    fs::write(fixture.root.join("a"), "changed").unwrap();
    assert!(!install(fixture.workspace.dir(), "a".as_ref(), Replace::Unchanged(&old), |_| Ok(())).unwrap());
    assert_eq!(fixture.content("a"), "changed");
    fixture.check_no_leftovers();
}

#[test]
#[cfg(target_os = "linux")]
fn w2_a_directory_that_takes_no_files_is_an_error() {
    // Nobody, not even root, can create a file here.
    let w = Workspace::open(Path::new("/proc/self")).unwrap();
    let error = w.write("new", b"x", DIRS).unwrap_err();
    assert!(["path_not_found", "access_denied", "io_error"].contains(&error.code()), "{error:?}");
    assert_eq!(error.class(), ErrorClass::ExecutionError);
}

#[test]
fn w1_append_adds_or_creates() {
    let fixture = Fixture::new();
    let w = &fixture.workspace;
    assert!(w.append("a", b"1", false).unwrap().created);
    assert!(!w.append("a", b"2", false).unwrap().created);
    assert_eq!(fixture.content("a"), "12");
    assert_eq!(code(w.append("d/a", b"", false)), "path_not_found");
    w.append("d/a", b"x", true).unwrap();
    assert_eq!(fixture.content("d/a"), "x");
    fixture.check_no_leftovers();
}

#[test]
fn w2_changes_of_one_file_at_the_same_time_all_take_effect() {
    let fixture = Arc::new(Fixture::new());
    fixture.file("patched", &(0..8).map(|i| format!("line {i} old\n")).collect::<String>());
    std::thread::scope(|scope| {
        for i in 0..8 {
            let w = &fixture.workspace;
            scope.spawn(move || {
                w.patch("patched", &format!("line {i} old"), &format!("line {i} new")).unwrap();
                w.append("appended", format!("{i}\n").as_bytes(), false).unwrap();
            });
        }
    });
    assert_eq!(fixture.content("patched"), (0..8).map(|i| format!("line {i} new\n")).collect::<String>());
    let appended = fixture.content("appended");
    let mut lines: Vec<_> = appended.lines().collect();
    lines.sort();
    assert_eq!(lines, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn w1_patch_replaces_a_unique_string() {
    let fixture = Fixture::new();
    fixture.file("a.rs", "fn a() {}\r\nfn b() {}\r\nfn a() {}\r\n");
    let w = &fixture.workspace;
    let patched = w.patch("./a.rs", "{}\nfn b() {}", "{\n}").unwrap();
    assert_eq!((patched.path.as_path(), patched.line), (Path::new("a.rs"), 1));
    assert_eq!(patched.before, "fn a() {}\r\nfn b() {}\r\nfn a() {}\r\n");
    assert_eq!(patched.after, "fn a() {\r\n}\r\nfn a() {}\r\n");
    assert_eq!(fixture.content("a.rs"), patched.after);

    match w.patch("a.rs", "fn a()", "fn c()").unwrap_err() {
        WorkspaceError::NotUnique { count: 2, lines, .. } => assert_eq!(lines, [1, 3]),
        other => panic!("{other:?}"),
    }
    match w.patch("a.rs", "fn  a() { }", "x").unwrap_err() {
        WorkspaceError::NoMatch { near, .. } => assert_eq!((near[0].line, near.len()), (3, 2)),
        other => panic!("{other:?}"),
    }
    assert_eq!(code(w.patch("a.rs", "", "x")), "empty_search");
    assert_eq!(code(w.patch("a.rs", "x", "x")), "same_text");
    assert_eq!(code(w.patch("missing", "x", "y")), "path_not_found");
    assert_eq!(code(w.patch(".", "x", "y")), "not_a_file");
    assert_eq!(fixture.content("a.rs"), patched.after);
    fixture.check_no_leftovers();
}

#[test]
fn w1_create_dir_all_creates_what_is_missing() {
    let fixture = Fixture::new();
    fixture.file("file", "");
    let w = &fixture.workspace;
    assert_eq!(w.create_dir_all("a/b//c/").unwrap(), Path::new("a/b/c"));
    assert_eq!(w.create_dir_all("a/b").unwrap(), Path::new("a/b"));
    assert_eq!(w.create_dir_all(".").unwrap(), Path::new(""));
    assert!(fixture.root.join("a/b/c").is_dir());
    assert_eq!(code(w.create_dir_all("file")), "not_a_directory");
    assert_eq!(code(w.create_dir_all("file/x")), "not_a_directory");
    #[cfg(unix)]
    {
        fixture.link("link", "made/here");
        assert_eq!(w.create_dir_all("link/x").unwrap(), Path::new("made/here/x"));
    }
}

#[test]
fn w1_delete_takes_files_links_and_directories_but_never_the_root() {
    let fixture = Fixture::new();
    fixture.file("f", "").file("d/x", "").file("keep/x", "kept");
    fs::create_dir(fixture.root.join("empty")).unwrap();
    let w = &fixture.workspace;
    for root in [".", "./", "d/..", "keep/../d/..", fixture.root.to_str().unwrap()] {
        assert_eq!(code(w.delete(root, true)), "is_workspace_root", "{root}");
    }
    assert_eq!(code(w.delete("f/", true)), "not_a_directory");
    assert_eq!(w.delete("f", false).unwrap().kind, EntryKind::File);
    assert_eq!(code(w.delete("f", false)), "path_not_found");
    assert_eq!(code(w.delete("no/f", false)), "path_not_found");
    assert_eq!(w.delete("empty/", false).unwrap().kind, EntryKind::Directory);
    assert_eq!(code(w.delete("d", false)), "directory_not_empty");
    #[cfg(unix)]
    {
        fixture.link("d/deep/out", &fixture.outside).link("d/in", "../keep").link("l", "keep").link("r", ".");
        assert_eq!(code(w.delete("l/", true)), "not_a_directory");
        assert_eq!(w.delete("l", true).unwrap().kind, EntryKind::Symlink);
        assert_eq!(w.delete("r", true).unwrap().kind, EntryKind::Symlink);
    }
    assert_eq!(w.delete("d", true).unwrap().path, Path::new("d"));
    assert_eq!(fixture.content("keep/x"), "kept");
    assert_eq!(fs::read_dir(&fixture.root).unwrap().count(), 1);
    fixture.check_canary();
}
