//! The rules of spec.md that are decided here, by their ids.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly, like tests")]

mod approvals;
mod commands;
mod decisions;
mod disguises;
mod letters;
mod policies;
mod properties;
mod redaction;

use stud_contract::{SideEffects, ToolName};
use stud_policy::{CallFacts, Policy, SessionFacts};

fn policy(text: &str) -> Policy {
    Policy::from_toml(text).unwrap()
}

fn tool(name: &str, class: SideEffects) -> CallFacts {
    CallFacts::new(ToolName::new(name).unwrap(), class)
}

fn shell(line: &str) -> CallFacts {
    tool("run_command", SideEffects::Execute).command(line)
}

fn someone() -> SessionFacts {
    SessionFacts { interactive: true, ..SessionFacts::default() }
}
