//! The plugin's side of the ABI: bytes in, bytes out, panics caught.

use crate::panic::guarded;
use crate::tool::{self, Tool};
use crate::{Context, Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;
use stud_abi::{
    HostV1Box, Interface, InterfaceId, PluginV1, PluginV1_TO, PluginV1Box, ROption, RSlice, RVec,
};
use stud_contract::{
    CallOutput, CallReply, CallRequest, Control, ControlReply, ErrorClass, PluginDescription,
    ToolDescription, section,
};

/// One tool of a plugin, as functions.
pub struct ToolEntry {
    name: &'static str,
    call: fn(&RawValue, &Context) -> Result<CallOutput>,
    describe: fn() -> Option<ToolDescription>,
    approval_key: fn(Value) -> Result<String>,
}

impl ToolEntry {
    /// The entry of a tool type.
    #[must_use]
    pub const fn of<T: Tool>() -> ToolEntry {
        ToolEntry {
            name: T::NAME,
            call: tool::call::<T>,
            describe: tool::describe::<T>,
            approval_key: T::approval_key,
        }
    }
}

/// Answers the root's query: this crate knows version 1 of the plugin interface.
pub fn query(interface: u32, version: u32, open: extern "C" fn() -> PluginV1Box) -> ROption<Interface> {
    if interface == InterfaceId::Plugin as u32 && version == 1 {
        return ROption::RSome(Interface::plugin_v1(open));
    }
    ROption::RNone
}

/// Makes the plugin object over the contract's bytes and the tools.
#[must_use]
pub fn open(contract: &'static [u8], tools: &'static [ToolEntry]) -> PluginV1Box {
    // The linker drops a section that no code refers to; the compiler must not see through this reference.
    let contract = std::hint::black_box(contract);
    PluginV1_TO::from_value(Plugin { contract, tools }, stud_abi::TD_Opaque)
}

struct Plugin {
    contract: &'static [u8],
    tools: &'static [ToolEntry],
}

impl Plugin {
    fn tool(&self, name: &str) -> Result<&ToolEntry> {
        self.tools.iter().find(|tool| tool.name == name).ok_or_else(|| {
            Error::of(ErrorClass::NotFound, "unknown_tool", format!("this plugin has no tool `{name}`"))
        })
    }

    fn description(&self) -> Option<PluginDescription> {
        let contract = section::read(self.contract).ok()?;
        let tools = self.tools.iter().map(|tool| (tool.describe)()).collect::<Option<_>>()?;
        Some(PluginDescription { contract, tools })
    }

    fn run(&self, request: &[u8], host: HostV1Box) -> CallReply {
        let request: CallRequest<'_> = match serde_json::from_slice(request) {
            Ok(request) => request,
            Err(error) => {
                return CallReply::Error(Error::from(error).context("the host's request").into_tool_error());
            }
        };
        let outcome = self.tool(&request.tool).and_then(|tool| {
            let context = Context::new(request.context, host);
            let output = (tool.call)(request.args, &context)?;
            Ok(CallOutput { metadata: context.take_metadata(), ..output })
        });
        match outcome {
            Ok(output) => CallReply::Output(output),
            Err(error) => CallReply::Error(error.into_tool_error()),
        }
    }

    fn answer(&self, message: &[u8]) -> ControlReply {
        let answer = match serde_json::from_slice(message) {
            Ok(Control::ApprovalKey { tool, args }) => {
                self.tool(&tool).and_then(|tool| (tool.approval_key)(args))
            }
            // Calls look at their token by themselves.
            Ok(Control::Cancel { .. }) => return ControlReply::Done,
            Ok(_) => return ControlReply::Unsupported,
            Err(error) => Err(Error::from(error).context("the host's message")),
        };
        match answer {
            Ok(key) => ControlReply::ApprovalKey { key },
            Err(error) => ControlReply::Failed { error: error.into_tool_error() },
        }
    }
}

impl PluginV1 for Plugin {
    fn describe(&self) -> RVec<u8> {
        // An empty answer is no description: the host says which plugin gave it.
        guarded(|| self.description()).ok().flatten().map_or_else(RVec::new, |description| json(&description))
    }

    fn call(&self, request: RSlice<'_, u8>, host: HostV1Box) -> RVec<u8> {
        let reply = guarded(|| self.run(request.as_slice(), host)).unwrap_or_else(CallReply::Panic);
        json(&reply)
    }

    fn control(&self, message: RSlice<'_, u8>, host: HostV1Box) -> RVec<u8> {
        let reply = guarded(|| {
            drop(host);
            self.answer(message.as_slice())
        });
        json(&reply.unwrap_or_else(|panic| ControlReply::Panicked { panic }))
    }
}

/// These types always serialise: their maps have text keys. Should one not, the host sees an empty message and says so.
fn json<T: serde::Serialize>(value: &T) -> RVec<u8> {
    serde_json::to_vec(value).map_or_else(|_| RVec::new(), RVec::from)
}
