//! HTTPS for clients.

use std::path::Path;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use tests::{Mock, Proxy, ProxyOptions, Schema, Values, maskproxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const PASSWORD: &str = "correct horse";

fn vector(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors/tls")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn flags(certificate: &str, key: &str) -> ProxyOptions {
    ProxyOptions::default()
        .https()
        .flag("--ssl-certfile")
        .flag(certificate)
        .flag("--ssl-keyfile")
        .flag(key)
}

/// A client that trusts the certificate of the vectors, and may have its own.
fn client(own: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>) -> TlsConnector {
    let certificate = CertificateDer::from_pem_file(vector("certificate.pem"));
    trusting(&certificate.expect("a certificate"), own)
}

/// A client that trusts a certificate, and may have its own.
fn trusting(
    certificate: &CertificateDer<'static>,
    own: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("added");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_root_certificates(roots);
    let config = match own {
        Some((certificate, key)) => builder
            .with_client_auth_cert(vec![certificate], key)
            .expect("a key that fits"),
        None => builder.with_no_client_auth(),
    };
    TlsConnector::from(Arc::new(config))
}

/// The whole reply to one request over TLS.
async fn request(
    connector: &TlsConnector,
    port: u16,
    path: &str,
    body: &str,
) -> std::io::Result<String> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = connector.connect(name, stream).await?;
    let method = if body.is_empty() { "GET" } else { "POST" };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    Ok(reply)
}

#[tokio::test]
async fn an_encrypted_key_serves_only_https_in_either_mode() {
    let mock = Mock::start().await;
    let values = Values::of(68);
    let body = Schema::ChatStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    let options = flags(&vector("certificate.pem"), &vector("encrypted.pem"))
        .yaml(&format!("tls: {{keyfile_password: {PASSWORD}}}"));
    for options in [options.clone(), options.flag("--gateway")] {
        let url = mock.url() + "/v1/chat/completions";
        let proxy = Proxy::start_with(&url, &options).await;
        let health = request(&client(None), proxy.port(), "/health", "").await;
        assert!(health.is_ok_and(|reply| reply.ends_with(r#"{"status":"ok"}"#)));
        let reply = request(&client(None), proxy.port(), "/v1/chat/completions", &body).await;
        assert!(reply.is_ok_and(|reply| reply.contains(&values.email)));
        assert_eq!(values.found_in(&mock.last().everything()), [""; 0]);

        let plain = tests::Client::get(&proxy.url(), "/health").await;
        assert_ne!(plain.status, 200, "plain HTTP");
        assert!(proxy.printed().contains("https://"), "{}", proxy.printed());
    }
}

#[tokio::test]
async fn clients_can_use_http2_over_tls() {
    let mock = Mock::start().await;
    let options = flags(&vector("certificate.pem"), &vector("encrypted.pem"))
        .yaml(&format!("tls: {{keyfile_password: {PASSWORD}}}"));
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let mut config = ClientConfig::clone(client(None).config());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(("127.0.0.1", proxy.port())).await;
    let name = ServerName::try_from("localhost").expect("a name");
    let connector = TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, stream.expect("a connection")).await;
    let stream = TokioIo::new(stream.expect("a handshake"));
    let (mut sender, connection) = handshake(TokioExecutor::new(), stream)
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    let values = Values::of(97);
    for stream in [false, true] {
        let body = Schema::ChatStyle.request("echo", &values.to_string(), stream);
        let request = hyper::Request::post("https://localhost/v1/chat/completions");
        let request = request.body(Full::<Bytes>::from(body.to_string()));
        let reply = sender.send_request(request.expect("a request")).await;
        let body = reply.expect("a reply").into_body().collect().await;
        let text = String::from_utf8_lossy(&body.expect("a body").to_bytes()).into_owned();
        assert_eq!(Schema::ChatStyle.reply_text(&text), values.to_string());
    }
}

#[tokio::test]
async fn only_clients_with_a_trusted_certificate_are_served() {
    let (known, other) = (authority(), authority());
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let proxy = Proxy::start_with(&mock.url(), &for_clients_of(&known, directory.path())).await;

    let known = client(Some(identity(&known)));
    let reply = request(&known, proxy.port(), "/health", "").await;
    assert!(reply.is_ok_and(|reply| reply.contains("200 OK")));
    for stranger in [client(None), client(Some(identity(&other)))] {
        assert!(
            request(&stranger, proxy.port(), "/health", "")
                .await
                .is_err()
        );
    }
    assert!(request(&known, proxy.port(), "/health", "").await.is_ok());
}

/// Their certificates told them apart, and they shared sessions.
#[tokio::test]
async fn clients_with_different_certificates_share_no_session() {
    let authority = authority();
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let options =
        for_clients_of(&authority, directory.path()).env("MASK_SESSION_STRATEGY", "client");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let (alice, bob) = (
        client(Some(identity(&authority))),
        client(Some(identity(&authority))),
    );
    let values = Values::of(69);
    let ask = async |client, model: &str, text: &str| {
        let body = Schema::ChatStyle.request(model, text, false).to_string();
        let reply = request(client, proxy.port(), Schema::ChatStyle.path(), &body);
        reply.await.expect("a reply").contains(&values.email)
    };
    assert!(ask(&alice, "echo", &values.email).await);
    assert!(ask(&alice, "says/<MASK_EMAIL_1>", "which?").await);
    assert!(!ask(&bob, "says/<MASK_EMAIL_1>", "which?").await);
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    CertifiedIssuer::self_signed(params, key).expect("an authority")
}

/// A proxy for clients with a certificate of this authority.
fn for_clients_of(authority: &CertifiedIssuer<'_, KeyPair>, directory: &Path) -> ProxyOptions {
    let authorities = directory.join("authorities.pem");
    std::fs::write(&authorities, authority.pem()).expect("written");
    let yaml = format!(
        "tls: {{keyfile_password: {PASSWORD}, ca_certs: {}}}",
        authorities.display()
    );
    flags(&vector("certificate.pem"), &vector("encrypted.pem")).yaml(&yaml)
}

fn identity(
    authority: &CertifiedIssuer<'_, KeyPair>,
) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec!["client".to_owned()]).expect("parameters");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let certificate = params.signed_by(&key, authority).expect("signed");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    (certificate.der().clone(), key)
}

