//! Formats an exchange for the page: texts in pieces, each value replaced by a number.

use std::cmp::Reverse;

use engine::Sensitive;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::needles::{Needles, Piece};
use super::recorder::{Exchange, Shown, State};
use super::stream;
use super::values::{self, TooMany, Value};

/// The note on an exchange with too many values in its request.
const TOO_MANY: &str = "more than 1000 values: they and your client's reply are not shown";

/// The note on an exchange whose reply may contain too many.
const TOO_MANY_KNOWN: &str =
    "the session has more than 1000 values: your client's reply is not shown";

/// The note on an exchange whose values are not kept, as under `redact`.
const NOT_KEPT: &str =
    "masked values were not kept, so your client's side does not have them either";

/// How deep a value may be in JSON that is held in strings.
const NESTED: usize = 3;

/// What is percent-encoded in a restored value.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A line of the list.
#[derive(Serialize)]
pub(super) struct Line<'e> {
    number: u64,
    request: &'e str,
    began: i64,
    path: &'e str,
    status: Option<u16>,
    note: Option<&'static str>,
    ended: bool,
    values: usize,
    restored: u64,
}

impl<'e> Line<'e> {
    fn of(exchange: &'e Exchange, masked: usize) -> Self {
        Self {
            number: exchange.number,
            request: exchange.request.as_str(),
            began: exchange.began,
            path: &exchange.path,
            status: exchange.status,
            note: note(exchange, masked),
            ended: exchange.has_ended,
            values: masked,
            restored: exchange.restored,
        }
    }
}

fn note(exchange: &Exchange, masked: usize) -> Option<&'static str> {
    let values = match exchange.too_many {
        Some(TooMany::Masked) => Some(TOO_MANY),
        Some(TooMany::Known) => Some(TOO_MANY_KNOWN),
        None => (exchange.is_masked && masked == 0).then_some(NOT_KEPT),
    };
    exchange.note.or(values)
}

/// Adds the lines that changed since, as events for the page. Returns the last change in them.
pub(super) fn events(state: &State, since: u64, events: &mut Vec<u8>) -> u64 {
    for exchange in state.since(since) {
        let (_, masked) = values::of(exchange);
        events.extend_from_slice(b"data: ");
        let line = Line::of(exchange, masked);
        // Writing numbers and texts to memory can't fail.
        let _ = serde_json::to_writer(&mut *events, &line);
        events.extend_from_slice(b"\n\n");
    }
    state.changes()
}

/// All of an exchange but its values, which are asked for one by one.
pub(super) fn whole(exchange: &Exchange) -> Json {
    let (values, masked) = values::of(exchange);
    let tokens = values
        .iter()
        .enumerate()
        .map(|(number, value)| (Piece::Value(number), Sensitive::new(value.token.clone())))
        .collect();
    let by_token = Needles::new(tokens);
    let request = text(Shown::of(&exchange.to_provider), by_token.as_ref());
    let mut whole = json!(Line::of(exchange, masked));
    whole["tokens"] = values.iter().map(token).collect();
    whole["findings"] = exchange
        .sightings
        .iter()
        .map(|sighting| {
            json!({
                "type": sighting.entity.as_str(),
                "field": sighting.field.to_string(),
                "rule": sighting.rule,
                "count": sighting.count,
            })
        })
        .collect();
    // The client's differs in the values alone. So none shows, however it is spelled there.
    whole["request_client"] = request.clone();
    whole["request_provider"] = request;
    whole["reply_provider"] = text(exchange.from_provider.shown(), by_token.as_ref());
    let spelled = spellings(&values).into_iter().chain(kept(&values));
    let spelled = Needles::new(spelled.collect()).map(Needles::in_base64);
    whole["reply_client"] = text(exchange.to_client.shown(), spelled.as_ref());
    whole
}

