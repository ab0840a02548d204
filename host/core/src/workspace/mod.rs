//! The workspace file service (spec W1, W2): every file a tool touches is opened here, beneath one root directory.
//!
//! ```text
//!  path as given --resolve--> RelativePath --locate--> open parent directory + last name --> operation
//!     (path.rs)    lexical       (walk.rs)  descriptors, one component at a time      (read, write, patch, remove)
//! ```
//!
//! What holds for all of it:
//!
//! - No path of more than one component is ever given to the kernel, except to `openat2` with the order to follow no
//!   link and to stay beneath the root, which is tried first for reading. Else each directory is opened relative to the
//!   descriptor of the one before it, without following links; links are read and walked by us, `..` goes back along
//!   the names walked so far. So nothing is checked as a string and used later: what was checked is the descriptor
//!   in hand, and a directory that is swapped for a link in between is simply not followed.
//! - A path or a link that leaves the root is [`WorkspaceError::Escapes`], and nothing outside is looked at, not even
//!   to tell whether it exists.
//! - A directory that somebody with access to both sides moves out of the root, while an operation is inside it, takes
//!   that one operation along: the descriptor is still the directory that was inside. The next walk does not find it.
//! - Files are replaced whole: temporary file in the same directory, sync, rename.
//!
//! Hard links are names, not paths: a file inside that is also linked from outside is readable here. Every operation
//! that changes it gives the inside name a file of its own and leaves the other name's content alone.

mod atomic;
mod error;
mod hints;
mod patch;
mod path;
mod read;
mod remove;
mod root;
mod walk;
mod write;

#[cfg(not(unix))]
#[path = "platform_other.rs"]
mod platform;
#[cfg(unix)]
#[path = "platform_unix.rs"]
mod platform;

pub use error::{NearLine, WorkspaceError};
pub use patch::Patched;
pub use path::{MAX_NAME_BYTES, MAX_PATH_BYTES, RelativePath};
pub use read::{Entry, EntryKind, FileInfo, MAX_TEXT_BYTES};
pub use remove::Removed;
pub use root::{CommandDir, Workspace};
pub use write::{WriteOptions, Written};

#[cfg(test)]
mod tests;
