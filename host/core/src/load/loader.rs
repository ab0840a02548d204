//! The one place that opens libraries.
//!
//! # Rules
//! - Only a [`StagedCopy`] is opened: its bytes were checked, nobody else can write it, and its name is its content's, so
//!   that the dynamic loader cannot answer with an older library of the same name.
//! - It is opened with immediate binding and local symbols: an unresolved symbol fails here and not in a call, and one
//!   plugin's symbols cannot take the place of another's.
//! - It is never unmapped. Threads, statics and function pointers of a plugin stay valid for the life of the process.
#![allow(unsafe_code, reason = "opening a library and reading its symbol; each block says why it is sound")]

use super::StagedCopy;
use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use std::fmt;
use stud_abi::{
    HostV1, HostV1_TO, HostV1Box, InterfaceId, PluginV1Box, ROOT_SYMBOL, ROption, RSlice, root_of,
};
use stud_contract::{CallReply, Control, ControlReply};

/// An opened plugin: code in this process.
pub struct LoadedPlugin {
    digest: Digest,
    plugin: PluginV1Box,
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedPlugin").field("digest", &self.digest).finish_non_exhaustive()
    }
}

/// Opens a staged library: header, layouts, the newest plugin interface that both sides know.
///
/// # Errors
/// The system's loader refuses it, or it is not a plugin of an ABI that this host speaks.
pub fn load(staged: &StagedCopy) -> Result<LoadedPlugin, Diagnostic> {
    let failed = |message: String, remedy: &str| Diagnostic::new(Stage::Load, message, remedy);
    let library = open(staged).map_err(|error| {
        failed(
            format!("the system cannot open it: {}", describe(&error)),
            "install what it needs, or link it statically; if the home directory is mounted noexec, set STUD_HOME elsewhere",
        )
    })?;
    // SAFETY: the symbol is only used as an address here; `root_of` checks the header behind it before anything else.
    let symbol = unsafe { library.get::<*const ()>(ROOT_SYMBOL) }.map(|symbol| *symbol).map_err(|_| {
        failed("it does not export `stud_plugin_root`".to_owned(), "call `export_plugin!` in its crate")
    })?;
    // Leaked on purpose, also when something below fails: see the rules above.
    std::mem::forget(library);
    let rebuild = "rebuild it with stud-plugin-api of this host";
    // SAFETY: the address comes from the library just opened, which stays mapped.
    let root = unsafe { root_of(symbol) }.map_err(|error| failed(error.to_string(), rebuild))?;
    let ROption::RSome(interface) = root.query()(InterfaceId::Plugin as u32, 1) else {
        return Err(failed(
            "it offers no plugin interface that this host knows (version 1)".to_owned(),
            rebuild,
        ));
    };
    let plugin = interface.open_plugin_v1().map_err(|error| failed(error.to_string(), rebuild))?;
    Ok(LoadedPlugin { digest: staged.digest(), plugin })
}

#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this is the wrapper that the ban points to")]
fn open(staged: &StagedCopy) -> Result<libloading::os::unix::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: constructors of the library run here, which nothing can make safe; trust was decided before, and the
    // file's structure was checked on these very bytes.
    unsafe { Library::open(Some(staged.path()), RTLD_NOW | RTLD_LOCAL) }
}

#[cfg(windows)]
#[allow(clippy::disallowed_methods, reason = "this is the wrapper that the ban points to")]
fn open(staged: &StagedCopy) -> Result<libloading::os::windows::Library, libloading::Error> {
    // SAFETY: as on unix; Windows binds at once and has no global symbols.
    unsafe { libloading::os::windows::Library::new(staged.path()) }
}

fn describe(error: &libloading::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

impl LoadedPlugin {
    /// Which library it is.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The plugin's description as it wrote it, copied. Empty when it could not make one.
    #[must_use]
    pub fn describe(&self) -> Vec<u8> {
        self.plugin.describe().into_vec()
    }

    /// Runs one tool once on this thread. `request` is a `CallRequest` in JSON.
    pub(crate) fn call<H: HostV1 + 'static>(
        &self,
        request: &[u8],
        host: H,
    ) -> Result<CallReply, serde_json::Error> {
        let host = host_box(host);
        let reply = self.plugin.call(RSlice::from(request), host);
        serde_json::from_slice(&reply)
    }

    /// Tells or asks the plugin something besides calls.
    pub(crate) fn control<H: HostV1 + 'static>(&self, message: &Control, host: H) -> ControlReply {
        let Ok(message) = serde_json::to_vec(message) else { return ControlReply::Unsupported };
        let reply = self.plugin.control(RSlice::from(message.as_slice()), host_box(host));
        serde_json::from_slice(&reply).unwrap_or(ControlReply::Unknown)
    }
}

fn host_box<H: HostV1 + 'static>(host: H) -> HostV1Box {
    HostV1_TO::from_value(host, stud_abi::TD_Opaque)
}
