//! Every configuration key, once: parser, environment, help and documentation are made from this table.

use toml::Value;

/// One key of `config.toml`.
#[derive(Debug)]
pub struct Key {
    /// Its dotted path.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// The environment variable that overrides the files.
    pub env: &'static str,
    /// Its value when nobody says otherwise, as TOML.
    pub default: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// What a project may do with it without the grant to relax.
    pub(super) project: ProjectMay,
}

/// The type of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in this range.
    Integer {
        /// Least.
        min: i64,
        /// Most.
        max: i64,
    },
    /// A list of texts.
    Texts,
}

/// How far a project's configuration is obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectMay {
    /// Only a lower value than the user's counts.
    Lower,
    /// Nothing: every value would loosen something.
    Nothing,
}

const HOUR_MS: i64 = 3_600_000;

/// The keys, in the order in which they are shown. `[tools.NAME]` sections are apart: see [`super::ToolConfig`].
pub const KEYS: &[Key] = &[
    Key {
        name: "allow_ungated",
        kind: Kind::Texts,
        env: "STUD_ALLOW_UNGATED",
        default: "[]",
        help: "tools outside the bundled layer that may skip approval although they change something",
        project: ProjectMay::Nothing,
    },
    Key {
        name: "limits.timeout_ms",
        kind: Kind::Integer { min: 1, max: HOUR_MS },
        env: "STUD_TIMEOUT_MS",
        default: "60000",
        help: "deadline of a call, in milliseconds",
        project: ProjectMay::Lower,
    },
    Key {
        name: "limits.execute_timeout_ms",
        kind: Kind::Integer { min: 1, max: HOUR_MS },
        env: "STUD_EXECUTE_TIMEOUT_MS",
        default: "600000",
        help: "the same for tools that run programs or change things elsewhere",
        project: ProjectMay::Lower,
    },
    Key {
        name: "limits.max_timeout_ms",
        kind: Kind::Integer { min: 1, max: 24 * HOUR_MS },
        env: "STUD_MAX_TIMEOUT_MS",
        default: "3600000",
        help: "the longest deadline that a call may ask for",
        project: ProjectMay::Lower,
    },
    Key {
        name: "limits.output_bytes",
        kind: Kind::Integer { min: 1_000, max: 10_000_000 },
        env: "STUD_OUTPUT_BYTES",
        default: "80000",
        help: "bytes of a call's output that reach the model; the rest is kept in a file",
        project: ProjectMay::Lower,
    },
    Key {
        name: "limits.command_lines",
        kind: Kind::Integer { min: 10, max: 100_000 },
        env: "STUD_COMMAND_LINES",
        default: "100",
        help: "lines of a command's output that reach the model",
        project: ProjectMay::Lower,
    },
];

impl Key {
    /// The value, if it is of the key's kind.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match (self.kind, value) {
            (Kind::Integer { min, max }, Value::Integer(n)) if (min..=max).contains(n) => Ok(()),
            (Kind::Integer { min, max }, _) => {
                Err(format!("`{}` is a whole number from {min} to {max}, not {value}", self.name))
            }
            (Kind::Texts, Value::Array(items)) if items.iter().all(Value::is_str) => Ok(()),
            (Kind::Texts, _) => Err(format!("`{}` is a list of texts, not {value}", self.name)),
        }
    }

    /// The value as text, from a variable or a flag: a number, or texts separated by commas.
    pub(super) fn parse_text(&self, text: &str) -> Value {
        match self.kind {
            Kind::Integer { .. } => {
                text.trim().parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
            }
            Kind::Texts => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
            }
        }
    }

    /// Whether a project may replace `current` by `value` without the grant to relax.
    pub(super) fn project_may(&self, current: &Value, value: &Value) -> bool {
        match self.project {
            ProjectMay::Nothing => false,
            ProjectMay::Lower => value.as_integer() <= current.as_integer(),
        }
    }
}
