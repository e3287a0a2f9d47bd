//! `maskproxy policy`: tests the policy rules with a request.

use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::route::Route;
use engine::{Condition, Decision, Facts, Fate, NoMemory, Policy, PolicyRule, RuleMatch};

use super::scanned::Scanner;
use super::{Failure, colours, print, sources};
use crate::base::io_error;
use crate::config::{Config, Values};

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
        .default_value("/v1/chat/completions")
        .help("The path that the request is sent to");
    let header = Arg::new("header")
        .long("header")
        .short('H')
        .value_name("NAME: VALUE")
        .action(ArgAction::Append)
        .value_parser(header)
        .help("A header of the request; can be repeated");
    let key = Arg::new("key")
        .long("key")
        .value_name("NAME")
        .help("The client's key, by its name in policy.keys");
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
            "A rule matches the whole request (whole), some of its texts (texts), nothing (no), or it depends on something unknown (maybe).\nThe test has no session. A real session may know more values, which are then masked under every rule.\n\n\
             Example:\n  maskproxy policy test maskproxy.yaml request.json --path /v1/messages -H 'x-team: research'",
        )
}

/// Runs the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let Some(("test", matches)) = matches.subcommand() else {
        return Err(Failure::usage("no such command"));
    };
    let mut config = configured(matches)?;
    let waiting = std::mem::take(&mut config.waiting_detectors);
    let (policy, shadow) = (policy_name(&config), config.shadow);
    let asked = Asked::of(matches, &config)?;
    let scanner = Scanner::new(config.engine, &waiting)?;
    let request = scanner.request(body(matches)?, asked.route.schema)?;
    let (headers, keys) = (asked.headers(), asked.keys());
    let facts = Facts {
        path: &asked.path,
        route: &asked.route.path,
        schema: asked.route.schema,
        headers: &headers,
        keys: Some(&keys),
    };
    let request = request.under(&facts);
    let found = scanner.wait_for(&request)?;
    let tested = Tested {
        passes_whole: shadow || request.is_shadow(&facts),
        decisions: request.decisions(&NoMemory, found.as_ref()),
        fits: request.fits(&facts),
        model: request.model(&asked.path),
        asked: &asked,
        policy,
    };
    print(|out| tested.print(out))
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

fn body(matches: &ArgMatches) -> Result<Vec<u8>, Failure> {
    let Some(file) = matches.get_one::<PathBuf>("request") else {
        return Err(Failure::usage("no request is given"));
    };
    let mut body = Vec::new();
    let read = if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut body).map(|_| body)
    } else {
        fs::read(file)
    };
    read.map_err(|error| {
        let reason = io_error::in_words(&error);
        Failure::new(format!("can't read {}: {reason}", file.display()))
    })
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or("a header is a name, a colon and a value")?;
    let name = name.trim().to_ascii_lowercase();
    http::HeaderName::try_from(&name).map_err(|_| "a header begins with its name".to_owned())?;
    Ok((name, value.trim().to_owned()))
}

/// A request without its body.
struct Asked {
    path: String,
    route: Route,
    headers: Vec<(String, String)>,
    key: Option<String>,
}

impl Asked {
    fn of(matches: &ArgMatches, config: &Config) -> Result<Self, Failure> {
        let path = matches
            .get_one::<String>("path")
            .cloned()
            .unwrap_or_default();
        let route = config.routes.find(&path).ok_or_else(|| {
            Failure::usage(format!(
                "{path} is not routed, so nothing is masked there; `maskproxy config --routes` lists the routes"
            ))
        })?;
        let key = matches.get_one::<String>("key").cloned();
        if let Some(key) = &key
            && !config.client_keys.names().any(|name| name == key)
        {
            return Err(Failure::usage(format!("policy.keys has no key {key}")));
        }
        let headers = matches.get_many("header").into_iter().flatten().cloned();
        Ok(Self {
            path,
            route,
            headers: headers.collect(),
            key,
        })
    }
}

impl Asked {
    fn headers(&self) -> Vec<(&str, &[u8])> {
        let headers = self.headers.iter();
        headers
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect()
    }

    fn keys(&self) -> Vec<&str> {
        self.key.iter().map(String::as_str).collect()
    }
}

/// The result of the rules for a request.
struct Tested<'t> {
    asked: &'t Asked,
    model: Option<String>,
    fits: Vec<(&'t PolicyRule, RuleMatch)>,
    /// Nothing is masked.
    passes_whole: bool,
    decisions: Vec<Decision<'t>>,
    /// What decides if no rule does.
    policy: &'static str,
}

impl Tested<'_> {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Asked { path, route, .. } = self.asked;
        let model = self.model.as_deref().unwrap_or("unknown");
        writeln!(
            out,
            "{path}: {} by {}, model {model}\n",
            route.schema.as_str(),
            route.path
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
                Fate::Masked | Fate::Known if !self.passes_whole => "masked".to_owned(),
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
            _ if self.passes_whole => shadows
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
