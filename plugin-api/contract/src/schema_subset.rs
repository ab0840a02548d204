//! The part of JSON Schema that every model provider accepts (C5), as an allow-list.
//!
//! Host and testkit both ask here, so that an author's tests refuse exactly what a host would refuse.

use serde_json::{Map, Value};
use std::fmt;

/// How deep schemas may be nested. Far more than a model can fill in, far less than a stack holds.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// How many problems are listed at most: a hostile schema must not make a report without end.
const MAX_PROBLEMS: usize = 100;

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "null", "object", "array"];

/// One place of a schema that is outside the subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Where: a JSON pointer (RFC 6901) into the schema; empty for the root.
    pub pointer: String,
    /// What is wrong there, and what to write instead.
    pub message: String,
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "(root)" } else { &self.pointer };
        write!(f, "{pointer}: {}", self.message)
    }
}

/// Everything in an input schema that is outside the subset; empty when there is nothing to complain about.
///
/// The root has to be `"type": "object"`: arguments are named. Costs one walk over the schema; schemas nested deeper
/// than [`MAX_SCHEMA_DEPTH`] are refused without going on.
#[must_use]
pub fn check_subset(schema: &Value) -> Vec<SchemaProblem> {
    let mut checker = Checker { pointer: String::new(), problems: Vec::new() };
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {}
        _ if !schema.is_object() => {}
        _ => checker.problem(
            "a tool's arguments have names: the root of its schema needs `\"type\": \"object\"` (take a struct)",
        ),
    }
    checker.schema(schema, 0);
    checker.problems
}

struct Checker {
    /// Where the walk is, escaped.
    pointer: String,
    problems: Vec<SchemaProblem>,
}

impl Checker {
    fn problem(&mut self, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(SchemaProblem { pointer: self.pointer.clone(), message: message.into() });
        }
    }

    /// Runs `body` one step deeper.
    fn at(&mut self, step: &str, body: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        for c in step.chars() {
            match c {
                '~' => self.pointer.push_str("~0"),
                '/' => self.pointer.push_str("~1"),
                c => self.pointer.push(c),
            }
        }
        body(self);
        self.pointer.truncate(length);
    }

    fn schema(&mut self, schema: &Value, depth: usize) {
        if depth > MAX_SCHEMA_DEPTH {
            return self
                .problem(format!("schemas may be nested {MAX_SCHEMA_DEPTH} deep at most: flatten it"));
        }
        let Value::Object(map) = schema else {
            return self.problem(format!("a schema is an object here, this is {}", kind(schema)));
        };
        for (keyword, value) in map {
            self.at(keyword, |this| this.keyword(map, keyword, value, depth));
        }
    }

    fn keyword(&mut self, map: &Map<String, Value>, keyword: &str, value: &Value, depth: usize) {
        match keyword {
            "type" => self.type_name(value),
            "properties" => self.properties(value, depth),
            "required" => self.required(map, value),
            "items" => match value {
                Value::Array(_) => self.problem(
                    "a tuple of schemas is not accepted: give one schema for all items, or an object",
                ),
                schema => self.schema(schema, depth + 1),
            },
            "enum" => match value {
                Value::Array(values) if !values.is_empty() => {}
                Value::Array(_) => self.problem("an enum without values accepts nothing: list at least one"),
                other => self.problem(format!("`enum` is a list of values, this is {}", kind(other))),
            },
            "description" | "title" | "format" => {
                if !value.is_string() {
                    self.problem(format!("`{keyword}` is a text, this is {}", kind(value)));
                }
            }
            // Any value is a default.
            "default" => {}
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                if !value.is_number() {
                    self.problem(format!("`{keyword}` is a number, this is {}", kind(value)));
                }
            }
            "multipleOf" => {
                if value.as_f64().is_none_or(|n| n <= 0.0) {
                    self.problem("`multipleOf` is a number above 0");
                }
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                if value.as_u64().is_none() {
                    self.problem(format!("`{keyword}` is a whole number from 0 on"));
                }
            }
            "additionalProperties" => {
                if !value.is_boolean() {
                    self.problem(
                        "`additionalProperties` is true or false here: for free keys take a list of objects with \
                         `key` and `value`",
                    );
                }
            }
            other => self.problem(refusal(other)),
        }
    }

    fn type_name(&mut self, value: &Value) {
        match value {
            Value::String(name) if TYPES.contains(&name.as_str()) => {}
            Value::String(name) => {
                let shown: String = name.chars().take(40).collect();
                self.problem(format!("{shown:?} is no type: use one of {}", TYPES.join(", ")));
            }
            Value::Array(_) => self.problem(
                "a list of types is not accepted: name one, and leave the property out of `required` if it may be missing",
            ),
            other => self.problem(format!("`type` is one name, this is {}", kind(other))),
        }
    }

    fn properties(&mut self, value: &Value, depth: usize) {
        let Value::Object(children) = value else {
            return self.problem(format!("`properties` is an object of schemas, this is {}", kind(value)));
        };
        for (name, schema) in children {
            self.at(name, |this| this.schema(schema, depth + 1));
        }
    }

    fn required(&mut self, map: &Map<String, Value>, value: &Value) {
        let Value::Array(names) = value else {
            return self.problem(format!("`required` is a list of property names, this is {}", kind(value)));
        };
        let properties = map.get("properties").and_then(Value::as_object);
        for (index, name) in names.iter().enumerate() {
            self.at(&index.to_string(), |this| match name {
                Value::String(name) if properties.is_some_and(|known| known.contains_key(name)) => {}
                Value::String(name) => {
                    let shown: String = name.chars().take(80).collect();
                    this.problem(format!(
                        "{shown:?} is required and not among the `properties`: describe it there"
                    ));
                }
                other => this.problem(format!("a property name is a text, this is {}", kind(other))),
            });
        }
    }
}

