//! `maskproxy policy`: tests the policy rules with a request.

mod asked;
mod assumed;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::{Condition, Decision, Fate, Policy, PolicyRule, RuleMatch};
use tokio::runtime::Builder;

use super::{Failure, colours, print, sources};
use crate::config::{Config, Values};
use crate::exchange::{Outcome, Scanned, Trial};
use asked::Asked;

/// The command.
pub(super) fn command() -> Command {
    Command::new("policy")
        .about("Tests the policy rules with a request")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(test_command())
}

fn test_command() -> Command {
    let file = |name: &'static str, help| {
        Arg::new(name)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    let path = Arg::new("path")
        .long("path")
        .value_name("PATH")
        .help("The path that the request is sent to, where the body does not tell its format");
    let header = Arg::new("header")
        .long("header")
        .short('H')
        .value_name("NAME: VALUE")
        .action(ArgAction::Append)
        .value_parser(asked::header)
        .help("A header of the request, such as its key; can be repeated");
    let key = Arg::new("key").long("key").value_name("NAME").help(
        "The client's key by its name in policy.keys, instead of a header with the key itself",
    );
    Command::new("test")
        .about("Shows which rules match a request and which of its values are masked; sends nothing and \
                shows no value")
        .allow_missing_positional(true)
        .arg(file("file", "The configuration file, the same as -c").value_name("FILE").conflicts_with("config"))
        .arg(
            file("request", "A file with the request's body, or `-` for standard input")
                .value_name("REQUEST")
                .required(true),
        )
        .arg(sources::config_file())
        .arg(path)
        .arg(header)
        .arg(key)
        .after_help(
            "A rule matches the whole request (whole), some of its texts (texts), nothing (no), or it depends on something unknown (maybe).\nThe request goes through the proxy's own code, but has no session. A real session may know more values, which are then masked under every rule.\n\n\
             Example:\n  maskproxy policy test maskproxy.yaml request.json --path /v1/messages -H 'x-team: research'",
        )
}

/// Runs the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let Some(("test", matches)) = matches.subcommand() else {
        return Err(Failure::usage("no such command"));
    };
    let mut config = configured(matches)?;
    let policy = policy_name(&config);
    let asked = Asked::of(matches, &mut config)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let trial = Trial::new(config)?;
    let tried = trial.of(asked.request, asked.body);
    let path = &asked.path;
    match runtime.block_on(tried) {
        Outcome::Scanned(scanned) => {
            let tested = Tested {
                path,
                is_assumed: asked.is_assumed,
                policy,
                fits: scanned.fits(),
                decisions: scanned.decisions(),
                scanned: &scanned,
            };
            print(|out| tested.print(out))
        }
        Outcome::Unscanned(fault) => print(|out| {
            writeln!(
                out,
                "{path}: everything passes in shadow mode; it can't be scanned: {fault}"
            )
        }),
        Outcome::Relayed => Err(Failure::usage(format!(
            "{path} is not routed, so nothing is masked there; `maskproxy config --routes` lists the routes"
        ))),
        Outcome::Refused(reason) => Err(Failure::new(format!(
            "the proxy refuses the request: {reason}"
        ))),
        Outcome::Own => Err(Failure::usage(format!("the proxy answers {path} itself"))),
    }
}

/// The policy where no rule decides.
fn policy_name(config: &Config) -> &'static str {
    match config.engine.policy {
        _ if config.shadow => "shadow",
        Policy::Default => "default",
        Policy::Strict(_) => "strict",
    }
}

fn configured(matches: &ArgMatches) -> Result<Config, Failure> {
    let named = matches.get_one::<PathBuf>("file").cloned();
    let Some(file) = named.or_else(|| sources::file(matches)) else {
        return Err(Failure::usage(
            "name the configuration file: maskproxy policy test maskproxy.yaml request.json",
        ));
    };
    let values = Values::defaults().with_file(&file)?;
    Ok(Config::without_vault(
        &values.with_environment(sources::variable),
    )?)
}

/// The result of the rules for a request.
struct Tested<'t> {
    path: &'t str,
    /// Whether nobody named the path.
    is_assumed: bool,
    scanned: &'t Scanned,
    fits: Vec<(&'t PolicyRule, RuleMatch)>,
    decisions: Vec<Decision<'t>>,
    /// What decides if no rule does.
    policy: &'static str,
}

impl Tested<'_> {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let route = self.scanned.route();
        let model = self.scanned.model();
        writeln!(
            out,
            "{}{}: {} by {}, model {}\n",
            self.path,
            if self.is_assumed {
                " (assumed by the body)"
            } else {
                ""
            },
            route.schema.as_str(),
            route.path,
            model.as_deref().unwrap_or("unknown")
        )?;
        self.print_rules(out)?;
        self.print_values(out)
    }

    fn print_rules(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.fits.iter().map(|(rule, _)| rule.name.len());
        let width = width.max().unwrap_or_default();
        for (rule, fit) in &self.fits {
            writeln!(out, "rule {:width$}  {}", rule.name, in_words(*fit))?;
        }
        if self.fits.is_empty() {
            writeln!(out, "no rules: policy {} decides", self.policy)?;
        }
        writeln!(out)
    }

    fn print_values(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.decisions.is_empty() {
            return writeln!(out, "no values found");
        }
        let (bold, plain) = if colours() {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        for (value, count) in self.counted() {
            let Decision { entity, field, .. } = value;
            let fate = match value.fate {
                Fate::Masked | Fate::Known if !self.scanned.is_shadow() => "masked".to_owned(),
                _ => format!("{bold}passes{plain}"),
            };
            let reason = self.reason(value);
            writeln!(out, "{fate}  {count:>3} {entity}  {field}  {reason}")?;
        }
        Ok(())
    }

    fn reason(&self, value: &Decision<'_>) -> String {
        let mut shadows = self.fits.iter().filter(|(rule, _)| rule.shadow);
        match value.rule {
            _ if self.scanned.is_shadow() => shadows
                .find(|(_, fit)| *fit == RuleMatch::Whole)
                .map_or("by policy shadow".to_owned(), |(rule, _)| {
                    format!("by rule {}", rule.name)
                }),
            _ if value.fate == Fate::Known => "known from another text".to_owned(),
            Some(rule) => format!("by rule {rule}"),
            None => format!("by policy {}", self.policy),
        }
    }

    /// The values that are alike, and how many there are of each kind.
    fn counted(&self) -> Vec<(&Decision<'_>, usize)> {
        let mut counted: Vec<(&Decision<'_>, usize)> = Vec::new();
        for decision in &self.decisions {
            match counted.iter_mut().find(|(other, _)| *other == decision) {
                Some((_, count)) => *count += 1,
                None => counted.push((decision, 1)),
            }
        }
        counted
    }
}

fn in_words(fit: RuleMatch) -> String {
    match fit {
        RuleMatch::No(condition) => format!("no: another {}", name(condition)),
        RuleMatch::Maybe(condition) => format!("maybe: {} unknown", name(condition)),
        RuleMatch::Texts => "texts with its roles and tools".to_owned(),
        RuleMatch::Whole => "whole".to_owned(),
        RuleMatch::Behind => "no: an earlier rule matches the whole request".to_owned(),
    }
}

const fn name(condition: Condition) -> &'static str {
    match condition {
        Condition::Route => "route",
        Condition::Schema => "schema",
        Condition::Key => "key",
        Condition::Header => "header",
        Condition::Model => "model",
    }
}
