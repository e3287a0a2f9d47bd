//! `maskproxy proxy`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::{Failure, colours, sources, switch, tell, warning};
use crate::config::{Config, Error, Flag, SETTINGS, Setting};
use crate::log::Log;
use crate::server::{self, Reload};

const RELOAD: &str = "reload";

/// The command, its flags made from the settings table.
pub(super) fn command() -> Command {
    Command::new("proxy")
        .about("Starts the proxy")
        .arg(sources::config_file())
        .arg(switch(
            RELOAD,
            "Take over a changed configuration file, or a file that it names",
        ))
        .args(SETTINGS.iter().flat_map(flags))
        .after_help(environment_help())
}

/// The flags of a setting.
fn flags(setting: &Setting) -> Vec<Arg> {
    match setting.flag {
        Some(Flag::Value { long, short, name }) => {
            let help = sentence(setting.help);
            let help = match (setting.default, setting.env) {
                (Some(default), _) => format!("{help} [default: {default}]"),
                (None, Some(env)) => format!("{help} [{env}]"),
                (None, None) => help,
            };
            let flag = Arg::new(setting.path).long(long).short(short);
            vec![flag.value_name(name).help(help)]
        }
        Some(Flag::Switches(switches)) => {
            let names = || switches.iter().map(|(name, _)| *name);
            let flag = |(name, help): &(&'static str, &str)| {
                let others = names().filter(|other| other != name);
                switch(name, sentence(help)).conflicts_with_all(others)
            };
            switches.iter().map(flag).collect()
        }
        None => Vec::new(),
    }
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
    let log = Log::start(&config.logging, colours())?;
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
