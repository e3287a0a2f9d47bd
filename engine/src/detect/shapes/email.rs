//! E-mail addresses.

use super::url;
use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::syntax::assigned;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};

/// The longest local part, in bytes. A longer run joins an address to other text.
const LONGEST_LOCAL: usize = 256;
/// How much of such a run is taken: the longest local part of RFC 5321.
const JOINED_LOCAL: usize = 64;
/// The longest domain, in bytes.
const LONGEST_DOMAIN: usize = 320;
/// Farthest that the user information of a URL is followed back.
const LONGEST_USER: usize = 128;

/// Local parts of version control over SSH.
const NOT_PEOPLE: &[&str] = &["git", "hg", "svn"];
/// Last labels that name a file, a member or a unit.
#[rustfmt::skip]
static NOT_DOMAINS: bytes::Words = bytes::Words::of(&[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "scss", "less", "js", "mjs", "cjs",
    "jsx", "ts", "tsx", "json", "yml", "yaml", "toml", "lock", "xml", "html", "htm", "txt", "log",
    "cfg", "conf", "ini", "exe", "dll", "jar", "war", "zip", "gz", "tgz", "whl", "rst", "pdf",
    "class", "method", "prototype", "length", "service", "socket", "target", "timer", "mount",
    "py", "go", "java", "cpp", "hpp", "php", "vue", "latest", "beta", "alpha", "next",
]);

/// Domains that software names its protocols after (RFC 4251, section 6): `aes256-gcm@openssh.com`.
const PROTOCOLS: &[&str] = &["openssh.com", "libssh.org", "lysator.liu.se", "ssh.com"];
/// Words of such names without a digit or a hyphen.
const ALGORITHMS: &[&str] = &[
    "zlib", "statvfs", "fstatvfs", "hardlink", "fsync", "lsetstat", "limits", "eow", "tun",
];
/// What precedes an address in scripts without spaces: words for `to`, `at`, `is`.
const LEADS: &str = "到给給是为為至向请請系箱址件于於発发はがにをへでともー";

/// Examines the address around an `@` at `sign`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, sign: usize) {
    let text = scanner.text;
    let Some(end) = domain_end(scanner, sign + 1) else {
        return;
    };
    let Some(start) = local_start(scanner, sign) else {
        return;
    };
    let domain = scanner.str(sign + 1, end);
    let start = behind_lead(scanner, start, sign, domain);
    let start = behind_opening(text, start, sign, end);
    let local = scanner.str(start, sign);
    if is_protocol(local, domain) {
        return;
    }
    if NOT_PEOPLE
        .iter()
        .any(|name| local.eq_ignore_ascii_case(name))
        || is_url_user(text, start, end)
    {
        return;
    }
    scanner.push(Detection {
        start,
        end,
        entity: EntityType::EMAIL,
        score: Score::percent(95),
        rule: "email",
    });
    assigned::scan_after_email(scanner, start..end);
}

/// Whether this is the name of an algorithm or extension, as a log of SSH is full of.
fn is_protocol(local: &str, domain: &str) -> bool {
    let named = local
        .bytes()
        .any(|byte| byte.is_ascii_digit() || byte == b'-')
        || ALGORITHMS.contains(&local);
    named
        && PROTOCOLS
            .iter()
            .any(|known| domain.eq_ignore_ascii_case(known))
}

/// Where the address of letters in ASCII begins that follows a sentence without a space: `连络先はtaro@…`.
fn behind_lead(scanner: &Scanner<'_, '_>, start: usize, sign: usize, domain: &str) -> usize {
    let local = scanner.str(start, sign);
    if local.is_ascii() || !domain.is_ascii() {
        return start;
    }
    let lead = local
        .char_indices()
        .rev()
        .find(|(_, letter)| !letter.is_ascii());
    match lead {
        Some((index, letter)) if LEADS.contains(letter) => {
            let from = start + index + letter.len_utf8();
            let own = at(scanner.text, from).is_ascii_alphanumeric();
            if own { from } else { start }
        }
        _ => start,
    }
}

