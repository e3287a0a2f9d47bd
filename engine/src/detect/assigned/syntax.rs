//! How a value is written beside its name.

use super::value_span::{self, Span};
use super::{called, edits, fields, lines, markup, prose};
use crate::detect::bytes::{self, at, before};
use crate::detect::forms::SETTERS;
use crate::detect::judge::Form;
use crate::detect::pass::Pass;
use crate::detect::text::Text;
use std::ops::Range;

/// A value beside a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assignment {
    pub(super) form: Form,
    pub(super) span: Span,
}

/// Spaces that may stand around a separator.
const MAX_SPACES: usize = 24;
/// Longest value that an expansion takes where nothing is assigned, in bytes.
const LONGEST_DEFAULT: usize = 256;

/// The value assigned to the name in `name`.
pub(super) fn assignment(pass: &mut Pass<'_, '_>, name: &Range<usize>) -> Option<Assignment> {
    let text = pass.text;
    let closed = closers(text, name.end);
    let pair = fields::pair(pass, name, closed);
    if pair.is_some() {
        return pair;
    }
    if !stands_before_word(text, name, closed) {
        let by_sign = by_sign(pass, name, closed);
        if by_sign.is_some() {
            return by_sign;
        }
    } else if let Some(declared) = declared(text, name) {
        return Some(declared);
    }
    if let Some(span) = called::compared_before(text, name.start) {
        let form = Form::Argument;
        return Some(Assignment { form, span });
    }
    let flag = flag(text, name);
    flag.filter(|flag| !reads_on(text, &flag.span))
        .or_else(|| in_text(pass, name, closed))
        .or(flag)
}

/// Whether a word follows a name, as most names, so that no sign does; `or` is one of those, and tags hold words.
fn stands_before_word(text: &[u8], name: &Range<usize>, closed: usize) -> bool {
    let next = at(text, spaces(text, closed));
    closed == name.end
        && next.is_ascii_alphanumeric()
        && next != b'o'
        && !matches!(before(text, name.start), b'<' | b':')
}

/// A value that a sign sets off from its name.
fn by_sign(pass: &mut Pass<'_, '_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let text = pass.text;
    expansion(text, name)
        .or_else(|| separated(text, name, closed))
        .or_else(|| fields::block(pass, closed))
        .or_else(|| markup::element(text, name, closed))
        .or_else(|| called::argument(pass, name, closed))
        .or_else(|| fallback(text, closed))
}

