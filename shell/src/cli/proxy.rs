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
                .help("Take over a changed configuration file, or a file that it names"),
        )
        .after_help(environment_help());
    for setting in SETTINGS {
        match setting.flag {
            Some(Flag::Value { long, short, name }) => {
                let help = sentence(setting.help);
                let help = match (setting.default, setting.env) {
                    (Some(default), _) => format!("{help} [default: {default}]"),
                    (None, Some(env)) => format!("{help} [{env}]"),
                    (None, None) => help,
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
                for (switch, help) in switches {
                    let names = switches.iter().map(|(name, _)| name);
                    let arg = Arg::new(*switch)
                        .long(*switch)
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(names.filter(|other| *other != switch))
                        .help(sentence(help));
                    command = command.arg(arg);
                }
            }
            None => {}
        }
    }
    command
}

/// Help as the other commands write it: with a capital letter.
fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Serves until a signal comes.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    // First, so that no change of the file goes unseen.
    let mut reload = reload(matches)?;
    let config = config(matches)?;
    if let Some(reload) = &mut reload {
        reload.watch_named(&config);
    }
    let log = Log::start(&config.logging)?;
    let warnings: Vec<_> = warning::all(&config).collect();
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let served = server::run(config, log.access(), reload, |address| {
        for warning in &warnings {
            tell(warning);
        }
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
    // A path that leads nowhere is told when it is read.
    if path.exists() && !path.is_file() {
        let message = format!("--reload watches a file, and {} is none", path.display());
        return Err(Failure::usage(&message));
    }
    let matches = matches.clone();
    let read = move || {
        let config = config(&matches).map_err(|error| error.to_string())?;
        for warning in warning::all(&config) {
            tracing::warn!("{warning}");
        }
        Ok(config)
    };
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

/// The environment variables with the settings that they set.
fn environment_help() -> String {
    let mut help = "Environment:\n".to_owned();
    for setting in SETTINGS {
        if let Some(env) = setting.env {
            // Writing to a string can't fail.
            let _ = writeln!(help, "  {env:<28} {}", setting.path);
        }
    }
    help + "\n`maskproxy config --show` lists every setting, docs/configuration.md explains them."
}
