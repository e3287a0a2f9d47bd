//! `audit tail` and `audit stats`, with files that grow, are truncated, moved and recreated.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, Schema, binary, maskproxy};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// A directory with a trail of these lines.
fn trail(text: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit.log");
    fs::write(&path, text).expect("a file");
    (directory, path)
}

fn event(name: &str, number: u32) -> String {
    format!(
        "{{\"version\":1,\"ts\":\"2026-03-01T10:00:00.{number:03}Z\",\"epoch\":1772359200.{number:03},\
         \"event\":\"{name}\",\"request_id\":\"req_{number:012}\",\"session_id\":\"ses_7\",\"source\":\"header\"}}\n"
    )
}

async fn run(arguments: &[&str], path: &Path) -> (String, String) {
    let mut arguments = arguments.to_vec();
    arguments.push(path.to_str().expect("UTF-8"));
    let (status, printed, errors) = maskproxy(&arguments, "").await;
    assert_eq!(status, Some(0), "{errors}");
    (printed, errors)
}

#[tokio::test]
async fn a_real_trail_reads_as_text_lines_in_order() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let request = Schema::MessagesStyle.request("echo", "to alice@example.com", false);
    Client::post(&proxy.url(), "/v1/messages", &request).await;
    proxy.audited("session.deleted", 1).await;
    let (_directory, path) = trail(&proxy.audit_text());

    let (printed, errors) = run(&["audit", "tail", "--no-follow"], &path).await;
    assert_eq!(errors, format!("audit trail  {}\n", path.display()));
    let events: Vec<_> = printed
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .collect();
    let names: Vec<_> = events.iter().map(|words| words[1]).collect();
    let written: Vec<_> = proxy
        .audit()
        .iter()
        .map(|line| line["event"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, written);
    for words in &events {
        assert_eq!(words[0].len(), "2026-03-01T10:00:00.000Z".len());
        assert!(words[2].starts_with("req_") && words[3].starts_with("ses_"));
        assert!(
            words[4..].iter().all(|pair| pair.contains('=')),
            "{words:?}"
        );
    }
    assert!(
        printed.contains(" entity_counts=EMAIL:1 transformations=1 findings=EMAIL/messages[user].content/email/1\n"),
        "{printed}"
    );

    let (json, errors) = run(&["audit", "tail", "--no-follow", "--json"], &path).await;
    assert_eq!((json, &*errors), (proxy.audit_text(), ""));

    for command in ["stats", "report"] {
        let (printed, _) = run(&["audit", command], &path).await;
        let heading = format!("audit trail  {}\n", path.display());
        assert!(printed.starts_with(&heading), "{printed}");
    }

    let (stats, _) = run(&["audit", "stats", "--json"], &path).await;
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["entities"]["EMAIL"], 1);
    assert_eq!(
        (&stats["masked"], &stats["restored"]),
        (&1.into(), &1.into())
    );
    assert_eq!(stats["statuses"]["200"], 1);
    assert_eq!(stats["unreadable"], 0);
}

#[tokio::test]
async fn the_configured_trail_is_read_when_none_is_named() {
    let (_directory, path) = trail(&event("session.created", 1));
    let run = |arguments: &'static [&'static str]| {
        let path = path.clone();
        async move {
            let output = Command::new(binary())
                .args(arguments)
                .env_clear()
                .env("MASK_AUDIT_PATH", path)
                .output()
                .await
                .expect("it runs");
            String::from_utf8(output.stdout).expect("UTF-8")
        }
    };
    assert!(
        run(&["audit", "tail", "--no-follow"])
            .await
            .contains("session.created")
    );
    assert!(run(&["audit", "stats"]).await.contains("session.created"));
}

#[tokio::test]
async fn foreign_lines_are_shown_with_control_characters_escaped() {
    let bad = "not json \u{1b}[2J ñ\n[1]\n";
    let (_directory, path) = trail(&format!("{}{bad}{}", event("a", 1), event("b", 2)));
    let (printed, _) = run(&["audit", "tail", "--no-follow"], &path).await;
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines[1..3], ["not json \\u{1b}[2J ñ", "[1]"]);
    assert_eq!(lines.len(), 4);

    let (json, errors) = run(&["audit", "tail", "--no-follow", "--json"], &path).await;
    assert_eq!(json, event("a", 1) + &event("b", 2));
    assert_eq!(errors, "not json \\u{1b}[2J ñ\n[1]\n");

    let (stats, _) = run(&["audit", "stats"], &path).await;
    assert!(stats.contains("2 lines skipped: not events"), "{stats}");
}

