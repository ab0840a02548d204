//! What the operator says, as it is written and as it is used.

mod error;
mod rule;

pub use error::PolicyError;
pub use rule::{Examples, Rule};

use crate::{AgentMode, ClassMode, ClassModes, SecurityMode, SensitiveFiles, SensitivePattern, Verdict};
use rule::{CompiledRule, Patterns};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The policy as it stands in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Source {
    security_mode: SecurityMode,
    agent_mode: AgentMode,
    classes: ClassModes,
    tools: BTreeMap<String, ClassMode>,
    agent: BTreeMap<String, BTreeMap<String, ClassMode>>,
    allowlist: Vec<String>,
    rules: Vec<Rule>,
    sensitive: Vec<SensitivePattern>,
    known_safe: Option<bool>,
    project_approvals: bool,
}

/// What the operator says about every call: checked, and ready to be used. Reading one costs milliseconds, a decision microseconds.
#[derive(Debug, Clone)]
pub struct Policy {
    /// For sessions that say nothing else (spec A2).
    pub security_mode: SecurityMode,
    /// For sessions that say nothing else (spec A3).
    pub agent_mode: AgentMode,
    /// By class of side effects (spec A4).
    pub classes: ClassModes,
    /// By tool (spec A4); the session's own come before these.
    pub tools: BTreeMap<String, ClassMode>,
    /// By agent mode and tool; these come before the session's.
    pub agent: BTreeMap<String, BTreeMap<String, ClassMode>>,
    /// Which files may be touched without a question (spec A10).
    pub sensitive: SensitiveFiles,
    /// Whether commands that are known to only read run without a question (spec A9).
    pub known_safe: bool,
    /// Whether "always for this project" is offered (spec A5).
    pub project_approvals: bool,
    pub(crate) allowlist: Patterns,
    pub(crate) rules: Vec<CompiledRule>,
}

impl Policy {
    /// Reads a policy and checks all of it: keys, patterns, and the examples of its rules.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn from_toml(text: &str) -> Result<Policy, PolicyError> {
        let source: Source = toml::from_str(text).map_err(|error| wrong(&error, text))?;
        Policy::compile(source)
    }

    fn compile(source: Source) -> Result<Policy, PolicyError> {
        for mode in source.agent.keys() {
            if !AGENT_MODES.contains(&mode.as_str()) {
                let nearest = nearest(mode, AGENT_MODES);
                return Err(PolicyError::UnknownKey {
                    key: mode.clone(),
                    place: " at `agent`".to_owned(),
                    nearest,
                });
            }
        }
        let rules = source
            .rules
            .iter()
            .enumerate()
            .map(|(index, rule)| CompiledRule::new(rule, index))
            .collect::<Result<_, _>>()?;
        let sensitive = SensitiveFiles::new(&source.sensitive)
            .map_err(|message| PolicyError::Pattern { place: "sensitive".to_owned(), message })?;
        Ok(Policy {
            security_mode: source.security_mode,
            agent_mode: source.agent_mode,
            classes: source.classes,
            tools: source.tools,
            agent: source.agent,
            allowlist: Patterns::new(&source.allowlist, "allowlist")?,
            rules,
            sensitive,
            known_safe: source.known_safe.unwrap_or(true),
            project_approvals: source.project_approvals,
        })
    }

    /// Whether a tool is denied whatever its arguments: such a tool is not shown to the model (spec A12).
    #[must_use]
    pub fn denies_outright(
        &self,
        tool: &str,
        class: stud_contract::SideEffects,
        session: &crate::SessionFacts,
    ) -> bool {
        let by_rule =
            self.rules.iter().any(|rule| rule.verdict == Verdict::Deny && rule.fits(tool, None, None));
        let mode = session.agent_mode.unwrap_or(self.agent_mode);
        let by_tool = crate::decide::tool_mode(self, tool, session, mode).map(|(mode, _)| mode);
        let by_class = self.classes.of(class, session.trusted_workspace);
        let planned = mode == AgentMode::Plan && class.mutates();
        by_rule || planned || by_tool.unwrap_or(by_class) == ClassMode::Deny
    }
}

const AGENT_MODES: &[&str] = &["cautious", "autonomous", "manual", "plan", "review", "audit"];

/// The parser's error, with the nearest key for one that does not exist.
fn wrong(error: &toml::de::Error, text: &str) -> PolicyError {
    let line = error.span().map(|span| text.get(..span.start).unwrap_or(text).lines().count().max(1));
    let place = line.map(|line| format!(" on line {line}")).unwrap_or_default();
    let message = error.message();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((key, known)) if message.starts_with("unknown field") => {
            PolicyError::UnknownKey { key: (*key).to_owned(), place, nearest: nearest(key, known) }
        }
        _ => PolicyError::Syntax { message: format!("{message}{place}") },
    }
}

fn nearest(wanted: &str, known: &[&str]) -> Option<String> {
    let wanted: String = wanted.chars().take(128).collect();
    let scored = known.iter().map(|name| (strsim::jaro_winkler(&wanted, name), *name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.7).then(|| best.1.to_owned())
}
