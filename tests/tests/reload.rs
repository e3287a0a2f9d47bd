//! `--reload`: a changed configuration takes effect, or the old one stays in use.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::signals::{self, Signal};
use tests::{
    Client, Ending, Mock, Proxy, ProxyOptions, Reserved, Schema, Values, binary, maskproxy,
};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const IN_FORCE: &str = "the new configuration is in use";

async fn start(mock: &Mock) -> Proxy {
    let options = ProxyOptions::default().yaml(&yaml(1)).flag("--reload");
    Proxy::start_with(&mock.url(), &options).await
}

fn yaml(version: u32) -> String {
    format!("provider: {{headers: {{x-version: '{version}'}}}}\n")
}

/// The version of the configuration that a request is forwarded by.
async fn version(mock: &Mock, proxy: &Proxy) -> Option<String> {
    assert_eq!(Client::get(&proxy.url(), "/v1/models").await.status, 200);
    mock.last().header("x-version").map(str::to_owned)
}

/// A stream that lasted longer than five seconds was once cut.
#[tokio::test]
async fn running_exchanges_keep_their_configuration_until_they_end() {
    let mock = Mock::start().await;
    let mut proxy = start(&mock).await;
    let mut kept = Client::connect(&proxy.url()).await;
    let forwarded = kept.request("GET", "/v1/models", &[], b"").await;
    assert_eq!(forwarded.status, 200);
    assert_eq!(mock.last().header("x-version"), Some("1"));
    let path = Schema::ChatStyle.path();
    let request = Schema::ChatStyle.request("drip", &Values::of(70).to_string(), true);
    let url = proxy.url();
    let long = tokio::spawn(async move { Client::post(&url, path, &request).await });
    mock.asked(2).await;

    proxy.reconfigure(&yaml(2));
    proxy.prints(IN_FORCE).await;
    let taken_over = Instant::now();
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("2"));
    let forwarded = kept.request("GET", "/v1/models", &[], b"").await;
    assert_eq!(
        forwarded.status, 200,
        "on a connection from before the reload"
    );
    assert_eq!(mock.last().header("x-version"), Some("2"));

    let long = long.await.expect("a reply");
    assert_eq!((long.status, long.ending), (200, Ending::Clean));
    assert_eq!(
        Schema::ChatStyle.reply_text(&long.text()),
        Values::of(70).to_string()
    );
    assert!(taken_over.elapsed() > Duration::from_secs(6));
    assert_eq!(proxy.audited("session.deleted", 1).await.len(), 1);
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_unrouted_total{outcome=\"passed\"} 3\n"),
        "one process, one count: {metrics}"
    );
    proxy.stop().await;
}

/// 28 of 103,000 requests were reset.
#[tokio::test]
async fn no_request_is_lost_in_sixteen_reloads() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    let done = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for number in 0..10 {
        let (url, done) = (proxy.url(), Arc::clone(&done));
        clients.spawn(async move {
            let mut client = Client::connect(&url).await;
            let values = Values::of(700 + number).to_string();
            let request = Schema::ChatStyle.request("echo", &values, number % 2 == 0);
            let (path, body) = (Schema::ChatStyle.path(), request.to_string());
            while !done.load(Ordering::Relaxed) {
                let reply = client.request("POST", path, &[], body.as_bytes()).await;
                assert_eq!((reply.status, reply.ending), (200, Ending::Clean));
                assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), values);
            }
        });
    }
    for times in 1..=16 {
        signals::send(Signal::HUP, proxy.pid());
        proxy.prints_times(IN_FORCE, times).await;
    }
    done.store(true, Ordering::Relaxed);
    while let Some(client) = clients.join_next().await {
        client.expect("no request failed");
    }
}

#[tokio::test]
async fn sighup_reads_the_file_at_once_and_only_once() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    proxy.reconfigure(&yaml(2));
    signals::send(Signal::HUP, proxy.pid());
    proxy.prints(IN_FORCE).await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("2"));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(proxy.printed().matches(IN_FORCE).count(), 1);
}

