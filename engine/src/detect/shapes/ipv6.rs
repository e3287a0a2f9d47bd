//! IPv6 addresses.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::shapes::context::{self, Words};
use crate::detect::shapes::prefix::with_prefix;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::iter;
use std::net::Ipv6Addr;

/// Longest address: eight groups, or six and an IPv4 address.
const LONGEST: usize = 45;
/// The longest label before an address that has only letters of an address.
const LONGEST_LABEL: usize = 8;
/// The most labels before an address.
const MOST_LABELS: usize = 3;
/// Longest prefix of a network, in bits.
const BITS: u32 = 128;
/// Longest name of a zone.
const LONGEST_ZONE: usize = 24;

/// Examines the address around a colon that closely follows another.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, colon: usize) {
    let text = scanner.text;
    if scanner.marks.address.contains(&colon) {
        return;
    }
    let part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
    let first = colon - bytes::run_back(text, colon, colon, part);
    let mut end = colon + bytes::run(text, colon, usize::MAX, part);
    scanner.marks.address = first..end;
    // Text before or after an address may have its letters too.
    if end - first > LONGEST + 2 * LONGEST_LABEL {
        return;
    }
    if is_short_word(bytes::slice(text, first, end)) {
        return;
    }
    while matches!(before(text, end), b'.') || ends_with_one_colon(text, first, end) {
        end -= 1;
    }
    let found = starts(text, first, end)
        .filter(|&start| end - start <= LONGEST && stands_free(text, start, end))
        .find_map(|start| Some((start, parse(scanner.str(start, end))?)));
    let Some((start, address)) = found else {
        return;
    };
    if is_path(bytes::slice(text, start, end)) || !is_worth_hiding(text, start, end, address) {
        return;
    }
    let zone = with_zone(text, end);
    let end = with_prefix(text, zone, BITS);
    // `::/0`, `::1/128`: everything, and one's own machine.
    if end > zone && (address.is_unspecified() || address.is_loopback()) {
        return;
    }
    scanner.push(Detection {
        start,
        end,
        entity: EntityType::IP_ADDRESS,
        score: Score::percent(90),
        rule: "ipv6",
    });
}

/// `c::`, `std::fs`: the end of a path's part and the beginning of the next, with too few letters for an address without
/// digits.
fn is_short_word(text: &[u8]) -> bool {
    const SHORTEST: usize = "a:b:c:d".len();
    text.len() < SHORTEST
        && text.first().is_some_and(|byte| *byte != b':')
        && !text.iter().any(u8::is_ascii_digit)
}

/// `c::B134`: letters of both cases, as in a path of names.
fn is_path(address: &[u8]) -> bool {
    address.iter().any(u8::is_ascii_lowercase) && address.iter().any(u8::is_ascii_uppercase)
}

fn ends_with_one_colon(text: &[u8], start: usize, end: usize) -> bool {
    before(text, end) == b':' && end > start + 1 && before(text, end - 1) != b':'
}

/// Where an address may begin: at the first byte, or after the colon of a label, which may have an
/// address's letters, or of the number of a line: `source:2001:db8::1`, `:2001:db8::1`, `:12:5:2001:db8::1`.
fn starts(text: &[u8], first: usize, end: usize) -> impl Iterator<Item = usize> {
    let behind_label = move |from: &usize| {
        let label = bytes::run(text, *from, LONGEST_LABEL, |byte| byte.is_ascii_hexdigit());
        let behind = from + label + 1;
        let is_label = at(text, behind - 1) == b':' && at(text, behind) != b':' && behind < end;
        is_label.then_some(behind)
    };
    iter::successors(Some(first), behind_label).take(MOST_LABELS + 1)
}

