use serde::{Deserialize, Serialize};
use std::fmt;

/// What happens with a call. Ordered: a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A person says so first; without one it does not run.
    Ask,
    /// It does not run.
    Deny,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        })
    }
}

/// How much a command can destroy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing known.
    #[default]
    None,
    /// It changes files or state in a usual way.
    Medium,
    /// It destroys work, or acts with more rights.
    High,
    /// It destroys a system or a disk: always asks.
    Critical,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::None => "none",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        })
    }
}

/// One step of the way to a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The id of the rule in spec.md, such as `A4`.
    pub rule: String,
    /// Who says so: `rules[2]`, `mode ask`, `command`, `session approval`.
    pub source: String,
    /// One sentence for people.
    pub text: String,
}

/// The answer, with everything that prompts, events and `stud policy check` show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What happens.
    pub verdict: Verdict,
    /// What an approval would be remembered under, where that is one key.
    pub key: Option<String>,
    /// For commands: the worst of its parts.
    pub severity: Option<Severity>,
    /// Why, the decisive one first.
    pub reasons: Vec<Reason>,
    /// Every key that an approval of this call has to cover: a compound command has one for each program that asks.
    #[serde(skip)]
    pub keys: Vec<String>,
    /// Whether an answer may be remembered at all.
    #[serde(skip)]
    pub rememberable: bool,
}
