//! A generated value near a secret-looking name, without an assignment between them.

use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::name::{Name, Strength};
use crate::detect::lexicon::public;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// Farthest from the name that a value may begin, in bytes.
const REACH: usize = 40;
const SHORTEST: usize = 16;
/// The longest end of a name after its stem, in bytes.
const LONGEST_ENDING: usize = 16;
const LONGEST: usize = 256;

/// Words next to a value that is a hash, an id or a file.
#[rustfmt::skip]
const HASHES: &[&str] = &[
    "sha", "integrity", "checksum", "h1:", "commit", "digest", "etag", "md5", "hash",
    "fingerprint", "uuid", "crc", "blake", "signature", "revision", "nonce", "object", "blob",
    "import", "include", "from ", "def ", "class ", "function", "const ",
];

/// Words for events as well as for secrets: if an id is next to them, it identifies the event.
const EVENTS: &[&str] = &["auth", "session", "login", "webhook", "access"];
/// Words after which an id follows.
const IDS: &[&str] = &[
    "id",
    "ids",
    "fingerprint",
    "name",
    "version",
    "hash",
    "event",
    "request",
];

/// What UUIDs identify.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "account", "build", "client", "customer", "deployment", "device", "group", "instance", "job", "message", "node", "order", "org",
    "organization", "pod", "project", "resource", "run", "session", "span", "subscription", "task", "team", "tenant", "trace",
    "transaction", "user", "volume", "workspace",
];

/// The value near the name that ends with `stem`.
pub(super) fn find(scanner: &mut Scanner<'_, '_>, stem: &Range<usize>) -> Option<Range<usize>> {
    let own = bytes::slice(scanner.text, stem.start, stem.end);
    // `_path` is not `_pat`, but `_patA` is.
    let next = at(scanner.text, stem.end);
    let same_case = at(own, own.len() - 1).is_ascii_lowercase() == next.is_ascii_lowercase();
    if own.eq_ignore_ascii_case(b"_pat") && next.is_ascii_alphabetic() && same_case {
        return None;
    }
    let attached = attached(scanner, stem);
    // `user:password@host` is a URL, and the rest of it is not a secret.
    if attached.is_some() || names_user(scanner.text, stem.end) {
        return attached;
    }
    apart(scanner, stem)
}

fn names_user(text: &[u8], end: usize) -> bool {
    at(text, end + bytes::run(text, end, 16, bytes::is_word)) == b'@'
}

/// A value after the name, a few words on.
fn apart(scanner: &mut Scanner<'_, '_>, stem: &Range<usize>) -> Option<Range<usize>> {
    let text = scanner.text;
    let letters = bytes::run(text, stem.end, LONGEST_ENDING, bytes::is_word);
    let mut from = stem.end + letters;
    let limit = from + REACH;
    if at(text, from) == b'/' || letters == LONGEST_ENDING {
        // A path that the name is in, or a value in the same word.
        from += bytes::run(text, from, LONGEST, is_value);
        if is_another_name(text, from) {
            return None;
        }
    }
    from += bytes::run(text, from, 4, |byte| byte.is_ascii_whitespace());
    if !holds_long(scanner, from, limit) {
        return None;
    }
    let mut word: &[u8] = &[];
    while from < limit {
        let gap = bytes::run(text, from, REACH, |byte| !is_value(byte) && byte != b'\n');
        let start = from + gap;
        let start = start + bytes::run(text, start, 2, |byte| byte == b'=');
        if start >= limit || at(text, start) == b'\n' {
            return None;
        }
        let length = bytes::run(text, start, LONGEST, is_value);
        from = start + length.max(1);
        if length >= SHORTEST {
            let end = trimmed(text, start, start + length);
            if !is_one_of(word, IDS)
                && !is_id_of_thing(scanner.str(start, end), word)
                && accepts(scanner, start..end)
                && super::named(scanner, Name::extent(text, stem)).is_some()
                && fits(scanner, stem, start..end)
                && !holds_hash(text, stem.start, start)
                && !is_result(bytes::slice(text, stem.end, start))
            {
                return Some(start..end);
            }
        }
        word = bytes::slice(text, start, from);
        if assigns(word) || is_another_name(text, from) {
            break;
        }
    }
    None
}

