//! Parses the model's answer.

use engine::{EntityType, Score};
use serde::Deserialize;
use serde_json::Value;

use super::super::span::{entity_named, score_of};

/// How sure a model is that does not say.
const SCORE: Score = Score::percent(80);

/// Something that the model reports.
pub(super) struct Reported {
    pub(super) what: What,
    pub(super) entity: EntityType,
    pub(super) score: Score,
}

/// Where it is.
#[derive(Clone)]
pub(super) enum What {
    /// Everywhere this text occurs.
    Text(String),
    /// At these characters of the text that the model got.
    Characters(usize, usize),
}

/// Finds the JSON array in an answer, also inside prose or a code fence. `None` if there is none,
/// which does not mean "nothing found".
pub(super) fn read(answer: &str) -> Option<Vec<Reported>> {
    let answer = answer.trim();
    let elements = match serde_json::from_str(answer) {
        Ok(Value::Array(elements)) => elements,
        Ok(Value::Object(members)) => only_array(members)?,
        Ok(_) => return None,
        Err(_) => embedded(answer)?,
    };
    is_report(&elements).then(|| elements.iter().filter_map(reported).collect())
}

/// The array of an object that wraps just one.
fn only_array(members: serde_json::Map<String, Value>) -> Option<Vec<Value>> {
    let mut arrays = members.into_iter().filter_map(|(_, value)| match value {
        Value::Array(elements) => Some(elements),
        _ => None,
    });
    arrays.next().filter(|_| arrays.next().is_none())
}

/// The first array that is not empty; an empty one only if nothing else is possible.
fn embedded(answer: &str) -> Option<Vec<Value>> {
    let mut empty = None;
    for (start, _) in answer.match_indices('[') {
        let rest = answer.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest);
        let Ok(elements) = Vec::<Value>::deserialize(&mut values) else {
            continue;
        };
        if elements.is_empty() {
            empty = Some(elements);
        } else if is_report(&elements) {
            return Some(elements);
        }
    }
    empty.filter(|_| !answer.contains('{'))
}

fn is_report(elements: &[Value]) -> bool {
    elements
        .iter()
        .all(|element| element.is_object() || element.is_string())
}

fn reported(element: &Value) -> Option<Reported> {
    let first = |names: &[&str]| names.iter().find_map(|name| element.get(name));
    let text = element
        .as_str()
        .or_else(|| first(&["text", "value"])?.as_str())
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let offset = |name| usize::try_from(element.get(name)?.as_u64()?).ok();
    let what = match text {
        Some(text) => What::Text(text.to_owned()),
        None => What::Characters(offset("start")?, offset("end")?),
    };
    let entity = first(&["type", "entity_type", "label"]).and_then(Value::as_str);
    let confidence = first(&["score", "confidence"]).and_then(Value::as_f64);
    Some(Reported {
        what,
        entity: entity_named(entity.unwrap_or_default()),
        score: confidence.map_or(SCORE, score_of),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Option<Vec<String>> {
        let reported = read(answer)?.into_iter();
        let texts = reported.map(|reported| match reported.what {
            What::Text(text) => format!("{text} {}", reported.entity),
            What::Characters(start, end) => format!("{start}-{end} {}", reported.entity),
        });
        Some(texts.collect())
    }

    #[test]
    fn an_array_is_found_anywhere_in_an_answer() {
        let ann = r#"[{"text": "Ann", "type": "person"}]"#;
        for answer in [
            ann.to_owned(),
            format!("```json\n{ann}\n```"),
            format!("Of the 2 texts [1, 2] I found: {ann}. That's all []!"),
            format!("{{\"entities\": {ann}}}"),
            format!("Here: {{\"entities\": {ann}}}"),
        ] {
            assert_eq!(
                texts(&answer).as_deref(),
                Some(&["Ann PERSON".to_owned()][..]),
                "{answer}"
            );
        }
        for answer in [
            "[]",
            " [ ]\n",
            "```\n[]\n```",
            "Nothing: []",
            r#"{"entities": []}"#,
        ] {
            assert_eq!(texts(answer), Some(vec![]), "{answer}");
        }
    }

    #[test]
    fn an_answer_without_an_array_is_an_error() {
        for answer in [
            "",
            "I can't help with that.",
            "{}",
            "null",
            r#"[{"text": "Ann", "type": "PERSON"}, {"text": "B"#,
            r#"[{"text": "a [] b", "type": "PERSON"}, {"te"#,
            r#"{"a": [], "b": []}"#,
            "[1, 2]",
        ] {
            assert_eq!(texts(answer), None, "{answer}");
        }
    }

    #[test]
    fn usable_elements_are_read_despite_invalid_ones() {
        let answer = r#"["Ann", {"value": " Bob ", "entity_type": "given name", "confidence": 0.4},
            {"start": 3, "end": 7, "label": "ORG"}, {"start": -1, "end": 2}, {"type": "X"}, {"text": 7}]"#;
        assert_eq!(
            texts(answer).unwrap(),
            ["Ann PII", "Bob GIVEN_NAME", "3-7 ORG"]
        );
        assert_eq!(read(answer).unwrap()[1].score, Score::percent(40));
    }
}
