//! `maskproxy doctor`: tests every part and reports the result.

mod detection;
mod exchange;
mod parts;
mod provider;
mod wire;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use engine::Engine;
use serde_json::{Value, json};

use super::{Failure, colours, print, sources, switch, warning};
use crate::config::{Config, DetectorChoice, Error, Values};

/// The command.
pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Tests every part of the proxy, without sending anything to the provider")
        .arg(sources::config_file())
        .arg(sources::upstream().help("The provider to test, instead of the configured one"))
        .arg(switch("json", "Print one JSON object"))
        .after_help(
            "✓ passed   ! works, but read what it says   - skipped   ✗ failed\n\n\
             The exit code is 1 if a part fails.",
        )
}

/// Tries everything, then prints.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let mut checks = Vec::new();
    match configuration(matches) {
        Ok((config, values)) => {
            let file = values.file().map(|path| path.display().to_string());
            let detail = file.unwrap_or_else(|| "no file; environment and defaults".to_owned());
            checks.push(Check::passed("configuration", detail));
            examine(config, &values, &mut checks)?;
        }
        Err(error) => checks.push(Check::failed("configuration", error.to_string())),
    }
    print(|out| {
        if matches.get_flag("json") {
            writeln!(out, "{}", as_json(&checks))
        } else {
            print_checks(out, &checks)
        }
    })?;
    Ok(if is_well(&checks) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn configuration(matches: &ArgMatches) -> Result<(Config, Values), Error> {
    let values = sources::values(matches, &[])?;
    Ok((Config::resolve(&values)?, values))
}

fn examine(config: Config, values: &Values, checks: &mut Vec<Check>) -> Result<(), Error> {
    let detectors = DetectorChoice::read(values)?;
    // The tested proxy uses the other settings of the configuration.
    let engine = Engine::new(Config::resolve(values)?.engine);
    let probe = detection::probe(&engine, &detectors);
    checks.push(detection::detectors(&engine, &detectors));
    checks.extend(parts::plugins(&config));
    checks.extend(parts::services(&engine, &config));
    checks.push(detection::policy(&config));
    checks.push(detection::operator(&engine, &probe));
    checks.extend(parts::anchor(&config));
    checks.push(parts::vault(&config));
    checks.push(parts::audit(&config));
    checks.extend(parts::tls(&config));
    let provider = parts::provider(&config);
    let asked = warning::no_provider(values, &config);
    let asked = asked.filter(|_| provider.outcome != Outcome::Passed);
    checks.push(match asked {
        Some(detail) => Check { detail, ..provider },
        None => provider,
    });
    checks.extend(exchange::both(
        config,
        engine.settings().operator.restores(),
        &probe,
    ));
    Ok(())
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// It works, but the user should know something.
    Warned,
    Skipped,
    Failed,
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Warned => "warning",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Self::Passed => "✓",
            Self::Warned => "!",
            Self::Skipped => "-",
            Self::Failed => "✗",
        }
    }

    /// The number of its colour on a terminal.
    const fn colour(self) -> u8 {
        match self {
            Self::Passed => 32,
            Self::Warned => 33,
            Self::Skipped => 2,
            Self::Failed => 31,
        }
    }
}

/// A part and what became of it. No detail shows a value.
#[derive(Debug)]
struct Check {
    part: &'static str,
    outcome: Outcome,
    detail: String,
}

impl Check {
    fn new(part: &'static str, outcome: Outcome, detail: impl Into<String>) -> Self {
        Self {
            part,
            outcome,
            detail: detail.into(),
        }
    }

    fn passed(part: &'static str, detail: impl Into<String>) -> Self {
        Self::new(part, Outcome::Passed, detail)
    }

    fn failed(part: &'static str, detail: impl Into<String>) -> Self {
        Self::new(part, Outcome::Failed, detail)
    }
}

fn is_well(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.outcome != Outcome::Failed)
}

fn as_json(checks: &[Check]) -> Value {
    let shown = checks.iter().map(|check| {
        json!({
            "part": check.part,
            "outcome": check.outcome.as_str(),
            "detail": check.detail,
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "ok": is_well(checks),
        "checks": shown.collect::<Vec<_>>(),
    })
}

fn print_checks(out: &mut dyn Write, checks: &[Check]) -> io::Result<()> {
    let coloured = colours();
    for check in checks {
        let mark = check.outcome.mark();
        let mark = if coloured {
            format!("\x1b[{}m{mark}\x1b[0m", check.outcome.colour())
        } else {
            mark.to_owned()
        };
        writeln!(out, "{mark} {:<16} {}", check.part, check.detail)?;
    }
    Ok(())
}
