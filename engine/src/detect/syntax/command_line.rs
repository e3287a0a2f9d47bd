//! Secrets in the arguments of well-known commands, and in their piped input.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::{Form, phrase};
use crate::detect::lexicon::value_class::Value;
use crate::detect::lexicon::{name, vocabulary};
use crate::detect::syntax::arguments::{self, Arguments, REACH};
use crate::detect::syntax::assigned;
use crate::detect::syntax::forms::{COMMANDS, Command};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// More arguments than a command has before its secret.
const MOST_ARGUMENTS: usize = 128;
/// The maximum distance of a command from the pipe into it, in bytes: `| sudo -u bob`.
const LONGEST_LEAD: usize = 96;
/// How far to read a command's line before an option of it, in bytes.
const LONGEST_BEFORE: usize = 512;
/// The operators that pass a string to the input.
const HERE: &[u8] = b"<<<";

/// Examines the arguments of the command at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, command: u16, start: usize) {
    let text = scanner.text;
    let Some(command) = COMMANDS.get(usize::from(command)) else {
        return;
    };
    if !begins(text, start, command) {
        return;
    }
    let Some(found) = arguments_of(text, start, command) else {
        scan_pipe(scanner, command, start, &[]);
        scan_output(scanner, command, start);
        return;
    };
    if switches(text, &found, command.switch) {
        for value in values(text, &found, command) {
            take(scanner, command, start, &found, value);
        }
        scan_pipe(scanner, command, start, &found);
        scan_output(scanner, command, start);
    }
}

/// Whether a command, or an option that stands for any, begins at `start`.
fn begins(text: &[u8], start: usize, command: &Command) -> bool {
    let lead = before(text, start);
    if command.words.starts_with('-') {
        return matches!(lead, b' ' | b'"' | b'\'' | b'\t');
    }
    // A name that is assigned to, or imported from, has no arguments.
    let is_code = command.argument > 0
        && (lead == b'.' || bytes::begins(text, start + command.words.len(), b" = "));
    !is_code && (!lead.is_ascii_alphanumeric() || bytes::follows_escape(text, start))
}

fn arguments_of(text: &[u8], start: usize, command: &Command) -> Option<Vec<Range<usize>>> {
    let end = words_end(text, start, command);
    let goes_on = !before(text, end).is_ascii_alphanumeric();
    let arguments = if goes_on || command.words.starts_with('-') && at(text, end) == b'=' {
        let from = end + usize::from(!goes_on);
        Arguments::within(text, from, from + REACH)
    } else {
        Arguments::behind(text, end)?
    };
    // The arguments of the same command farther on are its own.
    let is_other = |argument: &Range<usize>| !is_named(text, argument, command);
    Some(
        arguments
            .take_while(is_other)
            .take(MOST_ARGUMENTS)
            .collect(),
    )
}

/// Where the words of a command end that begin at `start`: `psexec`, `PsExec.exe`.
fn words_end(text: &[u8], start: usize, command: &Command) -> usize {
    const SUFFIX: &[u8] = b".exe";
    let end = start + command.words.len();
    let has_suffix = before(text, end).is_ascii_alphanumeric() && bytes::begins(text, end, SUFFIX);
    if has_suffix { end + SUFFIX.len() } else { end }
}

/// Whether an argument names a command: `mysql`, `/usr/bin/mysql`.
fn is_named(text: &[u8], argument: &Range<usize>, command: &Command) -> bool {
    let inner = arguments::bare(text, argument);
    let start = if command.words.starts_with('-') {
        inner.start
    } else {
        let own = bytes::slice(text, inner.start, inner.end);
        memchr::memrchr(b'/', own).map_or(inner.start, |slash| inner.start + slash + 1)
    };
    let next = at(text, words_end(text, start, command));
    let ends = !next.is_ascii_graphic() || matches!(next, b'"' | b'\'' | b'\\' | b'=');
    ends && bytes::begins(text, start, command.words.as_bytes())
}

/// Whether the options that a command needs are among its arguments.
fn switches(text: &[u8], arguments: &[Range<usize>], switch: &str) -> bool {
    let mut options = arguments
        .iter()
        .map(|argument| bytes::slice(text, argument.start, argument.end))
        .filter(|argument| argument.starts_with(b"-"));
    if switch.starts_with('-') {
        return options.any(|option| option == switch.as_bytes());
    }
    switch.is_empty()
        || options.any(|option| {
            !option.starts_with(b"--") && switch.bytes().all(|letter| option.contains(&letter))
        })
}

