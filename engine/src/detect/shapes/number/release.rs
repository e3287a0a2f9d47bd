//! Recognizes four numbers with dots that are a version, a section number or an object identifier.

use std::net::Ipv4Addr;
use std::ops::Range;

use crate::detect::bytes::{self, at, before};
use crate::detect::shapes::context::{self, Words};

/// Words before an address, whatever its form.
#[rustfmt::skip]
static HOSTS: Words = Words::of(&[
    "ip", "host", "addr", "server", "gateway", "client", "dns", "src", "dst", "remote", "peer", "node", "target",
    "origin", "source", "dest",
]);
/// Words before an object identifier.
#[rustfmt::skip]
static OBJECTS: Words = Words::of(&[
    "alt", "subject", "issuer", "attribute", "extension", "usage", "constraints", "certificate", "x509", "x500", "snmp", "mib",
    "id-ce-", "id-at-", "obj",
]);
/// Words right before a numbered part of a text.
const PARTS: &[&str] = &[
    "§", "table", "fig", "figure", "item", "annex", "appendix", "step", "workflow",
];
/// Programs with versions such as `131.0.162.61`.
const BROWSERS: &[&str] = &["chrome", "chromium"];
/// Words directly before two addresses between which a packet goes.
#[rustfmt::skip]
const PACKETS: &[&str] = &[
    "ip", "tcp", "udp", "icmp", "syn", "ack", "packet", "packets", "flow", "connection", "connect", "connected", "accept",
    "accepted", "allow", "allowed", "deny", "denied", "drop", "dropped", "block", "blocked", "nat", "route", "forward",
    "forwarded", "proxy", "redirect", "traffic", "session", "user", "from", "in", "out",
];
/// Words for a change of release.
static UPGRADES: Words = Words::of(&["upgrad", "downgrad", "bump"]);
/// The highest number of a section or release that context can distinguish from an address.
const HIGHEST: u8 = 40;
/// How many releases an upgrade passes over.
const LARGEST_STEP: u8 = 3;
/// Longest text of four octets.
const LONGEST: usize = 15;

/// Whether the context says that four octets are not an address. If in doubt they are one, unless a
/// word or an operator with a package's name says otherwise.
pub(super) fn is_release(text: &[u8], range: Range<usize>, octets: [u8; 4]) -> bool {
    let Range { start, end } = range;
    if is_identifier(octets) && context::within(text, start, 24, &OBJECTS)
        || bytes::slice(text, start.saturating_sub(3), start) == b",v "
    {
        return !context::within(text, start, 12, &HOSTS);
    }
    if is_pinned(text, start, octets) {
        return !context::within(text, start, 24, &HOSTS);
    }
    if octets[1] == 0 && context::is_after(text, start, BROWSERS) {
        return true;
    }
    if is_bumped(text, &range, octets) {
        return true;
    }
    let is_part = octets.iter().all(|&octet| octet <= HIGHEST);
    is_part && context::is_after(text, start, PARTS)
        || is_small(octets)
            && (is_reference(text, start, end)
                || is_locked(text, start, end)
                || at(text, end) == b'+'
                || is_heading(text, start, end)
                || is_upgrade(text, start, end, octets))
}

/// Arcs of X.500 (`2.5.4`, `2.5.29`), of the Internet (`1.3.6`) and of curves (`1.3.101`).
const fn is_identifier(octets: [u8; 4]) -> bool {
    matches!(octets, [2, 5, 4 | 29, _] | [1, 3, 6 | 101, _])
}

/// `foo==2.4.18.11`, `foo ~= 1.4.5.0`, `"== 1.2.3.0"`, `dnf5 < 5.2.0.0`; not `if target == 93.184.216.34`.
fn is_pinned(text: &[u8], start: usize, octets: [u8; 4]) -> bool {
    (is_required(text, start) || is_compared(text, start, octets))
        && octets.iter().take(3).all(|&octet| octet <= HIGHEST)
}

