//! Formats one line of the trail for people.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The fields that are shown first, in this order.
const LEADING: [&str; 4] = ["ts", "event", "request_id", "session_id"];

/// Members that every line has and nobody reads.
const UNSHOWN: [&str; 2] = ["version", "epoch"];

/// The fields of a finding that are shown, in this order.
const FINDING: [&str; 4] = ["type", "field", "rule", "count"];

/// A line of the trail, its fields in the order of the file.
#[derive(Debug)]
pub(super) struct Entry(Vec<(String, Value)>);

impl Entry {
    /// Reads a line; none when it is not an event.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let entry: Self = serde_json::from_slice(line).ok()?;
        entry.get("event")?.as_str()?;
        Some(entry)
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }
}

/// Timestamp, event, request id, session id, then `key=value` pairs. A missing leading field is a
/// dash, so that columns stay aligned.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in LEADING.into_iter().enumerate() {
            let shown = self.get(name).map_or(Cow::Borrowed("-"), shown);
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{shown}")?;
        }
        for (name, value) in &self.0 {
            if !LEADING.contains(&name.as_str()) && !UNSHOWN.contains(&name.as_str()) {
                write!(f, " {}={}", printable(name), shown(value))?;
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Entry(fields))
    }
}

fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) if text.is_empty() || text.contains([' ', '"', '=']) => {
            Cow::Owned(printable(&value.to_string()).into_owned())
        }
        Value::String(text) => printable(text),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(",").into(),
        Value::Object(members) if FINDING.iter().all(|name| members.contains_key(*name)) => {
            let members = FINDING.iter().filter_map(|name| members.get(*name));
            members.map(shown).collect::<Vec<_>>().join("/").into()
        }
        _ => Cow::Owned(printable(&value.to_string()).into_owned()),
    }
}

/// A text with every character escaped that a terminal would obey instead of showing it.
pub(in crate::cli) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_obeyed(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Control characters but the tab, and those that turn the direction of text.
fn is_obeyed(character: char) -> bool {
    (character.is_control() && character != '\t')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        Entry::parse(json.as_bytes()).unwrap().to_string()
    }

    #[test]
    fn a_line_is_its_leading_fields_then_pairs_in_order() {
        let json = r#"{"version":1,"ts":"2026-01-02T03:04:05.006Z","epoch":1.5,"event":"session.transform","request_id":"req_1","session_id":"ses_2","entity_counts":["EMAIL:2","SSN:1"],"transformations":3,"findings":[{"type":"SSN","field":"b[c].d","rule":"f","count":3}],"flag":true,"empty":[]}"#;
        assert_eq!(
            line(json),
            "2026-01-02T03:04:05.006Z session.transform req_1 ses_2 entity_counts=EMAIL:2,SSN:1 transformations=3 findings=SSN/b[c].d/f/3 flag=true empty="
        );
    }

    #[test]
    fn missing_fields_are_dashes_and_ambiguous_values_quoted() {
        assert_eq!(
            line(r#"{"event":"e","path":"/a b","none":"","x=":1}"#),
            "- e - - path=\"/a b\" none=\"\" x==1"
        );
    }

    #[test]
    fn only_events_are_parsed_as_entries() {
        for bad in ["", "{", "[]", "7", "{}", r#"{"event":7}"#] {
            assert!(Entry::parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn control_characters_in_a_line_are_escaped() {
        assert_eq!(
            line("{\"event\":\"a\\u001b[2Jb\\r\",\"k\\u0007\":\"\\u202ex\"}"),
            r"- a\u{1b}[2Jb\r - - k\u{7}=\u{202e}x"
        );
        assert_eq!(printable("a\tb ñ\u{9b}"), "a\tb ñ\\u{9b}");
    }
}
