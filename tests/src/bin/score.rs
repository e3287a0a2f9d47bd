//! Scores the built-in detectors on generated texts, and on the labelled corpora that stand beside the checkout or in `CORPUS`.
//!
//! | call | what |
//! | --- | --- |
//! | `score` | prints the table |
//! | `score --check` | fails as well when a row is worse than the committed baseline |
//! | `score --write` | makes these figures the baseline |
//! | `score --misses ROW` | lists what the rows that begin so missed or took wrongly |
//! | `score --code DIR…` | prints what is found a megabyte in packages of real code |
//! | `score --code-list DIR…`, `score --code-show DIR…` | lists the findings, without and with their values |

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::score::{Corpus, Figures, baseline, code, report};

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(report) => {
            print(&report);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln_once(&error);
            ExitCode::FAILURE
        }
    }
}

/// The report of a call.
fn run(arguments: &[String]) -> Result<String, String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => Ok(report::table(&score()?)),
        ["--check"] => {
            let figures = score()?;
            let missing = baseline::check(&figures)?;
            Ok(report::table(&figures) + &not_measured(&missing))
        }
        ["--write"] => {
            let figures = score()?;
            baseline::write(&figures)?;
            Ok(report::table(&figures))
        }
        ["--misses", row] => Ok(report::misses(&score()?, row)),
        ["--code", folders @ ..] => Ok(report::table(&scan(folders, false))),
        ["--code-list", folders @ ..] => Ok(report::misses(&scan(folders, false), "")),
        ["--code-show", folders @ ..] => Ok(report::misses(&scan(folders, true), "")),
        other => Err(format!("unknown arguments {}", other.join(" "))),
    }
}

fn score() -> Result<Figures, String> {
    Corpus::load(&Corpus::folder())?.score()
}

fn scan(folders: &[&str], show: bool) -> Figures {
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    code::score(&folders, show)
}

fn not_measured(corpora: &BTreeSet<String>) -> String {
    if corpora.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = corpora.iter().map(String::as_str).collect();
    let folder = Corpus::folder();
    format!(
        "Not measured, because they are not in {}: {}",
        folder.display(),
        names.join(", ")
    )
}

#[expect(clippy::print_stdout, reason = "a report")]
fn print(text: &str) {
    println!("{}", text.trim_end());
}

#[expect(clippy::print_stderr, reason = "the reason of the exit code")]
fn eprintln_once(text: &str) {
    eprintln!("Error: {text}");
}
