use serde_json::json;
use stud_plugin_testkit::TestHost;
use stud_tools_search::find_references;

#[test]
fn b_whole_words_are_found_and_grouped_by_file() {
    let host = TestHost::new();
    host.write("b.rs", "    run();\nrunner();\nrerun(run);\n")
        .write("a.rs", "fn run() {}\n_run(); run_it(); RUN\n");
    let text = host.call::<find_references>(json!({"identifier": "run"})).unwrap().text;
    assert_eq!(
        text,
        "a.rs (1)\n  1: fn run() {}\nb.rs (2)\n  1: run();\n  3: rerun(run);\n[3 matching lines in 2 files]\n"
    );
    let text = host.call::<find_references>(json!({"symbol": "run", "max_results": 2})).unwrap().text;
    assert_eq!(
        text,
        "a.rs (1)\n  1: fn run() {}\nb.rs (2)\n  1: run();\n[2 of 3 matching lines in 2 files shown: narrow the \
         search, or raise max_results]\n"
    );
}

#[test]
fn b_names_with_signs_and_in_any_script_are_found() {
    let host = TestHost::new();
    host.write("a", "$scope.größe = a::b + größer\n.größe\n");
    for (name, lines) in [("$scope", 1), ("größe", 2), ("a::b", 1), ("scope", 1), ("größ", 0)] {
        let output = host.call::<find_references>(json!({"identifier": name})).unwrap();
        assert_eq!(output.metadata["matches"], lines, "{name}");
    }
}

#[test]
fn b_what_is_no_identifier_is_refused() {
    let host = TestHost::new();
    for (name, code) in [
        ("", "empty_pattern"),
        ("a b", "invalid_identifier"),
        (" a", "invalid_identifier"),
        ("->", "invalid_identifier"),
    ] {
        assert_eq!(
            host.call::<find_references>(json!({"identifier": name})).unwrap_err().code,
            code,
            "{name}"
        );
    }
}
