//! Passwords and tokens in the user information of a URL.

use crate::EntityType;
use crate::detect::bytes::{self, at};
use crate::detect::lexicon::placeholder;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::{self, Scanner};
use crate::detect::{Detection, Score};

/// Farthest that a password with an unescaped slash is followed, in bytes.
const LONGEST: usize = scanner::LONG;
const SEPARATOR: usize = 3;

/// Examines the URL whose `://` is at `colon`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, colon: usize) {
    let text = scanner.text;
    let scheme = bytes::run_back(text, colon, 24, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
    });
    let start = colon + SEPARATOR;
    if scanner.next_sign(start) == usize::MAX {
        return;
    }
    let scheme = bytes::slice(text, colon - scheme, colon);
    let Some(user_end) = user_end(scanner, start).filter(|_| !scheme.is_empty()) else {
        return;
    };
    // Text in a password that looks like another URL.
    let last = &scanner.marks.url_password;
    if last.end == user_end && last.contains(&start) {
        return;
    }
    let user = bytes::slice(text, start, user_end);
    let (start, percent) = match user.iter().position(|&byte| byte == b':') {
        Some(index) => (start + index + 1, 95),
        None if is_token(user) && is_web(scheme) => (start, 75),
        None => return,
    };
    // Any word may be a password here, except a reference to one.
    let password = scanner.str(start, user_end);
    if placeholder::is_marker(&Value::of(password)) || asks_for_one(password.as_bytes()) {
        return;
    }
    scanner.marks.url_password = start..user_end;
    scanner.push(Detection {
        start,
        end: user_end,
        entity: EntityType::URL_CREDENTIAL,
        score: Score::percent(percent),
        rule: "url-credential",
    });
}

/// `your-password-here`, and references in the percent-encoding that URLs have: `%5Bpassword%5D`, `%24%7Bname%7D`.
fn asks_for_one(password: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"your-", b"your_", b"%5b", b"%3c", b"%7b", b"%24%7b", b"%25",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| bytes::begins(password, 0, beginning))
}

/// The last `@` of the authority; a password may hold others.
fn user_end(scanner: &mut Scanner<'_, '_>, start: usize) -> Option<usize> {
    let text = scanner.text;
    // The slashes of another URL end this one: so none is read twice.
    let length = bytes::run(text, start, usize::MAX, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'<' | b'>' | b'`' | b'\\')
    });
    let authority = bytes::slice(text, start, start + length);
    let mut last = memchr::memrchr(b'@', authority);
    // A password with an unescaped slash or hash: only if nothing else explains the `@`.
    if last.is_none() && holds_password(authority) {
        let end = scanner.marks.loose_url.end(text, start, LONGEST, |byte| {
            byte.is_ascii_graphic()
                && !matches!(
                    byte,
                    b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'=' | b'&' | b' '
                )
        });
        if scanner.next_sign(start) < end {
            last = memchr::memrchr(b'@', bytes::slice(text, start, end));
        }
    }
    last.map(|last| start + last).filter(|end| {
        let host = at(text, end + 1);
        host.is_ascii_alphanumeric()
            || host >= 0x80
            || matches!(host, b'[' | b'{' | b'$' | b'%' | b'<' | b'_' | b'*')
    })
}

/// Whether more than a port follows the first colon.
pub(super) fn holds_password(authority: &[u8]) -> bool {
    memchr::memchr(b':', authority).is_some_and(|colon| {
        let rest = bytes::slice(authority, colon + 1, authority.len());
        !rest.iter().all(u8::is_ascii_digit)
    })
}

fn is_web(scheme: &[u8]) -> bool {
    scheme.ends_with(b"http") || scheme.ends_with(b"https")
}

fn is_token(user: &[u8]) -> bool {
    !user.is_empty()
        && user != b"git"
        && !user.eq_ignore_ascii_case(b"user")
        && !user.eq_ignore_ascii_case(b"username")
}
