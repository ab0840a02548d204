use serde_json::{Value, json};
use stud_plugin_testkit::{ErrorClass, TestHost};
use stud_tools_search::search_files;

#[track_caller]
fn check(host: &TestHost, args: Value, expected: &str) {
    assert_eq!(host.call::<search_files>(args).unwrap().text, expected);
}

fn tree() -> TestHost {
    let host = TestHost::new();
    host.write("src/main.rs", "")
        .write("src/deep/lib.rs", "")
        .write("src/deep/ü ö.rs", "")
        .write("build.rs", "")
        .write("target/out.rs", "")
        .write(".gitignore", "target/\n")
        .write(".github/ci.rs", "")
        .write(".git/x.rs", "");
    host
}

#[test]
fn b_a_pattern_without_slash_matches_names_anywhere() {
    let all = "build.rs\nsrc/deep/lib.rs\nsrc/deep/ü ö.rs\nsrc/main.rs\n[4 files]\n";
    check(&tree(), json!({"pattern": "*.rs"}), all);
    check(&tree(), json!({"pattern": "**/*.rs"}), all);
    check(&tree(), json!({"pattern": "{main,lib}.rs"}), "src/deep/lib.rs\nsrc/main.rs\n[2 files]\n");
    check(
        &tree(),
        json!({"pattern": "*.rs", "path": "src/deep"}),
        "src/deep/lib.rs\nsrc/deep/ü ö.rs\n[2 files]\n",
    );
}

#[test]
fn b_a_pattern_with_a_slash_matches_paths_below_the_directory() {
    check(&tree(), json!({"pattern": "src/*.rs"}), "src/main.rs\n[1 file]\n");
    check(&tree(), json!({"pattern": "./src/**/l*.rs"}), "src/deep/lib.rs\n[1 file]\n");
    check(
        &tree(),
        json!({"pattern": "deep/*", "path": "src"}),
        "src/deep/lib.rs\nsrc/deep/ü ö.rs\n[2 files]\n",
    );
}

#[test]
fn b_hidden_files_come_when_asked_for_and_git_never() {
    check(&tree(), json!({"pattern": "[cx]*.rs", "hidden": true}), ".github/ci.rs\n[1 file]\n");
    check(&tree(), json!({"pattern": "[cx]*.rs"}), "[no file in the workspace matches `[cx]*.rs`]\n");
    check(
        &tree(),
        json!({"pattern": "main"}),
        "[no file in the workspace is called `main`; for a part of a name write `*main*`]\n",
    );
}

#[test]
fn b_a_cut_is_counted_and_the_same_every_time() {
    let host = TestHost::new();
    for n in 0..50 {
        host.write(&format!("d{}/f{n:02}", n % 5), "");
    }
    for _ in 0..20 {
        check(
            &host,
            json!({"pattern": "f*", "max_results": 3}),
            "d0/f00\nd0/f05\nd0/f10\n[3 of 50 files shown: narrow the pattern, or raise max_results]\n",
        );
    }
}

#[test]
fn b_bad_patterns_are_explained() {
    let host = TestHost::new();
    host.write("f", "");
    for (args, code, words) in [
        (json!({"pattern": ""}), "invalid_glob", "empty"),
        (json!({"pattern": "a[b"}), "invalid_glob", "`a[b` is no glob"),
        (json!({"pattern": "../*"}), "invalid_glob", "cannot lead out"),
        (json!({"pattern": "/etc/*"}), "invalid_glob", "relative to `path`"),
        (json!({"pattern": "*", "path": "f"}), "not_a_directory", "`f` is a file"),
    ] {
        let error = host.call::<search_files>(args).unwrap_err();
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::ValidationError, code), "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn b_a_name_cannot_forge_an_entry() {
    let host = TestHost::new();
    host.write("a\nb", "");
    check(&host, json!({"pattern": "*"}), "a\u{FFFD}b\n[1 file]\n");
}
