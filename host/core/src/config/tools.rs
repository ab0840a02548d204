use super::Origin;
use crate::diagnostic::{Diagnostic, Stage};
use std::collections::BTreeMap;
use std::time::Duration;
use toml::Value;

/// The section `[tools.NAME]`: `enabled`, `timeoutMs`, and the tool's own keys.
#[derive(Debug, Clone, Default)]
pub struct ToolConfig {
    pub(crate) values: BTreeMap<String, (Value, Origin)>,
}

/// The keys that every tool has; all others are its own and checked against its schema.
const ENABLED: &str = "enabled";
const TIMEOUT: &str = "timeoutMs";

impl ToolConfig {
    /// Whether the operator lets the tool be used.
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.values.get(ENABLED).and_then(|(value, _)| value.as_bool()).unwrap_or(true)
    }

    /// The tool's own deadline.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        let (value, _) = self.values.get(TIMEOUT)?;
        value.as_integer().and_then(|n| u64::try_from(n).ok()).map(Duration::from_millis)
    }

    /// What is wrong with the keys that every tool has.
    #[must_use]
    pub fn problem(&self, tool: &str) -> Option<Diagnostic> {
        let wrong = |key: &str, what: &str| {
            let (value, origin) = self.values.get(key)?;
            let message = format!("`tools.{tool}.{key}` is {what}, not {value} ({origin})");
            Some(
                Diagnostic::new(Stage::ConfigSchema, message, "correct the value in config.toml")
                    .field(format!("/{key}")),
            )
        };
        let enabled = self.values.get(ENABLED).is_none_or(|(value, _)| value.is_bool());
        let timeout =
            self.values.get(TIMEOUT).is_none_or(|(value, _)| value.as_integer().is_some_and(|n| n > 0));
        match (enabled, timeout) {
            (false, _) => wrong(ENABLED, "true or false"),
            (_, false) => wrong(TIMEOUT, "a number of milliseconds above zero"),
            (true, true) => None,
        }
    }

    /// The tool's own keys as JSON, as its schema describes them.
    #[must_use]
    pub fn own_keys(&self) -> serde_json::Map<String, serde_json::Value> {
        let own = self.values.iter().filter(|(key, _)| ![ENABLED, TIMEOUT].contains(&key.as_str()));
        own.filter_map(|(key, (value, _))| Some((key.clone(), serde_json::to_value(value).ok()?))).collect()
    }

    /// Whether a project's value for this key only tightens what is there; `limit` is the deadline of a tool that has
    /// none of its own.
    pub(super) fn project_may(&self, key: &str, value: &Value, limit: Duration) -> bool {
        match key {
            ENABLED => value.as_bool() == Some(false) || self.enabled() == value.as_bool().unwrap_or(true),
            // What is no number disables the tool.
            TIMEOUT => value.as_integer().is_none_or(|n| {
                let current = self.timeout().unwrap_or(limit);
                i128::from(n) <= current.as_millis() as i128
            }),
            // A tool's own keys say what it does, not what it may do.
            _ => true,
        }
    }
}
