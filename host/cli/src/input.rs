//! From what a person types to JSON arguments.

use crate::failure::{Exit, Failure};
use serde_json::{Map, Value};
use std::io::Read;
use stud_host::{MAX_ARGUMENTS, ToolDescription};

/// `--input`: JSON as it is, `@FILE`, or `@-` for standard input.
pub(crate) fn from_flag(text: &str) -> Result<String, Failure> {
    let Some(file) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Usage, format!("the input `{file}` cannot be read: {error}"))
    };
    let mut read = String::new();
    // One byte more than is taken is enough to say that it is too much.
    let most = MAX_ARGUMENTS as u64 + 1;
    if file == "-" {
        std::io::stdin().take(most).read_to_string(&mut read).map_err(failed)?;
    } else {
        std::fs::File::open(file).map_err(failed)?.take(most).read_to_string(&mut read).map_err(failed)?;
    }
    Ok(read)
}

/// `key=value` pairs, typed as the tool's schema says; without a schema every value is a text.
pub(crate) fn from_pairs(tool: Option<&ToolDescription>, pairs: &[String]) -> Result<String, Failure> {
    let mut map = Map::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            let hint = "write it as key=value, or pass all arguments with --input '{…}'";
            return Err(Failure::new(Exit::Usage, format!("`{pair}` is no argument")).hint(hint));
        };
        if map.insert(key.to_owned(), typed(tool, key, value)).is_some() {
            return Err(Failure::new(Exit::Usage, format!("`{key}` is given twice")).hint("give it once"));
        }
    }
    Ok(Value::Object(map).to_string())
}

fn typed(tool: Option<&ToolDescription>, key: &str, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    let Some(tool) = tool else { return text() };
    let canonical = tool.argument_aliases.get(key).map_or(key, String::as_str);
    match tool.input_schema["properties"][canonical]["type"].as_str() {
        // What cannot be read as its type stays a text: the validation then says what was expected.
        Some("integer" | "number" | "boolean" | "array" | "object" | "null") => {
            serde_json::from_str(value).unwrap_or_else(|_| text())
        }
        _ => text(),
    }
}
