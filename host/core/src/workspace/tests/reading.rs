//! Reading, listing, looking.

use std::io::Read as _;

use super::*;

#[test]
fn w1_reads_the_part_that_was_asked_for() {
    let fixture = Fixture::new();
    fixture.file("a", "0123456789");
    let read =
        |offset, max| String::from_utf8(fixture.workspace.read_bytes("a", offset, max).unwrap()).unwrap();
    assert_eq!(read(0, None), "0123456789");
    assert_eq!(read(3, Some(4)), "3456");
    assert_eq!(read(8, Some(100)), "89");
    assert_eq!(read(8, None), "89");
    for offset in [10, 11, i64::MAX as u64, u64::MAX] {
        assert_eq!(read(offset, None), "");
        assert_eq!(read(offset, Some(u64::MAX)), "");
    }
    assert_eq!(read(2, Some(0)), "");
    let mut text = String::new();
    fixture.workspace.open_file("a").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "0123456789");
}

#[test]
fn w1_a_part_of_a_huge_file_costs_only_the_part() {
    let fixture = Fixture::new();
    let huge = fs::File::create(fixture.root.join("huge")).unwrap();
    // Sparse, and far more than there is memory.
    huge.set_len(1 << 42).unwrap();
    let part = fixture.workspace.read_bytes("huge", 1 << 41, Some(10)).unwrap();
    assert_eq!(part, [0; 10]);
    assert!(part.capacity() < 100);
    assert_eq!(fixture.workspace.read_bytes("huge", (1 << 42) - 3, None).unwrap(), [0; 3]);
    assert_eq!(code(fixture.workspace.read_bytes("huge", 0, None)), "too_large");
    assert_eq!(code(fixture.workspace.read_bytes("huge", 0, Some(MAX_TEXT_BYTES + 1))), "too_large");
    assert_eq!(code(fixture.workspace.read_text("huge")), "too_large");
    assert_eq!(code(fixture.workspace.patch("huge", "a", "b")), "too_large");
    huge.set_len(MAX_TEXT_BYTES).unwrap();
    assert_eq!(fixture.workspace.read_bytes("huge", 0, None).unwrap().len() as u64, MAX_TEXT_BYTES);
}

#[test]
fn w1_text_says_where_it_stops_being_text() {
    let fixture = Fixture::new();
    fs::write(fixture.root.join("binary"), b"ab\0\xff").unwrap();
    fs::write(fixture.root.join("latin"), b"caf\xe9!").unwrap();
    fs::write(fixture.root.join("bom"), "\u{feff}a\r\n").unwrap();
    let not_text = |path: &str| match fixture.workspace.read_text(path) {
        Err(WorkspaceError::NotText { offset, binary, .. }) => (offset, binary),
        other => panic!("{other:?}"),
    };
    assert_eq!(not_text("binary"), (2, true));
    assert_eq!(not_text("latin"), (3, false));
    assert_eq!(code(fixture.workspace.patch("binary", "ab", "c")), "not_text");
    assert_eq!(fixture.workspace.read_text("bom").unwrap(), "\u{feff}a\r\n");
}

/// Runs it in a thread, so that an opening that waits fails the test instead of hanging it.
#[cfg(unix)]
fn without_waiting<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    answer.recv_timeout(std::time::Duration::from_secs(20)).unwrap()
}

#[cfg(unix)]
fn make_pipe(path: &Path) {
    let (pipe, all) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, path, pipe, all, 0).unwrap();
}

