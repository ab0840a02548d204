//! A plugin with everything that most plugins come to need. Read it from top to bottom; `word-count` is the short one.
//!
//! ```sh
//! cargo build --release -p greeter
//! stud check target/release/libgreeter.so      # what a host would say to it
//! stud install target/release/libgreeter.so    # into ~/.stud/tools
//! stud call greet who=Ada --approve
//! ```

use stud_plugin_api::approval::parent_directory;
use stud_plugin_api::prelude::*;

/// What an operator may set. The keys stand in the user's or the project's `config.toml`:
///
/// ```toml
/// [tools.greet]
/// greeting = "Good morning"
/// timeoutMs = 2000          # every tool has this one and `enabled`
/// ```
///
/// The host holds the section against this type before a call: a wrong type or an unknown key disables the tool, with
/// the reason in `stud tools`.
#[data]
struct Settings {
    /// The words in front of the name. Default: Hello.
    greeting: Option<String>,
}

/// How the greeting ends. The model is told the values, and what is written here about each of them.
#[data]
#[serde(rename_all = "lowercase")]
enum Mood {
    /// For every day.
    Calm,
    /// For guests who have been missed.
    Glad,
}

/// What an approval is remembered under. The tool writes one file, so that the file's directory is what a person agrees
/// to: whoever allowed `guests/` is not asked again for another book in it, and is asked for every other place.
///
/// A key depends on the arguments alone, and never holds a secret or a time.
fn key(arguments: &greet) -> String {
    parent_directory(&arguments.book)
}

/// Greets somebody by name and writes the greeting into a guest book of the workspace. Returns the greeting.
// The text above is the description that the model reads: say what the tool does and what comes back.
#[tool(
    // The highest class that the code is capable of, not the one of the usual call. From `write` on, calls go through
    // approval unless `gated = false` is said, which hosts accept from bundled plugins only.
    side_effects = "write",
    category = "examples",
    config = Settings,
    approval_key = key,
    // The only variable of the environment that `ctx.env` will answer for.
    env("GREETER_SIGNATURE"),
    // Arguments that make sense: the model sees them, and `stud check` tries schema and key on them.
    examples({"name": "Ada"}, {"name": "Grace", "book": "guests/monday.txt", "mood": "glad"})
)]
fn greet(
    ctx: &Context,
    /// Whom to greet.
    // Models call arguments by many names. These are taken for `name` and not advertised.
    #[arg(alias("who", "person"))]
    name: String,
    /// The guest book, relative to the workspace root. Default: guests.txt.
    #[arg(alias("path", "file"), default = "guests.txt")]
    book: String,
    /// Default: calm.
    mood: Option<Mood>,
) -> Result<String> {
    // The schema says that the name is a text. What a schema cannot say is checked here; `invalid` tells the model that
    // another argument would do.
    if name.trim().is_empty() {
        return Err(Error::invalid("the name is empty: say whom to greet").code("empty_name"));
    }
    let settings: Settings = ctx.config()?;
    let greeting = settings.greeting.as_deref().unwrap_or("Hello");
    let end = match mood.unwrap_or(Mood::Calm) {
        Mood::Calm => ".",
        Mood::Glad => ", at last!",
    };
    let mut line = format!("{greeting}, {name}{end}");
    if let Some(signature) = ctx.env("GREETER_SIGNATURE")? {
        line.push_str(&format!(" — {signature}"));
    }
    // Files go through the context: a path that leads outside the workspace is refused there, whatever it looks like.
    ctx.files().append(&book, format!("{line}\n").as_bytes())?;
    // For programs that read the result, not for the model.
    ctx.metadata("book", book);
    Ok(line)
}

export_plugin!(greet);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stud_plugin_testkit::{TestHost, assert_conforms};

    #[test]
    fn it_conforms() {
        assert_conforms::<greet>();
    }

    #[test]
    fn it_greets_and_writes_the_book() {
        let host = TestHost::new();
        host.config(json!({"greeting": "Good morning"})).env("GREETER_SIGNATURE", "the door");
        let output = host.call::<greet>(json!({"who": "Ada", "mood": "glad"})).unwrap();
        assert_eq!(output.text, "Good morning, Ada, at last! — the door");
        host.call::<greet>(json!({"name": "Grace"})).unwrap();
        assert_eq!(
            host.read("guests.txt"),
            "Good morning, Ada, at last! — the door\nGood morning, Grace. — the door\n"
        );
    }

    #[test]
    fn approvals_are_per_directory() {
        let host = TestHost::new();
        let key = |book: &str| host.approval_key::<greet>(json!({"name": "Ada", "book": book})).unwrap();
        assert_eq!((key("guests.txt").as_str(), key("guests/monday.txt").as_str()), (".", "guests"));
    }

    #[test]
    fn an_empty_name_and_a_book_outside_are_refused() {
        let host = TestHost::new();
        assert_eq!(host.call::<greet>(json!({"name": " "})).unwrap_err().code, "empty_name");
        let error = host.call::<greet>(json!({"name": "Ada", "book": "../guests.txt"})).unwrap_err();
        assert_eq!(error.code, "path_escapes");
    }
}