/// Cases 296, 297 and 330.
#[tokio::test]
async fn unusable_tls_files_are_reported_in_one_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| {
        let path = directory.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    };
    let write = |name: &str, text: &str| {
        std::fs::write(path(name), text).expect("written");
        path(name)
    };
    let other_key = KeyPair::generate().expect("a key");
    let other_key = write("other.pem", &other_key.serialize_pem());
    let empty = write("empty.pem", "");
    let wrong = write("wrong.yaml", "tls: {keyfile_password: wrong horse}");
    let right = format!("tls: {{keyfile_password: {PASSWORD}}}");
    let right = write("right.yaml", &right);
    let nobody = write("nobody.yaml", &format!("tls: {{ca_certs: {empty}}}"));
    let (missing, folder) = (path("missing.pem"), path(""));
    let (certificate, encrypted) = (vector("certificate.pem"), vector("encrypted.pem"));
    let old = vector("encrypted-old.pem");
    let [certificate, encrypted, old] = [&*certificate, &*encrypted, &*old];
    for (certificate, key, config, reason) in [
        (certificate, "", "", "only 'tls.certfile' is set"),
        ("", encrypted, "", "only 'tls.keyfile' is set"),
        (&missing, &other_key, "", "(tls.certfile): no such file"),
        (&folder, &other_key, "", "is a directory"),
        (certificate, &missing, "", "(tls.keyfile): no such file"),
        (
            &empty,
            &other_key,
            "",
            "(tls.certfile) contains no certificate",
        ),
        (
            certificate,
            &empty,
            "",
            "(tls.keyfile) contains no private key",
        ),
        (
            certificate,
            &other_key,
            "",
            "and the private key (tls.keyfile) don't match",
        ),
        (
            certificate,
            &other_key,
            &*nobody,
            "(tls.ca_certs) contains no certificate",
        ),
        (
            certificate,
            encrypted,
            "",
            "tls.keyfile_password is not set",
        ),
        (certificate, encrypted, &wrong, "can't be decrypted"),
        (certificate, old, &right, "openssl pkcs8 -topk8"),
    ] {
        let mut arguments = vec!["proxy", "--upstream", "http://127.0.0.1:9", "--port", "0"];
        let flags = [
            ("--ssl-certfile", certificate),
            ("--ssl-keyfile", key),
            ("-c", config),
        ];
        for (flag, file) in flags.into_iter().filter(|(_, file)| !file.is_empty()) {
            arguments.extend([flag, file]);
        }
        let (status, stdout, stderr) = maskproxy(&arguments, "").await;
        assert_eq!(
            (status, stdout.as_str()),
            (Some(1), ""),
            "{reason}: {stderr}"
        );
        let line = stderr.trim_end();
        assert!(
            line.starts_with("Error: ") && line.lines().count() == 1,
            "{line}"
        );
        assert!(line.contains(reason), "{reason}: {line}");
        assert!(!line.contains("horse"), "{line}");
    }
}

/// A certificate that is renewed in its place.
#[tokio::test]
async fn a_new_certificate_takes_over() {
    let directory = tempfile::tempdir().expect("a directory");
    let [certfile, keyfile] =
        ["certificate.pem", "key.pem"].map(|name| directory.path().join(name));
    let yaml = format!(
        "tls: {{certfile: {}, keyfile: {}, keyfile_password: {PASSWORD}}}",
        certfile.display(),
        keyfile.display()
    );
    std::fs::copy(vector("certificate.pem"), &certfile).expect("a copy");
    std::fs::copy(vector("encrypted.pem"), &keyfile).expect("a copy");
    let options = ProxyOptions::default().https().yaml(&yaml).flag("--reload");
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let first = request(&client(None), proxy.port(), "/health", "").await;
    assert!(first.is_ok_and(|reply| reply.contains("200 OK")));

    let new = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(&certfile, new.cert.pem()).expect("written");
    std::fs::write(&keyfile, new.signing_key.serialize_pem()).expect("written");
    proxy.prints("the new configuration is in use").await;
    let health = request(&trusting(new.cert.der(), None), proxy.port(), "/health", "").await;
    assert!(health.is_ok_and(|reply| reply.contains("200 OK")));
    assert!(
        request(&client(None), proxy.port(), "/health", "")
            .await
            .is_err()
    );
}
