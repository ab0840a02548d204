//! Letters beyond ASCII: the grammar's scanner once read beyond its table for them and took the process with it.

use crate::commands::{all_hidden, check};
use crate::{policy, shell, someone};
use stud_policy::command::analyse;
use stud_policy::{Verdict, decide};

/// The line that property testing found.
const CRASHED: &str = "\u{1ed5}\u{10438}\u{c32}?.*|?:\u{10366}\u{a5}\u{bd0}\u{1e8cf}\u{10020}%|H9\u{468}.\u{a5}\u{113e2}L\u{23a}\\\u{11210}'#\u{1ee7c}=\u{244a}\nq'p3c\u{d0b}\u{113d5}\n\u{e9}|\u{11c65}=\u{b5}/\u{468}\u{2c2c0}\t{\u{18d02}n\"$\u{fffd}\u{1f574}T\u{58d}?<>:%\u{468}?b\u{ea}`\t\u{1f54}\u{176f}\u{12b4}{\u{31eb1}\u{11090}\u{a13}?\u{1ed14}\u{bc}?Ow\td\u{468}";

/// Names of programs, quotes, ends of here-documents: CJK, emoji, combining marks, code points of four bytes.
const ASKS: &[&str] = &[
    "\u{65e5}\u{672c}\u{8a9e} --\u{5168}\u{90e8}",
    "\u{1f9e8}",
    "'\u{65e5}\u{672c}' x",
    "\"\u{1f9e8}\" \u{e9}",
    "re\u{301}m x",
    "cat <<\u{1f9e8}\nx\n\u{1f9e8}",
    "cat <<'\u{65e5}\u{672c}'\nx\n\u{65e5}\u{672c}",
    "cat <<\"e\u{301}\"\nx\ne\u{301}",
    "cat <<E\u{10fffd}\nx\nE\u{10fffd}",
    "rm\u{3000}x",
    "ls\u{2028}x",
    "$\u{e9}",
    "${\u{65e5}\u{672c}}",
    "\u{65e5}\u{672c}() { ls; }; \u{65e5}\u{672c}",
    "echo `\u{1f9e8}`",
    "\\\u{10400} \"\u{10400}",
    "[[ \u{e9} =~ \u{10400}( ]]",
    "{\u{65e5}\u{672c},\u{1f9e8}}",
    "\u{65e5}\u{672c}=x foo",
];

#[test]
fn a9_the_line_that_crashed_the_parser_asks() {
    assert!(analyse(CRASHED).hidden().is_some());
    assert_eq!(decide(&policy(""), &shell(CRASHED), &someone()).verdict, Verdict::Ask);
}

#[test]
fn a9_letters_beyond_ascii_ask_and_do_not_crash() {
    for line in ASKS {
        assert!(!analyse(line).safe(), "{line:?}");
        assert_eq!(decide(&policy(""), &shell(line), &someone()).verdict, Verdict::Ask, "{line:?}");
        // Cut anywhere, and within another line, they are as bad.
        for (at, _) in line.char_indices() {
            let _ = analyse(&line[at..]);
            let _ = analyse(&format!("sh -c 'cat <<{} {}'", &line[..at], &line[at..]));
        }
    }
    all_hidden(&[
        "cat <<\u{1f9e8}\nx\n\u{1f9e8}",
        "cat <<'\u{65e5}\u{672c}'\nx\n\u{65e5}\u{672c}",
        "cat <<\"e\u{301}\"\nx\ne\u{301}",
        "cat <<E\u{10fffd}\nx\nE\u{10fffd}",
        "echo $\u{e9}",
        "echo ${\u{65e5}\u{672c}}",
        "\\\u{10400} \"\u{10400}",
    ]);
}

#[test]
fn a9_letters_beyond_ascii_are_letters() {
    check(&[
        ("echo é 日本 | cat", "none safe [echo cat]"),
        ("é=1 foo", "none [é=1]"),
        ("ls \u{1fabc}", "none safe [ls]"),
        ("cat <<EOF\n日本\nEOF", "none safe [cat]"),
        ("rm -rf / é", "critical [rm]"),
        ("echo \"\u{1f9e8}$(rm -rf /)\u{1f9e8}\"", "critical [rm echo]"),
    ]);
}
