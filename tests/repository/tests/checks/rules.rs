//! Every rule of the specification that is built has a test that names it: `c5_options_become_optional`.

use crate::code::{code_only, is_word};
use crate::files::{SourceFile, rust_sources};
use std::collections::BTreeSet;

/// The rules that are built. A rule of the list below moves here when its work begins.
const BUILT: &[&str] = &[
    // The tool contract.
    "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", //
    // Layers and discovery.
    "l1", "l2", "l3", "l4", "l5", "l7", //
    // Trust and integrity.
    "t1", "t2", "t3", "t5", //
    // Isolation: a panic is an answer.
    "x5", //
    // Dispatch.
    "d2", "d3", "d5", "d6", "d7", "d8", //
    // Workspace files.
    "w1", "w2",
];

/// The rules that later work brings, with what it is. Tests may name them before.
const LATER: &[(&str, &str)] = &[
    ("l6", "configuration with flags, security mode and isolation keys"),
    ("t4", "the grant to relax: there is nothing loose to relax before approvals"),
    ("t6", "stud.lock and signatures"),
    ("t7", "shown by the catalogue that a model sees"),
    // Live reload.
    ("r1", "reload"),
    ("r2", "reload"),
    ("r3", "reload"),
    ("r4", "reload"),
    ("r5", "reload"),
    ("r6", "state slots"),
    ("r7", "reload"),
    // Worker processes with kernel confinement.
    ("x1", "workers: so far everything runs in process"),
    ("x2", "workers"),
    ("x3", "workers"),
    ("x4", "workers"),
    // The whole dispatcher, with approvals, events and audit.
    ("d1", "the dispatcher with all its stages"),
    ("d4", "concurrent calls and questions"),
    ("d9", "redaction"),
    ("d10", "tiers"),
    ("a1", "approvals"),
    ("a2", "approvals"),
    ("a3", "approvals"),
    ("a4", "approvals"),
    ("a5", "approvals"),
    ("a6", "approvals"),
    ("a7", "approvals"),
    ("a8", "approvals"),
    ("a9", "approvals"),
    ("a10", "approvals"),
    ("a11", "approvals"),
    ("a12", "approvals"),
    ("w3", "shadow workspaces; the rest of it is tested with run_command"),
    ("e1", "events"),
    ("e2", "audit"),
    ("e3", "events"),
    ("e4", "stored sessions"),
    ("e5", "stored sessions"),
    ("h1", "state slots"),
    ("h2", "questions to the user"),
    // MCP.
    ("m1", "MCP client"),
    ("m2", "MCP client"),
    ("m3", "MCP client"),
    ("m4", "MCP server"),
    // Catalogue and agent loop.
    ("g1", "agent"),
    ("g2", "agent"),
    ("g3", "agent"),
    ("g4", "agent"),
    ("g5", "agent"),
    ("g6", "agent"),
    ("g7", "agent"),
    ("g8", "agent"),
    ("g9", "agent"),
    ("g10", "agent"),
    // HTTP and dashboard.
    ("s1", "server"),
    ("s2", "server"),
    ("s3", "server"),
    // Families of bundled tools, and lists of tests, have no numbers.
];

/// The rules that a test function is named for: its leading parts that look like `c5`.
fn ids_of(function: &str) -> impl Iterator<Item = &str> {
    function.split('_').take_while(|part| {
        let mut chars = part.chars();
        let letter = chars.next().is_some_and(|c| "acdeghlmrstwx".contains(c));
        letter && part.len() > 1 && chars.all(|c| c.is_ascii_digit())
    })
}

/// Names of the test functions in a file.
fn tests_in(text: &str) -> Vec<String> {
    let code = code_only(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let (before, name) = (&code[..at], code[at + 3..].trim_start());
        let name: String = name.chars().take_while(|c| is_word(*c)).collect();
        let attributes = before.rsplit([';', '}', '{']).next().unwrap_or_default();
        // `#[test]`, also inside `proptest!`, and `#[tokio::test(…)]`.
        if attributes.contains("#[test]") || attributes.contains("::test") {
            found.push(name);
        }
    }
    found
}

fn rule_problems(files: &[SourceFile], built: &[&str], later: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for file in files {
        for test in tests_in(&file.text) {
            for id in ids_of(&test) {
                if !built.contains(&id) && !later.contains(&id) {
                    problems.push(format!("{}: `{test}` is named for a rule that does not exist", file.path));
                }
                named.insert(id.to_owned());
            }
        }
    }
    let missing = built.iter().filter(|id| !named.contains(**id));
    problems.extend(missing.map(|id| format!("no test is named for {}: `{id}_…`", id.to_uppercase())));
    problems.extend(
        built.iter().filter(|id| later.contains(id)).map(|id| format!("{id} is both built and to come")),
    );
    problems
}

#[test]
fn every_rule_that_is_built_has_a_test_that_names_it() {
    let later: Vec<&str> = LATER.iter().map(|(id, _)| *id).collect();
    crate::assert_none(&rule_problems(&rust_sources(), BUILT, &later));
}

#[test]
fn a_rule_without_a_test_is_seen() {
    let file = |text: &str| [SourceFile::of("a.rs", text)];
    let text = "#[test]\nfn c1_c2_they_hold() {}\n// #[test] fn c3_x() {}\nfn c4_helper() {}\n#[tokio::test]\nasync fn c5_x() {}";
    assert_eq!(tests_in(text), ["c1_c2_they_hold", "c5_x"]);
    crate::assert_none(&rule_problems(&file(text), &["c1", "c2"], &["c5"]));
    crate::assert_one(&rule_problems(&file(text), &["c1", "c2", "c3", "c5"], &[]), "no test is named for C3");
    crate::assert_one(&rule_problems(&file(text), &["c1", "c5"], &[]), "a rule that does not exist");
    crate::assert_one(
        &rule_problems(&file("#[test]\nfn c1_x() {}"), &["c1"], &["c1"]),
        "both built and to come",
    );
}
