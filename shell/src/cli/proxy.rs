//! `maskproxy proxy`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::Failure;
use crate::config::{Config, Flag, SETTINGS, Values};
use crate::{log, server};

/// The command, its flags made from the settings table.
pub(super) fn command() -> Command {
    let mut command = Command::new("proxy")
        .about("Starts the proxy")
        .after_help(environment_help());
    for setting in SETTINGS {
        match setting.flag {
            Some(Flag::Value { long, short, name }) => {
                let help = match (setting.default, setting.env) {
                    (Some(default), _) => format!("{} [default: {default}]", setting.help),
                    (None, Some(env)) => format!("{} [{env}]", setting.help),
                    (None, None) => setting.help.to_owned(),
                };
                let mut arg = Arg::new(setting.path)
                    .long(long)
                    .value_name(name)
                    .help(help);
                if let Some(short) = short {
                    arg = arg.short(short);
                }
                command = command.arg(arg);
            }
            Some(Flag::Switches(switches)) => {
                for switch in switches {
                    let arg = Arg::new(*switch)
                        .long(*switch)
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(switches.iter().filter(|other| *other != switch))
                        .help(format!("{}: {switch}", setting.help));
                    command = command.arg(arg);
                }
            }
            None => {}
        }
    }
    command
}

/// Serves until a signal comes.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let values = Values::merge(|name| std::env::var(name).ok(), |path| given(matches, path));
    let config = Config::resolve(&values).map_err(|error| match given(matches, error.path()) {
        Some(_) => Failure::usage(error.to_string()),
        None => Failure::from(error),
    })?;
    log::start(config.logging);
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    server::run(config, |address| announce(scheme, address))?;
    Ok(ExitCode::SUCCESS)
}

/// The value that a flag gives to a setting.
fn given(matches: &ArgMatches, path: &str) -> Option<String> {
    let setting = SETTINGS.iter().find(|setting| setting.path == path)?;
    match setting.flag? {
        Flag::Value { .. } => matches.get_one::<String>(setting.path).cloned(),
        Flag::Switches(switches) => {
            let switch = switches.iter().find(|switch| matches.get_flag(switch))?;
            Some((*switch).to_owned())
        }
    }
}

fn announce(scheme: &str, address: SocketAddr) {
    #[expect(clippy::print_stderr, reason = "this is where the user is told")]
    {
        eprintln!("listening on {scheme}://{address}");
    }
}

fn environment_help() -> String {
    let mut help = "Environment:\n".to_owned();
    for setting in SETTINGS {
        if let Some(env) = setting.env {
            let secret = if setting.secret { " (secret)" } else { "" };
            // Writing to a string can't fail.
            let _ = writeln!(help, "  {env:<28} {}{secret}", setting.help);
        }
    }
    help.trim_end().to_owned()
}
