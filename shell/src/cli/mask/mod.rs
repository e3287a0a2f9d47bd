//! `maskproxy mask` and `maskproxy unmask`, with a session file.

mod file;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command};
use engine::Operator;

use super::scanned::Scanner;
use super::{Failure, announce_typed_input, notify, print, sources};
use crate::base::io_error;
use crate::config::Config;
use file::SessionFile;

/// The largest text that is read, in bytes: it is held in memory.
const MAX_BYTES: u64 = 1 << 28;

/// `maskproxy mask`.
pub(super) fn mask_command() -> Command {
    Command::new("mask")
        .about("Replaces values in a text with tokens, and stores both in a session file")
        .arg(sources::config_file())
        .args(arguments(
            "The session file, readable only by its owner; created if missing, otherwise extended",
        ))
        .after_help(
            "The masked text is printed to standard output. The values in the session file\n\
             are not encrypted.\n\n\
             Example:\n  \
             maskproxy mask notes.md --session notes.session > masked.md\n  \
             maskproxy unmask answer.md --session notes.session",
        )
}

/// `maskproxy unmask`.
pub(super) fn unmask_command() -> Command {
    Command::new("unmask")
        .about("Restores the values in a text from a session file")
        .args(arguments("The session file that `maskproxy mask` wrote"))
        .after_help(
            "Tokens of other sessions stay, and a note counts them.\n\n\
             Example:\n  \
             maskproxy unmask answer.md --session notes.session",
        )
}

fn arguments(session: &'static str) -> [Arg; 2] {
    let text = Arg::new("file")
        .value_name("FILE")
        .value_parser(ValueParser::path_buf())
        .help("The file to read; standard input if omitted or `-`");
    let session = Arg::new("session")
        .short('s')
        .long("session")
        .value_name("FILE")
        .value_parser(ValueParser::path_buf())
        .required(true)
        .help(session);
    [text, session]
}

/// Masks.
pub(super) fn mask(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let config = Config::without_vault(&sources::values(matches, &[])?)?;
    refuse_operator(&config.engine.operator)?;
    let text = text_of(matches)?;
    let detectors = Scanner::new(config.engine, &config.external_detectors)?;
    let scanned = detectors.scan(&text)?;
    let mut file = SessionFile::open(session_path(matches)?)?;
    let masked = scanned.masked(&text, file.session())?;
    // First what brings the values back, then what needs it.
    file.save()?;
    print(|out| out.write_all(masked.as_bytes()))
}

/// Unmasks.
pub(super) fn unmask(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    // Read the text first: in a pipe, its end means that the session file has been written.
    let text = text_of(matches)?;
    let session = file::read(session_path(matches)?)?;
    let (text, summary) = session.restore_text(&text);
    if summary.unknown_tokens > 0 {
        let count = summary.unknown_tokens;
        notify(&format!(
            "note: tokens of other sessions that were not restored: {count}"
        ));
    }
    print(|out| out.write_all(text.as_bytes()))
}

fn session_path(matches: &ArgMatches) -> Result<&Path, Failure> {
    let path = matches.get_one::<PathBuf>("session").map(PathBuf::as_path);
    path.ok_or_else(|| Failure::usage("no session file given; add --session FILE"))
}

/// A session file brings values back, which some operators forbid.
fn refuse_operator(operator: &Operator) -> Result<(), Failure> {
    let message = match operator {
        Operator::Pseudonym { .. } | Operator::Surrogate(_) => return Ok(()),
        Operator::Redact => {
            "operator redact stores no values; to print the redacted text, use `maskproxy detect --transform`"
        }
        Operator::Encrypt(_) => {
            "a session file stores values unencrypted, so it can't be used with operator encrypt"
        }
    };
    Err(Failure::new(message))
}

/// The text, which must be UTF-8: otherwise it could not be restored exactly.
fn text_of(matches: &ArgMatches) -> Result<String, Failure> {
    let path = matches.get_one::<PathBuf>("file");
    let path = path.filter(|path| path.as_os_str() != "-");
    let named = path.map_or("standard input".to_owned(), |path| {
        path.display().to_string()
    });
    let cannot = |reason: &str| Failure::new(format!("can't read {named}: {reason}"));
    let mut bytes = Vec::new();
    let read = if let Some(path) = path {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    } else {
        announce_typed_input();
        let input = io::stdin().lock();
        input.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    };
    read.map_err(|error| cannot(&io_error::in_words(&error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(cannot(&format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8 text"))
}
