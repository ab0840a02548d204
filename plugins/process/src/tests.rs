#![cfg(unix)]

use crate::{Caller, Command, End, Outcome, StartError, Stream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Remembers the output, and cancels as soon as it contains a word.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Vec<u8>>,
    bytes: Mutex<[u64; 2]>,
    cancel_on: Option<&'static str>,
}

impl Recorder {
    fn cancelling_on(word: &'static str) -> Recorder {
        Recorder { cancel_on: Some(word), ..Recorder::default() }
    }

    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap()).into_owned()
    }
}

impl Caller for Recorder {
    fn cancelled(&self) -> bool {
        self.cancel_on.is_some_and(|word| self.seen().contains(word))
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        self.bytes.lock().unwrap()[usize::from(stream.number() - 1)] += bytes.len() as u64;
        let mut seen = self.seen.lock().unwrap();
        if seen.len() < 10_000 {
            seen.extend_from_slice(bytes);
        }
    }
}

fn shell(script: &str) -> Command {
    Command::new("sh").arg("-c").arg(script)
}

fn run(script: &str) -> Outcome {
    shell(script).run(&Recorder::default()).unwrap()
}

/// Waits for what must become true soon.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not happen within 10 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the process runs; one that waits to be reaped does not.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), Some('Z' | 'X'))
    })
}

fn line<'a>(text: &'a str, prefix: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(prefix)).unwrap_or_else(|| panic!("no {prefix} in {text}"))
}

#[test]
fn output_exit_code_and_live_pieces_agree() {
    let recorder = Recorder::default();
    let outcome = shell("echo out; echo err >&2; exit 3").run(&recorder).unwrap();
    assert_eq!((outcome.exit_code, outcome.signal, outcome.end), (Some(3), None, End::Exited));
    assert_eq!((outcome.stdout().as_str(), outcome.stderr().as_str()), ("out\n", "err\n"));
    assert_eq!((outcome.stdout_bytes, outcome.stderr_bytes), (4, 4));
    assert_eq!(*recorder.bytes.lock().unwrap(), [4, 4]);
    assert_eq!(outcome.notes(), ["[exit code 3]"]);
    assert!(!outcome.success());
}

#[test]
fn a_short_program_is_not_waited_for_longer_than_it_takes() {
    let best = (0..20).map(|_| run("exit 0").duration).min().unwrap();
    assert!(best < Duration::from_millis(15), "{best:?}: it waits for a tick");
}

#[test]
fn a_program_without_output_streams_is_waited_for_to_its_end() {
    let outcome = run("exec >&- 2>&-; sleep 0.2; exit 4");
    assert_eq!(outcome.exit_code, Some(4));
    assert!(outcome.duration >= Duration::from_millis(200));
}

#[test]
fn a_signal_is_named() {
    let outcome = run("kill -SEGV $$");
    assert_eq!((outcome.exit_code, outcome.signal_name().as_deref()), (None, Some("SIGSEGV")));
    assert_eq!(outcome.notes(), ["[killed by SIGSEGV]"]);
}

#[test]
fn h2_stdin_is_empty() {
    assert_eq!(run("cat; echo done").text(), "done\n");
}

#[test]
fn x4_the_environment_is_what_a_process_needs() {
    let outcome = Command::new("env").env("EXTRA", "1").run(&Recorder::default()).unwrap();
    let text = outcome.text();
    assert!(text.contains("PATH=") && text.contains("TERM=dumb\n") && text.contains("EXTRA=1\n"), "{text}");
    // Cargo sets this one for the test itself.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some() && !text.contains("CARGO_PKG_NAME"), "{text}");
}

#[test]
fn d6_endless_output_is_cancelled_and_bounded() {
    let recorder = Recorder::cancelling_on("y\n");
    let outcome = shell("yes").capture(100_000).run(&recorder).unwrap();
    assert_eq!((outcome.end, outcome.killed), (End::Cancelled, false));
    assert!(outcome.text().starts_with("y\ny\n"));
    assert!(outcome.text().len() < 101_000);
    let note = &outcome.notes()[0];
    assert!(note.starts_with("[cancelled after ") && note.ends_with("s; output so far above]"), "{note}");
}

