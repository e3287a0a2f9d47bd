//! A user and a password side by side, as people write them: `bob / x`, `bob:x`, `as bob with x`.

use super::assignment::spaces;
use super::unnamed;
use super::value_span::{self, Span};
use crate::detect::bytes::{self, WordInitials, at, before};
use crate::detect::text::Text;
use std::ops::Range;

/// Words from a phrase to its password, at most.
const MOST_WORDS: usize = 7;
const LONGEST_WORD: usize = 64;

/// Words before a user's name.
#[rustfmt::skip]
const AS: &[&str] = &["as", "als", "comme", "como", "come", "jako", "som", "як", "как"];
/// Words between what somebody does and the account: `log in with admin and x`.
#[rustfmt::skip]
const BY: &[&str] = &["with", "using", "mit", "avec", "con", "com", "z", "met", "med", "с", "з"];
/// Words between a user's name and a password.
#[rustfmt::skip]
const WITH: &[&str] = &[
    "with ", "and ", "using ", "mit ", "und ", "avec ", "et ", "con ", "com ", "e ", "y ", "i ", "z ", "met ", "en ", "med ", "och ",
    "з ", "с ", "и ", "та ",
];
static WITH_WORDS: WordInitials = WordInitials::of(WITH);

/// The password within a few words of `from`.
pub(super) fn password(text: &Text<'_>, from: usize) -> Option<Span> {
    let mut lead = Lead::at(text, from);
    let mut end = from;
    for _ in 0..MOST_WORDS {
        let start = end + bytes::run(text, end, 4, separates);
        if start == end {
            return None;
        }
        end = start
            + bytes::run(text, start, LONGEST_WORD, |byte| {
                !byte.is_ascii_whitespace()
            });
        let word = start..end;
        let found = joined(text, &word).or_else(|| apart(text, &word, lead));
        let found = found.filter(|span| is_chosen(text, span));
        if found.is_some() || matches!(before(text, end), b'.' | b'?') || word.is_empty() {
            return found;
        }
        lead = Lead::at(text, end);
    }
    None
}

/// What the word before that of a user says.
#[derive(Clone, Copy)]
struct Lead {
    /// `as bob`
    is_as: bool,
    /// `with bob`
    is_by: bool,
}

impl Lead {
    fn at(text: &[u8], end: usize) -> Self {
        Self {
            is_as: follows(text, end, AS),
            is_by: follows(text, end, BY),
        }
    }
}

/// Whether the word that ends at `end` is one of these.
fn follows(text: &[u8], end: usize, words: &[&str]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let length = bytes::run_back(text, end, LONGEST_WORD, is_letter);
    let word = bytes::slice(text, end - length, end);
    words
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a value may be a password; a number has more digits than a port.
fn is_chosen(text: &Text<'_>, span: &Span) -> bool {
    const FEWEST: usize = 6;
    unnamed::short(text, span).is_some_and(|value| {
        value.digits == value.length && value.length >= FEWEST
            || unnamed::is_chosen(&value)
            || value.is_titled_phrase()
    })
}

/// The password behind `and`, where a phrase ends with a user: `use admin and x`.
pub(super) fn behind_user(text: &Text<'_>, phrase: &Range<usize>) -> Option<Span> {
    let link = spaces(text, phrase.end);
    let word = WITH_WORDS
        .at(text, link)
        .next()
        .filter(|_| link > phrase.end)?;
    let span = value_span::value(text, spaces(text, link + word.len()), false)?;
    let value = unnamed::short(text, &span)?;
    let is_striking = value.has_digit && unnamed::holds_sign(&value);
    (is_striking && unnamed::is_chosen(&value)).then_some(span)
}

/// The password behind a user and a slash: without words before them, a path may look alike.
pub(super) fn beside_user(text: &Text<'_>, user: &Range<usize>) -> Option<Span> {
    let start = spaces(text, user.end);
    let span = value_span::value(text, start, false)?;
    let value = unnamed::short(text, &span)?;
    let is_striking = value.has_digit && unnamed::holds_sign(&value) && !is_file(value.bytes());
    let is_noted = || {
        let is_mixed = value.has_digit && value.has_upper && value.has_lower;
        (is_mixed || value.is_numbered_word()) && is_line(text, user, &span)
    };
    let lead = user.start - usize::from(before(text, user.start) == b' ');
    let is_led = || value.is_numbered_word() && follows(text, lead, BY);
    (unnamed::is_chosen(&value) && (is_striking || is_noted() || is_led())).then_some(span)
}

/// `iDRAC: root / x`: whether a line or a sentence has nothing but a label, a user and a password.
fn is_line(text: &[u8], user: &Range<usize>, password: &Span) -> bool {
    const LONGEST: usize = 48;
    let line = user.start - bytes::line_back(text, user.start, LONGEST);
    let lead = bytes::slice(text, line, user.start).trim_ascii();
    let ends = matches!(at(text, spaces(text, password.end)), b'\n' | b'\r' | 0)
        || at(text, password.end) == b'.' && at(text, password.end + 1) == b' ';
    ends && lead
        .strip_suffix(b":")
        .is_some_and(|label| !label.is_empty())
}

/// The password behind an e-mail address: `bob@example.com:x`, `bob@example.com / x`.
pub(super) fn beside_email(text: &Text<'_>, end: usize) -> Option<Span> {
    let is_joined = at(text, end) == b':' && at(text, end + 1).is_ascii_graphic();
    let is_apart = bytes::begins(text, end, b" / ") || bytes::begins(text, end, b" : ");
    let start = match (is_joined, is_apart) {
        (true, _) => end + 1,
        (_, true) => end + 3,
        _ => return None,
    };
    let span = value_span::value(text, start, false)?;
    let value = unnamed::short(text, &span)?;
    let is_mixed = value.has_upper && value.has_lower || unnamed::holds_sign(&value);
    let is_password = value.has_digit && (is_joined || is_mixed) && !value.holds_any(b"@");
    (is_password && unnamed::is_chosen(&value)).then_some(span)
}

/// `icon@2x.png`
fn is_file(value: &[u8]) -> bool {
    let ending = value.rsplit(|&byte| byte == b'.').next();
    ending.is_some_and(|ending| {
        ending.len() < value.len()
            && (2..=4).contains(&ending.len())
            && ending.iter().all(u8::is_ascii_lowercase)
    })
}

fn separates(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b':' | b'-' | b',' | b'\n' | b'\r' | b'\t' | b'(' | b'*' | b'`' | b'"' | b'\''
    )
}

