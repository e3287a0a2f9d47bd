//! A proxy with few file descriptors.

use std::process::Stdio;
use std::time::Duration;

use tests::{Client, Mock, Reserved, Schema, Values, binary};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// They got 502, and the log 500 lines.
#[tokio::test]
async fn clients_wait_when_file_descriptors_run_out() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("log");
    let port = Reserved::new();
    let _proxy = Command::new("bash")
        .args(["-c", "ulimit -n 64; exec \"$@\"", "bash"])
        .arg(binary())
        .args(["proxy", "--upstream", &mock.url(), "--port"])
        .arg(port.port().to_string())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(directory.path())
        .stdout(std::fs::File::create(&log).expect("a log"))
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the proxy starts");
    while TcpStream::connect(("127.0.0.1", port.port()))
        .await
        .is_err()
    {
        sleep(Duration::from_millis(20)).await;
    }
    // Who holds a place without a request gives it up.
    let mut idle = Vec::new();
    for _ in 0..30 {
        idle.push(Client::connect(&port.url()).await);
    }
    let mut clients = JoinSet::new();
    for number in 0..150 {
        let url = port.url();
        clients.spawn(async move {
            let values = Values::of(number).to_string();
            let request = Schema::ChatStyle.request("slow-first-byte", &values, number % 2 == 0);
            let path = Schema::ChatStyle.path();
            let reply = Client::post(&url, path, &request).await;
            let waited = reply.code().as_deref() == Some("mask_upstream_busy");
            assert!(
                reply.status == 200 || waited,
                "{} {}",
                reply.status,
                reply.text()
            );
            reply.status
        });
    }
    let mut answered = 0;
    while let Some(status) = clients.join_next().await {
        answered += usize::from(status.expect("an answer") == 200);
    }
    assert!(answered > 20, "{answered}");
    let text = std::fs::read_to_string(&log).expect("a log");
    let warnings = text.lines().filter(|line| line.contains("WARN"));
    assert!(warnings.count() < 40, "{text}");
    assert!(!text.contains("uncategorized"), "{text}");
}
