//! Rules between the tools of a layer: what takes no part in shadowing, and why.

use super::listing::Status;
use super::tool::ToolEntry;
use crate::config::Config;
use crate::diagnostic::{Diagnostic, Stage};
use crate::layer::Layer;
use crate::manifest::ungated_problem;
use std::collections::HashMap;
use stud_contract::ToolName;

/// An entry that cannot be called, with what it is listed as.
pub(super) type Excluded = (ToolEntry, Status, Diagnostic);

/// Splits the entries into those that may be called and those that may not.
pub(super) fn apply(entries: Vec<ToolEntry>, config: &Config) -> (Vec<ToolEntry>, Vec<Excluded>) {
    let allowed_ungated = config.texts("allow_ungated");
    let doubles = doubles(&entries);
    let mut callable = Vec::new();
    let mut excluded = Vec::new();
    for entry in entries {
        let name = &entry.embedded().name;
        let plugin = entry.plugin();
        let own_config = config.tool(name.as_str());
        let by_name = allowed_ungated.contains(name.as_str());
        let verdict = None
            .or_else(|| {
                doubles
                    .get(&(plugin.layer(), name.clone()))
                    .map(|files| (Status::Disabled, double(name, files)))
            })
            .or_else(|| {
                ungated_problem(plugin.layer(), entry.embedded(), by_name)
                    .map(|problem| (Status::Failed, problem))
            })
            .or_else(|| {
                own_config
                    .and_then(|own| own.problem(name.as_str()))
                    .map(|problem| (Status::Disabled, problem))
            })
            .or_else(|| {
                own_config.filter(|own| !own.enabled()).map(|_| (Status::Disabled, switched_off(name)))
            })
            .or_else(|| entry.known_problem().map(|problem| (status_of(&problem), problem)));
        match verdict {
            None => callable.push(entry),
            Some((status, diagnostic)) => {
                let diagnostic =
                    diagnostic.plugin(&plugin.manifest().contract.plugin.name).file(plugin.file());
                excluded.push((entry, status, diagnostic));
            }
        }
    }
    (callable, excluded)
}

/// A tool with a wrong configuration is disabled, one that is broken itself has failed.
pub(super) fn status_of(problem: &Diagnostic) -> Status {
    if problem.stage == Stage::ConfigSchema { Status::Disabled } else { Status::Failed }
}

type Doubles = HashMap<(Layer, ToolName), Vec<String>>;

/// Names that a layer has more than once, with the files.
fn doubles(entries: &[ToolEntry]) -> Doubles {
    let mut files: Doubles = HashMap::new();
    for entry in entries {
        let key = (entry.plugin().layer(), entry.embedded().name.clone());
        files.entry(key).or_default().push(entry.plugin().file().display().to_string());
    }
    files.retain(|_, files| files.len() > 1);
    files
}

fn double(name: &ToolName, files: &[String]) -> Diagnostic {
    let message =
        format!("`{name}` is offered twice in this layer, by `{}`: neither is used", files.join("` and `"));
    Diagnostic::new(Stage::Register, message, "remove one of the files, or rename one of the tools")
        .field("/tools")
}

fn switched_off(name: &ToolName) -> Diagnostic {
    let message = format!("it is switched off by `tools.{name}.enabled = false`");
    Diagnostic::new(Stage::ConfigSchema, message, "set it to true in config.toml to use the tool")
        .field("/enabled")
}
