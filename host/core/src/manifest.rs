//! From a library's bytes to its checked contract. Nothing of the library is executed.

use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use crate::layer::Layer;
use crate::object_file::{Format, ObjectFile, SectionName};
use semver::{Version, VersionReq};
use serde::Serialize;
use std::collections::BTreeSet;
use stud_contract::{
    CONTRACT_VERSION, EmbeddedContract, EmbeddedTool, Executor, PanicStrategy, SideEffects, section,
};

const SECTION: SectionName = SectionName { elf: section::ELF, pe: section::PE, macho: section::MACH_O };

/// The version of this host, as contracts ask for it.
pub const CORE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the bytes of a library file say, before any rule about versions or layers.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct LibraryFacts {
    /// SHA-256 of the file.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// The object format.
    pub format: Format,
    /// The embedded contract as written.
    pub contract: EmbeddedContract,
}

/// Reads the contract out of a library's bytes: object-file sanity, this machine, section, shape.
///
/// # Errors
/// The first thing that is wrong, at stage `object` or `shape`.
pub fn read_library(bytes: &[u8]) -> Result<LibraryFacts, Diagnostic> {
    let object = checked_object(bytes)?;
    for_this_machine(&object)?;
    contract_of(&object, bytes)
}

/// The same for a library of any machine, for whoever only wants to look at it.
///
/// # Errors
/// The first thing that is wrong, at stage `object` or `shape`.
pub fn read_foreign_library(bytes: &[u8]) -> Result<LibraryFacts, Diagnostic> {
    contract_of(&checked_object(bytes)?, bytes)
}

/// Whether the library is for this machine. Cheap beside reading it.
///
/// # Errors
/// It is for another one, or no library.
pub fn require_this_machine(bytes: &[u8]) -> Result<(), Diagnostic> {
    for_this_machine(&checked_object(bytes)?)
}

fn checked_object(bytes: &[u8]) -> Result<ObjectFile<'_>, Diagnostic> {
    ObjectFile::check(bytes).map_err(|e| Diagnostic::new(Stage::Object, e.to_string(), e.remedy()))
}

fn for_this_machine(object: &ObjectFile<'_>) -> Result<(), Diagnostic> {
    object.require_this_machine().map_err(|e| Diagnostic::new(Stage::Object, e.to_string(), e.remedy()))
}

fn contract_of(object: &ObjectFile<'_>, bytes: &[u8]) -> Result<LibraryFacts, Diagnostic> {
    let rebuild = "build it as a plugin: `export_plugin!` of stud-plugin-api writes the contract";
    let section =
        object.section(&SECTION).map_err(|e| Diagnostic::new(Stage::Shape, e.to_string(), rebuild))?;
    let contract =
        section::read(section).map_err(|e| Diagnostic::new(Stage::Shape, e.to_string(), rebuild))?;
    Ok(LibraryFacts {
        digest: Digest::of(bytes),
        size: bytes.len() as u64,
        format: object.format(),
        contract,
    })
}

/// A contract that passed every rule that needs no running code.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// SHA-256 of the library file.
    pub digest: Digest,
    /// The embedded contract.
    pub contract: EmbeddedContract,
}

/// Applies stages shape, contractVersion and requiredCoreVersion, all of them, so that the operator sees every problem at once.
///
/// # Errors
/// Each rule that is broken.
pub fn check_contract(contract: &EmbeddedContract) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    problems.extend(shape(contract));
    problems.extend(contract_version(&contract.contract_version));
    problems.extend(core_version(&contract.required_core_version));
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.into_iter().map(|problem| problem.plugin(&contract.plugin.name)).collect())
}

