use crate::fail::fail;
use crate::plugin::{self, embedded};
use crate::{TestHost, check_arguments};
use serde_json::Value;
use std::fmt;
use stud_contract::{EmbeddedTool, SideEffects, ToolDescription, check_subset};
use stud_plugin_api::Tool;

/// The longest approval key, in bytes (C8).
const MAX_KEY_BYTES: usize = 1024;

/// Something about a tool that a host refuses, or that a model stumbles over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule of stud's specification that is broken, such as `C5`.
    pub rule: &'static str,
    /// What is wrong, where, and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)
    }
}

/// Fails the test with a list of all that [`conformance`] finds.
///
/// # Panics
/// The tool does not conform.
#[track_caller]
pub fn assert_conforms<T: Tool>() {
    let problems: Vec<String> = conformance::<T>().iter().map(|problem| format!("\n  {problem}")).collect();
    if !problems.is_empty() {
        fail(format!("`{}` does not conform:{}", T::NAME, problems.concat()));
    }
}

/// Checks what a tool says about itself: names, texts, schemas, aliases, examples, and the approval keys of the
/// examples. Runs the tool's key function, never the tool.
#[must_use]
#[track_caller]
pub fn conformance<T: Tool>() -> Vec<Problem> {
    let tool = embedded::<T>();
    let description = plugin::describe::<T>();
    let mut problems = Vec::new();
    texts(&tool, &description, &mut problems);
    input_schema(&description, &mut problems);
    aliases(&description, &mut problems);
    let host = TestHost::new();
    for (index, example) in description.examples.iter().enumerate() {
        let found = check_arguments(&description.input_schema, example);
        problems.extend(found.into_iter().map(|text| problem("C1", format!("example {index}: {text}"))));
        let key = || host.approval_key::<T>(example.clone());
        match (key(), key()) {
            (Ok(first), Ok(second)) => {
                if first != second {
                    let message = format!(
                        "example {index}: the approval key is {first:?}, then {second:?}: leave out what changes between calls"
                    );
                    problems.push(problem("C8", message));
                }
                problems.extend(
                    check_approval_key(&first).map(|text| problem("C8", format!("example {index}: {text}"))),
                );
            }
            (Err(error), _) | (_, Err(error)) => {
                problems.push(problem(
                    "C8",
                    format!("example {index}: the approval key fails: {}", error.message),
                ));
            }
        }
    }
    problems
}

/// What is wrong with an approval key (C8), if anything.
#[must_use]
pub fn check_approval_key(key: &str) -> Option<String> {
    if key.is_empty() {
        return Some(
            "the approval key is empty: use `.` for the workspace root, or the tool's name".to_owned(),
        );
    }
    if key.chars().any(char::is_control) {
        return Some(format!("the approval key {key:?} has control characters"));
    }
    (key.len() > MAX_KEY_BYTES)
        .then(|| format!("the approval key has {} bytes, {MAX_KEY_BYTES} are allowed", key.len()))
}

fn problem(rule: &'static str, message: impl Into<String>) -> Problem {
    Problem { rule, message: message.into() }
}

fn texts(tool: &EmbeddedTool, description: &ToolDescription, problems: &mut Vec<Problem>) {
    if description.description.trim().is_empty() {
        problems.push(problem("C1", "the description is empty: write a doc comment"));
    }
    if tool.category.trim().is_empty() {
        problems.push(problem("C1", "the category is empty: leave it out, or name one"));
    }
    for (index, other) in tool.other_names.iter().enumerate() {
        if *other == tool.name || tool.other_names[..index].contains(other) {
            problems.push(problem("C10", format!("`{other}` is given twice as a name of this tool")));
        }
    }
    if !tool.gated && tool.side_effects > SideEffects::Read {
        let message = format!(
            "a tool of class {} cannot skip approval outside the bundled layer: leave `gated = false` out",
            tool.side_effects
        );
        problems.push(problem("C7", message));
    }
}

fn input_schema(description: &ToolDescription, problems: &mut Vec<Problem>) {
    let found = check_subset(&description.input_schema);
    problems.extend(found.into_iter().map(|found| problem("C5", format!("input schema, {found}"))));
    let properties = description.input_schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if schema.get("description").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
            let message =
                format!("argument `{name}` has no description: write a doc comment, the model reads it");
            problems.push(problem("C1", message));
        }
    }
    if let Some(config) = &description.config_schema
        && config.get("type").and_then(Value::as_str) != Some("object")
    {
        problems.push(problem("C1", "the configuration is a set of keys: make it a struct"));
    }
}

fn aliases(description: &ToolDescription, problems: &mut Vec<Problem>) {
    let properties = description.input_schema.get("properties").and_then(Value::as_object);
    let known = |name: &str| properties.is_some_and(|known| known.contains_key(name));
    for (alias, canonical) in &description.argument_aliases {
        if !known(canonical) {
            let message = format!("`{alias}` is another name of `{canonical}`, which is no argument");
            problems.push(problem("C1", message));
        }
        if known(alias) {
            problems.push(problem(
                "C1",
                format!("`{alias}` is both an argument and another name of `{canonical}`"),
            ));
        }
    }
}
