//! Strings that repeat, strings that are complete, and many strings.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{
    EVENTS, PIECES, WHOLE, chat, choice, chunk, data, joined, restored, restorer, stream,
    stream_of_data,
};
use support::restore;

/// Each event was treated as a separate text, so tokens were split.
#[test]
fn per_event_numbers_and_ids_do_not_split_a_text() {
    type Event = fn(usize, &str) -> Value;
    let events: [(Event, &str); 5] = [
        (
            |at, piece| json!({"index": at, "token": {"id": 7 * at, "text": piece, "special": false}, "generated_text": null}),
            "/token/text",
        ),
        (|at, piece| json!({"index": at, "text": piece}), "/text"),
        (
            |at, piece| json!({"id": format!("evt_{}", 7 * at), "text": piece}),
            "/text",
        ),
        (
            |at, piece| json!({"type": "token", "id": format!("evt_{}", 7 * at), "text": piece}),
            "/text",
        ),
        (
            |at, piece| json!({"type": "token", "part": {"index": at, "text": piece}}),
            "/part/text",
        ),
    ];
    for (event, pointer) in events {
        let text =
            "one two three four five six seven eight to <MASK_EMAIL_1>, <b> M <MASK_EMAIL_2>";
        for size in [1, 2, 3, 9] {
            let pieces = text.as_bytes().chunks(size).enumerate();
            let pieces =
                pieces.map(|(at, piece)| event(at + 1, std::str::from_utf8(piece).expect("ASCII")));
            let sent = stream_of_data(&pieces.collect::<Vec<_>>());
            let got = joined(Schema::Generic, &sent, "text/event-stream", pointer);
            let whole = text.replace("<MASK_EMAIL_1>", "alice@example.com");
            assert_eq!(
                got,
                whole.replace("<MASK_EMAIL_2>", "bob@example.com"),
                "{pointer} by {size}"
            );
        }
        let pieces = ["<MASK_", "EMAIL_1", ">"].into_iter().zip(1..);
        let sent = stream_of_data(
            &pieces
                .map(|(piece, at)| event(at, piece))
                .collect::<Vec<_>>(),
        );
        let got = joined(Schema::Generic, &sent, "text/event-stream", pointer);
        assert_eq!(got, "alice@example.com", "{pointer}");
    }
    // Keys that come again name texts.
    let pieces = [
        (0, "a <MASK_EM"),
        (1, "b <MASK_EMAI"),
        (0, "AIL_1>"),
        (1, "L_2>"),
    ];
    let sent = pieces.map(|(index, piece)| json!({"index": index, "text": piece}));
    let out = data(&restored(Schema::Generic, &stream_of_data(&sent)));
    for (index, whole) in [(0, "a alice@example.com"), (1, "b bob@example.com")] {
        let texts = out.iter().filter(|event| event["index"] == index);
        let text: String = texts
            .map(|event| event["text"].as_str().expect("text"))
            .collect();
        assert_eq!(text, whole);
    }
}

/// The end of an event was delivered only at the end of the stream, after everything else.
#[test]
fn held_text_stays_in_order_despite_per_event_ids() {
    type Event = fn(usize, &str) -> Value;
    let events: [Event; 2] = [
        |at, piece| json!({"id": format!("e{at}"), "text": piece}),
        |at, piece| json!({"type": "token", "id": at, "text": piece}),
    ];
    let pieces = [
        "50%",
        " off <",
        " M",
        " or & ",
        "<",
        "MASK_EMAIL_1> &",
        "co",
        " <b",
        "> %",
        "3",
    ];
    let whole = pieces
        .concat()
        .replace("<MASK_EMAIL_1>", "alice@example.com");
    for event in events {
        let sent: Vec<_> = (0..)
            .zip(pieces)
            .map(|(at, piece)| event(at, piece))
            .collect();
        let sent = stream_of_data(&sent);
        assert_eq!(
            joined(Schema::Generic, &sent, EVENTS, "/text"),
            whole,
            "{sent}"
        );
    }
}

