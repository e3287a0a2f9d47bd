//! Formats an exchange for the page: texts in pieces, each value replaced by a number.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use engine::Sensitive;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};

use super::recorder::{Exchange, State, Text, Value};
use super::stream;

/// How deep a value may be in JSON that is held in strings.
const NESTED: usize = 3;

/// So much of a value is searched for at first, in bytes: a search for all of many long values would take seconds.
const BEGIN: usize = 32;

/// What is percent-encoded in a restored value.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A line of the list.
pub(super) fn line(exchange: &Exchange) -> Json {
    json!({
        "number": exchange.number,
        "request": exchange.request.as_str(),
        "began": exchange.began,
        "path": exchange.path,
        "status": exchange.status,
        "note": exchange.note,
        "ended": exchange.has_ended,
        "values": exchange.masked,
        "restored": exchange.restored,
    })
}

/// The changed lines as events for the page, and the number of the last change that they include.
pub(super) fn events(state: &State, since: u64) -> (Vec<u8>, u64) {
    let mut events = Vec::new();
    for exchange in state.since(since) {
        events.extend_from_slice(format!("data: {}\n\n", line(exchange)).as_bytes());
    }
    (events, state.changes())
}

/// All of an exchange but its values, which are asked for one by one.
pub(super) fn whole(exchange: &Exchange) -> Json {
    let tokens: Vec<_> = exchange
        .values
        .iter()
        .enumerate()
        .map(|(number, value)| (number, Sensitive::new(value.token.clone())))
        .collect();
    let spelled = spellings(&exchange.values);
    let request = text(&exchange.to_provider, &tokens);
    let mut whole = line(exchange);
    whole["tokens"] = exchange.values.iter().map(token).collect();
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
    whole["reply_provider"] = text(&exchange.from_provider, &tokens);
    whole["reply_client"] = text(&exchange.to_client, &spelled);
    whole
}

/// The beginning of the request as the client sent it.
pub(super) fn sent(exchange: &Exchange) -> Sensitive<String> {
    let mut sent = exchange.to_provider.whole();
    for value in exchange.values.iter().take(exchange.masked) {
        let plain = in_json(value.plain.expose());
        sent = Sensitive::new(sent.expose().replace(&value.token, plain.expose()));
    }
    sent
}

fn token(value: &Value) -> Json {
    json!({"token": value.token, "type": value.entity})
}

/// A text: the parts between values unchanged, and a number for each value.
fn text(text: &Text, needles: &[(usize, Sensitive<String>)]) -> Json {
    let whole = text.whole();
    let whole = stream::said(whole.expose()).unwrap_or(whole);
    let shown = if text.is_cut {
        without_begun(whole.expose(), needles)
    } else {
        whole.expose()
    };
    json!({"pieces": pieces(shown, needles), "cut": text.is_cut})
}

/// A text that was cut, without a value that only begins at its end.
fn without_begun<'t>(text: &'t str, needles: &[(usize, Sensitive<String>)]) -> &'t str {
    let begun = needles.iter().filter_map(|(_, needle)| {
        let needle = needle.expose();
        let mut ends = needle.char_indices().map(|(at, _)| at).rev();
        ends.find(|end| {
            let start = needle.get(..*end).unwrap_or_default();
            let tail = text.get(text.len().saturating_sub(*end)..);
            tail.is_some_and(|tail| tail.eq_ignore_ascii_case(start))
        })
    });
    let begun = begun.max().unwrap_or_default();
    text.get(..text.len() - begun).unwrap_or_default()
}

fn pieces(text: &str, needles: &[(usize, Sensitive<String>)]) -> Vec<Json> {
    // What can't be told apart is not shown.
    let Some(mut places) = places(text, needles) else {
        return Vec::new();
    };
    places.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    let mut pieces = Vec::new();
    let mut end = 0;
    for (place, number) in places {
        if place.start >= end {
            add_text(text.get(end..place.start), &mut pieces);
            pieces.push(number.into());
            end = place.end;
        }
    }
    add_text(text.get(end..), &mut pieces);
    pieces
}

