/// The hosts that a plugin built with this crate asks for.
pub const REQUIRED_CORE: &str = ">=0.1.0";
/// The target triple that this crate is compiled for.
pub const TARGET: &str = env!("STUD_TARGET");
/// The compiler that this crate is compiled with.
pub const RUSTC: &str = env!("STUD_RUSTC");

/// Exports the crate as a plugin: `export_plugin!(word_count, reverse);` names its tools, once per crate.
///
/// `export_plugin!(requires = ">=0.3, <0.5"; word_count)` states which versions of stud it works with.
#[macro_export]
macro_rules! export_plugin {
    ($first:path $(, $rest:path)* $(,)?) => {
        $crate::export_plugin!(requires = $crate::__private::REQUIRED_CORE; $first $(, $rest)*);
    };
    (requires = $requires:expr; $first:path $(, $rest:path)* $(,)?) => {
        const _: () = {
            use $crate::__private as private;

            const PANIC: &str = if cfg!(panic = "unwind") { "unwind" } else { "abort" };
            const PARTS: &[&str] = &[
                "{\"kind\":\"Tool\",\"contractVersion\":\"",
                private::CONTRACT_VERSION,
                "\",\"requiredCoreVersion\":\"",
                $requires,
                "\",\"plugin\":{\"name\":\"",
                env!("CARGO_PKG_NAME"),
                "\",\"version\":\"",
                env!("CARGO_PKG_VERSION"),
                "\"},\"abi\":1,\"panic\":\"",
                PANIC,
                "\",\"target\":\"",
                private::TARGET,
                "\",\"rustc\":\"",
                private::RUSTC,
                "\",\"loadedCardinality\":\"unlimited\",\"activeCardinality\":\"unlimited\",\
                 \"reloadBehavior\":\"between-turns\",\"stateSlot\":null,\"discoveryRules\":[],\"tools\":[",
                <$first as $crate::Tool>::EMBEDDED,
                $(",", <$rest as $crate::Tool>::EMBEDDED,)*
                "]}",
            ];

            #[allow(unsafe_code, reason = "the contract stands in a section of its own")]
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__stud_contract"))]
            #[cfg_attr(windows, unsafe(link_section = ".studct"))]
            #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = "stud_contract"))]
            static CONTRACT: [u8; private::section::encoded_len(PARTS)] = private::section::encode(PARTS);

            static TOOLS: &[private::ToolEntry] = &[
                private::ToolEntry::of::<$first>(),
                $(private::ToolEntry::of::<$rest>(),)*
            ];

            fn query(interface: u32, version: u32) -> private::stud_abi::ROption<private::stud_abi::Interface> {
                extern "C" fn open() -> private::stud_abi::PluginV1Box {
                    private::open(&CONTRACT, TOOLS)
                }
                private::query(interface, version, open)
            }

            private::stud_abi::export_root!(query);
        };
    };
}