/// Where an address begins that emphasis or the quotes of a text with a prefix enclose: `_alice@…_`, `N'alice@…'`.
fn behind_opening(text: &[u8], start: usize, sign: usize, end: usize) -> usize {
    /// Letters before a text in quotes, in SQL, Python, C and shells.
    const PREFIXES: &[&[u8]] = &[
        b"n", b"b", b"r", b"u", b"f", b"e", b"l", b"x", b"br", b"rb", b"u8", b"q",
    ];
    let from = match at(text, end) {
        b'_' => start + bytes::run(text, start, 3, |byte| byte == b'_'),
        b'\'' => {
            let letters = bytes::run(text, start, 2, |byte| byte.is_ascii_alphanumeric());
            let prefix = bytes::slice(text, start, start + letters);
            let known = PREFIXES
                .iter()
                .any(|known| prefix.eq_ignore_ascii_case(known));
            let opens = known && at(text, start + letters) == b'\'';
            start + if opens { letters + 1 } else { 0 }
        }
        _ => start,
    };
    if from < sign { from } else { start }
}

/// Where a local part in quotes begins (RFC 5321): `"john doe"@…`.
fn quoted_start(text: &[u8], sign: usize) -> Option<usize> {
    const LONGEST: usize = 64;
    let closing = sign.checked_sub(1)?;
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b" .,+-_'()@".contains(&byte);
    let length = bytes::run_back(text, closing, LONGEST, inner);
    let opening = (closing - length).checked_sub(1)?;
    let quoted = at(text, closing) == b'"' && at(text, opening) == b'"';
    let apart = !matches!(before(text, opening), b'=' | b':') && bytes::begins_word(text, opening);
    (quoted && length > 0 && apart).then_some(opening)
}

fn local_start(scanner: &Scanner<'_, '_>, sign: usize) -> Option<usize> {
    let text = scanner.text;
    if let Some(start) = quoted_start(text, sign) {
        return Some(start);
    }
    // The runs before two signs never overlap, so that each byte is read once.
    let length = bytes::run_back(text, sign, sign, may_be_local);
    let mut start = sign - length;
    if length >= LONGEST_LOCAL {
        if is_url_user(text, start, sign + 1) {
            return None;
        }
        start = sign - JOINED_LOCAL;
        start += bytes::run(text, start, 3, |byte| (0x80..0xc0).contains(&byte));
    }
    // Letters outside ASCII are local, other characters outside ASCII end the local part.
    if let Some((index, other)) = scanner
        .str(start, sign)
        .char_indices()
        .rev()
        .find(|(_, letter)| !letter.is_ascii() && !is_letter(*letter))
    {
        start += index + other.len_utf8();
    }
    start = skip_escape(text, start, sign);
    start += bytes::run(text, start, sign - start, |byte| {
        matches!(
            byte,
            b'.' | b'\'' | b'-' | b'&' | b'%' | b'+' | b'!' | b'*' | b'#' | b'$' | b'~'
        )
    });
    let last = before(text, sign);
    (start < sign && last != b'.').then_some(start)
}

const fn may_be_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'.' | b'_' | b'%' | b'+' | b'-' | b'\'' | b'~' | b'!' | b'#' | b'$' | b'*' | b'&'
        )
        || byte >= 0x80
}

/// Letters and digits of any script, and marks.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric()
        || matches!(letter, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}' | '\u{E30}'..='\u{E4F}' | '\u{EB0}'..='\u{ECF}')
        || matches!(letter, '\u{591}'..='\u{5C7}' | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}')
        || matches!(letter, '\u{F00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

/// Moves `start` after the letter of an escape (`\nalice@…`), and before `\u00e9lise@…`.
fn skip_escape(text: &[u8], start: usize, sign: usize) -> usize {
    if before(text, start) != b'\\' {
        return start;
    }
    let unicode = at(text, start) == b'u'
        && bytes::run(text, start + 1, 4, |byte| byte.is_ascii_hexdigit()) == 4;
    match at(text, start) {
        b'u' if unicode => start - 1,
        b'n' | b'r' | b't' | b'b' | b'f' | b'v' if start + 1 < sign => start + 1,
        _ => start,
    }
}

fn domain_end(scanner: &Scanner<'_, '_>, from: usize) -> Option<usize> {
    let length = bytes::run(scanner.text, from, LONGEST_DOMAIN, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || byte >= 0x80
    });
    let labels = bytes::slice(scanner.text, from, from + length);
    if !labels.iter().any(|&byte| byte == b'.' || byte >= 0x80) {
        return None;
    }
    let mut domain = scanner.str(from, from + length);
    if let Some((index, _)) = domain
        .char_indices()
        .find(|(_, letter)| !letter.is_ascii() && !is_letter(*letter) && !is_dot(*letter))
    {
        domain = domain.get(..index)?;
    }
    // No label is empty: `v0.8.0...v0.8.1`.
    if let Some(index) = domain
        .as_bytes()
        .array_windows()
        .position(|pair| pair == b"..")
    {
        domain = domain.get(..index)?;
    }
    if begins_with_version(domain.as_bytes()) {
        return None;
    }
    domain = domain.trim_end_matches(|letter| matches!(letter, '.' | '-') || is_dot(letter));
    // What follows a domain without a space (`例え。次`) may be cut off label by label.
    loop {
        let (head, last) = split_last(domain)?;
        if !head.is_empty() && !head.starts_with(['.', '-']) {
            let letters = ascii_letters(last);
            if letters < last.len() && letters > 0 && is_top_level(last.get(..letters)?) {
                return Some(from + domain.len() - last.len() + letters);
            }
            if is_top_level(last) {
                return Some(from + domain.len());
            }
        }
        if last.is_ascii() {
            return None;
        }
        domain = head;
    }
}

