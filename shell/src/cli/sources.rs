//! Finds the settings of a command.

use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches};

use super::Failure;
use crate::config::{Config, Error, Flag, Setting, Values};

/// Names the configuration file where no flag does.
pub(super) const VARIABLE: &str = "MASK_CONFIG";

/// The flag that names the configuration file.
pub(super) fn config_file() -> Arg {
    Arg::new("config")
        .short('c')
        .long("config")
        .value_name("FILE")
        .value_parser(ValueParser::path_buf())
        .help(format!("The configuration file (YAML) [{VARIABLE}]"))
}

/// The flag that names the provider, for commands that have few flags.
pub(super) fn upstream() -> Arg {
    Arg::new("proxy.upstream")
        .short('u')
        .long("upstream")
        .value_name("URL")
        .help("The provider to forward to, instead of the tool's own")
}

/// The flag that asks for the live page.
pub(super) fn ui() -> Arg {
    Arg::new("ui")
        .long("ui")
        .value_name("PORT")
        .value_parser(port_of_live_page)
        .help("Serve a live page of all exchanges on this port of 127.0.0.1, or 0 for any")
}

/// The live page has no login other than its link, so it is on loopback only.
fn port_of_live_page(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| {
        "give a port from 1 to 65535, or 0 for any free one; the live page is always on 127.0.0.1, so no address is needed"
            .to_owned()
    })
}

/// The configuration with the live page, where it is asked for.
///
/// # Errors
/// When there would be nothing to show.
pub(super) fn with_ui(mut config: Config, matches: &ArgMatches) -> Result<Config, Error> {
    config.live = matches.get_one("ui").copied();
    if config.live.is_some() && config.shadow {
        return Err(Error::Conflict(
            "--ui can't be used with policy shadow, which masks nothing; remove one of them"
                .to_owned(),
        ));
    }
    Ok(config)
}

/// Creates the lists file if one is named and missing.
///
/// # Errors
/// When it can't be created.
pub(super) fn create_lists(values: &Values) -> Result<(), Failure> {
    match Config::lists(values)? {
        Some(lists) => lists
            .create()
            .map_err(|error| Failure::new(error.to_string())),
        None => Ok(()),
    }
}

/// The file that the flag names, or else the environment.
pub(super) fn file(matches: &ArgMatches) -> Option<PathBuf> {
    let given = matches.try_get_one::<PathBuf>("config").ok().flatten();
    given.cloned().or_else(|| {
        let path = std::env::var_os(VARIABLE)?;
        (!path.is_empty()).then(|| path.into())
    })
}

/// Merges everything that can set a setting: the table's and the command's own defaults, the
/// configuration file, the environment and the command's flags.
///
/// # Errors
/// When the configuration file can't be used.
pub(super) fn values(
    matches: &ArgMatches,
    defaults: &[(&'static str, &str)],
) -> Result<Values, Error> {
    let values = Values::defaults().with_command_defaults(defaults);
    let values = match file(matches) {
        Some(path) => values.with_file(&path)?,
        None => values,
    };
    Ok(values
        .with_environment(variable)
        .with_flags(|setting| given(matches, setting)))
}

/// A variable's text. Text that is not Unicode is kept with replacement characters, so that it is
/// refused and not ignored.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|text| text.to_string_lossy().into_owned())
}

/// The value that a flag gives to a setting. Commands have only some of the flags.
fn given(matches: &ArgMatches, setting: &Setting) -> Option<String> {
    match setting.flag? {
        Flag::Value { .. } => {
            let given = matches.try_get_one::<String>(setting.path).ok().flatten();
            given.cloned()
        }
        Flag::Switches(switches) => {
            let is_given = |switch: &str| {
                let given = matches.try_get_one::<bool>(switch).ok().flatten();
                given.is_some_and(|given| *given)
            };
            let given = switches.iter().find(|(switch, _)| is_given(switch));
            given.map(|(switch, _)| (*switch).to_owned())
        }
    }
}