/// Ids, names and words are whole in every event, whatever they end with.
#[test]
fn strings_that_repeat_are_not_garbled() {
    let event = |piece: &str| {
        json!({"type": "brand.new", "id": "<MASK_", "model": "GPT M", "request_id": "M", "progress": "42%", "name": "<",
            "text": piece})
    };
    let events: Vec<_> = PIECES.iter().map(|piece| event(piece)).collect();
    let sent = stream(Schema::Generic, &events);
    assert_eq!(
        joined(Schema::Generic, &sent, "text/event-stream", "/text"),
        WHOLE
    );
    for member in ["id", "model", "request_id", "progress", "name"] {
        let out = restored(Schema::Generic, &sent);
        let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
        for data in data {
            let event: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(event[member], events[0][member], "{member}");
        }
    }
}

/// The end of a short word was delivered in a separate event each time.
#[test]
fn a_repeated_word_ending_like_a_token_stays_whole() {
    for word in ["GPT M", "100% <", "R&D &", "Plan <MASK_EMAIL"] {
        let events = [0, 1, 2].map(|at| json!({"label": word, "text": format!("{at} ")}));
        let sent = stream_of_data(&events);
        assert_eq!(restored(Schema::Generic, &sent), sent);
    }
}

/// What was wholly held came an event late, and twice in the last one.
#[test]
fn a_repeated_word_that_may_begin_a_token_stays_whole() {
    for word in ["<", "%", "&", "M", "<<", "%%", "<M", "MASK_"] {
        let events = [0, 1, 2].map(|at| json!({"sign": word, "text": format!("{at} ")}));
        let sent = stream_of_data(&events);
        assert_eq!(restored(Schema::Generic, &sent), sent, "{word}");
    }
}

/// The next piece shows that what is held begins no token: it belongs to the event that ends with it.
#[test]
fn held_text_that_begins_no_token_stays_in_its_event() {
    let pieces = [
        "50%",
        " off <",
        "b> MASK_EMAIL_1",
        "23 & co M",
        "ASK <",
        "MASK_EMAIL_2> <",
    ];
    let events = pieces.map(|piece| json!({"said": piece}));
    let out = data(&restored(Schema::Generic, &stream_of_data(&events)));
    let answer: Vec<_> = out
        .iter()
        .filter_map(|event| event["said"].as_str())
        .collect();
    assert_eq!(
        answer[..5],
        ["50%", " off <", "b> MASK_EMAIL_1", "23 & co M", "ASK "]
    );
    assert_eq!(answer[5..].concat(), "bob@example.com <");
}

/// A text that every event has as far as it has come.
#[test]
fn cumulative_texts_are_restored_in_each_event() {
    let texts = [
        "MASK_EMAIL_1 wrote x",
        "MASK_EMAIL_1 wrote x to <MASK_",
        "MASK_EMAIL_1 wrote x to <MASK_EMAIL_2> and <MA",
        "MASK_EMAIL_1 wrote x to <MASK_EMAIL_2> and <MASK_EMAIL_2>",
    ];
    let events = texts.map(|text| json!({"type": "snapshot", "whole": text}));
    let out = restored(Schema::Generic, &stream(Schema::Generic, &events));
    let wholes: Vec<String> = out
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| {
            serde_json::from_str::<Value>(data).expect("JSON")["whole"]
                .as_str()
                .expect("text")
                .to_owned()
        })
        .collect();
    assert_eq!(wholes.first().expect("one"), "alice@example.com wrote x");
    assert_eq!(
        wholes.last().expect("one"),
        "alice@example.com wrote x to bob@example.com and bob@example.com"
    );
}

/// The event that repeats a text comes after all of it, known or not.
#[test]
fn a_done_event_repeats_an_unknown_text_completely() {
    let mut events: Vec<_> = ["a <MASK_EM", "AIL_1> b <MA"]
        .iter()
        .map(|piece| json!({"type": "response.brand_new.delta", "output_index": 0, "delta": piece}))
        .collect();
    events.push(json!({"type": "response.brand_new.done", "output_index": 0, "text": "a <MASK_EMAIL_1> b <MA"}));
    let out = restored(Schema::Responses, &stream(Schema::Responses, &events));
    let data: Vec<Value> = out
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let deltas: String = data
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    let done = data.last().expect("the last");
    assert_eq!(done["text"], deltas);
    assert_eq!(deltas, "a alice@example.com b <MA");
}