/// `password NVARCHAR(64) = 'x'`: words of a type stand between.
fn declared(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    const LONGEST: usize = 48;
    const MOST_WORDS: usize = 3;
    let from = spaces(text, name.end);
    let line = bytes::slice(text, from, text.len().min(from + LONGEST));
    let sign = memchr::memchr2(b'=', b'\n', line).filter(|&sign| at(line, sign) == b'=')?;
    let kind = bytes::slice(line, 0, sign);
    let kind = kind.strip_suffix(b":").unwrap_or(kind).trim_ascii_end();
    let is_kind = |byte: &u8| bytes::is_word(*byte) || b" ()[]<>,.*&".contains(byte);
    let words = kind.split(|&byte| byte == b' ').count();
    let start = spaces(text, from + sign + 1);
    let is_declared = words <= MOST_WORDS && kind.iter().all(is_kind);
    if !is_declared || !value_span::is_quoted(text, start) {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    let form = Form::Spaced;
    Some(Assignment { form, span })
}

/// A value on the next line or in a sentence; the names of files stand there as well (`man/gpasswd.1`).
fn in_text(pass: &mut Pass<'_, '_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let text = pass.text;
    if is_file(text, name) {
        return None;
    }
    // What a file holds, nothing else says in a sentence that names it.
    let labels = at(text, closed) == b':' || bytes::begins(text, closed, b" is ");
    if is_in_folder(text, name) && !labels {
        return None;
    }
    lines::below(text, name, closed).or_else(|| prose::assignment(pass, name, closed))
}

/// `gpasswd.1`, `/etc/passwd`; not `datasource.password`.
fn is_file(text: &[u8], name: &Range<usize>) -> bool {
    const LONGEST_KIND: usize = 4;
    let own = bytes::slice(text, name.start, name.end);
    let kind = memchr::memrchr(b'.', own).map(|dot| bytes::slice(own, dot + 1, own.len()));
    let is_secret = |kind: &[u8]| {
        [&b"pass"[..], b"pwd", b"key", b"pin", b"pw"]
            .iter()
            .any(|word| kind.eq_ignore_ascii_case(word))
    };
    kind.is_some_and(|kind| kind.len() <= LONGEST_KIND && !is_secret(kind))
        || own.eq_ignore_ascii_case(b"passwd") && is_in_folder(text, name)
}

/// `/run/secrets/password`; not `vault/password`.
fn is_in_folder(text: &[u8], name: &Range<usize>) -> bool {
    let in_folder = before(text, name.start) == b'/';
    let folder = |byte: u8| bytes::is_word(byte) || matches!(byte, b'-' | b'.');
    let slash = name.start.saturating_sub(1);
    in_folder && before(text, slash - bytes::run_back(text, slash, 64, folder)) == b'/'
}

/// Whether a value after spaces alone is a word of a sentence.
fn reads_on(text: &[u8], span: &Span) -> bool {
    let value = bytes::slice(text, span.start, span.end);
    let word = !value
        .iter()
        .any(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation());
    !span.quoted && word && matches!(at(text, span.end), b' ' | b':')
}

/// Skips what closes a name: quotes (escaped or encoded, too), brackets, emphasis.
pub(super) fn closers(text: &[u8], end: usize) -> usize {
    let encoded = bytes::encoded_quote(text, end);
    end + encoded.map_or_else(|| closing_run(text, end), <[u8]>::len)
}

/// A backslash closes nothing unless a quote follows it.
fn closing_run(text: &[u8], end: usize) -> usize {
    let mut length = 0;
    while length < 6 {
        let from = end + length;
        let width = match at(text, from) {
            b'"' | b'\'' | b'`' | b']' | b'*' => 1,
            b'\\' if matches!(at(text, from + 1), b'"' | b'\'' | b'\\') => 1,
            byte if !byte.is_ascii() => closing_sign(text, from),
            _ => 0,
        };
        if width == 0 {
            break;
        }
        length += width;
    }
    length
}

/// The width of a quotation mark or bracket outside ASCII that closes what stands before it.
fn closing_sign(text: &[u8], at: usize) -> usize {
    const SIGNS: &[&str] = &["»", "«", "›", "”", "“", "’", "‘", "」", "』", "】", "］"];
    let sign = SIGNS
        .iter()
        .find(|sign| bytes::begins(text, at, sign.as_bytes()));
    sign.map_or(0, |sign| sign.len())
}

pub(super) fn spaces(text: &[u8], at: usize) -> usize {
    at + bytes::run(text, at, MAX_SPACES, |byte| byte == b' ' || byte == b'\t')
}

/// Where a line ends whose end may be of two bytes.
pub(super) fn line_end(text: &[u8], from: usize) -> usize {
    from + usize::from(at(text, from) == b'\r' && at(text, from + 1) == b'\n')
}

fn separated(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, accessors_end(text, spaces(text, closed)));
    let (width, colon) = separator(text, from)?;
    let mut start = encoded_space(text, spaces(text, from + width));
    let mut form = match (colon, from == closed && start == from + width) {
        (true, _) => Form::Colon,
        (false, true) => Form::Tight,
        (false, false) => Form::Spaced,
    };
    if colon && let Some(annotated) = annotation(text, start) {
        start = annotated;
        form = Form::Spaced;
    }
    // Emphasis after a label (`**Token:** abc`).
    start += bytes::run(text, start, 2, |byte| byte == b'*');
    start = markup::inside(text, untagged(text, spaces(text, dumped(text, start))));
    let in_query = form == Form::Tight && matches!(before(text, name.start), b'?' | b'&');
    if closes_label(text, name, closed, start) {
        return None;
    }
    if lines::is_block(text, start) {
        return None;
    }
    // `Token: ("a", "b")` is a pair.
    if form != Form::Colon || at(text, start) != b'(' {
        start = called::unwrapped(text, start);
    }
    let span = if form == Form::Tight {
        value_span::braced(text, name.start, start)
            .or_else(|| value_span::value_or_bracket(text, start, in_query))?
    } else {
        value_span::value(text, start, in_query)?
    };
    let span = edits::replacement(text, name.start, span);
    let span = edits::formatted(text, &span).unwrap_or(span);
    Some(of_account(text, name, &span).unwrap_or(Assignment { form, span }))
}

