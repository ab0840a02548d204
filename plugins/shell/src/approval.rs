//! What an approval of a command is remembered under: the name of the program that it runs (spec C9).
//!
//! A remembered key lets later commands of the same key run unasked, so the key must never stand for more than it says.
//! This reads just enough of the shell's grammar to be sure; whatever it does not understand has no key, and asks each
//! time. A line of several commands has a key only when all of them run the same program.

use std::iter::Peekable;
use std::str::Chars;

/// Programs and builtins that run what their arguments say: their name tells nothing.
const WRAPPERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "busybox",
    "cmd",
    "powershell",
    "pwsh",
    "env",
    "sudo",
    "doas",
    "su",
    "xargs",
    "parallel",
    "eval",
    "exec",
    "command",
    "builtin",
    "source",
    ".",
    "trap",
    "alias",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "setsid",
    "stdbuf",
    "watch",
    "chroot",
    "unshare",
    "nsenter",
    "flock",
    "strace",
    "script",
    "ssh",
];

/// Words with which a compound command begins or goes on.
const KEYWORDS: &[&str] = &[
    "!", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "coproc", "in",
];

/// Arguments with which `find` runs programs or deletes.
const FIND_ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-delete"];

/// The longest key (spec C8).
const MAX_KEY: usize = 1024;

/// The key of a command line; empty when it cannot be told, which means: ask, and remember nothing.
pub(crate) fn key(line: &str) -> String {
    // The grammar of cmd.exe is another one.
    if cfg!(windows) { String::new() } else { program(line).unwrap_or_default() }
}

/// The one program that the command line runs.
fn program(line: &str) -> Option<String> {
    let commands = Reader::new(line).commands()?;
    let mut programs = commands.iter().map(|command| program_of(command));
    let first = programs.next()??;
    programs.all(|other| other == Some(first)).then(|| first.to_owned())
}

fn program_of(words: &[Word]) -> Option<&str> {
    let mut words = words.iter().skip_while(|word| word.is_assignment());
    let program = words.next().filter(|word| !word.expands)?;
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let tells_nothing = name.is_empty()
        || WRAPPERS.contains(&name)
        || (program.quoted_from.is_none() && KEYWORDS.contains(&name))
        || program.text.len() > MAX_KEY
        || program.text.chars().any(char::is_control);
    let hides =
        name == "find" && words.any(|word| word.expands || FIND_ACTIONS.contains(&word.text.as_str()));
    (!tells_nothing && !hides).then_some(program.text.as_str())
}

/// A word after quotes were removed.
#[derive(Debug, Default)]
struct Word {
    text: String,
    /// Whether the shell makes something else of it: a variable, a pattern, braces.
    expands: bool,
    /// Where in the text the first quoted character is.
    quoted_from: Option<usize>,
}

impl Word {
    /// `NAME=value` or `NAME+=value`, with the name and the sign unquoted.
    fn is_assignment(&self) -> bool {
        let Some(sign) = self.text.find('=') else { return false };
        let name = self.text[..sign].trim_end_matches('+');
        let mut letters = name.chars();
        self.quoted_from.is_none_or(|quoted| sign < quoted)
            && letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn push_quoted(&mut self, c: char) {
        self.mark_quoted();
        self.text.push(c);
    }

    fn mark_quoted(&mut self) {
        self.quoted_from.get_or_insert(self.text.len());
    }
}

/// Splits a command line into simple commands and these into words. `None` wherever it might be wrong.
struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
    /// Whether the next word is where output goes to or input comes from.
    redirecting: bool,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str) -> Reader<'a> {
        Reader {
            rest: line.chars().peekable(),
            commands: Vec::new(),
            words: Vec::new(),
            word: None,
            redirecting: false,
        }
    }

    fn commands(mut self) -> Option<Vec<Vec<Word>>> {
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '&' if self.rest.next_if_eq(&'>').is_some() => {
                    self.end_word();
                    self.rest.next_if_eq(&'>');
                    self.redirecting = true;
                }
                '\n' | ';' | '|' | '&' => self.end_command()?,
                '<' | '>' => self.redirection(c)?,
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    escaped => self.word().push_quoted(escaped),
                },
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '$' => self.dollar()?,
                // Substitutions, subshells, functions, arithmetic: commands within commands.
                '`' | '(' | ')' => return None,
                '*' | '?' | '[' | '{' | '}' => {
                    self.word().expands = true;
                    self.word().text.push(c);
                }
                c => self.word().text.push(c),
            }
        }
        self.end_command()?;
        Some(self.commands)
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.redirecting)
        {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) -> Option<()> {
        self.end_word();
        if self.redirecting {
            return None;
        }
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
        Some(())
    }

    fn redirection(&mut self, sign: char) -> Option<()> {
        // Digits right before it are the number of a stream.
        let number =
            |word: &Word| word.quoted_from.is_none() && word.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word();
        if self.redirecting {
            return None;
        }
        self.redirecting = true;
        if sign == '>' {
            self.rest.next_if(|c| matches!(c, '>' | '|' | '&'));
        } else if self.rest.next_if_eq(&'<').is_some() {
            // A here-document: where it ends decides what is command and what is text. A here-string is a word.
            self.rest.next_if_eq(&'<')?;
        } else {
            self.rest.next_if(|c| matches!(c, '>' | '&'));
        }
        Some(())
    }

    fn single_quoted(&mut self) -> Option<()> {
        self.word().mark_quoted();
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c => self.word().push_quoted(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<()> {
        self.word().mark_quoted();
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' => {
                    if self.rest.peek() == Some(&'(') {
                        return None;
                    }
                    self.word().expands = true;
                    self.word().push_quoted('$');
                }
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => self.word().push_quoted(c),
                    c => {
                        self.word().push_quoted('\\');
                        self.word().push_quoted(c);
                    }
                },
                c => self.word().push_quoted(c),
            }
        }
    }

    fn dollar(&mut self) -> Option<()> {
        match self.rest.peek() {
            // `$(…)` hides a command; the other two are quotes with rules of their own.
            Some('(' | '\'' | '"') => None,
            _ => {
                self.word().expands = true;
                self.word().text.push('$');
                Some(())
            }
        }
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