/// The arguments that hold values.
fn values(text: &[u8], arguments: &[Range<usize>], command: &Command) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let (mut count, mut is_behind) = (0, false);
    for (index, argument) in arguments.iter().enumerate() {
        let inner = arguments::bare(text, argument);
        let own = bytes::slice(text, inner.start, inner.end);
        let next = arguments.get(index + 1);
        if let Some(value) = of_option(own, argument, &inner, next, command) {
            values.push(value);
            continue;
        }
        let is_option = own.starts_with(b"-")
            || command.slash && own.starts_with(b"/")
            || own.starts_with(HERE);
        if is_option {
            continue;
        }
        count += 1;
        if count == command.argument || is_behind {
            values.push(argument.clone());
        }
        is_behind = command.behind != 0 && own.first() == Some(&command.behind);
    }
    values
}

/// The value of an option, in it or after it.
fn of_option(
    own: &[u8],
    argument: &Range<usize>,
    inner: &Range<usize>,
    next: Option<&Range<usize>>,
    command: &Command,
) -> Option<Range<usize>> {
    let joined = |prefix: &&&str| own.starts_with(prefix.as_bytes()) && own.len() > prefix.len();
    let named = |option: &&&str| {
        bytes::begins(own, 0, option.to_ascii_lowercase().as_bytes())
            && (option.len() > 2 || own.starts_with(option.as_bytes()))
    };
    for option in command.options.iter().filter(named) {
        match own.get(option.len()) {
            None => return next.cloned(),
            Some(b'=') => return Some(inner.start + option.len() + 1..inner.end),
            Some(_) => {}
        }
    }
    let prefix = command.joined.iter().find(joined)?;
    let end = if inner.start == argument.start {
        argument.end
    } else {
        inner.end
    };
    Some(inner.start + prefix.len()..end)
}

/// Takes the value in an argument, unless something rules it out.
fn take(
    scanner: &mut Scanner<'_, '_>,
    command: &Command,
    start: usize,
    arguments: &[Range<usize>],
    argument: Range<usize>,
) {
    let Some(value) = part(scanner.text, command, &argument) else {
        return;
    };
    if command.named {
        let before = arguments_before(scanner.text, start);
        for name in before.iter().chain(arguments) {
            if *name != argument
                && assigned::scan_pair(scanner, last_segment(scanner.text, name), &value)
            {
                return;
            }
        }
        return;
    }
    if !command.except.is_empty() && is_excepted(scanner.text, command, &argument, &value) {
        return;
    }
    let own = scanner.str(value.start, value.end);
    let is_sure = || is_attached(scanner.text, command, &value) && !is_usual(own);
    if (may_be_value(own) || is_quoted_phrase(scanner.text, &value, own))
        && (is_distinct(own) || is_sure() || assigned::is_given(scanner, &value, Form::Flag))
    {
        report(scanner, &value, "command-line-password", 85);
    }
}

/// `--from-literal=DB_HOST=db`: whether the name of a value tells that it is no secret.
fn is_excepted(
    text: &[u8],
    command: &Command,
    argument: &Range<usize>,
    value: &Range<usize>,
) -> bool {
    let mut is_excepted = false;
    name::each_word(bytes::slice(text, argument.start, value.start), |word| {
        is_excepted = command.except.iter().any(|known| known.as_bytes() == word);
    });
    is_excepted
}

/// `-pmaus`, `bob:maus`: whether a value follows its option or user directly, where nothing else can.
fn is_attached(text: &[u8], command: &Command, value: &Range<usize>) -> bool {
    let lead = before(text, value.start);
    let is_user = command.except.is_empty() && matches!(lead, b':' | b'%' | b',');
    lead.is_ascii_alphabetic() || is_user && lead == command.after
}

/// `bob:password`, `-password`: a word that names a password or an option.
fn is_usual(value: &str) -> bool {
    const LONGEST: usize = 16;
    const OPTIONS: &[&str] = &["assword", "assphrase", "assin", "ath"];
    let mut lowered = [0; LONGEST];
    value.len() < 4
        || vocabulary::is_known(bytes::lowered(value.as_bytes(), &mut lowered))
        || OPTIONS.iter().any(|option| value.starts_with(option))
}

