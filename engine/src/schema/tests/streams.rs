//! Replays the transcripts, through the event map alone and through complete restoring.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FORMATS, VECTORS};
use crate::framing::sse::{Event, Framing};
use crate::json::Context;
use crate::json::{Tape, splice};
use crate::restore::{EventStream, Reply, RestoreRules, Tokens, restore_text};
use crate::schema::{Channel, EventState, Form, event};
use crate::{EntityType, Mapping, Schema, Sensitive, Session};

/// What a client puts together: the text of each channel, and every other string.
#[derive(Debug, Default, PartialEq)]
struct Accumulated {
    texts: BTreeMap<Channel, (String, Option<Form>)>,
    whole: Vec<(String, Form)>,
}

fn accumulate(schema: Schema, stream: &str) -> Accumulated {
    let mut state = EventState::default();
    let mut found = Accumulated::default();
    for (data, name) in events(stream) {
        if data == "[DONE]" {
            continue;
        }
        let tape = Tape::scan(&data, 256).unwrap();
        let map = event(schema, name.as_deref(), tape.root(&data), &mut state);
        for piece in &map.pieces {
            let text = found.texts.entry(piece.channel).or_default();
            text.0.push_str(&piece.value.text());
            text.1 = Some(piece.form).filter(|_| piece.is_collected());
        }
        for leaf in &map.reply.leaves {
            found
                .whole
                .push((leaf.value.text().into_owned(), leaf.form));
        }
    }
    found
}

fn events(stream: &str) -> Vec<(String, Option<String>)> {
    let mut framing = Framing::default();
    framing.push(stream.as_bytes());
    let mut frames = Vec::new();
    while let Some(frame) = framing.next() {
        frames.push(String::from_utf8(frame.to_vec()).unwrap());
    }
    frames.push(String::from_utf8(framing.rest().to_vec()).unwrap());
    frames
        .iter()
        .filter_map(|frame| {
            let event = Event::read(frame);
            Some((event.data()?.into_owned(), event.name.map(str::to_owned)))
        })
        .collect()
}

fn tokens() -> BTreeMap<String, String> {
    let map = std::fs::read_to_string(format!("{VECTORS}/examples/tokens.json")).unwrap();
    serde_json::from_str(&map).unwrap()
}

fn reply(schema: Schema) -> Reply {
    let mut session = Session::new();
    for (token, value) in tokens() {
        let core = token.trim_matches(['<', '>']);
        let (entity, id) = core["MASK_".len()..].rsplit_once('_').unwrap();
        let entity = EntityType::parse(entity).unwrap();
        let mapping = Mapping::new(entity, id, Sensitive::new(value));
        assert!(session.adopt(Arc::new(mapping)));
    }
    Reply {
        tokens: Tokens::new(session),
        schema,
        kept: false,
        json_output: false,
        rules: RestoreRules::default(),
    }
}

fn restored(reply: &Reply, stream: &str, chunk: usize) -> String {
    let mut events = EventStream::of_events();
    let mut out = Vec::new();
    for chunk in stream.as_bytes().chunks(chunk) {
        events.push(reply, chunk, &mut out);
    }
    events.finish(reply, &mut out);
    String::from_utf8(out).unwrap()
}

fn restored_whole(reply: &Reply, text: &str, form: Form) -> String {
    let context = match form {
        Form::Text | Form::Input => Context::MayBeJson,
        Form::Arguments => Context::Json,
        Form::Answer | Form::Prose | Form::Signed | Form::Key | Form::Base64 | Form::Left => {
            Context::Plain
        }
    };
    let mut out = Vec::new();
    let restored = restore_text(&reply.tokens, text, context);
    splice(text, &restored.edits, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn clients_receive_every_text_complete_and_restored() {
    for (format, schema) in FORMATS {
        let reply = reply(schema);
        for (name, stream) in transcripts(format) {
            let sent = accumulate(schema, &stream);
            for chunk in [1, 7, stream.len()] {
                let got = accumulate(schema, &restored(&reply, &stream, chunk));
                for (channel, (text, collected)) in &sent.texts {
                    let form = collected.unwrap_or(Form::Answer);
                    let expected = restored_whole(&reply, text, form);
                    let got = &got.texts[channel].0;
                    assert_eq!(*got, expected, "{format} {name} {channel:?} by {chunk}");
                }
                assert_eq!(got.texts.len(), sent.texts.len(), "{format} {name}");
                for (text, form) in &sent.whole {
                    let expected = (restored_whole(&reply, text, *form), *form);
                    assert!(got.whole.contains(&expected), "{format} {name}: {text}");
                }
            }
        }
    }
}

#[test]
fn done_events_repeat_the_restored_deltas() {
    for (name, stream) in transcripts("responses") {
        let out = restored(&reply(Schema::Responses), &stream, 5);
        let mut deltas: BTreeMap<(String, String), String> = BTreeMap::new();
        let mut last = 0;
        for (data, event) in events(&out) {
            let data: serde_json::Value = serde_json::from_str(&data).unwrap();
            let number = data["sequence_number"].as_u64().unwrap();
            assert!(number >= last, "{name}: {number} after {last}");
            last = number;
            let kind = event.unwrap();
            assert_eq!(data["type"], kind.as_str());
            let Some((family, step)) = kind.rsplit_once('.') else {
                continue;
            };
            let place = [
                "output_index",
                "content_index",
                "summary_index",
                "command_index",
            ]
            .map(|index| data[index].to_string())
            .join(" ");
            let key = (family.to_owned(), place);
            match (step, data["delta"].as_str()) {
                ("delta", Some(delta)) => deltas.entry(key).or_default().push_str(delta),
                ("done", _) => {
                    let whole = ["text", "refusal", "arguments", "input", "code", "command"]
                        .iter()
                        .find_map(|name| data[name].as_str());
                    if let Some(whole) = whole {
                        assert_eq!(deltas.remove(&key).unwrap_or_default(), whole, "{name}");
                    }
                }
                _ => {}
            }
        }
    }
}

fn transcripts(format: &str) -> Vec<(String, String)> {
    let folder = format!("{VECTORS}/examples/{format}");
    let mut transcripts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some_and(|extension| extension == "sse") {
            transcripts.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(!transcripts.is_empty());
    transcripts
}
