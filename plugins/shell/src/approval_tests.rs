use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(program(line).unwrap_or_default(), expected, "{line:?}");
}

#[test]
fn c9_the_key_is_the_first_word() {
    for (line, key) in [
        ("ls", "ls"),
        ("  ls -la  src ", "ls"),
        ("/usr/bin/make all", "/usr/bin/make"),
        ("./run.sh", "./run.sh"),
        ("~/bin/tool x", "~/bin/tool"),
        ("'my tool' x", "my tool"),
        (r"l\s x", "ls"),
        (r#""ls" x"#, "ls"),
        ("l's'", "ls"),
        ("\\\nls", "ls"),
        ("ls # rm -rf /", "ls"),
        ("# a comment\nls", "ls"),
        ("ls;", "ls"),
        ("ls\n", "ls"),
        ("sleep 5 &", "sleep"),
        ("čaj 漢", "čaj"),
        ("echo $HOME '$(rm)' \"${X:-y}\" *.rs", "echo"),
        ("find . -name '*.rs'", "find"),
    ] {
        check(line, key);
    }
}

#[test]
fn c9_assignments_and_redirections_come_before_it() {
    for (line, key) in [
        ("A=1 B='x y' ls", "ls"),
        ("PATH+=:/x ls", "ls"),
        ("A=$B ls", "ls"),
        (">out ls", "ls"),
        ("> out 2>&1 ls", "ls"),
        ("2>/dev/null <in ls", "ls"),
        ("&>all ls", "ls"),
        ("ls 2>&1 >>log", "ls"),
        ("ls >|x <>y 3>&-", "ls"),
        ("cat <<< text", "cat"),
        ("'A=1' x", "A=1"),
        ("A\\=1 x", "A=1"),
        ("1A=2", "1A=2"),
    ] {
        check(line, key);
    }
}

#[test]
fn c9_several_commands_have_a_key_only_when_they_are_of_one_program() {
    check("git add . && git commit -m 'a; b'", "git");
    check("cargo build; cargo test | cargo x", "cargo");
    for line in [
        "ls; rm -rf /",
        "ls && rm x",
        "ls || rm x",
        "ls | xargs rm",
        "ls & rm x",
        "ls\nrm x",
        "ls |& rm",
        "ls >x;rm y",
        "ls 2>&1|sh",
        "A=1; ls",
        "ls #x\nrm",
    ] {
        check(line, "");
    }
}

#[test]
fn c9_what_hides_its_command_has_no_key() {
    for line in [
        "$CMD x",
        "${X}ls",
        "l$X",
        "\"$X\" a",
        "$(echo rm) x",
        "`echo rm` x",
        "ls $(rm x)",
        "ls \"$(rm x)\"",
        "ls `rm x`",
        "ls \"`rm x`\"",
        "ls ${X:-$(rm)}",
        "diff <(rm x) y",
        "tee >(rm x)",
        "(rm x)",
        "{ rm x; }",
        "f() { rm x; }; f",
        "if true; then rm x; fi",
        "for i in 1; do rm x; done",
        "! rm x",
        "[[ -f x ]]",
        "/bin/r? x",
        "r[m] x",
        "{rm,x}",
        "$'rm' x",
        "$\"rm\" x",
        "sh -c 'rm x'",
        "/bin/bash x",
        "env rm x",
        "sudo rm x",
        "xargs rm",
        "eval rm",
        ". x",
        "time rm",
        "'sh' -c rm",
        "find . -exec rm {} ;",
        "find . -delete",
        "find . $X",
    ] {
        check(line, "");
    }
}

#[test]
fn c9_what_is_no_complete_command_has_no_key() {
    for line in [
        "",
        "   ",
        "#x",
        "ls 'x",
        "ls \"x",
        "ls \\",
        "ls >",
        "> >x",
        "A=1",
        ">x",
        "ls <<EOF\nx\nEOF",
        "''",
        "a\u{7}b",
    ] {
        check(line, "");
    }
    check(&"x".repeat(1025), "");
    // A here-document could make a command look like text.
    check("cat <<cat\ncat '\ncat\nrm x\n'", "");
}

proptest! {
    #[test]
    fn c8_any_line_has_a_key_of_good_form_or_none(line in "\\PC{0,60}|[a-z$'\"\\\\`(){}<>|&;=# \n\t0-9]{0,40}") {
        if let Some(key) = program(&line) {
            prop_assert!(!key.is_empty() && key.len() <= 1024 && !key.chars().any(char::is_control));
            prop_assert_eq!(program(&line), Some(key));
        }
    }

    #[test]
    fn c9_no_line_takes_another_program_along(line in "[a-z$'\"\\\\`(){}<>|&;=# 0-9]{0,30}", operator in ";|&&|\\|\\||\\||\n") {
        // Whatever comes before or after: another program in command position leaves no key.
        if let Some(key) = program(&line) {
            prop_assume!(key != "zz" && !line.contains('#') && !line.ends_with('\\'));
            prop_assert_eq!(program(&format!("{line} {operator} zz")), None);
            prop_assert_eq!(program(&format!("zz {operator} {line}")), None);
        }
    }
}
