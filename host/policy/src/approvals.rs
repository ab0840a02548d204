use crate::{KeyProblem, check_key};
use serde::{Deserialize, Serialize};

/// How far an answer reaches (spec A5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This one call: never remembered.
    Once,
    /// This key, for the session.
    SessionKey,
    /// Every key of this tool, for the session.
    SessionTool,
    /// This key, always for this project, where that is enabled.
    Project,
}

/// One remembered answer. It belongs to one implementation: another file under the same name asks again (spec A6).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The tool's name.
    pub tool: String,
    /// The approval key; of no meaning in [`Scope::SessionTool`].
    pub key: String,
    /// The layer that the implementation comes from.
    pub layer: String,
    /// The digest of its file.
    pub digest: String,
    /// How far it reaches.
    pub scope: Scope,
}

impl Approval {
    fn covers(&self, tool: &str, key: Option<&str>, layer: &str, digest: &str) -> bool {
        let same = self.tool == tool && self.layer == layer && self.digest == digest;
        same && match self.scope {
            Scope::Once => false,
            Scope::SessionTool => true,
            Scope::SessionKey | Scope::Project => key == Some(self.key.as_str()),
        }
    }
}

/// Every remembered answer of a session, with those of its project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approvals {
    #[serde(rename = "approval")]
    entries: Vec<Approval>,
}

impl Approvals {
    /// Remembers an answer; one of [`Scope::Once`] leaves nothing behind.
    ///
    /// # Errors
    /// The key breaks the rules of spec C8. An answer for the whole tool needs no key.
    pub fn remember(&mut self, approval: Approval) -> Result<(), KeyProblem> {
        match approval.scope {
            Scope::Once => return Ok(()),
            Scope::SessionTool => {}
            Scope::SessionKey | Scope::Project => check_key(&approval.key)?,
        }
        if !self.entries.contains(&approval) {
            self.entries.push(approval);
        }
        Ok(())
    }

    /// The answer that covers a call of this implementation under this key. Without a key only one for the whole tool does.
    #[must_use]
    pub fn covers(&self, tool: &str, key: Option<&str>, layer: &str, digest: &str) -> Option<&Approval> {
        self.entries.iter().find(|approval| approval.covers(tool, key, layer, digest))
    }

    /// Whether any answer for this implementation is remembered, of whatever key.
    #[must_use]
    pub fn any_of(&self, tool: &str, layer: &str, digest: &str) -> Option<&Approval> {
        self.entries.iter().find(|entry| entry.tool == tool && entry.layer == layer && entry.digest == digest)
    }

    /// Everything, in the order in which it was said.
    pub fn iter(&self) -> impl Iterator<Item = &Approval> {
        self.entries.iter()
    }

    /// Takes back what the function picks; the number of answers taken back.
    pub fn revoke(&mut self, picks: impl Fn(&Approval) -> bool) -> usize {
        let before = self.entries.len();
        self.entries.retain(|approval| !picks(approval));
        before - self.entries.len()
    }

    /// What belongs into the project's file.
    #[must_use]
    pub fn project(&self) -> Approvals {
        let entries = self.entries.iter().filter(|approval| approval.scope == Scope::Project);
        Approvals { entries: entries.cloned().collect() }
    }

    /// Adds the answers of a project's file. Entries of other scopes or with bad keys are left out; their number is returned.
    pub fn add_project(&mut self, file: Approvals) -> usize {
        let mut refused = 0;
        for approval in file.entries {
            if approval.scope != Scope::Project || self.remember(approval).is_err() {
                refused += 1;
            }
        }
        refused
    }
}
