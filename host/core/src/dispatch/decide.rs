use crate::registry::ToolEntry;
use serde_json::json;
use stud_contract::{ErrorClass, ToolError};

/// What somebody who may say so has said about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Nothing.
    NotGiven,
    /// It may run, this once.
    Once,
    /// It may not.
    Denied,
}

/// The seam of the approval stage: until there is a policy, a gated tool runs when it was approved and not otherwise.
pub(super) fn decide(entry: &ToolEntry, approval: Approval) -> Result<(), ToolError> {
    let tool = entry.embedded();
    let must_ask = tool.gated || tool.always_require_approval;
    match approval {
        _ if !must_ask => Ok(()),
        Approval::Once => Ok(()),
        Approval::NotGiven => {
            let message =
                format!("`{}` ({}) needs approval, and nobody was asked", tool.name, tool.side_effects);
            let details = json!({ "tool": tool.name, "side_effects": tool.side_effects });
            Err(ToolError::new(ErrorClass::PermissionDenied, "permission_required", message)
                .with_details(details))
        }
        Approval::Denied => {
            let message = format!("the user did not allow this call of `{}`", tool.name);
            Err(ToolError::new(ErrorClass::UserDenied, "denied", message))
        }
    }
}
