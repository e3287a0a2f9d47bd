//! Start, load and stop.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::signals::{self, Signal};
use tests::{
    Client, Ending, Mock, Proxy, ProxyOptions, Reserved, Schema, Values, binary, maskproxy,
    maskproxy_with,
};

#[tokio::test]
async fn sixty_four_clients_each_get_only_their_own_values() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let mut callers = tokio::task::JoinSet::new();
    for number in 0..64 {
        let url = proxy.url();
        callers.spawn(async move {
            for turn in 0..6 {
                let schema = Schema::ALL[(number + turn) % 3];
                let values = Values::of(100 + number * 6 + turn);
                let request = schema.request("echo/3", &values.to_string(), turn % 2 == 0);
                let reply = Client::post(&url, schema.path(), &request).await;
                assert_eq!(schema.reply_text(&reply.text()), values.to_string());
            }
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller.expect("a caller got its own values");
    }
    for seen in mock.requests() {
        assert!(!seen.everything().contains("@corp"), "{}", seen.text());
    }
}

/// Cases 247 and 248.
#[tokio::test]
async fn a_hundred_and_fifty_streams_are_open_at_once() {
    for flags in [&[][..], &["--gateway"]] {
        let mock = Mock::start().await;
        let schema = Schema::MessagesStyle;
        let options = flags
            .iter()
            .fold(ProxyOptions::default(), |all, flag| all.flag(flag));
        let proxy = Proxy::start_with(&(mock.url() + schema.path()), &options).await;
        let request = schema.request("stall", "nothing here", true).to_string();
        let mut open = Vec::new();
        for _ in 0..150 {
            let mut client = Client::connect(&proxy.url()).await;
            client
                .send("POST", schema.path(), &[], request.as_bytes())
                .await;
            let (status, mut streamed) = client.head().await;
            let piece = client.piece(&mut streamed).await;
            assert!(piece.is_ok_and(|piece| piece.is_some()));
            assert_eq!(status, 200);
            open.push(client);
        }
        assert_eq!(mock.connections(), 150, "{flags:?}");
    }
}

#[tokio::test]
async fn health_answers_while_a_large_body_is_masked() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let words = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(70);
    let passage = format!("{} {words}", Values::of(51));
    let large = passage.repeat((12 << 20) / passage.len());
    let url = proxy.url();
    let request = json!({"model": "error-418", "messages": [{"role": "user", "content": large}]});
    let busy =
        tokio::spawn(async move { Client::post(&url, "/v1/chat/completions", &request).await });
    let sent = Instant::now();
    // On its own thread, because this one is busy with the body.
    let address = proxy.url().replace("http://", "");
    let done = Arc::new(AtomicBool::new(false));
    let asking = std::thread::spawn({
        let done = Arc::clone(&done);
        move || slowest_health(&address, &done)
    });
    let reply = busy.await.expect("a reply");
    done.store(true, Ordering::Relaxed);
    let slowest = asking.join().expect("answers");
    // One that waited for the body would take about as long as the body itself.
    let whole = sent.elapsed();
    assert!(slowest < whole / 2, "{slowest:?} of {whole:?}");
    assert_eq!(Values::of(51).found_in(&mock.last().text()), [""; 0]);
    assert_eq!(reply.status, 418);
}

