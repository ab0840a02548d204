//! Files that others may write are not loaded: whoever writes them decides what runs.

use crate::diagnostic::{Diagnostic, Stage};
use std::fs::Metadata;
use std::path::Path;

/// Refuses what is writable by group or world, or owned by neither the user nor root.
///
/// On Windows nothing is checked: its access lists are not read yet.
///
/// # Errors
/// A diagnostic with the command that mends it.
#[cfg(unix)]
pub fn check(path: &Path, metadata: &Metadata) -> Result<(), Diagnostic> {
    use std::os::unix::fs::MetadataExt;

    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    let shown = path.display();
    if owner != user && owner != 0 {
        let message = format!(
            "it belongs to user {owner}, who is neither you nor root and could change it at any time"
        );
        return Err(Diagnostic::new(
            Stage::Ownership,
            message,
            format!("if you trust it: chown {user} '{shown}'"),
        )
        .file(path));
    }
    let mode = metadata.mode() & 0o7777;
    // In a sticky directory such as /tmp others may add files but not replace the user's: still not a layer.
    if mode & 0o022 != 0 {
        let who = if mode & 0o002 != 0 { "everyone" } else { "its group" };
        let message = format!("{who} may write it (mode {mode:04o}), so that others decide what runs");
        return Err(Diagnostic::new(Stage::Ownership, message, format!("chmod go-w '{shown}'")).file(path));
    }
    Ok(())
}

/// On Windows nothing is checked: its access lists are not read yet.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn check(_path: &Path, _metadata: &Metadata) -> Result<(), Diagnostic> {
    Ok(())
}
