//! From a Rust type to a JSON schema in the subset that every model provider takes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The type's schema, inlined and normalised. What the subset cannot say (a map with free keys, an enum with data, a
/// recursive type) stays as it is: the host refuses it and names the place.
#[must_use]
pub fn schema_of<T: JsonSchema + ?Sized>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    normalise(&mut schema);
    if let Value::Object(root) = &mut schema {
        // The name of a Rust type means nothing to a model.
        root.remove("title");
        if root.get("type").and_then(Value::as_str) == Some("object") {
            root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        }
    }
    schema
}

fn normalise(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for noise in ["$schema", "$comment", "examples", "deprecated", "readOnly", "writeOnly"] {
        map.remove(noise);
    }
    drop_null_type(map);
    unwrap_single(map);
    enumerate_constants(map);
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
    for key in ["properties", "$defs"] {
        if let Some(Value::Object(children)) = map.get_mut(key) {
            children.values_mut().for_each(normalise);
        }
    }
    if let Some(items) = map.get_mut("items") {
        normalise(items);
    }
}

/// `["string", "null"]` is how an `Option` is written: here an optional property may simply be left out.
fn drop_null_type(map: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && values.len() > 1
    {
        values.retain(|v| !v.is_null());
    }
}

/// `anyOf: [X, null]` and `allOf: [X]` are X, with the description that stands beside them.
fn unwrap_single(map: &mut Map<String, Value>) {
    for key in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) = map.get(key) else { continue };
        let mut real = branches.iter().filter(|b| b.get("type").and_then(Value::as_str) != Some("null"));
        if let (Some(Value::Object(only)), None) = (real.next(), real.next()) {
            let only = only.clone();
            map.remove(key);
            for (name, value) in only {
                map.entry(name).or_insert(value);
            }
        }
    }
}

/// A `oneOf` of constants is an enum; what is said about each value goes into the description.
fn enumerate_constants(map: &mut Map<String, Value>) {
    if let Some(value) = map.remove("const") {
        map.insert("enum".to_owned(), Value::Array(vec![value]));
    }
    let Some(Value::Array(branches)) = map.get("oneOf") else { return };
    let mut values = Vec::new();
    let mut notes = Vec::new();
    for branch in branches {
        let constants = match (branch.get("const"), branch.get("enum")) {
            (Some(value), _) => vec![value.clone()],
            (None, Some(Value::Array(several))) => several.clone(),
            _ => return,
        };
        if let (Some(note), [Value::String(name)]) =
            (branch.get("description").and_then(Value::as_str), constants.as_slice())
        {
            notes.push(format!("{name}: {}", note.trim_end_matches('.')));
        }
        values.extend(constants);
    }
    let all_text = values.iter().all(Value::is_string);
    map.remove("oneOf");
    if all_text {
        map.insert("type".to_owned(), "string".into());
    }
    map.insert("enum".to_owned(), Value::Array(values));
    if !notes.is_empty() {
        let before =
            map.get("description").and_then(Value::as_str).map_or(String::new(), |text| format!("{text}\n"));
        map.insert("description".to_owned(), format!("{before}{}", notes.join("\n")).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(schemars::JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Arguments {
        /// How often.
        times: Option<u32>,
        unit: Unit,
        maybe: Option<Unit>,
        nested: Vec<Inner>,
    }

    #[derive(schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Unit {
        /// Sixty of them are a minute.
        Second,
        Minute,
    }

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Inner {
        text: String,
    }

    #[test]
    fn c5_options_enums_and_nested_types_become_the_subset() {
        let schema = schema_of::<Arguments>();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["unit", "nested"]));
        let properties = &schema["properties"];
        assert_eq!(properties["times"]["type"], "integer");
        assert_eq!(properties["times"]["description"], "How often.");
        for unit in ["unit", "maybe"] {
            assert_eq!(properties[unit]["type"], "string", "{schema:#}");
            assert_eq!(properties[unit]["enum"].as_array().unwrap().len(), 2);
            let description = properties[unit]["description"].as_str().unwrap();
            assert!(description.contains("second: Sixty of them are a minute"), "{description}");
        }
        assert_eq!(properties["nested"]["items"]["properties"]["text"]["type"], "string");
        let text = schema.to_string();
        for refused in ["$ref", "oneOf", "anyOf", "allOf", "const", "$defs"] {
            assert!(!text.contains(refused), "{refused} in {text}");
        }
    }
}
