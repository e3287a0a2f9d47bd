//! Joins the events of a stream into one text, so that tokens split over events are visible.

use engine::Sensitive;
use serde_json::Value;

/// The names of members with a piece of a text, and within them if they are objects.
const PIECES: [&str; 6] = [
    "content",
    "text",
    "thinking",
    "reasoning_content",
    "partial_json",
    "arguments",
];

/// The text of a stream; `None` if it is not a stream, or has no known text.
pub(super) fn text_of(stream: &str) -> Option<Sensitive<String>> {
    let mut text = String::new();
    let mut last = "";
    for event in stream.lines().filter_map(|line| line.strip_prefix("data:")) {
        let Ok(event) = serde_json::from_str::<Value>(event) else {
            continue;
        };
        let Some((kind, piece)) = piece(&event) else {
            continue;
        };
        if !last.is_empty() && last != kind {
            text.push_str("\n\n");
        }
        text.push_str(piece);
        last = kind;
    }
    (!text.is_empty()).then(|| Sensitive::new(text))
}

/// A piece of a text, and its kind.
fn piece(event: &Value) -> Option<(&'static str, &str)> {
    if let Some(delta) = event["delta"].as_str() {
        return Some(("delta", delta));
    }
    let choice = &event["choices"][0]["delta"];
    let call = &choice["tool_calls"][0]["function"];
    [&event["delta"], choice, call]
        .into_iter()
        .find_map(|delta| {
            let mut pieces = PIECES.iter();
            pieces.find_map(|name| {
                let piece = delta[name].as_str().filter(|piece| !piece.is_empty())?;
                Some((*name, piece))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_are_joined_and_kinds_separated_by_paragraphs() {
        let stream = concat!(
            "event: content_block_delta\ndata: {\"delta\":{\"thinking\":\"hm\"}}\n\n",
            "data: {\"delta\":{\"text\":\"<MAS\"}}\n\ndata: {\"delta\":{\"text\":\"K_EMAIL_1>\"}}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
            "data: {\"type\":\"response.output_text.delta\",\"delta\":\"b\"}\n\ndata: [DONE]\n\n",
        );
        let text_of = text_of(stream).unwrap();
        assert_eq!(text_of.expose(), "hm\n\n<MASK_EMAIL_1>\n\na\n\nb");
    }

    #[test]
    fn non_stream_replies_have_no_stream_text() {
        assert!(text_of("{\"content\": \"data: x\"}").is_none());
        assert!(text_of("data: {\"ok\":1}\n\n").is_none());
    }
}
