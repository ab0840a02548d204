use crate::diagnostic::Diagnostic;
use crate::registry::{CallableTool, Snapshot, ToolEntry};
use serde_json::json;
use std::sync::Arc;
use stud_contract::{ErrorClass, ToolError};

/// Whether [`resolve`] will answer without waiting for files or processes.
pub(super) fn is_ready(snapshot: &Snapshot, name: &str) -> bool {
    snapshot.implementations(name).first().is_none_or(|entry| entry.is_ready())
}

/// The implementation that a call of this name would run: whoever asks for approval asks about this one. Blocks when it
/// is asked for the first time.
pub(crate) fn working<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a Arc<ToolEntry>> {
    snapshot
        .implementations(name)
        .iter()
        .find(|entry| entry.callable().is_ok() && entry.plugin().loaded().is_ok())
}

/// Finds the implementation that a name stands for. One that turns out not to work falls back to the layer below.
pub(super) fn resolve<'a>(
    snapshot: &'a Snapshot,
    name: &str,
) -> Result<(Arc<ToolEntry>, &'a CallableTool), ToolError> {
    let implementations = snapshot.implementations(name);
    if implementations.is_empty() {
        return Err(match snapshot.unavailable(name) {
            Some(reason) => unusable(name, std::slice::from_ref(reason)),
            None => not_found(snapshot, name),
        });
    }
    let mut reasons = Vec::new();
    for entry in implementations {
        match entry.callable() {
            Ok(tool) => match entry.plugin().loaded() {
                Ok(_) => return Ok((entry.clone(), tool)),
                Err(diagnostic) => reasons.push(diagnostic.clone()),
            },
            Err(diagnostic) => reasons.push(diagnostic.clone()),
        }
    }
    Err(unusable(name, &reasons))
}

fn unusable(name: &str, reasons: &[Diagnostic]) -> ToolError {
    let texts: Vec<String> = reasons.iter().map(|reason| format!("{reason}; {}", reason.remedy)).collect();
    let message = format!("the tool `{name}` cannot be used: {}", texts.join("; "));
    ToolError::new(ErrorClass::NotFound, "tool_failed", message)
        .with_details(json!({ "diagnostics": reasons }))
}

fn not_found(snapshot: &Snapshot, name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let nearest = snapshot.nearest(name);
    let hint = match nearest.as_slice() {
        [] => "`stud tools` lists what there is".to_owned(),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    ToolError::new(ErrorClass::NotFound, "unknown_tool", format!("there is no tool {shown:?}; {hint}"))
        .with_details(json!({ "nearest": nearest }))
}
