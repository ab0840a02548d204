//! The bundled tools that find files by name and by content, in the manner of ripgrep and with its libraries:
//! `.gitignore` and the like are obeyed, hidden and binary files left out, links not followed.
//!
//! What is found is sorted by path and cut by count, so that the same call gives the same answer although several
//! threads search; everything beyond the cut is still counted.
//!
//! # What keeps a search inside the workspace
//!
//! The walk looks at directories by path, as the library that does it must. Content is another matter: each file is
//! opened through the host, which follows the path with descriptors in hand. Should a directory be swapped for a link
//! to the outside while it is being walked, then the walk may meet the *names* there; `search_files` could show them,
//! while `grep` and `find_references` drop what the host will not open. Content from outside is never read.

mod collect;
mod content;
mod engine;
mod files;
mod pattern;
mod references;
mod render;
mod row;
mod scope;

pub use content::grep;
pub use files::search_files;
pub use references::find_references;

stud_plugin_api::export_plugin!(search_files, grep, find_references);
