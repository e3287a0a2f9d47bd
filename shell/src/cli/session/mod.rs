//! `maskproxy session`: lists and deletes the sessions in the vault, without values.

mod table;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{Failure, printed, sources, switch};
use crate::audit::{Audit, Event, Line};
use crate::base::{duration, io_error};
use crate::config::{Config, Store};
use crate::session::RequestId;
use crate::vault::{Listed, Vault, VaultError};

/// The command.
pub(super) fn command() -> Command {
    let json = switch("json", "Print one JSON object");
    let older_than = Arg::new("older-than")
        .long("older-than")
        .value_name("DURATION")
        .required(true)
        .value_parser(|text: &str| duration::parse(text))
        .help("Delete sessions that have been idle for longer than this: 30s 30m 12h 7d 2w");
    let dry_run = switch("dry-run", "Only show what would be deleted");
    Command::new("session")
        .about("Lists and deletes sessions in the vault, without their values")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("list")
                .about("Lists the stored sessions, most recently active first")
                .arg(sources::config_file())
                .arg(json.clone()),
        )
        .subcommand(
            Command::new("prune")
                .about("Deletes sessions that have been idle for a given time")
                .arg(sources::config_file())
                .args([older_than, dry_run, json]),
        )
}

/// Runs the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(matches),
        Some(("prune", matches)) => prune(matches),
        _ => Err(Failure::usage("no such command")),
    }
}

fn list(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let opened = Opened::of(matches)?;
    let sessions = opened.sessions()?;
    let shown = if matches.get_flag("json") {
        print_json(&json!({
            "vault": opened.kind,
            "sessions": sessions.iter().map(as_json).collect::<Vec<_>>(),
        }))
    } else {
        table::print(opened.kind, &sessions)
    };
    printed(shown)
}

fn prune(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let opened = Opened::of(matches)?;
    let age = matches.get_one::<Duration>("older-than").copied();
    let before = age
        .and_then(|age| Timestamp::now().checked_sub(age).ok())
        .ok_or_else(|| Failure::usage("--older-than reaches too far back"))?;
    let mut sessions = opened.sessions()?;
    sessions.retain(|session| session.last_active < before);
    let dry_run = matches.get_flag("dry-run");
    if !dry_run {
        sessions = opened.delete(sessions, before)?;
    }
    let shown = if matches.get_flag("json") {
        let name = if dry_run { "would_delete" } else { "deleted" };
        print_json(&json!({
            "vault": opened.kind,
            name: sessions.iter().map(as_json).collect::<Vec<_>>(),
        }))
    } else {
        let what = if dry_run { "would delete" } else { "deleted" };
        table::print(opened.kind, &sessions).and_then(|()| table::sum_up(what, sessions.len()))
    };
    printed(shown)
}

/// The configured vault, where it outlives the proxy.
struct Opened {
    config: Config,
    runtime: Runtime,
    kind: &'static str,
    /// `None` if there is no file yet.
    vault: Option<Vault>,
}

impl Opened {
    fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let config = Config::resolve(&sources::values(matches, &[])?)?;
        let (kind, exists) = match &config.vault.store {
            Store::Memory => {
                return Err(Failure::new(
                    "with vault memory, sessions exist only in the proxy's process, where other commands \
                     can't see them; set vault.type to sqlite or redis",
                ));
            }
            Store::Sqlite { path } => ("sqlite", path.exists()),
            Store::Redis(_) => ("redis", true),
            Store::Unusable(error) => return Err(error.clone().into()),
        };
        let vault = if exists {
            Some(Vault::open(&config.vault)?)
        } else {
            None
        };
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            config,
            kind,
            vault,
        })
    }

    fn sessions(&self) -> Result<Vec<Listed>, Failure> {
        match &self.vault {
            Some(vault) => {
                let listed = self.runtime.block_on(vault.list());
                listed.map_err(|error| self.failure(error))
            }
            None => Ok(Vec::new()),
        }
    }

    fn failure(&self, error: VaultError) -> Failure {
        match &self.vault {
            Some(vault) => Failure::new(vault.explain(error)),
            None => error.into(),
        }
    }

    /// Deletes those that are still idle, and returns them.
    fn delete(&self, sessions: Vec<Listed>, before: Timestamp) -> Result<Vec<Listed>, Failure> {
        let Some(vault) = &self.vault else {
            return Ok(sessions);
        };
        let audit = self.audit()?;
        let request = RequestId::random();
        let mut deleted = Vec::new();
        let mut failure = None;
        for session in sessions {
            match self
                .runtime
                .block_on(vault.delete_idle(&session.key, before))
            {
                Ok(true) => {
                    record(&audit, request, &session);
                    deleted.push(session);
                }
                Ok(false) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        audit.close();
        let wiped = if deleted.is_empty() {
            Ok(true)
        } else {
            self.runtime.block_on(vault.wipe())
        };
        let is_wiped = wiped.map_err(|error| self.failure(error))?;
        match failure {
            Some(error) => Err(self.failure(error)),
            None if is_wiped => Ok(deleted),
            None => Err(Failure::new(
                "the sessions are deleted, but the file next to the vault still contains their values \
                 because another process is reading it; prune again",
            )),
        }
    }

    fn audit(&self) -> Result<Audit, Failure> {
        let path = self.config.audit_path.as_deref();
        Audit::open(path).map_err(|error| {
            let path = path.unwrap_or(Path::new("")).display();
            let reason = io_error::in_words(&error);
            Failure::new(format!("can't open the audit file {path}: {reason}"))
        })
    }
}

fn record(audit: &Audit, request: RequestId, session: &Listed) {
    let mut line = Vec::new();
    Line::begin(&mut line, Event::SessionDeleted, request, None)
        .text("session_id", &session.key.id)
        .text("reason", "prune")
        .number("mapping_count", session.mappings)
        .end();
    audit.append(&line);
}

fn as_json(session: &Listed) -> Value {
    json!({
        "id": session.key.id,
        "owner": session.key.owner,
        "last_active": table::time(session.last_active),
        "created": table::time(session.created),
        "mappings": session.mappings,
        "history": session.of_history,
    })
}

fn print_json(value: &Value) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{value}")?;
    out.flush()
}