/// Skips what PHP shows before a text: `["password"]=>`, `string(7) "x"` on the line below.
fn dumped(text: &[u8], start: usize) -> usize {
    const KIND: &[u8] = b"string(";
    const LONGEST_COUNT: usize = 6;
    let line = line_end(text, start);
    let kind = spaces(text, line + usize::from(at(text, line) == b'\n'));
    let count = kind + KIND.len();
    let end = count + bytes::run(text, count, LONGEST_COUNT, |byte| byte.is_ascii_digit());
    let is_dumped = end > count
        && bytes::begins(text, kind, KIND)
        && bytes::slice(text, end, end + 3) == b") \"";
    if is_dumped { end + 2 } else { start }
}

/// Skips the tag or anchor of a value in YAML: `!!str x`, `&name x`.
fn untagged(text: &[u8], start: usize) -> usize {
    const LONGEST: usize = 32;
    let length = match (at(text, start), at(text, start + 1)) {
        (b'!', b'!') | (b'&', b'a'..=b'z') => bytes::run(text, start, LONGEST, |byte| {
            byte.is_ascii_graphic() && byte != b';'
        }),
        (b'!', b'u') if bytes::begins(text, start, b"!unsafe ") => 7,
        _ => return start,
    };
    let next = spaces(text, start + length);
    if next > start + length { next } else { start }
}

/// What else may be the value: looked at besides the assignment, never instead.
pub(super) fn other(
    text: &Text<'_>,
    name: &Range<usize>,
    assignment: &Assignment,
) -> Option<Assignment> {
    with_words(text, name, assignment)
        .or_else(|| alternative(text, assignment))
        .or_else(|| edits::changed(text, assignment))
}

