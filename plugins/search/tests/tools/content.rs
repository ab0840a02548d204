use serde_json::{Value, json};
use std::time::{Duration, Instant};
use stud_plugin_testkit::{ErrorClass, TestHost};
use stud_tools_search::grep;

#[track_caller]
fn check(host: &TestHost, args: Value, expected: &str) {
    assert_eq!(host.call::<grep>(args).unwrap().text, expected);
}

#[track_caller]
fn refused(args: Value, code: &str, words: &str) {
    let error = TestHost::new().call::<grep>(args).unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::ValidationError, code), "{error}");
    assert!(error.message.contains(words), "{error}");
}

fn tree() -> TestHost {
    let host = TestHost::new();
    host.write("src/b.rs", "fn main() {\n    run();\n}\n")
        .write("src/a.rs", "fn run() {}\r\nfn Run() {}")
        .write("docs/run.md", "run it\n")
        .write(".hidden/x", "run\n")
        .write(".git/x", "run\n")
        .write("ignored.log", "run\n")
        .write(".gitignore", "*.log\n")
        .write("binary", b"run\0run\n")
        .write("empty", "");
    host
}

#[test]
fn b_lines_are_sorted_by_path_and_counted() {
    check(
        &tree(),
        json!({"pattern": "run"}),
        "docs/run.md:1:run it\nsrc/a.rs:1:fn run() {}\nsrc/b.rs:2:    run();\n[3 matching lines in 3 files]\n",
    );
}

#[test]
fn b_options_do_what_they_say() {
    let host = tree();
    check(
        &host,
        json!({"pattern": "fn run", "case_insensitive": true, "path": "src"}),
        "src/a.rs:1:fn run() {}\nsrc/a.rs:2:fn Run() {}\n[2 matching lines in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "fn Run", "smart_case": true}),
        "src/a.rs:2:fn Run() {}\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "fn r", "smart_case": true}),
        "src/a.rs:1:fn run() {}\nsrc/a.rs:2:fn Run() {}\n[2 matching lines in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "run()", "fixed_strings": true, "glob": "*.rs"}),
        "src/a.rs:1:fn run() {}\nsrc/b.rs:2:    run();\n[2 matching lines in 2 files]\n",
    );
    check(
        &host,
        json!({"pattern": "run", "glob": "!*.rs"}),
        "docs/run.md:1:run it\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "run", "glob": "src/**/b.rs"}),
        "src/b.rs:2:    run();\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "^run$", "hidden": true}),
        ".hidden/x:1:run\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "main", "path": "src/b.rs", "context": 1}),
        "src/b.rs:1:fn main() {\nsrc/b.rs-2-    run();\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"query": "it", "file": host.path("docs")}),
        "docs/run.md:1:run it\n[1 matching line in 1 file]\n",
    );
}

#[test]
fn b_a_file_named_by_its_path_is_searched_whatever_ignores_it() {
    let host = tree();
    check(
        &host,
        json!({"pattern": "run", "path": "ignored.log"}),
        "ignored.log:1:run\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "run", "path": "./.hidden/x"}),
        ".hidden/x:1:run\n[1 matching line in 1 file]\n",
    );
    check(
        &host,
        json!({"pattern": "run", "path": "binary"}),
        "[no match in `binary`, 1 file searched; 1 binary file skipped]\n",
    );
}

#[test]
fn b_nothing_found_is_said_with_what_was_searched() {
    check(
        &tree(),
        json!({"pattern": "nowhere"}),
        "[no match in the workspace, 5 files searched; 1 binary file skipped]\n",
    );
    check(&tree(), json!({"pattern": "x", "path": "empty"}), "[no match in `empty`, 1 file searched]\n");
}

#[test]
fn b_anchors_know_both_line_breaks_and_the_last_line() {
    let host = TestHost::new();
    host.write("crlf", "one\r\ntwo\r\n").write("none", "one\ntwo").write("ü", "größe: 3 €\n");
    check(&host, json!({"pattern": "^two$"}), "crlf:2:two\nnone:2:two\n[2 matching lines in 2 files]\n");
    check(&host, json!({"pattern": r"gr\w+e: \d €$"}), "ü:1:größe: 3 €\n[1 matching line in 1 file]\n");
    check(
        &host,
        json!({"pattern": "GRÖSSE|GRÖßE", "case_insensitive": true}),
        "ü:1:größe: 3 €\n[1 matching line in 1 file]\n",
    );
}

#[test]
fn b_context_is_grouped_as_grep_does() {
    let host = TestHost::new();
    host.write("a", "1\n2\nx\n4\n5\n6\n7\nx\n").write("b", "x\n");
    check(
        &host,
        json!({"pattern": "x", "context": 1}),
        "a-2-2\na:3:x\na-4-4\n--\na-7-7\na:8:x\n--\nb:1:x\n[3 matching lines in 2 files]\n",
    );
    check(
        &host,
        json!({"pattern": "x", "context": 1, "max_results": 1}),
        "a-2-2\na:3:x\na-4-4\n[1 of 3 matching lines in 2 files shown: narrow the search, or raise max_results]\n",
    );
    check(
        &host,
        json!({"pattern": "x", "context": 9, "max_results": 2}),
        "a-1-1\na-2-2\na:3:x\na-4-4\na-5-5\na-6-6\na-7-7\na:8:x\n[2 of 3 matching lines in 2 files shown: narrow the search, or raise max_results]\n",
    );
}

