//! Four numbers with dots between them that are a release, a section or an object identifier.

use std::net::Ipv4Addr;
use std::ops::Range;

use super::context;
use crate::detect::bytes::{self, at, before};

/// Words before an address that is compared with `==`.
#[rustfmt::skip]
const HOSTS: &[&str] = &[
    "ip", "host", "addr", "server", "gateway", "client", "dns", "src", "dst", "remote", "peer", "node",
];
/// Words right before a numbered part of a text.
const PARTS: &[&str] = &["§", "table", "fig", "figure", "item", "annex", "appendix"];
/// Programs whose releases are `131.0.162.61`.
const BROWSERS: &[&str] = &["chrome", "chromium"];
/// Highest number of a section or release that is told from an address by what stands around it.
const HIGHEST: u8 = 40;
/// Longest text of four octets.
const LONGEST: usize = 15;

/// Whether what stands around four octets says that they are no address.
pub(super) fn is_release(text: &[u8], range: Range<usize>, octets: [u8; 4]) -> bool {
    let Range { start, end } = range;
    if is_identifier(octets) || bytes::slice(text, start.saturating_sub(3), start) == b",v " {
        return !context::within(text, start, 12, HOSTS);
    }
    if is_pinned(text, start) {
        return !context::within(text, start, 24, HOSTS);
    }
    if octets[1] == 0 && context::is_after(text, start, BROWSERS) {
        return true;
    }
    let is_part = octets.iter().all(|&octet| octet <= HIGHEST);
    is_part && context::is_after(text, start, PARTS)
        || is_small(octets)
            && (context::is_after(text, start, &["see"])
                || is_bracketed(text, start, end)
                || is_heading(text, start, end)
                || is_upgrade(text, start, end))
}

/// Arcs of X.500 (`2.5.4`, `2.5.29`) and of the Internet (`1.3.6`).
const fn is_identifier(octets: [u8; 4]) -> bool {
    matches!(octets, [2, 5, 4 | 29, _] | [1, 3, 6, _])
}

/// `foo==2.4.18.11`, `~= 1.4.5.0`
fn is_pinned(text: &[u8], start: usize) -> bool {
    let end = start - usize::from(before(text, start) == b' ');
    matches!(
        bytes::slice(text, end.saturating_sub(2), end),
        b"==" | b"~="
    )
}

/// Numbers as small as sections have; not the resolvers that are known by theirs (`1.1.1.1`, `8.8.4.4`).
fn is_small(octets: [u8; 4]) -> bool {
    let [first, second, third, fourth] = octets;
    octets.iter().all(|&octet| octet <= HIGHEST)
        && first != 10
        && !(first == second && third == fourth)
        && octets != [1, 0, 0, 1]
}

/// `[27.8.1.1]`
fn is_bracketed(text: &[u8], start: usize, end: usize) -> bool {
    let opened = before(text, start) == b'[' && at(text, end) == b']';
    opened
        && !start
            .checked_sub(1)
            .is_some_and(|open| bytes::is_word(before(text, open)))
}

/// `/* 3.7.2.1. Input Terminal */`, or at the start of a line
fn is_heading(text: &[u8], start: usize, end: usize) -> bool {
    let lead = bytes::slice(text, start.saturating_sub(3), start);
    let comments = [&b"/* "[..], b"// ", b"# ", b"-- ", b" * "]
        .iter()
        .any(|mark| lead.ends_with(mark));
    let opens_line = matches!(before(text, start), b'\n' | 0);
    let title = end + usize::from(at(text, end) == b'.');
    (comments || opens_line)
        && at(text, title) == b' '
        && at(text, title + 1).is_ascii_uppercase()
        && at(text, title + 2).is_ascii_lowercase()
}

/// `17.20.10.4 -> 19.12.7.15`, from either side.
fn is_upgrade(text: &[u8], start: usize, end: usize) -> bool {
    const ARROWS: [&[u8]; 3] = [b"->", b"=>", "→".as_bytes()];
    let is_gap = |byte: u8| matches!(byte, b' ' | b'"' | b'\'' | b'`');
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let from = end + bytes::run(text, end, 3, is_gap);
    let after = ARROWS
        .iter()
        .find(|arrow| bytes::slice(text, from, from + arrow.len()) == **arrow)
        .map(|arrow| {
            let from = from + arrow.len();
            let from = from + bytes::run(text, from, 3, is_gap);
            bytes::slice(text, from, from + bytes::run(text, from, LONGEST, is_part))
        });
    let until = start - bytes::run_back(text, start, 3, is_gap);
    let before = ARROWS
        .iter()
        .find(|arrow| bytes::slice(text, until.saturating_sub(arrow.len()), until) == **arrow)
        .map(|arrow| {
            let until = until - arrow.len();
            let until = until - bytes::run_back(text, until, 3, is_gap);
            bytes::slice(
                text,
                until - bytes::run_back(text, until, LONGEST, is_part),
                until,
            )
        });
    [after, before].into_iter().flatten().any(|other| {
        let other = std::str::from_utf8(other)
            .ok()
            .and_then(|text| text.parse().ok());
        other.is_some_and(|other: Ipv4Addr| is_small(other.octets()))
    })
}
