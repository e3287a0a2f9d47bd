//! Event streams of the three wire formats, cut in every way.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it finds something wrong, and reads files and the environment"
)]

mod support;

use serde_json::Value;
use support::random::Random;
use support::{
    SCHEMAS, accumulate::accumulate, assert_agrees, assert_same, names, read, read_json, restore,
    restoring,
};

const EVENTS: &str = "text/event-stream; charset=utf-8";
const PLAIN: &str = "{}";
const JSON_MODE: &str = r#"{"response_format": {"type": "json_object"}}"#;

/// Up to this size every pair of cuts is tried.
const SMALL: usize = 2048;

#[test]
fn streams_end_up_as_expected() {
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
fn every_single_cut_equals_the_whole() {
    each_stream(|whole, stream, restore| {
        for at in 0..=stream.len() {
            let (left, right) = stream.split_at(at);
            assert_same(whole, &restore(&[left, right]), || format!("cut at {at}"));
        }
        let bytes: Vec<_> = stream.chunks(1).collect();
        assert_same(whole, &restore(&bytes), || "byte by byte".to_owned());
    });
}

#[test]
fn every_pair_of_cuts_equals_the_whole() {
    each_stream(|whole, stream, restore| {
        let check = |first: usize, second: usize| {
            let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_same(whole, &restore(&pieces), || {
                format!("cuts at {first} and {second}")
            });
        };
        if stream.len() <= SMALL && !stream.contains(&b'\r') {
            return (0..stream.len())
                .for_each(|first| (first..stream.len()).for_each(|second| check(first, second)));
        }
        let mut random = Random::new(stream.len() as u64);
        for _ in 0..1000 {
            let (a, b) = (random.below(stream.len()), random.below(stream.len()));
            check(a.min(b), a.max(b));
        }
    });
}

#[test]
fn random_chunks_equal_the_whole() {
    each_stream(|whole, stream, restore| {
        for seed in 1..=50 {
            let pieces = Random::new(seed).chunks(stream, 40);
            assert_same(whole, &restore(&pieces), || format!("seed {seed}"));
        }
    });
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
