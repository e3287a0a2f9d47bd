//! Vendor keys with a documented shape: the rules of `rules/*.toml`.

mod checksum;
mod matcher;
#[cfg(test)]
mod tests;

use crate::EntityType;
use crate::detect::bytes::{self, begins_word, is_word};
use crate::detect::lexicon::placeholder;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use checksum::Checksum;
use matcher::{Matched, Node};
use std::ops::Range;

/// One compiled record of the rule file.
pub(in crate::detect) struct Rule {
    id: &'static str,
    entity: EntityType,
    anchors: &'static [Anchor],
    pub(in crate::detect) nocase: bool,
    /// The pattern describes a value near the anchor.
    keyword: bool,
    checksum: Option<Checksum>,
    /// Floor in tenths of a bit a character.
    entropy: u8,
    nodes: &'static [Node],
}

/// A literal, and its possible distance from the start of a match.
pub(in crate::detect) struct Anchor {
    pub(in crate::detect) text: &'static str,
    nearest: u16,
    farthest: u16,
    /// The characters that can follow it.
    pub(in crate::detect) followers: &'static u128,
}

#[expect(clippy::unreadable_literal, reason = "generated from the rule file")]
mod rules {
    use super::{Anchor, Checksum, EntityType, Node, Rule};

    include!(concat!(env!("OUT_DIR"), "/vendor_rules.rs"));
}

use rules::RULES;

/// How far after a keyword its value may be, in bytes.
const NEARBY: usize = 64;

/// How far before a keyword the word for a credential may be, in bytes.
const BEFORE_KEYWORD: usize = 16;

/// Words for credentials, one of which must be near the value of a keyword rule that may be a
/// digest.
#[rustfmt::skip]
const CREDENTIALS: &[&str] = &[
    "key", "token", "secret", "pass", "pwd", "auth", "cred", "login", "pat", "bearer",
    "private", "access", "api", "dsn", "sid", "webhook", "sign", "unseal", "contribsys",
];

/// Every rule with each of its anchors, and the places of both in their lists.
pub(in crate::detect) fn anchors()
-> impl Iterator<Item = (&'static Rule, &'static Anchor, u16, u16)> {
    (0..).zip(RULES).flat_map(|(place, rule)| {
        (0..)
            .zip(rule.anchors)
            .map(move |(index, anchor)| (rule, anchor, place, index))
    })
}

impl Rule {
    /// Whether a match begins with this anchor.
    pub(in crate::detect) const fn begins_with(&self, anchor: &Anchor) -> bool {
        !self.keyword && anchor.farthest == 0
    }
}

/// Tries a rule at the place of one of its anchors.
pub(in crate::detect) fn try_rule(scanner: &mut Scanner<'_, '_>, id: u16, anchor: u16, at: usize) {
    let Some(rule) = RULES.get(usize::from(id)) else {
        return;
    };
    let Some(anchor) = rule.anchors.get(usize::from(anchor)) else {
        return;
    };
    let matched = if rule.keyword {
        nearby(scanner.text, rule, at, at + anchor.text.len())
    } else {
        let tried = scanner.marks.attempts.of(id);
        let starts = starts(anchor, at);
        let untried = starts.start.max(*tried)..starts.end;
        *tried = starts.end.max(*tried);
        untried
            .rev()
            .find_map(|start| match_at(scanner.text, rule, start))
    };
    if let Some(matched) = matched {
        scanner.push(detection(scanner.text, rule, &matched));
    }
}

/// Where a match with its anchor at `at` can begin.
fn starts(anchor: &Anchor, at: usize) -> Range<usize> {
    let [nearest, farthest] = [anchor.nearest, anchor.farthest].map(usize::from);
    at.saturating_sub(farthest)..(at + 1).saturating_sub(nearest)
}

fn match_at(text: &[u8], rule: &Rule, start: usize) -> Option<Matched> {
    let starts_word = bytes::at(text, start).is_ascii_alphanumeric();
    if starts_word && !begins_word(text, start) {
        return None;
    }
    let matched = matcher::find(text, rule.nodes, start)?;
    plausible(text, rule, &matched).then_some(matched)
}

/// Searches for the value of a keyword rule, word by word.
///
/// A vendor's name alone says little: commits, digests and package sums are near it too.
fn nearby(text: &[u8], rule: &Rule, anchor: usize, from: usize) -> Option<Matched> {
    let window = bytes::slice(text, from, text.len().min(from.saturating_add(NEARBY)));
    let second_line = memchr::memchr_iter(b'\n', window).nth(1);
    let end = from + second_line.unwrap_or(window.len());
    let mut at = from;
    let mut fits = from;
    while at < end {
        at = matcher::first_fit(text, rule.nodes, at..end, &mut fits);
        let begins = !bytes::at(text, at).is_ascii_whitespace() && begins_word(text, at);
        if at < end
            && begins
            && let Some(matched) = match_at(text, rule, at)
        {
            let (start, end) = matched.value;
            let before = bytes::slice(text, anchor.saturating_sub(BEFORE_KEYWORD), start);
            let stays = is_referred_to(before)
                || is_name(bytes::slice(text, start, end))
                || is_digest(bytes::slice(text, start, end)) && !names_credential(before)
                || is_resource(before, bytes::slice(text, start, end));
            return (!stays).then_some(matched);
        }
        at += 1;
        at += bytes::rest_of_word(text, at, end.saturating_sub(at));
    }
    None
}

