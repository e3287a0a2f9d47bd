//! Writes the compiled rules as Rust.

use crate::pattern::Node;
use crate::rule::Rule;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(crate) fn rules(rules: &[Rule]) -> String {
    let mut out = sets(rules);
    out.push_str("pub(super) static RULES: &[Rule] = &[\n");
    for rule in rules {
        out.push_str(&record(rule));
    }
    out.push_str("];\n");
    out
}

/// Every set of characters, each once: there are few, and a record has but its address.
fn sets(rules: &[Rule]) -> String {
    let mut sets = BTreeSet::new();
    for rule in rules {
        sets.extend(rule.anchors.iter().map(|anchor| anchor.followers));
        add_sets(&rule.nodes, &mut sets);
    }
    let statics = sets
        .iter()
        .map(|set| format!("static S{set:X}: u128 = {set:#x};\n"));
    statics.collect()
}

fn add_sets(nodes: &[Node], sets: &mut BTreeSet<u128>) {
    for node in nodes {
        match node {
            Node::Class { set, .. } => {
                sets.extend(single_byte(node).is_none().then_some(*set));
            }
            Node::Group { branches, .. } => {
                for branch in branches {
                    add_sets(branch, sets);
                }
            }
            Node::ValueStart | Node::ValueEnd => {}
        }
    }
}

fn record(rule: &Rule) -> String {
    let mut out = format!(
        "Rule {{ id: {:?}, entity: EntityType::{}, ",
        rule.id, rule.entity
    );
    out.push_str("anchors: &[");
    for anchor in &rule.anchors {
        let _ = write!(
            out,
            "Anchor {{ text: {:?}, nearest: {}, farthest: {}, followers: &S{:X} }}, ",
            anchor.text, anchor.nearest, anchor.farthest, anchor.followers
        );
    }
    let _ = writeln!(
        out,
        "], nocase: {}, keyword: {}, checksum: {}, entropy: {}, nodes: {} }},",
        rule.nocase,
        rule.keyword,
        checksum(rule.checksum.as_deref()),
        rule.entropy,
        sequence(&rule.nodes)
    );
    out
}

fn checksum(name: Option<&str>) -> &'static str {
    match name {
        Some("github-crc32") => "Some(Checksum::GithubCrc32)",
        _ => "None",
    }
}

fn sequence(nodes: &[Node]) -> String {
    let mut out = String::from("&[");
    let mut text = Vec::new();
    for node in nodes {
        if let Some(byte) = single_byte(node) {
            text.push(byte);
            continue;
        }
        flush(&mut out, &mut text);
        out.push_str(&other(node));
    }
    flush(&mut out, &mut text);
    out.push(']');
    out
}

/// The byte that a part matches, where it matches one and no other.
fn single_byte(node: &Node) -> Option<u8> {
    let Node::Class {
        set,
        min: 1,
        max: 1,
    } = node
    else {
        return None;
    };
    let byte = u8::try_from(set.trailing_zeros()).ok();
    byte.filter(|_| set.is_power_of_two())
}

fn flush(out: &mut String, text: &mut Vec<u8>) {
    if !text.is_empty() {
        let _ = write!(out, "Node::Text(&{text:?}), ");
        text.clear();
    }
}

fn other(node: &Node) -> String {
    match node {
        Node::Class { set, min, max } => {
            format!("Node::Class {{ set: &S{set:X}, min: {min}, max: {max} }}, ")
        }
        Node::Group { branches, min, max } => {
            let branches: Vec<String> = branches.iter().map(|branch| sequence(branch)).collect();
            format!(
                "Node::Group {{ branches: &[{}], min: {min}, max: {max} }}, ",
                branches.join(", ")
            )
        }
        Node::ValueStart => "Node::ValueStart, ".to_owned(),
        Node::ValueEnd => "Node::ValueEnd, ".to_owned(),
    }
}
