//! JSON Schemas of tools: descriptions are text, the rest constrains the model (R4).

use super::Form;
use super::walk::{Sink, Subtree, any};
use crate::json::{Kind, Value};

/// How a keyword's value is read.
enum Keyword {
    /// Text, or a list of texts.
    Text,
    /// Any JSON, named by the property that the schema describes.
    Example,
    /// Schemas by name.
    Named,
    /// Schemas, or lists of property names, by property name.
    Dependencies,
    /// Schemas by property name.
    Properties,
    /// A schema, or a list of schemas.
    Schema,
    /// Words that the sampler or another schema holds on to.
    Left,
    /// Such words by property name.
    Names,
    /// An annotation that is not known.
    Unknown,
}

fn keyword(name: &str) -> Keyword {
    match name {
        "description" | "title" | "$comment" => Keyword::Text,
        "default" | "example" | "examples" => Keyword::Example,
        "properties" => Keyword::Properties,
        "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => Keyword::Named,
        "dependencies" => Keyword::Dependencies,
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "anyOf"
        | "oneOf"
        | "allOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "contentSchema" => Keyword::Schema,
        "type" | "enum" | "const" | "pattern" | "format" | "required" | "$ref" | "$id"
        | "$schema" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef"
        | "$vocabulary" | "id" | "contentEncoding" | "contentMediaType" => Keyword::Left,
        "discriminator" | "dependentRequired" => Keyword::Names,
        _ => Keyword::Unknown,
    }
}

/// Reads what should be a schema, and is data if it does not look like one.
pub(super) fn read<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Option<Value<'t>>) {
    if S::READS_ALL || !looks_like_schema(value) {
        return any(sink, value, name, Subtree::Any);
    }
    walk(sink, value, name);
}

/// Walks a schema. `name` is the property that it describes.
pub(super) fn walk<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Option<Value<'t>>) {
    match value.kind() {
        Kind::Object => {
            for (key, member) in value.members() {
                member_of(sink, value, key, member, name);
            }
        }
        Kind::Array => value
            .elements()
            .for_each(|element| walk(sink, element, name)),
        _ => any(sink, value, name, Subtree::Shapeless),
    }
}

fn member_of<'t, S: Sink<'t>>(
    sink: &mut S,
    schema: Value<'t>,
    key: Value<'t>,
    member: Value<'t>,
    name: Option<Value<'t>>,
) {
    match keyword(&key.text()) {
        Keyword::Left => left(sink, member, Some(key)),
        Keyword::Names => names(sink, member),
        Keyword::Text if member.is_string() => sink.leaf(member, None, Form::Text),
        Keyword::Text => any(sink, member, None, Subtree::Shapeless),
        Keyword::Example if is_enumerated(schema, member) => {}
        Keyword::Example => any(sink, member, name, Subtree::Any),
        Keyword::Schema => walk(sink, member, name),
        Keyword::Named => named(sink, member, |_, _| {}),
        Keyword::Dependencies => dependencies(sink, member),
        Keyword::Properties => named(sink, member, S::declared),
        Keyword::Unknown => any(sink, member, Some(key), Subtree::Any),
    }
}

/// Strings bind the model; an object among them is data.
fn left<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Option<Value<'t>>) {
    match value.kind() {
        Kind::Array => value
            .elements()
            .for_each(|element| left(sink, element, name)),
        Kind::Object => any(sink, value, name, Subtree::Any),
        _ => {}
    }
}

fn names<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>) {
    for (key, member) in value.members() {
        // The schemas that a discriminator selects.
        if key.is_text("mapping") {
            names(sink, member);
        } else {
            left(sink, member, Some(key));
        }
    }
}

fn named<'t, S: Sink<'t>>(
    sink: &mut S,
    schemas: Value<'t>,
    mut visit: impl FnMut(&mut S, Value<'t>),
) {
    if !schemas.is_object() || is_schema(schemas) {
        return walk(sink, schemas, None);
    }
    for (key, schema) in schemas.members() {
        visit(sink, key);
        walk(sink, schema, Some(key));
    }
}

fn dependencies<'t, S: Sink<'t>>(sink: &mut S, schemas: Value<'t>) {
    for (key, schema) in schemas.members().filter(|(_, value)| !value.is_array()) {
        walk(sink, schema, Some(key));
    }
}

/// Whether a schema is in the place of names: its type is a word, not what a name stands for.
fn is_schema(value: Value<'_>) -> bool {
    value.member("type").is_some_and(Value::is_string)
}

/// Whether JSON in the place of a schema is one.
pub(super) fn looks_like_schema(value: Value<'_>) -> bool {
    const TYPES: [&str; 7] = [
        "object", "string", "array", "number", "integer", "boolean", "null",
    ];
    let is_type = |value: Value<'_>| {
        let text = value.text();
        TYPES.iter().any(|name| name.eq_ignore_ascii_case(&text))
    };
    value.members().any(|(key, member)| match &*key.text() {
        "type" => is_type(member) || member.elements().any(is_type),
        "properties" | "$defs" => member.is_object(),
        "anyOf" | "oneOf" | "allOf" => member.is_array(),
        "$ref" | "$schema" => member.is_string(),
        _ => false,
    })
}

/// Whether an example is one of the values that the schema allows: it must stay one of them.
fn is_enumerated(schema: Value<'_>, example: Value<'_>) -> bool {
    let text = example.text();
    example.is_string()
        && schema
            .member("enum")
            .is_some_and(|values| values.elements().any(|value| value.is_text(&text)))
}
