//! `maskproxy run`: a proxy for one tool, as long as the tool runs.

mod given;
mod home;
mod launch;
mod own;
mod program;
mod proxy;
mod report;
mod target;
mod tools;

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};
use std::thread;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, print, sources, switch, warning};
use crate::base::io_error;
use crate::config::{Config, Error, SETTINGS, Values, suggestion};
use crate::exchange::Observed;
use crate::log::Log;
use crate::system::child;
pub(super) use home::Home;
use launch::{Hop, Launch};
use own::{Own, Surroundings};
use program::Unusable;
use proxy::Proxy;
use target::Target;
use tools::{AnyTool, TOOLS, Tool, variable_and_path};

/// A shell's exit codes for a program that does not exist, and for one that can't be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// The command.
pub(super) fn command() -> Command {
    Command::new("run")
        .about("Runs a tool behind its own proxy")
        .override_usage("maskproxy run [OPTIONS] <TOOL> [ARGUMENTS]...")
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .value_parser(AnyTool)
                .hide_possible_values(true)
                .required_unless_present("list")
                .help("The tool to run; --list shows the supported tools"),
        )
        .arg(sources::upstream())
        .arg(
            Arg::new("env-var")
                .long("env-var")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_parser(environment_variable)
                .help(
                    "Also set this environment variable to the proxy's address; NAME=/v1 adds a path",
                ),
        )
        .arg(sources::config_file())
        .arg(sources::ui())
        .arg(switch(
            "list",
            "List the supported tools and what is set for each",
        ))
        .arg(
            Arg::new("arguments")
                .value_name("ARGUMENTS")
                .value_parser(ValueParser::os_string())
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help(
                    "The tool's own arguments; put `--` in front if the first is also an option of \
                     `run`, such as -c",
                ),
        )
        .after_help(
            "The tool keeps its own key or login. Its exit code is returned.\n\n\
             Examples:\n  \
             maskproxy run claude\n  \
             maskproxy run codex exec \"explain this repository\"\n  \
             maskproxy run -u https://api.anthropic.com aider --model sonnet\n  \
             maskproxy run -u https://api.openai.com --env-var OPENAI_BASE_URL my-tool",
        )
}

/// Runs the tool to its end.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("list") {
        return print(|out| out.write_all(list().as_bytes()));
    }
    let Some(program) = matches.get_one::<OsString>("tool") else {
        return Err(Failure::usage(
            "no tool given; `maskproxy run --list` shows the supported tools",
        ));
    };
    let variables: Vec<String> = many(matches, "env-var");
    let tool = Tool::of_program(program);
    if tool.is_none() && variables.is_empty() {
        return Err(unknown(program));
    }

    let arguments: Vec<OsString> = many(matches, "arguments");
    let own = match tool {
        Some(tool) => own(tool, &arguments)?,
        None => Own::default(),
    };
    let variable = |name: &str| std::env::var(name).ok();
    let aimed = match tool {
        Some(tool) => Some(Target::of(tool, &own, variable)),
        None => Target::of_key(variable),
    };
    let (values, is_aimed) = values(matches, aimed.as_ref())
        .map_err(|failure| about_separator(failure, matches, program))?;
    sources::create_lists(&values)?;
    let config = resolved(&values, matches)?;
    let aimed = aimed.filter(|_| is_aimed);
    program::check(program).map_err(|unusable| not_run(program, unusable))?;
    let asked = warning::no_provider(&values, &config);
    let asked = asked.map(|asked| format!("warning: {asked}"));
    let warnings: Vec<_> = asked.into_iter().chain(warning::all(&config)).collect();
    let upstream = config.mode.to_string();
    let let_through = config.unmasked.clone();
    let is_shadow = config.shadow;
    let log = Log::start_in_file(&config.logging)?;
    let (observed, notices) = Observed::watching();
    let again = matches.clone();
    let read = move || resolved(&values, &again).map_err(|error| error.to_string());
    let proxy = Proxy::start(config, log.access(), observed.clone(), read)?;
    let hop = Hop {
        url: &proxy.url(),
        host: &proxy.host(),
        upstream: &upstream,
        paths: aimed.as_ref().map_or(&[], |aimed| &aimed.paths),
    };
    let launch = Launch::new(tool, &own, &variables, arguments, hop);
    let launch = launch.map_err(|error| settings_unwritten(&error))?;
    let place = aimed.as_ref().and_then(|aimed| aimed.place.as_deref());
    notify(&report::opening(program, &upstream, place, is_shadow));
    warn(&warnings, tool, &own, hop);
    if let Some(link) = proxy.live() {
        notify(&format!("live page: {link} (this link opens it once)"));
    }
    let reporting = thread::spawn(move || report::report_all(&notices, &upstream, notify));
    let code = start(program, &launch);
    let stopped = proxy.stop();
    log.close();
    let tally = observed.finish();
    // A panic was printed already.
    let _ = reporting.join();
    let code = code?;
    stopped?;
    if tally.requests == 0 {
        notify(&never_asked(program, tool));
    } else {
        notify(&report::closing(&tally, &let_through));
    }
    Ok(ExitCode::from(code))
}