/// Why a keyword is refused, and what to do about it.
fn refusal(keyword: &str) -> String {
    let shown: String = keyword.chars().take(40).collect();
    let remedy = match keyword {
        "$ref" | "$defs" | "definitions" | "$dynamicRef" | "$id" | "$anchor" => {
            "write the schema out where it is used (a type that contains itself cannot be an argument)"
        }
        "oneOf" | "anyOf" => {
            "take an enum without data, or one object with optional properties and a property that says which case it is"
        }
        "allOf" => "merge the parts into one object",
        "not" | "if" | "then" | "else" | "dependentRequired" | "dependentSchemas" => {
            "say it in the description and check it in the tool"
        }
        "patternProperties" | "propertyNames" | "unevaluatedProperties" => {
            "for free keys take a list of objects with `key` and `value`"
        }
        "prefixItems" | "contains" | "additionalItems" | "uniqueItems" => {
            "give one schema for all items, and check the rest in the tool"
        }
        "const" => "write an `enum` with one value",
        "pattern" => "say it in the description and check it in the tool",
        "nullable" => "leave the property out of `required` instead",
        "examples" | "example" => "give examples of the whole call with `examples(...)` of #[tool]",
        _ => "leave it out",
    };
    format!("`{shown}` is not accepted by every model provider: {remedy}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: &Value, pointers: &[&str]) -> Vec<SchemaProblem> {
        let problems = check_subset(schema);
        let found: Vec<&str> = problems.iter().map(|p| p.pointer.as_str()).collect();
        assert_eq!(found, pointers, "{problems:#?}");
        problems
    }

    fn with_property(property: Value) -> Value {
        json!({"type": "object", "properties": {"a": property}})
    }

    #[test]
    fn c5_the_whole_subset_is_accepted() {
        let schema = json!({
            "type": "object", "title": "t", "description": "d", "additionalProperties": false,
            "minProperties": 1, "maxProperties": 9, "required": ["text"],
            "properties": {
                "text": {"type": "string", "format": "date", "minLength": 1, "maxLength": 2, "default": "x", "enum": ["x"]},
                "number": {"type": "number", "minimum": -1.5, "maximum": 2, "exclusiveMinimum": -2, "exclusiveMaximum": 3, "multipleOf": 0.5},
                "list": {"type": "array", "items": {"type": "integer"}, "minItems": 0, "maxItems": 3},
                "flag": {"type": "boolean"}, "nothing": {"type": "null"}, "anything": {},
                "$ref": {"type": "object", "properties": {"oneOf": {"type": "string"}}},
            },
        });
        check(&schema, &[]);
    }

    #[test]
    fn c5_refused_keywords_are_named_with_their_place_and_a_remedy() {
        for keyword in [
            "$ref",
            "oneOf",
            "anyOf",
            "allOf",
            "not",
            "if",
            "then",
            "else",
            "patternProperties",
            "const",
            "pattern",
            "$defs",
            "prefixItems",
            "x-mine",
        ] {
            let problems =
                check(&with_property(json!({keyword: {}})), &[&format!("/properties/a/{keyword}")]);
            assert!(problems[0].message.starts_with(&format!("`{keyword}` is not accepted")), "{problems:?}");
            assert!(problems[0].message.contains(": "), "{problems:?}");
        }
        check(
            &with_property(json!({"type": "object", "additionalProperties": {"type": "string"}})),
            &["/properties/a/additionalProperties"],
        );
    }

    #[test]
    fn c5_pointers_are_escaped() {
        let schema =
            json!({"type": "object", "properties": {"a/b~c": {"items": {"not": {}}}, "": {"$ref": "#"}}});
        check(&schema, &["/properties/a~1b~0c/items/not", "/properties//$ref"]);
    }

    #[test]
    fn c5_keywords_of_the_wrong_form_are_refused() {
        for property in [
            json!({"type": ["string", "null"]}),
            json!({"type": "text"}),
            json!({"type": 1}),
            json!({"items": [{}]}),
            json!({"items": true}),
            json!({"enum": []}),
            json!({"enum": "x"}),
            json!({"minimum": "1"}),
            json!({"minLength": -1}),
            json!({"multipleOf": 0}),
            json!({"description": 1}),
            json!({"properties": []}),
            json!({"required": "x"}),
        ] {
            let keyword = property.as_object().unwrap().keys().next().unwrap().clone();
            check(&with_property(property), &[&format!("/properties/a/{keyword}")]);
        }
        check(
            &with_property(json!({"required": ["x", 1], "properties": {}})),
            &["/properties/a/required/0", "/properties/a/required/1"],
        );
        check(&with_property(json!(true)), &["/properties/a"]);
    }

    #[test]
    fn c5_the_root_is_an_object() {
        for schema in
            [json!({}), json!({"type": "string"}), json!({"type": ["object"]}), json!(true), json!(null)]
        {
            assert!(
                check_subset(&schema).iter().any(|p| p.pointer.is_empty() || p.pointer == "/type"),
                "{schema}"
            );
        }
    }

    #[test]
    fn c5_hostile_schemas_end_soon() {
        // As deep as serde_json lets a text be.
        let deep = (0..120).fold(json!({"type": "string"}), |inner, _| json!({"items": inner}));
        let problems = check_subset(&with_property(deep));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("64 deep"), "{problems:?}");
        let many: Map<String, Value> = (0..5_000).map(|i| (format!("p{i}"), json!({"$ref": "#"}))).collect();
        assert_eq!(check_subset(&json!({"type": "object", "properties": many})).len(), MAX_PROBLEMS);
    }
}
