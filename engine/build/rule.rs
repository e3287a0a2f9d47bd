//! The records of the vendor rule files, and their compiled form.

use crate::nfa::{Nfa, Place};
use crate::pattern::{self, Node};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The maximum distance of an anchor from the start of its match, in bytes.
const MAX_DISTANCE: usize = 128;
const MIN_ANCHOR: usize = 3;
const CHECKSUMS: &[&str] = &["github-crc32"];
const TYPES: &[&str] = &[
    "API_KEY",
    "AUTH_TOKEN",
    "JWT",
    "PRIVATE_KEY",
    "URL_CREDENTIAL",
    "SECRET",
];

#[derive(Deserialize)]
struct File {
    rule: Vec<Record>,
}

/// One record, as written. A misspelt field stops the build, because the rule would do without it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    id: String,
    #[serde(default = "default_type")]
    r#type: String,
    anchors: Vec<String>,
    #[serde(default)]
    nocase: bool,
    pattern: String,
    #[serde(default)]
    keyword: bool,
    checksum: Option<String>,
    #[serde(default)]
    entropy: f64,
    // For people and tests.
    #[serde(rename = "vendor")]
    _vendor: String,
    #[serde(rename = "reference")]
    _reference: String,
    #[serde(rename = "date")]
    _date: String,
    #[serde(rename = "examples")]
    _examples: Vec<String>,
    #[serde(rename = "counter")]
    _counter: Vec<String>,
}

fn default_type() -> String {
    "API_KEY".to_owned()
}

/// A record ready to be written out.
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) entity: String,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) nocase: bool,
    pub(crate) keyword: bool,
    pub(crate) checksum: Option<String>,
    /// Tenths of a bit a character.
    pub(crate) entropy: u8,
    pub(crate) nodes: Vec<Node>,
}

/// A literal, and its possible distance from the start of a match.
pub(crate) struct Anchor {
    pub(crate) text: String,
    pub(crate) nearest: usize,
    pub(crate) farthest: usize,
    /// The characters that can follow the literal, when the pattern says so.
    pub(crate) followers: u128,
}

/// The records of files, each with its name.
pub(crate) fn parse(files: &[(String, String)]) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    for (name, text) in files {
        let file: File = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        records.extend(file.rule);
    }
    let mut seen = BTreeSet::new();
    for record in &records {
        if !seen.insert(&record.id) {
            return Err(format!("rule {}: the id is taken", record.id));
        }
    }
    Ok(records)
}

pub(crate) fn compile(record: &Record) -> Result<Rule, String> {
    compile_record(record).map_err(|error| format!("rule {}: {error}", record.id))
}

fn compile_record(record: &Record) -> Result<Rule, String> {
    if !TYPES.contains(&record.r#type.as_str()) {
        return Err(format!("unknown type {}", record.r#type));
    }
    if let Some(name) = &record.checksum
        && !CHECKSUMS.contains(&name.as_str())
    {
        return Err(format!("unknown checksum {name}"));
    }
    if record.anchors.is_empty() {
        return Err("no anchor".to_owned());
    }
    let nodes = pattern::parse(
        &record.pattern,
        record.nocase || record.keyword && has_value(record),
    )?;
    let valued = has_value(record);
    let anchors = anchors(record, &nodes, record.keyword && !valued)?;
    Ok(Rule {
        id: record.id.clone(),
        entity: record.r#type.clone(),
        anchors,
        nocase: record.nocase || record.keyword,
        keyword: record.keyword && !valued,
        checksum: record.checksum.clone(),
        entropy: tenths(record.entropy)?,
        nodes,
    })
}

fn has_value(record: &Record) -> bool {
    record.pattern.contains("(?P<value>")
}

fn tenths(bits: f64) -> Result<u8, String> {
    if !(0.0..=6.5).contains(&bits) {
        return Err("entropy is 0 to 6.5 bits a character".to_owned());
    }
    format!("{:.0}", bits * 10.0)
        .parse()
        .map_err(|_| "entropy is no number".to_owned())
}

fn anchors(record: &Record, nodes: &[Node], detached: bool) -> Result<Vec<Anchor>, String> {
    let nocase = record.nocase || record.keyword;
    let texts = record
        .anchors
        .iter()
        .map(|text| literal(text, nocase))
        .collect::<Result<Vec<_>, _>>()?;
    if detached {
        let anywhere = |text| Anchor {
            text,
            nearest: 0,
            farthest: 0,
            followers: u128::MAX,
        };
        return Ok(texts.into_iter().map(anywhere).collect());
    }
    let places = places(&texts, &Nfa::new(nodes), nocase)?;
    Ok(texts
        .into_iter()
        .zip(places)
        .map(|(text, place)| Anchor {
            text,
            nearest: place.nearest,
            farthest: place.farthest,
            followers: place.followers,
        })
        .collect())
}

fn literal(text: &str, nocase: bool) -> Result<String, String> {
    if text.len() < MIN_ANCHOR || !text.is_ascii() {
        return Err(format!(
            "anchor {text:?} is not {MIN_ANCHOR} ASCII bytes or more"
        ));
    }
    Ok(if nocase {
        text.to_ascii_lowercase()
    } else {
        text.to_owned()
    })
}

/// The places of the anchors: each at its nearest possible place, unless some match contains none
/// of them there.
fn places(texts: &[String], nfa: &Nfa, nocase: bool) -> Result<Vec<Place>, String> {
    for count in [1, usize::MAX] {
        let places = texts
            .iter()
            .map(|text| place(text, nfa, count))
            .collect::<Result<Vec<_>, _>>()?;
        let anchors: Vec<_> = texts
            .iter()
            .map(String::as_bytes)
            .zip(places.iter().copied())
            .collect();
        if nfa.always_holds(&anchors, nocase) {
            return Ok(places);
        }
    }
    Err(format!(
        "some match holds no anchor within {MAX_DISTANCE} bytes"
    ))
}

/// The first `count` places of an anchor as one.
fn place(text: &str, nfa: &Nfa, count: usize) -> Result<Place, String> {
    nfa.places(text.as_bytes(), count, MAX_DISTANCE)
        .into_iter()
        .reduce(|first, next| Place {
            nearest: first.nearest,
            farthest: next.farthest,
            followers: first.followers | next.followers,
        })
        .ok_or_else(|| {
            format!("the pattern cannot hold anchor {text:?} within {MAX_DISTANCE} bytes")
        })
}
