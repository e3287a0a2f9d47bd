//! Writes the compiled rules as Rust.

use crate::pattern::Node;
use crate::rule::Rule;
use std::fmt::Write;

pub(crate) fn rules(rules: &[Rule]) -> String {
    let mut out = String::from("pub(super) static RULES: &[Rule] = &[\n");
    for rule in rules {
        out.push_str(&record(rule));
    }
    out.push_str("];\n");
    out
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
            "Anchor {{ text: {:?}, nearest: {}, farthest: {}, followers: {:#x} }}, ",
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
        if let Node::Class {
            set,
            min: 1,
            max: 1,
        } = node
            && set.is_power_of_two()
            && let Ok(byte) = u8::try_from(set.trailing_zeros())
        {
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

fn flush(out: &mut String, text: &mut Vec<u8>) {
    if !text.is_empty() {
        let _ = write!(out, "Node::Text(&{text:?}), ");
        text.clear();
    }
}

fn other(node: &Node) -> String {
    match node {
        Node::Class { set, min, max } => {
            format!("Node::Class {{ set: {set:#x}, min: {min}, max: {max} }}, ")
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
