//! Prefixes with the origin or time of a line: of logs, containers and commits.

use super::{Form, LONGEST_PATH, Prefix, digits, is_path, space, value_of};
use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Longest name of a container, host or program, in bytes.
const LONGEST_NAME: usize = 64;

/// `2026-11-22T10:00:00.123Z stdout F `, `2026-11-22T10:00:00+01:00 host program[12]: `
pub(super) fn stamp(text: &[u8], first: usize) -> Option<Prefix> {
    let date = first + matched(text, first, b"dddd-dd-dd")?;
    let time = date + 1;
    let from = time + matched(text, time, b"dd:dd:dd")?;
    if !matches!(at(text, date), b'T' | b' ') {
        return None;
    }
    let fraction = usize::from(matches!(at(text, from), b'.' | b','));
    let from = from
        + fraction
        + fraction * bytes::run(text, from + fraction, 9, |byte| byte.is_ascii_digit());
    let zone = bytes::run(text, from, 6, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'Z' | b'+' | b'-' | b':')
    });
    let end = from + zone;
    (at(text, end) == b' ').then(|| behind_stamp(text, end + 1))
}

/// `Nov 22 10:00:00 host program[12]: ` (RFC 3164)
pub(super) fn syslog(text: &[u8], first: usize) -> Option<Prefix> {
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = bytes::slice(text, first, first + 3);
    let is_month = month.len() == 3 && MONTHS.as_chunks::<3>().0.iter().any(|known| known == month);
    let day = first + 4;
    let digits = bytes::run(text, day, 2, |byte| byte.is_ascii_digit() || byte == b' ');
    let time = day + digits + 1;
    let end = time + matched(text, time, b"dd:dd:dd")?;
    let is_stamp = is_month && digits == 2 && at(text, end) == b' ';
    is_stamp.then(|| behind_stamp(text, end + 1))
}

/// `I1122 10:00:00.123456       1 file.go:12] `, as Kubernetes logs.
pub(super) fn klog(text: &[u8], first: usize) -> Option<Prefix> {
    let is_level = matches!(at(text, first), b'I' | b'W' | b'E' | b'F');
    let date = matched(text, first + 1, b"dddd dd:dd:dd.").filter(|_| is_level)?;
    let from = first + 1 + date;
    let window = bytes::slice(text, from, text.len().min(from + LONGEST_PATH));
    let close = from + memchr::memchr(b']', window)?;
    (at(text, close + 1) == b' ').then(|| Prefix::of(Form::Stamp, close + 2))
}

/// `1a2b3c4d (Ann 2026-11-22 10:00:00 +0100 9) `, with a file's path before the bracket or not, as
/// in `git blame`.
pub(super) fn blame(text: &[u8], first: usize) -> Option<Prefix> {
    const LONGEST_HASH: usize = 40;
    const SHORTEST_HASH: usize = 7;
    let hash = first + usize::from(at(text, first) == b'^');
    let length = bytes::run(text, hash, LONGEST_HASH, |byte| byte.is_ascii_hexdigit());
    let path = space(text, hash + length);
    let spaces = |from| from + bytes::run(text, from, LONGEST_NAME, |byte| byte == b' ');
    let bracket = match at(text, path) {
        b'(' => path,
        _ => spaces(path + bytes::run(text, path, LONGEST_PATH, is_path)),
    };
    if length < SHORTEST_HASH || at(text, bracket) != b'(' {
        return None;
    }
    let window = bytes::slice(text, bracket, text.len().min(bracket + LONGEST_PATH));
    let close = bracket + memchr::memchr(b')', window)?;
    let count = bytes::run_back(text, close, LONGEST_NAME, |byte| byte.is_ascii_digit());
    let message = bracket + 1..close - count;
    let number = bytes::slice(text, message.end, close);
    let is_whole = (1..=8).contains(&count) && at(text, message.end - 1) == b' ';
    is_whole.then(|| Prefix {
        message,
        number: Some(value_of(number)),
        ..Prefix::of(Form::Blame, space(text, close + 1))
    })
}

/// What follows the time in a log: the stream of a container, or a host and a program.
fn behind_stamp(text: &[u8], from: usize) -> Prefix {
    let stream = [&b"stdout F "[..], b"stderr F ", b"stdout P ", b"stderr P "]
        .into_iter()
        .find(|stream| bytes::slice(text, from, from + stream.len()) == *stream);
    if let Some(stream) = stream {
        return Prefix::of(Form::Stamp, from + stream.len());
    }
    let end = program_end(text, from).or_else(|| program_end(text, name_end(text, from)? + 1));
    let end = end.unwrap_or(from);
    Prefix {
        message: from..end,
        ..Prefix::of(Form::Stamp, end)
    }
}

