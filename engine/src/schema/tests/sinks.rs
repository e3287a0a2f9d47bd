//! Bodies in which every string holds its own canary.

use std::collections::HashMap;

use super::{FORMATS, VECTORS, json_lines, masked, restored};

#[test]
fn every_string_of_a_request_is_masked_or_left_as_listed() {
    for (format, schema) in FORMATS {
        check(format, "request", |body| masked(schema, body));
    }
}

#[test]
fn every_string_of_a_reply_is_restored_or_left_as_listed() {
    for (format, schema) in FORMATS {
        check(format, "reply", |body| {
            let leaves = restored(schema, body).into_iter();
            leaves.map(|(text, _)| text).collect()
        });
    }
}

fn check(format: &str, part: &str, read: impl Fn(&str) -> Vec<String>) {
    let folder = format!("{VECTORS}/examples/{format}");
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut standing: HashMap<String, usize> = HashMap::new();
    for body in bodies(&folder, part) {
        for text in read(&body) {
            canaries(&text).for_each(|canary| *found.entry(canary).or_default() += 1);
        }
        canaries(&body).for_each(|canary| *standing.entry(canary).or_default() += 1);
    }
    let mut wrong = Vec::new();
    for line in json_lines(&format!("{folder}/sink.{part}.index.jsonl")) {
        let canary = line["canary"].as_str().unwrap();
        let read = found.get(canary).copied().unwrap_or_default();
        let stands = standing[canary];
        let right = match line["expect"].as_str().unwrap() {
            "masked" | "masked-unless-remembered" | "restored" => read == stands,
            "unchanged" => read == 0,
            "either" => true,
            other => panic!("unknown expectation {other}"),
        };
        if !right {
            wrong.push(format!("{format} {line}: {read} of {stands}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn bodies(folder: &str, part: &str) -> Vec<String> {
    let start = format!("sink.{part}.");
    let mut bodies = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with(&start) && !name.contains(".index.") {
            bodies.push(std::fs::read_to_string(&path).unwrap());
        }
    }
    assert!(!bodies.is_empty());
    bodies
}

fn canaries(text: &str) -> impl Iterator<Item = String> {
    let addresses = text
        .match_indices("leaf")
        .filter_map(|(at, _)| text.get(at..at + 27))
        .filter(|canary| canary.ends_with("@canary.example.com"));
    let tokens = text
        .match_indices("<MASK_EMAIL_")
        .filter_map(|(at, _)| text.get(at..))
        .filter_map(|rest| rest.split_inclusive('>').next());
    addresses.chain(tokens).map(str::to_owned)
}