/// Asks for `/health` again and again, and says how long the slowest answer took.
fn slowest_health(address: &str, done: &AtomicBool) -> Duration {
    let mut slowest = Duration::ZERO;
    while !done.load(Ordering::Relaxed) {
        let begin = Instant::now();
        let mut connection = TcpStream::connect(address).expect("a connection");
        connection
            .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .expect("sent");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        slowest = slowest.max(begin.elapsed());
        assert!(answer.ends_with(r#"{"status":"ok"}"#), "{answer}");
        std::thread::sleep(Duration::from_millis(5));
    }
    slowest
}

/// Case 260: running requests may finish; after five seconds they are cut.
#[tokio::test]
async fn stopping_finishes_short_requests_and_cuts_long_ones() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    let post = |model: &str, stream| {
        let request = Schema::ChatStyle.request(model, &Values::of(52).to_string(), stream);
        let url = proxy.url();
        tokio::spawn(async move { Client::post(&url, Schema::ChatStyle.path(), &request).await })
    };
    let short = post("slow-first-byte", false);
    let long = post("stall", true);
    mock.asked(2).await;
    proxy.terminate();
    let begin = Instant::now();
    assert_eq!(proxy.wait().await, Some(0));
    assert!(
        begin.elapsed() > Duration::from_secs(4),
        "{:?}",
        begin.elapsed()
    );

    let short = short.await.expect("a reply");
    assert_eq!(
        Schema::ChatStyle.reply_text(&short.text()),
        Values::of(52).to_string()
    );
    assert_eq!(long.await.expect("a reply").ending, Ending::Broken);
    assert_eq!(proxy.audit_text().matches("session.deleted").count(), 2);
}

/// Case 261.
#[tokio::test]
async fn further_signals_do_not_interrupt_the_cleanup() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    let request = Schema::ChatStyle.request("stall", &Values::of(53).to_string(), true);
    let url = proxy.url();
    let long =
        tokio::spawn(async move { Client::post(&url, Schema::ChatStyle.path(), &request).await });
    proxy.audited("proxy.request", 1).await;
    let begin = Instant::now();
    for _ in 0..4 {
        proxy.terminate();
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(proxy.wait().await, Some(0));
    assert!(
        begin.elapsed() > Duration::from_secs(4),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(long.await.expect("a reply").ending, Ending::Broken);
    assert_eq!(proxy.audit_text().matches("session.deleted").count(), 1);
}

#[tokio::test]
async fn an_idle_proxy_stops_at_once_on_any_signal() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mock = Mock::start().await;
        let mut proxy = Proxy::start(&mock.url()).await;
        let _idle = Client::connect(&proxy.url()).await;
        let begin = Instant::now();
        signals::send(signal, proxy.pid());
        assert_eq!(proxy.wait().await, Some(0), "{signal:?}");
        assert!(
            begin.elapsed() < Duration::from_secs(5),
            "{:?}",
            begin.elapsed()
        );
        let printed = proxy.printed();
        assert!(printed.contains("stopped"), "{signal:?}: {printed}");
    }
}

/// It did not speed up anything.
#[tokio::test]
async fn a_second_interrupt_ends_the_grace_period() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    let request = Schema::ChatStyle.request("stall", &Values::of(53).to_string(), true);
    let url = proxy.url();
    let long =
        tokio::spawn(async move { Client::post(&url, Schema::ChatStyle.path(), &request).await });
    proxy.audited("proxy.request", 1).await;
    let begin = Instant::now();
    signals::send(Signal::INT, proxy.pid());
    proxy.prints("stopping: ").await;
    signals::send(Signal::INT, proxy.pid());
    assert_eq!(proxy.wait().await, Some(0));
    assert!(begin.elapsed() < Duration::from_secs(4));
    assert_eq!(long.await.expect("a reply").ending, Ending::Broken);
    assert!(proxy.printed().contains("stopped"), "{}", proxy.printed());
    assert_eq!(proxy.audit_text().matches("session.deleted").count(), 1);
}

/// A reader of standard output that did not read kept the proxy from ending.
#[tokio::test]
async fn unread_output_blocks_neither_traffic_nor_the_stop() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (_unread, mut full) = std::io::pipe().expect("a pipe");
    // The capacity of a pipe.
    full.write_all(&vec![b'\n'; 1 << 16]).expect("written");
    let fifo = directory.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    let port = Reserved::new();
    let mut proxy = tokio::process::Command::new(binary())
        .args(["proxy", "--upstream", &mock.url(), "--port"])
        .arg(port.port().to_string())
        .env_clear()
        .env("MASK_AUDIT_PATH", &fifo)
        .current_dir(directory.path())
        .stdout(full)
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the proxy starts");
    while TcpStream::connect(("127.0.0.1", port.port())).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Ten times the capacity of a pipe, in the trail and in the log.
    let mut client = Client::connect(&port.url()).await;
    let request = Schema::ChatStyle.request("echo", &Values::of(54).to_string(), false);
    for _ in 0..1000 {
        let path = Schema::ChatStyle.path();
        let body = request.to_string();
        let reply = client.request("POST", path, &[], body.as_bytes()).await;
        assert_eq!(reply.status, 200);
    }
    drop(client);
    signals::send(Signal::TERM, proxy.id().expect("it runs"));
    let ended = tokio::time::timeout(Duration::from_secs(20), proxy.wait()).await;
    assert!(ended.expect("it ends").is_ok_and(|status| status.success()));
}

