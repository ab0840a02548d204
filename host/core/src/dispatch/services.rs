//! What the host offers to a running call: the other side of the author's `Context`.

use super::{CancelToken, files};
use crate::registry::ToolEntry;
use crate::session::SessionShared;
use serde_json::Value;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stud_abi::{HostAnswer, HostV1, OsHandle, RSlice, RVec};
use stud_contract::{ErrorClass, HostAnswerMessage, HostRequest, ToolError};

/// One call as long as it runs. Closed when the host has its answer: what a plugin still holds is refused from then on.
pub(crate) struct CallState {
    pub(super) session: Arc<SessionShared>,
    pub(super) entry: Arc<ToolEntry>,
    id: String,
    stop: CancelToken,
    closed: AtomicBool,
}

impl CallState {
    pub(super) fn new(
        session: Arc<SessionShared>,
        entry: Arc<ToolEntry>,
        id: String,
        stop: CancelToken,
    ) -> CallState {
        CallState { session, entry, id, stop, closed: AtomicBool::new(false) }
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// The object that crosses the ABI.
pub(crate) struct CallServices(Arc<CallState>);

impl CallServices {
    pub(super) fn new(state: Arc<CallState>) -> CallServices {
        CallServices(state)
    }
}

/// What a service answers: a value, bytes beside it, and maybe an open file.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) body: Vec<u8>,
    pub(super) file: Option<File>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Answer {
        Answer { value, ..Answer::default() }
    }
}

impl HostV1 for CallServices {
    fn cancelled(&self) -> bool {
        self.0.stop.is_cancelled() || self.0.is_closed()
    }

    fn output(&self, stream: u8, bytes: RSlice<'_, u8>) {
        if !self.0.is_closed() {
            self.0.session.observer.output(&self.0.id, stream, bytes.as_slice());
        }
    }

    fn request(&self, message: RSlice<'_, u8>, body: RSlice<'_, u8>) -> HostAnswer {
        let answer = if self.0.is_closed() {
            Err(ToolError::new(
                ErrorClass::Cancelled,
                "call_ended",
                "the call has ended: its context is no longer served",
            ))
        } else {
            serve(&self.0, message.as_slice(), body.as_slice())
        };
        let (message, body, file) = match answer {
            Ok(Answer { value, body, file }) => (HostAnswerMessage::Ok(value), body, file),
            Err(error) => (HostAnswerMessage::Error(error), Vec::new(), None),
        };
        HostAnswer {
            // These messages always serialise; should one not, the plugin sees an empty one and fails with that.
            message: serde_json::to_vec(&message).map_or_else(|_| RVec::new(), RVec::from),
            body: RVec::from(body),
            handle: file.map_or(OsHandle::NONE, OsHandle::from_file),
        }
    }
}

fn serve(state: &CallState, message: &[u8], body: &[u8]) -> Result<Answer, ToolError> {
    let request: HostRequest<'_> = serde_json::from_slice(message).map_err(|error| {
        ToolError::new(
            ErrorClass::ExecutionError,
            "invalid_request",
            format!("the plugin asked for something unreadable: {error}"),
        )
    })?;
    match request {
        HostRequest::File(request) => files::serve(state, request, body),
        HostRequest::Log { level, message } => {
            state.session.observer.log(&state.entry.embedded().name, &level, &message);
            Ok(Answer::default())
        }
        HostRequest::Env { name } => env(state, &name).map(Answer::from),
        HostRequest::StateGet | HostRequest::StateSet { .. } => Err(unsupported("state slots")),
        HostRequest::Ask(_) => Err(unsupported("questions to the user")),
        HostRequest::Unknown => Err(unsupported("this request")),
    }
}

/// The value of a declared variable. Asking for another is refused, also when it is not set.
fn env(state: &CallState, name: &str) -> Result<Value, ToolError> {
    let tool = state.entry.embedded();
    if !tool.env.iter().any(|declared| declared == name) {
        let message = format!(
            "`{}` did not declare the environment variable `{name}`: add env(\"{name}\") to its #[tool]",
            tool.name
        );
        return Err(ToolError::new(ErrorClass::PermissionDenied, "undeclared_env", message));
    }
    Ok(state.session.environment.get(name).map_or(Value::Null, |value| value.as_str().into()))
}

fn unsupported(what: &str) -> ToolError {
    ToolError::new(ErrorClass::ExecutionError, "unsupported", format!("this host does not serve {what}"))
}
