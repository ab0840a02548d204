//! What only Unix has: opening without following and without blocking, mode bits, owners, links, file identity.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

use cap_std::fs::{
    Dir, File, FileType, FileTypeExt as _, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _,
};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::read::EntryKind;

/// What an existing file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Append,
}

/// Opens a directory by one name, refusing a link in its place (`NotADirectory`).
pub(super) fn open_dir(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    // O_PATH needs no read permission on a directory that is only walked through.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let access = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let access = OFlags::RDONLY;
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match retry_on_intr(|| rustix::fs::openat(dir, name, flags, Mode::empty())) {
        Ok(fd) => Ok(Dir::from_std_file(fs::File::from(fd))),
        // Some systems name the link, others the missing directory.
        Err(Errno::LOOP | Errno::MLINK) => Err(Errno::NOTDIR.into()),
        Err(error) => Err(error.into()),
    }
}

/// Opens an existing file by one name. `None`: a link, or something that is no file, sits in its place by now. Never
/// waits: a pipe without a partner or a device that is not ready answers at once and is refused by its type.
pub(super) fn open_file(dir: &Dir, name: &OsStr, access: Access) -> io::Result<Option<(File, Metadata)>> {
    let access = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::WRONLY,
        Access::Append => OFlags::WRONLY | OFlags::APPEND,
    };
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = match retry_on_intr(|| rustix::fs::openat(dir, name, flags, Mode::empty())) {
        Ok(fd) => fd,
        // A link; a pipe without a reader or a socket; a directory opened for writing.
        Err(Errno::LOOP | Errno::MLINK | Errno::NXIO | Errno::ISDIR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let file = File::from_std(fs::File::from(fd));
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata)))
}

/// Opens a regular file beneath a directory by its whole path, if the kernel can promise that no link was followed and
/// nothing above the directory was reached, also while directories are being moved about.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open_without_links(dir: &Dir, path: &std::path::Path) -> Option<fs::File> {
    use rustix::fs::{ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = fs::File::from(openat2(dir, path, flags, Mode::empty(), resolve).ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// Other systems have no such call.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open_without_links(_dir: &Dir, _path: &std::path::Path) -> Option<fs::File> {
    None
}

/// Options for a new temporary file: private while it may become the content of a private file, else as the umask says.
pub(super) fn temporary_options(private: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(if private { 0o600 } else { 0o666 });
    options
}

/// Gives a new file the owner and the permission bits of the one it replaces.
pub(super) fn copy_ownership_and_mode(file: &fs::File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let kept_group = if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        true
    } else {
        // Only root may give files away; anybody may keep a group they are in. Failing that, the file is ours.
        fchown(file, Some(old.uid()), Some(old.gid())).is_ok() || fchown(file, None, Some(old.gid())).is_ok()
    };
    // Setuid and setgid fall away, as they do with every ordinary write. Rights that the old group had are not
    // handed to another one.
    let mask = if kept_group { 0o1777 } else { 0o1707 };
    file.set_permissions(fs::Permissions::from_mode(old.mode() & mask))
}

/// Renames unless something has the new name: `AlreadyExists`.
pub(super) fn rename_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(dir, from, dir, to, rustix::fs::RenameFlags::NOREPLACE) {
        // Not every file system can do it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        done => return done.map_err(io::Error::from),
    }
    dir.hard_link(from, dir, to)?;
    dir.remove_file(from)
}

/// How many names the file has.
pub(super) fn link_count(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// The permission bits.
pub(super) fn mode(metadata: &Metadata) -> Option<u32> {
    Some(metadata.mode() & 0o7777)
}

/// Two equal stamps mean the same file with the same content (as far as the clock of the file system can tell).
pub(super) fn stamp(metadata: &Metadata) -> impl PartialEq + use<> {
    let times = (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec());
    (metadata.dev(), metadata.ino(), metadata.len(), times)
}

/// What a directory entry is.
pub(super) fn kind(file_type: FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else if file_type.is_symlink() {
        EntryKind::Symlink
    } else if file_type.is_fifo() {
        EntryKind::Pipe
    } else if file_type.is_socket() {
        EntryKind::Socket
    } else if file_type.is_block_device() || file_type.is_char_device() {
        EntryKind::Device
    } else {
        EntryKind::Other
    }
}
