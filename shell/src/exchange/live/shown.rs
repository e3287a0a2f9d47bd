//! Formats an exchange for the page: texts in pieces, each value replaced by a number.

use engine::Sensitive;
use serde_json::{Value as Json, json};

use super::recorder::{Exchange, State, Text, Value};
use super::stream;

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
        "values": exchange.values.len(),
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
    whole["request_client"] = text(&exchange.from_client, &spelled);
    whole["request_provider"] = text(&exchange.to_provider, &tokens);
    whole["reply_provider"] = text(&exchange.from_provider, &tokens);
    whole["reply_client"] = text(&exchange.to_client, &spelled);
    whole
}

fn token(value: &Value) -> Json {
    json!({"token": value.token, "type": value.entity})
}

/// A text: the parts between values unchanged, and a number for each value.
fn text(text: &Text, needles: &[(usize, Sensitive<String>)]) -> Json {
    let whole = text.whole();
    let whole = stream::said(whole.expose()).unwrap_or(whole);
    json!({"pieces": pieces(whole.expose(), needles), "cut": text.is_cut})
}

fn pieces(text: &str, needles: &[(usize, Sensitive<String>)]) -> Vec<Json> {
    let mut places: Vec<_> = needles
        .iter()
        .flat_map(|(number, needle)| {
            let places = text.match_indices(needle.expose().as_str());
            places.map(|(at, found)| (at, found.len(), *number))
        })
        .collect();
    // Of those that begin at one place the longest counts.
    places.sort_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)));
    let mut pieces = Vec::new();
    let mut end = 0;
    for (at, length, number) in places {
        if at < end {
            continue;
        }
        pieces.extend(
            text.get(end..at)
                .filter(|between| !between.is_empty())
                .map(Json::from),
        );
        pieces.push(number.into());
        end = at + length;
    }
    pieces.extend(
        text.get(end..)
            .filter(|rest| !rest.is_empty())
            .map(Json::from),
    );
    pieces
}

/// Each value as it is in a text, and as it is in a JSON string.
fn spellings(values: &[Value]) -> Vec<(usize, Sensitive<String>)> {
    let mut spellings = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let plain = value.plain.expose();
        if plain.is_empty() {
            continue;
        }
        let quoted = Sensitive::new(Json::from(plain.as_str()).to_string());
        let inner = quoted.expose().trim_matches('"');
        if inner != plain {
            spellings.push((number, Sensitive::new(inner.to_owned())));
        }
        spellings.push((number, value.plain.clone()));
    }
    spellings
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

    #[test]
    fn a_text_without_values_is_one_piece() {
        assert_eq!(pieces("é", &[]), [json!("é")]);
        assert!(pieces("", &[]).is_empty());
    }
}
