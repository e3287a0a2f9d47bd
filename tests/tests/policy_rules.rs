//! Policy rules, by request and by text.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, maskproxy};

const MAIL: &str = "alice@example.com";
const OTHER: &str = "bob@example.org";
const PHONE: &str = "+49 30 901820";

async fn start(mock: &Mock, yaml: &str) -> Proxy {
    Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(yaml)).await
}

/// What the provider gets of a request.
async fn forwarded(proxy: &Proxy, mock: &Mock, headers: &[(&str, &str)], body: &Value) -> String {
    let mut client = Client::connect(&proxy.url()).await;
    let text = body.to_string();
    let reply = client
        .request("POST", "/v1/messages", headers, text.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    mock.last().json().to_string()
}

fn says(text: &str) -> Value {
    asks("echo", text)
}

fn asks(model: &str, text: &str) -> Value {
    json!({"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": text}]})
}

fn agent(tool: &str, result: &str, user: &str) -> Value {
    json!({"model": "echo", "max_tokens": 9, "messages": [
        {"role": "user", "content": user},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": tool, "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": result}]},
    ]})
}

#[tokio::test]
async fn role_and_tool_rules_apply_per_text_except_known_values() {
    let mock = Mock::start().await;
    let yaml = "policy:\n  - {name: search, tool: search_*, mask: none}\n  - {role: tool, mask: [PHONE]}\n";
    let proxy = start(&mock, yaml).await;
    let body = agent("search_web", &format!("{OTHER} {PHONE}"), MAIL);
    let text = forwarded(&proxy, &mock, &[], &body).await;
    assert!(text.contains(OTHER) && text.contains(PHONE), "{text}");
    assert!(!text.contains(MAIL), "{text}");

    let body = agent("read", &format!("{OTHER} {PHONE}"), MAIL);
    let text = forwarded(&proxy, &mock, &[], &body).await;
    assert!(text.contains(OTHER) && !text.contains(PHONE), "{text}");

    // A value that the user's text reveals is masked in the result too.
    let body = agent("search_web", &format!("{MAIL} {OTHER}"), MAIL);
    let text = forwarded(&proxy, &mock, &[], &body).await;
    assert!(!text.contains(MAIL) && text.contains(OTHER), "{text}");

    // A result without its call may be of any tool: the stricter rule applies.
    let mut body = agent("search_web", &format!("{OTHER} {PHONE}"), "hi");
    body["messages"].as_array_mut().expect("messages").remove(1);
    let text = forwarded(&proxy, &mock, &[], &body).await;
    assert!(text.contains(OTHER) && !text.contains(PHONE), "{text}");

    let lines = proxy.audited("proxy.request", 4).await;
    assert_eq!(lines[0]["policy_rules"], "search,policy.rules[1]");
}

#[tokio::test]
async fn rules_match_models_headers_keys_routes_and_schemas() {
    let (code, entry, _) = maskproxy(&["key", "add", "team-a"], "sk-team-a\n").await;
    assert_eq!(code, Some(0));
    assert!(!entry.contains("sk-team-a"), "{entry}");
    let mock = Mock::start().await;
    let yaml = format!(
        "{entry}policy.rules:\n  - {{key: team-a, mask: none}}\n  - {{model: local-*, mask: none}}\n  \
         - {{header: {{x-zone: inside}}, mask: [PHONE]}}\n  - {{route: /v1/chat/*, schema: chat_style, mask: none}}\n"
    );
    let proxy = start(&mock, &yaml).await;
    let both = format!("{MAIL} {PHONE}");
    let leaves = async |headers: &[(&str, &str)], body: Value| {
        let text = forwarded(&proxy, &mock, headers, &body).await;
        (text.contains(MAIL), text.contains(PHONE))
    };
    assert_eq!(leaves(&[], says(&both)).await, (false, false));
    for key in [
        ("x-api-key", "sk-team-a"),
        ("authorization", "Bearer sk-team-a"),
    ] {
        assert_eq!(leaves(&[key], says(&both)).await, (true, true));
    }
    let stranger = [("x-api-key", "sk-team-b")];
    assert_eq!(leaves(&stranger, says(&both)).await, (false, false));
    let two = [
        ("x-api-key", "sk-team-a"),
        ("authorization", "Bearer sk-other"),
    ];
    assert_eq!(leaves(&two, says(&both)).await, (false, false));
    assert_eq!(leaves(&[], asks("local-7b", &both)).await, (true, true));
    assert_eq!(
        leaves(&[("x-zone", "inside")], says(&both)).await,
        (true, false)
    );
    let twice = [("x-zone", "inside"), ("x-zone", "outside")];
    assert_eq!(leaves(&twice, says(&both)).await, (false, false));

    // A model that is named twice may be either.
    let text = format!(
        r#"{{"model":"local-7b","model":"echo","max_tokens":9,"messages":[{{"role":"user","content":"{both}"}}]}}"#
    );
    let mut client = Client::connect(&proxy.url()).await;
    let reply = client
        .request("POST", "/v1/messages", &[], text.as_bytes())
        .await;
    assert_eq!(reply.status, 200);
    assert!(!mock.last().json().to_string().contains(MAIL));

    let chat = json!({"model": "echo", "messages": [{"role": "user", "content": both}]});
    let reply = Client::post(&proxy.url(), "/v1/chat/completions", &chat).await;
    assert_eq!(reply.status, 200);
    assert!(mock.last().json().to_string().contains(MAIL));
    let written = proxy.written();
    assert!(!written.contains("sk-team"), "{written}");
}

