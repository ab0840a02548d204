//! Lines that bash and the grammar read differently: each was run in bash and created a file that the analysis did not see.

use crate::commands::all_hidden;
use stud_policy::command::analyse;

#[test]
fn a9_a_here_document_ends_where_the_shell_says() {
    // What opens it, what only looks like its end, and its end.
    for (opens, fake, end) in [
        ("<<..", "é", ".."),
        ("<<A..", "Aé", "A.."),
        ("<<A", "  A", "A"),
        ("<<A", "\tA", "A"),
        ("<<-A", "  A", "A"),
        ("<<-A", "\tA ", "A"),
        ("<<A", "A ", "A"),
        ("<<A", "A;", "A"),
        ("<<A", "x\\\nA", "A"),
        ("<<\"A\"B", "A", "AB"),
        ("<<'A'\\B", "A", "AB"),
        ("<<$'A'", "$A", "A"),
        ("<<\"A\\B\"", "AB", "A\\B"),
        ("<<\\\nA", "B", "A"),
    ] {
        all_hidden(&[
            &format!("ls {opens}\n{fake}\nls '\n{end}\nrm -rf /\n#'"),
            &format!("ls {opens}\n{fake}\nls <<'Z'\n{end}\nrm -rf /\nZ"),
        ]);
    }
    for plain in [
        "cat <<EOF\nx\nEOF",
        "cat <<'EOF'\n`x` $(x)\nEOF\nls",
        "cat <<-\"EOF\"\n\tx\n\tEOF",
        "cat <<EOF && ls\nx\nEOF",
        "cat <<EOF\nEOF",
        "git commit -m \"$(cat <<'EOF'\nIt's a (fix)\n\nEOF\n)\"",
        "psql \"$DB\" <<EOF | tee \"x\"\nselect 1\nEOF",
    ] {
        assert_eq!(analyse(plain).hidden(), None, "{plain:?}");
    }
}

#[test]
fn a9_substitutions_that_the_grammar_overlooks_are_hidden() {
    all_hidden(&[
        "ls <<A\n`rm -rf /`\nA",
        "ls <<A\n$\\\n(rm -rf /)\nA",
        "ls \"$\\\n(rm -rf /)\"",
        "ls \"${x:-`rm -rf /`}\"",
        "ls ${x#`rm -rf /`}",
        "ls \"${x/`rm -rf /`/b}\"",
        "ls \"${x:-'$(rm -rf /)'}\"",
        "ls ${x:-<(rm -rf /)}",
        "ls \"`echo \\`rm -rf /\\``\"",
    ]);
    crate::commands::all_critical(&["ls <<A\n\\\\$(rm -rf /)\nA", "ls <<A\n\\$x$(rm -rf /)\nA"]);
}
