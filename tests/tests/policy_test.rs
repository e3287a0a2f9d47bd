//! `maskproxy policy test`, beside the proxy.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, maskproxy};

const MAIL: &str = "alice@example.com";
const PHONE: &str = "+49 30 901820";
const CHAT: &str = "/v1/chat/completions";
const MESSAGES: &str = "/v1/messages";

/// A proxy and the test of its configuration.
struct Both {
    mock: Mock,
    proxy: Proxy,
    _folder: tempfile::TempDir,
    file: String,
}

/// Whether the mail and the phone number reach the provider.
type Passing = [bool; 2];

impl Both {
    async fn start(yaml: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("maskproxy.yaml");
        std::fs::write(&file, yaml).expect("written");
        let mock = Mock::start().await;
        Self {
            proxy: Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(yaml)).await,
            file: file.to_str().expect("a path").to_owned(),
            mock,
            _folder: folder,
        }
    }

    /// What passes, on which the test and the proxy agree.
    async fn passes(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Passing {
        let tested = self.tested(path, headers, body).await;
        assert_eq!(
            self.sent(path, headers, body).await,
            tested,
            "{path} {headers:?} {body}"
        );
        tested
    }

    async fn tested(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Passing {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let headers = headers.iter().flat_map(|header| ["-H", header]);
        let command = ["policy", "test", &self.file, "-", "--path", path];
        let command: Vec<_> = command.into_iter().chain(headers).collect();
        let (code, tested, error) = maskproxy(&command, body).await;
        if error.contains("is not routed") {
            return [true; 2];
        }
        assert_eq!(code, Some(0), "{error}");
        ["EMAIL", "PHONE"].map(|entity| {
            let mut lines = tested
                .lines()
                .filter(|line| line.contains(&format!(" {entity} ")));
            lines.any(|line| line.starts_with("passes"))
        })
    }

    async fn sent(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Passing {
        let mut client = Client::connect(&self.proxy.url()).await;
        client.request("POST", path, headers, body.as_bytes()).await;
        let sent = self.mock.last();
        let sent = format!("{} {}", sent.target, String::from_utf8_lossy(&sent.body));
        [MAIL, PHONE].map(|value| sent.contains(value) || sent.contains(&value.replace('@', "%40")))
    }
}

fn says(text: &str) -> String {
    let message = json!({"role": "user", "content": text});
    json!({"model": "echo", "max_tokens": 9, "messages": [message]}).to_string()
}

async fn key_entry(name: &str, key: &str) -> String {
    let (code, entry, _) = maskproxy(&["key", "add", name], &format!("{key}\n")).await;
    assert_eq!(code, Some(0));
    entry
}

/// The test ignored keys in headers, and paths that only `unrouted: mask` masks.
#[tokio::test]
async fn policy_test_predicts_what_the_proxy_does() {
    let entry = key_entry("team-a", "sk-team-a").await;
    let both = Both::start(&format!(
        "{entry}proxy: {{unrouted: mask}}\npolicy.rules:\n  - {{header: {{x-zone: seen}}, shadow: true}}\n  \
         - {{key: team-a, mask: none}}\n  - {{header: {{x-zone: lax}}, mask: [PHONE]}}\n  \
         - {{model: local-*, mask: none}}\n"
    ))
    .await;
    let body = says(&format!("{MAIL} {PHONE}"));
    assert_eq!(both.passes(CHAT, &[], &body).await, [false, false]);
    for key in [
        ("x-api-key", "sk-team-a"),
        ("api-key", "sk-team-a"),
        ("x-goog-api-key", "sk-team-a"),
        ("Authorization", "Bearer sk-team-a"),
    ] {
        assert_eq!(
            both.passes(CHAT, &[key], &body).await,
            [true, true],
            "{key:?}"
        );
    }
    let by_query = format!("{CHAT}?key=sk-team-a");
    assert_eq!(both.passes(&by_query, &[], &body).await, [true, true]);
    let two = [
        ("x-api-key", "sk-team-a"),
        ("authorization", "Bearer sk-other"),
    ];
    assert_eq!(both.passes(CHAT, &two, &body).await, [false, false]);
    let lax = [("x-zone", "lax")];
    assert_eq!(both.passes(CHAT, &lax, &body).await, [true, false]);
    let seen = [("x-zone", "seen")];
    assert_eq!(both.passes(MESSAGES, &seen, &body).await, [true, true]);
    assert_eq!(both.passes("/no/route", &[], &body).await, [false, false]);
    assert_eq!(both.passes("/no/route", &lax, &body).await, [true, false]);
    let image = [("content-type", "image/png")];
    let masked = both.passes("/no/route", &image, &body).await;
    assert_eq!(masked, [false, false], "it says that it is an image");
    let upload = [("content-type", "multipart/form-data; boundary=x")];
    assert_eq!(both.passes("/v1/files", &upload, &body).await, [true, true]);
    // A value in the query is known in the body, whatever rule applies there.
    let asks = format!("{CHAT}?q=alice%40example.com");
    assert_eq!(both.passes(&asks, &[], &body).await, [false, false]);
}

/// The whole was called masked.
#[tokio::test]
async fn a_partly_masked_value_counts_as_passing() {
    let both = Both::start(
        "detector: {patterns: {TICKET: 'TCK-\\d+', CASE: 'case TCK-\\d+ of \\w+'}}\n\
         policy.rules: [{schema: messages_style, mask: [TICKET]}]\n",
    )
    .await;
    let body = says("case TCK-1234 of Bluebird");
    both.passes(MESSAGES, &[], &body).await;
    let sent = both.mock.last().text();
    assert!(
        !sent.contains("TCK-1234") && sent.contains(" of Bluebird"),
        "{sent}"
    );
    let command = ["policy", "test", &both.file, "-", "--path", MESSAGES];
    let (_, tested, _) = maskproxy(&command, &body).await;
    assert!(tested.contains("passes    1 CASE"), "{tested}");
    assert!(tested.contains("masked    1 TICKET"), "{tested}");
}

#[tokio::test]
async fn an_unrouted_path_is_tested_as_the_proxy_treats_it() {
    let both = Both::start("policy: [{role: tool, mask: none}]").await;
    let body = says(&format!("{MAIL} {PHONE}"));
    assert_eq!(both.passes("/no/route", &[], &body).await, [true, true]);
    let test = async |path: &str, more: &[&str]| {
        let command = ["policy", "test", &both.file, "-", "--path", path];
        maskproxy(&[&command, more].concat(), &body).await
    };
    let (code, _, error) = test("/no/route", &[]).await;
    assert_eq!(code, Some(2));
    assert!(error.contains("/no/route is not routed"), "{error}");
    let (_, _, error) = test("/health", &[]).await;
    assert!(
        error.contains("the proxy answers /health itself"),
        "{error}"
    );
    let (code, _, error) = test(MESSAGES, &["-H", "content-encoding: gzip"]).await;
    assert_eq!(code, Some(1));
    assert!(
        error.contains("the proxy refuses the request: the request body is compressed"),
        "{error}"
    );

    let both = Both::start("policy: [{role: tool, mask: none}]\nproxy: {unrouted: refuse}").await;
    let command = ["policy", "test", &both.file, "-", "--path", "/no/route"];
    let (_, _, error) = maskproxy(&command, &body).await;
    assert!(
        error.contains("the proxy refuses the request: its path is not routed"),
        "{error}"
    );
}

/// Every body was tested as a chat completion.
#[tokio::test]
async fn a_missing_path_is_inferred_or_required() {
    let both = Both::start("policy: [{schema: messages_style, mask: none}]").await;
    let test = async |body: Value| {
        let command = ["policy", "test", &both.file, "-"];
        maskproxy(&command, &body.to_string()).await
    };
    let message = json!({"role": "user", "content": MAIL});
    let (_, tested, _) = test(json!({"model": "a", "messages": [message]})).await;
    assert!(
        tested.starts_with("/v1/chat/completions (assumed by the body): chat_style"),
        "{tested}"
    );
    assert!(tested.contains("masked    1 EMAIL"), "{tested}");
    let (_, tested, _) = test(json!({"model": "a", "system": "b", "messages": [message]})).await;
    assert!(
        tested.starts_with("/v1/messages (assumed by the body)"),
        "{tested}"
    );
    assert!(tested.contains("passes    1 EMAIL"), "{tested}");
    let (_, tested, _) = test(json!({"model": "a", "input": [message]})).await;
    assert!(
        tested.starts_with("/v1/responses (assumed by the body)"),
        "{tested}"
    );
    for unclear in [
        json!({"model": "a", "max_tokens": 9, "messages": [message]}),
        json!({"contents": [{"parts": [{"text": MAIL}]}]}),
    ] {
        let (code, _, error) = test(unclear).await;
        assert_eq!(code, Some(2));
        assert!(error.contains("--path"), "{error}");
    }
}

#[tokio::test]
async fn a_key_is_given_by_its_name_or_by_a_header() {
    let entry = key_entry("team-a", "sk-team-a").await;
    let both = Both::start(&format!(
        "{entry}policy.rules: [{{key: team-a, mask: none}}]\n"
    ))
    .await;
    let test = async |more: &[&str]| {
        let command = ["policy", "test", &both.file, "-", "--path", CHAT];
        maskproxy(&[&command, more].concat(), &says(MAIL)).await
    };
    let (_, tested, _) = test(&["--key", "team-a"]).await;
    assert!(tested.contains("passes    1 EMAIL"), "{tested}");
    let (code, _, error) = test(&["--key", "team-a", "-H", "x-api-key: sk-other"]).await;
    assert_eq!(code, Some(2));
    assert!(error.contains("use one of them"), "{error}");
    let (_, tested, _) = test(&["-H", "x-api-key: sk-team-a"]).await;
    assert!(!tested.contains("sk-team-a"), "{tested}");
}
