//! Redis servers that let in nobody unknown: TLS with an authority of their own, certificates of clients, and users.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;

/// Who may do everything, among them the servers themselves.
pub(crate) const ADMIN: (&str, &str) = ("admin", "adm1n-word");

/// The proxy, which may do what `docs/sessions.md` says that it must.
const PROXY: (&str, &str) = ("maskproxy", "pr0xy-word");

/// What the proxy's user may do.
const RIGHTS: &str =
    "~mask:* ~{mask:* +@read +@write +@scripting +@transaction +@connection +role +cluster|slots";

/// What the proxy's user may do with sentinels.
const RIGHTS_WITH_SENTINELS: &str = "+@connection +sentinel|masters +role";

/// The certificates, as files.
#[derive(Debug, Clone)]
pub struct Guard(Arc<TempDir>);

impl Guard {
    /// Makes an authority, and certificates of it for servers and for the proxy.
    pub(crate) fn new() -> Self {
        let guard = Self(Arc::new(tempfile::tempdir().expect("a directory")));
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // OpenSSL takes a certificate that is named as its authority for one that signed itself.
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "authority");
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        fs::write(guard.authority(), authority.pem()).expect("written");
        for (name, host) in [("server", "127.0.0.1"), ("proxy", "proxy")] {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new(vec![host.to_owned()]).expect("parameters");
            let certificate = params.signed_by(&key, &authority).expect("signed");
            let [certificate_file, key_file] = guard.identity(name);
            fs::write(certificate_file, certificate.pem()).expect("written");
            fs::write(key_file, key.serialize_pem()).expect("written");
        }
        guard
    }

    /// The authority's certificate.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.0.path().join("authority.crt")
    }

    /// The certificate that the proxy presents, and its key.
    #[must_use]
    pub fn of_proxy(&self) -> [PathBuf; 2] {
        self.identity("proxy")
    }

    fn identity(&self, name: &str) -> [PathBuf; 2] {
        ["crt", "key"].map(|kind| self.0.path().join(format!("{name}.{kind}")))
    }

    /// The options of a server, one a line as in its file.
    pub(crate) fn of_server(&self, tls_port: u16) -> String {
        let (name, word) = ADMIN;
        format!(
            "{}{}masteruser {name}\nmasterauth {word}\n",
            self.tls(tls_port),
            users(RIGHTS)
        )
    }

    /// The options of a sentinel, behind the line that names the primary.
    pub(crate) fn of_sentinel(&self, tls_port: u16) -> String {
        let (name, word) = ADMIN;
        format!(
            "{}{}sentinel auth-user main {name}\nsentinel auth-pass main {word}\n\
             sentinel sentinel-user {name}\nsentinel sentinel-pass {word}\n",
            self.tls(tls_port),
            users(RIGHTS_WITH_SENTINELS)
        )
    }

    fn tls(&self, port: u16) -> String {
        let [certificate, key] = self.identity("server");
        let shown = |path: &Path| path.display().to_string();
        format!(
            "tls-port {port}\ntls-cert-file {}\ntls-key-file {}\ntls-ca-cert-file {}\n\
             tls-auth-clients yes\ntls-replication yes\ntls-cluster yes\n",
            shown(&certificate),
            shown(&key),
            shown(&self.authority())
        )
    }

    /// The proxy's user, as a URL names it.
    pub(crate) fn login() -> String {
        format!("{}:{}", PROXY.0, PROXY.1)
    }

    /// The proxy's user for sentinels, as a URL names it.
    pub(crate) fn login_of_sentinels() -> String {
        format!(
            "sentinel_username={}&sentinel_password={}",
            PROXY.0, PROXY.1
        )
    }
}

fn users(rights: &str) -> String {
    format!(
        "user default off\nuser {} on >{} ~* &* +@all\nuser {} on >{} resetchannels {rights}\n",
        ADMIN.0, ADMIN.1, PROXY.0, PROXY.1
    )
}
