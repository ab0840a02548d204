//! Runs the plugin's code on a thread that may block, under a deadline and a cancel token.

use super::services::{CallServices, CallState};
use super::{Call, CancelToken, Prepared};
use crate::registry::ToolEntry;
use crate::session::SessionShared;
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use stud_contract::{
    CallContext, CallOutput, CallReply, CallRequest, ErrorClass, PanicReport, SideEffects, ToolError,
};
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::timeout;

/// How long a cancelled call has to answer before the host answers for it and goes on.
const CANCEL_GRACE: Duration = Duration::from_secs(30);
/// The same after a deadline. A command is given time for SIGTERM, five seconds, SIGKILL and its last output.
const DEADLINE_GRACE_EXECUTE: Duration = Duration::from_secs(8);
const DEADLINE_GRACE: Duration = Duration::from_secs(2);

/// The ids of one call.
pub(super) struct Ids {
    pub(super) call: String,
    pub(super) turn: String,
}

type Reply = Result<CallReply, ToolError>;

/// Why a call was told to stop.
enum Stop {
    Deadline(Duration),
    Cancelled,
}

pub(super) async fn execute(
    session: &Arc<SessionShared>,
    prepared: Prepared,
    call: &Call,
    ids: Ids,
) -> Result<CallOutput, ToolError> {
    let Prepared { entry, args } = prepared;
    if call.cancel.is_cancelled() {
        return Err(ToolError::new(
            ErrorClass::Cancelled,
            "cancelled",
            "the call was cancelled before it started",
        ));
    }
    let deadline = deadline(session, &entry, call.timeout);
    let stop = CancelToken::default();
    let state = Arc::new(CallState::new(session.clone(), entry.clone(), ids.call.clone(), stop.clone()));
    let request = request(session, &entry, &args, &ids, deadline)?;
    let mut running = spawn(entry.clone(), request, state.clone());

    let stopped = tokio::select! {
        reply = &mut running => return finish(&state, flatten(reply)),
        () = tokio::time::sleep(deadline) => Stop::Deadline(deadline),
        () = call.cancel.cancelled() => Stop::Cancelled,
    };
    stop.cancel();
    let grace = match stopped {
        Stop::Cancelled => CANCEL_GRACE,
        Stop::Deadline(_) if entry.embedded().side_effects >= SideEffects::Execute => DEADLINE_GRACE_EXECUTE,
        Stop::Deadline(_) => DEADLINE_GRACE,
    };
    let late = timeout(grace, &mut running).await;
    state.close();
    Err(stopped_error(&entry, &stopped, late.ok().map(flatten), grace))
}

fn deadline(session: &SessionShared, entry: &ToolEntry, asked: Option<Duration>) -> Duration {
    let config = &session.config;
    let slow = entry.embedded().side_effects >= SideEffects::Execute;
    let default = config.milliseconds(if slow { "limits.execute_timeout_ms" } else { "limits.timeout_ms" });
    asked.or(entry.timeout).unwrap_or(default).min(config.milliseconds("limits.max_timeout_ms"))
}

fn request(
    session: &SessionShared,
    entry: &ToolEntry,
    args: &super::ValidArgs,
    ids: &Ids,
    deadline: Duration,
) -> Result<Vec<u8>, ToolError> {
    let tool = entry.embedded();
    let env: BTreeMap<String, String> = tool
        .env
        .iter()
        .filter_map(|name| Some((name.clone(), session.environment.get(name)?.clone())))
        .collect();
    let request = CallRequest {
        tool: Cow::Borrowed(tool.name.as_str()),
        args: args.json(),
        context: CallContext {
            session: Cow::Borrowed(&session.id),
            turn: Cow::Borrowed(&ids.turn),
            call: Cow::Borrowed(&ids.call),
            workspace: session.workspace.root().to_str().map(Cow::Borrowed),
            env,
            config: entry.own_config.clone(),
            deadline_ms: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
        },
    };
    serde_json::to_vec(&request).map_err(|error| host_error("the request could not be written", &error))
}

/// One hand-over: the task's thread becomes the thread that blocks. A blocking pool costs ten times as much.
fn spawn(entry: Arc<ToolEntry>, request: Vec<u8>, state: Arc<CallState>) -> JoinHandle<Reply> {
    tokio::spawn(async move {
        block_in_place(|| match entry.plugin().loaded() {
            Ok(plugin) => plugin.call(&request, CallServices::new(state)).map_err(|error| {
                let message =
                    format!("`{}` answered with something that is no reply: {error}", entry.embedded().name);
                ToolError::new(ErrorClass::ExecutionError, "invalid_reply", message)
            }),
            Err(diagnostic) => {
                Err(ToolError::new(ErrorClass::ExecutionError, "load_failed", diagnostic.to_string()))
            }
        })
    })
}

fn flatten(joined: Result<Reply, tokio::task::JoinError>) -> Reply {
    joined.unwrap_or_else(|error| Err(host_error("the call's thread ended", &error)))
}

fn finish(state: &CallState, reply: Reply) -> Result<CallOutput, ToolError> {
    state.close();
    match reply? {
        CallReply::Output(output) => Ok(output),
        CallReply::Error(error) => Err(error),
        CallReply::Panic(report) => Err(panic_error(&report)),
    }
}

fn panic_error(report: &PanicReport) -> ToolError {
    let place = report.location.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let message = format!("the tool panicked{place}: {}", report.message);
    ToolError::new(ErrorClass::ExecutionError, "panic", message).with_details(json!({ "panic": report }))
}

fn host_error(what: &str, error: &dyn std::fmt::Display) -> ToolError {
    ToolError::new(ErrorClass::ExecutionError, "host_error", format!("{what}: {error}"))
}

/// The error of a call that was told to stop, with what it had to say until then.
fn stopped_error(entry: &ToolEntry, stopped: &Stop, reply: Option<Reply>, grace: Duration) -> ToolError {
    let name = &entry.embedded().name;
    let (class, code, mut message) = match stopped {
        Stop::Cancelled => {
            (ErrorClass::Cancelled, "cancelled", format!("the call of `{name}` was cancelled"))
        }
        Stop::Deadline(limit) => {
            let message = format!("`{name}` did not finish within its deadline of {} ms", limit.as_millis());
            (ErrorClass::Timeout, "deadline", message)
        }
    };
    let abandoned = reply.is_none();
    let said = match reply {
        None => {
            message.push_str(&format!(
                " and ignored the request to stop for {} s: it was abandoned and may still run",
                grace.as_secs()
            ));
            String::new()
        }
        Some(Ok(CallReply::Output(output))) => output.text,
        Some(Ok(CallReply::Error(error)) | Err(error)) => error.message,
        Some(Ok(CallReply::Panic(report))) => panic_error(&report).message,
    };
    if !said.is_empty() {
        message.push('\n');
        message.push_str(&said);
    }
    let error = ToolError::new(class, code, message).with_details(json!({ "abandoned": abandoned }));
    if class == ErrorClass::Timeout { error.retryable() } else { error }
}
