//! Passwords in the arguments of well-known commands, and in `.pgpass`.

use super::assigned::value_class::Value;
use super::bytes::{self, at, before};
use super::pass::Pass;
use super::{Detection, Score, placeholder};
use crate::EntityType;
use std::ops::Range;

/// Farthest that an option may stand from its command, in bytes.
const REACH: usize = 400;
const LONGEST: usize = 128;

/// How a command takes a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `-u user:password`, `--user user:password`.
    UserPair,
    /// `-ppassword`.
    Attached,
    /// `-p password`.
    Separate,
}

/// Commands, as the scan looks for them.
pub(super) const COMMANDS: &[&str] = &[
    "curl ",
    "wget ",
    "mysql ",
    "mysqldump ",
    "mysqladmin ",
    "mariadb ",
    "sshpass ",
    "psexec",
    "docker login",
    "http ",
];

/// Looks at the arguments of the command at `start`.
pub(super) fn look(pass: &mut Pass<'_, '_>, command: u16, start: usize) {
    let text = pass.text;
    let Some(command) = COMMANDS.get(usize::from(command)) else {
        return;
    };
    let style = match *command {
        "curl " | "wget " | "http " => Style::UserPair,
        "sshpass " | "psexec" | "docker login" => Style::Separate,
        _ => Style::Attached,
    };
    if pass.commands.is_spent(start) {
        return;
    }
    let line = bytes::run(text, start, REACH, |byte| {
        byte != b'\n' || before(text, start) == b'\\'
    });
    let end = start + line;
    if before(text, start).is_ascii_alphanumeric() || !pass.commands.admits(start, end) {
        return;
    }
    let mut from = start + command.len() - 1;
    while let Some(index) = memchr::memchr(b'-', bytes::slice(text, from, end)) {
        let option = from + index;
        if before(text, option) == b' '
            && let Some(range) = value(text, option, style)
        {
            push(pass, &range, style);
        }
        from = option + 1;
    }
}

/// The value of the option at `at`, when it is one that takes a password.
fn value(text: &[u8], at: usize, style: Style) -> Option<Range<usize>> {
    let names: &[&[u8]] = match style {
        Style::UserPair => &[
            b"-u ",
            b"--user ",
            b"--user=",
            b"-u",
            b"-U ",
            b"--proxy-user ",
        ],
        Style::Attached | Style::Separate => &[b"-p"],
    };
    let name = names
        .iter()
        .find(|name| bytes::slice(text, at, at + name.len()) == **name)?;
    let after = at + name.len();
    let gap = bytes::run(text, after, 3, |byte| byte == b' ');
    let fits = match style {
        Style::UserPair => name.len() > 2 || matches!(bytes::at(text, after), b'"' | b'\''),
        Style::Attached => gap == 0,
        Style::Separate => gap > 0,
    };
    fits.then(|| argument(text, after + gap))
}

/// The argument at `start`, without its quotes.
fn argument(text: &[u8], start: usize) -> Range<usize> {
    if let quote @ (b'"' | b'\'') = at(text, start) {
        let length = bytes::run(text, start + 1, LONGEST, |byte| {
            byte != quote && byte != b'\n'
        });
        start + 1..start + 1 + length
    } else {
        let length = bytes::run(text, start, LONGEST, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`')
        });
        start..start + length
    }
}

fn push(pass: &mut Pass<'_, '_>, argument: &Range<usize>, style: Style) {
    let argument_text = bytes::slice(pass.text, argument.start, argument.end);
    let start = match style {
        Style::UserPair => {
            let Some(colon) = memchr::memchr(b':', argument_text) else {
                return;
            };
            argument.start + colon + 1
        }
        Style::Attached | Style::Separate => argument.start,
    };
    let value = pass.str(start, argument.end);
    let class = Value::of(value);
    let telling = class.length >= 4 && (class.has_digit || class.length >= 8 || !class.is_words());
    if telling
        && !placeholder::is_placeholder(value)
        && !value.starts_with(['-', '$'])
        && !class.has_space
    {
        let range = start..argument.end;
        report(pass, &range, "command-line-password", 85);
    }
}

/// Looks at a line of `.pgpass` (`host:port:database:user:password`) around its port.
pub(super) fn look_at_port(pass: &mut Pass<'_, '_>, colon: usize) {
    let text = pass.text;
    let field =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b':' | b'/' | b'"' | b'\'' | b'@');
    let host = bytes::run_back(text, colon, 64, field);
    let line_start = colon - host;
    let begins = line_start == 0
        || matches!(before(text, line_start), b'\n' | b' ' | b'\'' | b'"')
        || bytes::follows_escape(text, line_start);
    let mut from = colon + 6;
    for _ in 0..2 {
        let length = bytes::run(text, from, 64, field);
        if length == 0 || at(text, from + length) != b':' {
            return;
        }
        from += length + 1;
    }
    let length = bytes::run(text, from, LONGEST, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\')
    });
    if begins
        && host > 0
        && length > 2
        && !placeholder::is_placeholder(pass.str(from, from + length))
    {
        report(pass, &(from..from + length), "pgpass", 90);
    }
}

fn report(pass: &mut Pass<'_, '_>, range: &Range<usize>, rule: &'static str, percent: u8) {
    pass.push(Detection {
        start: range.start,
        end: range.end,
        entity: EntityType::SECRET,
        score: Score::percent(percent),
        rule,
    });
}