/// The tokens as they are where they were not restored.
fn kept(values: &[Value]) -> impl Iterator<Item = (Piece, Sensitive<String>)> {
    values.iter().enumerate().flat_map(|(number, value)| {
        let escaped = value.token.replace('<', "\\u003c").replace('>', "\\u003e");
        let spelled = [value.token.clone(), escaped];
        spelled.map(|token| (Piece::Kept(number), Sensitive::new(token)))
    })
}

/// The beginning of the request as the client sent it.
pub(super) fn sent(exchange: &Exchange) -> Sensitive<String> {
    let mut sent = Shown::of(&exchange.to_provider).text();
    let (values, masked) = values::of(exchange);
    for value in values.iter().take(masked) {
        let plain = in_json(value.plain().expose());
        sent = Sensitive::new(sent.expose().replace(&value.token, plain.expose()));
    }
    sent
}

fn token(value: &Value) -> Json {
    json!({"token": value.token, "type": value.entity()})
}

/// A text: the parts between values unchanged, and a number for each value.
fn text(text: Shown, needles: Option<&Needles>) -> Json {
    let whole = text.text();
    let whole = stream::text_of(whole.expose()).unwrap_or(whole);
    // What can't be told apart is not shown.
    let pieces = needles.map_or_else(Vec::new, |needles| {
        let shown = if text.is_cut {
            needles.without_begun(whole.expose())
        } else {
            whole.expose()
        };
        pieces(shown, needles)
    });
    json!({"pieces": pieces, "cut": text.is_cut})
}

fn pieces(text: &str, needles: &Needles) -> Vec<Json> {
    let mut places = needles.places(text);
    places.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    let mut pieces = Vec::new();
    let mut end = 0;
    for (place, piece) in places {
        if place.start >= end {
            add_text(text.get(end..place.start), &mut pieces);
            pieces.push(match piece {
                Piece::Value(number) => number.into(),
                Piece::Kept(number) => json!({ "kept": number }),
            });
            end = place.end;
        }
    }
    add_text(text.get(end..), &mut pieces);
    pieces
}

fn add_text(text: Option<&str>, pieces: &mut Vec<Json>) {
    let text = text.filter(|text| !text.is_empty());
    pieces.extend(text.map(Json::from));
}

/// Each value in every spelling in which it may be restored: bare, percent-encoded, and as it is in JSON.
fn spellings(values: &[Value]) -> Vec<(Piece, Sensitive<String>)> {
    let mut spellings = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let plain = value.plain().expose();
        if plain.is_empty() {
            continue;
        }
        let percent = utf8_percent_encode(plain, RESERVED).to_string();
        for bare in [value.plain().clone(), Sensitive::new(percent)] {
            let mut spelled = bare;
            for _ in 0..=NESTED {
                let next = in_json(spelled.expose());
                let is_last = next.expose() == spelled.expose();
                spellings.push((Piece::Value(number), std::mem::replace(&mut spelled, next)));
                if is_last {
                    break;
                }
            }
        }
    }
    spellings
}

