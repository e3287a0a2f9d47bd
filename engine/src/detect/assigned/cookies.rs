//! The cookies of a header.

use super::value_class::Value;
use super::{head, push};
use crate::detect::Score;
use crate::detect::bytes::{self, at, before};
use crate::detect::pass::{self, Pass};
use crate::detect::placeholder;
use std::ops::Range;

/// What stands between the name of the header and its cookies.
const SEPARATORS: &[&[u8]] = &[
    b": ",
    b":",
    b"\",\"value\":\"",
    b"\", \"value\": \"",
    b"\": \"",
    b"\":\"",
    b"': '",
];
/// Longest name of a cookie, in bytes.
const LONGEST_NAME: usize = 64;
const SHORTEST: usize = 16;
/// Shortest value with digits, or letters that are no words, under a name of [`SESSIONS`], in bytes.
const SHORTEST_SESSION: usize = 8;

/// Names of cookies that only count visits, or that forms send back.
const COUNTING: &[&[u8]] = &[b"_g", b"__utm", b"_fb", b"csrf", b"xsrf", b"_hj", b"amp_"];

/// What names hold whose cookies let in.
const SESSIONS: &[&[u8]] = &[b"sess", b"sid", b"auth", b"token", b"jwt", b"login"];

/// Looks at the cookies behind the name at the end of `Cookie` or `Set-Cookie`; whether it is that of a header with some.
pub(super) fn look(pass: &mut Pass<'_, '_>, name: &Range<usize>) -> bool {
    let text = pass.text;
    let stands = |separator: &&&[u8]| bytes::begins(text, name.end, separator);
    let Some(separator) = SEPARATORS.iter().find(stands) else {
        return false;
    };
    let is_header = matches!(
        before(text, name.start),
        b'-' | b' ' | b'\n' | b'"' | b'\'' | 0
    );
    if !is_header || pass.marks.credentials.is_spent(name.start) {
        return false;
    }
    let start = name.end + separator.len();
    let end = start
        + bytes::run(text, start, pass::LONG, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`') || byte == b' '
        });
    pass.marks.credentials.spend(name.start, end);
    let mut from = start;
    for pair in bytes::slice(text, start, end).split(|&byte| byte == b';') {
        let spaces = bytes::run(pair, 0, 2, |byte| byte == b' ');
        let sign = bytes::run(pair, 0, LONGEST_NAME, |byte| byte != b'=');
        let name = bytes::slice(pair, spaces, sign);
        // `let cookie: String = …`
        if at(pair, sign) == b'=' && !name.contains(&b' ') {
            let value = from + sign + 1..from + pair.len();
            look_at_value(pass, name, &value);
        } else if from == start {
            return false;
        }
        from += pair.len() + 1;
    }
    true
}

/// Whoever sends a generated value is let in with it, whatever its name is.
fn look_at_value(pass: &mut Pass<'_, '_>, name: &[u8], value: &Range<usize>) {
    let counts = COUNTING.iter().any(|known| bytes::begins(name, 0, known));
    let class = Value::of(head(pass.str(value.start, value.end)));
    let is_generated = class.length >= SHORTEST
        && (class.is_random() || class.is_irregular() || class.is_opaque());
    let lets_in = || {
        let name = name.to_ascii_lowercase();
        SESSIONS.iter().any(|known| bytes::holds(&name, known))
    };
    let is_cased = || class.has_upper && class.has_lower && !class.is_words();
    let is_session =
        class.length >= SHORTEST_SESSION && (class.has_digit && !class.is_number() || is_cased());
    if (is_generated || is_session && lets_in())
        && !counts
        && !class.has_space
        && !class.is_uuid()
        && !placeholder::is_placeholder(&class)
    {
        push(pass, value, Score::percent(70), "cookie");
    }
}
