//! HTTPS towards clients, and the log.

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

/// How the log is written.
#[derive(Debug, Clone)]
pub(crate) struct Logging {
    pub(crate) json: bool,
    pub(crate) level: tracing::Level,
    /// Where it goes besides standard output.
    pub(crate) file: Option<PathBuf>,
}

/// The address to listen on, an IPv6 one without brackets.
pub(super) fn host(values: &Values) -> Result<String, Error> {
    let host = values.required("host")?.text()?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    Ok(bare.unwrap_or(host).to_owned())
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
