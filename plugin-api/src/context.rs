use crate::{Error, Files, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stud_abi::{HostAnswer, HostV1Box, RSlice};
use stud_contract::{CallContext, HostAnswerMessage, HostRequest, Question};

/// All that a tool may use during one call. Cheap to clone, and may be moved to threads that the tool starts; after the
/// call has ended, requests through it fail.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    call: CallContext<'static>,
    started: Instant,
    host: HostV1Box,
    metadata: Mutex<Map<String, Value>>,
}

/// How loud a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something is broken.
    Error,
    /// Something is odd.
    Warn,
    /// Something happened.
    Info,
    /// For the author.
    Debug,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

impl Context {
    pub(crate) fn new(call: CallContext<'_>, host: HostV1Box) -> Context {
        let call = CallContext {
            session: call.session.into_owned().into(),
            turn: call.turn.into_owned().into(),
            call: call.call.into_owned().into(),
            workspace: call.workspace.map(|path| path.into_owned().into()),
            env: call.env,
            config: call.config,
            deadline_ms: call.deadline_ms,
        };
        Context { inner: Arc::new(Inner { call, started: Instant::now(), host, metadata: Mutex::default() }) }
    }

    /// Whether the call was cancelled or its deadline has passed. Cheap enough for an inner loop.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        self.inner.host.cancelled()
    }

    /// Ends the tool with `?` when the call was cancelled.
    ///
    /// # Errors
    /// It was.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancelled() { Err(Error::cancelled("the call was cancelled")) } else { Ok(()) }
    }

    /// The time left until the deadline.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        Duration::from_millis(self.inner.call.deadline_ms).saturating_sub(self.inner.started.elapsed())
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.inner.call.session
    }

    /// The turn's id.
    #[must_use]
    pub fn turn(&self) -> &str {
        &self.inner.call.turn
    }

    /// The call's id.
    #[must_use]
    pub fn call(&self) -> &str {
        &self.inner.call.call
    }

    /// The root of the workspace. To touch files in it, use [`Context::files`], which keeps paths inside.
    ///
    /// # Errors
    /// The call has no workspace.
    pub fn workspace(&self) -> Result<&Path> {
        let path = self.inner.call.workspace.as_deref();
        path.map(Path::new).ok_or_else(|| Error::new("this call has no workspace").code("no_workspace"))
    }

    /// The files of the workspace.
    #[must_use]
    pub fn files(&self) -> Files<'_> {
        Files::new(self)
    }

    /// The value of an environment variable that the tool declared with `env("NAME")`; none when it is not set.
    ///
    /// # Errors
    /// It was not declared.
    pub fn env(&self, name: &str) -> Result<Option<String>> {
        if let Some(value) = self.inner.call.env.get(name) {
            return Ok(Some(value.clone()));
        }
        // Asking the host for what is not there lets it refuse, and record, undeclared names.
        let answer = self.request(&HostRequest::Env { name: name.into() }, &[])?;
        Ok(answer.value.as_str().map(str::to_owned))
    }

    /// The tool's configuration: the type given as `config = …`, from the keys under `[tools.NAME]`.
    ///
    /// # Errors
    /// The configuration is not of that type; the host has checked it against the schema before.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T> {
        let config = Value::Object(self.inner.call.config.clone());
        serde_json::from_value(config)
            .map_err(|error| Error::from(error).context("the tool's configuration").code("invalid_config"))
    }

    /// Shows a piece of output while the tool runs.
    pub fn output(&self, text: &str) {
        self.inner.host.output(1, RSlice::from(text.as_bytes()));
    }

    /// The same for bytes of a command's output (1) or errors (2).
    pub fn output_bytes(&self, stream: u8, bytes: &[u8]) {
        self.inner.host.output(stream, RSlice::from(bytes));
    }

    /// Writes a line to the log.
    pub fn log(&self, level: Level, message: &str) {
        // A log line that cannot be written is no reason to fail a call.
        let _ =
            self.request(&HostRequest::Log { level: level.as_str().into(), message: message.into() }, &[]);
    }

    /// Notes a fact about the run for programs, such as an exit code. It becomes part of the result's metadata.
    pub fn metadata(&self, key: &str, value: impl Into<Value>) {
        let mut metadata = self.inner.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        metadata.insert(key.to_owned(), value.into());
    }

    pub(crate) fn take_metadata(&self) -> Map<String, Value> {
        std::mem::take(&mut self.inner.metadata.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The state that outlives reloads and restarts; none before it was first set.
    ///
    /// # Errors
    /// The host does not serve state, or the state is not of that type.
    pub fn state<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let value = self.request(&HostRequest::StateGet, &[])?.value;
        Ok(serde_json::from_value(value)?)
    }

    /// Replaces that state.
    ///
    /// # Errors
    /// The host does not serve state, or refuses this one.
    pub fn set_state<T: Serialize>(&self, state: &T) -> Result<()> {
        self.request(&HostRequest::StateSet { value: serde_json::to_value(state)? }, &[]).map(|_| ())
    }

    /// Asks the user. Never read from stdin: it is not the tool's.
    ///
    /// # Errors
    /// The host cannot ask, or nobody answered.
    pub fn ask(&self, question: Question) -> Result<Value> {
        self.request(&HostRequest::Ask(question), &[]).map(|answer| answer.value)
    }

    pub(crate) fn request(&self, request: &HostRequest<'_>, body: &[u8]) -> Result<Answer> {
        let message = serde_json::to_vec(request)?;
        let HostAnswer { message, body, handle } =
            self.inner.host.request(RSlice::from(message.as_slice()), RSlice::from(body));
        let file = handle.into_file();
        match serde_json::from_slice(&message)? {
            HostAnswerMessage::Ok(value) => Ok(Answer { value, body: body.into_vec(), file }),
            HostAnswerMessage::Error(error) => Err(Error::from_tool_error(error)),
        }
    }
}

/// What the host answered.
pub(crate) struct Answer {
    pub(crate) value: Value,
    pub(crate) body: Vec<u8>,
    pub(crate) file: Option<std::fs::File>,
}