#[tokio::test]
async fn an_incomplete_last_line_is_not_printed() {
    let (_directory, path) = trail(&(event("a", 1) + event("b", 2).trim_end()));
    let (printed, _) = run(&["audit", "tail", "--no-follow"], &path).await;
    assert_eq!(printed.lines().count(), 1);
}

#[tokio::test]
async fn tail_prints_only_the_requested_last_lines() {
    let text: String = (0..20).map(|number| event("a", number)).collect();
    let (_directory, path) = trail(&text);
    let (printed, _) = run(&["audit", "tail", "--no-follow", "-n", "2"], &path).await;
    let lines: Vec<_> = printed.lines().collect();
    assert!(lines[0].contains("req_000000000018") && lines[1].contains("req_000000000019"));
    assert_eq!(lines.len(), 2);
}

#[tokio::test]
async fn stats_count_only_events_since_the_given_time() {
    let at = |ago: i64| {
        let ts = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(ago);
        // `epoch` does not count.
        format!("{{\"ts\":\"{ts:.3}\",\"epoch\":0,\"event\":\"proxy.request\",\"status\":200}}\n")
    };
    let (_directory, path) = trail(&(at(60) + &at(7200) + &at(200_000)));
    for (since, lines) in [("30m", 1), ("12h", 2), ("1w", 3)] {
        let (stats, _) = run(&["audit", "stats", "--json", "--since", since], &path).await;
        let stats: Value = serde_json::from_str(&stats).expect("JSON");
        assert_eq!(stats["lines"], lines, "{since}");
    }
    let (status, _, errors) = maskproxy(&["audit", "stats", "--since", "yesterday"], "").await;
    assert_eq!(status, Some(2));
    assert!(errors.contains("30s, 30m, 12h, 7d or 2w"), "{errors}");
}

/// Counts of a foreign file once wrapped around.
#[tokio::test]
async fn overflowing_counts_saturate() {
    let most = u64::MAX;
    let line = format!(
        "{{\"ts\":\"2026-11-21T00:00:00Z\",\"event\":\"session.transform\",\
         \"transformations\":{most},\"entity_counts\":[\"EMAIL:{most}\"]}}\n"
    );
    let (_directory, path) = trail(&line.repeat(2));
    let (stats, _) = run(&["audit", "stats", "--json"], &path).await;
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(
        (&stats["masked"], &stats["entities"]["EMAIL"]),
        (&most.into(), &most.into())
    );
}

#[tokio::test]
async fn a_missing_trail_gets_one_line_with_advice() {
    for command in ["tail", "stats"] {
        let (status, printed, errors) = maskproxy(&["audit", command], "").await;
        assert_eq!((status, printed.as_str()), (Some(1), ""));
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(
            errors.starts_with("Error: ") && errors.contains("MASK_AUDIT_PATH"),
            "{errors}"
        );
    }
}

/// A tail that follows.
struct Following {
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Following {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(binary())
            .args(["audit", "tail"])
            .arg(path)
            .env_clear()
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it starts");
        let out = child.stdout.take().expect("a pipe");
        Self {
            lines: BufReader::new(out).lines(),
            _child: child,
        }
    }

    async fn next(&mut self) -> String {
        let line = timeout(Duration::from_secs(20), self.lines.next_line()).await;
        line.expect("a line in time")
            .expect("a pipe")
            .expect("a line")
    }

    async fn expect(&mut self, name: &str) {
        let line = self.next().await;
        assert_eq!(line.split(' ').nth(1), Some(name), "{line}");
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

#[tokio::test]
async fn a_followed_file_may_be_truncated_moved_or_recreated() {
    let (directory, path) = trail(&event("there.already", 1));
    let mut tail = Following::start(&path);
    tail.expect("there.already").await;

    let whole = event("in.two.pieces", 2);
    let (front, back) = whole.split_at(40);
    append(&path, front);
    sleep(Duration::from_millis(500)).await;
    append(&path, back);
    tail.expect("in.two.pieces").await;

    // Copy and truncate, with a line that never got its end.
    append(&path, "{\"event\":\"cut");
    sleep(Duration::from_millis(500)).await;
    fs::write(&path, "").expect("truncated");
    append(&path, &event("after.truncation", 3));
    tail.expect("after.truncation").await;

    // Moved away, the proxy still writing to it.
    let moved = directory.path().join("audit.log.1");
    fs::rename(&path, &moved).expect("moved");
    append(&moved, &event("in.the.moved.file", 4));
    tail.expect("in.the.moved.file").await;
    append(&moved, &event("last.of.the.moved.file", 5));
    append(&path, &event("in.the.new.file", 6));
    tail.expect("last.of.the.moved.file").await;
    tail.expect("in.the.new.file").await;
    append(&path, &event("and.on", 7));
    tail.expect("and.on").await;
}
