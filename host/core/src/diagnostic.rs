use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Which step refused a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// Reading the layer's directory and its entries.
    Discovery,
    /// Who owns and may write the file and its directory.
    Ownership,
    /// Whether the file is a sound library for this machine.
    Object,
    /// Whether the embedded contract is one.
    Shape,
    /// The version of the contract's form.
    ContractVersion,
    /// The range of hosts that the plugin asks for.
    RequiredCoreVersion,
    /// The tool's configuration against its schema.
    ConfigSchema,
    /// Rules between a tool and its layer, and its schemas.
    Register,
    /// Whether the project and the file are trusted.
    Trust,
    /// Opening the library and asking it what it offers.
    Load,
}

impl Stage {
    /// The word used in tables and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Discovery => "discovery",
            Stage::Ownership => "ownership",
            Stage::Object => "object",
            Stage::Shape => "shape",
            Stage::ContractVersion => "contractVersion",
            Stage::RequiredCoreVersion => "requiredCoreVersion",
            Stage::ConfigSchema => "configSchema",
            Stage::Register => "register",
            Stage::Trust => "trust",
            Stage::Load => "load",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why something is not as it should be: what, where, and what to do. Never an error of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The step that found it.
    pub stage: Stage,
    /// The plugin, once its name is known.
    pub plugin: Option<String>,
    /// The file or directory.
    #[serde(default, serialize_with = "crate::lossy::optional")]
    pub file: Option<PathBuf>,
    /// The place in the contract, schema or configuration, as a JSON pointer.
    pub field: Option<String>,
    /// What is wrong: one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Diagnostic {
    /// A diagnostic that names neither plugin nor file yet.
    pub fn new(stage: Stage, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        Diagnostic {
            stage,
            plugin: None,
            file: None,
            field: None,
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// The same with its plugin.
    #[must_use]
    pub fn plugin(mut self, name: &str) -> Diagnostic {
        self.plugin = Some(name.to_owned());
        self
    }

    /// The same with its file.
    #[must_use]
    pub fn file(mut self, path: &Path) -> Diagnostic {
        self.file = Some(path.to_owned());
        self
    }

    /// The same with its place.
    #[must_use]
    pub fn field(mut self, pointer: impl Into<String>) -> Diagnostic {
        self.field = Some(pointer.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "`{}`: ", file.display())?;
        }
        f.write_str(&self.message)?;
        if let Some(field) = &self.field {
            write!(f, " (at `{field}`)")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