/// The value in an argument, without its quotes: after one sign, before another.
fn part(text: &[u8], command: &Command, argument: &Range<usize>) -> Option<Range<usize>> {
    let whole = arguments::bare(text, argument);
    let own = bytes::slice(text, whole.start, whole.end);
    let mut value = whole.clone();
    if command.after != 0 {
        let sign = memchr::memchr(command.after, own)?;
        let rest = arguments::bare(text, &(whole.start + sign + 1..whole.end));
        // `curl -u "token:"`
        value = if rest.is_empty() {
            whole.start..whole.start + sign
        } else {
            rest
        };
    }
    if command.until != 0 {
        let own = bytes::slice(text, value.start, value.end);
        value.end =
            memchr::memrchr(command.until, own).map_or(value.end, |sign| value.start + sign);
    }
    Some(value)
}

/// The arguments of the same command before an option of it.
fn arguments_before(text: &[u8], option: usize) -> Vec<Range<usize>> {
    let first = option.saturating_sub(LONGEST_BEFORE);
    let mut line = option;
    loop {
        line -= bytes::line_back(text, line, line - first);
        let end = line.saturating_sub(1);
        let end = end - usize::from(before(text, end) == b'\r');
        if line <= first || !matches!(before(text, end), b'\\' | b'`') {
            break;
        }
        line -= 1;
    }
    let lead = bytes::slice(text, line, option);
    let statement = memchr::memrchr3(b'|', b';', b'&', lead).map_or(0, |sign| sign + 1);
    Arguments::within(text, line + statement, option).collect()
}

/// The last part of the path that a parameter or variable is named by.
fn last_segment(text: &[u8], argument: &Range<usize>) -> Range<usize> {
    let whole = arguments::bare(text, argument);
    let own = bytes::slice(text, whole.start, whole.end);
    let ends = |byte: u8| matches!(byte, b',' | b'"' | b'\'' | b'\\');
    let end = whole.end - bytes::run_back(own, own.len(), own.len(), ends);
    let segment = |byte: u8| bytes::is_word(byte) || matches!(byte, b'-' | b'.');
    let length = bytes::run_back(text, end, end - whole.start, segment);
    end - length..end
}

/// Examines what is written into a command that reads a secret from its input.
fn scan_pipe(
    scanner: &mut Scanner<'_, '_>,
    command: &Command,
    start: usize,
    arguments: &[Range<usize>],
) {
    let text = scanner.text;
    if !command.stdin {
        return;
    }
    let here = arguments
        .iter()
        .position(|argument| bytes::slice(text, argument.start, argument.end).starts_with(HERE));
    let value = match here.and_then(|index| arguments.get(index..)) {
        Some([here, next, ..]) if here.len() == HERE.len() => Some(next.clone()),
        Some([here, ..]) => Some(here.start + HERE.len()..here.end),
        _ => pipe_before(text, start).and_then(|pipe| arguments::written(text, pipe)),
    };
    if let Some(value) = value {
        take(scanner, command, start, arguments, value);
    }
}

/// The pipe into the command at `start`; `tee` passes its input on unchanged.
fn pipe_before(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        let line = end - bytes::line_back(text, end, LONGEST_LEAD);
        let pipe = line + memchr::memrchr(b'|', bytes::slice(text, line, end))?;
        let stage = bytes::slice(text, pipe + 1, end);
        let leads = stage
            .iter()
            .all(|byte| bytes::is_word(*byte) || b" -./".contains(byte));
        if !leads {
            return None;
        }
        let earlier = pipe - bytes::line_back(text, pipe, LONGEST_LEAD);
        let earlier = bytes::slice(text, earlier, pipe);
        let stage = memchr::memrchr(b'|', earlier).and_then(|sign| earlier.get(sign + 1..));
        if !stage.is_some_and(|stage| bytes::holds(stage, b"tee ")) {
            return Some(pipe);
        }
        end = pipe;
    }
}