/// `sign('', 'my_secret') => '…'`: what a call with the secret gives.
fn is_result(gap: &[u8]) -> bool {
    const ARROWS: [&[u8]; 2] = [b") => ", b") == "];
    ARROWS.iter().any(|arrow| bytes::holds(gap, arrow))
}

/// Whether a run as long as a value begins between `from` and `limit`. Results are remembered.
fn holds_long(scanner: &mut Scanner<'_, '_>, from: usize, limit: usize) -> bool {
    let text = scanner.text;
    let known = &mut scanner.short_words;
    if !(known.start..=known.end).contains(&from) {
        *known = from..from;
    }
    while known.end < limit {
        // No long word begins before the last byte that none holds.
        let end = known.end + SHORTEST;
        let length = bytes::run_back(text, end, SHORTEST, is_value);
        if length == SHORTEST && end <= text.len() {
            return true;
        }
        known.end = end - length;
    }
    false
}

/// `token issued for user 3f2b8c1e-…`: a UUID behind a word for what it identifies.
fn is_id_of_thing(value: &str, word: &[u8]) -> bool {
    is_one_of(word, THINGS) && Value::of(value).is_uuid()
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a word is a name with its value, or continues with one: `type=4f52…`, `value=`.
fn assigns(word: &[u8]) -> bool {
    if !word.contains(&b'=') {
        return false;
    }
    let lead = bytes::run(word, 0, word.len(), |byte| byte == b'=');
    let name = bytes::run(word, lead, word.len(), |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')
    });
    let padding = word.iter().skip(lead + name).all(|&byte| byte == b'=');
    at(word, lead + name) == b'=' && !(padding && word.len() >= SHORTEST)
}

