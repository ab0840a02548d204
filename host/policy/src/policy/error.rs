use std::fmt;

/// Why a policy is not obeyed. Nothing of a policy with an error counts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// Not TOML, or a value of the wrong kind.
    Syntax {
        /// What and where.
        message: String,
    },
    /// A key that does not exist.
    UnknownKey {
        /// As written.
        key: String,
        /// Where, as the parser says it.
        place: String,
        /// The nearest that does.
        nearest: Option<String>,
    },
    /// A pattern that is no glob.
    Pattern {
        /// Where: `rules[2].keys`.
        place: String,
        /// What is wrong with it.
        message: String,
    },
    /// A rule that picks nothing, or contradicts itself.
    Rule {
        /// Which: `rules[2]`.
        place: String,
        /// What is wrong with it.
        message: String,
    },
    /// An example that does not hold (spec A11).
    Example {
        /// Which: `rules[2]`.
        place: String,
        /// The example.
        example: String,
        /// Whether the rule says that it matches.
        should_match: bool,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::Syntax { message } => write!(f, "the policy cannot be read: {message}"),
            PolicyError::UnknownKey { key, place, nearest } => {
                write!(f, "there is no key `{key}` in the policy{place}")?;
                nearest.as_ref().map_or(Ok(()), |nearest| write!(f, ": did you mean `{nearest}`?"))
            }
            PolicyError::Pattern { place, message } => write!(f, "`{place}`: {message}"),
            PolicyError::Rule { place, message } => write!(f, "`{place}`: {message}"),
            PolicyError::Example { place, example, should_match } => {
                let (should, does) =
                    if *should_match { ("should", "does not") } else { ("should not", "does") };
                write!(f, "`{place}` {should} match its example `{example}`, and {does}")
            }
        }
    }
}

impl std::error::Error for PolicyError {}

impl PolicyError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            PolicyError::Syntax { .. } => "correct the value".to_owned(),
            PolicyError::UnknownKey { nearest: Some(nearest), .. } => {
                format!("write `{nearest}`, or remove the key")
            }
            PolicyError::UnknownKey { nearest: None, .. } => "remove the key".to_owned(),
            PolicyError::Pattern { .. } => {
                "correct the pattern: `*`, `?`, `[...]` and `{a,b}` are special".to_owned()
            }
            PolicyError::Rule { .. } => {
                "say in `tools`, `keys` or `commands` what the rule is about".to_owned()
            }
            PolicyError::Example { .. } => "correct the rule's patterns, or the example".to_owned(),
        }
    }
}