/// All places of the values, each with its number. `None` if they can't be searched for.
fn places(
    text: &str,
    needles: &[(usize, Sensitive<String>)],
) -> Option<Vec<(Range<usize>, usize)>> {
    let mut by_begin = HashMap::<_, Vec<_>>::new();
    for needle in needles {
        let whole = needle.1.expose();
        let begin = whole.get(..whole.floor_char_boundary(BEGIN))?;
        let begin = Sensitive::new(begin.to_ascii_lowercase());
        by_begin.entry(begin).or_default().push(needle);
    }
    let by_begin: Vec<_> = by_begin.into_iter().collect();
    // A surrogate in capitals stands for its value in capitals.
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(by_begin.iter().map(|(begin, _)| begin.expose()));
    let mut places = Vec::new();
    for found in search.ok()?.find_overlapping_iter(text) {
        let start = found.start();
        let (_, begun) = by_begin.get(found.pattern().as_usize())?;
        for (number, needle) in begun {
            let end = start + needle.expose().len();
            let there = text.get(start..end);
            if there.is_some_and(|there| there.eq_ignore_ascii_case(needle.expose())) {
                places.push((start..end, *number));
            }
        }
    }
    Some(places)
}

fn add_text(text: Option<&str>, pieces: &mut Vec<Json>) {
    let text = text.filter(|text| !text.is_empty());
    pieces.extend(text.map(Json::from));
}

/// Each value in every spelling in which it may be restored: bare, percent-encoded, and as it is in JSON.
fn spellings(values: &[Value]) -> Vec<(usize, Sensitive<String>)> {
    let mut spellings = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let plain = value.plain.expose();
        if plain.is_empty() {
            continue;
        }
        let percent = utf8_percent_encode(plain, RESERVED).to_string();
        for bare in [value.plain.clone(), Sensitive::new(percent)] {
            let mut spelled = bare;
            for _ in 0..=NESTED {
                let next = in_json(spelled.expose());
                let is_last = next.expose() == spelled.expose();
                spellings.push((number, std::mem::replace(&mut spelled, next)));
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
    use super::*;

    fn value(value: &str) -> Value {
        Value {
            token: "<MASK_X_1>".to_owned(),
            entity: "X".to_owned(),
            plain: Sensitive::new(value.to_owned()),
        }
    }

    #[test]
    fn a_text_never_has_a_value_in_it() {
        let values = [value("ann"), value("ann@example.com"), value("a\"b\nc")];
        let spelled = spellings(&values);
        let text = r#"{"x": "ann@example.com, ann: a\"b\nc"}"#;
        let pieces = Json::from(pieces(text, &spelled));
        assert_eq!(pieces, json!([r#"{"x": ""#, 1, ", ", 0, ": ", 2, r#""}"#]));
    }

    /// Only their beginnings are searched for at first, which two may share.
    #[test]
    fn long_values_are_told_apart_by_all_of_them() {
        let of = |end: &str| format!("-----BEGIN {}{end}", "x".repeat(100));
        let values = [value(&of("a")), value(&of("bc")), value(&of("b"))];
        let text = format!("{} {} {} {}", of("b"), of("bc"), of("a"), of("d"));
        let pieces = pieces(&text, &spellings(&values));
        let rest = format!(" {}", of("d"));
        assert_eq!(Json::from(pieces), json!([2, " ", 1, " ", 0, rest]));
    }

    #[test]
    fn a_text_without_values_is_one_piece() {
        assert_eq!(pieces("é", &[]), [json!("é")]);
        assert!(pieces("", &[]).is_empty());
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
            let pieces = pieces(&format!("É {spelled}."), &spellings(&values));
            assert_eq!(pieces, [json!("É "), json!(0), json!(".")], "{spelled}");
        }
    }

    #[test]
    fn a_value_that_is_cut_does_not_show_its_beginning() {
        let needles = spellings(&[value("ann@example.com"), value("x")]);
        for text in ["to ann@examp", "to a", "to "] {
            assert_eq!(without_begun(text, &needles), "to ");
        }
        assert_eq!(
            without_begun("ann@example.com", &needles),
            "ann@example.com"
        );
    }
}
