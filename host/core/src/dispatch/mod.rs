//! The one way a call takes: resolve, normalise, validate, scope, decide, execute, bound. Nothing else calls a plugin.

mod arguments;
mod bound;
mod cancel;
mod decide;
mod execute;
mod files;
mod resolve;
mod result;
mod services;

pub(crate) use arguments::describe_error;
pub use arguments::{MAX_ARGUMENTS, ValidArgs};
pub use cancel::CancelToken;
pub use decide::Approval;
pub(crate) use resolve::working;
pub use result::{Content, Origin, ToolResult};

use crate::registry::Snapshot;
use crate::session::SessionShared;
use bound::Limits;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stud_contract::ToolError;
use tokio::task::block_in_place;

/// One call as the model, or a person, made it.
#[derive(Debug, Clone)]
pub struct Call {
    /// The name as written.
    pub tool: String,
    /// The arguments as JSON text, unparsed.
    pub input: String,
    /// Whether somebody has approved it.
    pub approval: Approval,
    /// A deadline for this call, capped by the configuration.
    pub timeout: Option<Duration>,
    /// Cancels the call.
    pub cancel: CancelToken,
}

impl Call {
    /// A call that nobody has approved, with the tool's own deadline.
    pub fn new(tool: impl Into<String>, input: impl Into<String>) -> Call {
        Call {
            tool: tool.into(),
            input: input.into(),
            approval: Approval::NotGiven,
            timeout: None,
            cancel: CancelToken::default(),
        }
    }
}

/// Takes one call to its result. Must run on a multi-threaded tokio runtime: the plugin's code blocks one of its threads.
pub(crate) async fn dispatch(
    session: &Arc<SessionShared>,
    snapshot: &Snapshot,
    turn: &str,
    call: Call,
) -> ToolResult {
    let started = Instant::now();
    let id = crate::ids::new_id("tu_");
    // A plugin's first use waits for files and processes, which blocks this thread openly. Later ones wait for nothing,
    // and are spared the hand-over: it costs more than all of these steps.
    let prepared = if resolve::is_ready(snapshot, &call.tool) {
        prepare(snapshot, &call)
    } else {
        block_in_place(|| prepare(snapshot, &call))
    };
    let (entry, outcome) = match prepared {
        Err(refused) => (refused.entry, Err(refused.error)),
        Ok(prepared) => {
            let entry = prepared.entry.clone();
            let ids = execute::Ids { call: id.clone(), turn: turn.to_owned() };
            (Some(entry), execute::execute(session, prepared, &call, ids).await)
        }
    };
    let limits = Limits::of(&session.config, entry.as_deref());
    let result = bound::bound(outcome, &limits, &session.spill, &id).into_result(
        id,
        &call.tool,
        entry.as_deref(),
        started.elapsed(),
    );
    if let Some(entry) = &entry {
        entry.stats.record(started.elapsed(), result.error.as_ref().map(|error| error.message.as_str()));
    }
    result
}

/// A call that may be executed.
pub(crate) struct Prepared {
    pub(crate) entry: Arc<crate::registry::ToolEntry>,
    pub(crate) args: ValidArgs,
}

/// A call that may not, with its tool as far as that was found.
struct Refused {
    entry: Option<Arc<crate::registry::ToolEntry>>,
    error: ToolError,
}

fn prepare(snapshot: &Snapshot, call: &Call) -> Result<Prepared, Refused> {
    let (entry, tool) =
        resolve::resolve(snapshot, &call.tool).map_err(|error| Refused { entry: None, error })?;
    let refused = |error| Refused { entry: Some(entry.clone()), error };
    let input = arguments::parse(&call.input).map_err(refused)?;
    let input = arguments::normalise(&tool.description, input).map_err(refused)?;
    let args = arguments::validate(tool, input).map_err(refused)?;
    decide::decide(&entry, call.approval).map_err(refused)?;
    Ok(Prepared { entry: entry.clone(), args })
}
