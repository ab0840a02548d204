//! What the user has trusted: which files of which project may be loaded, and whether the project may relax anything.

mod preview;
mod store;

pub use preview::{FileChange, PreviewFile, TrustPreview, preview};
pub use store::{ProjectTrust, TrustError, TrustMode, TrustStore};
