//! From the text of the arguments to arguments that an executor accepts.

use crate::registry::CallableTool;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use stud_contract::{ErrorClass, ToolDescription, ToolError};

/// The longest text of arguments, in bytes. A model writes no file of that size in one call, and a person has other ways.
pub const MAX_ARGUMENTS: usize = 8 * 1024 * 1024;

/// How many problems are told at once.
const MAX_PROBLEMS: usize = 10;

/// Arguments that fit their tool's schema, canonical names only. The only thing that an executor accepts.
#[derive(Debug)]
pub struct ValidArgs(Box<RawValue>);

impl ValidArgs {
    /// The arguments as JSON.
    #[must_use]
    pub fn json(&self) -> &RawValue {
        &self.0
    }
}

/// What is wrong with one argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgumentProblem {
    /// Where, as a JSON pointer.
    pub field: String,
    /// What the schema wants there.
    pub expected: String,
    /// What came.
    pub found: String,
}

/// Parses the text. No text at all means no arguments. Nesting is bounded by the parser (128 levels).
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, ToolError> {
    let invalid = |message: String| ToolError::new(ErrorClass::ValidationError, "invalid_json", message);
    if text.len() > MAX_ARGUMENTS {
        let message = format!(
            "the arguments have {} bytes, at most {MAX_ARGUMENTS} are taken: pass less at once",
            text.len()
        );
        return Err(ToolError::new(ErrorClass::ValidationError, "arguments_too_large", message));
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(invalid(format!(
            "the arguments are a JSON object with a key for each argument, not {}",
            shown(&other)
        ))),
        Err(error) => Err(invalid(format!("the arguments are not valid JSON: {error}"))),
    }
}

/// Brings other names of arguments to the canonical ones. Both at once is a contradiction, unless they say the same.
pub(super) fn normalise(
    tool: &ToolDescription,
    mut input: Map<String, Value>,
) -> Result<Map<String, Value>, ToolError> {
    for (alias, canonical) in &tool.argument_aliases {
        let Some(value) = input.remove(alias) else { continue };
        match input.get(canonical) {
            Some(other) if *other != value => {
                let message =
                    format!("`{alias}` is another name of `{canonical}`, and they differ: give one of them");
                return Err(ToolError::new(ErrorClass::ValidationError, "contradiction", message));
            }
            Some(_) => {}
            None => drop(input.insert(canonical.clone(), value)),
        }
    }
    Ok(input)
}

/// Holds the arguments against the schema.
pub(super) fn validate(tool: &CallableTool, mut input: Map<String, Value>) -> Result<ValidArgs, ToolError> {
    drop_null_options(&tool.description, &mut input);
    let input = Value::Object(input);
    if !tool.validator.is_valid(&input) {
        return Err(problems(tool, &input));
    }
    serde_json::value::to_raw_value(&input).map(ValidArgs).map_err(|error| {
        ToolError::new(
            ErrorClass::ValidationError,
            "invalid_json",
            format!("the arguments cannot be written as JSON: {error}"),
        )
    })
}

/// Models often send null for an optional argument: it means that it was left out.
fn drop_null_options(tool: &ToolDescription, input: &mut Map<String, Value>) {
    if !input.values().any(Value::is_null) {
        return;
    }
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let takes_null = |name: &str| tool.input_schema["properties"][name]["type"] == "null";
    let known = |name: &str| tool.input_schema["properties"].get(name).is_some();
    input.retain(|name, value| !value.is_null() || is_required(name) || takes_null(name) || !known(name));
}

fn problems(tool: &CallableTool, input: &Value) -> ToolError {
    let found: Vec<ArgumentProblem> =
        tool.validator.iter_errors(input).take(MAX_PROBLEMS).map(|e| describe_error(&e)).collect();
    let lines: Vec<String> = found
        .iter()
        .map(|p| format!("{}: expected {}, found {}", place(&p.field), p.expected, p.found))
        .collect();
    let names = tool.description.input_schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str());
    let message = format!(
        "`{}` does not take these arguments: {}; its arguments are: {}",
        tool.description.name,
        lines.join("; "),
        names.collect::<Vec<_>>().join(", ")
    );
    ToolError::new(ErrorClass::ValidationError, "invalid_arguments", message)
        .with_details(json!({ "problems": found }))
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the arguments" } else { pointer }
}

/// One validation error as field, expectation and finding.
pub(crate) fn describe_error(error: &ValidationError<'_>) -> ArgumentProblem {
    use ValidationErrorKind as Kind;
    let mut field = error.instance_path().as_str().to_owned();
    let found = shown(error.instance());
    let (expected, found) = match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            field = format!("{field}/{}", escape_pointer(name));
            ("a value: it is required".to_owned(), "nothing".to_owned())
        }
        Kind::AdditionalProperties { unexpected } => {
            let names = unexpected.iter().map(|name| shorten(name)).collect::<Vec<_>>().join("`, `");
            ("no other keys".to_owned(), format!("`{names}`"))
        }
        Kind::Type { kind: TypeKind::Single(one) } => (format!("{one}"), found),
        Kind::Enum { options } => (format!("one of {options}"), found),
        Kind::Minimum { limit } => (format!("at least {limit}"), found),
        Kind::Maximum { limit } => (format!("at most {limit}"), found),
        Kind::ExclusiveMinimum { limit } => (format!("more than {limit}"), found),
        Kind::ExclusiveMaximum { limit } => (format!("less than {limit}"), found),
        Kind::MinLength { limit } => (format!("a text of at least {limit} characters"), found),
        Kind::MaxLength { limit } => (format!("a text of at most {limit} characters"), found),
        Kind::MinItems { limit } => (format!("at least {limit} items"), found),
        Kind::MaxItems { limit } => (format!("at most {limit} items"), found),
        _ => (shorten(&error.masked().to_string()), found),
    };
    ArgumentProblem { field, expected, found }
}

fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A value as it is told: its type, and itself when that is short.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => format!("the number {n}"),
        Value::String(text) => format!("the text {:?}", shorten(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
