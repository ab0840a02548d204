use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use stud_plugin_testkit::{ErrorClass, TestHost};
use stud_tools_files::read_file;

#[track_caller]
fn check(content: impl AsRef<[u8]>, mut args: Value, expected: &str) {
    let host = TestHost::new();
    host.write("f", content);
    args["path"] = json!("f");
    let output = host.call::<read_file>(args).unwrap();
    assert_eq!(output.text, expected);
}

#[track_caller]
fn refused(content: impl AsRef<[u8]>, mut args: Value, code: &str, words: &str) {
    let host = TestHost::new();
    host.write("f", content);
    args["path"] = json!("f");
    let error = host.call::<read_file>(args).unwrap_err();
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(words), "{error}");
}

#[test]
fn b_lines_come_with_their_numbers() {
    check("one\n\ntwo", json!({}), "1\tone\n2\t\n3\ttwo\n");
    check("äö → 🦀\n", json!({}), "1\täö → 🦀\n");
    check("", json!({}), "[`f` is empty]");
    check("\n", json!({}), "1\t\n");
}

#[test]
fn b_a_range_says_where_it_stands_and_how_to_go_on() {
    let text: String = (1..=10).map(|n| format!("l{n}\n")).collect();
    check(
        &text,
        json!({"limit": 2}),
        "1\tl1\n2\tl2\n[lines 1-2 of 10; 25 B not shown; go on with offset=3]\n",
    );
    check(
        &text,
        json!({"offset": 4, "limit": 1}),
        "4\tl4\n[lines 4-4 of 10; 19 B not shown; go on with offset=5]\n",
    );
    check(&text, json!({"offset": 10}), "10\tl10\n[lines 10-10 of 10]\n");
    check("a\nb", json!({"limit": 1}), "1\ta\n[lines 1-1 of 2; 1 B not shown; go on with offset=2]\n");
    refused(&text, json!({"offset": 11}), "offset_beyond_end", "`f` has 10 lines: offset 11");
    refused("a\nb", json!({"offset": 3}), "offset_beyond_end", "has 2 lines");
    refused("", json!({"offset": 2}), "offset_beyond_end", "has 0 lines");
    refused(&text, json!({"offset": 0}), "invalid_arguments", "minimum");
}

#[test]
fn b_line_breaks_and_a_byte_order_mark_are_not_shown() {
    check("a\r\nb\r\n", json!({}), "1\ta\n2\tb\n[line breaks are CRLF]\n");
    check("\u{FEFF}a\n", json!({}), "1\ta\n");
}

#[test]
fn b_long_lines_and_long_texts_are_cut_with_a_count() {
    let text = format!("{}\nend\n", "ä".repeat(5000));
    check(&text, json!({}), &format!("1\t{}… [5.9 KB more in this line]\n2\tend\n", "ä".repeat(2000)));
    let text = format!("{}\r\n", "x".repeat(9000));
    check(
        &text,
        json!({}),
        &format!("1\t{}… [6.8 KB more in this line]\n[line breaks are CRLF]\n", "x".repeat(2000)),
    );

    let host = TestHost::new();
    host.write("g", format!("{}\n", "y".repeat(99)).repeat(5000));
    let output = host.call::<read_file>(json!({"path": "g"})).unwrap();
    assert!((60_000..70_000).contains(&output.text.len()), "{}", output.text.len());
    assert!(output.text.contains(" of 5000; "), "{}", &output.text[output.text.len() - 100..]);
    let next = output.metadata["last_line"].as_u64().unwrap() + 1;
    assert!(output.text.ends_with(&format!("; go on with offset={next}]\n")));
    let output = host.call::<read_file>(json!({"path": "g", "offset": next})).unwrap();
    assert!(output.text.starts_with(&format!("{next}\tyyy")));
}

#[test]
fn b_what_is_no_text_is_said_to_be_so() {
    refused(b"PNG\0\x01", json!({}), "not_text", "`f` is a binary file (it has NUL bytes), 5 B: ");
    refused(b"caf\xE9\n", json!({}), "not_text", "not UTF-8 text (see line 1), 5 B");
    refused(b"a\nb\xC3", json!({}), "not_text", "see line 2");
    refused(b"\xFF\xFEa\0b\0", json!({}), "not_text", "UTF-16");
    let late: Vec<u8> = [&b"a\n".repeat(10_000)[..], b"\0\n"].concat();
    refused(&late, json!({"offset": 10_001}), "not_text", "line 10001 has NUL bytes");
}

#[test]
fn b_what_is_no_file_is_refused_without_waiting() {
    let host = TestHost::new();
    host.write("d/x", "");
    assert!(std::process::Command::new("mkfifo").arg(host.path("pipe")).status().unwrap().success());
    for (path, code) in
        [("none", "path_not_found"), ("d", "not_a_file"), ("pipe", "not_a_file"), ("", "invalid_path")]
    {
        assert_eq!(host.call::<read_file>(json!({"path": path})).unwrap_err().code, code, "{path}");
    }
}

#[test]
fn d6_reading_stops_when_cancelled() {
    let host = TestHost::new();
    host.write("f", "x\n".repeat(1000)).cancel();
    let error = host.call::<read_file>(json!({"path": "f", "offset": 9})).unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled);
}

/// The most memory that this process has used, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn b_a_file_of_two_gigabytes_is_read_in_little_memory() {
    const SIZE: u64 = 2 << 30;
    let host = TestHost::new();
    host.write("huge", "line\n".repeat(2000));
    // A hole of one line without end, then lines again: sparse, so that it costs no disk.
    let mut file = OpenOptions::new().write(true).open(host.path("huge")).unwrap();
    file.seek(SeekFrom::Start(SIZE)).unwrap();
    file.write_all(b"\nlast but one\nlast\n").unwrap();
    drop(file);

    let before = peak_memory();
    let output = host.call::<read_file>(json!({"path": "huge", "limit": 2})).unwrap();
    assert_eq!(
        output.text,
        "1\tline\n2\tline\n[lines 1-2 of more than 2001; 2.0 GB not shown; go on with offset=3]\n"
    );
    let output = host.call::<read_file>(json!({"path": "huge", "offset": 2002, "limit": 5})).unwrap();
    assert_eq!(output.text, "2002\tlast but one\n2003\tlast\n[lines 2002-2003 of 2003]\n");
    let grown = peak_memory() - before;
    assert!(grown < 64 << 20, "{grown} bytes more");
}