/// `0.2.0.wasm`, `v0.8.0`: three numbers, after the name of a package. Four are an address.
fn begins_with_version(domain: &[u8]) -> bool {
    let domain = domain.strip_prefix(b"v").unwrap_or(domain);
    if !at(domain, 0).is_ascii_digit() {
        return false;
    }
    let numbers = domain.split(|&byte| byte == b'.');
    let is_number = |label: &&[u8]| !label.is_empty() && label.iter().all(u8::is_ascii_digit);
    numbers.take_while(is_number).count() == 3
}

/// Count of the letters in ASCII before ideographs or kana: no top-level label holds both (`cn吧`).
fn ascii_letters(label: &str) -> usize {
    let letters = label.bytes().take_while(u8::is_ascii_alphabetic).count();
    let next = label.get(letters..).and_then(|rest| rest.chars().next());
    let is_spaceless = next.is_some_and(
        |letter| matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'),
    );
    if is_spaceless { letters } else { label.len() }
}

fn split_last(domain: &str) -> Option<(&str, &str)> {
    let (index, dot) = domain
        .char_indices()
        .rev()
        .find(|(_, letter)| is_dot(*letter))?;
    Some((domain.get(..index)?, domain.get(index + dot.len_utf8()..)?))
}

const fn is_dot(letter: char) -> bool {
    matches!(letter, '.' | '\u{3002}' | '\u{FF61}')
}

fn is_top_level(label: &str) -> bool {
    let visible = label
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .count();
    if !label.is_ascii() {
        return visible >= 2;
    }
    if label.len() > 4
        && label
            .get(..4)
            .is_some_and(|head| head.eq_ignore_ascii_case("xn--"))
    {
        return true;
    }
    (2..=24).contains(&visible)
        && label.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !NOT_DOMAINS.hold(label.as_bytes())
}

/// Whether the text before `start` is the scheme of a URL, so that this is its user information and its host.
fn is_url_user(text: &[u8], start: usize, end: usize) -> bool {
    let back = bytes::run_back(text, start, LONGEST_USER, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'`' | b',' | b';')
    });
    let slash = start - back;
    bytes::slice(text, slash.saturating_sub(3), slash) == b"://"
        && !is_behind_host(bytes::slice(text, slash, start))
        && !(slash == start && precedes_host(text, end))
}

/// Whether the host is still to come, and an address before it is the name of the user: `smtp://ann@mail.example:password@host`.
fn precedes_host(text: &[u8], end: usize) -> bool {
    let rest = bytes::run(text, end, LONGEST_USER, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'<' | b'>')
    });
    memchr::memchr(b'@', bytes::slice(text, end, end + rest)).is_some()
}

/// Whether a query or a fragment begins in what follows the `://` of a URL: `www.example?to=`. A password may hold the
/// same signs.
fn is_behind_host(text: &[u8]) -> bool {
    let host = memchr::memchr2(b'?', b'#', text).and_then(|end| text.get(..end));
    host.is_some_and(|host| memchr::memchr(b'@', host).is_some() || !url::holds_password(host))
}
