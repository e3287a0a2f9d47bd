//! The command line.

mod audit;
mod completions;
mod config;
mod detect;
mod doctor;
mod key;
mod mask;
mod policy;
mod proxy;
mod run;
mod scanned;
mod session;
mod sources;
mod top;
mod warning;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::base::io_error;

/// The message and exit code of a command that failed.
#[derive(Debug)]
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The command was right, but its work failed.
    fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message, code: 1 }
    }

    /// The command itself was wrong.
    fn usage(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message, code: 2 }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        // Errors of the configuration are then on a line each.
        Self::new(format!("{error:#}"))
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run() -> ExitCode {
    let matches = match parsed(std::env::args_os().collect()) {
        Ok(matches) => matches,
        // Usage errors exit with 2, help and version with 0.
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return if error.print().is_ok() {
                ExitCode::from(code)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match dispatch(&matches) {
        Ok(code) => code,
        Err(Failure { message, code }) => {
            notify(&format!("Error: {message}"));
            ExitCode::from(code)
        }
    }
}

fn parsed(mut arguments: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command().try_get_matches_from(&arguments).or_else(|error| {
        if !run::ends_with_bare_option(&error, &arguments) {
            return Err(run::with_tool(error));
        }
        arguments.insert(arguments.len() - 1, "--".into());
        let again = command().try_get_matches_from(arguments);
        again.ok().filter(run::has_arguments).ok_or(error)
    })
}

fn command() -> Command {
    Command::new("maskproxy")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Keeps secrets and personal data out of what LLM clients send to their providers.")
        .after_help(
            "Run a tool behind its own proxy:\n  \
             maskproxy run claude\n\n\
             Or start a proxy, then point any client's base URL at it:\n  \
             maskproxy proxy --upstream https://api.openai.com\n  \
             OPENAI_BASE_URL=http://127.0.0.1:8000/v1 your-client",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(proxy::command())
        .subcommand(run::command())
        .subcommand(detect::command())
        .subcommand(mask::mask_command())
        .subcommand(mask::unmask_command())
        .subcommand(top::command())
        .subcommand(audit::command())
        .subcommand(session::command())
        .subcommand(config::command())
        .subcommand(policy::command())
        .subcommand(key::command())
        .subcommand(doctor::command())
        .subcommand(completions::completions_command())
        .subcommand(completions::man_command())
}

fn dispatch(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match matches.subcommand() {
        Some(("proxy", matches)) => proxy::run(matches),
        Some(("run", matches)) => run::run(matches),
        Some(("detect", matches)) => detect::run(matches),
        Some(("mask", matches)) => mask::mask(matches),
        Some(("unmask", matches)) => mask::unmask(matches),
        Some(("top", matches)) => top::run(matches),
        Some(("audit", matches)) => audit::run(matches),
        Some(("session", matches)) => session::run(matches),
        Some(("config", matches)) => config::run(matches),
        Some(("policy", matches)) => policy::run(matches),
        Some(("key", matches)) => key::run(matches),
        Some(("doctor", matches)) => doctor::run(matches),
        Some(("completions", matches)) => completions::completions(matches, command()),
        Some(("man", matches)) => completions::man(matches, command()),
        _ => Err(Failure::usage("no such command")),
    }
}

/// A flag that is given or not.
fn switch(name: &'static str, help: impl Into<StyledStr>) -> Arg {
    let switch = Arg::new(name).long(name);
    switch.action(ArgAction::SetTrue).help(help)
}

/// Whether output may be coloured.
fn colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && io::stdout().is_terminal()
}

/// Prints a message to the user on standard error, if anybody is there to read it.
fn notify(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Says that a text is awaited, if it has to be typed: otherwise the command seems to hang.
fn announce_typed_input() {
    if io::stdin().is_terminal() {
        notify("reading the text from the terminal; end it with Ctrl-D");
    }
}

/// A number with its noun.
fn counted(count: u64, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

/// Writes to standard output.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    printed(write(&mut out).and_then(|()| out.flush()))
}

/// The exit code of a command that only prints. It is not a failure if nobody reads the output.
fn printed(written: io::Result<()>) -> Result<ExitCode, Failure> {
    match written {
        Err(error) if !is_broken_pipe(&error) => Err(Failure::new(io_error::in_words(&error))),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Whether a write failed only because nobody reads the output, which is not an error.
fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message for a full disk once contained the system's error number.
    #[test]
    fn a_failed_write_is_described_in_words() {
        let full = io::Error::from_raw_os_error(28);
        let failure = printed(Err(full)).unwrap_err();
        assert_eq!(failure.message, "no space left on device");
        assert!(printed(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
    }
}
