//! `maskproxy proxy`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, sources, warning};
use crate::config::{Config, Error, Flag, SETTINGS};
use crate::log::Log;
use crate::server::{self, Reload};

const RELOAD: &str = "reload";

/// The command, its flags made from the settings table.
pub(super) fn command() -> Command {
    let mut command = Command::new("proxy")
        .about("Starts the proxy")
        .arg(sources::config_file())
        .arg(
            Arg::new(RELOAD)
                .long(RELOAD)
                .action(ArgAction::SetTrue)
                .help("Take over a changed configuration file"),
        )
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
    let config = config(matches)?;
    let reload = reload(matches)?;
    let log = Log::start(&config.logging)?;
    if let Some(warning) = warning::unmasked(&config) {
        tell(&warning);
    }
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let served = server::run(config, log.access(), reload, |address| {
        announce(scheme, address);
    });
    log.close();
    served?;
    Ok(ExitCode::SUCCESS)
}

fn config(matches: &ArgMatches) -> Result<Config, Error> {
    Config::resolve(&sources::values(matches, &[])?)
}

/// What watches the configuration file, where that is asked for.
fn reload(matches: &ArgMatches) -> Result<Option<Reload>, Failure> {
    if !matches.get_flag(RELOAD) {
        return Ok(None);
    }
    let Some(path) = sources::file(matches) else {
        let message = "--reload watches the configuration file, and none is named (-c)";
        return Err(Failure::usage(message));
    };
    let matches = matches.clone();
    let read = move || config(&matches).map_err(|error| error.to_string());
    Ok(Some(Reload::new(path, read)))
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
