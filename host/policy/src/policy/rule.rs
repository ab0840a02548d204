use super::PolicyError;
use crate::{Verdict, command};
use globset::{Glob, GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

/// One rule, as written. A call is meant when every list that is not empty matches it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Patterns over tool names; empty means every tool.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Patterns over approval keys. One with a blank in it is held against the words of a command's part: `git log *`.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Patterns over the words of a command's parts.
    #[serde(default)]
    pub commands: Vec<String>,
    /// What happens with the call.
    pub verdict: Verdict,
    /// Why, for the one who is asked.
    #[serde(default)]
    pub reason: Option<String>,
    /// Examples that are checked when the policy is read (spec A11).
    #[serde(default)]
    pub examples: Examples,
}

/// Keys, or whole command lines, that a rule must and must not match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    /// It matches these.
    #[serde(rename = "match")]
    pub matching: Vec<String>,
    /// It does not match these.
    pub not_match: Vec<String>,
}

/// Patterns ready to be used.
#[derive(Debug, Clone)]
pub(crate) struct Patterns(Vec<(GlobMatcher, bool)>);

impl Patterns {
    pub(crate) fn new(patterns: &[String], place: &str) -> Result<Patterns, PolicyError> {
        let compile = |pattern: &String| {
            // `git *` means `git` with any arguments, none included.
            let optional = pattern.strip_suffix(" *").map(|stem| format!("{stem}{{, *}}"));
            let glob: Result<Glob, _> = GlobBuilder::new(optional.as_ref().unwrap_or(pattern))
                .backslash_escape(true)
                .empty_alternates(true)
                .build();
            let message = |error: globset::Error| format!("`{pattern}` is no pattern: {}", error.kind());
            let glob = glob
                .map_err(|error| PolicyError::Pattern { place: place.to_owned(), message: message(error) })?;
            Ok((glob.compile_matcher(), pattern.contains(' ')))
        };
        patterns.iter().map(compile).collect::<Result<_, _>>().map(Patterns)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one matches the key or, if it is about words, the words.
    pub(crate) fn fit(&self, key: Option<&str>, words: Option<&str>) -> bool {
        self.0.iter().any(|(matcher, about_words)| match about_words {
            true => words.or(key).is_some_and(|text| matcher.is_match(text)),
            false => key.is_some_and(|key| matcher.is_match(key)),
        })
    }

    fn fit_words(&self, words: Option<&str>) -> bool {
        self.0.iter().any(|(matcher, _)| words.is_some_and(|words| matcher.is_match(words)))
    }

    fn fit_name(&self, name: &str) -> bool {
        self.0.iter().any(|(matcher, _)| matcher.is_match(name))
    }
}

/// A rule ready to be used, and true to its examples.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) place: String,
    tools: Patterns,
    keys: Patterns,
    commands: Patterns,
}

impl CompiledRule {
    pub(crate) fn new(rule: &Rule, index: usize) -> Result<CompiledRule, PolicyError> {
        let place = format!("rules[{index}]");
        if rule.tools.is_empty() && rule.keys.is_empty() && rule.commands.is_empty() {
            return Err(PolicyError::Rule {
                place,
                message: "it names no tools, no keys and no commands".to_owned(),
            });
        }
        let both = rule.examples.matching.iter().find(|example| rule.examples.not_match.contains(example));
        if let Some(example) = both {
            let message = format!("`{example}` stands under both `match` and `not_match`");
            return Err(PolicyError::Rule { place, message });
        }
        let compiled = CompiledRule {
            verdict: rule.verdict,
            reason: rule.reason.clone(),
            tools: Patterns::new(&rule.tools, &format!("{place}.tools"))?,
            keys: Patterns::new(&rule.keys, &format!("{place}.keys"))?,
            commands: Patterns::new(&rule.commands, &format!("{place}.commands"))?,
            place,
        };
        compiled.check(&rule.examples)?;
        Ok(compiled)
    }

    /// Whether the rule is about this tool and this part (or this call, for tools without commands).
    pub(crate) fn fits(&self, tool: &str, key: Option<&str>, words: Option<&str>) -> bool {
        let tool_fits = self.tools.is_empty() || self.tools.fit_name(tool);
        let key_fits = self.keys.is_empty() || self.keys.fit(key, words);
        tool_fits && key_fits && (self.commands.is_empty() || self.commands.fit_words(words))
    }

    fn check(&self, examples: &Examples) -> Result<(), PolicyError> {
        let expected =
            examples.matching.iter().map(|e| (e, true)).chain(examples.not_match.iter().map(|e| (e, false)));
        for (example, should_match) in expected {
            if self.fits_example(example) != should_match {
                let (place, example) = (self.place.clone(), example.clone());
                return Err(PolicyError::Example { place, example, should_match });
            }
        }
        Ok(())
    }

    /// An example is a command line for rules about commands, a tool's name for rules about tools only, else a key.
    fn fits_example(&self, example: &str) -> bool {
        if self.keys.is_empty() && self.commands.is_empty() {
            return self.tools.fit_name(example);
        }
        let analysis = command::analyse(example);
        let mut parts = analysis.parts.iter();
        let by_part = |part: &command::Part| {
            let words = part.text();
            (self.keys.is_empty() || self.keys.fit(part.key.as_deref(), Some(&words)))
                && (self.commands.is_empty() || self.commands.fit_words(Some(&words)))
        };
        let as_key = self.commands.is_empty() && self.keys.fit(Some(example), Some(example));
        // An allowing rule has to mean every part, another any part.
        match self.verdict {
            Verdict::Allow => as_key || (!analysis.parts.is_empty() && parts.all(by_part)),
            Verdict::Ask | Verdict::Deny => as_key || parts.any(by_part),
        }
    }
}
