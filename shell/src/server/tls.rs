//! HTTPS towards clients.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::config::TlsFiles;

/// Why HTTPS can't be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("no certificate could be read from {0}")]
    Certificate(String),
    #[error("no unencrypted private key could be read from {0}")]
    Key(String),
    #[error("the certificate and the private key don't fit together")]
    Mismatch,
}

/// Reads certificate and key.
///
/// # Errors
/// Which of the two can't be used.
pub(super) fn server_config(files: &TlsFiles) -> Result<TlsAcceptor, Error> {
    let shown = |path: &Path| path.display().to_string();
    let chain = CertificateDer::pem_file_iter(&files.certfile)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| Error::Certificate(shown(&files.certfile)))?;
    let key = PrivateKeyDer::from_pem_file(&files.keyfile)
        .map_err(|_| Error::Key(shown(&files.keyfile)))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|_| Error::Mismatch)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
