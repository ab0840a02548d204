use crate::{PanicReport, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that the host tells or asks a plugin besides calls. A plugin that does not know a kind answers
/// [`ControlReply::Unsupported`], so that kinds can be added without breaking a plugin that was built before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Control {
    /// What would remembering an approval of this call be remembered under?
    ApprovalKey {
        /// The tool.
        tool: String,
        /// Its validated arguments.
        args: Value,
    },
    /// This call is cancelled: stop what does not look at the token by itself. Idempotent.
    Cancel {
        /// The call's id.
        call: String,
    },
    /// A kind that this side does not know.
    #[serde(other)]
    Unknown,
}

/// The answer to a [`Control`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ControlReply {
    /// Done, nothing to say.
    Done,
    /// The approval key.
    ApprovalKey {
        /// As the tool's key function made it; the host checks its form.
        key: String,
    },
    /// The plugin does not know this kind.
    Unsupported,
    /// It failed.
    Failed {
        /// Why.
        error: ToolError,
    },
    /// The plugin's code panicked.
    Panicked {
        /// Where and with what.
        panic: PanicReport,
    },
    /// A reply that this side does not know.
    #[serde(other)]
    Unknown,
}
