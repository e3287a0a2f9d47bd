//! `maskproxy proxy`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, sources, warning};
use crate::config::{Config, Flag, SETTINGS};
use crate::{log, server};

/// The command, its flags made from the settings table.
pub(super) fn command() -> Command {
    let mut command = Command::new("proxy")
        .about("Starts the proxy")
        .arg(sources::config_file())
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
    let values = sources::values(matches, &[])?;
    let config = Config::resolve(&values)?;
    log::start(&config.logging);
    if let Some(warning) = warning::unmasked(&config) {
        tell(&warning);
    }
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    server::run(config, |address| announce(scheme, address))?;
    Ok(ExitCode::SUCCESS)
}

fn announce(scheme: &str, address: SocketAddr) {
    tell(&format!("listening on {scheme}://{address}"));
}

fn tell(line: &str) {
    #[expect(clippy::print_stderr, reason = "this is where the user is told")]
    {
        eprintln!("{line}");
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
