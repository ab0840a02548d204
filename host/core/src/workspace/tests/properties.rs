//! Generated paths over a tree full of links: whatever is done, the outside stays untouched and unread, and what is
//! answered is what the kernel would answer.

use proptest::prelude::*;

use super::*;

/// Pieces of paths: names that exist and do not, links inside and outside, dots, doubled slashes.
const PIECES: &[&str] = &[
    "a", "b", "f", "new", "..", "..", ".", "", "in", "in-abs", "up", "out", "out-abs", "out-rel", "loop",
    "dangling", "self", "secret", "dir", "file", "root", "outside", "\\x", ".hidden",
];

/// Those with which no step leaves the root by a link, so that the kernel's answer must be ours.
const INSIDE_PIECES: &[&str] =
    &["a", "b", "f", "new", "..", ".", "", "in", "in-abs", "up", "loop", "dangling", "self"];

fn tree() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("a/b/f", "deep").file("a/f", "middle").file("f", "top").file("b/a/dir/file", "far");
    for place in ["", "a/", "a/b/", "b/"] {
        let depth = place.matches('/').count();
        fixture
            .link(&format!("{place}in"), "../".repeat(depth) + "a/b")
            .link(&format!("{place}in-abs"), fixture.root.join("b/a"))
            .link(&format!("{place}out-abs"), &fixture.outside)
            .link(&format!("{place}out-rel"), "../".repeat(depth) + "../outside")
            .link(&format!("{place}out"), "in/../../../outside/secret")
            .link(&format!("{place}loop"), "loop")
            .link(&format!("{place}dangling"), "new")
            .link(&format!("{place}self"), ".");
    }
    for place in ["a/", "a/b/", "b/"] {
        fixture.link(&format!("{place}up"), "..");
    }
    fixture
}

fn paths(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let prefix = prop_oneof![6 => Just(""), 2 => Just("ROOT/"), 1 => Just("OUTSIDE/"), 1 => Just("/"),
        1 => Just("/proc/self/root/ROOT/"), 1 => Just("ROOT/../")];
    (prefix, prop::collection::vec(prop::sample::select(pieces), 0..9))
        .prop_map(|(prefix, pieces)| prefix.to_owned() + &pieces.join("/"))
}

/// Runs one operation; answers what it read.
fn run(w: &Workspace, operation: usize, path: &str) -> Result<String, WorkspaceError> {
    let create = WriteOptions { create_dirs: true, must_not_exist: false };
    let new = WriteOptions { create_dirs: false, must_not_exist: true };
    Ok(match operation {
        0 => w.read_text(path)?,
        1 => String::from_utf8_lossy(&w.read_bytes(path, 1, Some(100))?).into_owned(),
        2 => format!("{:?}", w.list(path)?),
        3 => format!("{:?}", w.metadata(path)?.path),
        4 => format!("{:?}", w.write(path, b"mine", create)?.path),
        5 => format!("{:?}", w.write(path, b"mine", new)?.path),
        6 => format!("{:?}", w.append(path, b"mine", true)?.path),
        7 => format!("{:?}", w.patch(path, "e", "mine")?.path),
        8 => format!("{:?}", w.delete(path, false)?.path),
        9 => format!("{:?}", w.delete(path, true)?.path),
        10 => format!("{:?}", w.create_dir_all(path)?),
        _ => format!("{:?}", w.command_dir(path)?.path.strip_prefix(w.root()).unwrap()),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn w1_no_operation_on_any_path_touches_the_outside(
        steps in prop::collection::vec((0usize..12, paths(PIECES)), 1..12),
    ) {
        let fixture = tree();
        for (operation, path) in steps {
            let path = path.replace("ROOT", fixture.root.to_str().unwrap()).replace("OUTSIDE", fixture.outside_str());
            let path = path.replace("root//", "root/");
            if let Ok(answer) = run(&fixture.workspace, operation, &path) {
                prop_assert!(!answer.contains(&SECRET[1..]), "operation {operation} on {path:?} read {answer}");
                prop_assert!(!answer.contains(".."), "operation {operation} on {path:?} went to {answer}");
            }
            prop_assert!(fixture.root.is_dir(), "operation {operation} on {path:?} deleted the root");
        }
        prop_assert!(snapshot(&fixture.outside) == fixture.before);
        let beside: Vec<_> = fs::read_dir(fixture.base.path()).unwrap().collect();
        prop_assert_eq!(beside.len(), 2);
        fixture.check_no_leftovers();
    }

    /// The kernel resolves the same path with its own rules; where it ends, or whether it leaves, must agree.
    #[test]
    fn w1_paths_lead_where_the_kernel_says(pieces in prop::collection::vec(prop::sample::select(INSIDE_PIECES), 1..9)) {
        let fixture = FIXTURE.with(|fixture| fixture.clone());
        // With a dot in front, since the first piece may be empty.
        let path = "./".to_owned() + &pieces.join("/");
        let ours = fixture.workspace.metadata(&path).map(|info| fixture.root.join(info.path));
        let kernel = fixture.root.join(&path).canonicalize();
        match (ours, kernel) {
            (Ok(ours), Ok(kernel)) => prop_assert_eq!(ours.join(""), kernel.join("")),
            (Err(WorkspaceError::Escapes { .. }), kernel) => {
                // By the text alone, behind a missing directory too, or because the kernel left the root on its way (it may have come back).
                let left = (1..=pieces.len()).any(|n| {
                    let part = fixture.root.join("./".to_owned() + &pieces[..n].join("/")).canonicalize();
                    part.is_ok_and(|part| !part.starts_with(&fixture.root))
                });
                prop_assert!(left || kernel.is_err() || fixture.workspace.resolve(&path).is_err(), "{path}: {kernel:?}");
            }
            (Err(_), Err(_)) => {}
            (ours, kernel) => prop_assert!(false, "{path}: {ours:?}, the kernel says {kernel:?}"),
        }
    }

    #[test]
    fn w1_any_text_as_a_path_is_answered(path in any::<String>()) {
        let fixture = FIXTURE.with(|fixture| fixture.clone());
        for operation in 0..4 {
            let _ = run(&fixture.workspace, operation, &path);
        }
    }
}

thread_local! {
    /// For properties that change nothing.
    static FIXTURE: std::rc::Rc<Fixture> = std::rc::Rc::new(tree());
}
