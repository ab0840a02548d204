//! What is measured, built the way a user builds it, and the directories of a run.

use crate::Result;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use stud_contract::section;

/// The directories of one run. All of them are readable by the user only: the host refuses layers that others may write.
pub(crate) struct Place {
    root: PathBuf,
}

impl Place {
    pub(crate) fn new(root: PathBuf) -> Place {
        Place { root }
    }

    /// `STUD_HOME` of this process and of the helpers that it starts.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A directory with that name, made if need be.
    pub(crate) fn directory(&self, name: &str) -> Result<PathBuf> {
        let path = self.root.join(name);
        make_private(&path)?;
        Ok(path)
    }
}

/// Makes a directory, and those above it, that only the user can write.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(path)?)
}

/// Writes a file that only the user can write.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(())
}

/// The files that are measured.
pub(crate) struct Built {
    /// The `stud` program, release.
    pub(crate) stud: PathBuf,
    /// The bundled search tools, release.
    pub(crate) search: PathBuf,
    /// The ten-line plugin in cargo's two profiles.
    pub(crate) word_debug: PathBuf,
    pub(crate) word_release: PathBuf,
    /// The release build without its symbols, if this machine has `strip`.
    pub(crate) word_stripped: Option<PathBuf>,
}

impl Built {
    /// Builds them, in the target directory of the running bench.
    pub(crate) fn build(place: &Place) -> Result<Built> {
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or("cargo's target directory is not known")?;
        // Apart, as its author would: in one build with others it would get their features of shared dependencies.
        cargo(target, &["--release", "-p", "stud", "-p", "stud-tools-search"])?;
        cargo(target, &["--release", "-p", "word-count"])?;
        cargo(target, &["-p", "word-count"])?;
        let library = |profile: &str, name: &str| target.join(profile).join(library_name(name));
        let word_release = library("release", "word_count");
        let word_stripped = place.directory("stripped")?.join(library_name("word_count"));
        fs::copy(&word_release, &word_stripped)?;
        Ok(Built {
            stud: target.join("release").join(format!("stud{}", std::env::consts::EXE_SUFFIX)),
            search: library("release", "stud_tools_search"),
            word_debug: library("debug", "word_count"),
            word_release,
            word_stripped: strip(&word_stripped).then_some(word_stripped),
        })
    }

    /// The ten-line plugin as an author would ship it.
    pub(crate) fn word(&self) -> &Path {
        self.word_stripped.as_deref().unwrap_or(&self.word_release)
    }
}

/// A library's file name on this system.
pub(crate) fn library_name(crate_name: &str) -> String {
    format!("{}{crate_name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

fn cargo(target: &Path, what: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--target-dir"])
        .arg(target)
        .args(what)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo build {}`: {status}", what.join(" ")).into()) }
}

fn strip(file: &Path) -> bool {
    Command::new("strip").arg(file).status().is_ok_and(|status| status.success())
}

/// The one tool of the ten-line plugin.
const TOOL: &str = "word_count";

/// The ten-line plugin with another tool name of the same length in its contract, and so with other bytes: another
/// plugin for everything that looks at files, the same code for everything that runs.
pub(crate) fn renamed(library: &[u8], number: usize) -> Result<Vec<u8>> {
    let (at, json) = contract(library)?;
    let name = format!("w_{number:0width$}", width = TOOL.len() - 2);
    let json = json.replacen(&format!("\"name\":\"{TOOL}\""), &format!("\"name\":\"{name}\""), 1);
    let section = section::encode_runtime(json.as_bytes());
    let mut bytes = library.to_vec();
    bytes[at..at + section.len()].copy_from_slice(&section);
    Ok(bytes)
}

/// Where the contract's section begins, and the JSON in it. Its magic bytes alone do not tell: the code that reads
/// contracts is in the library too, and compares them.
fn contract(library: &[u8]) -> Result<(usize, String)> {
    let magic = &section::encode_runtime(b"")[..8];
    let places = library.windows(magic.len()).enumerate().filter(|(_, bytes)| *bytes == magic);
    let found = places.into_iter().find_map(|(at, _)| Some((at, section::decode(&library[at..]).ok()?)));
    let (at, json) = found.ok_or("the ten-line plugin has no contract section")?;
    Ok((at, String::from_utf8(json.to_vec())?))
}
