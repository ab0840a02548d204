use crate::{AgentMode, Approvals, ClassMode, SecurityMode};
use std::collections::BTreeMap;
use stud_contract::{SideEffects, ToolName};

/// What is known about one call before it is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    /// The tool.
    pub tool: ToolName,
    /// Its declared class.
    pub side_effects: SideEffects,
    /// Whether it goes through approval.
    pub gated: bool,
    /// Whether it asks whatever anybody said before.
    pub always_require_approval: bool,
    /// Its approval key; `None` when the key function failed. For commands the keys of the parts count instead.
    pub key: Option<String>,
    /// The line for the shell, for tools that run one.
    pub command: Option<String>,
    /// Every path that its arguments name.
    pub paths: Vec<String>,
    /// The layer that it comes from, as text.
    pub layer: String,
    /// The digest of the file that would run.
    pub digest: String,
}

impl CallFacts {
    /// A gated tool whose key is its own name (the last default of spec C9), with no command and no paths.
    #[must_use]
    pub fn new(tool: ToolName, side_effects: SideEffects) -> CallFacts {
        CallFacts {
            key: Some(tool.as_str().to_owned()),
            tool,
            side_effects,
            gated: true,
            always_require_approval: false,
            command: None,
            paths: Vec::new(),
            layer: String::new(),
            digest: String::new(),
        }
    }

    /// The same with an approval key; `None` means that there is none to be had.
    #[must_use]
    pub fn key(mut self, key: Option<&str>) -> CallFacts {
        self.key = key.map(str::to_owned);
        self
    }

    /// The same with a line for the shell.
    #[must_use]
    pub fn command(mut self, line: &str) -> CallFacts {
        self.command = Some(line.to_owned());
        self
    }

    /// The same with one more path.
    #[must_use]
    pub fn path(mut self, path: &str) -> CallFacts {
        self.paths.push(path.to_owned());
        self
    }

    /// The same with the origin that approvals are bound to.
    #[must_use]
    pub fn origin(mut self, layer: &str, digest: &str) -> CallFacts {
        layer.clone_into(&mut self.layer);
        digest.clone_into(&mut self.digest);
        self
    }
}

/// What the embedder's own state machine says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderSays {
    /// It may run; with the reason.
    Grant(String),
    /// It may not; with the reason.
    Deny(String),
}

/// What is known about the session.
#[derive(Debug, Clone, Default)]
pub struct SessionFacts {
    /// The session's security mode; the policy's where it is `None`.
    pub security_mode: Option<SecurityMode>,
    /// The agent mode; the policy's where it is `None`.
    pub agent_mode: Option<AgentMode>,
    /// Whether the operator trusts this workspace with writes.
    pub trusted_workspace: bool,
    /// Whether somebody can answer.
    pub interactive: bool,
    /// Whether the host holds writes back in this session (agent modes review and audit): they then run unasked, and
    /// wait for a person before they reach the disk.
    pub writes_held: bool,
    /// What the session says about single tools.
    pub tools: BTreeMap<String, ClassMode>,
    /// What the embedder says about this call.
    pub embedder: Option<EmbedderSays>,
    /// What people have said before.
    pub approvals: Approvals,
}