/// Decisions, 7.14.
#[tokio::test]
async fn the_first_lines_show_the_main_settings() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml("policy: {type: strict, allowed: [EMAIL]}");
    for (options, mode, masked) in [
        (
            ProxyOptions::default(),
            "transparent",
            "everything that is detected, as tokens",
        ),
        (options.flag("--gateway"), "gateway", "except PHONE"),
    ] {
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let audit = proxy.directory().join("audit.log");
        for line in [
            format!("listening on {}\n", proxy.url()),
            format!("\nforwards to  {}\n", mock.url()),
            format!("\nmode         {mode}"),
            format!("\naudit trail  {}\n", audit.display()),
        ] {
            proxy.prints(&line).await;
        }
        let printed = proxy.printed();
        let masks = printed
            .lines()
            .find(|line| line.starts_with("masks        "));
        assert!(masks.is_some_and(|line| line.contains(masked)), "{printed}");
    }
}

/// With a typing error in its path, the trail once went into a new folder without a word.
#[tokio::test]
async fn a_new_folder_for_the_audit_trail_is_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    let trail = directory.path().join("new/audit.log");
    let options = ProxyOptions::default().env("MASK_AUDIT_PATH", &trail.display().to_string());
    let proxy = Proxy::start_with("http://127.0.0.1:9", &options).await;
    let line = format!("\naudit trail  {} (in a new folder)\n", trail.display());
    proxy.prints(&line).await;
}

/// Start-up errors are one line, and no banner comes before it.
#[tokio::test]
async fn a_failed_start_explains_itself_in_one_line() {
    let mock = Mock::start().await;
    let taken = mock.url().rsplit(':').next().expect("a port").to_owned();
    for (flags, code) in [
        (
            vec![
                "proxy",
                "--upstream",
                "http://127.0.0.1:9",
                "--port",
                &taken,
            ],
            1,
        ),
        (vec!["proxy", "--upstream", "no url", "--port", "0"], 1),
        (
            vec![
                "proxy",
                "--upstream",
                "http://127.0.0.1:9",
                "--port",
                "70000",
            ],
            2,
        ),
        (vec!["proxy", "--no-such-flag"], 2),
    ] {
        let (status, stdout, stderr) = maskproxy(&flags, "").await;
        assert_eq!(status, Some(code), "{flags:?}: {stderr}");
        let one_line = stderr.starts_with("Error: ") && stderr.trim_end().lines().count() == 1;
        assert!(code == 2 || one_line, "{flags:?}: {stderr}");
        assert_eq!(stdout, "", "{flags:?}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    for (flag, more) in [
        ("--port", None),
        ("--ui", Some("--port")),
        ("--guardrail", Some("--port")),
    ] {
        let mut flags = vec!["proxy", flag, &taken];
        flags.extend(more.into_iter().flat_map(|flag| [flag, "0"]));
        let (status, _, stderr) = maskproxy(&flags, "").await;
        assert_eq!(status, Some(1), "{stderr}");
        let expected = format!("the port is in use, choose another ({flag})");
        assert!(stderr.contains(&expected), "{stderr}");
    }
}

/// Case 303.
#[tokio::test]
async fn an_unwritable_audit_path_is_described_in_words() {
    for (path, reason) in [
        ("/proc", "is a directory"),
        ("/dev/null/audit.log", "not a directory"),
        ("/proc/no/such.log", "no such file or directory"),
    ] {
        let environment = [("MASK_AUDIT_PATH", path)];
        let (status, stdout, stderr) =
            maskproxy_with(&["proxy", "--port", "0"], &environment, "").await;
        assert_eq!((status, stdout.as_str()), (Some(1), ""), "{stderr}");
        let line = stderr.trim_end();
        assert!(
            line.starts_with("Error: can't open the audit file")
                && line.contains(path)
                && line.contains(reason)
                && !line.contains("os error")
                && line.lines().count() == 1,
            "{line}"
        );
    }
}
