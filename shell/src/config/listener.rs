//! HTTPS for clients, and the log.

use std::net::{IpAddr, Ipv6Addr};
use std::path::{Path, PathBuf};

use engine::Sensitive;

use super::Error;
use super::values::Values;

/// Where the listener's certificate comes from.
#[derive(Debug)]
pub(crate) struct TlsFiles {
    pub(crate) certfile: PathBuf,
    pub(crate) keyfile: PathBuf,
    /// Of an encrypted key.
    pub(crate) keyfile_password: Option<Sensitive<String>>,
    /// The authorities that clients must present a certificate of.
    pub(crate) ca_certs: Option<PathBuf>,
}

impl TlsFiles {
    /// Every file.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.certfile, &self.keyfile].into_iter();
        files.chain(&self.ca_certs).map(PathBuf::as_path)
    }
}

/// Where other gateways have texts masked and restored.
#[derive(Debug)]
pub(crate) struct GuardrailSettings {
    /// An IPv6 address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// What callers must present.
    pub(crate) key: Option<Sensitive<String>>,
}

/// How the log is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logging {
    pub(crate) json: bool,
    pub(crate) level: tracing::Level,
    /// An additional destination besides standard output.
    pub(crate) file: Option<PathBuf>,
}

/// The address to listen on, an IPv6 one without brackets.
pub(super) fn host(values: &Values) -> Result<String, Error> {
    let item = values.required("host")?;
    let host = without_brackets(item.text()?);
    if host.contains(':') && !is_ipv6(host) {
        return Err(item.must_be("an address without a port; use 'port'"));
    }
    Ok(host.to_owned())
}

/// An address, which may name a network interface: `fe80::1%eth0`.
fn is_ipv6(host: &str) -> bool {
    let address = host.split('%').next().unwrap_or(host);
    address.parse::<Ipv6Addr>().is_ok()
}

/// The listener's URL for a client on this machine.
pub(super) fn own_url(values: &Values) -> Result<String, Error> {
    let scheme = match tls(values)? {
        Some(_) => "https",
        None => "http",
    };
    let host = host(values)?;
    // A listener on all addresses includes this one.
    let host = match &*host {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    let port = values.required("port")?.whole()?;
    Ok(format!("{scheme}://{}", authority(host, port)))
}

fn without_brackets(host: &str) -> &str {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    bare.unwrap_or(host)
}

pub(super) fn guardrail(values: &Values) -> Result<Option<GuardrailSettings>, Error> {
    let key = values.get("proxy.guardrail_key");
    let key = key.map(|key| key.sensitive()).transpose()?;
    let Some(address) = values.get("proxy.guardrail") else {
        return Ok(None);
    };
    let (host, port) = match address.text()?.rsplit_once(':') {
        Some((host, port)) => (without_brackets(host), port),
        None => ("127.0.0.1", address.text()?),
    };
    let port = port.parse().map_err(|_| address.invalid())?;
    if host.is_empty() {
        return Err(address.invalid());
    }
    if key.is_none() && !is_loopback(host) {
        return Err(Error::Conflict(format!(
            "anyone who can reach 'proxy.guardrail' at {} can read masked values: set \
             'proxy.guardrail_key' (MASK_GUARDRAIL_KEY), or listen on 127.0.0.1",
            authority(host, port)
        )));
    }
    Ok(Some(GuardrailSettings {
        host: host.to_owned(),
        port,
        key,
    }))
}

/// Whether a host is this machine, as far as its name shows.
pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    address.is_ok_and(|address| address.is_loopback())
        || host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
}

/// Host and port as in a URL.
pub(crate) fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

pub(super) fn tls(values: &Values) -> Result<Option<TlsFiles>, Error> {
    let file = |path| values.get(path).map(|item| item.path_of_file()).transpose();
    let password = values.get("tls.keyfile_password");
    let keyfile_password = password.map(|item| item.sensitive()).transpose()?;
    let ca_certs = file("tls.ca_certs")?;
    let half = |path: &str| {
        Error::Conflict(format!(
            "HTTPS needs both 'tls.certfile' and 'tls.keyfile', but only '{path}' is set"
        ))
    };
    match (file("tls.certfile")?, file("tls.keyfile")?) {
        (Some(certfile), Some(keyfile)) => Ok(Some(TlsFiles {
            certfile,
            keyfile,
            keyfile_password,
            ca_certs,
        })),
        (Some(_), None) => Err(half("tls.certfile")),
        (None, Some(_)) => Err(half("tls.keyfile")),
        (None, None) if keyfile_password.is_some() => Err(half("tls.keyfile_password")),
        (None, None) if ca_certs.is_some() => Err(half("tls.ca_certs")),
        (None, None) => Ok(None),
    }
}

pub(super) fn logging(values: &Values) -> Result<Logging, Error> {
    Ok(Logging {
        json: values.required("logging")?.choice()? == "json",
        level: match values.required("log_level")?.choice()? {
            "error" => tracing::Level::ERROR,
            "warn" => tracing::Level::WARN,
            "debug" => tracing::Level::DEBUG,
            "trace" => tracing::Level::TRACE,
            _ => tracing::Level::INFO,
        },
        file: values
            .get("log_file")
            .map(|file| file.path_of_file())
            .transpose()?,
    })
}
