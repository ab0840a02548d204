//! What a loaded plugin says about itself, held against its embedded contract.

use crate::diagnostic::{Diagnostic, Stage};
use crate::manifest::Manifest;
use stud_contract::{PluginDescription, SchemaProblem, ToolDescription, check_subset};

/// A tool's description that agrees with the contract and whose schemas are in the subset.
#[derive(Debug, Clone)]
pub struct DescribedTool(ToolDescription);

impl DescribedTool {
    /// The description.
    #[must_use]
    pub fn get(&self) -> &ToolDescription {
        &self.0
    }
}

/// One result per tool of the manifest, in its order: a tool that fails disables itself, not its neighbours.
pub type DescribedTools = Vec<Result<DescribedTool, Diagnostic>>;

/// Checks the bytes that a plugin's `describe` answered.
///
/// # Errors
/// The description is none, or disagrees with the embedded contract: the whole plugin is refused.
pub fn check_description(manifest: &Manifest, bytes: &[u8]) -> Result<DescribedTools, Diagnostic> {
    let plugin = &manifest.contract.plugin.name;
    let wrong = |stage, message: String, remedy: &str| Diagnostic::new(stage, message, remedy).plugin(plugin);
    if bytes.is_empty() {
        let remedy = "run `stud check` on it while developing: describing itself must not panic";
        return Err(wrong(Stage::Load, "the plugin could not describe itself".to_owned(), remedy));
    }
    let description: PluginDescription = serde_json::from_slice(bytes).map_err(|error| {
        wrong(
            Stage::Shape,
            format!("the plugin's description is none: {error}"),
            "rebuild it with stud-plugin-api",
        )
    })?;
    if let Some(field) = first_difference(manifest, &description) {
        let message = "the running plugin and the contract in its file disagree".to_owned();
        let remedy = "do not use it: a contract that differs from the code was not made by `export_plugin!`";
        return Err(wrong(Stage::Shape, message, remedy).field(field));
    }
    Ok(description.tools.into_iter().map(|tool| check_tool(plugin, tool)).collect())
}

/// The JSON pointer of the first place where the two contracts differ.
fn first_difference(manifest: &Manifest, description: &PluginDescription) -> Option<String> {
    let embedded = serde_json::to_value(&manifest.contract).ok()?;
    let described = serde_json::to_value(&description.contract).ok()?;
    if let Some(at) = difference(&embedded, &described, String::new()) {
        return Some(at);
    }
    let names = |i: usize| {
        let left = manifest.contract.tools.get(i).map(|tool| &tool.name);
        (left, description.tools.get(i).map(|tool| &tool.name))
    };
    let count = manifest.contract.tools.len().max(description.tools.len());
    (0..count)
        .find(|i| matches!(names(*i), (left, right) if left != right))
        .map(|i| format!("/tools/{i}/name"))
}

fn difference(left: &serde_json::Value, right: &serde_json::Value, at: String) -> Option<String> {
    use serde_json::Value::{Array, Object};
    match (left, right) {
        (Object(a), Object(b)) => {
            let missing = b.keys().find(|key| !a.contains_key(*key)).map(|key| format!("{at}/{key}"));
            missing.or_else(|| {
                a.iter().find_map(|(key, value)| match b.get(key) {
                    Some(other) => difference(value, other, format!("{at}/{key}")),
                    None => Some(format!("{at}/{key}")),
                })
            })
        }
        (Array(a), Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (x, y))| difference(x, y, format!("{at}/{i}")))
        }
        (a, b) if a == b => None,
        _ => Some(at),
    }
}

fn check_tool(plugin: &str, tool: ToolDescription) -> Result<DescribedTool, Diagnostic> {
    let wrong = |message: String, field: String, remedy: &str| {
        Err(Diagnostic::new(Stage::Register, message, remedy).plugin(plugin).field(field))
    };
    let name = tool.name.clone();
    if tool.description.trim().is_empty() {
        return wrong(
            format!("`{name}` has no description"),
            "/description".to_owned(),
            "write a doc comment: the model reads it",
        );
    }
    let schemas = [("inputSchema", Some(&tool.input_schema)), ("configSchema", tool.config_schema.as_ref())];
    for (key, schema) in schemas {
        let Some(schema) = schema else { continue };
        if let Some(SchemaProblem { pointer, message, .. }) = check_subset(schema).into_iter().next() {
            let message = format!(
                "the {key} of `{name}` is outside the subset that every model provider accepts: {message}"
            );
            return wrong(message, format!("/{key}{pointer}"), "use a simpler argument type");
        }
    }
    let properties = tool.input_schema.get("properties");
    for (alias, canonical) in &tool.argument_aliases {
        let known = |name: &str| properties.is_some_and(|all| all.get(name).is_some());
        if !known(canonical) || known(alias) {
            let message =
                format!("the alias `{alias}` of `{name}` does not lead to an argument, or is one itself");
            return wrong(message, format!("/argumentAliases/{alias}"), "correct `#[arg(alias(…))]`");
        }
    }
    Ok(DescribedTool(tool))
}