fn stands_free(text: &[u8], start: usize, end: usize) -> bool {
    let (previous, next) = (before(text, start), at(text, end));
    let starts = bytes::begins_word(text, start) && !matches!(previous, b'_' | b'&' | b'$');
    let closes = next == b':' && at(text, end + 1) != b':' && before(text, end) != b':';
    let ends =
        !bytes::is_word(next) && (next != b':' || closes) && !matches!(next, b'{' | b'*' | b'(');
    // `<T as Trait>::add` and `cafe::<T>` are paths of names, `<td>2001:db8::1</td>` is an address.
    let follows_type = previous == b'>' && at(text, start) == b':';
    let names_type = next == b'<' && before(text, end) == b':';
    // `_2001:db8::1_`, `**2001:db8::1**`; `use ::*` is code.
    starts && ends && !follows_type && !names_type || is_emphasised(text, start, end)
}

/// Whether the same Markdown markers surround a range: `*…*`, `__…__`.
fn is_emphasised(text: &[u8], start: usize, end: usize) -> bool {
    let mark = before(text, start);
    let is_mark = |byte: u8| byte == mark;
    let opening = bytes::run_back(text, start, 3, is_mark);
    matches!(mark, b'*' | b'_')
        && bytes::run(text, end, 3, is_mark) == opening
        && !bytes::is_word(before(text, start - opening))
        && !bytes::is_word(at(text, end + opening))
}

/// Parses an address; a mapped one may have fewer groups than the standard allows before its tail.
fn parse(text: &str) -> Option<Ipv6Addr> {
    text.parse().ok()
}

/// `::` alone and short forms of few digits are code or prose unless the words around say otherwise.
fn is_worth_hiding(text: &[u8], start: usize, end: usize, address: Ipv6Addr) -> bool {
    let length = end - start;
    let digits = bytes::slice(text, start, end)
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .count();
    if address.is_unspecified() {
        // `IpAddr :: V4`: a path of names, as tools print tokens of code.
        let spaced = before(text, start) == b' ' && at(text, end) == b' ';
        let is_path = spaced && at(text, end + 1).is_ascii_alphabetic();
        return !is_path && is_named(text, start, &NAMES);
    }
    if is_count(bytes::slice(text, start, end)) {
        return false;
    }
    if length < 5 || is_pair(bytes::slice(text, start, end)) {
        let named = is_named(text, start, &NAMES) || is_named(text, start, &PEERS);
        return digits > 0 && named;
    }
    digits > 0 || address.segments().iter().filter(|&&part| part != 0).count() > 3
}

/// `b2::b3`, `10::20`: a path of names, or a slice. No address in use begins so and has but two groups.
fn is_pair(address: &[u8]) -> bool {
    const GROUP: usize = 4;
    let first = bytes::run(address, 0, GROUP, |byte| byte != b':');
    let rest = bytes::slice(address, first, address.len());
    let is_last = |rest: &[u8]| !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit);
    (1..GROUP).contains(&first) && rest.strip_prefix(b"::").is_some_and(is_last)
}

/// `16:9:4:3:2:1:1:1`: eight numbers of a digit or two; `50:01:43:80:0a:1b:2c:3d`: eight bytes.
fn is_count(address: &[u8]) -> bool {
    address
        .split(|&byte| byte == b':')
        .all(|part| (1..=2).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
        || address
            .split(|&byte| byte == b':')
            .all(|part| part.len() == 2)
}

/// Words before an address, whatever its form.
static NAMES: Words = Words::of(&["ip", "srcip", "dstip", "loopback", "unspecified"]);
/// Words before an address that is more than `::`.
static PEERS: Words = Words::of(&["from", "host", "address", "peer", "client"]);

fn is_named(text: &[u8], start: usize, words: &Words) -> bool {
    context::within(text, start, 24, words)
}

fn with_zone(text: &[u8], end: usize) -> usize {
    if at(text, end) != b'%' {
        return end;
    }
    let zone = bytes::run(text, end + 1, LONGEST_ZONE, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
    });
    // A dot at the end is that of the sentence.
    let dots = bytes::run_back(text, end + 1 + zone, zone, |byte| byte == b'.');
    let zone = zone - dots;
    if zone == 0 { end } else { end + 1 + zone }
}