/// Case 302.
#[tokio::test]
async fn an_unusable_configuration_is_reported_and_the_old_kept() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let pipe = pipe.display();
    // It was waited for without end.
    let from_pipe = format!("tls: {{certfile: {pipe}, keyfile: {pipe}}}");
    for (number, (broken, reason)) in [
        ("provider: {headers: [hush", "yaml"),
        ("no_such_setting: hush", "no_such_setting"),
        ("proxy: {timeout: hush}", "proxy.timeout"),
        (
            "tls: {certfile: /no/such.pem, keyfile: /no/such.pem}",
            "/no/such.pem",
        ),
        (&*from_pipe, "is not a regular file"),
    ]
    .into_iter()
    .enumerate()
    {
        proxy.reconfigure(broken);
        proxy.prints_times("stays in use", number + 1).await;
        assert!(proxy.printed().contains(reason), "{}", proxy.printed());
        assert_eq!(
            version(&mock, &proxy).await.as_deref(),
            Some("1"),
            "{broken}"
        );
    }
    assert!(!proxy.printed().contains("hush"), "{}", proxy.printed());
    assert_eq!(
        proxy.printed().matches("stays in use").count(),
        5,
        "{}",
        proxy.printed()
    );
    proxy.reconfigure(&yaml(3));
    proxy.prints(IN_FORCE).await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("3"));
}

#[tokio::test]
async fn a_configuration_file_that_is_removed_is_reported_once() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    proxy.remove_configuration();
    proxy.prints("stays in use").await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("1"));
    proxy.reconfigure(&yaml(4));
    proxy.prints(IN_FORCE).await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("4"));
    assert_eq!(proxy.printed().matches("stays in use").count(), 1);
}

#[tokio::test]
async fn a_new_configuration_warns_about_unmasked_types() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    proxy.reconfigure("policy: {type: strict, allowed: [EMAIL]}");
    proxy.prints(IN_FORCE).await;
    let printed = proxy.printed();
    let warning = printed.lines().find(|line| line.contains("WARN"));
    assert!(
        warning.is_some_and(|line| line.contains("PHONE")),
        "{printed}"
    );
}

/// Signed blocks are remembered by the process, not by a configuration.
/// They were ignored without a word until the next start.
#[tokio::test]
async fn changed_log_settings_are_reported_as_waiting_for_the_next_start() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    proxy.reconfigure(&yaml(2));
    proxy.prints(IN_FORCE).await;
    assert!(!proxy.printed().contains("log settings"));
    proxy.reconfigure(&format!("{}log_level: warn\n", yaml(3)));
    proxy
        .prints("log settings have changed; they take effect at the next start")
        .await;
    proxy.prints_times(IN_FORCE, 2).await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("3"));
}

#[tokio::test]
async fn a_conversation_continues_under_the_new_configuration() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    let path = Schema::MessagesStyle.path();
    let mut request = Schema::MessagesStyle.request("thinking", &Values::of(70).to_string(), false);
    let reply = Client::post(&proxy.url(), path, &request).await;
    proxy.reconfigure(&yaml(2));
    proxy.prints(IN_FORCE).await;
    let turns = request["messages"].as_array_mut().expect("messages");
    turns.push(json!({"role": "assistant", "content": reply.json()["content"]}));
    turns.push(json!({"role": "user", "content": "Go on."}));
    let reply = Client::post(&proxy.url(), path, &request).await;
    // This provider refuses a signed block that is not as it wrote it.
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(mock.last().header("x-version"), Some("2"));
}

/// A memory vault started empty with every change.
#[tokio::test]
async fn sessions_in_memory_survive_unless_their_settings_change() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    let values = Values::of(71);
    answer(&proxy, "echo", &values.email).await;
    let changes = [("", true), ("vault: {ttl: 60}\n", false)];
    for (times, (settings, comes_back)) in (1..).zip(changes) {
        proxy.reconfigure(&format!("{}{settings}", yaml(2)));
        proxy.prints_times(IN_FORCE, times).await;
        let reply = answer(&proxy, "says/<MASK_EMAIL_1>", "and now?").await;
        assert_eq!(reply.contains(&values.email), comes_back, "{reply}");
    }
}

