use abi_stable::StableAbi;
use std::fs::File;

/// An open file that crosses the line as the operating system's own number for it, or none.
///
/// Owning: whoever holds it closes it, by turning it into a [`File`]. One that is dropped unused leaks its descriptor
/// until the process ends, which is why [`OsHandle::into_file`] is the first thing a receiver does with it.
#[repr(transparent)]
#[derive(Debug, StableAbi)]
pub struct OsHandle(i64);

impl OsHandle {
    /// No file.
    pub const NONE: OsHandle = OsHandle(-1);

    /// Gives the file away.
    #[must_use]
    pub fn from_file(file: File) -> OsHandle {
        OsHandle(platform::into_number(file))
    }

    /// Takes the file over, if there is one.
    #[must_use]
    pub fn into_file(self) -> Option<File> {
        (self.0 != -1).then(|| platform::from_number(self.0))
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::os::fd::{FromRawFd, IntoRawFd};

    pub(super) fn into_number(file: File) -> i64 {
        i64::from(file.into_raw_fd())
    }

    #[allow(unsafe_code, reason = "a descriptor number becomes an owned file again")]
    pub(super) fn from_number(number: i64) -> File {
        // SAFETY: the number comes from `into_number`, which gave up ownership, and the handle is consumed, so that
        // this is the only owner. It fits in an i32 because it was one.
        unsafe { File::from_raw_fd(number as i32) }
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::File;
    use std::os::windows::io::{FromRawHandle, IntoRawHandle};

    pub(super) fn into_number(file: File) -> i64 {
        file.into_raw_handle() as i64
    }

    #[allow(unsafe_code, reason = "a handle number becomes an owned file again")]
    pub(super) fn from_number(number: i64) -> File {
        // SAFETY: the number comes from `into_number`, which gave up ownership, and the handle is consumed, so that
        // this is the only owner.
        unsafe { File::from_raw_handle(number as *mut std::ffi::c_void) }
    }
}