fn shape(contract: &EmbeddedContract) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut wrong = |field: &str, message: String, remedy: &str| {
        problems.push(Diagnostic::new(Stage::Shape, message, remedy).field(field));
    };
    let name = &contract.plugin.name;
    if name.is_empty() || name.len() > 128 || name.chars().any(char::is_control) {
        wrong("/plugin/name", format!("{name:?} is no name for a plugin"), "use the name of its crate");
    }
    if contract.abi != stud_abi::ABI_NUMBER {
        let message =
            format!("it was built for ABI {}, this host speaks {}", contract.abi, stud_abi::ABI_NUMBER);
        wrong("/abi", message, "rebuild it with stud-plugin-api of this host");
    }
    if contract.panic == PanicStrategy::Abort {
        let message = "it is built with panic = \"abort\": a panic in it would end the host".to_owned();
        wrong("/panic", message, "remove `panic = \"abort\"` from the profile and rebuild it");
    }
    if contract.tools.is_empty() {
        wrong("/tools", "it offers no tool".to_owned(), "name its tools in `export_plugin!`");
    }
    let mut names = BTreeSet::new();
    for (i, tool) in contract.tools.iter().enumerate() {
        for name in std::iter::once(&tool.name).chain(&tool.other_names) {
            if !names.insert(name.clone()) {
                wrong(
                    &format!("/tools/{i}/name"),
                    format!("it has two tools named `{name}`"),
                    "rename one of them",
                );
            }
        }
        if tool.executor == Executor::Remote {
            let message = format!("`{}` says that it runs remotely, but it stands in a library", tool.name);
            wrong(&format!("/tools/{i}/executor"), message, "use executor `local`");
        }
        if tool.category.is_empty() || tool.category.len() > 64 || tool.category.chars().any(char::is_control)
        {
            wrong(
                &format!("/tools/{i}/category"),
                format!("{:?} is no category", tool.category),
                "use one short word",
            );
        }
    }
    problems
}

/// Compatible: same major, and the plugin's minor is not newer than the host's.
fn contract_version(text: &str) -> Option<Diagnostic> {
    let field = "/contractVersion";
    let rebuild = |message: String, remedy: String| {
        Some(Diagnostic::new(Stage::ContractVersion, message, remedy).field(field))
    };
    let Ok(host) = Version::parse(CONTRACT_VERSION) else { return None };
    let Ok(plugin) = Version::parse(text) else {
        return rebuild(
            format!("{text:?} is no semantic version"),
            "rebuild it with stud-plugin-api".to_owned(),
        );
    };
    if plugin.major == host.major && plugin.minor <= host.minor {
        return None;
    }
    let message = format!("it was built for contract {plugin}, this host speaks {host}");
    if plugin > host {
        return rebuild(
            message,
            format!("update stud, or rebuild the plugin with a stud-plugin-api of contract {}", host.major),
        );
    }
    rebuild(
        message,
        format!("rebuild the plugin with a stud-plugin-api of contract {}.{}", host.major, host.minor),
    )
}

fn core_version(text: &str) -> Option<Diagnostic> {
    let field = "/requiredCoreVersion";
    let Ok(host) = Version::parse(CORE_VERSION) else { return None };
    let wrong = |message: String, remedy: String| {
        Some(Diagnostic::new(Stage::RequiredCoreVersion, message, remedy).field(field))
    };
    match VersionReq::parse(text) {
        Err(error) => wrong(
            format!("{text:?} is no range of versions: {error}"),
            "write it like `>=0.1.0, <0.3` in `export_plugin!(requires = …)`".to_owned(),
        ),
        Ok(range) if range.matches(&host) => None,
        Ok(range) => wrong(
            format!("it asks for stud {range}, this is {host}"),
            format!(
                "install a stud that is {range}, or widen `requires` in its `export_plugin!` and rebuild it"
            ),
        ),
    }
}

/// The rule between one tool and its layer: without approval only what leaves nothing behind, unless the operator says so.
#[must_use]
pub fn ungated_problem(layer: Layer, tool: &EmbeddedTool, allowed_by_name: bool) -> Option<Diagnostic> {
    let harmless = tool.side_effects <= SideEffects::Read;
    if tool.gated || harmless || layer == Layer::Bundled || allowed_by_name {
        return None;
    }
    let name = &tool.name;
    let message = format!(
        "`{name}` can {} and says that it needs no approval (gated = false)",
        verb(tool.side_effects)
    );
    let remedy = format!(
        "remove `gated = false` from the tool, or allow it: add \"{name}\" to `allow_ungated` in the user's config.toml"
    );
    Some(Diagnostic::new(Stage::Register, message, remedy).field("/gated"))
}

fn verb(class: SideEffects) -> &'static str {
    match class {
        SideEffects::None | SideEffects::Read => "read",
        SideEffects::Write => "change files",
        SideEffects::Execute => "run programs",
        SideEffects::Network => "change things elsewhere",
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
