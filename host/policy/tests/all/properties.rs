use crate::{policy, shell, someone};
use proptest::prelude::*;
use stud_policy::command::analyse;
use stud_policy::{Redactor, SecurityMode, SessionFacts, Severity, decide};

const LINES: &[&str] = &[
    "ls",
    "git status",
    "git push",
    "make",
    "rm -rf /",
    "sudo x",
    "$X",
    "cat .env",
    "echo hi > x",
    "cargo test | tail",
    "sh -c 'ls; foo'",
    "find . -name x",
];

/// One letter in one of the shell's spellings.
fn spelt(letter: char, how: u8) -> String {
    match how % 6 {
        0 => letter.to_string(),
        1 => format!("'{letter}'"),
        2 => format!("\"{letter}\""),
        3 => format!("\\{letter}"),
        4 => format!("$'\\x{:02x}'", letter as u32),
        _ => format!("''{letter}\"\""),
    }
}

// The inputs. Any printable text, for the C code beneath: letters of two to four bytes once crashed it. Pieces of the
// shell's language, since letters drawn at random hardly ever make a substitution, a here-document or a loop. Lines and
// secrets from a table where two results are compared: both have to be known. The number of cases keeps these tests
// at two seconds in the dev profile, and the whole suite below ten; more are had with a soak of many runs, since each
// begins with another seed, and what one finds becomes a test of its own by name (`letters.rs`, `disguises.rs`).
proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a9_no_input_panics(line in "[ -~\n\t\\PC]{0,120}", shell_like in "([|&;()<>{}$`\"'\\\\!#=*?~ \n]|rm|sudo|sh -c|EOF|<<EOF|a|/|-rf|\\$\\(|if|then|fi|do|done|case){0,40}") {
        for line in [line, shell_like] {
            let analysis = analyse(&line);
            prop_assert!(!(analysis.safe() && analysis.hidden().is_some()));
            prop_assert!(!(analysis.safe() && analysis.severity() > Severity::None), "{line:?} {analysis:?}");
            let _ = decide(&policy(""), &shell(&line), &someone());
            let _ = Redactor::new(["secret"]).redact(&line);
        }
    }

    #[test]
    fn a9_adding_a_part_never_loosens(first in 0..LINES.len(), second in 0..LINES.len(), operator in 0..6usize, yolo: bool) {
        let operator = ["; ", " && ", " || ", " | ", " & ", "\n"][operator];
        let (first, second) = (LINES[first], LINES[second]);
        let session = SessionFacts { security_mode: yolo.then_some(SecurityMode::Yolo), ..someone() };
        let verdict = |line: &str| decide(&policy(""), &shell(line), &session);
        let both = verdict(&format!("{first}{operator}{second}"));
        for one in [verdict(first), verdict(second)] {
            prop_assert!(both.verdict >= one.verdict && both.severity >= one.severity);
        }
    }

    #[test]
    fn a9_disguises_of_critical_commands_stay_critical(how in prop::collection::vec(any::<u8>(), 8), wrapper in 0..8usize) {
        let mut how = how.into_iter().cycle();
        let words: Vec<String> = ["rm", "-rf", "/"].iter().map(|word| word.chars().map(|c| spelt(c, how.next().unwrap_or(0))).collect()).collect();
        let wrapper = ["", "sudo ", "env A=1 ", "ls; ", "ls && nice -n 3 ", "true | ", "A=1 ", "if true; then "][wrapper];
        let end = if wrapper.starts_with("if") { "; fi" } else { "" };
        let line = format!("{wrapper}{}{end}", words.join(" "));
        prop_assert_eq!(analyse(&line).severity(), Severity::Critical, "{}", line);
    }

    #[test]
    fn d9_a_stream_shows_no_known_secret(text in "(password=|hunter22|ghp_|[a-z]{1,30}|\n| |é|-----BEGIN PRIVATE KEY-----|AKIA[A-Z0-9]{16}){0,40}", size in 1..50usize) {
        let redactor = Redactor::new(["hunter22"]);
        let mut stream = redactor.stream();
        let mut out: String = text.as_bytes().chunks(size).map(|chunk| stream.push(chunk)).collect();
        out.push_str(&stream.finish());
        // Not more than that: where a stream is cut inside a word, a pattern that begins at a word may match there and
        // not in the whole text, so that the stream hides more.
        prop_assert!(!out.contains("hunter22"));
    }
}
