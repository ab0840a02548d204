use crate::digest::Digest;
use crate::layer::Layer;
use crate::registry::ToolEntry;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;
use stud_contract::ToolError;

/// The one result of a call, in the form that `stud call --json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct ToolResult {
    /// Always `tool_result`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The call's id.
    pub tool_use_id: String,
    /// The tool's name: canonical once it was resolved, else as it was written.
    pub tool_name: String,
    /// Whether `error` is set.
    pub is_error: bool,
    /// What the model reads.
    pub content: Vec<Content>,
    /// What failed.
    pub error: Option<ToolError>,
    /// Facts for programs: what the tool noted, `origin` and `duration_us`.
    pub metadata: Map<String, Value>,
}

/// A piece of content.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
}

/// Whose code ran.
#[derive(Debug, Clone, Serialize)]
pub struct Origin {
    /// Where the file was found.
    pub layer: Layer,
    /// The file.
    #[serde(serialize_with = "crate::lossy::path")]
    pub file: PathBuf,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Which loading of the layers it belongs to.
    pub generation: u64,
}

impl Origin {
    /// The origin of a registered tool.
    #[must_use]
    pub fn of(entry: &ToolEntry) -> Origin {
        let plugin = entry.plugin();
        Origin {
            layer: plugin.layer(),
            file: plugin.file().to_owned(),
            sha256: plugin.digest(),
            generation: plugin.generation(),
        }
    }
}

/// What a call came to, bounded.
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) metadata: Map<String, Value>,
    pub(super) error: Option<ToolError>,
}

impl Outcome {
    pub(super) fn into_result(
        self,
        id: String,
        written: &str,
        entry: Option<&ToolEntry>,
        took: Duration,
    ) -> ToolResult {
        let mut metadata = self.metadata;
        metadata.insert("origin".to_owned(), entry.map_or(Value::Null, |entry| json!(Origin::of(entry))));
        metadata.insert("duration_us".to_owned(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX).into());
        ToolResult {
            kind: "tool_result",
            tool_use_id: id,
            tool_name: entry.map_or_else(
                || written.chars().take(80).collect(),
                |entry| entry.embedded().name.to_string(),
            ),
            is_error: self.error.is_some(),
            content: vec![Content::Text { text: self.text }],
            error: self.error,
            metadata,
        }
    }
}

impl ToolResult {
    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        match self.content.first() {
            Some(Content::Text { text }) => text,
            None => "",
        }
    }
}
