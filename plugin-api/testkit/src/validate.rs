//! Arguments against a schema of the subset. The real host has a full validator; this one knows what the subset says.

use serde_json::{Map, Value};

/// What is wrong with these arguments under a schema of the subset (C5); empty when nothing is. Each text starts with
/// the place as a JSON pointer. `format` is an annotation and not checked.
#[must_use]
pub fn check_arguments(schema: &Value, arguments: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, arguments, "", &mut problems);
    problems
}

fn check(schema: &Value, value: &Value, pointer: &str, problems: &mut Vec<String>) {
    let mut problem = |text: String| {
        let place = if pointer.is_empty() { "the arguments" } else { pointer };
        problems.push(format!("{place}: {text}"));
    };
    if let Some(wanted) = schema.get("type").and_then(Value::as_str)
        && !has_type(value, wanted)
    {
        return problem(format!("expected {wanted}, got {value}"));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        problem(format!("{value} is none of {}", Value::Array(allowed.clone())));
    }
    if let Some(number) = value.as_f64() {
        for (keyword, holds) in [
            ("minimum", (|n, bound| n >= bound) as fn(f64, f64) -> bool),
            ("maximum", |n, bound| n <= bound),
            ("exclusiveMinimum", |n, bound| n > bound),
            ("exclusiveMaximum", |n, bound| n < bound),
            ("multipleOf", |n, step| (n / step).fract() == 0.0),
        ] {
            if let Some(bound) = schema.get(keyword).and_then(Value::as_f64)
                && !holds(number, bound)
            {
                problem(format!("{value} breaks `{keyword}` {bound}"));
            }
        }
    }
    let (length, bounds) = match value {
        Value::String(text) => (text.chars().count(), ["minLength", "maxLength"]),
        Value::Array(items) => (items.len(), ["minItems", "maxItems"]),
        Value::Object(map) => (map.len(), ["minProperties", "maxProperties"]),
        _ => return,
    };
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    if bound(bounds[0]).is_some_and(|least| (length as u64) < least)
        || bound(bounds[1]).is_some_and(|most| (length as u64) > most)
    {
        problem(format!("a length of {length} breaks `{}` or `{}`", bounds[0], bounds[1]));
    }
    match value {
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                check(schema, item, &format!("{pointer}/{index}"), problems);
            }
        }
        Value::Object(map) => object(schema, map, pointer, problems),
        _ => {}
    }
}

fn object(schema: &Value, map: &Map<String, Value>, pointer: &str, problems: &mut Vec<String>) {
    let known = schema.get("properties").and_then(Value::as_object);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if name.as_str().is_some_and(|name| !map.contains_key(name)) {
            problems.push(format!("{pointer}: {name} is required and missing"));
        }
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in map {
        match known.and_then(|known| known.get(name)) {
            Some(schema) => check(schema, value, &format!("{pointer}/{name}"), problems),
            None if closed => problems.push(format!("{pointer}/{name}: there is no such property")),
            None => {}
        }
    }
}

fn has_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn d8_each_field_that_is_wrong_is_named() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {
                "a": {"type": "string", "minLength": 2}, "n": {"type": "integer", "minimum": 1, "maximum": 9},
                "l": {"type": "array", "items": {"enum": ["x", "y"]}},
            },
        });
        assert_eq!(check_arguments(&schema, &json!({"a": "äö", "n": 9, "l": ["x"]})), [""; 0]);
        for (args, expected) in [
            (json!({}), ": \"a\" is required and missing"),
            (json!([]), "the arguments: expected object, got []"),
            (json!({"a": "x"}), "/a: a length of 1 breaks `minLength` or `maxLength`"),
            (json!({"a": 1}), "/a: expected string, got 1"),
            (json!({"a": "xx", "n": 0}), "/n: 0 breaks `minimum` 1"),
            (json!({"a": "xx", "n": 1.5}), "/n: expected integer, got 1.5"),
            (json!({"a": "xx", "l": ["x", "z"]}), "/l/1: \"z\" is none of [\"x\",\"y\"]"),
            (json!({"a": "xx", "b": 1}), "/b: there is no such property"),
        ] {
            assert_eq!(check_arguments(&schema, &args), [expected], "{args}");
        }
    }
}
