mod events;
mod fields;
mod generic;
mod history;
mod inventory;
mod shapes;
mod sinks;
mod streams;

use super::{Form, Place, reply, request};
use crate::Schema;
use crate::json::Tape;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/wire");

/// The formats and the names of their vectors.
const FORMATS: [(&str, Schema); 3] = [
    ("chat", Schema::ChatStyle),
    ("messages", Schema::MessagesStyle),
    ("responses", Schema::Responses),
];

/// A leaf of a request, readable: its text, the text that names it, its form and place.
type Leaf = (String, Option<String>, Form, Place);

fn leaves(schema: Schema, body: &str) -> Vec<Leaf> {
    let tape = Tape::scan(body, 256).unwrap();
    let map = request(schema, tape.root(body));
    let mut leaves: Vec<_> = map
        .leaves
        .with_places()
        .filter(|(leaf, _)| leaf.form != Form::Left)
        .collect();
    leaves.sort_by_key(|(leaf, _)| leaf.value.start());
    leaves
        .iter()
        .map(|(leaf, place)| {
            (
                leaf.value.text().into_owned(),
                leaf.name.map(|name| name.text().into_owned()),
                leaf.form,
                *place,
            )
        })
        .collect()
}

/// The texts of a request that are masked, in document order.
fn masked(schema: Schema, body: &str) -> Vec<String> {
    let leaves = leaves(schema, body).into_iter();
    leaves.map(|(text, ..)| text).collect()
}

fn restored(schema: Schema, body: &str) -> Vec<(String, Form)> {
    let tape = Tape::scan(body, 256).unwrap();
    reply(schema, tape.root(body))
        .leaves
        .iter()
        .map(|leaf| (leaf.value.text().into_owned(), leaf.form))
        .collect()
}

fn json_lines(path: &str) -> Vec<serde_json::Value> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