#[test]
fn d6_partial_output_is_returned() {
    let recorder = Recorder::cancelling_on("half");
    let outcome = shell("echo half; sleep 60; echo rest").run(&recorder).unwrap();
    assert_eq!((outcome.end, outcome.text().as_str()), (End::Cancelled, "half\n"));
    assert_eq!(outcome.signal_name().as_deref(), Some("SIGTERM"));
    assert!(outcome.duration < Duration::from_secs(4), "{:?}", outcome.duration);
}

#[test]
fn d6_a_program_may_clean_up_after_sigterm() {
    let recorder = Recorder::cancelling_on("ready");
    let script = "trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let outcome = shell(script).run(&recorder).unwrap();
    assert_eq!((outcome.exit_code, outcome.killed), (Some(7), false));
    assert!(outcome.text().contains("cleaned"));
}

#[test]
fn d6_what_ignores_sigterm_gets_sigkill_after_the_grace() {
    let recorder = Recorder::cancelling_on("ready");
    let grace = Duration::from_millis(300);
    let script = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let outcome = shell(script).grace(grace).run(&recorder).unwrap();
    assert_eq!((outcome.end, outcome.killed, outcome.survives), (End::Cancelled, true, false));
    assert_eq!(outcome.signal_name().as_deref(), Some("SIGKILL"));
    assert!(outcome.duration >= grace && outcome.duration < Duration::from_secs(3), "{:?}", outcome.duration);
    assert!(outcome.notes()[0].contains("did not heed SIGTERM"), "{:?}", outcome.notes());
}

#[test]
fn d6_grandchildren_die_with_the_group() {
    let recorder = Recorder::cancelling_on("ready");
    // One in a pipe, one whose output goes elsewhere, one that ignores the gentle signal.
    let script = "sleep 300 & echo a:$!; sleep 300 >/dev/null 2>&1 & echo b:$!
        (trap '' TERM; sleep 300 >/dev/null 2>&1) >/dev/null 2>&1 & echo c:$!; sleep 0.1; echo ready; wait";
    let outcome = shell(script).grace(Duration::from_millis(300)).run(&recorder).unwrap();
    let text = outcome.text();
    assert!(outcome.killed, "the third had to be killed");
    for prefix in ["a:", "b:", "c:"] {
        let pid = line(&text, prefix);
        eventually(&format!("the end of {prefix}{pid}"), || !runs(pid));
    }
}

#[test]
fn d6_a_stopped_program_is_ended_as_well() {
    let recorder = Recorder::cancelling_on("ready");
    let outcome = shell("echo ready; kill -STOP $$; echo never").run(&recorder).unwrap();
    assert_eq!((outcome.end, outcome.killed), (End::Cancelled, false));
    assert!(outcome.duration < Duration::from_secs(4), "{:?}", outcome.duration);
}

#[test]
fn a_timeout_of_its_own_stops_it() {
    let outcome =
        shell("echo a; sleep 60").timeout(Duration::from_millis(100)).run(&Recorder::default()).unwrap();
    assert_eq!((outcome.end, outcome.text().as_str()), (End::TimedOut, "a\n"));
    assert!(outcome.notes()[0].starts_with("[timed out after 0."), "{:?}", outcome.notes());
    let outcome = shell("echo a").timeout(Duration::MAX).run(&Recorder::default()).unwrap();
    assert_eq!(outcome.end, End::Exited);
}

#[test]
fn a_grandchild_that_keeps_the_pipe_does_not_hang_the_call() {
    let outcome = run("sleep 300 & echo pid:$!; echo done");
    let text = outcome.text();
    assert_eq!((outcome.exit_code, outcome.output_held, outcome.end), (Some(0), true, End::Exited));
    assert!(outcome.duration < Duration::from_secs(3), "{:?}", outcome.duration);
    assert!(
        outcome.notes()[0].contains("a background process still holds the output"),
        "{:?}",
        outcome.notes()
    );
    let pid = line(&text, "pid:");
    assert!(runs(pid), "a background process that nobody cancelled runs on");
    Command::new("kill").arg(pid).run(&Recorder::default()).unwrap();
}

