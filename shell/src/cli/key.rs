//! `maskproxy key`: names clients' keys for use in rules.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use engine::{KeyHash, Sensitive};

use super::{Failure, notify, print};
use crate::base::io_error;
use crate::base::random;
use crate::system::terminal;

/// No key is longer.
const LONGEST: u64 = 64 << 10;

/// The command.
pub(super) fn command() -> Command {
    let name = Arg::new("name")
        .value_name("NAME")
        .required(true)
        .value_parser(name)
        .help("The key's name in policy rules");
    Command::new("key")
        .about("Names clients' keys for use in policy rules")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("add")
                .about("Reads a key from standard input and prints its line for the configuration")
                .arg(name)
                .after_help(
                    "The line contains a salted, keyed hash, which does not reveal the key.\n\n\
                     Example:\n  maskproxy key add team-a >> maskproxy.yaml",
                ),
        )
}

/// Runs the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let Some(("add", matches)) = matches.subcommand() else {
        return Err(Failure::usage("no such command"));
    };
    let Some(name) = matches.get_one::<String>("name") else {
        return Err(Failure::usage(
            "no name given; usage: maskproxy key add NAME",
        ));
    };
    let text = read().map_err(|error| {
        Failure::new(format!(
            "can't read the key: {}",
            io_error::in_words(&error)
        ))
    })?;
    let key = text.expose().trim();
    if key.is_empty() {
        return Err(Failure::new("no key was given on standard input"));
    }
    if key.contains(char::is_whitespace) || key.contains(char::is_control) {
        return Err(Failure::new(
            "a key is one word: give the key alone, without `Bearer` and quotes",
        ));
    }
    let entry = KeyHash::of(key.as_bytes(), random::bytes()).entry();
    print(|out| {
        if !io::stdout().is_terminal() {
            // What it is appended to may not end with a line end.
            writeln!(out)?;
        }
        writeln!(out, "policy.keys.{name}: \"{entry}\"")
    })
}

fn name(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if text.is_empty() || text.len() > 40 || !text.bytes().all(fits) {
        return Err("a name has letters, digits, `-`, `_` and `.`, at most 40".to_owned());
    }
    Ok(text.to_owned())
}

/// The key: a line that is typed and not shown, or all of standard input.
fn read() -> io::Result<Sensitive<String>> {
    let input = io::stdin();
    let mut text = String::with_capacity(4096);
    if !input.is_terminal() {
        input.lock().take(LONGEST).read_to_string(&mut text)?;
        return Ok(Sensitive::new(text));
    }
    notify("The key, which is not shown:");
    terminal::read_hidden_line(&mut text)?;
    Ok(Sensitive::new(text))
}