/// A server that counts its texts as they grow, and one that repeats a whole answer next to its
/// delta.
#[test]
fn a_growing_short_text_is_not_duplicated() {
    for texts in [
        ["Hi <", "Hi <MASK_EMAIL_1>", "Hi <MASK_EMAIL_1>!"],
        ["a M", "a MASK_EMAIL_1", "a MASK_EMAIL_1!"],
    ] {
        let events = texts.map(|text| json!({"output": {"text": text}, "request_id": "r"}));
        let out = restored(Schema::Generic, &stream_of_data(&events));
        let last = data(&out).pop().expect("one");
        let whole = texts[2].replace("<MASK_EMAIL_1>", "alice@example.com");
        let whole = whole.replace("MASK_EMAIL_1", "alice@example.com");
        assert_eq!(last["output"]["text"], whole);
    }
    // Pieces that begin alike are still pieces.
    let sent = chat(&["b <", "b <", "b <MASK_EM", "AIL_1>"].map(|text| json!({"note": text})));
    let place = "/choices/0/delta/note";
    let text = joined(Schema::ChatStyle, &sent, "text/event-stream", place);
    assert_eq!(text, "b <b <b alice@example.com");
}

/// Clients read `choices[0].delta` of every chunk.
#[test]
fn a_synthetic_chunk_has_a_delta() {
    let events = ["a <MA", "a <MASK_EMAIL_1>"]
        .map(|text| json!([{"index": 0, "message": {"content": text}, "delta": {"content": "."}}]));
    let [first, second] = events.map(|choices| stream(Schema::ChatStyle, &[chunk(&choices)]));
    let mut restorer = restorer(Schema::ChatStyle);
    let mut out = Vec::new();
    restorer.push(first.as_bytes(), &mut out);
    restorer.keep_alive(&mut out);
    restorer.push(second.as_bytes(), &mut out);
    restorer.finish(&mut out);
    let chunks = data(std::str::from_utf8(&out).expect("UTF-8"));
    assert_eq!(chunks.len(), 3);
    for chunk in chunks {
        assert!(chunk["choices"][0]["delta"].is_object(), "{chunk}");
    }
}

/// Each of them once kept a copy of the whole event.
#[test]
fn many_held_texts_share_one_copy_of_their_event() {
    let event = |piece: &str| {
        let texts = (0..20_000).map(|index| json!({"index": index, "text": piece}));
        json!({"type": "brand.new", "list": texts.collect::<Vec<_>>()})
    };
    let sent = stream(Schema::Generic, &[event("<MASK_EM"), event("AIL_1>")]);
    let out = restored(Schema::Generic, &sent);
    assert_eq!(out.matches("alice@example.com").count(), 20_000);
}

/// Twenty thousand open calls once took as many times the work.
#[test]
fn many_open_choices_and_calls_are_each_restored() {
    let calls = |piece: &str| {
        let calls =
            (0..3000).map(|index| json!({"index": index, "function": {"arguments": piece}}));
        json!({"tool_calls": calls.collect::<Vec<_>>()})
    };
    let mut sent = chat(&[calls("{\"to\":\"<MASK_EM"), calls("AIL_1>\"}")]);
    let choices = |piece: &str| {
        let choices = (1..3000).map(|index| choice(index, &json!({"content": piece})));
        chunk(&choices.collect())
    };
    sent += &stream(Schema::ChatStyle, &[choices("<MASK_EM"), choices("AIL_2>")]);
    let out = restored(Schema::ChatStyle, &sent);
    assert_eq!(out.matches("alice@example.com").count(), 3000);
    assert_eq!(out.matches("bob@example.com").count(), 2999);
}

/// The end of a stream shows what is complete: it stays in its event unchanged.
const SHORT: [&str; 6] = ["Plan M", "<", "a <MASK_", "M", "see _", "50 %"];