#[test]
fn output_of_a_grandchild_right_after_the_end_still_counts() {
    let outcome = run("(sleep 0.1; echo late) & echo early");
    assert_eq!((outcome.text().as_str(), outcome.output_held), ("early\nlate\n", false));
}

#[test]
fn d6_one_that_left_the_group_is_out_of_reach_and_said_to_be() {
    let recorder = Recorder::cancelling_on("ready");
    let outcome =
        shell("setsid sleep 300 & echo pid:$!; sleep 0.1; echo ready; sleep 300").run(&recorder).unwrap();
    assert_eq!((outcome.end, outcome.output_held), (End::Cancelled, true));
    assert!(outcome.duration < Duration::from_secs(4), "the grace is not waited out: {:?}", outcome.duration);
    let text = outcome.text();
    let pid = line(&text, "pid:");
    assert!(runs(pid));
    Command::new("kill").arg(pid).run(&Recorder::default()).unwrap();
}

#[test]
fn d7_a_gigabyte_is_counted_and_bounded() {
    let outcome =
        Command::new("head").args(["-c", "1073741824", "/dev/zero"]).run(&Recorder::default()).unwrap();
    assert_eq!((outcome.exit_code, outcome.stdout_bytes), (Some(0), 1 << 30));
    assert!(outcome.text().len() < 1 << 20);
    assert!(outcome.dropped_bytes > (1 << 30) - (1 << 20));
}

#[test]
fn bytes_that_are_no_text_and_unicode_come_through() {
    assert_eq!(run(r"printf 'a\377\000b'").text(), "a\u{FFFD}\0b");
    assert_eq!(run("printf '%s' 'ž漢🦀'").text(), "ž漢🦀");
    let outcome = Command::new("printf").args(["%s", "naïve  spaces"]).run(&Recorder::default()).unwrap();
    assert_eq!(outcome.text(), "naïve  spaces");
}

#[test]
fn what_does_not_start_is_an_error_that_says_what() {
    let error = Command::new("no-such-program-here").run(&Recorder::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no program `no-such-program-here` in PATH: install it or use another"
    );
    assert_eq!(error.code(), "no_program");
    let error = shell("true").directory("/no/such/dir").run(&Recorder::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no directory `/no/such/dir` to run in: create it or choose another"
    );
    let error = Command::new("echo").arg("nul\0").run(&Recorder::default()).unwrap_err();
    assert!(matches!(error, StartError::Refused { .. }), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn it_runs_in_the_directory_that_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let outcome = Command::new("pwd").directory(&path).run(&Recorder::default()).unwrap();
    assert_eq!(outcome.text().trim_end(), path.to_str().unwrap());
}

#[test]
fn a_caller_that_panics_leaves_no_process_behind() {
    struct Panicking(Mutex<String>);
    impl Caller for Panicking {
        fn cancelled(&self) -> bool {
            false
        }
        fn output(&self, _: Stream, bytes: &[u8]) {
            *self.0.lock().unwrap() = String::from_utf8_lossy(bytes).trim().to_owned();
            panic!("on purpose");
        }
    }
    let caller = Panicking(Mutex::default());
    let run = std::panic::AssertUnwindSafe(|| shell("echo $$; sleep 300").run(&caller));
    assert!(std::panic::catch_unwind(run).is_err());
    let pid = caller.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    eventually("its end", || !runs(&pid));
}

#[test]
fn quiet_shows_nothing_while_it_runs() {
    let recorder = Recorder::default();
    let outcome = shell("echo a").quiet().run(&recorder).unwrap();
    assert_eq!((outcome.text().as_str(), recorder.seen().as_str()), ("a\n", ""));
}
