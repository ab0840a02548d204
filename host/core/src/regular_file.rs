//! Reads files that somebody else may have put there: never waits for a pipe, never reads without end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The largest text file of stud's own that is read: configuration, trust, `tool.toml`.
pub(crate) const MAX_TEXT: u64 = 1024 * 1024;

/// The bytes of a regular file of at most `most` bytes. Links are followed.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_nonblocking(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // It may have grown since: one byte more than is taken is enough to say so.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The same for text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path, MAX_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(unix)]
fn open_nonblocking(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_nonblocking(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn l4_a_pipe_a_device_or_a_file_without_end_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(read_text(&pipe).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(read_text(Path::new("/dev/zero")).unwrap_err().to_string(), "it is not a regular file");
        let sparse = directory.path().join("sparse");
        std::fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        assert!(read_text(&sparse).unwrap_err().to_string().starts_with("it has more than"));
        std::fs::write(&sparse, b"\xff").unwrap();
        assert_eq!(read_text(&sparse).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
