//! The parts outside the process: files and the provider's address.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};

use super::{Check, Outcome};
use crate::audit::Audit;
use crate::config::Config;
use crate::reason;

/// Whether the audit trail can be written. A file that was not there before is removed again.
pub(super) fn audit(config: &Config) -> Check {
    let Some(path) = &config.audit_path else {
        return Check::new("audit", Outcome::Skipped, "turned off by 'audit.enabled'");
    };
    let existed = path.exists();
    let opened = Audit::open(Some(path));
    if opened.is_ok() && !existed {
        // It holds nothing yet.
        let _ = std::fs::remove_file(path);
    }
    let shown = path.display();
    match opened {
        Ok(_) => Check::passed("audit", format!("{shown} can be written")),
        Err(error) => Check::failed(
            "audit",
            format!("can't write {shown}: {}", reason::in_words(&error)),
        ),
    }
}

/// Whether the provider's host takes connections. Nothing is sent there; that it can't be reached now
/// does not mean that the proxy is broken.
pub(super) fn upstream(config: &Config) -> Check {
    let origin = config.mode.origin();
    let url = origin.url();
    match connect(origin.host(), origin.port(), config) {
        Ok(()) => Check::passed(
            "upstream",
            format!("{url} takes connections; nothing was sent"),
        ),
        Err(error) => {
            let detail = format!("{url} can't be reached now: {}", reason::in_words(&error));
            Check::new("upstream", Outcome::Warned, detail)
        }
    }
}

fn connect(host: &str, port: u16, config: &Config) -> io::Result<()> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, config.limits.connect_timeout) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}