/// Whether the text around a keyword, up to the value, speaks of a credential.
fn names_credential(context: &[u8]) -> bool {
    static BEGINNINGS: bytes::WordInitials = bytes::WordInitials::of(CREDENTIALS);
    BEGINNINGS.stand_in(context, |_| true)
}

/// `DebugLocListsBase`, `strict_null_checks_6113`: words of code.
fn is_name(value: &[u8]) -> bool {
    let class = Value::of(str::from_utf8(value).unwrap_or_default());
    class.is_words() && (!class.has_digit || value.contains(&b'_'))
}

/// Whether a value has the letters of a digest: hexadecimal ones, in one case.
fn is_digest(value: &[u8]) -> bool {
    let lower = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let upper = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    value.iter().all(lower) || value.iter().all(upper)
}

/// `/apps/98fc74a8-…`: a UUID within a path names a resource, unless the path speaks of a credential.
fn is_resource(before: &[u8], value: &[u8]) -> bool {
    before.ends_with(b"/") && value.contains(&b'-') && !names_credential(before)
}

/// Whether a value is a revision or digest by what directly precedes it: `@`, `#`, `sha256:`.
fn is_referred_to(before: &[u8]) -> bool {
    let digest = before.strip_suffix(b":").or(before.strip_suffix(b"-"));
    let digest = digest.map_or(&b""[..], |before| {
        bytes::slice(before, before.len().saturating_sub(6), before.len())
    });
    matches!(before, [.., b'@' | b'#']) || digest.starts_with(b"sha") || digest.ends_with(b"sha1")
}

fn plausible(text: &[u8], rule: &Rule, matched: &Matched) -> bool {
    let value = bytes::slice(text, matched.value.0, matched.value.1);
    !value.is_empty()
        && (rule.entropy == 0 || bytes::entropy(value) >= rule.entropy)
        && !placeholder::is_filler(value)
        && !(value.iter().copied().all(is_of_base64)
            && (is_in_base64(text, matched.value.0) || is_in_sum(text, matched.value.0)))
}

/// Whether a value is in the middle of a checksum that is named as one: `sha512-8/g0Pt6…`, `h1:lqAit4…`.
fn is_in_sum(text: &[u8], start: usize) -> bool {
    const LONGEST: usize = 88;
    const NAMES: [&[u8]; 6] = [
        b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"h1:",
    ];
    let before_value = bytes::run_back(text, start, LONGEST, is_of_base64);
    if before_value == 0 {
        return false;
    }
    let lead = bytes::slice(text, 0, start - before_value);
    NAMES.iter().any(|name| {
        let before_name = lead.strip_suffix(*name);
        before_name.is_some_and(|before| !before.last().is_some_and(u8::is_ascii_alphanumeric))
    })
}

/// Whether a value continues Base64 as long as that of images and archives, which contains the letters of any anchor.
/// Paths and joined words are written with the same characters: they have more slashes, or fewer capitals and digits.
fn is_in_base64(text: &[u8], start: usize) -> bool {
    const LONG: usize = 128;
    let is_sign = |byte: &u8| matches!(byte, b'+' | b'/');
    if !is_sign(&bytes::before(text, start))
        || bytes::run_back(text, start, LONG, is_of_base64) < LONG
    {
        return false;
    }
    let run = bytes::slice(text, start - LONG, start);
    let count = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count();
    count(is_sign) <= LONG / 10
        && count(u8::is_ascii_uppercase) >= LONG / 8
        && count(u8::is_ascii_digit) >= LONG / 32
}

fn is_of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

fn detection(text: &[u8], rule: &Rule, matched: &Matched) -> Detection {
    let (start, end) = matched.value;
    let value = bytes::slice(text, start, end);
    let passes = rule.checksum.map(|checksum| checksum.verify(value));
    let percent = match passes {
        Some(true) => 100,
        Some(false) => 70,
        None if rule.keyword => 80,
        None => 95,
    };
    Detection {
        start,
        end,
        entity: rule.entity.clone(),
        score: Score::percent(percent),
        rule: rule.id,
    }
}

/// Whether a match may end at `end`: the run of word characters must end there too, except for
/// emphasis.
fn ends_word(text: &[u8], end: usize) -> bool {
    const LONGEST_SIGN: usize = 3;
    let sign = bytes::run(text, end, LONGEST_SIGN, |byte| byte == b'_');
    !is_word(bytes::before(text, end)) || !is_word(bytes::at(text, end + sign))
}