/// A label once came in two events, cut before what may begin a token.
#[test]
fn a_complete_text_stays_in_its_event() {
    let event = |label: &str| json!({"type": "result", "items": [{"label": label}]});
    let ends = [
        "",
        "data: [DONE]\n\n",
        "event: end\ndata: {}\n\n",
        ": ping\n\ndata: {\"type\":\"run.completed\"}\n\n",
    ];
    for label in SHORT {
        for end in ends {
            let sent = stream_of_data(&[event(label)]) + end;
            for size in [1, 7, 10_000] {
                let chunks: Vec<_> = sent.as_bytes().chunks(size).collect();
                let out = restore(restorer(Schema::Generic), &chunks);
                assert_eq!(String::from_utf8_lossy(&out), sent, "{label} by {size}");
            }
        }
        // The last event may lack its end.
        let sent = format!("data: {}", event(label));
        assert_eq!(restored(Schema::Generic, &sent), sent);
    }
    let sent = stream_of_data(&[event("to MASK_EMAIL_1")]);
    let whole = sent.replace("MASK_EMAIL_1", "alice@example.com");
    assert_eq!(restored(Schema::Generic, &sent), whole);
}

/// What follows continues it anyway, whatever comes between.
#[test]
fn a_continued_text_is_joined_across_waiting_events() {
    let event = |piece: &str| json!({"type": "brand.new", "list": [{"text": piece}]});
    let pieces = ["a <", "MASK_EM", "AIL_1", "> b M", "ASK_EMAIL_2"].map(event);
    let sent = pieces
        .map(|event| format!("data: {event}\n\n: ping\n\n"))
        .concat();
    let text = joined(Schema::Generic, &sent, EVENTS, "/list/0/text");
    assert_eq!(text, "a alice@example.com b bob@example.com");
}

/// A provider may wait for an answer to its event, so the event must not wait for the provider.
#[test]
fn a_waiting_event_is_released_on_keep_alive() {
    let event = |piece: &str| json!({"type": "brand.new", "list": [{"text": piece}]});
    let mut restorer = restorer(Schema::Generic);
    let mut out = Vec::new();
    restorer.push(stream_of_data(&[event("allow <")]).as_bytes(), &mut out);
    assert!(out.is_empty() && restorer.waits());
    restorer.keep_alive(&mut out);
    assert_eq!(
        String::from_utf8_lossy(&out),
        stream_of_data(&[event("allow ")])
    );
    assert!(!restorer.waits());
    out.clear();
    restorer.push(
        stream_of_data(&[event("MASK_EMAIL_1>")]).as_bytes(),
        &mut out,
    );
    assert_eq!(
        String::from_utf8_lossy(&out),
        stream_of_data(&[event("alice@example.com")])
    );
}

/// In a stream, each entry was treated as a piece of a text; in a whole reply it was not.
#[test]
fn logprobs_keep_the_masked_text() {
    let entries = ["<", "MASK", "_EMAIL", "_1", ">"];
    let shapes: [fn(&str) -> Value; 3] = [
        |piece| {
            json!({"choices": [{"index": 0, "delta": {"content": piece},
            "logprobs": {"content": [{"token": piece, "logprob": -0.1, "bytes": [60]}]}}]})
        },
        |piece| {
            json!({"choices": [{"index": 0, "text": piece,
            "logprobs": {"tokens": [piece], "token_logprobs": [-0.1]}}]})
        },
        |piece| json!({"content": piece, "completion_probabilities": [{"content": piece, "probs": [{"tok_str": piece}]}]}),
    ];
    for (schema, shape) in [Schema::ChatStyle, Schema::Generic, Schema::Generic]
        .into_iter()
        .zip(shapes)
    {
        let sent = entries.map(shape);
        let out = data(&restored(schema, &stream_of_data(&sent)));
        let reports = |events: &[Value]| {
            let all = events.iter().flat_map(|event| {
                ["/choices/0/logprobs", "/completion_probabilities"]
                    .map(|at| event.pointer(at).cloned())
            });
            all.flatten()
                .filter(|report| !report.is_null())
                .collect::<Vec<_>>()
        };
        assert_eq!(reports(&out), reports(&sent), "{schema:?}");
        assert!(Value::from(out).to_string().contains("alice@example.com"));
    }
}

