//! Scores the built-in detectors on the development corpus.
//!
//! `score` prints the table, `score --check` also fails when a figure is worse than the committed baseline,
//! `score --write` renews the baseline, `score --misses NAME` lists what a row missed or took wrongly.

use std::process::ExitCode;
use tests::score::{Corpus, baseline, report};

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln_once(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let corpus = Corpus::load(&Corpus::folder())?;
    let figures = corpus.score();
    match arguments.first().map(String::as_str) {
        None => print(&report::table(&figures)),
        Some("--check") => {
            print(&report::table(&figures));
            baseline::check(&figures)?;
        }
        Some("--write") => {
            print(&report::table(&figures));
            baseline::write(&figures)?;
        }
        Some("--misses") => {
            let row = arguments.get(1).ok_or("which row?")?;
            print(&report::misses(&figures, row));
        }
        Some(other) => return Err(format!("unknown argument {other}")),
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a report")]
fn print(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "the reason of the exit code")]
fn eprintln_once(text: &str) {
    eprintln!("Error: {text}");
}