/// Examines the line that a command prints below its prompt.
fn scan_output(scanner: &mut Scanner<'_, '_>, command: &Command, start: usize) {
    let text = scanner.text;
    if !command.prints || !is_at_prompt(text, start) {
        return;
    }
    let line_end = |from: usize| {
        let rest = bytes::slice(text, from, text.len().min(from + REACH));
        memchr::memchr(b'\n', rest).map(|length| from + length)
    };
    let Some(end) = line_end(start) else {
        return;
    };
    // What goes to a file is not printed.
    if memchr::memchr(b'>', bytes::slice(text, start, end)).is_some() {
        return;
    }
    let is_last = text.len() <= end + REACH;
    let Some(printed) = line_end(end + 1).or(is_last.then_some(text.len())) else {
        return;
    };
    let value = trimmed(text, end + 1, printed);
    let own = scanner.str(value.start, value.end);
    // The next setting of a file is no output.
    let assigns = own.trim_end_matches('=').contains('=');
    if may_be_value(own) && is_distinct(own) && !own.ends_with(':') && !assigns {
        report(scanner, &value, "command-line-password", 85);
    }
}

/// Whether a prompt stands before a command: `$ pass show mail`, `root@host:~# sudo pass show mail`. A `#` alone begins
/// a comment, and a `>` alone a quotation.
fn is_at_prompt(text: &[u8], start: usize) -> bool {
    let line = start - bytes::line_back(text, start, LONGEST_LEAD);
    let lead = bytes::slice(text, line, start);
    let lead = lead.strip_suffix(b"sudo ").unwrap_or(lead);
    match lead {
        [.., b'$' | b'%', b' '] => true,
        [.., host, b'#' | b'>', b' '] => *host > b' ',
        _ => lead.ends_with("❯ ".as_bytes()) || bytes::holds(lead, "➜ ".as_bytes()),
    }
}

/// A line without the spaces around it.
fn trimmed(text: &[u8], start: usize, end: usize) -> Range<usize> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    let first = start + bytes::run(text, start, end.saturating_sub(start), is_space);
    let back = bytes::run_back(text, end, end.saturating_sub(first), is_space);
    first.min(end)..end - back
}

/// Whether an argument is no short word.
fn is_distinct(value: &str) -> bool {
    let class = Value::of(value);
    class.length >= 4 && (class.has_digit || class.length >= 8 || !class.is_words())
}

/// `sshpass -p 'Harbor 42'`: words and a number in quotes, which no prompt or message has.
fn is_quoted_phrase(text: &[u8], value: &Range<usize>, own: &str) -> bool {
    let class = Value::of(own);
    let lead = before(text, value.start);
    matches!(lead, b'"' | b'\'')
        && at(text, value.end) == lead
        && class.has_space
        && class.has_digit
        && !class.holds_any(b"\n$%<{-:/")
        && !phrase::holds_label(own)
        && !phrase::holds_sentence(own)
}

/// Whether an argument may be a password: no port, path, option or reference.
fn may_be_value(value: &str) -> bool {
    let class = Value::of(value);
    // Ports are given with the same letters.
    let is_port = class.length <= 5 && class.is_number();
    !is_port
        && !class.is_placeholder()
        && !value.starts_with('-')
        && !refers(value)
        && (!value.starts_with('$') || is_hash(value))
        && !class.holds_any(b" \n\r")
}

/// Whether a value is a path of several folders, or says where a secret is kept.
fn refers(value: &str) -> bool {
    #[rustfmt::skip]
    const KEEPERS: &[&str] = &["arn:", "vault:", "env:", "ssm:", "@microsoft.keyvault(", "%("];
    value.contains("://")
        || value.starts_with('/') && value.matches('/').count() > 1
        || KEEPERS
            .iter()
            .any(|keeper| bytes::begins(value.as_bytes(), 0, keeper.as_bytes()))
}

/// `$6$…`, `$2y$…`: a password as `crypt` keeps it.
fn is_hash(value: &str) -> bool {
    const SHORTEST: usize = 20;
    let mut parts = value.split('$').skip(1);
    let kind = parts.next().unwrap_or_default();
    (1..=4).contains(&kind.len()) && parts.next().is_some() && value.len() >= SHORTEST
}

fn report(scanner: &mut Scanner<'_, '_>, range: &Range<usize>, rule: &'static str, percent: u8) {
    scanner.push(Detection {
        start: range.start,
        end: range.end,
        entity: EntityType::SECRET,
        score: Score::percent(percent),
        rule,
    });
}
