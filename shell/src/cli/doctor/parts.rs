//! Tests the parts outside the process: files and the provider's address.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::slice;
use std::sync::Arc;

use engine::{Engine, EntityType, Mapping, Sensitive};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::rustls::ClientConnection;
use tokio_rustls::rustls::pki_types::ServerName;

use super::{Check, Outcome};
use crate::audit::{self, Audit};
use crate::base::io_error;
use crate::cli::warning;
use crate::config::{Config, ExternalDetector, ExternalKind, Origin, Store, VaultSettings};
use crate::detector::ExternalDetectors;
use crate::server;
use crate::session::SessionId;
use crate::session::secret::{self, OTHER_SECRET};
use crate::upstream::{self, Egress};
use crate::vault::{Claim, Key, Link, NewSession, StoredMapping, Vault, VaultError};

const KEPT: &str = "a test session and a history link were stored, read and deleted";

/// Whether a session and a link are kept, read and removed again.
pub(super) fn vault(config: &Config) -> Check {
    let (kind, detail) = match config.vault.store {
        Store::Memory => ("memory", "sessions exist only in the proxy's process"),
        Store::Sqlite { .. } => ("sqlite", KEPT),
        Store::Redis(_) => ("redis", KEPT),
        Store::Unusable(ref error) => return Check::failed("vault", error.to_string()),
    };
    match keep_read_remove(config) {
        Ok(false) => Check::passed("vault", format!("{kind}: {detail}")),
        Ok(true) => Check::new("vault", Outcome::Warned, format!("{kind}: {OTHER_SECRET}")),
        Err(reason) => Check::failed("vault", format!("{kind}: {reason}")),
    }
}

/// Returns whether another instance used the vault with another secret.
fn keep_read_remove(config: &Config) -> Result<bool, String> {
    let runtime = runtime()?;
    // Some vaults start their tasks as they are opened.
    let _reactor = runtime.enter();
    let (settings, _removed_at_the_end) =
        vault_to_try(&config.vault).map_err(|error| io_error::in_words(&error))?;
    let vault = Vault::open(&settings).map_err(|error| error.to_string())?;
    let key = Key {
        owner: "d0c702".to_owned(),
        id: SessionId::random().as_str().to_owned(),
    };
    let mapping = Mapping::new(
        EntityType::EMAIL,
        "1",
        Sensitive::new("jo.doctor@example.org".to_owned()),
    );
    let mappings = vec![StoredMapping::Open(Arc::new(mapping))];
    let probe = async {
        let made = NewSession::plain();
        vault.store(&key, None, made, mappings).await?;
        let kept = vault.load(&key).await?;
        let linked = keep_read_remove_link(&vault, &key, made).await;
        let soon = Timestamp::now() + SignedDuration::from_hours(1);
        let removed = vault.delete_idle(&key, soon).await?;
        let is_other = secret::is_other(&vault, &config.operator).await?;
        let kept = kept.map(|record| record.mappings.len());
        Ok::<_, VaultError>((is_other, (kept, removed, linked?)))
    };
    let (is_other, kept) = runtime
        .block_on(probe)
        .map_err(|error| vault.explain(error))?;
    match kept {
        (Some(1), true, true) => Ok(is_other),
        (Some(1), true, false) => Err("a stored link of history can't be read".to_owned()),
        (Some(1), false, _) => Err("a session can't be deleted".to_owned()),
        _ => Err("a stored session can't be read".to_owned()),
    }
}

/// The vault, or a new one beside it where there is none yet: a database that root makes could not be opened by the
/// service.
fn vault_to_try(settings: &VaultSettings) -> io::Result<(VaultSettings, Option<TempDir>)> {
    let Store::Sqlite { path } = &settings.store else {
        return Ok((settings.clone(), None));
    };
    if path.exists() {
        return Ok((settings.clone(), None));
    }
    let is_there = |place: &&Path| place.is_dir();
    let above = path.ancestors().skip(1).find(is_there);
    let directory = tempfile::tempdir_in(above.unwrap_or(Path::new(".")))?;
    let settings = VaultSettings {
        store: Store::Sqlite {
            path: directory.path().join("vault.db"),
        },
        ..settings.clone()
    };
    Ok((settings, Some(directory)))
}

/// Whether a link to the session was read before it was removed again.
async fn keep_read_remove_link(
    vault: &Vault,
    session: &Key,
    made: NewSession,
) -> Result<bool, VaultError> {
    let (owner, names) = (&session.owner, vec![session.id.clone()]);
    let link = Link {
        session: session.clone(),
        created: made.created,
    };
    let put = vault.link(owner, names.clone(), link.clone(), Claim::Taken);
    put.await?;
    let followed = vault.follow(owner, names.clone()).await?;
    vault.unlink(owner, names).await?;
    Ok(followed == [Some(link)])
}

/// Whether tokens can't be guessed; nothing where there is no anchor secret to guess.
pub(super) fn anchor(config: &Config) -> Option<Check> {
    let weakness = warning::weak_anchor(config)?;
    Some(Check::new("anchor secret", Outcome::Warned, weakness))
}

/// Whether plug-in detectors and local models can be run.
pub(super) fn plugins(config: &Config) -> impl Iterator<Item = Check> {
    config.external_detectors.iter().filter_map(|detector| {
        let (name, path, passed) = match &detector.kind {
            ExternalKind::Plugin(it) => ("plug-in", &it.path, "is a detector and imports nothing"),
            ExternalKind::Ner(it) => ("model", &it.path, "was run"),
            ExternalKind::Llm(_) | ExternalKind::Presidio(_) => return None,
        };
        Some(match ExternalDetectors::new(slice::from_ref(detector)) {
            Ok(_) => Check::passed(name, format!("{} {passed}", path.display())),
            Err(error) => Check::failed(name, error.to_string()),
        })
    })
}

