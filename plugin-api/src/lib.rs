//! Write a tool for a language model; ship it as a library; drop it into a layer of stud.
//!
//! ```
//! use stud_plugin_api::prelude::*;
//!
//! /// Counts the words of a text.
//! #[tool(side_effects = "none")]
//! fn word_count(
//!     /// The text to count.
//!     text: String,
//! ) -> usize {
//!     text.split_whitespace().count()
//! }
//!
//! export_plugin!(word_count);
//! # fn main() {}
//! ```
//!
//! In `Cargo.toml`: `crate-type = ["cdylib"]` and this crate, nothing else. The name of the function is the name of the
//! tool, its doc comment the description, its parameters are the arguments and make up the schema that the model sees.
//! `?` works on every error. A parameter `ctx: &Context` gives what a tool may use: see [`Context`].
//!
//! [`tool`] lists the settings of a tool; [`data`] makes a struct or enum usable as an argument, an output or a configuration.

pub mod approval;
mod context;
mod error;
mod export;
mod files;
mod panic;
mod runtime;
mod schema;
mod tool;

pub use context::{Context, Level};
pub use error::{Error, Result, ResultExt};
pub use files::Files;
pub use stud_contract::{DirEntry, EntryKind, ErrorClass, FileStat, Patched, Question, SideEffects};
pub use stud_plugin_macros::{data, tool};
pub use tool::{Run, Tool};

/// What a plugin's file usually needs: `use stud_plugin_api::prelude::*;`.
pub mod prelude {
    pub use crate::{Context, Error, Result, ResultExt, Run, data, export_plugin, tool};
}

/// For the expansions of this crate's macros only.
#[doc(hidden)]
pub mod __private {
    pub use crate::export::{REQUIRED_CORE, RUSTC, TARGET};
    pub use crate::runtime::{ToolEntry, open, query};
    pub use crate::schema::schema_of;
    pub use crate::tool::{ToolText, arguments_from_value};
    pub use stud_contract::{CONTRACT_VERSION, section};
    pub use {schemars, serde, serde_json, stud_abi};
}
