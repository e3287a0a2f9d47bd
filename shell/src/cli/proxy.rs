//! `maskproxy proxy`.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::{Arg, ArgMatches, Command};
use engine::EntityType;

use super::{Failure, colours, notify, sources, switch, warning};
use crate::audit;
use crate::config::{
    Config, Error, Flag, Kind, Logging, Mode, OperatorSettings, SETTINGS, Setting, Values,
};
use crate::log::Log;
use crate::server::{self, Listening, Reload};
use crate::system::{cores, descriptors};

const RELOAD: &str = "reload";

/// The command, its flags made from the settings table.
pub(super) fn command() -> Command {
    Command::new("proxy")
        .about("Starts the proxy")
        .arg(sources::config_file())
        .arg(switch(
            RELOAD,
            "Reload the configuration when its file, or a file that it names, changes",
        ))
        .args(SETTINGS.iter().flat_map(flags))
        .arg(sources::ui())
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
            let flag = flag.value_name(name).help(help);
            vec![match setting.kind {
                Kind::Whole { least, most } => {
                    flag.value_parser(move |text: &str| whole(text, least, most))
                }
                _ => flag,
            }]
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

/// Checks a number where it is typed: the command line is wrong then, not the configuration.
fn whole(text: &str, least: u64, most: u64) -> Result<String, String> {
    let within = |number: &u64| (least..=most).contains(number);
    match text.parse::<u64>().ok().filter(within) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!(
            "it must be {}",
            Kind::Whole { least, most }.expected()
        )),
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
    // First, so that no change of the file is missed.
    let logging = Arc::default();
    let mut reload = reload(matches, Arc::clone(&logging))?;
    let values = sources::values(matches, &[])?;
    sources::create_lists(&values)?;
    let config = sources::with_ui(Config::resolve(&values)?, matches)?;
    if let Some(reload) = &mut reload {
        reload.watch_named(&config);
    }
    descriptors::raise_limit();
    cores::write_none();
    let log = Log::start(logging.get_or_init(|| config.logging.clone()), colours())?;
    let asked = warning::no_provider(&values, &config);
    let asked = asked.map(|asked| format!("warning: {asked}"));
    let warnings = asked.into_iter().chain(warning::all(&config));
    let warnings: Vec<_> = warnings.chain(warning::of_listener(&config)).collect();
    let about = About::of(&config);
    let reload = reload.or_else(|| lists(&config, values, matches));
    let listening = |at| {
        for warning in &warnings {
            notify(warning);
        }
        notify(&about.lines(at));
    };
    let served = server::run(config, log.access(), reload, listening, |late| {
        notify(&format!("warning: {late}"));
    });
    log.close();
    served?;
    Ok(ExitCode::SUCCESS)
}

fn config(matches: &ArgMatches) -> Result<Config, Error> {
    let config = Config::resolve(&sources::values(matches, &[])?)?;
    sources::with_ui(config, matches)
}

/// What watches the configuration file, where that is asked for. The log keeps its first settings.
fn reload(
    matches: &ArgMatches,
    logging: Arc<OnceLock<Logging>>,
) -> Result<Option<Reload>, Failure> {
    if !matches.get_flag(RELOAD) {
        return Ok(None);
    }
    let Some(path) = sources::file(matches) else {
        let message = "--reload needs a configuration file; name one with -c";
        return Err(Failure::usage(message));
    };
    // A missing path is reported when it is read.
    if path.exists() && !path.is_file() {
        let message = format!(
            "--reload needs a regular file, and {} is not one",
            path.display()
        );
        return Err(Failure::usage(&message));
    }
    let matches = matches.clone();
    let read = move || {
        let config = config(&matches).map_err(|error| error.to_string())?;
        for warning in warning::all(&config).chain(warning::of_listener(&config)) {
            tracing::warn!("{warning}");
        }
        if logging.get().is_some_and(|first| *first != config.logging) {
            tracing::warn!("log settings have changed; they take effect at the next start");
        }
        Ok(config)
    };
    Ok(Some(Reload::new(path, read)))
}

/// Watches the lists file, unless it is watched with the configuration file.
fn lists(config: &Config, values: Values, matches: &ArgMatches) -> Option<Reload> {
    let lists = config.lists.as_ref()?;
    let matches = matches.clone();
    Some(Reload::of_lists(lists, move || {
        let config = Config::resolve(&values).and_then(|config| sources::with_ui(config, &matches));
        config.map_err(|error| error.to_string())
    }))
}

/// What the first lines say (decisions, 7.14).
struct About {
    scheme: &'static str,
    upstream: String,
    mode: &'static str,
    masked: String,
    audit: String,
}

impl About {
    fn of(config: &Config) -> Self {
        let (scheme, mode) = (
            if config.tls.is_some() {
                "https"
            } else {
                "http"
            },
            match config.mode {
                Mode::Transparent { .. } => "transparent: requests keep their path",
                Mode::Gateway { .. } => "gateway: every request goes to the provider's one URL",
            },
        );
        let audit = config.audit_path.as_deref().map(|path| {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            // Otherwise a typing error in the path would go unnoticed.
            let created = audit::missing_folder(path).map_or("", |_| " (in a new folder)");
            format!("{}{created}", whole.display())
        });
        Self {
            scheme,
            upstream: config.mode.to_string(),
            mode,
            masked: masked(config),
            audit: audit.unwrap_or_else(|| "off".to_owned()),
        }
    }

    fn lines(&self, at: Listening) -> String {
        let Self {
            scheme,
            upstream,
            mode,
            masked,
            audit,
        } = self;
        let Listening {
            proxy,
            guardrail,
            live,
        } = at;
        let guardrail = guardrail.map_or(String::new(), |guardrail| {
            format!("guardrail at {scheme}://{guardrail}\n")
        });
        let live = live.map_or(String::new(), |link| {
            format!("live page    {link} (this link opens it once)\n")
        });
        format!(
            "listening on {scheme}://{proxy}\n{guardrail}{live}\
             forwards to  {upstream}\n\
             mode         {mode}\n\
             masks        {masked}\n\
             audit trail  {audit}"
        )
    }
}

fn masked(config: &Config) -> String {
    if config.shadow {
        return "NOTHING (policy shadow): what would be masked is counted".to_owned();
    }
    let becomes = match config.operator {
        OperatorSettings::Redact => "redacted, and not restored",
        OperatorSettings::Surrogate { .. } => "as plausible values or tokens, restored in replies",
        OperatorSettings::Pseudonym { .. } | OperatorSettings::Encrypt { .. } => {
            "as tokens, restored in replies"
        }
    };
    if config.unmasked.is_empty() {
        return format!("everything that is detected, {becomes}");
    }
    let types: Vec<_> = config.unmasked.iter().map(EntityType::as_str).collect();
    let types = types.join(", ");
    format!("everything that is detected except {types}, {becomes}")
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
    help + "\n`maskproxy config --show` lists every setting. docs/configuration.md and `man maskproxy.yaml` explain them."
}
