//! The root module: frozen for ever, it only leads to interfaces.

use crate::PluginV1Box;
use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, CheckTypeLayout, LibHeader, RootModule, RootModuleResult};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::ROption;
use abi_stable::type_layout::TypeLayout;
use std::fmt;

/// The number of the root's layout. There is no second one.
pub const ABI_NUMBER: u32 = 1;

/// The one symbol that a plugin exports, NUL-terminated for the loader.
pub const ROOT_SYMBOL: &[u8] = b"stud_plugin_root\0";

/// Names an interface in [`Root::query`]. Numbers are never reused.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceId {
    /// A plugin that offers tools: version 1 is [`crate::PluginV1`].
    Plugin = 1,
}

/// What the exported symbol leads to.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
#[sabi(missing_field(panic))]
pub struct Root {
    /// Always [`ABI_NUMBER`].
    pub abi: u32,
    /// The interface with that number ([`InterfaceId`]) and version, if the plugin has it.
    #[sabi(last_prefix_field)]
    pub query: extern "C" fn(interface: u32, version: u32) -> ROption<Interface>,
}

impl RootModule for RootRef {
    const BASE_NAME: &'static str = "stud_plugin";
    const NAME: &'static str = "stud_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
    abi_stable::declare_root_module_statics! {RootRef}
}

/// One interface of a plugin: the layout of its type as the plugin was compiled with it, and how to open it.
#[repr(C)]
#[derive(StableAbi)]
pub struct Interface {
    layout: &'static TypeLayout,
    /// The address of an `extern "C" fn() -> T`, where `layout` describes `T`.
    opener: *const (),
}

type OpenPluginV1 = extern "C" fn() -> PluginV1Box;

impl Interface {
    /// Offers version 1 of [`InterfaceId::Plugin`].
    #[must_use]
    pub fn plugin_v1(opener: OpenPluginV1) -> Interface {
        Interface { layout: <PluginV1Box as StableAbi>::LAYOUT, opener: opener as *const () }
    }

    /// Opens the interface as version 1 of [`InterfaceId::Plugin`], once the layouts are seen to agree.
    ///
    /// # Errors
    /// The plugin's type differs from the frozen one.
    #[allow(unsafe_code, reason = "an erased function pointer gets its type back")]
    pub fn open_plugin_v1(&self) -> Result<PluginV1Box, InterfaceError> {
        check_layout_compatibility(<PluginV1Box as StableAbi>::LAYOUT, self.layout)
            .map_err(|errors| InterfaceError::Layout(errors.to_string()))?;
        // SAFETY: `plugin_v1` is the only constructor and stores such a function; that the return type means the same
        // on both sides was checked just now.
        let open = unsafe { std::mem::transmute::<*const (), OpenPluginV1>(self.opener) };
        Ok(open())
    }
}

/// Why a library's root or interface cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum InterfaceError {
    /// The header was written by another, incompatible line of abi_stable.
    Header(String),
    /// A type of the plugin is laid out differently from the host's.
    Layout(String),
}

impl fmt::Display for InterfaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterfaceError::Header(text) => write!(f, "the plugin's header is not one of stud's ABI: {text}"),
            InterfaceError::Layout(text) => write!(f, "the plugin's types are laid out differently: {text}"),
        }
    }
}

impl std::error::Error for InterfaceError {}

/// Leads from the exported symbol to the root, checking the header and the root's layout on the way.
///
/// # Safety
/// `symbol` is the address of [`ROOT_SYMBOL`] in a loaded library that is never unmapped.
#[allow(unsafe_code, reason = "the loader hands over an address")]
pub unsafe fn root_of(symbol: *const ()) -> Result<RootRef, InterfaceError> {
    // SAFETY: `AbiHeaderRef` is a transparent, non-null pointer to the header; the caller vouches for the address. The
    // magic string in the header is compared before anything behind it is used.
    let header: AbiHeaderRef = unsafe { std::mem::transmute::<*const (), AbiHeaderRef>(symbol) };
    let library = header.upgrade().map_err(|e| InterfaceError::Header(e.to_string()))?;
    library.init_root_module::<RootRef>().map_err(|e| InterfaceError::Layout(e.to_string()))
}

/// For the expansion of [`export_root!`](crate::export_root) only.
#[doc(hidden)]
#[allow(unsafe_code, reason = "the header is typed by its constructor only")]
pub const fn root_header(constructor: extern "C" fn() -> RootModuleResult) -> LibHeader {
    // SAFETY: `export_root!` passes a constructor that returns an erased `RootRef`.
    unsafe { LibHeader::from_constructor::<RootRef>(constructor, CheckTypeLayout::Yes) }
}

/// For the expansion of [`export_root!`](crate::export_root) only: the root lives as long as the process.
#[doc(hidden)]
pub fn leaked_root(query: extern "C" fn(u32, u32) -> ROption<Interface>) -> RootRef {
    Root { abi: ABI_NUMBER, query }.leak_into_prefix()
}

/// Exports a plugin: `export_root!(query)` with `fn query(interface: u32, version: u32) -> ROption<Interface>`, which
/// must not panic.
#[macro_export]
macro_rules! export_root {
    ($query:path) => {
        const _: () = {
            // Items in a macro are not hygienic: this name must not be the one that the caller passes.
            extern "C" fn __stud_query(interface: u32, version: u32) -> $crate::ROption<$crate::Interface> {
                $query(interface, version)
            }

            fn root() -> $crate::RootRef {
                $crate::__private::leaked_root(__stud_query)
            }

            extern "C" fn constructor() -> $crate::__private::RootModuleResult {
                $crate::__private::__call_root_module_loader(root)
            }

            #[allow(unsafe_code, reason = "the one symbol of a plugin")]
            #[unsafe(no_mangle)]
            #[allow(non_upper_case_globals, reason = "the symbol's name is fixed")]
            pub static stud_plugin_root: $crate::__private::LibHeader =
                $crate::__private::root_header(constructor);
        };
    };
}
