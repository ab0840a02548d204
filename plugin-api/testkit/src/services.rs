//! The host's side of a call: what the tool asks for, and what it says while it runs.

use crate::files;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use stud_abi::{HostAnswer, HostV1, HostV1_TO, HostV1Box, OsHandle, RSlice, RVec, TD_Opaque};
use stud_contract::{ErrorClass, HostAnswerMessage, HostRequest, Question, ToolError};

/// A line that a tool wrote to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `error`, `warn`, `info` or `debug`.
    pub level: String,
    /// The line.
    pub message: String,
}

/// What a [`TestHost`](crate::TestHost) knows, shared with the calls it runs.
pub(crate) struct Shared {
    pub(crate) root: PathBuf,
    pub(crate) cancelled: AtomicBool,
    pub(crate) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) output: Vec<(u8, Vec<u8>)>,
    pub(crate) logs: Vec<LogLine>,
    pub(crate) state: Value,
    pub(crate) answers: VecDeque<Value>,
    pub(crate) questions: Vec<Question>,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        // A tool that panicked while the host was busy leaves plain data behind.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The services of one call.
pub(crate) struct Services {
    pub(crate) shared: Arc<Shared>,
    /// The environment variables that the tool declares.
    pub(crate) declared: Vec<String>,
    pub(crate) deadline: Instant,
    /// Set when the call has returned: requests are refused from then on.
    pub(crate) ended: Arc<AtomicBool>,
}

impl Services {
    pub(crate) fn into_box(self) -> HostV1Box {
        HostV1_TO::from_value(self, TD_Opaque)
    }

    fn answer(&self, message: &[u8], body: &[u8]) -> Result<files::Answer, ToolError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(refused("call_ended", "the call has ended: its context serves nothing any more"));
        }
        let request: HostRequest<'_> = serde_json::from_slice(message)
            .map_err(|error| refused("unreadable_request", format!("the tool's request: {error}")))?;
        match request {
            HostRequest::File(request) => files::serve(&self.shared.root, &request, body),
            HostRequest::Log { level, message } => {
                let line = LogLine { level: level.into_owned(), message: message.into_owned() };
                self.shared.lock().logs.push(line);
                Ok(Value::Null.into())
            }
            HostRequest::Env { name } => self.env(&name),
            HostRequest::StateGet => Ok(self.shared.lock().state.clone().into()),
            HostRequest::StateSet { value } => {
                self.shared.lock().state = value;
                Ok(Value::Null.into())
            }
            HostRequest::Ask(question) => {
                let mut inner = self.shared.lock();
                let text = question.text.clone();
                inner.questions.push(question);
                inner.answers.pop_front().map(Into::into).ok_or_else(|| {
                    let message = format!("nobody answers {text:?}: give answers with `TestHost::answer`");
                    ToolError::new(ErrorClass::ConfirmationTimeout, "no_answer", message)
                })
            }
            _ => Err(refused("unknown_request", "the test host does not know this kind of request")),
        }
    }

    fn env(&self, name: &str) -> Result<files::Answer, ToolError> {
        if !self.declared.iter().any(|declared| declared == name) {
            let message = format!("`{name}` was not declared: add env(\"{name}\") to #[tool]");
            return Err(ToolError::new(ErrorClass::PermissionDenied, "undeclared_env", message));
        }
        let value = self.shared.lock().env.get(name).cloned();
        Ok(value.map_or(Value::Null, Value::String).into())
    }
}

fn refused(code: &str, message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorClass::ExecutionError, code, message)
}

impl HostV1 for Services {
    fn cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire) || Instant::now() >= self.deadline
    }

    fn output(&self, stream: u8, bytes: RSlice<'_, u8>) {
        let mut inner = self.shared.lock();
        match inner.output.last_mut() {
            Some((last, text)) if *last == stream => text.extend_from_slice(bytes.as_slice()),
            _ => inner.output.push((stream, bytes.as_slice().to_vec())),
        }
    }

    fn request(&self, message: RSlice<'_, u8>, body: RSlice<'_, u8>) -> HostAnswer {
        let (message, body, handle) = match self.answer(message.as_slice(), body.as_slice()) {
            Ok(answer) => {
                let handle = answer.file.map_or(OsHandle::NONE, OsHandle::from_file);
                (HostAnswerMessage::Ok(answer.value), answer.body, handle)
            }
            Err(error) => (HostAnswerMessage::Error(error), Vec::new(), OsHandle::NONE),
        };
        let message = serde_json::to_vec(&message).unwrap_or_default();
        HostAnswer { message: RVec::from(message), body: RVec::from(body), handle }
    }
}
