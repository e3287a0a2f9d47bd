//! HTTPS for clients.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use engine::Sensitive;
use pkcs8::{EncryptedPrivateKeyInfoRef, SecretDocument};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};
use zeroize::Zeroizing;

use crate::base::io_error;
use crate::config::TlsFiles;

/// How an encrypted key in PKCS #8 begins and ends.
const ENCRYPTED: [&str; 2] = [
    "-----BEGIN ENCRYPTED PRIVATE KEY-----",
    "-----END ENCRYPTED PRIVATE KEY-----",
];

/// The marker of a key encrypted in old OpenSSL's format.
const ENCRYPTED_OLD: &str = "Proc-Type: 4,ENCRYPTED";

/// Why HTTPS can't be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("can't read {path} ({setting}): {reason}")]
    Unreadable {
        path: String,
        setting: &'static str,
        reason: String,
    },
    #[error("{0} ({1}) contains no certificate (PEM)")]
    NoCertificate(String, &'static str),
    #[error("{0} (tls.keyfile) contains no private key (PEM)")]
    NoKey(String),
    #[error("the private key in {0} is encrypted, and tls.keyfile_password is not set")]
    NoPassword(String),
    #[error("the private key in {0} can't be decrypted with tls.keyfile_password")]
    WrongPassword(String),
    #[error(
        "the private key in {0} is encrypted in an old format; convert it: openssl pkcs8 -topk8 -in OLD \
         -out NEW"
    )]
    OldEncryption(String),
    #[error(
        "the certificate (tls.certfile) and the private key (tls.keyfile) don't match, or are of an unknown \
         kind"
    )]
    Mismatch,
    #[error("{0} contains no usable certificate of an authority (tls.ca_certs)")]
    NoAuthority(String),
}

/// Reads certificate and key, and the authorities of clients where they are named.
///
/// # Errors
/// Which of them can't be used.
pub(super) fn server_config(files: &TlsFiles) -> Result<TlsAcceptor, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_| Error::Mismatch)?;
    let builder = match &files.ca_certs {
        Some(path) => builder.with_client_cert_verifier(clients_of(path, provider)?),
        None => builder.with_no_client_auth(),
    };
    let chain = certificates(&files.certfile, "tls.certfile")?;
    let key = private_key(&files.keyfile, files.keyfile_password.as_ref())?;
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|_| Error::Mismatch)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Accepts only clients with a certificate of these authorities.
fn clients_of(
    path: &Path,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(certificates(path, "tls.ca_certs")?);
    WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), provider)
        .build()
        .map_err(|_| Error::NoAuthority(shown(path)))
}

fn certificates(path: &Path, setting: &'static str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let pem = read(path, setting)?;
    let chain = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.unwrap_or_default();
    if chain.is_empty() {
        return Err(Error::NoCertificate(shown(path), setting));
    }
    Ok(chain)
}

fn private_key(
    path: &Path,
    password: Option<&Sensitive<String>>,
) -> Result<PrivateKeyDer<'static>, Error> {
    let pem = read(path, "tls.keyfile")?;
    let text = str::from_utf8(&pem).map_err(|_| Error::NoKey(shown(path)))?;
    if text.contains(ENCRYPTED_OLD) {
        return Err(Error::OldEncryption(shown(path)));
    }
    let Some(encrypted) = encrypted_part(text) else {
        return PrivateKeyDer::from_pem_slice(&pem).map_err(|_| Error::NoKey(shown(path)));
    };
    let password = password.ok_or_else(|| Error::NoPassword(shown(path)))?;
    decrypt(encrypted, password.expose()).ok_or_else(|| Error::WrongPassword(shown(path)))
}

fn encrypted_part(pem: &str) -> Option<&str> {
    let [begin, end] = ENCRYPTED;
    let from = pem.find(begin)?;
    let to = pem.get(from..)?.find(end)? + from + end.len();
    pem.get(from..to)
}

fn decrypt(pem: &str, password: &str) -> Option<PrivateKeyDer<'static>> {
    let (_, document) = SecretDocument::from_pem(pem).ok()?;
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).ok()?;
    let key = encrypted.decrypt(password).ok()?;
    Some(PrivatePkcs8KeyDer::from(key.as_bytes().to_vec()).into())
}

fn read(path: &Path, setting: &'static str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let unreadable = |error: io::Error| Error::Unreadable {
        path: shown(path),
        setting,
        reason: io_error::in_words(&error),
    };
    fs::read(path).map(Zeroizing::new).map_err(unreadable)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
