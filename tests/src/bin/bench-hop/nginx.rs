//! nginx: a provider with a fixed reply, and a pass-through.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tests::signals::{self, Signal};
use tokio::net::TcpListener;

use crate::process::Process;

/// A running nginx with its own directory; it stops when dropped.
#[derive(Debug)]
pub(crate) struct Nginx {
    child: Child,
    port: u16,
    _directory: TempDir,
}

impl Nginx {
    /// Answers every POST to the chat path with one body.
    pub(crate) async fn provider(reply: &str) -> Self {
        assert!(
            !reply.contains(['\'', '$']),
            "the reply fits into a configuration"
        );
        let rules = format!(
            "location / {{ client_max_body_size 64m; default_type application/json; return 200 '{reply}'; }}"
        );
        Self::start(&rules).await
    }

    /// Passes everything to a provider, as a careful administrator would set it up for event streams.
    pub(crate) async fn pass_through(provider: &str) -> Self {
        let rules = format!(
            "location = /health {{ return 200 ok; }}
             location / {{
               proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection '';
               proxy_buffering off; client_max_body_size 64m; client_body_buffer_size 64m;
             }}
             }}
             upstream provider {{ server {}; keepalive 256; keepalive_requests 1000000000;",
            provider.trim_start_matches("http://")
        );
        Self::start(&rules).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn processes(&self) -> Vec<Process> {
        Process::of(self.child.id()).children()
    }

    async fn start(rules: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let home = directory.path().display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .iter()
            .map(|kind| format!("{kind}_temp_path {home}/{kind};\n"))
            .collect();
        let user = if home_is_roots() { "user root;" } else { "" };
        let configuration = format!(
            "daemon off; {user} worker_processes auto; pid {home}/pid; error_log {home}/error.log;
             worker_rlimit_nofile 20000;
             events {{ worker_connections 8192; }}
             http {{ access_log off; keepalive_requests 1000000000; tcp_nodelay on; {temporary}
             server {{ listen 127.0.0.1:{port} backlog=4096; {rules} }} }}"
        );
        let file = directory.path().join("nginx.conf");
        std::fs::write(&file, configuration).expect("a configuration");
        // It ends with this process, however this process ends.
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "TERM", "/usr/sbin/nginx"])
            .arg("-e")
            .arg(directory.path().join("error.log"))
            .arg("-c")
            .arg(&file)
            .stderr(Stdio::inherit())
            .spawn()
            .expect("nginx starts");
        let nginx = Self {
            child,
            port,
            _directory: directory,
        };
        for _ in 0..200 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .is_ok()
            {
                return nginx;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nginx does not serve");
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        signals::send(Signal::QUIT, self.child.id());
        let _ = self.child.wait();
    }
}

/// Workers of a nginx that root started run as another user, who can't reach the directory.
fn home_is_roots() -> bool {
    std::env::var("HOME").is_ok_and(|home| home == "/root")
}
