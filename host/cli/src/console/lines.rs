use crate::app::App;
use crate::confirm;
use crate::failure::{Exit, Failure};
use crate::render;
use reedline::{
    ColumnarMenu, DefaultCompleter, DefaultPrompt, DefaultPromptSegment, Emacs, FileBackedHistory, KeyCode,
    KeyModifiers, MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};
use std::io::{BufRead, Read};
use stud_host::Host;

/// Where lines come from.
pub(super) enum Lines {
    /// A person, with history and completion.
    Terminal(Box<Reedline>),
    /// A pipe or file. A line that was read as an answer and was none waits here.
    Pipe { waiting: Option<String> },
}

/// The longest line that is read from a pipe: the largest arguments and a name.
const MAX_LINE: u64 = stud_host::MAX_ARGUMENTS as u64 + 1024;

impl Lines {
    pub(super) fn open(app: &App, host: &Host, interactive: bool) -> Lines {
        if !interactive {
            return Lines::Pipe { waiting: None };
        }
        let snapshot = host.registry().snapshot();
        let names = snapshot.advertised().map(|entry| entry.embedded().name.to_string());
        let words =
            names.chain(super::slash::COMMANDS.iter().map(|command| format!("/{}", command.name))).collect();
        let mut completer = DefaultCompleter::with_inclusions(&['_', '/']).set_min_word_len(1);
        completer.insert(words);
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![
            ReedlineEvent::Menu("completion".to_owned()),
            ReedlineEvent::MenuNext,
        ]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        let mut editor = Reedline::create()
            .with_completer(Box::new(completer))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(
                ColumnarMenu::default().with_name("completion"),
            )))
            .with_edit_mode(Box::new(Emacs::new(keys)));
        // Without a history file lines are remembered for this run.
        if let Ok(history) = FileBackedHistory::with_file(1000, app.paths.home.join("history")) {
            editor = editor.with_history(Box::new(history));
        }
        Lines::Terminal(Box::new(editor))
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self) -> Option<String> {
        match self {
            Lines::Terminal(editor) => {
                let prompt = DefaultPrompt::new(
                    DefaultPromptSegment::Basic("stud".to_owned()),
                    DefaultPromptSegment::Empty,
                );
                loop {
                    match editor.read_line(&prompt) {
                        Ok(Signal::Success(line)) => return Some(line),
                        // Ctrl-C gives up the line, Ctrl-D the console.
                        Ok(Signal::CtrlC) => {}
                        Ok(_) | Err(_) => return None,
                    }
                }
            }
            Lines::Pipe { waiting } => waiting.take().or_else(read_line),
        }
    }

    /// The answer to a question: yes, no, or none. On a pipe the next line is the answer, if it is one.
    pub(super) fn answer(&mut self, question: &str) -> Option<bool> {
        match self {
            Lines::Terminal(_) => Some(confirm::ask(question)),
            Lines::Pipe { waiting } => {
                render::note(&format!("{question} [y/N]"));
                let line = waiting.take().or_else(read_line)?;
                let answer = if line.trim().is_empty() { None } else { confirm::is_yes(&line) };
                if answer.is_none() {
                    *waiting = Some(line);
                }
                answer
            }
        }
    }
}

/// One line of standard input; bytes that are no text are replaced.
fn read_line() -> Option<String> {
    let mut line = Vec::new();
    let mut stdin = std::io::stdin().lock();
    if matches!(stdin.by_ref().take(MAX_LINE).read_until(b'\n', &mut line), Ok(0) | Err(_)) {
        return None;
    }
    if !line.ends_with(b"\n") {
        // What lies behind the limit belongs to this line: it must not be taken for a command or an answer.
        stdin.skip_until(b'\n').ok()?;
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}

/// Splits at blanks; single and double quotes keep blanks, a backslash in double quotes or outside keeps the next character.
pub(super) fn words(text: &str) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        let hint = "close it, or pass the arguments as {json}";
        return Err(Failure::new(Exit::Usage, "a quote is not closed in this line").hint(hint));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_blanks_outside_quotes() {
        let split = |text: &str| words(text).unwrap();
        assert_eq!(split("a=1  b=two"), ["a=1", "b=two"]);
        assert_eq!(split(r#"text="a b" x='c "d"'"#), ["text=a b", "x=c \"d\""]);
        assert_eq!(split(r#"a="say \"hi\"" b=c\ d"#), ["a=say \"hi\"", "b=c d"]);
        assert_eq!(split(r#"a="""#), ["a="]);
        assert!(words("a='b").is_err());
    }
}
