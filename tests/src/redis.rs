//! A real Redis server; `REDIS_SERVER` names another than `redis-server`, such as Valkey's.

use std::path::PathBuf;
use std::process::{Command as Shell, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::port::Reserved;
use crate::redis_guard::{ADMIN, Guard};

/// How long a start may take on a busy machine.
const START: Duration = Duration::from_mins(1);

/// A running `redis-server` that writes everything to its disk; it is killed when dropped.
#[derive(Debug)]
pub struct Redis {
    server: Option<Child>,
    directory: TempDir,
    port: Reserved,
    tls_port: Reserved,
    bus_port: Reserved,
    options: Vec<String>,
    guard: Option<Guard>,
}

impl Redis {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let mut redis = Self::reserved();
        redis.start_again().await;
        redis
    }

    /// A place for one on a free port, where none runs yet.
    #[must_use]
    pub fn reserved() -> Self {
        Self {
            server: None,
            directory: tempfile::tempdir().expect("a directory"),
            port: Reserved::new(),
            tls_port: Reserved::new(),
            bus_port: Reserved::new(),
            options: Vec::new(),
            guard: None,
        }
    }

    /// A place for one of several servers on a free port.
    fn reserved_for(guard: Option<&Guard>) -> Self {
        let mut redis = Self::reserved();
        redis.guard = guard.cloned();
        if let Some(guard) = guard {
            let options = guard.of_server(redis.tls_port.port());
            redis.read_file("server.conf", &options);
        }
        redis
    }

    /// Lets the server read its options from a file.
    fn read_file(&mut self, name: &str, options: &str) {
        let file = self.directory.path().join(name);
        std::fs::write(&file, options).expect("a configuration");
        self.options = vec![file.to_string_lossy().into_owned()];
    }

    /// Starts one that others stand in for.
    pub(crate) async fn start_member(guard: Option<&Guard>) -> Self {
        let mut redis = Self::reserved_for(guard);
        redis.start_again().await;
        redis
    }

    /// Starts one that may become a node of a cluster.
    pub(crate) async fn start_node(guard: Option<&Guard>) -> Self {
        let mut redis = Self::reserved_for(guard);
        let port = redis.bus_port().to_string();
        redis.add(&["--cluster-enabled", "yes", "--cluster-port", &port]);
        redis.add(&["--cluster-node-timeout", "1000"]);
        redis.start_again().await;
        redis
    }

    fn add(&mut self, options: &[&str]) {
        let options = options.iter().map(|&option| option.to_owned());
        self.options.extend(options);
    }

    /// Starts a sentinel that watches the primary on this port as `main`.
    pub(crate) async fn start_sentinel(primary: u16, guard: Option<&Guard>) -> Self {
        let mut redis = Self::reserved();
        redis.guard = guard.cloned();
        let mut text = format!(
            "sentinel monitor main 127.0.0.1 {primary} 2\n\
             sentinel down-after-milliseconds main 1000\n\
             sentinel failover-timeout main 4000\n"
        );
        if let Some(guard) = guard {
            text += &guard.of_sentinel(redis.tls_port.port());
        }
        redis.read_file("sentinel.conf", &text);
        redis.add(&["--sentinel"]);
        redis.start_again().await;
        redis
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://{}", self.address())
    }

    /// Where it listens, as `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    /// The process id.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.server.as_ref().and_then(Child::id).expect("it runs")
    }

    /// The port that it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.port()
    }

    /// The port for other servers and the proxy.
    pub(crate) fn member_port(&self) -> u16 {
        let port = self.guard.as_ref().map_or(&self.port, |_| &self.tls_port);
        port.port()
    }

    /// The port for other nodes of a cluster.
    pub(crate) fn bus_port(&self) -> u16 {
        self.bus_port.port()
    }

    /// Starts it, with what it held when it ended.
    pub async fn start_again(&mut self) {
        let program = std::env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned());
        let server = Command::new(program)
            .args(&self.options)
            .args([
                "--bind",
                "127.0.0.1",
                "--port",
                &self.port.port().to_string(),
            ])
            // By default a write may wait for two seconds behind the fsync of an earlier one, after its reply.
            .args(["--appendonly", "yes", "--appendfsync", "no", "--save", ""])
            .arg("--dir")
            .arg(self.directory.path())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        self.server = Some(server.expect("redis-server is installed: tests/provision/packages.sh"));
        let begin = Instant::now();
        while self.ask("PING").await.as_deref() != Some("+PONG\r\n") {
            assert!(begin.elapsed() < START, "redis-server does not answer");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends it properly.
    pub async fn stop(&mut self) {
        self.signal("-TERM");
        let mut server = self.server.take().expect("it runs");
        server.wait().await.expect("it ends");
    }

    /// Ends it at once.
    pub async fn kill(&mut self) {
        self.signal("-KILL");
        let mut server = self.server.take().expect("it runs");
        server.wait().await.expect("it ends");
    }

    /// Keeps it from answering, while connections stay open.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it answer again.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    /// Lets it listen with TLS, too: the URL, and the file of the certificate to trust.
    pub async fn listen_tls(&self) -> (String, PathBuf) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        let made = made.expect("a certificate");
        let certificate = self.directory.path().join("tls.crt");
        let key = self.directory.path().join("tls.key");
        std::fs::write(&certificate, made.cert.pem()).expect("a certificate file");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("a key file");
        let port = self.tls_port.port();
        let command = format!(
            "CONFIG SET tls-auth-clients no tls-cert-file {} tls-key-file {} tls-port {port}",
            certificate.display(),
            key.display()
        );
        let reply = self.ask(&command).await;
        assert_eq!(reply.as_deref(), Some("+OK\r\n"));
        (format!("rediss://localhost:{port}"), certificate)
    }

    /// Sends one command, with its words separated by spaces; returns the first piece of the raw
    /// reply.
    pub async fn ask(&self, command: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port.port()))
            .await
            .ok()?;
        if self.guard.is_some() {
            let login = format!("AUTH {} {}\r\n", ADMIN.0, ADMIN.1);
            stream.write_all(login.as_bytes()).await.ok()?;
            let mut reply = [0; 5];
            stream.read_exact(&mut reply).await.ok()?;
        }
        stream
            .write_all(format!("{command}\r\n").as_bytes())
            .await
            .ok()?;
        let mut reply = vec![0; 1 << 16];
        let length = stream.read(&mut reply).await.ok()?;
        reply.truncate(length);
        Some(String::from_utf8_lossy(&reply).into_owned())
    }

    /// Everything that it wrote to its disk: every command that changed something.
    #[must_use]
    pub fn written(&self) -> String {
        let mut written = String::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
                if entry.path().is_dir() {
                    directories.push(entry.path());
                } else {
                    let bytes = std::fs::read(entry.path()).unwrap_or_default();
                    written += &String::from_utf8_lossy(&bytes);
                }
            }
        }
        written
    }

    fn signal(&self, signal: &str) {
        let pid = self.pid().to_string();
        let sent = Shell::new("kill").args([signal, &pid]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "{signal} is sent"
        );
    }
}