/// `actionpack (= 8.1.3.1)`, `rails (>= 7.0.8.1, < 7.1.2.3)`: what a package of Ruby needs.
fn is_required(text: &[u8], start: usize) -> bool {
    const OPERATORS: &[&[u8]] = &[b"~> ", b">= ", b"<= ", b"!= ", b"= ", b"> ", b"< "];
    let lead = bytes::slice(text, start.saturating_sub(5), start);
    let operator = OPERATORS.iter().find_map(|sign| lead.strip_suffix(*sign));
    operator.is_some_and(|lead| matches!(lead.last(), Some(b'(')) || lead.ends_with(b", "))
}

/// Whether an operator is between a package's name, or a quote, and the number.
fn is_compared(text: &[u8], start: usize, octets: [u8; 4]) -> bool {
    const LONGEST_WORD: usize = 24;
    let spaces = bytes::run_back(text, start, 1, |byte| byte == b' ');
    let end = start - spaces;
    let length = bytes::run_back(text, end, 2, |byte| {
        matches!(byte, b'=' | b'~' | b'<' | b'>' | b'!')
    });
    let operator = end - length;
    let name = operator - bytes::run_back(text, operator, 1, |byte| byte == b' ');
    let is_apart = name < operator;
    let is_named = bytes::is_word(before(text, name)) || before(text, name) == b']';
    let is_quoted = matches!(before(text, operator), b'"' | b'\'');
    let word = bytes::run_back(text, name, LONGEST_WORD, bytes::is_word);
    let mut word = bytes::slice(text, name - word, name).iter();
    match bytes::slice(text, operator, end) {
        [] => false,
        b"~=" | b"~>" => is_named || is_quoted,
        b"==" if spaces == 0 && !is_apart => is_named,
        b"<" | b">" | b"<=" | b">=" if is_apart => {
            is_small(octets) && word.any(u8::is_ascii_alphabetic)
        }
        _ => is_quoted && octets[0] != 10 && (length == 2 || spaces == 1),
    }
}

/// `    actionpack (8.1.3.1)` next to a similar line whose version has a different number of parts.
fn is_locked(text: &[u8], start: usize, end: usize) -> bool {
    const LONGEST_LINE: usize = 96;
    let line = start - bytes::line_back(text, start, LONGEST_LINE);
    let above = line.saturating_sub(1);
    let above = above - bytes::line_back(text, above, LONGEST_LINE);
    let is_inside = |byte: u8| byte != b'\n';
    let below = end + bytes::run(text, end, 2, is_inside) + 1;
    let encloses =
        before(text, start) == b'(' && matches!(bytes::slice(text, end, end + 2), b")\n" | b")");
    let listed = |from: usize| {
        let length = bytes::run(text, from, LONGEST_LINE, is_inside);
        is_release_line(bytes::slice(text, from, from + length))
    };
    encloses && (listed(above) || listed(below))
}

/// `    actionview (= 8.1.3)`
fn is_release_line(line: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'(', line) else {
        return false;
    };
    let Some(inside) = bytes::slice(line, open + 1, line.len()).strip_suffix(b")") else {
        return false;
    };
    let number = inside.trim_ascii_start();
    let operator = bytes::run(number, 0, 3, |byte| {
        matches!(byte, b'=' | b'~' | b'<' | b'>' | b'!' | b' ')
    });
    let numbers = bytes::slice(number, operator, number.len()).split(|&byte| byte == b'.');
    let first_is_number = at(number, operator).is_ascii_digit();
    line.starts_with(b"  ")
        && first_is_number
        && (operator > 0 || (2..4).contains(&numbers.count()))
}

/// `upgraded redis from 5.7.8.99 to 5.8.1.2`
fn is_bumped(text: &[u8], range: &Range<usize>, octets: [u8; 4]) -> bool {
    let start = range.start;
    let to_another = bytes::begins(text, range.end, b" to ")
        && at(text, range.end + 4).is_ascii_digit()
        && context::is_after(text, start, &["from"]);
    let from_another = bytes::slice(text, start.saturating_sub(4), start) == b" to "
        && before(text, start.saturating_sub(4)).is_ascii_digit();
    (to_another || from_another)
        && octets.iter().take(3).all(|&octet| octet <= HIGHEST)
        && octets[0] != 10
        && context::within(text, start, 48, &UPGRADES)
        && !context::within(text, start, 24, &HOSTS)
}