/// Where a line continues after `program[12]: `.
fn program_end(text: &[u8], from: usize) -> Option<usize> {
    let bracket = from + bytes::run(text, from, LONGEST_NAME, is_name);
    if bracket == from || at(text, bracket) != b'[' {
        return None;
    }
    let close = bracket + 1 + bytes::run(text, bracket + 1, LONGEST_NAME, is_name);
    (bytes::slice(text, close, close + 3) == b"]: ").then_some(close + 3)
}

/// Where a name ends that a space follows.
fn name_end(text: &[u8], from: usize) -> Option<usize> {
    let end = from + bytes::run(text, from, LONGEST_NAME, is_name);
    (end > from && at(text, end) == b' ').then_some(end)
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'@')
}

/// The length of what matches `shape`, where `d` is a digit.
fn matched(text: &[u8], start: usize, shape: &[u8]) -> Option<usize> {
    let own = bytes::slice(text, start, start + shape.len());
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    (own.len() == shape.len() && own.iter().zip(shape).all(fits)).then_some(shape.len())
}

/// `db-1  | `, as Docker Compose prints.
pub(super) fn container(text: &[u8], first: usize) -> Option<Prefix> {
    let name = first
        + bytes::run(text, first, LONGEST_NAME, |byte| {
            bytes::is_word(byte) || matches!(byte, b'-' | b'.')
        });
    let bar = name + bytes::run(text, name, LONGEST_NAME, |byte| byte == b' ');
    let is_bar = bar > name && at(text, bar) == b'|' && matches!(at(text, bar + 1), b' ' | 0);
    is_bar.then(|| origin(first..name, space(text, bar + 1)))
}

/// `web-7d9fbb5c4-x2x7k nginx `, as tools for logs of Kubernetes print.
pub(super) fn pod(text: &[u8], first: usize) -> Option<Prefix> {
    const LONGEST_TAIL: usize = 5;
    let name = name_end(text, first)?;
    let own = bytes::slice(text, first, name);
    let tail = own.rsplit(|&byte| byte == b'-').next()?;
    let is_pod = memchr::memchr_iter(b'-', own).count() >= 2
        && tail.len() == LONGEST_TAIL
        && tail
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let container = name_end(text, name + 1).filter(|_| is_pod)?;
    Some(origin(first..container, container + 1))
}

/// `[db] `, `[pod/web-1/nginx] `, `[   12.345678] `, `[2026-11-22 10:00:00] `, `[9] `
pub(super) fn bracket(text: &[u8], first: usize) -> Option<Prefix> {
    timed(text, first)
        .or_else(|| counted(text, first))
        .or_else(|| named(text, first))
}

/// The time in brackets, of a kernel or of a log.
fn timed(text: &[u8], first: usize) -> Option<Prefix> {
    let start = first + 1;
    let close = start
        + bytes::run(text, start, LONGEST_NAME, |byte| {
            byte.is_ascii_alphanumeric() || b" :.,-+/".contains(&byte)
        });
    let inner = bytes::slice(text, start, close);
    let is_clock = |colon: usize| {
        let clock = start + colon;
        clock >= start + 2 && matched(text, clock - 2, b"dd:dd:dd").is_some()
    };
    let is_uptime = || {
        let number = inner.trim_ascii_start();
        number.contains(&b'.')
            && number
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    let is_time = memchr::memchr_iter(b':', inner).any(is_clock) || is_uptime();
    (is_time && bytes::slice(text, close, close + 2) == b"] ")
        .then(|| Prefix::of(Form::Stamp, close + 2))
}

/// The number of an item in brackets.
fn counted(text: &[u8], first: usize) -> Option<Prefix> {
    let digits = digits(text, first + 1);
    let own = bytes::slice(text, digits.start, digits.end);
    let closes = bytes::slice(text, digits.end, digits.end + 2) == b"] ";
    (closes && !own.is_empty()).then(|| Prefix::numbered(Form::Item, digits.end + 2, own))
}

fn named(text: &[u8], first: usize) -> Option<Prefix> {
    let close = first + 1 + bytes::run(text, first + 1, LONGEST_PATH, is_name);
    let follows = close > first + 1 && bytes::slice(text, close, close + 2) == b"] ";
    follows.then(|| origin(first..close + 1, close + 2))
}

/// `#12 0.345 `, as Docker prints while it builds.
pub(super) fn build_step(text: &[u8], first: usize) -> Option<Prefix> {
    let step = digits(text, first + 1);
    let seconds = digits(text, step.end + 1);
    let parts = digits(text, seconds.end + 1);
    let is_step = [&step, &seconds, &parts]
        .iter()
        .all(|part| !part.is_empty())
        && at(text, step.end) == b' '
        && at(text, seconds.end) == b'.'
        && at(text, parts.end) == b' ';
    is_step.then(|| origin(first..step.end, parts.end + 1))
}

fn origin(key: Range<usize>, end: usize) -> Prefix {
    Prefix {
        message: key.clone(),
        key,
        ..Prefix::of(Form::Origin, end)
    }
}