/// An invented text for external detectors.
const HARMLESS: &str = "The weather is fine today.";

/// Whether the services of external detectors answer.
pub(super) fn services(engine: &Engine, config: &Config) -> impl Iterator<Item = Check> {
    config.external_detectors.iter().filter_map(|detector| {
        let mut asked = detector.clone();
        let (name, url) = match &mut asked.kind {
            ExternalKind::Presidio(presidio) => ("presidio", Some(presidio.url.clone())),
            ExternalKind::Llm(llm) => {
                llm.fallback_on_error = false;
                ("llm", llm.base_url.clone())
            }
            ExternalKind::Ner(_) | ExternalKind::Plugin(_) => return None,
        };
        Some(match ask(engine, &asked) {
            Ok(()) => {
                let origin = url.and_then(|url| Origin::parse(url.expose()));
                let place = origin.map_or_else(|| "its provider".to_owned(), |at| at.url());
                Check::passed("detector service", format!("{name} answers at {place}"))
            }
            Err(reason) => Check::failed("detector service", reason),
        })
    })
}

fn ask(engine: &Engine, detector: &ExternalDetector) -> Result<(), String> {
    let runtime = runtime()?;
    let _reactor = runtime.enter();
    let detectors =
        ExternalDetectors::new(slice::from_ref(detector)).map_err(|error| error.to_string())?;
    let asked = runtime.block_on(detectors.scan(engine.leaves(HARMLESS)));
    asked.map(drop).map_err(|failure| failure.to_string())
}

fn runtime() -> Result<Runtime, String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| io_error::in_words(&error))
}

/// Whether certificate and key can be used.
pub(super) fn tls(config: &Config) -> Option<Check> {
    let files = config.tls.as_ref()?;
    Some(match server::check_tls(files) {
        Ok(()) => Check::passed("tls", "the certificate matches the key"),
        Err(error) => Check::failed("tls", error.to_string()),
    })
}

/// Whether the audit trail can be written. Nothing is left that was not there before.
pub(super) fn audit(config: &Config) -> Check {
    let Some(path) = &config.audit_path else {
        return Check::new("audit", Outcome::Skipped, "turned off by 'audit.enabled'");
    };
    match audit::missing_folder(path) {
        Some(folder) => audit_folder(&folder),
        None => audit_file(path),
    }
}

/// Whether the folder can be created. It is not created here, because the service could not write to a folder of root's.
fn audit_folder(folder: &Path) -> Check {
    let shown = folder.display();
    let above = folder.ancestors().find(|above| above.exists());
    match tempfile::tempdir_in(above.unwrap_or(folder)) {
        Ok(_) => Check::new(
            "audit",
            Outcome::Warned,
            format!("the folder {shown} does not exist; the proxy will create it"),
        ),
        Err(error) => Check::failed(
            "audit",
            format!(
                "can't create the folder {shown}: {}",
                io_error::in_words(&error)
            ),
        ),
    }
}

fn audit_file(path: &Path) -> Check {
    let existed = path.exists();
    let opened = Audit::open(Some(path));
    if opened.is_ok() && !existed {
        // It is empty.
        let _ = std::fs::remove_file(path);
    }
    let shown = path.display();
    match opened {
        Ok(_) => Check::passed("audit", format!("{shown} can be written")),
        Err(error) => Check::failed(
            "audit",
            format!("can't write {shown}: {}", io_error::in_words(&error)),
        ),
    }
}

/// Whether the provider's host, or the proxy in front of it, accepts connections. Nothing is sent.
/// If it can't be reached now, this proxy is not necessarily broken.
pub(super) fn provider(config: &Config) -> Check {
    let origin = config.mode.origin();
    let egress = match Egress::from_environment(origin) {
        Ok(egress) => egress,
        Err(error) => return Check::failed("upstream", error.to_string()),
    };
    let url = origin.url();
    let (place, connected) = match egress.host_and_port() {
        Some((host, port)) => (
            format!("the proxy on the way to {url}"),
            connect(host, port, config).map(drop),
        ),
        None => (
            url,
            connect(origin.host(), origin.port(), config).and_then(|tcp| secure(origin, tcp)),
        ),
    };
    match connected {
        Ok(()) => Check::passed(
            "upstream",
            format!("{place} accepts connections; nothing was sent"),
        ),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Check::failed(
            "upstream",
            format!(
                "{place}: the TLS connection fails: {error}; SSL_CERT_FILE names an authority of your own"
            ),
        ),
        Err(error) => {
            let reason = io_error::in_words(&error);
            let detail = format!("{place} can't be reached now: {reason}");
            Check::new("upstream", Outcome::Warned, detail)
        }
    }
}

fn connect(host: &str, port: u16, config: &Config) -> io::Result<TcpStream> {
    let patience = config.limits.connect_timeout;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(tcp) => {
                tcp.set_read_timeout(Some(patience))?;
                tcp.set_write_timeout(Some(patience))?;
                return Ok(tcp);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Verifies the provider's certificate, where there is one.
///
/// # Errors
/// With kind `InvalidData` when TLS itself fails.
fn secure(origin: &Origin, mut tcp: TcpStream) -> io::Result<()> {
    if !origin.is_https() {
        return Ok(());
    }
    let name = ServerName::try_from(origin.host().to_owned());
    let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let session = ClientConnection::new(upstream::tls_config()?, name);
    let mut session = session.map_err(io::Error::other)?;
    session.complete_io(&mut tcp).map(drop)
}
