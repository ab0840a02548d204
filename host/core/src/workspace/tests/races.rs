//! Another program swaps directories and files for links to the outside, thousands of times, while we work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

/// Ends the other thread, also when a check fails: the scope waits for it.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Exchanges two names of the root until `work` has both succeeded and been refused so many `times`, which it only can
/// when the swap comes in between.
fn race(
    fixture: &Fixture,
    one: &str,
    two: &str,
    times: usize,
    work: impl Fn(&Workspace) -> Result<(), WorkspaceError>,
) {
    let stop = AtomicBool::new(false);
    let swapped = AtomicUsize::new(0);
    let (mut done, mut refused) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (one, two) = (fixture.root.join(one), fixture.root.join(two));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &two, RenameFlags::EXCHANGE).unwrap();
                swapped.fetch_add(1, Ordering::Relaxed);
            }
        });
        let _stop = StopOnDrop(&stop);
        while (done < times || refused < times || swapped.load(Ordering::Relaxed) < 5000)
            && Instant::now() < deadline
        {
            match work(&fixture.workspace) {
                Ok(()) => done += 1,
                Err(WorkspaceError::Escapes { .. }) => refused += 1,
                Err(WorkspaceError::Unstable { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    });
    assert!(done >= times && refused >= times, "{done} done, {refused} refused: no race took place");
    fixture.check_canary();
}

fn directory_fixture() -> Fixture {
    let fixture = Fixture::new();
    // The same names inside and outside, so that a lost race would find what it looks for.
    fixture.file("d/dir/file", "inside").link("trap", &fixture.outside);
    fixture
}

#[test]
fn w2_reading_never_follows_a_directory_swapped_for_a_link() {
    let fixture = directory_fixture();
    race(&fixture, "d", "trap", 500, |w| {
        assert_eq!(w.read_text("d/dir/file")?, "inside");
        assert_eq!(w.metadata("d/dir/file")?.size, 6);
        let list = w.list("d/dir")?;
        assert_eq!(list[0].size, 6);
        Ok(())
    });
}

#[test]
fn w2_listing_never_follows_a_directory_swapped_for_a_link() {
    let fixture = directory_fixture();
    race(&fixture, "d", "trap", 500, |w| {
        let list = w.list("d")?;
        assert_eq!((list.len(), list[0].name.as_str()), (1, "dir"));
        Ok(())
    });
}

#[test]
fn w2_writing_never_follows_a_directory_swapped_for_a_link() {
    let fixture = directory_fixture();
    race(&fixture, "d", "trap", 60, |w| {
        w.write("d/dir/file", b"written", WriteOptions::default())?;
        w.append("d/dir/log", b"x", false)?;
        w.write("d/dir/made/x", b"", WriteOptions { create_dirs: true, must_not_exist: false })?;
        w.patch("d/dir/file", "written", "patched")?;
        w.delete("d/dir/made", true)?;
        Ok(())
    });
    fixture.check_no_leftovers();
}

#[test]
fn w2_no_file_is_followed_when_swapped_for_a_link() {
    let fixture = Fixture::new();
    fixture.file("f", "inside").link("trap", fixture.outside.join("secret"));
    race(&fixture, "f", "trap", 500, |w| {
        assert_eq!(w.read_text("f")?, "inside");
        w.append("f", b"", false)?;
        w.create_dir_all("f").map(drop).or_else(|error| match error {
            WorkspaceError::NotADirectory { .. } => Ok(()),
            error => Err(error),
        })?;
        Ok(())
    });
}

#[test]
fn w2_writing_never_writes_through_a_file_swapped_for_a_link() {
    let fixture = Fixture::new();
    fixture.file("f", "inside");
    fixture.link("trap", fixture.outside.join("secret"));
    // A write replaces whatever has the name at the rename, so it may replace the link, never follow it; the swapper
    // puts a link back each time.
    let deadline = Instant::now() + Duration::from_secs(20);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (file, trap) = (fixture.root.join("f"), fixture.root.join("trap"));
            while !stop.load(Ordering::Relaxed) {
                let _ = renameat_with(CWD, &file, CWD, &trap, RenameFlags::EXCHANGE);
                if !file.is_symlink() && !trap.is_symlink() {
                    let _ = fs::remove_file(&trap);
                    let _ = std::os::unix::fs::symlink(fixture.outside.join("secret"), &trap);
                }
            }
        });
        let _stop = StopOnDrop(&stop);
        for _ in 0..1000 {
            if Instant::now() > deadline {
                break;
            }
            let _ = fixture.workspace.write("f", b"inside", WriteOptions::default());
            let _ = fixture.workspace.append("f", b"inside", false);
            let _ = fixture.workspace.patch("f", SECRET, "inside");
        }
    });
    fixture.check_canary();
    fixture.check_no_leftovers();
}
