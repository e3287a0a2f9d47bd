//! Names the part of a body that contains a value, without content.

mod words;

use std::fmt;
use std::sync::Arc;

use crate::json::{Kind, Value};
use words::{NAMES, PARTS};

/// The place of a text in a body, without content: `messages[user].content[tool_result].content`.
///
/// It consists only of names, roles and part types of the wire formats. Other member names are `*`,
/// and anything deeper than twelve of these has the name of its container.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(Arc<str>);

impl Field {
    /// The field as it is written in an audit trail.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is masked outside the body: the query, and the metadata header.
    pub(crate) fn head() -> Self {
        Self("head".into())
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Most fields are no longer.
const USUAL_LENGTH: usize = 64;

/// The most names and list markers in a field.
const DEEPEST: usize = 12;

/// The fields of what begins at these offsets of a document. They are in order, and so are the fields.
pub(crate) fn fields(root: Value<'_>, starts: &[usize]) -> Vec<Field> {
    let mut naming = Naming {
        path: String::with_capacity(USUAL_LENGTH),
        fields: Vec::with_capacity(starts.len()),
    };
    naming.value(root, starts, 0);
    naming.fields
}

struct Naming {
    path: String,
    fields: Vec<Field>,
}

impl Naming {
    fn value(&mut self, value: Value<'_>, starts: &[usize], depth: usize) {
        if depth == 0 && value.kind() == Kind::String {
            self.path.push_str("body");
        }
        match value.kind() {
            Kind::Object if depth < DEEPEST => self.members(value, starts, depth),
            Kind::Array if depth < DEEPEST => self.elements(value, starts, depth),
            _ => self.named(starts),
        }
    }

    fn members(&mut self, object: Value<'_>, mut starts: &[usize], depth: usize) {
        for (key, member) in object.members() {
            if starts.is_empty() {
                return;
            }
            let (of_key, of_member) = (
                before(&mut starts, key.end()),
                before(&mut starts, member.end()),
            );
            if of_key.is_empty() && of_member.is_empty() {
                continue;
            }
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(known(NAMES, &key.text()).unwrap_or("*"));
            self.value(member, of_member, depth + 1);
            if !of_key.is_empty() {
                self.path.push_str(":name");
                self.named(of_key);
            }
            self.path.truncate(length);
        }
    }

    fn elements(&mut self, array: Value<'_>, mut starts: &[usize], depth: usize) {
        for element in array.elements() {
            if starts.is_empty() {
                return;
            }
            let inside = before(&mut starts, element.end());
            if inside.is_empty() {
                continue;
            }
            let length = self.path.len();
            self.path.push('[');
            self.path.push_str(part(element).unwrap_or_default());
            self.path.push(']');
            self.value(element, inside, depth + 1);
            self.path.truncate(length);
        }
    }

    fn named(&mut self, starts: &[usize]) {
        let field = || Field(self.path.as_str().into());
        self.fields.extend(starts.iter().map(|_| field()));
    }
}

/// Removes the offsets before this one from the front.
fn before<'s>(starts: &mut &'s [usize], end: usize) -> &'s [usize] {
    let (inside, rest) = starts.split_at(starts.partition_point(|start| *start < end));
    *starts = rest;
    inside
}

/// The kind of a list element: the role of a message, or the type of a part.
fn part(element: Value<'_>) -> Option<&'static str> {
    let is = |name: &str| known(PARTS, &element.member(name)?.text());
    is("role").or_else(|| is("type"))
}

/// A name as the list has it.
fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    let at = names.binary_search(&name).ok()?;
    names.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn of(body: &str, values: &[&str]) -> Vec<String> {
        let tape = Tape::scan(body, 256).unwrap();
        let mut starts: Vec<_> = values
            .iter()
            .map(|value| body.find(value).unwrap())
            .collect();
        starts.sort_unstable();
        let fields = fields(tape.root(body), &starts);
        fields.into_iter().map(|field| field.to_string()).collect()
    }

    #[test]
    fn lists_are_sorted() {
        assert!(NAMES.is_sorted() && PARTS.is_sorted());
    }

    #[test]
    fn a_field_name_includes_role_and_part_type() {
        let body = r#"{"system": "S1", "messages": [{"role": "user", "content": "U1"},
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "T1"}]}]}],
            "tools": [{"name": "t", "input_schema": {"properties": {"a": {"description": "D1"}}}}]}"#;
        assert_eq!(
            of(body, &["\"S1", "\"U1", "\"T1", "\"D1"]),
            [
                "system",
                "messages[user].content",
                "messages[user].content[tool_result].content[text].text",
                "tools[].input_schema.properties.*.description",
            ]
        );
    }

    /// Member names, roles and types that the client made up may be someone's data.
    #[test]
    fn field_names_contain_no_names_made_up_by_clients() {
        let body = r#"{"metadata": {"bob@example.com": {"v": "V1"}, "carl@example.com": "x"},
            "input": [{"role": "dora@example.com", "type": "eve", "text": "W1"}]}"#;
        assert_eq!(
            of(body, &["\"V1", "\"carl", "\"W1"]),
            ["metadata.*.*", "metadata.*:name", "input[].text"]
        );
    }

    #[test]
    fn field_names_stay_short_in_deep_bodies() {
        for (open, close) in [("[", "]"), ("{\"content\":", "}")] {
            let body = format!(
                "{{\"input\":{}\"V1\"{}}}",
                open.repeat(200),
                close.repeat(200)
            );
            let [field] = &of(&body, &["\"V1"])[..] else {
                panic!()
            };
            assert!(field.len() < 120, "{field}");
        }
    }
}