/// Warns of what is risky in the configuration, and of what goes past the proxy.
fn warn(warnings: &[String], tool: Option<&Tool>, own: &Own, hop: Hop<'_>) {
    let left = tool
        .map(|tool| report::unserved(tool, own, hop))
        .unwrap_or_default();
    for warning in warnings.iter().chain(&left) {
        notify(warning);
    }
    for obstacle in &own.obstacles {
        notify(&format!("warning: {obstacle}"));
    }
    for bypass in own.all_bypasses(hop.points(own)) {
        notify(&format!("warning: {bypass}"));
    }
}

/// What the tool's own settings say.
fn own(tool: &Tool, arguments: &[OsString]) -> Result<Own, Failure> {
    let directory = std::env::current_dir().map_err(|error| {
        let reason = io_error::in_words(&error);
        Failure::new(format!("can't determine the working directory: {reason}"))
    })?;
    let home = etcetera::home_dir().map_err(|_| homeless())?;
    let around = Surroundings {
        directory,
        home,
        variable: &|name| std::env::var(name).ok(),
        options: launch::options(arguments),
    };
    Ok(Own::of(tool, &around))
}

fn homeless() -> Failure {
    Failure::new("no home directory is known; set HOME")
}

fn resolved(values: &Values, matches: &ArgMatches) -> Result<Config, Error> {
    sources::with_ui(Config::resolve(values)?, matches)
}

/// The settings for the tool and its proxy, and whether the tool's own settings choose the
/// provider.
fn values(matches: &ArgMatches, aimed: Option<&Target>) -> Result<(Values, bool), Failure> {
    let home = Home::of_user().ok_or_else(homeless)?;
    let mut defaults = vec![
        ("session.strategy", "conversation".to_owned()),
        ("audit.path", text(&home.audit_file())?),
        ("log_file", text(&home.log_file())?),
    ];
    let lists = home.lists_file();
    if matches.contains_id("ui") || lists.exists() {
        home.make_config().map_err(|error| unmade(&lists, &error))?;
        defaults.push(("detector_lists", text(&lists)?));
    }
    let values = merged(matches, &defaults)?;
    let is_named = values.is_set("proxy.upstream") || values.is_set("provider.base_url");
    let aimed = aimed.filter(|_| !is_named);
    if let Some(aimed) = aimed {
        defaults.push(("proxy.upstream", aimed.upstream.clone()));
    }
    if !values.is_set("operator.anchor_secret") {
        let secret = home.anchor_secret().map_err(|error| {
            let (file, reason) = (home.anchor_file(), io_error::in_words(&error));
            let file = file.display();
            Failure::new(format!("can't use the anchor secret {file}: {reason}"))
        })?;
        defaults.push(("operator.anchor_secret", secret.expose().clone()));
    }
    home.make_state()
        .map_err(|error| unmade(&home.audit_file(), &error))?;
    Ok((merged(matches, &defaults)?, aimed.is_some()))
}

fn unmade(file: &Path, error: &io::Error) -> Failure {
    let (file, reason) = (file.display(), io_error::in_words(error));
    Failure::new(format!("can't create the directory of {file}: {reason}"))
}

/// Whether `-c` ends a line of `run` without a file. Behind a tool it is the tool's own: `run claude -c`.
pub(super) fn ends_with_bare_option(error: &clap::Error, arguments: &[OsString]) -> bool {
    let is_run = arguments.get(1).is_some_and(|name| name == "run");
    let argument = error.get(ContextKind::InvalidArg);
    let is_config = argument.is_some_and(|name| name.to_string().starts_with("--config"));
    let is_last = arguments.last().is_some_and(|last| last == "-c");
    is_run && is_config && is_last && error.kind() == ErrorKind::InvalidValue
}