fn indexed(pieces: &[(usize, &str)]) -> Vec<Value> {
    let events = pieces
        .iter()
        .map(|(index, piece)| json!({"index": index, "text": piece}));
    let sent = stream_of_data(&events.collect::<Vec<_>>());
    data(&restored(Schema::Generic, &sent))
}

/// The text after it got the value, because the index might have counted events.
#[test]
fn a_complete_token_is_delivered_with_its_events_index() {
    let events = indexed(&[(0, "mail MASK_EMAIL_1"), (1, " now")]);
    let expected = [
        json!({"index": 0, "text": "mail alice@example.com"}),
        json!({"index": 1, "text": " now"}),
    ];
    assert_eq!(events, expected);
}

/// The number of the second item made another person's token of the first.
#[test]
fn a_token_extended_by_the_next_index_stays_masked() {
    let session = json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_2>": "carol@example.com", "<MASK_EMAIL_12>": "bob@example.com"});
    let begin = support::restoring(Schema::Generic, &session, "{}");
    for first in ["1. MASK_EMAIL_1", "1. MASK_EMAIL_"] {
        let sent = stream_of_data(&[
            json!({"index": 0, "text": first}),
            json!({"index": 1, "text": "2. nobody"}),
        ]);
        let out = restore(begin.reply(Some(EVENTS)), &[sent.as_bytes()]);
        assert_eq!(String::from_utf8_lossy(&out), sent);
    }
}

/// It came after everything else.
#[test]
fn held_text_is_delivered_once_an_index_counts_events() {
    let pieces = [(1, "a <"), (2, "b"), (3, "c"), (4, "d"), (5, "e <")];
    let end = [(6, "MASK_EMAIL_1> f")];
    let events = indexed(&[&pieces[..], &end].concat());
    let text: String = events
        .iter()
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert_eq!(text, "a bc<de alice@example.com f");
}

/// The last text was ended by an event with its own index only.
#[test]
fn a_finish_reason_ends_a_text_with_counted_events() {
    let pieces = ["a ", "b ", "c ", "d ", "to MASK_EMAIL_1"]
        .into_iter()
        .zip(1..);
    let events = pieces.map(|(piece, index)| json!({"index": index, "text": piece}));
    let end = json!({"index": 6, "text": "", "finish_reason": "stop"});
    let sent: Vec<_> = events.chain([end.clone()]).collect();
    let out = data(&restored(Schema::Generic, &stream_of_data(&sent)));
    assert_eq!(out.last(), Some(&end));
    let text: String = out
        .iter()
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert_eq!(text, "a b c d to alice@example.com");
}

/// The event that was made brought it as the first.
#[test]
fn a_synthetic_event_keeps_the_position_of_an_element() {
    let sent = stream_of_data(&[
        json!({"type": "parts", "parts": [{"text": "one"}, {"text": "two <"}]}),
        json!({"type": "other"}),
    ]);
    let out = data(&restored(Schema::Generic, &sent));
    let last = json!({"type": "parts", "parts": [{"text": ""}, {"text": "<"}]});
    assert_eq!(out.last(), Some(&last));
}

/// Ids counted only at the top of an event and in lists, so the texts got each other's tokens.
#[test]
fn nested_ids_separate_texts_and_stay_in_synthetic_events() {
    let event =
        |id: &str, piece: &str| json!({"type": "new", "data": {"item_id": id, "text": piece}});
    let sent = stream_of_data(&[
        event("a", "so"),
        event("a", " <MASK_EM"),
        event("b", "to <MASK_EMAIL_"),
        event("a", "AIL_1> <"),
        event("b", "2> <MA"),
    ]);
    for schema in [Schema::Generic, Schema::ChatStyle] {
        let out = data(&restored(schema, &sent));
        for (id, whole) in [
            ("a", "so alice@example.com <"),
            ("b", "to bob@example.com <MA"),
        ] {
            let of_text = out.iter().filter(|event| event["data"]["item_id"] == id);
            let text: String = of_text
                .filter_map(|event| event["data"]["text"].as_str())
                .collect();
            assert_eq!(text, whole, "{schema:?} {id}");
        }
    }
}
