use crate::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use stud_contract::{CallOutput, ToolDescription, ToolName};

/// What a tool does, given its arguments. `#[tool]` on a function writes this; on a struct, the author does.
pub trait Run: Sized {
    /// What it returns: a text as it is, anything else as JSON. Its schema is told to the model.
    type Output: Serialize + JsonSchema;

    /// Runs once, on a thread of its own that may block. A new value of `Self` is made for each call.
    ///
    /// # Errors
    /// Whatever goes wrong: the message is what the model reads.
    fn run(self, ctx: &Context) -> Result<Self::Output>;
}

/// A tool with its contract. Written by `#[tool]`, never by hand.
pub trait Tool: Run + DeserializeOwned + JsonSchema {
    /// The tool's name.
    const NAME: &'static str;
    /// Its part of the embedded contract, in JSON.
    const EMBEDDED: &'static str;

    /// Texts and schemas that are only known to running code.
    fn describe() -> ToolText;

    /// What an approval of this call is remembered under.
    ///
    /// # Errors
    /// The arguments are not the tool's.
    fn approval_key(args: Value) -> Result<String>;
}

/// What the macro knows of a tool beyond its embedded part.
pub struct ToolText {
    /// The doc comment.
    pub description: &'static str,
    /// Other name and canonical name of arguments.
    pub argument_aliases: &'static [(&'static str, &'static str)],
    /// The schema of its configuration.
    pub config_schema: Option<Value>,
    /// Arguments that make sense.
    pub examples: Vec<Value>,
}

/// Arguments as the tool's type.
///
/// # Errors
/// They are not of that type.
pub fn arguments_from_value<T: Tool>(args: Value) -> Result<T> {
    serde_json::from_value(args).map_err(|error| mismatch::<T>(&error))
}

fn mismatch<T: Tool>(error: &serde_json::Error) -> crate::Error {
    // The host has validated against the schema; what still fails here are the type's own rules.
    crate::Error::invalid(format!("`{}` does not take these arguments: {error}", T::NAME))
}

pub(crate) fn call<T: Tool>(args: &RawValue, ctx: &Context) -> Result<CallOutput> {
    let tool: T = serde_json::from_str(args.get()).map_err(|error| mismatch::<T>(&error))?;
    let output = tool.run(ctx)?;
    let (text, structured) = match serde_json::to_value(&output)? {
        Value::String(text) => (text, None),
        Value::Null => ("done".to_owned(), None),
        value @ (Value::Object(_) | Value::Array(_)) => (serde_json::to_string_pretty(&value)?, Some(value)),
        scalar => (scalar.to_string(), Some(scalar)),
    };
    Ok(CallOutput { text, structured, metadata: Map::new() })
}

pub(crate) fn describe<T: Tool>() -> Option<ToolDescription> {
    let text = T::describe();
    Some(ToolDescription {
        name: ToolName::new(T::NAME).ok()?,
        description: text.description.to_owned(),
        input_schema: crate::schema::schema_of::<T>(),
        output_schema: Some(crate::schema::schema_of::<T::Output>()),
        config_schema: text.config_schema,
        argument_aliases: text
            .argument_aliases
            .iter()
            .map(|(alias, canonical)| ((*alias).to_owned(), (*canonical).to_owned()))
            .collect(),
        examples: text.examples,
    })
}
