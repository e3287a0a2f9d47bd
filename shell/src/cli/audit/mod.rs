//! `maskproxy audit`.

mod entry;
mod follow;
mod lines;
mod report;
mod stats;
mod tail;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use jiff::{SignedDuration, Timestamp};

use super::run::Home;
use super::{Failure, is_broken_pipe, notify, print, sources, switch};
use crate::base::{duration, io_error};
use crate::config::Config;
pub(in crate::cli) use entry::printable;
pub(in crate::cli) use follow::Trail;
use lines::is_input;
use report::Report;
use stats::Stats;
use tail::Tail;

/// The command.
pub(super) fn command() -> Command {
    let file = || {
        Arg::new("file")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("The audit file; by default the configured one, or that of `run`")
    };
    Command::new("audit")
        .about("Reads the audit trail: what was masked, when, for which request")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("tail")
                .about("Prints the trail as text and waits for new lines; press Ctrl-C to stop")
                .arg(file())
                .arg(sources::config_file())
                .arg(switch("no-follow", "Stop at the end of the file"))
                .arg(
                    Arg::new("lines")
                        .long("lines")
                        .short('n')
                        .value_name("COUNT")
                        .value_parser(value_parser!(usize))
                        .help("Start with the last COUNT lines instead of all"),
                )
                .arg(switch(
                    "json",
                    "Print the JSON lines unchanged; other lines go to standard error",
                )),
        )
        .subcommand(
            Command::new("stats")
                .about("Counts masked values by type, replies and errors")
                .arg(file())
                .arg(sources::config_file())
                .arg(since())
                .arg(switch("json", "Print one JSON object")),
        )
        .subcommand(
            Command::new("report")
                .about("Summarizes what was masked, or would have been, and where")
                .arg(
                    file()
                        .value_name("FILE")
                        .num_args(0..)
                        .action(ArgAction::Append)
                        .help("The audit files, or `-` for standard input; by default the configured one, or that of `run`"),
                )
                .arg(sources::config_file())
                .arg(since())
                .arg(
                    Arg::new("format")
                        .long("format")
                        .value_name("FORMAT")
                        .value_parser(["text", "json", "html"])
                        .default_value("text")
                        .help("The format of the report"),
                ),
        )
}

fn since() -> Arg {
    Arg::new("since")
        .long("since")
        .value_name("DURATION")
        .value_parser(duration::parse)
        .help("Count only events younger than this: 30m, 24h, 7d, 2w")
}

/// Reads the trail.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match matches.subcommand() {
        Some(("tail", matches)) => tail(matches),
        Some(("stats", matches)) => stats(matches),
        Some(("report", matches)) => report(matches),
        _ => Err(Failure::usage("no such command")),
    }
}

fn tail(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let tail = Tail {
        path: file(matches)?,
        follow: !matches.get_flag("no-follow"),
        json: matches.get_flag("json"),
        last: matches.get_one("lines").copied(),
    };
    if !tail.json && tail.path.exists() {
        notify(&heading(&tail.path));
    }
    let printed = tail.print(io::stdout().lock());
    ended(printed, &tail.path)
}

fn stats(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let path = file(matches)?;
    let since = moment(matches)?;
    let printed = Stats::of_file(&path, since).and_then(|stats| {
        let mut out = io::stdout().lock();
        if matches.get_flag("json") {
            writeln!(out, "{}", stats.to_json())
        } else {
            let bars = out.is_terminal();
            writeln!(out, "{}", heading(&path))?;
            stats.print(out, bars)
        }
    });
    ended(printed, &path)
}

fn report(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let named = matches.get_many::<PathBuf>("file");
    let paths = match named {
        Some(paths) => paths.cloned().collect(),
        None => vec![file(matches)?],
    };
    let since = moment(matches)?;
    let mut report = Report::default();
    for path in &paths {
        let read = report.add_file(path, since);
        read.map_err(|error| unread(path, &error))?;
    }
    let format = matches.get_one::<String>("format").map(String::as_str);
    print(|out| match format {
        Some("json") => writeln!(out, "{}", report.to_json()),
        Some("html") => report::html(&report, out),
        _ => {
            for path in &paths {
                writeln!(out, "{}", heading(path))?;
            }
            report::text(&report, out)
        }
    })
}

/// Which trail is read: it may be another than the reader thinks.
fn heading(path: &Path) -> String {
    if is_input(path) {
        return "audit trail  standard input".to_owned();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("audit trail  {}", whole.display())
}

/// Events before this moment are not counted.
fn moment(matches: &ArgMatches) -> Result<Option<Timestamp>, Failure> {
    let since = matches.get_one("since");
    since.map(|duration| begin(*duration)).transpose()
}

/// The moment this long ago, or else the beginning of time.
fn begin(duration: Duration) -> Result<Timestamp, Failure> {
    let duration =
        SignedDuration::try_from(duration).map_err(|_| Failure::usage("too long ago"))?;
    Ok(Timestamp::now()
        .checked_sub(duration)
        .unwrap_or(Timestamp::MIN))
}

/// The file that is named, or the configuration's. When nothing names one and `proxy` wrote none
/// here, that of `run`.
///
/// # Errors
/// When there is no audit trail.
pub(in crate::cli) fn file(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    if let Some(path) = matches.get_one::<PathBuf>("file") {
        return Ok(path.clone());
    }
    let values = sources::values(matches, &[])?;
    let configured = Config::audit_path(&values)?.ok_or_else(|| {
        Failure::new("the audit trail is turned off by 'audit.enabled'; name the file")
    })?;
    if values.is_set("audit.path") || configured.exists() {
        return Ok(configured);
    }
    let of_run = Home::of_user().map(|home| home.audit_file());
    Ok(of_run.filter(|path| path.exists()).unwrap_or(configured))
}

fn ended(printed: io::Result<()>, path: &Path) -> Result<ExitCode, Failure> {
    match printed {
        Err(error) if !is_broken_pipe(&error) => Err(unread(path, &error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Why a trail could not be read.
pub(in crate::cli) fn unread(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!(
        "can't read the audit file {}: {}",
        path.display(),
        reason_of(error)
    ))
}

fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "it does not exist; the proxy creates it. Name another file, or set MASK_AUDIT_PATH"
                .to_owned()
        }
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => io_error::in_words(error),
    }
}

fn shown(ts: Timestamp) -> String {
    ts.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
