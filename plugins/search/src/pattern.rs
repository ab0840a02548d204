//! From what the model wrote to something that finds it.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use stud_plugin_api::prelude::*;

/// How a pattern is to be read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reading {
    pub(crate) case_insensitive: bool,
    pub(crate) smart_case: bool,
    /// The pattern is a text, not a regular expression.
    pub(crate) fixed_strings: bool,
    /// It must not be a part of a longer word.
    pub(crate) word: bool,
}

/// The matcher for one line at a time.
pub(crate) fn matcher(pattern: &str, reading: Reading) -> Result<RegexMatcher> {
    if pattern.is_empty() {
        return Err(Error::invalid("the pattern is empty, which every line matches: say what to look for")
            .code("empty_pattern"));
    }
    if reading.fixed_strings && pattern.contains(['\n', '\r']) {
        return Err(line_break());
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(reading.case_insensitive)
        .case_smart(reading.smart_case)
        .fixed_strings(reading.fixed_strings)
        .word(reading.word)
        // Many lines are searched at once: `^` and `$` are about each of them.
        .multi_line(true)
        // `$` stands before `\r\n` too: whoever writes the pattern cannot know which line breaks a file has.
        .crlf(true);
    builder.build(pattern).map_err(|error| match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => line_break(),
        _ => Error::invalid(format!(
            "the pattern is no regular expression: {error}\nEscape what is meant literally, or set fixed_strings to \
             true to search for the text as it stands"
        ))
        .code("invalid_pattern"),
    })
}

fn line_break() -> Error {
    Error::invalid("files are searched line by line, so a pattern cannot contain a line break: search for one of the lines")
        .code("invalid_pattern")
}
