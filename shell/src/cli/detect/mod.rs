//! `maskproxy detect`.

mod bulk;
mod files;
mod input;
mod position;
mod sarif;
mod text;
mod walk;
mod why;

use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use engine::{Detection, Policy, Schema};

use super::scanned::Scanner;
use super::{Failure, notify, printed, sources, switch};
use crate::config::Config;
use files::{Files, Outcome};
use input::Input;
use text::View;

/// Something was found, and the exit code reports it.
const FOUND: u8 = 1;

/// An error, which a hook must not mistake for "nothing found" or "something found".
const FAILED: u8 = 2;

/// The command.
pub(super) fn command() -> Command {
    Command::new("detect")
        .about("Shows what would be masked in a text or in files")
        .override_usage(
            "maskproxy detect [OPTIONS] <TEXT>\n       \
             maskproxy detect [OPTIONS] <FILE|DIRECTORY>...\n       \
             COMMAND | maskproxy detect [OPTIONS]",
        )
        .arg(sources::config_file())
        .arg(
            Arg::new("input")
                .value_name("TEXT|FILE")
                .num_args(0..)
                .conflicts_with_all(["stdin", "as-text"])
                .help("A text, or files and directories; the name of an existing file is read as a file. Standard input if omitted or `-`"),
        )
        .arg(
            Arg::new("as-text")
                .long("text")
                .value_name("TEXT")
                .allow_hyphen_values(true)
                .conflicts_with("stdin")
                .help("A text, even if a file with that name exists"),
        )
        .arg(switch(
            "stdin",
            "Read the text from standard input, even if it is empty or a terminal",
        ))
        .arg(switch("transform", "Also print the text with tokens"))
        .arg(switch(
            "why",
            "Also print the rule, score and main reasons of each detection, and near misses",
        ))
        .arg(switch(
            "no-policy",
            "Show all detections, including those that the policy does not mask",
        ))
        .arg(switch(
            "exit-code",
            "Exit with 1 if something is found, as for files",
        ))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(["text", "json", "sarif"]))
                .help("Print lines of text, one JSON object, or SARIF 2.1.0 (files only) [default: text]"),
        )
        .arg(switch("json", "The same as --format json").conflicts_with("format"))
        .arg(
            Arg::new("schema")
                .long("schema")
                .value_name("SCHEMA")
                .value_parser(PossibleValuesParser::new([
                    PossibleValue::new("chat").aliases(["chat_style", "openai"]),
                    PossibleValue::new("messages").aliases(["messages_style", "anthropic"]),
                    PossibleValue::new("responses"),
                    PossibleValue::new("generic"),
                ]))
                .help("Read each text or file as a request body, and show what would be masked in it"),
        )
        .arg(
            switch("no-values", "Don't show the values themselves, for logs that others read")
                .conflicts_with("why"),
        )
        .arg(
            switch(
                "jsonl",
                "Read {\"id\", \"text\"} lines from standard input, and answer each with one line",
            )
            .conflicts_with_all([
                "input",
                "as-text",
                "stdin",
                "transform",
                "why",
                "json",
                "format",
                "schema",
                "no-values",
                "exit-code",
            ]),
        )
        .after_help(
            "An argument without white space that looks like the name of a file, such as .env, is\n\
             an error if there is no such file.\n\n\
             A text prints start:end  TYPE  'value', counted in characters; a file prints\n\
             path:line:column  TYPE  'value'. In directories, files that .gitignore names and those\n\
             that are not text are skipped. Nothing is sent anywhere, except to detector\n\
             services that the configuration names.\n\n\
             Exit codes for files, and with --exit-code:\n  \
             0  nothing found    1  something found    2  something could not be read\n\n\
             Examples:\n  \
             maskproxy detect --transform \"Write to alice@example.com\"\n  \
             maskproxy detect .env config/\n  \
             git diff | maskproxy detect\n  \
             maskproxy detect --schema chat request.json\n  \
             maskproxy detect --format sarif . > found.sarif",
        )
}