#[test]
fn b_a_cut_shows_the_first_by_path_every_time() {
    let host = TestHost::new();
    for n in 0..60 {
        host.write(&format!("d{}/f{n:02}", n % 7), "x\nx\nx\n");
    }
    let first = host.call::<grep>(json!({"pattern": "x", "max_results": 10})).unwrap();
    let lines: Vec<&str> = first.text.lines().collect();
    assert_eq!(lines.len(), 11);
    assert_eq!((lines[0], lines[9]), ("d0/f00:1:x", "d0/f21:1:x"));
    assert_eq!(
        lines[10],
        "[10 of 180 matching lines in 60 files shown: narrow the search, or raise max_results]"
    );
    assert_eq!((&first.metadata["matches"], &first.metadata["shown"]), (&json!(180), &json!(10)));
    for _ in 0..20 {
        assert_eq!(host.call::<grep>(json!({"pattern": "x", "max_results": 10})).unwrap(), first);
    }
}

#[test]
fn b_long_lines_are_cut_around_the_match_and_long_results_end() {
    let host = TestHost::new();
    host.write("long", format!("{}needle{}\n", "a".repeat(3 << 20), "b".repeat(3 << 20)));
    let text = host.call::<grep>(json!({"pattern": "needle"})).unwrap().text;
    let expected =
        format!("long:1:…{}needle{}…\n[1 matching line in 1 file]\n", "a".repeat(100), "b".repeat(194));
    assert_eq!(text, expected);
    host.write("many", format!("{}\n", "m".repeat(200)).repeat(2000));
    let text = host.call::<grep>(json!({"pattern": "mm", "max_results": 2000})).unwrap().text;
    assert!((64_000..70_000).contains(&text.len()), "{}", text.len());
    assert!(
        text.contains(" of 2000 matching lines in 1 file shown: narrow the search]"),
        "{}",
        &text[text.len() - 200..]
    );
}

#[test]
fn b_a_cut_by_length_is_the_same_every_time_too() {
    let host = TestHost::new();
    for n in 0..40 {
        host.write(&format!("f{n:02}"), format!("{}\n", "m".repeat(200)).repeat(20));
    }
    let first = host.call::<grep>(json!({"pattern": "mm", "max_results": 2000})).unwrap().text;
    assert!(first.starts_with("f00:1:") && first.contains("\nf13:1:") && !first.contains("\nf30:"));
    for _ in 0..20 {
        assert_eq!(host.call::<grep>(json!({"pattern": "mm", "max_results": 2000})).unwrap().text, first);
    }
}

#[test]
fn b_bad_patterns_are_explained() {
    refused(json!({"pattern": ""}), "empty_pattern", "say what to look for");
    refused(json!({"pattern": "a(b"}), "invalid_pattern", "unclosed group");
    refused(json!({"pattern": "a(b"}), "invalid_pattern", "fixed_strings");
    refused(json!({"pattern": "(?=x)"}), "invalid_pattern", "look-around");
    refused(json!({"pattern": "a\nb"}), "invalid_pattern", "line by line");
    refused(json!({"pattern": "a\nb", "fixed_strings": true}), "invalid_pattern", "line by line");
    refused(json!({"pattern": r"\w{1000}{1000}{1000}"}), "invalid_pattern", "size");
    refused(json!({"pattern": "x", "glob": "a{b"}), "invalid_glob", "`a{b` is no glob");
    refused(json!({"pattern": "x", "max_results": 0}), "invalid_arguments", "minimum");
}

#[test]
fn b_pipes_and_unreadable_files_do_not_stop_a_search() {
    let host = TestHost::new();
    host.write("a", "x\n").write("z", "x\n");
    assert!(std::process::Command::new("mkfifo").arg(host.path("pipe")).status().unwrap().success());
    use std::os::unix::ffi::OsStrExt as _;
    std::fs::write(host.workspace().join(std::ffi::OsStr::from_bytes(b"bad\xFF")), "x\n").unwrap();
    check(
        &host,
        json!({"pattern": "x"}),
        "a:1:x\nz:1:x\n[2 matching lines in 2 files; 1 file could not be read]\n",
    );
}

/// A search that takes many seconds: word boundaries among letters beyond ASCII need the slowest of the engines.
fn endless() -> (TestHost, Value) {
    let host = TestHost::new();
    host.write("a", "ab1\n").write("big", format!("{}\n", "äöü ".repeat(20)).repeat(1_000_000));
    (host, json!({"pattern": r"\b\w{2}\d\b"}))
}

#[test]
fn d6_a_search_gives_what_it_has_before_the_deadline() {
    let (host, args) = endless();
    host.deadline(Duration::from_millis(500));
    let text = host.call::<grep>(args).unwrap().text;
    assert_eq!(
        text,
        "a:1:ab1\n[at least 1 matching line in 1 file; stopped before the end, because the time was nearly up: \
         search a smaller directory]\n"
    );
}

#[test]
fn d6_cancelling_stops_in_the_middle_of_a_big_file() {
    let (host, args) = endless();
    let canceller = host.canceller();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            canceller.cancel();
        });
        assert_eq!(host.call::<grep>(args).unwrap_err().class, ErrorClass::Cancelled);
    });
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
