use crate::config::Config;
use crate::dispatch::{Call, ToolResult, dispatch, working};
use crate::ids::new_id;
use crate::registry::{Snapshot, ToolEntry};
use crate::spill::Spill;
use crate::workspace::Workspace;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use stud_contract::ToolName;

/// Watches what calls say while they run. Called from the calls' own threads: it must not block.
pub trait Observer: Send + Sync {
    /// A piece of a call's output; stream 1 is output, 2 is errors.
    fn output(&self, call: &str, stream: u8, bytes: &[u8]) {
        let _ = (call, stream, bytes);
    }

    /// A line that a tool logged.
    fn log(&self, tool: &ToolName, level: &str, message: &str) {
        let _ = (tool, level, message);
    }
}

/// Watches nothing.
#[derive(Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// What all calls of a session share.
pub(crate) struct SessionShared {
    pub(crate) id: String,
    pub(crate) workspace: Workspace,
    /// The user's `.stud`, canonical.
    pub(crate) home: PathBuf,
    pub(crate) config: Arc<Config>,
    pub(crate) environment: HashMap<String, String>,
    pub(crate) spill: Spill,
    pub(crate) observer: Arc<dyn Observer>,
}

/// A conversation in one workspace.
#[derive(Clone)]
pub struct Session {
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) snapshot: Arc<Snapshot>,
}

impl Session {
    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Begins a turn: what may be called stays the same until it ends.
    #[must_use]
    pub fn turn(&self) -> Turn {
        Turn { id: new_id("turn_"), shared: self.shared.clone(), snapshot: self.snapshot.clone() }
    }
}

/// One answer to the user, with an unchanging view of the tools.
pub struct Turn {
    id: String,
    shared: Arc<SessionShared>,
    snapshot: Arc<Snapshot>,
}

impl Turn {
    /// The turn's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What may be called in this turn.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The implementation that a call of this name would run: ask for approval of this one. Blocks on files and
    /// processes when the tool is used for the first time.
    #[must_use]
    pub fn implementation(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        working(&self.snapshot, name)
    }

    /// Makes one call. There is always exactly one result; errors are results.
    ///
    /// Needs tokio's multi-threaded runtime: plugins are plain functions that block the thread they run on.
    pub async fn call(&self, call: Call) -> ToolResult {
        dispatch(&self.shared, &self.snapshot, &self.id, call).await
    }
}