/// Numbers as small as section numbers, except for well-known resolvers (`1.1.1.1`, `8.8.4.4`).
fn is_small(octets: [u8; 4]) -> bool {
    let [first, second, third, fourth] = octets;
    octets.iter().all(|&octet| octet <= HIGHEST)
        && first != 10
        && !(first == second && third == fourth)
        && octets != [1, 0, 0, 1]
}

/// `see [27.8.1.1]`, `(see 3.1.2.2)`
fn is_reference(text: &[u8], start: usize, end: usize) -> bool {
    let is_bracketed = before(text, start) == b'[' && at(text, end) == b']';
    is_bracketed && context::is_after(text, start, &["see"])
        || bytes::slice(text, start.saturating_sub(5), start).eq_ignore_ascii_case(b"(see ")
}

/// `/* 3.7.2.1. Input Terminal */`, or at the start of a line; `// 4.2.6.5` alone; `1.7.3.5 Release Notes`
fn is_heading(text: &[u8], start: usize, end: usize) -> bool {
    let lead = bytes::slice(text, start.saturating_sub(3), start);
    let comments = [&b"/* "[..], b"// ", b"# ", b"-- ", b" * "]
        .iter()
        .any(|mark| lead.ends_with(mark));
    let opens_line = matches!(before(text, start), b'\n' | 0);
    let is_numbered_line = lead == b"// " && matches!(at(text, end), b'\n' | b'\r');
    let title = end + usize::from(at(text, end) == b'.');
    is_numbered_line
        || bytes::begins(text, end, b" Release Notes")
        || (comments || opens_line)
            && at(text, title) == b' '
            && at(text, title + 1).is_ascii_uppercase()
            && at(text, title + 2).is_ascii_lowercase()
}

/// `Newtonsoft 17.20.10.4 -> 19.12.7.15`, from either side. A packet's log has no package's name before, and its numbers
/// rarely grow by so little.
fn is_upgrade(text: &[u8], start: usize, end: usize, octets: [u8; 4]) -> bool {
    let other = |range: Range<usize>| {
        let other = std::str::from_utf8(bytes::slice(text, range.start, range.end)).ok()?;
        Some(other.parse::<Ipv4Addr>().ok()?.octets())
    };
    let pair = target(text, end)
        .and_then(other)
        .map(|new| (start, octets, new))
        .or_else(|| {
            let range = origin(text, start)?;
            Some((range.start, other(range)?, octets))
        });
    pair.is_some_and(|(start, old, new)| {
        let [[old_major, old_minor, ..], [major, minor, ..]] = [old, new];
        let step = major.checked_sub(old_major);
        is_small(old)
            && is_small(new)
            && step.is_some_and(|step| step <= LARGEST_STEP)
            && (major, minor) > (old_major, old_minor)
            && follows_package(text, start)
    })
}

/// Whether a name that is not one of a packet's words comes directly before.
fn follows_package(text: &[u8], start: usize) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic();
    before(text, start) == b' '
        && bytes::run_back(text, start - 1, 3, is_letter) == 3
        && !context::is_after(text, start, PACKETS)
        && !context::within(text, start, 24, &HOSTS)
}

const ARROWS: [&[u8]; 3] = [b"->", b"=>", "→".as_bytes()];

const fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'"' | b'\'' | b'`')
}

const fn is_dotted(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// The number to which the arrow after `end` points.
fn target(text: &[u8], end: usize) -> Option<Range<usize>> {
    let from = end + bytes::run(text, end, 3, is_gap);
    let arrow = ARROWS
        .iter()
        .find(|arrow| bytes::slice(text, from, from + arrow.len()) == **arrow)?;
    let from = from + arrow.len();
    let from = from + bytes::run(text, from, 3, is_gap);
    Some(from..from + bytes::run(text, from, LONGEST, is_dotted))
}

/// The number from which an arrow points to `start`.
fn origin(text: &[u8], start: usize) -> Option<Range<usize>> {
    let until = start - bytes::run_back(text, start, 3, is_gap);
    let arrow = ARROWS
        .iter()
        .find(|arrow| bytes::slice(text, until.saturating_sub(arrow.len()), until) == **arrow)?;
    let until = until - arrow.len();
    let until = until - bytes::run_back(text, until, 3, is_gap);
    Some(until - bytes::run_back(text, until, LONGEST, is_dotted)..until)
}
