//! Every field that the formats have, each in a body of its own.

use serde_json::{Value, json};

use super::{FORMATS, VECTORS, json_lines, leaves, restored};
use crate::Schema;
use crate::json::Tape;
use crate::schema::{EventState, Form, event};

const LEAF: &str = "leaf";

/// What the provider sealed, or a binary file.
const OPAQUE: &str = "gAAAAABm9x2kQvT7b1ZyYlNn0s8Jk3dWqPpXf6cLr4uHtEoMiGzBvDnCxSaQwKj5";

#[test]
fn request_fields_are_read_as_listed() {
    let forms = |schema, body: &str, wanted: &str| {
        let leaves = leaves(schema, body).into_iter();
        let found = leaves.filter(|(text, _, form, _)| text == wanted && *form != Form::Key);
        found.map(|(_, _, form, _)| form).collect::<Vec<_>>()
    };
    check("request", |schema, class, body| {
        let found = forms(schema, body, LEAF);
        match class {
            "mask-json" => found == [Form::Arguments] || body.contains("deep"),
            class if class.starts_with("mask") => found.len() == 1,
            "leave-opaque" => {
                let opaque = body.replace(LEAF, OPAQUE);
                found.len() == 1 && forms(schema, &opaque, OPAQUE).is_empty()
            }
            _ => found.is_empty(),
        }
    });
}

#[test]
fn reply_fields_are_read_as_listed() {
    check("reply", |schema, class, body| {
        let found: Vec<_> = restored(schema, body)
            .into_iter()
            .filter(|(text, _)| text == LEAF)
            .map(|(_, form)| form)
            .collect();
        match class {
            "restore-json" => found == [Form::Arguments],
            "opaque" => restored(schema, &body.replace(LEAF, OPAQUE))
                .iter()
                .all(|(text, _)| text != OPAQUE),
            class if class.starts_with("restore") => found.len() == 1,
            _ => true,
        }
    });
}

#[test]
fn event_fields_are_read_as_listed() {
    check("stream", |schema, class, body| {
        let body = match class {
            "opaque" => body.replace(LEAF, OPAQUE),
            _ => body.to_owned(),
        };
        let tape = Tape::scan(&body, 256).unwrap();
        let map = event(schema, None, tape.root(&body), &mut EventState::default());
        let pieces = map.pieces.iter();
        let pieces: Vec<_> = pieces
            .map(|piece| (piece.is_collected(), piece.form))
            .collect();
        let leaves = map.reply.leaves.iter();
        let forms: Vec<_> = leaves
            .filter(|leaf| leaf.value.is_text(LEAF) || leaf.value.is_text(OPAQUE))
            .map(|leaf| leaf.form)
            .collect();
        match class {
            "delta-holdback" => matches!(pieces[..], [(false, _)]) && forms.is_empty(),
            "delta-collect" => pieces == [(true, Form::Input)],
            "delta-collect-json" => pieces == [(true, Form::Arguments)],
            "done-restore-json" => forms == [Form::Arguments],
            "opaque" => pieces.is_empty() && forms.is_empty(),
            // The beginning of an item is restored, or is the first piece of its text.
            class if class.contains("restore") => pieces.len() + forms.len() == 1,
            _ => pieces.is_empty(),
        }
    });
}

fn check(part: &str, is_read_as: impl Fn(Schema, &str, &str) -> bool) {
    let mut wrong = Vec::new();
    for (format, schema) in FORMATS {
        for line in json_lines(&format!("{VECTORS}/inventory/{format}.{part}.jsonl")) {
            let (path, class) = (
                line["path"].as_str().unwrap(),
                line["class"].as_str().unwrap(),
            );
            // The tree is elsewhere, the line is not JSON, the field is a member name, or it is a
            // whole event.
            let is_event = path.starts_with('<') && path.find('>') == Some(path.len() - 1);
            if class == "ref" || path.starts_with([':', '[']) || path.ends_with("(key)") || is_event
            {
                continue;
            }
            for body in bodies(path) {
                if !is_read_as(schema, class, &body) {
                    wrong.push(format!("{format} {class} {path}: {body}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A step of a path: a member or the root, the lists around its value, and the value's types.
#[derive(Debug, Default, Clone)]
struct Step {
    name: String,
    lists: usize,
    types: Vec<String>,
}

/// The smallest bodies with the field, one for each type that it may have.
fn bodies(path: &str) -> Vec<String> {
    let steps = steps(path);
    let alternatives = steps.iter().map(|step| step.types.len()).max().unwrap_or(0);
    (0..alternatives.max(1))
        .map(|alternative| body(&steps, alternative, path.contains("(object instead")).to_string())
        .collect()
}

fn steps(path: &str) -> Vec<Step> {
    let path = path.split(" (").next().unwrap_or(path);
    let path = path
        .replace("<unknown type>", "<brand_new>")
        .replace("<unknown event>", "<response.brand_new>")
        .replace(
            "<response.brand_new>.delta",
            "<response.brand_new.delta>.delta",
        )
        .replace("<unknown member>", "brand_new")
        .replace("<unknown top-level member>", "brand_new");
    let mut steps = vec![Step::default()];
    let mut types = None;
    for letter in path.chars() {
        let step = steps.last_mut().unwrap();
        match (letter, &mut types) {
            ('<', None) => types = Some(String::new()),
            ('>', Some(found)) => {
                step.types = found.split('|').map(str::to_owned).collect();
                types = None;
            }
            (letter, Some(found)) => found.push(letter),
            ('.', None) => steps.push(Step::default()),
            ('[', None) => step.lists += 1,
            (']', None) => {}
            (letter, None) => step.name.push(letter),
        }
    }
    steps
}

fn body(steps: &[Step], alternative: usize, as_object: bool) -> Value {
    let mut value = if as_object {
        json!({"deep": LEAF})
    } else {
        json!(LEAF)
    };
    let mut outer: Vec<_> = steps.iter().collect();
    while let Some(step) = outer.pop() {
        let of_type = step.types.get(alternative).or(step.types.first());
        if let (Some(name), Some(members)) = (of_type, value.as_object_mut()) {
            let is_role = step.name == "messages" && !name.starts_with("brand");
            members.insert(
                if is_role { "role" } else { "type" }.to_owned(),
                json!(name),
            );
        }
        for _ in 0..step.lists {
            value = json!([value]);
        }
        let before = outer
            .last()
            .map(|step| step.name.as_str())
            .unwrap_or_default();
        let is_schema = ["parameters", "input_schema", "output_schema"].contains(&before);
        value = match step.name.as_str() {
            "" => value,
            "*" => json!({"some": value}),
            "**" if is_schema && value.is_string() => {
                json!({"properties": {"a": {"title": value}}})
            }
            "**" if is_schema || before == "properties" => json!({"properties": {"a": value}}),
            name if is_schema => json!({"properties": {}, name: value}),
            "**" if value.is_string() => json!({"deep": {"note": value}}),
            "**" => json!({"deep": value}),
            "x-*" => json!({"x-note": value}),
            name => json!({name: value}),
        };
    }
    value
}
