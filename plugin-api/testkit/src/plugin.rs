//! A tool as the plugin object that a host would get from a library.

use crate::fail::fail;
use std::marker::PhantomData;
use stud_abi::{HostV1Box, PluginV1Box, RSlice};
use stud_contract::{
    CallReply, CallRequest, Control, ControlReply, EmbeddedTool, ErrorClass, PanicReport, PluginDescription,
    ToolDescription, ToolError, section,
};
use stud_plugin_api::__private::{CONTRACT_VERSION, REQUIRED_CORE, RUSTC, TARGET, ToolEntry, open};
use stud_plugin_api::Tool;

struct Entries<T>(PhantomData<T>);

impl<T: Tool> Entries<T> {
    const LIST: &'static [ToolEntry] = &[ToolEntry::of::<T>()];
}

/// The plugin for calls: its contract is empty, because only `describe` looks at it.
pub(crate) fn plugin<T: Tool>() -> PluginV1Box {
    open(&[], Entries::<T>::LIST)
}

/// What the tool's macro writes into a library.
#[track_caller]
pub(crate) fn embedded<T: Tool>() -> EmbeddedTool {
    serde_json::from_str(T::EMBEDDED).unwrap_or_else(|error| {
        fail(format!("the embedded contract of `{}` cannot be read: {error}", T::NAME))
    })
}

/// What the tool says of itself at run time, through the ABI. Leaks the contract's few hundred bytes, which in a
/// library are a static.
#[track_caller]
pub(crate) fn describe<T: Tool>() -> ToolDescription {
    let json = format!(
        "{{\"kind\":\"Tool\",\"contractVersion\":\"{CONTRACT_VERSION}\",\"requiredCoreVersion\":\"{REQUIRED_CORE}\",\
         \"plugin\":{{\"name\":\"testkit\",\"version\":\"0.0.0\"}},\"abi\":1,\"panic\":\"unwind\",\
         \"target\":\"{TARGET}\",\"rustc\":\"{RUSTC}\",\"tools\":[{}]}}",
        T::EMBEDDED
    );
    let contract: &'static [u8] = section::encode_runtime(json.as_bytes()).leak();
    let answer = open(contract, Entries::<T>::LIST).describe();
    let description: PluginDescription = serde_json::from_slice(&answer).unwrap_or_else(|error| {
        fail(format!("`{}` gives no description ({error}): is its name a tool name?", T::NAME))
    });
    match description.tools.into_iter().next() {
        Some(tool) => tool,
        None => fail(format!("`{}` is missing from its own description", T::NAME)),
    }
}

/// One call, bytes in and out.
#[track_caller]
pub(crate) fn call(plugin: &PluginV1Box, request: &CallRequest<'_>, host: HostV1Box) -> CallReply {
    let request = serde_json::to_vec(request).unwrap_or_else(|error| fail(format!("the request: {error}")));
    let reply = plugin.call(RSlice::from(request.as_slice()), host);
    serde_json::from_slice(&reply).unwrap_or_else(|error| fail(format!("the tool's reply: {error}")))
}

/// What an approval of these arguments would be remembered under.
#[track_caller]
pub(crate) fn approval_key<T: Tool>(args: serde_json::Value, host: HostV1Box) -> Result<String, ToolError> {
    let message = Control::ApprovalKey { tool: T::NAME.to_owned(), args };
    let message = serde_json::to_vec(&message).unwrap_or_else(|error| fail(format!("the message: {error}")));
    let reply = plugin::<T>().control(RSlice::from(message.as_slice()), host);
    match serde_json::from_slice(&reply) {
        Ok(ControlReply::ApprovalKey { key }) => Ok(key),
        Ok(ControlReply::Failed { error }) => Err(error),
        Ok(ControlReply::Panicked { panic }) => Err(panicked(&panic)),
        other => fail(format!("`{}` answers the question for its approval key with {other:?}", T::NAME)),
    }
}

/// A panic as the real host tells it.
pub(crate) fn panicked(panic: &PanicReport) -> ToolError {
    let place = panic.location.as_deref().unwrap_or("an unknown place");
    let message = format!("the tool panicked at {place}: {}", panic.message);
    ToolError::new(ErrorClass::ExecutionError, "panicked", message)
}
