//! Directories and files under the user's home that nobody else may read or write.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Makes the directory, and those above it that are missing, readable by the user only.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Replaces a file as a whole: whoever reads it sees the old bytes or the new ones.
pub(crate) fn replace(path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    if durable {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    if durable {
        // The rename itself lives in the directory. Windows cannot open one for this, and needs no such call.
        #[cfg(unix)]
        fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}
