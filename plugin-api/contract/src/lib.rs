//! What the host and a plugin say to each other, as plain data: both sides serialise it to JSON.
//!
//! - [`EmbeddedContract`] stands in a section of the library file ([`section`]) and is read without executing anything.
//! - [`PluginDescription`] comes from the loaded plugin and adds schemas and texts.
//! - [`CallRequest`] and [`CallReply`] are one call; [`HostRequest`] and [`HostAnswerMessage`] go the other way during it.
//! - [`Control`] and [`ControlReply`] are everything else, open for new kinds.
//!
//! Fields are only ever added, with a default for readers that meet an older writer; unknown ones are ignored.

mod call;
mod contract;
mod control;
mod error;
mod host_request;
mod name;
mod schema_subset;
pub mod section;
mod side_effects;

pub use call::{CallContext, CallOutput, CallReply, CallRequest, PanicReport};
pub use contract::{
    CONTRACT_VERSION, Cardinality, ContractKind, EmbeddedContract, EmbeddedTool, Executor, PanicStrategy,
    PluginDescription, PluginIdentity, ReloadBehavior, StateSlot, ToolDescription,
};
pub use control::{Control, ControlReply};
pub use error::{ErrorClass, ToolError};
pub use host_request::{
    DirEntry, EntryKind, FileRequest, FileStat, HostAnswerMessage, HostRequest, Patched, Question,
};
pub use name::{NameError, ToolName};
pub use schema_subset::{MAX_SCHEMA_DEPTH, SchemaProblem, check_subset};
pub use side_effects::SideEffects;
