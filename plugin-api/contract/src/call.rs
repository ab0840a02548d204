use crate::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One call of one tool, host to plugin.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallRequest<'a> {
    /// Which tool of the plugin.
    #[serde(borrow)]
    pub tool: Cow<'a, str>,
    /// The validated arguments, as they are.
    #[serde(borrow)]
    pub args: &'a RawValue,
    /// What the call may know.
    #[serde(borrow)]
    pub context: CallContext<'a>,
}

/// What a call may know about where it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallContext<'a> {
    /// The session's id.
    pub session: Cow<'a, str>,
    /// The turn's id.
    pub turn: Cow<'a, str>,
    /// The call's id, `tu_` and a ulid.
    pub call: Cow<'a, str>,
    /// The absolute path of the workspace's root, if the call has one.
    pub workspace: Option<Cow<'a, str>>,
    /// The declared environment variables that are set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The tool's own configuration.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// Milliseconds until the deadline, counted from the start of the call.
    pub deadline_ms: u64,
}

/// What came of a call, plugin to host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallReply {
    /// It worked.
    Output(CallOutput),
    /// It failed.
    Error(ToolError),
    /// The plugin's code panicked.
    Panic(PanicReport),
}

/// What a tool returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallOutput {
    /// The text for the model.
    pub text: String,
    /// The typed output, when the tool returns more than a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Facts about the run that are for programs: exit codes, counts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// A caught panic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PanicReport {
    /// Its message, or what stands in for one when the payload was no text.
    pub message: String,
    /// `file:line:column`, where known.
    #[serde(default)]
    pub location: Option<String>,
}