/// Suggests `run claude` to who wrote the tool's name alone.
pub(super) fn with_tool(mut error: clap::Error) -> clap::Error {
    let named = error.get(ContextKind::InvalidSubcommand);
    let named = named.map(ToString::to_string).unwrap_or_default();
    if tools().any(|tool| tool == named) {
        let meant = ContextValue::Strings(vec![format!("run {named}")]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// Whether there is a tool, and arguments for it.
pub(super) fn has_arguments(matches: &ArgMatches) -> bool {
    let matches = matches.subcommand_matches("run");
    matches.is_some_and(|matches| matches.contains_id("arguments"))
}

/// Adds how `-c` reaches the tool, if it follows the tool and names no file.
fn about_separator(mut failure: Failure, matches: &ArgMatches, program: &OsStr) -> Failure {
    let is_behind = matches.index_of("config") > matches.index_of("tool");
    let file = matches.get_one::<PathBuf>("config");
    if is_behind && file.is_some_and(|file| !file.exists()) {
        let (message, program) = (&failure.message, shown(program));
        failure.message =
            format!("{message}; if -c is meant for {program}, put `--` in front of it");
    }
    failure
}

fn merged(matches: &ArgMatches, defaults: &[(&'static str, String)]) -> Result<Values, Failure> {
    let defaults: Vec<_> = defaults
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    Ok(sources::values(matches, &defaults)?)
}

fn start(program: &OsStr, launch: &Launch) -> Result<u8, Failure> {
    let mut process = Process::new(program);
    process.args(&launch.arguments);
    // The tool must not get the proxy's secrets, because it may print its environment.
    for setting in SETTINGS.iter().filter(|setting| setting.secret) {
        if let Some(variable) = setting.env {
            process.env_remove(variable);
        }
    }
    for (name, value) in &launch.environment {
        process.env(name, value);
    }
    child::run(&mut process).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => not_run(program, Unusable::NotFound),
        io::ErrorKind::PermissionDenied => not_run(program, Unusable::NotExecutable),
        _ => {
            let (program, reason) = (shown(program), io_error::in_words(&error));
            Failure::new(format!("can't run {program}: {reason}"))
        }
    })
}

fn not_run(program: &OsStr, unusable: Unusable) -> Failure {
    let (message, code) = match unusable {
        Unusable::NotFound if program::is_path(program) => ("does not exist", NOT_FOUND),
        Unusable::NotFound => ("is not on PATH; install it, or give its path", NOT_FOUND),
        Unusable::NotExecutable => ("is not executable", NOT_EXECUTABLE),
    };
    let message = format!("{} {message}", shown(program));
    Failure { message, code }
}

fn unknown(program: &OsStr) -> Failure {
    let known: Vec<_> = tools().collect();
    let meant = suggestion(&program.to_string_lossy(), tools());
    let end = meant.map_or(".".to_owned(), |tool| format!(", did you mean '{tool}'?"));
    Failure::usage(format!(
        "{} is not a supported tool ({}){} For any other tool, name the environment variable for its base URL: \
         --env-var OPENAI_BASE_URL",
        shown(program),
        known.join(", "),
        end
    ))
}

fn settings_unwritten(error: &io::Error) -> Failure {
    let reason = io_error::in_words(error);
    let place = std::env::temp_dir();
    let place = place.display();
    Failure::new(format!(
        "can't write the tool's settings in {place}: {reason}"
    ))
}

fn never_asked(program: &OsStr, tool: Option<&Tool>) -> String {
    format!(
        "warning: no request from {} reached the proxy: whatever it sent was NOT masked. {}",
        shown(program),
        advice(tool)
    )
}

/// What may be the reason that a tool went past the proxy.
fn advice(tool: Option<&Tool>) -> &'static str {
    if tool.is_some() {
        "If it sent requests, it is configured for another provider or address; see docs/tools.md."
    } else {
        "If it sent requests, it does not read the variable given with --env-var."
    }
}

fn list() -> String {
    let mut list = format!("{:<10}{:<35}{}\n", "TOOL", "DEFAULT PROVIDER", "SETS");
    for tool in TOOLS {
        let provider = tool
            .endpoints
            .first()
            .map_or("", |endpoint| endpoint.provider.url())
            .trim_start_matches("https://");
        // Writing to a string can't fail.
        let _ = writeln!(
            list,
            "{:<10}{provider:<35}{}",
            tool.name,
            tool.configured_by()
        );
    }
    list + "\nAny other tool: maskproxy run -u URL --env-var NAME TOOL\n"
}

/// The names of the tools that are known.
pub(super) fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

fn many<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches
        .get_many(name)
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

/// `NAME` or `NAME=/path`.
fn environment_variable(given: &str) -> Result<String, String> {
    let (name, path) = variable_and_path(given);
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if name.is_empty() || !is_name {
        return Err("a variable's name has letters, digits and underscores".to_owned());
    }
    if !path.is_empty() && !path.starts_with('/') {
        return Err("the path after NAME= must begin with /".to_owned());
    }
    Ok(given.to_owned())
}

fn shown(program: &OsStr) -> String {
    format!("'{}'", program.to_string_lossy())
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str();
    let text = text.ok_or_else(|| Failure::new("the home directory's path is not Unicode"))?;
    Ok(text.to_owned())
}

/// Between lines of the tool's own, so with a name in front.
fn notify(line: &str) {
    super::notify(&format!("maskproxy: {line}"));
}