/// `name = look_up() ?? "x"`: the text that is taken where a look-up finds nothing.
fn alternative(text: &Text<'_>, assignment: &Assignment) -> Option<Assignment> {
    const LONGEST: usize = 96;
    const SIGNS: &[&[u8]] = &[b" ?? ", b" || ", b" or ", b" else ", b" ? "];
    let span = &assignment.span;
    if assignment.form != Form::Spaced || span.quoted {
        return None;
    }
    let line = bytes::run(text, span.end, LONGEST, |byte| {
        byte != b'\n' && byte != b';'
    });
    let line = bytes::slice(text, span.end, span.end + line);
    let follows_sign = |quote: &usize| {
        let lead = bytes::slice(line, 0, *quote);
        SIGNS.iter().any(|sign| lead.ends_with(sign))
    };
    let quote = memchr::memchr3_iter(b'"', b'\'', b'`', line).find(follows_sign)?;
    let start = span.end + quote;
    let span = value_span::value(text, start, false)?;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// Where the accessors of a property or the length of an array end that begin at `from`: `{ get; set; } = "x"`.
fn accessors_end(text: &[u8], from: usize) -> usize {
    if at(text, from) == b'[' {
        let length = bytes::run(text, from + 1, 16, bytes::is_word);
        let end = from + 1 + length;
        let next = spaces(text, end + 1);
        let assigns = at(text, end) == b']' && at(text, next) == b'=';
        return if assigns { next } else { from };
    }
    if !bytes::begins(text, from, b"{ get") {
        return from;
    }
    let length = bytes::run(text, from, 40, |byte| !matches!(byte, b'}' | b'\n'));
    from + length + usize::from(at(text, from + length) == b'}')
}

/// `User=sa;Password=two words;`: in a connection string, a value goes on to the semicolon; arguments of a command do not.
fn with_words(text: &[u8], name: &Range<usize>, assignment: &Assignment) -> Option<Assignment> {
    const LONGEST: usize = 40;
    let Assignment { form, span } = *assignment;
    let follows_field = before(text, name.start) == b';' && at(text, span.end) == b' ';
    if form != Form::Tight || span.quoted || !follows_field {
        return None;
    }
    let rest = bytes::run(text, span.end, LONGEST, |byte| {
        bytes::is_word(byte) || b" !@#$%&*.-".contains(&byte)
    });
    let end = span.end + rest;
    let words = bytes::slice(text, span.end, end).trim_ascii_end();
    let end = span.end + words.len();
    let is_whole = at(text, spaces(text, end)) == b';' && !bytes::holds(words, b" -");
    is_whole.then_some(Assignment {
        form,
        span: Span { end, ..span },
    })
}

/// `credentials: admin / x`: the value behind the user.
fn of_account(text: &Text<'_>, name: &Range<usize>, user: &Span) -> Option<Assignment> {
    let own = bytes::slice(text, name.start, name.end);
    let named = [&b"credentials"[..], b"creds", b"login"]
        .iter()
        .any(|known| own.eq_ignore_ascii_case(known));
    // `user/pass: admin/x`
    if before(text, name.start) == b'/' && !user.quoted {
        let value = bytes::slice(text, user.start, user.end);
        let slash = memchr::memchr(b'/', value).filter(|&slash| slash > 0)?;
        let start = user.start + slash + 1;
        let span = Span { start, ..*user };
        let form = Form::Account;
        return (start < user.end).then_some(Assignment { form, span });
    }
    let start = user.end + 3;
    if !named || user.quoted || bytes::slice(text, user.end, start) != b" / " {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    // `10 / 5000 a day`
    let own = bytes::slice(text, user.start, user.end);
    if own.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // `x / staging`
    let is_word = |span: &Span| {
        let value = bytes::slice(text, span.start, span.end);
        value.iter().all(u8::is_ascii_lowercase)
    };
    if is_word(&span) && !is_word(user) {
        return None;
    }
    Some(Assignment {
        form: Form::Account,
        span,
    })
}

/// `${DB_PASSWORD:-x}`: what a shell or a template takes where nothing is assigned.
fn expansion(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let opens = || bytes::slice(text, name.start.saturating_sub(2), name.start) == b"${";
    if at(text, name.end) != b':' || !opens() {
        return None;
    }
    let sign = usize::from(matches!(at(text, name.end + 1), b'-' | b'='));
    let start = name.end + 1 + sign;
    if value_span::is_quoted(text, start) {
        let span = value_span::value(text, start, false)?;
        let form = Form::Argument;
        return Some(Assignment { form, span });
    }
    let length = bytes::run(text, start, LONGEST_DEFAULT, |byte| {
        !matches!(byte, b'}' | b'\n' | b'"')
    });
    let end = start + length;
    let closes = length > 0 && at(text, end) == b'}';
    closes.then_some(Assignment {
        form: Form::Argument,
        span: Span {
            start,
            end,
            quoted: true,
            is_template: false,
        },
    })
}

/// `process.env.DB_PASSWORD || "x"`: what is taken where nothing is assigned.
fn fallback(text: &Text<'_>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, closed);
    let from = spaces(text, from + usize::from(at(text, from) == b')'));
    if !matches!(at(text, from), b'|' | b'?' | b'o') {
        return None;
    }
    let width = [&b"||"[..], b"??", b"?:", b"or "]
        .iter()
        .find(|sign| bytes::slice(text, from, from + sign.len()) == **sign)?
        .len();
    let start = spaces(text, from + width);
    // Of two names in a sentence, one may stand for the other.
    if before(text, closed) == b'`' {
        return None;
    }
    let span =
        value_span::is_quoted(text, start).then(|| value_span::value(text, start, false))??;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// Whether the quote at `start` closes the one before the name: `"Password:"` is a label.
fn closes_label(text: &[u8], name: &Range<usize>, closed: usize, start: usize) -> bool {
    let quote = at(text, start);
    let own = bytes::slice(text, name.start.saturating_sub(24), name.start);
    let opened = own
        .iter()
        .rev()
        .find(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let follows = at(text, start + 1);
    matches!(quote, b'"' | b'\'' | b'`')
        && closed == name.end
        && opened == Some(&quote)
        && (matches!(
            follows,
            b',' | b')' | b';' | b']' | b'}' | b'\n' | b'>' | b'+' | b':' | 0
        ) || follows == b' ' && before(text, name.start) == quote)
}

/// Skips the space that a URL writes before a quote of its own.
fn encoded_space(text: &[u8], from: usize) -> usize {
    let after = [&b"%20"[..], b"+"]
        .iter()
        .find(|space| bytes::begins(text, from, space))
        .map(|space| from + space.len());
    after
        .filter(|&after| bytes::encoded_quote(text, after).is_some())
        .unwrap_or(from)
}

/// A separator at `from`: its width, and whether it is a colon.
fn separator(text: &[u8], from: usize) -> Option<(usize, bool)> {
    #[rustfmt::skip]
    const LONG: &[&[u8]] = &[
        b"===", b"||=", b"??=", b"%3D", b"%3d", b":=", b"=>", b"==", b"?=", b"+=", b"!=", b"->",
        b"<-", b"~>",
    ];
    if !matches!(
        at(text, from),
        b'=' | b'|' | b'?' | b'%' | b':' | b'+' | b'!' | b'-' | b'<' | b'~' | b'.' | 0xEF
    ) {
        return None;
    }
    if let Some(long) = LONG
        .iter()
        .find(|long| bytes::slice(text, from, from + long.len()) == **long)
    {
        return Some((long.len(), false));
    }
    match at(text, from) {
        b'=' => Some((1, false)),
        b':' => Some((1, true)),
        b'%' if bytes::begins(text, from, b"%3a") => Some((3, true)),
        // `(password . "x")`
        b'.' if before(text, from) == b' ' && bytes::begins(text, from, b". \"") => {
            Some((2, false))
        }
        0xEF if bytes::slice(text, from, from + 3) == "：".as_bytes() => Some((3, true)),
        _ => None,
    }
}

/// `str = `, `Optional[str] = ` after a colon: where the value begins.
fn annotation(text: &[u8], start: usize) -> Option<usize> {
    // `[u8; 32] = `
    let array =
        usize::from(at(text, start) == b'[') * bytes::run(text, start, 24, |byte| byte != b']');
    // `&'static str = `
    let lifetime = lifetime_length(text, start);
    let array = array + lifetime;
    let kind = array
        + bytes::run(text, start + array, 40, |byte| {
            bytes::is_word(byte)
                || matches!(
                    byte,
                    b'[' | b']' | b'.' | b'|' | b'?' | b'<' | b'>' | b'&' | b'\''
                )
        });
    if kind == 0
        || !at(text, start).is_ascii_alphabetic() && !matches!(at(text, start), b'&' | b'[')
    {
        return None;
    }
    let after = spaces(text, start + kind);
    let assigns = at(text, after) == b'=' && !matches!(at(text, after + 1), b'=' | b'>');
    (assigns && after > start + kind).then(|| spaces(text, after + 1))
}

/// How long the lifetime of a reference is, with the space behind it: `&'static `.
fn lifetime_length(text: &[u8], start: usize) -> usize {
    if bytes::slice(text, start, start + 2) != b"&'" {
        return 0;
    }
    let word = bytes::run(text, start + 2, 16, bytes::is_word);
    if at(text, start + 2 + word) == b' ' {
        word + 3
    } else {
        0
    }
}

/// A value that follows its name after spaces alone, where that is the syntax.
fn flag(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let start = spaces(text, name.end);
    let is_sign = match at(text, start) {
        b'-' => matches!(at(text, start + 1), b'-' | b' '),
        byte => matches!(byte, b'=' | b':'),
    };
    if start == name.end || is_sign {
        return None;
    }
    let own = bytes::slice(text, name.start, name.end);
    let by = own
        .eq_ignore_ascii_case(b"identified")
        .then(|| by_end(text, start))
        .flatten();
    let start = by.map_or(start, |end| spaces(text, end));
    let for_user = own.eq_ignore_ascii_case(b"password") && bytes::begins(text, start, b"for ");
    let start = if for_user {
        for_user_end(text, start)?
    } else {
        start
    };
    // `enable secret 5 …`: how a router keeps it.
    let is_kept = at(text, start).is_ascii_digit() && at(text, start + 1) == b' ';
    let start = if is_kept { start + 2 } else { start };
    let accepted = value_span::is_quoted(text, start)
        || before(text, name.start) == b'-'
        || by.is_some() && own == b"IDENTIFIED"
        || follows_command(text, name.start, takes_password(own));
    if !accepted {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    Some(Assignment {
        form: Form::Flag,
        span,
    })
}

/// Where `by` ends in `identified by`, with a method or a second word between or not.
fn by_end(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 64;
    let by = if bytes::begins(text, start, b"with ") {
        let word = |byte: u8| bytes::is_word(byte) || matches!(byte, b'\'' | b'"');
        spaces(text, start + 5 + bytes::run(text, start + 5, LONGEST, word))
    } else {
        start
    };
    let end = by + 3;
    let password = bytes::begins(text, end, b"password ");
    bytes::begins(text, by, b"by ").then_some(end + 9 * usize::from(password))
}

/// `set password for 'bob'@'%' = 'x'`: where the value begins.
fn for_user_end(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 96;
    let user = bytes::slice(text, start, text.len().min(start + LONGEST));
    let sign = memchr::memchr2(b'=', b'\n', user).filter(|&sign| at(user, sign) == b'=')?;
    let start = spaces(text, start + sign + 1);
    value_span::is_quoted(text, start).then_some(start)
}

/// Names that a password follows in `.netrc` and in the configuration of Redis.
fn takes_password(name: &[u8]) -> bool {
    [
        &b"password"[..],
        b"requirepass",
        b"masterauth",
        b"rootpw",
        b"bindpw",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether the line before a name is `\set`, or that of a login in `.netrc`.
fn follows_command(text: &[u8], name: usize, is_password: bool) -> bool {
    let spaces = bytes::run_back(text, name, 160, |byte| byte.is_ascii_whitespace());
    let last = before(text, name - spaces).to_ascii_lowercase();
    if !is_password
        && !SETTERS
            .iter()
            .any(|words| words.as_bytes().last() == Some(&last))
    {
        return false;
    }
    let line = bytes::slice(text, line_start(text, name), name).trim_ascii();
    let sets = SETTERS
        .iter()
        .any(|words| line.eq_ignore_ascii_case(words.as_bytes()));
    let logs_in = || {
        line.is_empty()
            || bytes::holds(line, b"login ")
            || line.starts_with(b"machine ")
            || line.starts_with(b"username ")
            || bytes::holds(line, b"nmcli ")
    };
    sets || is_password && logs_in()
}

fn line_start(text: &[u8], at: usize) -> usize {
    at - bytes::line_back(text, at, 160)
}
