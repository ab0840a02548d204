//! What an operator does with libraries: preview and grant trust, install and uninstall. Never offered to a model.

use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use crate::discover::{FOLDER_FILE, discover};
use crate::host::{CONFIG_NAME, Host};
use crate::layer::Layer;
use crate::load::read_regular_file;
use crate::manifest::{LibraryFacts, check_contract, read_library, ungated_problem};
use crate::private_dir;
use crate::registry::relative_to;
use crate::trust::{
    FileChange, PreviewFile, ProjectTrust, TrustError, TrustMode, TrustPreview, TrustStore, preview,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What trusting the project would load now, and how it differs from what was trusted. Opens nothing with the loader.
#[must_use]
pub fn trust_preview(host: &Host) -> TrustPreview {
    let paths = host.paths();
    let mut files = Vec::new();
    if let Some(read) = host.project_config() {
        let entry = blank(CONFIG_NAME.to_owned());
        files.push(match read {
            Ok(digest) => PreviewFile { sha256: Some(*digest), ..entry },
            Err(problem) => PreviewFile { problem: Some(problem.clone()), ..entry },
        });
    }
    let layers = paths.layers();
    let found = layers.iter().filter(|layer| layer.layer == Layer::Project).map(discover);
    for found in found {
        for candidate in found.candidates {
            files.push(library(host, &candidate.file));
        }
        for refused in found.refused {
            let file = refused.file.clone().unwrap_or_else(|| paths.project_dir());
            let problem = Some(format!("{}; {}", refused.message, refused.remedy));
            files.push(PreviewFile { problem, ..blank(relative_to(&paths.project_dir(), &file)) });
        }
    }
    let trusted = host.trust().ok().flatten();
    preview(paths.project.display().to_string(), files, trusted)
}

fn blank(file: String) -> PreviewFile {
    PreviewFile {
        file,
        sha256: None,
        change: FileChange::New,
        plugin: None,
        tools: Vec::new(),
        shadows: BTreeMap::new(),
        problem: None,
    }
}

fn library(host: &Host, file: &Path) -> PreviewFile {
    let entry = blank(relative_to(&host.paths().project_dir(), file));
    let bytes = match read_regular_file(file) {
        Ok(bytes) => bytes,
        Err(diagnostic) => return PreviewFile { problem: Some(diagnostic.message), ..entry },
    };
    let entry = PreviewFile { sha256: Some(Digest::of(&bytes)), ..entry };
    let LibraryFacts { contract, .. } = match read_library(&bytes) {
        Ok(facts) => facts,
        Err(diagnostic) => return PreviewFile { problem: Some(diagnostic.message), ..entry },
    };
    let problem =
        check_contract(&contract).err().and_then(|all| all.into_iter().next()).map(|first| first.message);
    let snapshot = host.registry().snapshot();
    let names = contract.tools.iter().flat_map(|tool| std::iter::once(&tool.name).chain(&tool.other_names));
    let shadows = names.filter_map(|name| {
        let all = snapshot.implementations(name.as_str());
        let below = all.iter().find(|entry| entry.plugin().layer() != Layer::Project)?;
        Some((name.to_string(), below.plugin().layer().to_string()))
    });
    PreviewFile {
        plugin: Some(format!("{} {}", contract.plugin.name, contract.plugin.version)),
        shadows: shadows.collect(),
        problem,
        tools: contract.tools,
        ..entry
    }
}

/// Trusts what a preview showed: those bytes, and no others that lie there by now.
///
/// # Errors
/// The trust file cannot be read or written, or has no place for the project's path.
pub fn trust_project(
    host: &Host,
    shown: &TrustPreview,
    mode: TrustMode,
    relax: bool,
) -> Result<(), TrustError> {
    let file = host.paths().trust_file();
    let files = shown.files.iter().filter_map(|entry| Some((entry.file.clone(), entry.sha256?))).collect();
    let project = &host.paths().project;
    let trust = ProjectTrust { trust: mode, relax, files };
    if TrustStore::update(&file, |store| store.grant(project, trust))? {
        return Ok(());
    }
    let message = format!("the project's path `{}` is not Unicode and cannot stand in it", project.display());
    Err(TrustError { file, message, remedy: "rename the directory".to_owned() })
}

/// Copies a library into a layer's directory, as a whole, after the checks that loading would begin with. What is there
/// under its name is replaced with `force` only.
///
/// # Errors
/// It is no plugin that this host speaks, or cannot be copied; at stage `register`, something in the layer stands
/// against it: a file of its name, another file with one of its tools, or the rule about tools that need no approval.
pub fn install_library(host: &Host, layer: Layer, file: &Path, force: bool) -> Result<PathBuf, Diagnostic> {
    let bytes = read_regular_file(file)?;
    let facts = read_library(&bytes).map_err(|diagnostic| diagnostic.file(file))?;
    check_contract(&facts.contract).map_err(|all| first_of(all, file))?;
    let allowed = host.config().texts("allow_ungated");
    let mut ungated = facts
        .contract
        .tools
        .iter()
        .filter_map(|tool| ungated_problem(layer, tool, allowed.contains(tool.name.as_str())));
    if let Some(problem) = ungated.next() {
        return Err(problem.plugin(&facts.contract.plugin.name).file(file));
    }
    let Some(layer) = host.paths().layers().into_iter().find(|dir| dir.layer == layer) else {
        let message = format!("there is no {layer} layer");
        return Err(Diagnostic::new(Stage::Discovery, message, "name another layer"));
    };
    let mut target = layer.path.join(file.file_name().unwrap_or(OsStr::new("plugin")));
    if target.extension() != Some(OsStr::new(std::env::consts::DLL_EXTENSION)) {
        target.set_extension(std::env::consts::DLL_EXTENSION);
    }
    if !force && std::fs::symlink_metadata(&target).is_ok() {
        let problem = Diagnostic::new(Stage::Register, "it is there already", "--force replaces it");
        return Err(problem.file(&target));
    }
    for other in discover(&layer).candidates.iter().filter(|other| other.file != target) {
        let offered = read_regular_file(&other.file).and_then(|bytes| read_library(&bytes));
        let Ok(offered) = offered else { continue };
        let both = facts
            .contract
            .tools
            .iter()
            .find(|tool| offered.contract.tools.iter().any(|theirs| theirs.name == tool.name));
        if let Some(tool) = both {
            let message = format!(
                "the {} layer has `{}` already, from `{}`: neither would be used",
                layer.layer,
                tool.name,
                other.file.display()
            );
            let remedy = "`stud uninstall` the other file first, or rename the tool";
            return Err(Diagnostic::new(Stage::Register, message, remedy).file(file));
        }
    }
    private_dir::replace(&target, &bytes, true).map_err(|error| {
        let message = format!("it cannot be copied to `{}`: {error}", target.display());
        Diagnostic::new(Stage::Discovery, message, "make room, or check who may write there").file(file)
    })?;
    Ok(target)
}

fn first_of(problems: Vec<Diagnostic>, file: &Path) -> Diagnostic {
    let first = problems.into_iter().next();
    first.unwrap_or_else(|| Diagnostic::new(Stage::Shape, "its contract is refused", "rebuild it")).file(file)
}

/// Removes a library from a layer's directory, named by its file or folder, its plugin or one of its tools.
///
/// # Errors
/// There is none of that name, or it cannot be removed; at stage `register`, several have the name.
pub fn uninstall_library(host: &Host, layer: Layer, name: &str) -> Result<PathBuf, Diagnostic> {
    let listing = host.registry().listing();
    let of_layer = listing.tools.iter().filter(|tool| tool.layer == layer);
    let mut found: Vec<PathBuf> = Vec::new();
    for tool in of_layer {
        let Some(file) = &tool.file else { continue };
        let folder = file.parent().filter(|folder| is_folder_entry(host, layer, folder));
        let entry = folder.unwrap_or(file);
        // No two entries have one file name: it always says which.
        if entry.file_name() == Some(OsStr::new(name)) {
            found = vec![entry.to_owned()];
            break;
        }
        let named = tool.name.as_ref().is_some_and(|own| own.as_str() == name)
            || tool.plugin.as_deref() == Some(name)
            || file.file_name() == Some(OsStr::new(name))
            || file.file_stem() == Some(OsStr::new(name));
        if named && !found.iter().any(|known| known == entry) {
            found.push(entry.to_owned());
        }
    }
    let [entry] = found.as_slice() else {
        return Err(not_one(layer, name, &found));
    };
    let folder = is_folder_entry(host, layer, entry);
    let removed = if folder { std::fs::remove_dir_all(entry) } else { std::fs::remove_file(entry) };
    removed.map_err(|error| {
        Diagnostic::new(Stage::Discovery, format!("it cannot be removed: {error}"), "check its permissions")
            .file(entry)
    })?;
    Ok(entry.clone())
}

fn not_one(layer: Layer, name: &str, found: &[PathBuf]) -> Diagnostic {
    if found.is_empty() {
        let message = format!("the {layer} layer has no library, plugin or tool named `{name}`");
        return Diagnostic::new(
            Stage::Discovery,
            message,
            "`stud tools` lists what there is, with the files",
        );
    }
    let files: Vec<String> = found.iter().map(|file| file.display().to_string()).collect();
    let message = format!("`{name}` stands for several of the {layer} layer: `{}`", files.join("` and `"));
    Diagnostic::new(Stage::Register, message, "name the one to remove by its file")
}

/// Whether a directory is an entry of the layer: a folder with a `tool.toml`, which is one plugin for all platforms.
fn is_folder_entry(host: &Host, layer: Layer, folder: &Path) -> bool {
    let layers = host.paths().layers();
    let within = |path: &Path| layers.iter().any(|dir| dir.layer == layer && dir.path == path);
    folder.parent().is_some_and(within) && folder.join(FOLDER_FILE).is_file()
}
