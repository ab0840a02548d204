//! What may stand in some places only: unsafe code, printing, unfinished work, paths of a machine.

use crate::code::{code_only, is_word, words};
use crate::files::{SourceFile, rust_sources, sources};

/// Where unsafe code may stand. The worker's sandbox joins them when there is one.
const UNSAFE: [&str; 3] = ["plugin-api/abi/", "host/core/src/load/loader.rs", "tests/fixtures/"];
/// Where `unsafe` may stand in attributes, for what the macro writes into an author's crate.
const UNSAFE_ATTRIBUTES: [&str; 1] = ["plugin-api/src/export.rs"];

fn misplaced_unsafe(files: &[SourceFile]) -> Vec<String> {
    let within = |path: &str, places: &[&str]| places.iter().any(|place| path.starts_with(place));
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !within(&file.path, &UNSAFE)) {
        for word in words(&code_only(&file.text)).filter(|word| word.text == "unsafe") {
            if !(word.behind.starts_with('(') && within(&file.path, &UNSAFE_ATTRIBUTES)) {
                problems.push(format!(
                    "{}:{}: unsafe code belongs to {}",
                    file.path,
                    word.line,
                    UNSAFE.join(", ")
                ));
            }
        }
    }
    problems
}

const PRINTING: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];

/// Printing is for the command line and for whoever is run by a person or by cargo.
fn may_print(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let top = ["host/cli/", "examples/", "tests/", "benches/"];
    top.iter().any(|folder| path.starts_with(folder))
        || path.contains("/tests/")
        || name == "build.rs"
        || name == "tests.rs"
        || name.ends_with("_tests.rs")
}

fn misplaced_printing(files: &[SourceFile]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !may_print(&file.path)) {
        for word in
            words(&code_only(&file.text)).filter(|word| word.is_macro() && PRINTING.contains(&word.text))
        {
            problems.push(format!("{}:{}: `{}!` belongs to host/cli", file.path, word.line, word.text));
        }
    }
    problems
}

fn unfinished(files: &[SourceFile]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let code = code_only(&file.text);
        for word in
            words(&code).filter(|word| word.is_macro() && ["todo", "unimplemented"].contains(&word.text))
        {
            problems.push(format!("{}:{}: `{}!`: finish it or take it out", file.path, word.line, word.text));
        }
        for (index, _) in code.lines().enumerate().filter(|(_, line)| line.contains("#[ignore")) {
            problems.push(format!("{}:{}: a test that is never run proves nothing", file.path, index + 1));
        }
    }
    problems
}

/// Directories of one machine. `/home/me` is everybody.
fn machine_paths(files: &[SourceFile]) -> Vec<String> {
    // Not written as paths, or this file would be the first finding.
    let roots = ["work", "root", "home", "Users"].map(|name| format!("/{name}/"));
    let mut problems = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            for root in &roots {
                let here = line.match_indices(root.as_str()).any(|(at, _)| {
                    let starts = !line[..at].ends_with(|c: char| is_word(c) || ".-~}*".contains(c));
                    let name: String = line[at + root.len()..].chars().take_while(|c| is_word(*c)).collect();
                    starts && !name.is_empty() && name != "me"
                });
                if here {
                    problems.push(format!(
                        "{}:{}: a path of somebody's machine: {}",
                        file.path,
                        index + 1,
                        line.trim()
                    ));
                }
            }
        }
    }
    problems
}

#[test]
fn unsafe_code_is_where_it_belongs() {
    crate::assert_none(&misplaced_unsafe(&rust_sources()));
}

#[test]
fn unsafe_code_elsewhere_is_seen() {
    let elsewhere = SourceFile::of("host/core/src/host.rs", "// unsafe\nfn f() { unsafe { g() } }");
    crate::assert_one(&misplaced_unsafe(&[elsewhere]), "host/core/src/host.rs:2");
    let attribute = |path| SourceFile::of(path, "#[unsafe(no_mangle)]\nfn f() {}");
    crate::assert_one(
        &misplaced_unsafe(&[attribute("plugins/a/src/lib.rs"), attribute(UNSAFE_ATTRIBUTES[0])]),
        "plugins/a",
    );
    crate::assert_none(&misplaced_unsafe(&[SourceFile::of("plugin-api/abi/src/a.rs", "unsafe fn f() {}")]));
}

#[test]
fn only_the_command_line_prints() {
    crate::assert_none(&misplaced_printing(&rust_sources()));
}

#[test]
fn printing_elsewhere_is_seen() {
    let text = "fn f() {\n    anstream::println!(\"{}\", print);\n    // dbg!(1)\n}";
    crate::assert_one(
        &misplaced_printing(&[SourceFile::of("host/core/src/host.rs", text)]),
        "host.rs:2: `println!`",
    );
    crate::assert_none(&misplaced_printing(&[SourceFile::of("host/cli/src/a.rs", text)]));
}

#[test]
fn nothing_is_unfinished() {
    crate::assert_none(&unfinished(&rust_sources()));
}

#[test]
fn unfinished_work_is_seen() {
    crate::assert_one(&unfinished(&[SourceFile::of("a.rs", "fn f() {\n    todo!()\n}")]), "a.rs:2");
    crate::assert_one(
        &unfinished(&[SourceFile::of("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}")]),
        "a.rs:2",
    );
    crate::assert_none(&unfinished(&[SourceFile::of("a.rs", "// todo!()\nlet a = \"unimplemented!()\";")]));
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    crate::assert_none(&machine_paths(&sources()));
}

#[test]
fn a_path_of_a_machine_is_seen() {
    let text = |directory: &str| format!("let a = 1;\nlet b = \"/{directory}/ann/x\";");
    for directory in ["home", "root", "Users"] {
        crate::assert_one(&machine_paths(&[SourceFile::of("a.rs", &text(directory))]), "a.rs:2");
    }
    for fine in ["proc/self/root", "srv/work", "home/me"] {
        crate::assert_none(&machine_paths(&[SourceFile::of("a.rs", &text(fine))]));
    }
}
