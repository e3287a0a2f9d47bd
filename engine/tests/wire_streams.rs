//! Event streams of the three wire formats, cut in every way.

use crate::support;

use std::ops::Range;

use serde_json::Value;
use support::random::Random;
use support::{
    SCHEMAS, accumulate::accumulate, assert_agrees, assert_same, names, read, read_json, restore,
    restoring,
};

const EVENTS: &str = "text/event-stream; charset=utf-8";
const PLAIN: &str = "{}";
const JSON_MODE: &str = r#"{"response_format": {"type": "json_object"}}"#;

/// Up to this size every pair of cuts within an event is tried.
const SMALL: usize = 2048;

/// How many pairs are drawn of every stream.
const DRAWN: usize = 300;

#[test]
fn streams_restore_as_expected() {
    let tokens = read_json("tokens.json");
    for (schema, format) in SCHEMAS {
        for name in names(format, "stream.", ".sse") {
            let expect = read_json(&format!("{format}/{name}.expect.json"));
            for (request, key) in [
                (PLAIN, "final_restored"),
                (JSON_MODE, "final_restored_json_escaped"),
            ] {
                let expected = &expect[key];
                if key != "final_restored" && expected.is_null() {
                    continue;
                }
                let stream = read(&format!("{format}/{name}.sse"));
                let out = restore(
                    restoring(schema, &tokens, request).reply(Some(EVENTS)),
                    &[&stream],
                );
                let actual = accumulate(schema, &out);
                assert_agrees(expected, &actual, &format!("{format}/{name} {key}"));
            }
        }
    }
}

#[test]
fn streams_restore_alike_at_every_single_cut() {
    each_stream(|whole, stream, restore| {
        for at in 0..=stream.len() {
            let (left, right) = stream.split_at(at);
            assert_same(whole, &restore(&[left, right]), || format!("cut at {at}"));
        }
        let bytes: Vec<_> = stream.chunks(1).collect();
        assert_same(whole, &restore(&bytes), || "byte by byte".to_owned());
    });
}

/// Every pair of cuts within an event, and across its border to the next, in all events of a stream
/// at once. State carried between events does not depend on the cuts, or a single cut would show
/// it. Pairs farther apart, and those of large streams, are random.
#[test]
fn streams_restore_alike_at_every_pair_of_cuts() {
    each_stream(|whole, stream, restore| {
        let mut random = Random::new(stream.len() as u64);
        for _ in 0..DRAWN {
            let (a, b) = (random.below(stream.len()), random.below(stream.len()));
            let (first, second) = (a.min(b), a.max(b));
            let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_same(whole, &restore(&pieces), || {
                format!("cuts at {first} and {second}")
            });
        }
        if stream.len() > SMALL || stream.contains(&b'\r') {
            return;
        }
        let events = events_of(stream);
        let longest = events.iter().map(Range::len).max().unwrap_or(0);
        for first in 0..longest {
            for second in first..longest {
                let mut cuts: Vec<usize> = Vec::new();
                for event in &events {
                    let places = [first, second].map(|place| place.min(event.len()));
                    cuts.extend(places.map(|place| event.start + place));
                }
                let pieces = pieces_at(stream, &cuts);
                assert_same(whole, &restore(&pieces), || {
                    format!("cuts at {first} and {second} of each event")
                });
            }
        }
    });
}

#[test]
fn streams_restore_alike_in_random_chunks() {
    each_stream(|whole, stream, restore| {
        for seed in 1..=50 {
            let pieces = Random::new(seed).chunks(stream, 40);
            assert_same(whole, &restore(&pieces), || format!("seed {seed}"));
        }
    });
}

/// The events of a stream, each with its blank line.
fn events_of(stream: &[u8]) -> Vec<Range<usize>> {
    let ends = stream.windows(2).enumerate();
    let ends = ends
        .filter(|(_, two)| two.ends_with(b"\n\n"))
        .map(|(at, _)| at + 2);
    let mut start = 0;
    let events = ends.chain([stream.len()]).map(|end| {
        let event = start..end;
        start = end;
        event
    });
    events.collect()
}

/// The pieces of a stream between places in order.
fn pieces_at<'s>(stream: &'s [u8], cuts: &[usize]) -> Vec<&'s [u8]> {
    let mut start = 0;
    let ends = cuts.iter().copied().chain([stream.len()]);
    let pieces = ends.map(|end| {
        let piece = &stream[start..end];
        start = end;
        piece
    });
    pieces.collect()
}

/// Hands every example, its line ends also as CRLF and CR, to a check.
fn each_stream(check: impl Fn(&[u8], &[u8], &dyn Fn(&[&[u8]]) -> Vec<u8>)) {
    let tokens: Value = read_json("tokens.json");
    for (schema, format) in SCHEMAS {
        for name in names(format, "stream.", ".sse") {
            let stream = read(&format!("{format}/{name}.sse"));
            let text = String::from_utf8(stream).expect("UTF-8");
            for end in ["\n", "\r\n", "\r"] {
                let stream = text.replace('\n', end).into_bytes();
                let begin = restoring(schema, &tokens, PLAIN);
                let restore = |chunks: &[&[u8]]| restore(begin.reply(Some(EVENTS)), chunks);
                check(&restore(&[&stream]), &stream, &restore);
            }
        }
    }
}