/// `bob:x`, `bob/x`: no address, path or label.
fn joined(text: &Text<'_>, word: &Range<usize>) -> Option<Span> {
    let user = user_end(text, word.start);
    let sign = at(text, user);
    if user >= word.end || !matches!(sign, b':' | b'/') {
        return None;
    }
    let span = value_span::value(text, user + 1, false)?;
    // A path has a slash, too.
    let value = unnamed::short(text, &span)?;
    let is_of_admin = || is_admin(bytes::slice(text, word.start, user)) && value.has_digit;
    let is_striking = sign == b':' || unnamed::holds_sign(&value) || is_of_admin();
    is_striking.then_some(span)
}

/// Whether a name is one of accounts that most systems have.
fn is_admin(user: &[u8]) -> bool {
    const ADMINS: &[&str] = &["admin", "administrator", "root", "sa", "sysadmin", "test"];
    ADMINS
        .iter()
        .any(|known| user.eq_ignore_ascii_case(known.as_bytes()))
}

/// `bob / x`, `as bob with x`, `with bob and x`
fn apart(text: &Text<'_>, word: &Range<usize>, lead: Lead) -> Option<Span> {
    let next = spaces(text, word.end);
    if user_end(text, word.start) < word.end || next == word.end {
        return None;
    }
    let slash = bytes::begins(text, next, b"/ ").then_some(2);
    let with = || {
        WITH_WORDS
            .at(text, next)
            .next()
            .map(str::len)
            .filter(|_| lead.is_as || lead.is_by)
    };
    let link = slash.or_else(with)?;
    let span = value_span::value(text, spaces(text, next + link), false)?;
    let (user, value) = (
        bytes::slice(text, word.start, word.end),
        bytes::slice(text, span.start, span.end),
    );
    // `with Chrome and Firefox115`: two of a kind, unless the second can be nothing but a password.
    let is_weak = slash.is_none() && !lead.is_as && !is_password(text, &span);
    let is_other = is_weak || is_listed(text, word.start, span.end) || are_alike(user, value);
    (!is_other).then_some(span)
}

/// `Winter2023!`, `letmein2day`
fn is_password(text: &Text<'_>, span: &Span) -> bool {
    unnamed::short(text, span).is_some_and(|value| {
        value.has_digit && unnamed::holds_sign(&value) || value.is_numbered_word()
    })
}

/// `server01 / server02`, `GitHub / GitLab16`, `Chrome / Firefox115`: two of a kind. A password may begin with the whole
/// name of its user.
fn are_alike(user: &[u8], value: &[u8]) -> bool {
    const LEAST: usize = 2;
    let pairs = user.iter().zip(value);
    let common = pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let is_capital = |word: &[u8]| word.first().is_some_and(u8::is_ascii_uppercase);
    let is_numbered = || value.iter().all(u8::is_ascii_alphanumeric);
    (LEAST..user.len()).contains(&common) || is_capital(user) && is_capital(value) && is_numbered()
}

/// `step1 / step2 / step3`: whether the user or the password has another neighbour.
fn is_listed(text: &[u8], start: usize, end: usize) -> bool {
    let ahead = bytes::slice(text, start.saturating_sub(3), start);
    ahead == b" / " || bytes::begins(text, end, b" / ")
}

/// Where the name of a user ends that begins at `start`; `start` if none does, as a number is none.
fn user_end(text: &[u8], start: usize) -> usize {
    let is_user = |byte: u8| bytes::is_word(byte) || b".@+-\\".contains(&byte) || byte >= 0x80;
    let length = bytes::run(text, start, LONGEST_WORD, is_user);
    let user = bytes::slice(text, start, start + length);
    let has_letter = user
        .iter()
        .any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
    if has_letter { start + length } else { start }
}
