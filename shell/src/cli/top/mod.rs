//! `maskproxy top`: monitors a running proxy.
//!
//! ```text
//! endpoint (metrics) ─► counters ─┐
//!                                 ├─► state ─► summary ─► view ─► screen
//! audit trail        ─► traffic ──┘
//! ```

mod counters;
mod endpoint;
mod exposition;
mod histogram;
mod rhythm;
mod screen;
mod size;
mod state;
mod summary;
mod traffic;
mod view;
mod watch;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use tokio::runtime::{Builder, Runtime};

use super::{Failure, audit, colours, print, sources, switch};
use crate::config::Config;
use endpoint::Endpoint;
use watch::Watch;

/// The command.
pub(super) fn command() -> Command {
    Command::new("top")
        .about("Monitors a running proxy: requests, masked values, latency, errors")
        .arg(
            Arg::new("url")
                .long("url")
                .value_name("URL")
                .help("The proxy's address; by default the configured one"),
        )
        .arg(
            Arg::new("file")
                .long("audit")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The proxy's audit file; by default the configured one, or that of `run`"),
        )
        .arg(sources::config_file())
        .arg(switch(
            "once",
            "Print one page and exit, as without a terminal",
        ))
        .arg(switch("json", "Print one JSON object and exit"))
        .after_help("Press q to quit. Counts are since the proxy started. No values are shown.")
}

/// Shows a proxy until the user has seen enough.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let endpoint = url(matches)?;
    let audit = audit::file(matches).map_err(|failure| failure.message);
    if let Some(named) = matches.get_one::<PathBuf>("file") {
        audit::Trail::open(named).map_err(|error| audit::unread(named, &error))?;
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let watch = {
        let _reactor = runtime.enter();
        Watch::new(Endpoint::at(&endpoint)?, audit)
    };
    if matches.get_flag("json") || matches.get_flag("once") || !has_screen() {
        return once(&runtime, watch, matches.get_flag("json"));
    }
    screen::show(runtime, watch, colours())?;
    Ok(ExitCode::SUCCESS)
}

fn once(runtime: &Runtime, mut watch: Watch, json: bool) -> Result<ExitCode, Failure> {
    let mut summary = runtime.block_on(watch.poll()).map_err(Failure::new)?;
    if watch.is_within_a_line() {
        let notice =
            "the audit trail ends in the middle of a line: it is being written, or was truncated";
        summary.notices.push(notice.to_owned());
    }
    print(|out| {
        if json {
            writeln!(out, "{}", summary.to_json())
        } else {
            out.write_all(view::page(&summary, size::columns()).as_bytes())
        }
    })
}

/// Where the proxy listens.
fn url(matches: &ArgMatches) -> Result<String, Failure> {
    if let Some(url) = matches.get_one::<String>("url") {
        return Ok(url.clone());
    }
    Ok(Config::own_url(&sources::values(matches, &[])?)?)
}

/// Whether pages can be drawn over one another.
fn has_screen() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|kind| kind != "dumb")
}