/// Whether the word that ends at `end` is a name with its own value.
fn is_another_name(text: &[u8], end: usize) -> bool {
    let closed = end + bytes::run(text, end, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let gap = closed + bytes::run(text, closed, 2, |byte| byte == b' ');
    matches!(at(text, gap), b'=' | b':')
}

/// `holisticTOKEN-abcdef…`, `web_access_key_0123…`: the value is part of the same word.
fn attached(scanner: &mut Scanner<'_, '_>, stem: &Range<usize>) -> Option<Range<usize>> {
    let text = scanner.text;
    let joint = |byte: u8| matches!(byte, b'-' | b'_' | b'.' | b'/');
    let letters = bytes::run(text, stem.end, 2, |byte| byte.is_ascii_alphabetic());
    let joined = [0, letters]
        .into_iter()
        .map(|skip| stem.end + skip)
        .find(|&from| joint(at(text, from)));
    let from = joined?;
    let start = from + bytes::run(text, from, 3, joint);
    let length = bytes::run(text, start, LONGEST, is_value);
    let end = trimmed(text, start, start + length);
    if length < SHORTEST {
        return None;
    }
    // Another word of the same name was followed by it, too.
    let known = &scanner.marks.nearby_value;
    if known.end == end && known.contains(&start) {
        return Some(known.clone());
    }
    let accepted = accepts(scanner, start..end)
        && fits(scanner, stem, start..end)
        && !is_id_of(text, stem, start..end)
        && !is_in_hash(text, stem.start);
    accepted.then_some(start..end)
}

/// `session_4f3c…`, `secrets/db/4f3c…`: the id of an event, or a path that ends with one.
fn is_id_of(text: &[u8], stem: &Range<usize>, value: Range<usize>) -> bool {
    let value_bytes = bytes::slice(text, value.start, value.end);
    let own = bytes::slice(text, stem.start, stem.end);
    let in_path = before(text, value.start) == b'/';
    in_path && (is_one_of(own, EVENTS) || value_bytes.contains(&b'/'))
        || own.eq_ignore_ascii_case(b"session") && value_bytes.iter().all(u8::is_ascii_hexdigit)
}

/// `sha256=IKEYd-Xc…`: a name by chance, within a hash.
fn is_in_hash(text: &[u8], stem: usize) -> bool {
    let start = stem - bytes::run_back(text, stem, REACH, is_value);
    memchr::memchr(b'=', bytes::slice(text, start, stem)).is_some()
        && speaks_of_hash(bytes::slice(text, start, stem))
}

/// Whether a value is the end of a path that identifies it: `auth-library/commit/4f52…`.
fn leads_to_hash(text: &[u8], name: usize, value: Range<usize>) -> bool {
    let slash = memchr::memrchr(b'/', bytes::slice(text, value.start, value.end));
    slash.is_some_and(|slash| speaks_of_hash(bytes::slice(text, name, value.start + slash)))
}

const fn is_value(byte: u8) -> bool {
    const VALUE: bytes::Set = bytes::Set::word().with(b"-+/=.~");
    VALUE.holds(byte)
}

fn trimmed(text: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start && matches!(before(text, end), b'.' | b'-' | b'/') {
        end -= 1;
    }
    end
}

/// Whether a value looks generated. If several names precede it, it is judged for the first.
fn accepts(scanner: &mut Scanner<'_, '_>, range: Range<usize>) -> bool {
    if let Some((known, accepted)) = &scanner.nearby_judged
        && *known == range
    {
        return *accepted;
    }
    let value = scanner.str(range.start, range.end);
    let class = scanner.class(range.start, value);
    let accepted = looks_generated(scanner, &range, value, &class);
    scanner.nearby_judged = Some((range, accepted));
    accepted
}

fn looks_generated(
    scanner: &Scanner<'_, '_>,
    range: &Range<usize>,
    value: &str,
    class: &Value<'_>,
) -> bool {
    if !(SHORTEST..LONGEST).contains(&value.len()) {
        return false;
    }
    let calls = matches!(at(scanner.text, range.end), b'(' | b'[' | b':')
        || before(scanner.text, range.start) == b'$';
    let are_words = || class.is_identifier() && class.is_words() && !class.is_hex();
    let is_separator = |byte: &&u8| matches!(byte, b'-' | b'_' | b'.' | b'/');
    let separators = || class.bytes().iter().filter(is_separator).count();
    let opening = bytes::slice(scanner.text, range.start.saturating_sub(8), range.start);
    let is_constant = opening.ends_with(b"hex!(\"") || public::is_literal(value);
    // `cookie-0.1.5.tgz#4f52…`
    let is_fragment = before(scanner.text, range.start) == b'#' && class.is_hex();
    let is_fingerprint = || is_fragment || opening == b"RSA key " && class.is_hex();
    !calls
        && !is_constant
        && !is_fingerprint()
        && (class.is_random() || class.is_opaque())
        && !are_words()
        && separators() < 6
        && !is_file(value)
        && !(class.holds_any(b".") && bytes::holds(class.bytes(), b".."))
        && !assigns(class.bytes())
        && !class.is_id()
        && !public::is_cache_key(value)
        && !class.is_placeholder()
}

/// `s390x/fat/aes256-decrypt-2.asm`: a file in a folder, by its extension.
fn is_file(value: &str) -> bool {
    const LONGEST_EXTENSION: usize = 4;
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        value.contains('/')
            && (1..=LONGEST_EXTENSION).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// Whether the name that ends with `stem` is one that such a value belongs to. A UUID belongs to a strong or qualified one.
fn fits(scanner: &Scanner<'_, '_>, stem: &Range<usize>, range: Range<usize>) -> bool {
    let Some(name) = Name::ending(scanner.text, stem.clone()) else {
        return false;
    };
    let is_uuid = Value::of(scanner.str(range.start, range.end)).is_uuid();
    let qualified = name.range.len() > 6;
    let is_event = is_one_of(bytes::slice(scanner.text, stem.start, stem.end), EVENTS);
    let takes_uuid = !is_event && (name.strength >= Strength::Medium || qualified);
    (!is_uuid || takes_uuid)
        && !leads_to_hash(scanner.text, stem.start, range)
        && !public::is_in_resource_name(scanner.text, stem.start)
}

/// Whether the line up to the value speaks of a hash, an id or code.
fn holds_hash(text: &[u8], name: usize, value: usize) -> bool {
    let line = name - bytes::line_back(text, name, 40);
    speaks_of_hash(bytes::slice(text, line, value))
}

fn speaks_of_hash(window: &[u8]) -> bool {
    static WORDS: bytes::WordInitials = bytes::WordInitials::of(HASHES);
    WORDS.stand_in(window, |index| !before(window, index).is_ascii_alphabetic())
}
