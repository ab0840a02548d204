//! Configuration: defaults, then the user's file, then the project's, then the environment, then flags. Every value
//! knows where it came from.

mod keys;
mod load;
mod tools;

pub use keys::{KEYS, Key, Kind};
pub use load::{ConfigError, ConfigSources, ProjectConfig, ProjectGrant, load};
pub use tools::ToolConfig;

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The configuration in force.
#[derive(Debug, Clone)]
pub struct Config {
    pub(crate) values: BTreeMap<&'static str, (toml::Value, Origin)>,
    pub(crate) tools: BTreeMap<String, ToolConfig>,
    /// What was found in a project's file and not obeyed, with the reason.
    pub notes: Vec<String>,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Nobody said otherwise.
    Default,
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A flag of the command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "{}", path.display()),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::Flag => f.write_str("command line"),
        }
    }
}

/// One effective value, for people and programs.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// Its dotted path.
    pub key: String,
    /// Its value.
    pub value: serde_json::Value,
    /// Where it came from.
    pub origin: String,
    /// What it does.
    pub help: String,
}

impl Config {
    /// Every effective value with its origin.
    #[must_use]
    pub fn settings(&self) -> Vec<Setting> {
        let keys = KEYS.iter().filter_map(|key| {
            let (value, origin) = self.values.get(key.name)?;
            Some(Setting {
                key: key.name.to_owned(),
                value: serde_json::to_value(value).ok()?,
                origin: origin.to_string(),
                help: key.help.to_owned(),
            })
        });
        let tools = self.tools.iter().flat_map(|(name, tool)| {
            tool.values.iter().filter_map(move |(key, (value, origin))| {
                Some(Setting {
                    key: format!("tools.{name}.{key}"),
                    value: serde_json::to_value(value).ok()?,
                    origin: origin.to_string(),
                    help: "configuration of one tool".to_owned(),
                })
            })
        });
        keys.chain(tools).collect()
    }

    /// The configuration of one tool; empty when there is none.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolConfig> {
        self.tools.get(name)
    }

    /// The tools that have a section of their own.
    pub fn configured_tools(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    fn integer(&self, key: &str) -> u64 {
        // Every value was checked against its key when it was loaded, and none may be negative.
        self.values
            .get(key)
            .and_then(|(value, _)| value.as_integer())
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or(0)
    }

    /// A duration key.
    pub(crate) fn milliseconds(&self, key: &str) -> Duration {
        Duration::from_millis(self.integer(key))
    }

    /// A counting key.
    pub(crate) fn count(&self, key: &str) -> usize {
        usize::try_from(self.integer(key)).unwrap_or(usize::MAX)
    }

    /// A list key.
    pub(crate) fn texts(&self, key: &str) -> BTreeSet<String> {
        let items = self.values.get(key).and_then(|(value, _)| value.as_array());
        items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }
}
