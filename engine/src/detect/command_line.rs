//! Passwords in the arguments of well-known commands, and in `.pgpass`.

use super::assigned::value_class::Value;
use super::bytes::{self, at, before};
use super::pass::{self, Pass};
use super::{Detection, Score, placeholder};
use crate::EntityType;
use std::ops::Range;

/// Farthest that an option may stand from its command, in bytes.
const REACH: usize = 4096;
/// Longest argument, in bytes.
const LONGEST: usize = pass::LONG;

/// Where an option has the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The next argument: `-p password`.
    Alone,
    /// The option itself: `-ppassword`.
    Joined,
    /// Behind a sign in the next argument: `-u user:password`.
    After(u8),
    /// As many arguments further on: `-b file user password`.
    Later(u8),
    /// Behind a share of the network and options: `\\\\host\\share /user:bob password`.
    BehindShare,
}

/// A command, as the scan looks for it, and its options that hold passwords.
pub(super) struct Command {
    pub(super) name: &'static str,
    options: &'static [(&'static str, Holds)],
}

impl Command {
    const fn new(name: &'static str, options: &'static [(&'static str, Holds)]) -> Self {
        Self { name, options }
    }
}

const USER: &[(&str, Holds)] = &[
    ("--user", Holds::After(b':')),
    ("--proxy-user", Holds::After(b':')),
    ("-u", Holds::After(b':')),
    ("-U", Holds::After(b':')),
];
const JOINED: &[(&str, Holds)] = &[("-p", Holds::Joined)];
const ALONE: &[(&str, Holds)] = &[("-p", Holds::Alone)];
const CAPITAL: &[(&str, Holds)] = &[("-P", Holds::Alone), ("-P", Holds::Joined)];
const LDAP: &[(&str, Holds)] = &[("-w", Holds::Alone)];
const ORACLE: &[(&str, Holds)] = &[("", Holds::After(b'/'))];
const SNMP: &[(&str, Holds)] = &[("-A", Holds::Alone), ("-X", Holds::Alone)];
const PUTTY: &[(&str, Holds)] = &[("-pw", Holds::Alone)];

pub(super) const COMMANDS: &[Command] = &[
    Command::new("curl ", USER),
    Command::new("wget ", USER),
    Command::new("http ", USER),
    Command::new("mysql ", JOINED),
    Command::new("mysqldump ", JOINED),
    Command::new("mysqladmin ", JOINED),
    Command::new("mariadb ", JOINED),
    Command::new("7z a ", JOINED),
    Command::new("7z x ", JOINED),
    Command::new("sshpass ", &[("-p", Holds::Alone), ("-p", Holds::Joined)]),
    Command::new("psexec", ALONE),
    Command::new("docker login", ALONE),
    Command::new("podman login", ALONE),
    Command::new("useradd ", ALONE),
    Command::new("ssh-keygen ", &[("-N", Holds::Alone), ("-P", Holds::Alone)]),
    Command::new(
        "redis-cli ",
        &[("-a", Holds::Alone), ("--pass", Holds::Alone)],
    ),
    Command::new("ldapsearch ", LDAP),
    Command::new("ldapadd ", LDAP),
    Command::new("ldapmodify ", LDAP),
    Command::new("sqlcmd ", CAPITAL),
    Command::new("mosquitto_", CAPITAL),
    Command::new("zip -p", CAPITAL),
    Command::new("unzip -p", CAPITAL),
    Command::new("smbclient ", &[("-U", Holds::After(b'%'))]),
    Command::new("lftp ", &[("-u", Holds::After(b','))]),
    Command::new("openssl enc", &[("-k", Holds::Alone)]),
    Command::new("plink ", PUTTY),
    Command::new("pscp ", PUTTY),
    Command::new(
        "htpasswd ",
        &[
            ("-b", Holds::Later(2)),
            ("-cb", Holds::Later(2)),
            ("-bc", Holds::Later(2)),
            ("-bB", Holds::Later(2)),
            ("-Bb", Holds::Later(2)),
            ("-nb", Holds::Later(1)),
        ],
    ),
    Command::new("net user ", &[("", Holds::Later(1))]),
    Command::new("net use ", &[("", Holds::BehindShare)]),
    Command::new("rabbitmqadmin ", ALONE),
    Command::new("--from-literal=", &[("", Holds::After(b'='))]),
    Command::new("rabbitmqctl add_user ", &[("", Holds::Later(1))]),
    Command::new("rabbitmqctl change_password ", &[("", Holds::Later(1))]),
    Command::new("snmp-server community ", &[("", Holds::Alone)]),
    Command::new("tacacs-server key ", &[("", Holds::Alone)]),
    Command::new("radius-server key ", &[("", Holds::Alone)]),
    Command::new("mongo ", ALONE),
    Command::new("mongosh ", ALONE),
    Command::new("mongodump ", ALONE),
    Command::new("mongorestore ", ALONE),
    Command::new("cqlsh ", ALONE),
    Command::new("bcp ", CAPITAL),
    Command::new("sqlplus ", ORACLE),
    Command::new("oracle:thin:", ORACLE),
    Command::new("expdp ", ORACLE),
    Command::new("impdp ", ORACLE),
    Command::new("xfreerdp ", &[("/p:", Holds::Joined)]),
    Command::new("snmpwalk ", SNMP),
    Command::new("snmpget ", SNMP),
];

/// Looks at the arguments of the command at `start`.
pub(super) fn look(pass: &mut Pass<'_, '_>, command: u16, start: usize) {
    let text = pass.text;
    let Some(command) = COMMANDS.get(usize::from(command)) else {
        return;
    };
    if before(text, start).is_ascii_alphanumeric() || pass.marks.commands.is_spent(start) {
        return;
    }
    let end = line_end(text, start);
    pass.marks.commands.spend(start, end);
    let first = start + command.name.len();
    if let [("", holds)] = command.options {
        push(pass, &later(text, first, *holds), *holds);
        return;
    }
    let mut from = start;
    while let Some(index) = memchr::memchr2(b'-', b'/', bytes::slice(text, from, end)) {
        let option = from + index;
        if before(text, option) == b' '
            && let Some((range, holds)) = value(text, option, command)
        {
            push(pass, &range, holds);
        }
        from = option + 1;
    }
}

/// Where the line of the command at `start` ends, which goes on behind a backslash.
fn line_end(text: &[u8], start: usize) -> usize {
    let line = bytes::slice(text, start, text.len().min(start + REACH));
    let goes_on = |end: usize| {
        let blank = bytes::run_back(line, end, 8, |byte| matches!(byte, b' ' | b'\r'));
        before(line, end - blank) == b'\\'
    };
    let end = memchr::memchr_iter(b'\n', line).find(|&end| !goes_on(end));
    start + end.unwrap_or(line.len())
}

/// The value of the option at `at`, when it is one that takes a password.
fn value(text: &[u8], at: usize, command: &Command) -> Option<(Range<usize>, Holds)> {
    command.options.iter().find_map(|(name, holds)| {
        let after = at + name.len();
        if bytes::slice(text, at, after) != name.as_bytes() {
            return None;
        }
        let gap = bytes::run(text, after, 3, |byte| matches!(byte, b' ' | b'='));
        let quote = matches!(bytes::at(text, after), b'"' | b'\'');
        let fits = match holds {
            Holds::After(_) => gap > 0 || quote,
            Holds::Joined => gap == 0,
            Holds::Alone | Holds::Later(_) | Holds::BehindShare => gap > 0,
        };
        fits.then(|| (later(text, after + gap, *holds), *holds))
    })
}

/// The argument at `start`, or that many further on.
fn later(text: &[u8], start: usize, holds: Holds) -> Range<usize> {
    let mut range = argument(text, start);
    match holds {
        Holds::Later(count) => {
            for _ in 0..count {
                range = next_argument(text, range.end);
            }
            range
        }
        Holds::BehindShare => behind_share(text, range),
        _ => range,
    }
}

/// The first argument behind a share that is no option; an empty one where there is none.
fn behind_share(text: &[u8], first: Range<usize>) -> Range<usize> {
    const MOST: usize = 6;
    let mut is_behind = false;
    let mut range = first;
    for _ in 0..MOST {
        let argument = bytes::slice(text, range.start, range.end);
        match argument {
            [] => break,
            [b'\\', ..] => is_behind = true,
            [b'/', ..] => {}
            _ if is_behind => return range,
            _ => {}
        }
        range = next_argument(text, range.end);
    }
    range.start..range.start
}

fn next_argument(text: &[u8], end: usize) -> Range<usize> {
    let quote = usize::from(matches!(at(text, end), b'"' | b'\''));
    let gap = bytes::run(text, end + quote, 3, |byte| byte == b' ');
    argument(text, end + quote + gap)
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

fn push(pass: &mut Pass<'_, '_>, argument: &Range<usize>, holds: Holds) {
    let argument_text = bytes::slice(pass.text, argument.start, argument.end);
    let start = match holds {
        Holds::After(sign) => {
            let Some(index) = memchr::memchr(sign, argument_text) else {
                return;
            };
            argument.start + index + 1
        }
        _ => argument.start,
    };
    // `user/password@database`
    let of_database = match holds {
        Holds::After(b'/') => memchr::memrchr(b'@', argument_text),
        _ => None,
    };
    let end = of_database.map_or(argument.end, |sign| argument.start + sign);
    let value = pass.str(start, end);
    let class = Value::of(value);
    let telling = class.length >= 4 && (class.has_digit || class.length >= 8 || !class.is_words());
    // Ports are given with the same letters.
    let is_port = class.length <= 5 && class.is_number();
    // An option's own value may begin with a slash.
    let is_path = matches!(holds, Holds::Later(_)) && value.starts_with('/');
    if telling
        && !is_port
        && !placeholder::is_placeholder(&class)
        && !value.starts_with('-')
        && (!value.starts_with('$') || is_hash(value))
        && !is_path
        && !class.has_space
    {
        let range = start..end;
        report(pass, &range, "command-line-password", 85);
    }
}

/// `$6$…`, `$2y$…`: a password as `crypt` keeps it.
fn is_hash(value: &str) -> bool {
    const SHORTEST: usize = 20;
    let mut parts = value.split('$').skip(1);
    let kind = parts.next().unwrap_or_default();
    (1..=4).contains(&kind.len()) && parts.next().is_some() && value.len() >= SHORTEST
}

/// What takes a password from a pipe, and what stands before the password in it.
pub(super) const PIPES: &[(&str, u8)] = &[
    ("| docker login", 0),
    ("| sudo -s", 0),
    ("| helm registry login", 0),
    ("| chpasswd", b':'),
    ("| sudo chpasswd", b':'),
];

/// Looks at what `echo` writes into the pipe that stands at `start`.
pub(super) fn look_at_pipe(pass: &mut Pass<'_, '_>, pipe: u16, start: usize) {
    let text = pass.text;
    let Some((_, sign)) = PIPES.get(usize::from(pipe)) else {
        return;
    };
    // What is written before another pipe of the kind was looked at there.
    let last = &mut pass.marks.pipes[usize::from(*sign != 0)];
    let most = start.saturating_sub(*last).min(LONGEST);
    *last = start;
    let lead = start - bytes::line_back(text, start, most);
    let Some(echo) = memchr::memmem::rfind(bytes::slice(text, lead, start), b"echo ") else {
        return;
    };
    let mut from = lead + echo + 5;
    from += 3 * usize::from(bytes::slice(text, from, from + 3) == b"-n ");
    let holds = if *sign == 0 {
        Holds::Alone
    } else {
        Holds::After(*sign)
    };
    push(pass, &argument(text, from), holds);
}

/// Looks at a line of `.pgpass` (`host:port:database:user:password`) around its port.
pub(super) fn look_at_port(pass: &mut Pass<'_, '_>, colon: usize) {
    let text = pass.text;
    if pass.marks.commands.is_spent(colon) {
        return;
    }
    let field =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b':' | b'/' | b'"' | b'\'' | b'@');
    let host = bytes::run_back(text, colon, 64, field);
    let line_start = colon - host;
    let begins = line_start == 0
        || matches!(before(text, line_start), b'\n' | b' ' | b'\'' | b'"')
        || bytes::follows_escape(text, line_start);
    let mut from = colon + 2 + bytes::run(text, colon + 1, 5, |byte| byte != b':');
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
    pass.marks.commands.spend(colon, from + length);
    if begins
        && host > 0
        && length > 2
        && !placeholder::is_placeholder(&Value::of(pass.str(from, from + length)))
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