/// The model's text in a named session.
/// A new value got the number of an old token that the provider still knew, because replies of the time with another
/// operator counted as history without tokens.
#[tokio::test]
async fn unknown_history_stays_unknown_after_an_operator_change() {
    let mock = Mock::start().await;
    let anchored = format!(
        "operator: {{type: pseudonym, anchor_secret: {}}}\n",
        "ab".repeat(32)
    );
    for turns in [1, 2] {
        let options = ProxyOptions::default().yaml(&anchored).flag("--reload");
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let ask = async |url: &str, text: &str, previous: &str| {
            let mut body = Schema::Responses.request("says/it was <MASK_EMAIL_1>", text, false);
            body["previous_response_id"] = json!(previous);
            Client::post(url, Schema::Responses.path(), &body).await
        };
        let mut previous = "resp_of_before".to_owned();
        for _ in 0..turns {
            let reply = ask(&proxy.url(), "hello", &previous).await;
            previous = reply.json()["id"].as_str().expect("an id").to_owned();
        }
        proxy.reconfigure("{}\n");
        proxy.prints(IN_FORCE).await;
        let reply = ask(&proxy.url(), "write to new@corp.example", &previous).await;
        assert!(
            !reply.text().contains("new@corp.example"),
            "after {turns}: {}",
            reply.text()
        );
    }
}

async fn answer(proxy: &Proxy, model: &str, text: &str) -> String {
    let body = Schema::ChatStyle.request(model, text, false).to_string();
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [("x-mask-session", "s")];
    let path = Schema::ChatStyle.path();
    let reply = client
        .request("POST", path, &headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    Schema::ChatStyle.reply_text(&reply.text())
}

#[tokio::test]
async fn without_reload_changes_apply_at_the_next_start() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml(&yaml(1));
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    proxy.reconfigure(&yaml(2));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(version(&mock, &proxy).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_touched_but_unchanged_file_changes_nothing() {
    let mock = Mock::start().await;
    let proxy = start(&mock).await;
    proxy.reconfigure(&yaml(1));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!proxy.printed().contains(IN_FORCE), "{}", proxy.printed());
    proxy.reconfigure(&yaml(2));
    proxy.prints(IN_FORCE).await;
}

#[tokio::test]
async fn reload_needs_a_configuration_file() {
    let (status, _, stderr) = maskproxy(&["proxy", "--reload", "--port", "0"], "").await;
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("-c"), "{stderr}");
}

/// Watching a pipe once drained it, and its configuration did not take effect.
#[tokio::test]
async fn reload_needs_a_regular_file() {
    let (status, _, stderr) = maskproxy(&["proxy", "--reload", "-c", "/dev/null"], "").await;
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("/dev/null is not one"), "{stderr}");
}

#[tokio::test]
async fn the_new_port_opens_before_the_old_one_closes() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("maskproxy.yaml");
    let [former, next] = [Reserved::new(), Reserved::new()];
    let write = |port: &Reserved| {
        let port = port.port();
        let yaml = format!("proxy: {{upstream: '{}'}}\nport: {port}\n", mock.url());
        let new = directory.path().join("new.yaml");
        std::fs::write(&new, yaml).expect("written");
        std::fs::rename(new, &file).expect("put in place");
    };
    write(&former);
    let _proxy = tokio::process::Command::new(binary())
        .args(["proxy", "--reload", "-c"])
        .arg(&file)
        .env_clear()
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the proxy starts");
    is_open(&former, true).await;
    write(&next);
    is_open(&next, true).await;
    assert_eq!(Client::get(&next.url(), "/health").await.status, 200);
    is_open(&former, false).await;
}

/// Waits until connections to a port are accepted, or refused.
async fn is_open(port: &Reserved, open: bool) {
    let begun = Instant::now();
    let connects = async || TcpStream::connect(("127.0.0.1", port.port())).await.is_ok();
    while connects().await != open {
        assert!(begun.elapsed() < Duration::from_mins(1), "{port:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
