use crate::Verdict;
use serde::{Deserialize, Serialize};
use stud_contract::SideEffects;

/// How a session treats what nothing else decides (spec A2). Fixed for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecurityMode {
    /// Asks on a new key.
    #[default]
    Ask,
    /// Runs what a pattern of the allowlist matches; asks on a miss, denies it where nobody can answer.
    Allowlist,
    /// Skips the ordinary gate. Tools that always require approval and critical or hidden commands ask all the same.
    Yolo,
}

/// How the agent works at the moment (spec A3). Changes between turns, and never makes a session looser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentMode {
    /// What mutates asks, each key once: the usual.
    #[default]
    Cautious,
    /// Whatever the security mode lets pass, passes.
    Autonomous,
    /// Everything that is not pure asks, each time.
    Manual,
    /// Nothing that mutates runs.
    Plan,
    /// Writes are held back and wait file by file: they run against the pending content; what else mutates asks.
    Review,
    /// Writes are held back and wait as one batch; what else mutates asks.
    Audit,
}

impl AgentMode {
    /// The word used in files and in reasons.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AgentMode::Cautious => "cautious",
            AgentMode::Autonomous => "autonomous",
            AgentMode::Manual => "manual",
            AgentMode::Plan => "plan",
            AgentMode::Review => "review",
            AgentMode::Audit => "audit",
        }
    }
}

/// What happens with the calls of a class of side effects, or of a tool (spec A4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassMode {
    /// They run.
    Auto,
    /// They ask; an answer may be remembered by key.
    Ask,
    /// They ask once; that answer covers every key of the tool.
    AskOnce,
    /// They do not run.
    Deny,
}

impl ClassMode {
    /// The verdict when no answer is remembered.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            ClassMode::Auto => Verdict::Allow,
            ClassMode::Ask | ClassMode::AskOnce => Verdict::Ask,
            ClassMode::Deny => Verdict::Deny,
        }
    }
}

/// A mode for each class of side effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassModes {
    /// Pure tools.
    pub none: ClassMode,
    /// Tools that only read.
    pub read: ClassMode,
    /// Tools that change files of the workspace.
    pub write: ClassMode,
    /// Tools that run programs.
    pub execute: ClassMode,
    /// Tools that change something elsewhere.
    pub network: ClassMode,
}

impl Default for ClassModes {
    fn default() -> Self {
        ClassModes {
            none: ClassMode::Auto,
            read: ClassMode::Auto,
            write: ClassMode::Ask,
            execute: ClassMode::Ask,
            network: ClassMode::Ask,
        }
    }
}

impl ClassModes {
    /// The mode of a class. A trusted workspace relaxes `write` from asking to running, and nothing else.
    #[must_use]
    pub fn of(&self, class: SideEffects, trusted_workspace: bool) -> ClassMode {
        match class {
            SideEffects::None => self.none,
            SideEffects::Read => self.read,
            SideEffects::Write if trusted_workspace && self.write != ClassMode::Deny => ClassMode::Auto,
            SideEffects::Write => self.write,
            SideEffects::Execute => self.execute,
            SideEffects::Network => self.network,
        }
    }
}
