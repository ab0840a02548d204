//! The types that cross the line between the stud host and a plugin. Frozen: shipped types never change.
//!
//! A plugin exports one symbol, [`ROOT_SYMBOL`]: a header that leads to [`Root`]. The host asks its `query` for an
//! interface it knows, newest version first, checks that the layouts agree, and opens it. New abilities are new
//! interfaces or new kinds of messages, never new methods on a type that shipped.
//!
//! # Rules for both sides
//!
//! - *Who frees*: every `RVec` and `RBox` carries the deallocator of the side that made it. Neither side frees by hand.
//! - *Panics*: none crosses. The macros of stud-plugin-api catch them inside the plugin and answer with a message; a
//!   panic that reaches the edge ends the process.
//! - *Threads*: every method may be called from any thread, and several at the same time.
//! - *Lifetime*: libraries are never unmapped, so code and statics of a plugin live as long as the process. Data does
//!   not: whatever is to be kept is copied at the edge.
//! - *Payloads* are bytes (JSON, defined in stud-contract), so that they can grow without touching this crate.
#![allow(non_local_definitions, reason = "the code that `sabi_trait` generates has impls inside functions")]

mod handle;
mod interface;
mod root;

pub use abi_stable::sabi_trait::TD_Opaque;
pub use abi_stable::std_types::{RBox, ROption, RSlice, RVec};
pub use handle::OsHandle;
pub use interface::{HostAnswer, HostV1, HostV1_TO, HostV1Box, PluginV1, PluginV1_TO, PluginV1Box};
pub use root::{ABI_NUMBER, Interface, InterfaceError, InterfaceId, ROOT_SYMBOL, Root, RootRef, root_of};

/// For the expansion of [`export_root!`] only.
#[doc(hidden)]
pub mod __private {
    pub use crate::root::{leaked_root, root_header};
    pub use abi_stable::library::{__call_root_module_loader, LibHeader, RootModuleResult};
}