#[tokio::test]
async fn a_session_value_stays_masked_under_a_laxer_rule() {
    let mock = Mock::start().await;
    let yaml = "policy:\n  - {header: {x-zone: inside}, mask: none}\nsession: {strategy: client}\n";
    let proxy = start(&mock, yaml).await;
    let team = ("x-mask-session", "team");
    forwarded(&proxy, &mock, &[team], &says(MAIL)).await;
    let lax = [team, ("x-zone", "inside")];
    let text = forwarded(&proxy, &mock, &lax, &says(&format!("{MAIL} {OTHER}"))).await;
    assert!(!text.contains(MAIL) && text.contains(OTHER), "{text}");
    // A value that passed once is masked where the rule does not match.
    let text = forwarded(&proxy, &mock, &[team], &says(OTHER)).await;
    assert!(!text.contains(OTHER), "{text}");
}

#[tokio::test]
async fn a_rule_can_redact_or_pass_a_whole_request() {
    let mock = Mock::start().await;
    let yaml = "policy:\n  - {header: {x-zone: seen}, shadow: true}\n  - {model: cheap-*, operator: redact}\n";
    let proxy = start(&mock, yaml).await;
    let text = forwarded(&proxy, &mock, &[], &asks("cheap-1", MAIL)).await;
    assert!(text.contains("[REDACTED_EMAIL]"), "{text}");
    let text = forwarded(&proxy, &mock, &[], &says(MAIL)).await;
    assert!(text.contains("<MASK_EMAIL_1>"), "{text}");
    let text = forwarded(&proxy, &mock, &[("x-zone", "seen")], &says(MAIL)).await;
    assert!(text.contains(MAIL), "{text}");
    let lines = proxy.audited("shadow.detected", 1).await;
    assert_eq!(lines[0]["entity_counts"], json!(["EMAIL:1"]));
    assert_eq!(lines[0]["policy_rules"], "policy.rules[0]");
    let requests = proxy.audited("proxy.request", 3).await;
    let shadowed = requests.iter().filter(|line| line["shadow"] == true);
    assert_eq!(shadowed.count(), 1);
}

#[tokio::test]
async fn a_request_is_explained_rule_by_rule_and_value_by_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("maskproxy.yaml");
    let yaml = "policy:\n  - {name: trial, header: {x-zone: seen}, shadow: true}\n  \
                - {name: search, tool: search_*, mask: [EMAIL]}\n  - {name: local, model: local-*, mask: none}\n";
    std::fs::write(&file, yaml).expect("written");
    let file = file.to_str().expect("a path");
    let result = format!("{PHONE} +49 30 901877 {OTHER}");
    let body = agent("search_web", &result, &format!("{MAIL} {PHONE}")).to_string();
    let explain = async |more: &[&str]| {
        let command = ["policy", "test", file, "-", "--path", "/v1/messages"];
        maskproxy(&[&command, more].concat(), &body).await
    };
    let (code, forwarded, error) = explain(&[]).await;
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(
        forwarded,
        "/v1/messages: messages_style by /v1/messages, model echo\n\n\
         rule trial   no: another header\n\
         rule search  texts with its roles and tools\n\
         rule local   no: another model\n\n\
         masked    1 EMAIL  messages[user].content  by policy default\n\
         masked    1 PHONE  messages[user].content  by policy default\n\
         masked    1 PHONE  messages[user].content[tool_result].content  known from another text\n\
         passes    1 PHONE  messages[user].content[tool_result].content  by rule search\n\
         masked    1 EMAIL  messages[user].content[tool_result].content  by rule search\n"
    );
    let (_, forwarded, _) = explain(&["-H", "X-Zone: seen"]).await;
    assert!(forwarded.contains("rule trial   whole\n"), "{forwarded}");
    assert!(!forwarded.contains("masked"), "{forwarded}");

    let (code, _, error) = explain(&["--key", "nobody"]).await;
    assert_eq!(code, Some(2));
    assert!(error.contains("policy.keys has no key nobody"), "{error}");
    let (code, _, error) =
        maskproxy(&["policy", "test", file, "-", "--path", "/files"], &body).await;
    assert_eq!(code, Some(2));
    assert!(error.contains("/files is not routed"), "{error}");
}