fn in_json(text: &str) -> Sensitive<String> {
    let quoted = Sensitive::new(Json::from(text).to_string());
    let inner = quoted.expose().get(1..quoted.expose().len() - 1);
    Sensitive::new(inner.unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD as STANDARD;
    use engine::{EntityType, Mapping};

    use super::*;

    fn value(value: &str) -> Value {
        let entity = EntityType::parse("X").unwrap();
        let value = Sensitive::new(value.to_owned());
        Value::from(Arc::new(Mapping::new(entity, "1", value)))
    }

    fn pieces(text: &str, needles: Vec<(Piece, Sensitive<String>)>) -> Vec<Json> {
        super::pieces(text, &Needles::new(needles).unwrap().in_base64())
    }

    #[test]
    fn a_shown_text_never_contains_a_value() {
        let values = [value("ann"), value("ann@example.com"), value("a\"b\nc")];
        let spelled = spellings(&values);
        let text = r#"{"x": "ann@example.com, ann: a\"b\nc"}"#;
        let pieces = Json::from(pieces(text, spelled));
        assert_eq!(pieces, json!([r#"{"x": ""#, 1, ", ", 0, ": ", 2, r#""}"#]));
    }

    /// Only their beginnings are searched for at first, which two may share.
    #[test]
    fn long_values_are_distinguished_by_all_their_bytes() {
        let of = |end: &str| format!("-----BEGIN {}{end}", "x".repeat(100));
        let values = [value(&of("a")), value(&of("bc")), value(&of("b"))];
        let text = format!("{} {} {} {}", of("b"), of("bc"), of("a"), of("d"));
        let pieces = pieces(&text, spellings(&values));
        let rest = format!(" {}", of("d"));
        assert_eq!(Json::from(pieces), json!([2, " ", 1, " ", 0, rest]));
    }

    #[test]
    fn a_text_without_values_is_one_piece() {
        assert_eq!(pieces("é", Vec::new()), [json!("é")]);
        assert!(pieces("", Vec::new()).is_empty());
    }

    /// As arguments of a call in an event, in the query of a URL, and of a surrogate in capitals.
    #[test]
    fn a_value_is_hidden_in_every_spelling() {
        let values = [value("a\"b@x.example")];
        for spelled in [
            r#"a\"b@x.example"#,
            r#"a\\\"b@x.example"#,
            r#"a\\\\\\\"b@x.example"#,
            "a%22b%40x.example",
            "A\"B@X.EXAMPLE",
        ] {
            let pieces = pieces(&format!("É {spelled}."), spellings(&values));
            assert_eq!(pieces, [json!("É "), json!(0), json!(".")], "{spelled}");
        }
    }

    #[test]
    fn a_truncated_value_does_not_show_its_beginning() {
        let needles = Needles::new(spellings(&[value("ann@example.com"), value("x")])).unwrap();
        for text in ["to ann@examp", "to a", "to "] {
            assert_eq!(needles.without_begun(text), "to ");
        }
        let whole = "ann@example.com";
        assert_eq!(needles.without_begun(whole), whole);
        let encoded = STANDARD.encode("to ann@examp");
        let needles = needles.in_base64();
        assert_eq!(needles.without_begun(&format!("x {encoded}")), "x ");
    }

    /// It was readable without a click.
    #[test]
    fn a_value_within_base64_is_hidden_with_it() {
        let values = [value("ann@example.com"), value("bob@example.com")];
        let file = STANDARD.encode("to ann@example.com or bob@example.com");
        let lines = |end: &str| {
            file.as_bytes()
                .chunks(20)
                .map(|line| str::from_utf8(line).unwrap())
                .collect::<Vec<_>>()
                .join(end)
        };
        let nested = STANDARD.encode(format!("file {file}"));
        let url = file.replace('+', "-").replace('/', "_");
        for encoded in [
            &file,
            &url,
            &nested,
            &lines("\n"),
            &lines("\\r\\n"),
            &format!("a/b{file}"),
        ] {
            let text = format!("data:;base64,{encoded} é");
            let pieces = pieces(&text, spellings(&values));
            assert_eq!(
                pieces,
                [json!("data:;base64,"), json!(0), json!(1), json!(" é")],
                "{text}"
            );
        }
        let other = STANDARD.encode("to carl@example.com or dora@example.com");
        assert_eq!(pieces(&other, spellings(&values)), [json!(other)]);
    }

    #[test]
    fn a_kept_token_is_distinguished_from_a_value() {
        let values = [value("ann@example.com")];
        let needles = || {
            spellings(&values)
                .into_iter()
                .chain(kept(&values))
                .collect()
        };
        for token in ["<MASK_X_1>", "\\u003cMASK_X_1\\u003e"] {
            let pieces = pieces(&format!("{token} ann@example.com"), needles());
            assert_eq!(pieces, [json!({"kept": 0}), json!(" "), json!(0)]);
        }
    }
}
