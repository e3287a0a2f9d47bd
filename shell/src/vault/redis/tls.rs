//! Certificates for Redis, as its client takes them.

use redis::{ClientTlsConfig, TlsCertificates};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::config::{Pem, RedisTls};

/// The certificates, where the settings name any.
///
/// # Errors
/// Which file holds none.
pub(super) fn certificates(tls: &RedisTls) -> Result<Option<TlsCertificates>, String> {
    if *tls == RedisTls::default() {
        return Ok(None);
    }
    let root_cert = tls.authorities.as_ref().map(chain).transpose()?;
    let client_tls = tls.identity.as_ref().map(|(certificate, private)| {
        Ok::<_, String>(ClientTlsConfig {
            client_cert: chain(certificate)?,
            client_key: key(private)?,
        })
    });
    Ok(Some(TlsCertificates {
        client_tls: client_tls.transpose()?,
        root_cert,
    }))
}

fn chain(file: &Pem) -> Result<Vec<u8>, String> {
    let content = file.content.expose();
    let mut certificates = CertificateDer::pem_slice_iter(content).peekable();
    if certificates.peek().is_none() || certificates.any(|read| read.is_err()) {
        return Err(format!(
            "{} holds no certificate (PEM)",
            file.path.display()
        ));
    }
    Ok(content.clone())
}

fn key(file: &Pem) -> Result<Vec<u8>, String> {
    let content = file.content.expose();
    if PrivateKeyDer::from_pem_slice(content).is_err() {
        return Err(format!(
            "{} holds no private key (PEM) that is not encrypted",
            file.path.display()
        ));
    }
    Ok(content.clone())
}
