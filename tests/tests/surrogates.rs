//! Operator `surrogate`: the provider reads plausible values, the client the real ones.

use serde_json::{Value, json};
use tests::{Client, Ending, Mock, Proxy, ProxyOptions, Reply, Schema, maskproxy};

const LETTER: &str = "Dear Anna Schmidt, please call +44 20 7946 1234, write to anna.schmidt@firma.de \
    or pay DE89 3704 0044 0532 0130 00. The password = \"Kx9-hunter2-tr0ub\" is yours.";
const REAL: [&str; 6] = [
    "Anna",
    "Schmidt",
    "7946 1234",
    "firma",
    "3704 0044",
    "hunter2",
];

const NAMED: (&str, &str) = ("x-mask-session", "letters");

fn options() -> ProxyOptions {
    ProxyOptions::default().yaml("operator: surrogate\n")
}

async fn ask(proxy: &Proxy, model: &str, text: &str) -> Reply {
    let body = Schema::ChatStyle.request(model, text, false).to_string();
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", "/v1/chat/completions", &[NAMED], body.as_bytes())
        .await
}

/// What the provider got last.
fn seen(mock: &Mock) -> String {
    let text = mock.last().everything();
    for real in REAL {
        assert!(!text.contains(real), "{real} in {text}");
    }
    text
}

#[tokio::test]
async fn surrogates_go_out_and_values_come_back_whole() {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &options()).await;
    for schema in Schema::ALL {
        for (model, stream) in [("echo", false), ("echo/1", true), ("echo/7", true)] {
            let request = schema.request(model, LETTER, stream);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;
            let seen = seen(&mock);
            assert!(seen.contains("@example."), "{seen}");
            assert!(
                seen.contains("<MASK_SECRET_"),
                "secrets stay tokens: {seen}"
            );
            assert!(!seen.contains("<MASK_P"), "{seen}");
            let shown = schema.reply_text(&reply.text());
            assert_eq!(shown, LETTER, "{schema:?} {model}");
            assert_eq!((reply.status, reply.ending), (200, Ending::Clean));
        }
    }
}

/// The proxy's own key was another after the restart.
#[tokio::test]
async fn a_stored_session_continues_after_a_restart() {
    let mock = Mock::start().await;
    let vault = tempfile::tempdir().expect("a directory");
    let dsn = vault.path().join("s.db").display().to_string();
    let yaml = format!("operator: surrogate\nvault: {{type: sqlite, dsn: '{dsn}'}}\n");
    let options = ProxyOptions::default().yaml(&yaml);
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    ask(&proxy, "echo", LETTER).await;
    let first = seen(&mock);
    let (_, last) = first.split_once("Dear ").expect("the letter");
    let (name, _) = last.split_once(',').expect("a name");
    let (_, last) = name.split_once(' ').expect("two names");
    proxy.stop().await;

    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let reply = ask(&proxy, "echo", "Ms Schmidt and Schmidt's car").await;
    let answer = format!("Ms {last} and {last}'s car");
    assert!(seen(&mock).contains(&answer), "the same surrogate");
    let shown = Schema::ChatStyle.reply_text(&reply.text());
    assert_eq!(shown, "Ms Schmidt and Schmidt's car");
    ask(&proxy, "echo", LETTER).await;
    assert!(seen(&mock).contains(name), "the same surrogate");
}

/// In such history a surrogate may stand for another value.
#[tokio::test]
async fn unknown_history_gets_only_tokens() {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &options()).await;
    let body = json!({"model": "echo", "input": LETTER, "previous_response_id": "resp_unknown"});
    let reply = Client::post(&proxy.url(), "/v1/responses", &body).await;
    let seen = seen(&mock);
    assert!(
        seen.contains("<MASK_PERSON_") && !seen.contains("@example."),
        "{seen}"
    );
    assert_eq!(Schema::Responses.reply_text(&reply.text()), LETTER);
}

#[tokio::test]
async fn doctor_passes_with_surrogates() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("config.yaml");
    std::fs::write(&path, "operator: surrogate\naudit: {enabled: false}\n").expect("written");
    let path = path.display().to_string();
    let (status, stdout, _) = maskproxy(&["doctor", "--json", "-c", &path], "").await;
    assert_eq!(status, Some(0), "{stdout}");
    let report: Value = serde_json::from_str(&stdout).expect("JSON");
    assert!(!report.to_string().contains("failed"), "{report}");
}
