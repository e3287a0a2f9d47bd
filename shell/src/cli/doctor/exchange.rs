//! Tests whole exchanges: starts the configured proxy on a free local port, in front of a provider
//! inside this process.

use std::future::pending;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use engine::Schema;
use serde_json::Value;

use super::detection::Probe;
use super::provider::Provider;
use super::{Check, Outcome, wire};
use crate::config::{BaseUrl, Config, FixedUrl, Mode, Store, Strategy};
use crate::exchange::Observed;
use crate::log::AccessLog;
use crate::server::{self, Listening};

/// How long a start or an exchange may take.
const PATIENCE: Duration = Duration::from_secs(20);

const BATCH: &str = "proxy, whole";
const STREAM: &str = "proxy, streamed";

/// An exchange with a whole reply and one with a streamed reply.
pub(super) fn both(config: Config, restores: bool, probe: &Probe) -> Vec<Check> {
    let (path, schema) = config.routes.any();
    let path = path.to_owned();
    let started = Provider::start(schema)
        .map_err(|error| error.to_string())
        .and_then(|provider| Ok((start(config, &provider.url)?, provider)));
    let (address, provider) = match started {
        Ok(started) => started,
        Err(reason) => return vec![Check::failed(BATCH, reason)],
    };
    let exchange = Exchange {
        address,
        path,
        schema,
        provider,
        restores,
    };
    let streamed = if restores {
        exchange.check(STREAM, probe, true)
    } else {
        let reason = "operator redact restores nothing";
        Check::new(STREAM, Outcome::Skipped, reason)
    };
    vec![exchange.check(BATCH, probe, false), streamed]
}

/// Starts the proxy in front of another provider, without TLS, audit trail or vault.
fn start(mut config: Config, provider: &str) -> Result<SocketAddr, String> {
    let failed = || "the provider's address is not usable".to_owned();
    config.mode = match config.mode {
        Mode::Transparent { .. } => Mode::Transparent {
            upstream: BaseUrl::parse(provider).ok_or_else(failed)?,
        },
        Mode::Gateway {
            is_messages_style, ..
        } => Mode::Gateway {
            url: FixedUrl::parse(provider).ok_or_else(failed)?,
            is_messages_style,
        },
    };
    "127.0.0.1".clone_into(&mut config.host);
    config.port = 0;
    config.tls = None;
    config.guardrail = None;
    config.audit_path = None;
    // The test does what masking would do.
    config.shadow = false;
    config.engine.rules = engine::PolicyRules::default();
    config.vault.store = Store::Memory;
    config.session.strategy = Strategy::Ephemeral;
    let (report, started) = channel();
    let failed = report.clone();
    let run = move || {
        let started = |at: Listening| drop(report.send(Ok(at.proxy)));
        let served = server::run_until(
            pending(),
            config,
            AccessLog::default(),
            Observed::default(),
            None,
            started,
        );
        if let Err(error) = served {
            drop(failed.send(Err(error.to_string())));
        }
    };
    thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(run)
        .map_err(|error| error.to_string())?;
    started
        .recv_timeout(PATIENCE)
        .map_err(|_| "the proxy does not start".to_owned())?
}

struct Exchange {
    address: SocketAddr,
    path: String,
    schema: Schema,
    provider: Provider,
    restores: bool,
}

impl Exchange {
    fn check(&self, part: &'static str, probe: &Probe, stream: bool) -> Check {
        let reply = match self.send(&wire::ask(self.schema, &probe.text, stream)) {
            Ok(reply) => reply,
            Err(error) => return Check::failed(part, error.to_string()),
        };
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
        let status = head.split_whitespace().nth(1).unwrap_or("no");
        if status != "200" {
            let body: Value = serde_json::from_str(body).unwrap_or_default();
            let code = body["error"]["code"].as_str().unwrap_or_default();
            let detail = format!("{} was answered with {status} {code}", self.path);
            return Check::failed(part, detail.trim_end());
        }
        let Ok(seen) = self.provider.bodies.recv_timeout(PATIENCE) else {
            return Check::failed(part, "nothing reached the provider");
        };
        let delivered = if stream {
            wire::text_of_stream(body)
        } else {
            body.to_owned()
        };
        match () {
            () if seen.contains(&probe.value) => {
                Check::failed(part, "a value reached the provider")
            }
            () if delivered.contains(&probe.value) => Check::passed(
                part,
                format!(
                    "{}: masked for the provider, restored for the client",
                    self.path
                ),
            ),
            () if !self.restores => {
                Check::passed(part, format!("{}: masked for the provider", self.path))
            }
            () => Check::failed(part, "the client got a token instead of the value"),
        }
    }

    /// The whole reply. HTTP/1.0 ends it with the connection.
    fn send(&self, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "POST {} HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.path,
            self.address,
            body.len()
        )?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        Ok(reply)
    }
}