/// Detects and prints.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("jsonl") {
        let input = io::BufReader::with_capacity(1 << 20, io::stdin().lock());
        return printed(bulk::print_lines(&scanner(matches)?, input, out()));
    }
    let coded = matches.get_flag("exit-code");
    match Input::of(matches).map_err(|failure| hard(failure, true))? {
        Input::Text(text) => text_mode(matches, &text).map_err(|failure| hard(failure, coded)),
        Input::Files(paths) => files_mode(matches, &paths).map_err(|failure| hard(failure, true)),
    }
}

fn text_mode(matches: &ArgMatches, text: &str) -> Result<ExitCode, Failure> {
    let format = Format::of(matches);
    if format == Format::Sarif {
        return Err(Failure::usage(
            "--format sarif is for files, not for a text",
        ));
    }
    let detectors = scanner(matches)?;
    let scanned = match schema(matches) {
        None => detectors.scan(text)?,
        Some(schema) => {
            let scanned = detectors.scan_body(text, schema);
            scanned.map_err(|error| hard(error.into(), true))?
        }
    };
    let view = View {
        scanned,
        text,
        transform: matches.get_flag("transform"),
        why: matches.get_flag("why"),
        values: !matches.get_flag("no-values"),
    };
    let is_found = !view.scanned.detections.is_empty();
    let code = printed(if format == Format::Json {
        view.print_json(out())
    } else {
        view.print_text(out())
    })?;
    if let Some(word) = input::bare_word(matches).filter(|_| !is_found) {
        notify(&format!("there is no file {word}: it was read as a text"));
    }
    if is_found && matches.get_flag("exit-code") {
        return Ok(FOUND.into());
    }
    Ok(code)
}

fn files_mode(matches: &ArgMatches, paths: &[PathBuf]) -> Result<ExitCode, Failure> {
    if matches.get_flag("transform") {
        return Err(Failure::usage(
            "--transform prints one text: pass it by standard input, maskproxy detect --transform --stdin < FILE",
        ));
    }
    if let [only] = paths
        && !only.is_dir()
    {
        notify(&format!(
            "reading the file {}; to scan its name instead, use --text",
            only.display()
        ));
    }
    let files = Files {
        scanner: &scanner(matches)?,
        paths,
        schema: schema(matches),
        why: matches.get_flag("why"),
        values: !matches.get_flag("no-values"),
    };
    let outcome = match Format::of(matches) {
        Format::Text => files.print_lines(out()),
        Format::Json => files.print_json(out()),
        Format::Sarif => sarif::print(&files, out()),
    };
    match outcome {
        Ok(Outcome { failed: true, .. }) => Ok(FAILED.into()),
        Ok(Outcome { found: true, .. }) => Ok(FOUND.into()),
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(error) => printed(Err(error)),
    }
}

/// The output format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Sarif,
}

impl Format {
    fn of(matches: &ArgMatches) -> Self {
        let named = matches.get_one::<String>("format").map(String::as_str);
        match named {
            Some("sarif") => Self::Sarif,
            Some("json") => Self::Json,
            _ if matches.get_flag("json") => Self::Json,
            _ => Self::Text,
        }
    }
}

/// The schema of the bodies to scan.
fn schema(matches: &ArgMatches) -> Option<Schema> {
    matches.get_one::<String>("schema")?.parse().ok()
}

/// The engine and the detectors, as configured.
fn scanner(matches: &ArgMatches) -> Result<Scanner, Failure> {
    let values = sources::values(matches, &[])?;
    let mut config = Config::without_vault(&values)?;
    if matches.get_flag("no-policy") {
        config.engine.policy = Policy::Default;
    }
    Scanner::new(config.engine, &config.external_detectors)
}

fn out() -> impl io::Write {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// A failure where exit code 1 says that something was found.
fn hard(failure: Failure, coded: bool) -> Failure {
    if coded {
        return Failure {
            code: FAILED,
            ..failure
        };
    }
    failure
}

/// The score from 0 to 1.
fn score(detection: &Detection) -> f64 {
    f64::from(detection.score.as_percent()) / 100.0
}