#[test]
#[cfg(unix)]
fn w2_pipes_devices_and_sockets_are_refused_without_waiting() {
    let fixture = Fixture::new();
    fixture.file("d/x", "").link("to-pipe", "pipe");
    make_pipe(&fixture.root.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(fixture.root.join("socket")).unwrap();
    for path in ["pipe", "socket", "to-pipe", "d"] {
        let root = fixture.root.clone();
        let codes = without_waiting(move || {
            let w = Workspace::open(&root).unwrap();
            [
                code(w.open_file(path)),
                code(w.read_bytes(path, 0, Some(1))),
                code(w.write(path, b"x", WriteOptions::default())),
                code(w.append(path, b"x", false)),
                code(w.patch(path, "a", "b")),
            ]
        });
        assert_eq!(codes, ["not_a_file"; 5], "{path}");
    }
    assert_eq!(fixture.workspace.metadata("pipe").unwrap().kind, EntryKind::Pipe);
    assert_eq!(
        code(Workspace::open(Path::new("/dev")).unwrap().read_bytes("null", 0, Some(1))),
        "not_a_file"
    );
    assert_eq!(fixture.workspace.delete("pipe", false).unwrap().kind, EntryKind::Pipe);
}

/// The look before the opening is only a courtesy: the descriptor decides.
#[test]
#[cfg(unix)]
fn w2_what_is_opened_is_checked_on_the_descriptor() {
    use super::super::platform::{self, Access};
    let fixture = Fixture::new();
    fixture.file("file", "").link("link", "file").file("d/x", "");
    make_pipe(&fixture.root.join("pipe"));
    for access in [Access::Read, Access::Write, Access::Append] {
        let dir = fixture.workspace.dir().try_clone().unwrap();
        let opened = without_waiting(move || {
            ["file", "link", "d", "pipe"]
                .map(|name| platform::open_file(&dir, name.as_ref(), access).unwrap().is_some())
        });
        assert_eq!(opened, [true, false, false, false], "{access:?}");
    }
}

#[test]
fn w1_lists_sorted_with_kinds_and_sizes() {
    let fixture = Fixture::new();
    fixture.file("d/b", "12345").file("d/a", "").file("d/c/x", "").file("d/B", "1").file("d/.hidden", "");
    #[cfg(unix)]
    fixture.link("d/z", "/nowhere");
    let list = fixture.workspace.list("d").unwrap();
    let mut expected = vec![
        (".hidden", EntryKind::File),
        ("B", EntryKind::File),
        ("a", EntryKind::File),
        ("b", EntryKind::File),
        ("c", EntryKind::Directory),
    ];
    if cfg!(unix) {
        expected.push(("z", EntryKind::Symlink));
    }
    assert_eq!(list.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect::<Vec<_>>(), expected);
    assert_eq!((list[1].size, list[3].size, list[3].addressable), (1, 5, true));
    let names: Vec<_> = fixture.workspace.list(".").unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["d"]);
    assert_eq!(code(fixture.workspace.list("missing")), "path_not_found");
    assert_eq!(code(fixture.workspace.list("missing/deep")), "path_not_found");
    assert_eq!(code(fixture.workspace.list("d/a")), "not_a_directory");
}

#[test]
#[cfg(target_os = "linux")]
fn w1_lists_names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    fs::write(fixture.root.join(std::ffi::OsStr::from_bytes(b"a\xff")), "").unwrap();
    let list = fixture.workspace.list(".").unwrap();
    assert_eq!((list[0].name.as_str(), list[0].addressable), ("a\u{fffd}", false));
}

#[test]
fn w1_exists_and_metadata() {
    let fixture = Fixture::new();
    fixture.file("d/a", "123");
    let w = &fixture.workspace;
    for (path, there) in [
        (".", true),
        ("d", true),
        ("d/", true),
        ("d/a", true),
        ("x", false),
        ("x/y", false),
        ("d/a/b", false),
        ("d/a/", false),
    ] {
        assert_eq!(w.exists(path).unwrap(), there, "{path}");
    }
    let info = w.metadata("d//a").unwrap();
    assert_eq!((info.path.as_path(), info.kind, info.size), (Path::new("d/a"), EntryKind::File, 3));
    assert!(!info.readonly && info.modified.is_some());
    assert_eq!(w.metadata(".").unwrap().kind, EntryKind::Directory);
    assert_eq!(code(w.metadata("d/a/")), "not_a_directory");
    assert_eq!(code(w.read_text("d/a/.")), "not_a_directory");
    assert_eq!(code(w.read_text("d/a/x")), "not_a_directory");
    assert_eq!(code(w.read_text("d/a/../a")), "not_a_directory");
    #[cfg(unix)]
    {
        fixture.link("dangling", "nothing");
        assert!(!w.exists("dangling").unwrap());
        assert_eq!(code(w.metadata("dangling")), "path_not_found");
    }
}
