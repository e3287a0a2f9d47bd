//! Prints sessions as lines for people.

use std::io::{self, BufWriter, Write};

use jiff::Timestamp;

use crate::vault::Listed;

/// Shown characters of an owner's tag.
const OWNER: usize = 8;

/// Prints the sessions of a vault.
pub(super) fn print(vault: &str, sessions: &[Listed]) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if sessions.is_empty() {
        writeln!(out, "No sessions in vault {vault}.")?;
        return out.flush();
    }
    // What another program wrote into the vault can't write to the terminal.
    let ids: Vec<_> = sessions
        .iter()
        .map(|session| session.key.id.escape_debug().to_string())
        .collect();
    let width = ids.iter().map(String::len).max().unwrap_or(0).max(2);
    writeln!(
        out,
        "{:width$}  {:20}  {:20}  {:>8}  {:6}  OWNER",
        "ID", "LAST ACTIVE", "CREATED", "MAPPINGS", "VAULT"
    )?;
    for (id, session) in ids.iter().zip(sessions) {
        writeln!(
            out,
            "{id:width$}  {:20}  {:20}  {:>8}  {vault:6}  {}",
            time(session.last_active),
            time(session.created),
            session.mappings,
            start_of(&session.key.owner)
        )?;
    }
    out.flush()
}

/// Enough of an owner's tag to compare it with others.
fn start_of(owner: &str) -> String {
    let start: String = owner.chars().take(OWNER).collect();
    start.escape_debug().to_string()
}

/// Prints how many there were.
pub(super) fn sum_up(what: &str, count: usize) -> io::Result<()> {
    let plural = if count == 1 { "" } else { "s" };
    writeln!(io::stdout().lock(), "{what} {count} session{plural}")
}

/// A time to the second, in UTC.
pub(super) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
