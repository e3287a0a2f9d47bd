//! History that the provider holds: a client never gets another value than the token had when the
//! provider saw it (cases W1 to W3).

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, ProxyOptions, Redis, Reply, Schema, Values};

const ALICE: (&str, &str) = ("authorization", "Bearer alice");
const BOB: (&str, &str) = ("authorization", "Bearer bob");

/// The texts of turns: words that no detector finds.
const QUESTION: &str = "and the first one?";

async fn proxy(mock: &Mock, options: &[(&str, &str)]) -> Proxy {
    let options = options
        .iter()
        .fold(ProxyOptions::default(), |options, (name, value)| {
            options.env(name, value)
        });
    Proxy::start_with(&mock.url(), &options).await
}

/// A configuration with a vault in a file.
fn sqlite(directory: &TempDir) -> String {
    let config = directory.path().join("config.yaml");
    let path = directory.path().join("vault.db");
    let text = format!("vault: {{type: sqlite, dsn: {}}}\n", path.display());
    std::fs::write(&config, text).expect("a configuration");
    config.display().to_string()
}

async fn send(proxy: &Proxy, headers: &[(&str, &str)], body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    let path = Schema::Responses.path();
    let reply = client.request("POST", path, headers, body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

fn turn(model: &str, text: &str, members: &Value) -> Value {
    let mut body = json!({"model": model, "input": [{"role": "user", "content": text}]});
    for (name, value) in members.as_object().expect("members") {
        body[name] = value.clone();
    }
    body
}

/// The reply as an object, of a stream its last one.
fn response(reply: &Reply) -> Value {
    let text = reply.text();
    if let Ok(whole) = serde_json::from_str(&text) {
        return whole;
    }
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut events = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let completed = events.find(|event| event["type"] == "response.completed");
    completed.expect("a completed response")["response"].clone()
}

fn response_id(reply: &Reply) -> String {
    let id = response(reply)["id"].as_str().map(str::to_owned);
    id.expect("an id")
}

/// The last token in the input that the provider got.
fn token(mock: &Mock) -> String {
    let text = mock.last().json()["input"].to_string();
    let (_, rest) = text.rsplit_once("<MASK_").expect("a token");
    let (core, _) = rest.split_once('>').expect("its end");
    format!("<MASK_{core}>")
}

/// Asserts that a reply to a history with Alice's token shows her, or the token.
fn shows(reply: &Reply, right: &str, wrong: &str) {
    let text = reply.text();
    assert!(text.contains(right), "{text}");
    assert!(!text.contains(wrong), "{text}");
}

/// Case W1 and W2: in text and in the arguments of a tool, whole and streamed.
#[tokio::test]
async fn a_stored_response_continues_its_session_under_every_strategy() {
    let mock = Mock::start().await;
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy(&mock, &[("MASK_SESSION_STRATEGY", strategy)]).await;
        for (stream, script) in [
            (false, "says"),
            (true, "says"),
            (false, "calls"),
            (true, "calls"),
        ] {
            let (alice, bob) = (Values::of(500).email, Values::of(501).email);
            let members = json!({"stream": stream});
            let first = send(&proxy, &[ALICE], &turn("echo", &alice, &members)).await;
            let of_alice = token(&mock);
            let mut members =
                json!({"stream": stream, "previous_response_id": response_id(&first)});
            let model = format!("{script}/{of_alice}");
            let body = turn(&model, &bob, &members);
            let second = send(&proxy, &[ALICE], &body).await;
            assert_ne!(token(&mock), of_alice, "{strategy} {model}");
            shows(&second, &alice, &bob);
            members["previous_response_id"] = response_id(&second).into();
            let third = send(&proxy, &[ALICE], &turn(&model, QUESTION, &members)).await;
            shows(&third, &alice, &bob);
        }
    }
}

/// Case W3, and history that never was this proxy's: the token stays, and the request continues.
#[tokio::test]
async fn a_token_from_unknown_history_is_not_restored() {
    let mock = Mock::start().await;
    let bob = Values::of(502).email;
    let unknown = [
        json!({"previous_response_id": "resp_of_before"}),
        json!({"conversation": "conv_of_before"}),
        json!({"conversation": {"id": "conv_of_before"}}),
        json!({"store": false, "input": [
            {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA-before"},
            {"role": "user", "content": bob}]}),
        json!({"store": false, "input": [
            {"type": "compaction", "encrypted_content": "gAAAA-before"},
            {"role": "user", "content": bob}]}),
    ];
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy(&mock, &[("MASK_SESSION_STRATEGY", strategy)]).await;
        let named = [ALICE, ("x-mask-session", "team")];
        for headers in [&[ALICE][..], &named] {
            for (script, stream) in [("says", true), ("calls", false)] {
                for members in &unknown {
                    let mut body = turn(&format!("{script}/<MASK_EMAIL_1>"), &bob, members);
                    body["stream"] = stream.into();
                    let reply = send(&proxy, headers, &body).await;
                    shows(&reply, "MASK_EMAIL_1", &bob);
                    let first = token(&mock);
                    let again = send(&proxy, headers, &body).await;
                    assert_eq!(token(&mock), first, "the same bytes again");
                    shows(&again, "MASK_EMAIL_1", &bob);
                }
            }
        }
        let metrics = proxy.metrics().await;
        let counted = metrics
            .lines()
            .find(|line| line.starts_with("mask_unknown_histories_total "));
        assert!(!counted.expect("a metric").ends_with(" 0"), "{counted:?}");
        assert!(proxy.printed().matches("has not seen").count() <= 1);
    }
}

/// With vault redis, the log once advised to use vault redis.
#[tokio::test]
async fn advice_on_unknown_history_depends_on_the_vault() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let url = redis.url();
    let shared = [("MASK_VAULT", "redis"), ("MASK_REDIS_URL", &*url)];
    let unknown = json!({"previous_response_id": "resp_of_before"});
    for (options, advice) in [
        (&shared[..], "both need the same MASK_ANCHOR_SECRET"),
        (&[], "use vault sqlite or redis"),
    ] {
        let proxy = proxy(&mock, options).await;
        send(&proxy, &[ALICE], &turn("echo", QUESTION, &unknown)).await;
        proxy.prints(advice).await;
    }
}

/// A named session that counts is not safe for history that it does not know.
#[tokio::test]
async fn a_counting_named_session_is_not_used_for_unknown_history() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, &[]).await;
    let (alice, bob) = (Values::of(503).email, Values::of(504).email);
    let named = [ALICE, ("x-mask-session", "team")];
    send(&proxy, &named, &turn("echo", &alice, &json!({}))).await;
    let members = json!({"previous_response_id": "resp_of_before"});
    let reply = send(&proxy, &named, &turn("says/<MASK_EMAIL_1>", &bob, &members)).await;
    shows(&reply, "MASK_EMAIL_1", &alice);
    let own = send(
        &proxy,
        &named,
        &turn("says/<MASK_EMAIL_1>", QUESTION, &json!({})),
    )
    .await;
    shows(&own, &alice, &bob);
}

/// Case W3: after the session was lost, old tokens stay, and new ones mean what they mean.
#[tokio::test]
async fn a_lost_session_gives_no_wrong_value() {
    let mock = Mock::start().await;
    let (alice, bob) = (Values::of(505).email, Values::of(506).email);
    let named = [ALICE, ("x-mask-session", "team")];
    for headers in [&[ALICE][..], &named] {
        let before = proxy(&mock, &[]).await;
        let first = send(&before, headers, &turn("echo", &alice, &json!({}))).await;
        drop(before);
        let after = proxy(&mock, &[]).await;
        let members = json!({"previous_response_id": response_id(&first)});
        let reply = send(
            &after,
            headers,
            &turn("says/<MASK_EMAIL_1>", &bob, &members),
        )
        .await;
        shows(&reply, "MASK_EMAIL_1", &bob);
        let of_bob = token(&mock);
        let members = json!({"previous_response_id": response_id(&reply)});
        let body = turn(
            &format!("says/{of_bob} and <MASK_EMAIL_1>"),
            QUESTION,
            &members,
        );
        let reply = send(&after, headers, &body).await;
        shows(&reply, &bob, &alice);
        assert!(reply.text().contains("MASK_EMAIL_1"));
    }
}

/// With a persistent vault, history continues.
#[tokio::test]
async fn sqlite_sessions_continue_after_a_restart() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = sqlite(&directory);
    let options = [("MASK_CONFIG", &*config)];
    let (alice, bob) = (Values::of(507).email, Values::of(508).email);
    let mut before = proxy(&mock, &options).await;
    let first = send(
        &before,
        &[ALICE],
        &turn("echo", &alice, &json!({"stream": true})),
    )
    .await;
    before.kill().await;
    let after = proxy(&mock, &options).await;
    let members = json!({"previous_response_id": response_id(&first)});
    let reply = send(
        &after,
        &[ALICE],
        &turn("says/<MASK_EMAIL_1>", &bob, &members),
    )
    .await;
    shows(&reply, &alice, &bob);
}

#[tokio::test]
async fn instances_share_history_through_redis_and_not_through_memory() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let url = redis.url();
    let shared = [("MASK_VAULT", "redis"), ("MASK_REDIS_URL", &*url)];
    let (alice, bob) = (Values::of(509).email, Values::of(510).email);
    for (options, shown) in [(&shared[..], &*alice), (&[], "MASK_EMAIL_1")] {
        let [one, two] = [proxy(&mock, options).await, proxy(&mock, options).await];
        let first = send(&one, &[ALICE], &turn("echo", &alice, &json!({}))).await;
        let members = json!({"previous_response_id": response_id(&first)});
        let reply = send(&two, &[ALICE], &turn("says/<MASK_EMAIL_1>", &bob, &members)).await;
        shows(&reply, shown, &bob);
    }
}

#[tokio::test]
async fn another_credential_cannot_restore_a_stored_response() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, &[]).await;
    let values = Values::of(511);
    let first = send(
        &proxy,
        &[ALICE],
        &turn("echo", &values.to_string(), &json!({})),
    )
    .await;
    let members = json!({"previous_response_id": response_id(&first)});
    let model =
        "says/<MASK_EMAIL_1> <MASK_PHONE_2> <MASK_IP_ADDRESS_3> <MASK_API_KEY_4> <MASK_SECRET_5>";
    let stolen = send(&proxy, &[BOB], &turn(model, QUESTION, &members)).await;
    let text = stolen.text();
    assert!(
        values.all().iter().all(|value| !text.contains(value)),
        "{text}"
    );
    assert!(text.contains("MASK_EMAIL_1"), "{text}");
}

/// A provider named two replies the same, and the second took the name of the first.
#[tokio::test]
async fn an_id_shared_by_two_replies_restores_nothing() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = sqlite(&directory);
    let redis = Redis::start().await;
    let url = redis.url();
    for options in [
        &[][..],
        &[("MASK_CONFIG", &*config)],
        &[("MASK_VAULT", "redis"), ("MASK_REDIS_URL", &*url)],
    ] {
        let proxy = proxy(&mock, options).await;
        let (alice, bob) = (Values::of(514).email, Values::of(515).email);
        // The mock provider calls every conversation the same.
        for value in [&alice, &bob] {
            let body = json!({"items": [{"type": "message", "role": "user", "content": value}]});
            let mut client = Client::connect(&proxy.url()).await;
            let body = body.to_string();
            let created = client.request("POST", "/v1/conversations", &[ALICE], body.as_bytes());
            assert!(created.await.text().contains("\"conv_1\""));
        }
        let body = turn(
            "says/<MASK_EMAIL_1>",
            QUESTION,
            &json!({"conversation": "conv_1"}),
        );
        let reply = send(&proxy, &[ALICE], &body).await;
        shows(&reply, "MASK_EMAIL_1", &alice);
        shows(&reply, "MASK_EMAIL_1", &bob);
    }
}

/// A client that keeps the history itself leaves nothing in the vault, and keeps its numbers.
#[tokio::test]
async fn unstored_replies_leave_nothing_in_the_vault() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = sqlite(&directory);
    let options = [("MASK_CONFIG", &*config)];
    let proxy = proxy(&mock, &options).await;
    let (alice, bob) = (Values::of(512).email, Values::of(513).email);
    let first = turn("thinking", &alice, &json!({"store": false}));
    let first = response(&send(&proxy, &[ALICE], &first).await);
    let sealed = first["output"][0].clone();
    assert!(sealed["encrypted_content"].is_string(), "{first}");
    // The client dropped the first turn, which the sealed item still holds.
    let input = json!([sealed, {"role": "user", "content": bob}]);
    let body = json!({"model": "says/<MASK_EMAIL_1>", "store": false, "input": input});
    let reply = send(&proxy, &[ALICE], &body).await;
    shows(&reply, &alice, &bob);
    assert!(
        mock.last().text().contains("<MASK_EMAIL_2>"),
        "{}",
        mock.last().text()
    );
    assert_eq!(listed(&config).await, 0);
    assert_eq!(proxy.audited("session.deleted", 2).await.len(), 2);

    let stored = turn("echo", &alice, &json!({}));
    send(&proxy, &[ALICE], &stored).await;
    assert_eq!(listed(&config).await, 1);
    let kept = proxy.audited("proxy.response", 3).await;
    assert_eq!(kept[2]["session_kept"], true, "{kept:?}");
    send(&proxy, &[ALICE], &turn("echo", "hello", &json!({}))).await;
    assert_eq!(
        listed(&config).await,
        1,
        "without values there is nothing to keep"
    );
}

/// The text beside a signature is a summary of the thinking, which still means what the client took out of its history.
#[tokio::test]
async fn signed_thinking_continues_its_session() {
    let mock = Mock::start().await;
    let (alice, bob) = (Values::of(516).email, Values::of(517).email);
    let ask = async |proxy: &Proxy, model: &str, system: &str, messages: Value| {
        let body = json!({"model": model, "max_tokens": 9, "system": system, "messages": messages});
        let mut client = Client::connect(&proxy.url()).await;
        let body = body.to_string();
        let reply = client.request("POST", "/v1/messages", &[ALICE], body.as_bytes());
        reply.await
    };
    let user = |text: &str| json!({"role": "user", "content": text});
    for strategy in ["ephemeral", "client", "conversation"] {
        let options = [("MASK_SESSION_STRATEGY", strategy)];
        let first = proxy(&mock, &options).await;
        let reply = ask(&first, "thinking", &alice, json!([user("hello")])).await;
        let answer = json!({"role": "assistant", "content": reply.json()["content"]});
        let turns = json!([user("hello"), answer, user(&bob)]);
        let reply = ask(&first, "says/<MASK_EMAIL_1>", "none", turns.clone()).await;
        shows(&reply, &alice, &bob);

        // Another proxy has not seen it. The provider rejects thinking that is not what it wrote.
        let reply = ask(&first, "thinking", &alice, json!([user(&bob)])).await;
        let answer = json!({"role": "assistant", "content": reply.json()["content"]});
        let other = proxy(&mock, &options).await;
        let turns = json!([user(&bob), answer, user("go on")]);
        let reply = ask(&other, "echo", &alice, turns).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

async fn listed(config: &str) -> usize {
    let arguments = ["session", "list", "--json", "-c", config];
    let (code, out, error) = tests::maskproxy(&arguments, "").await;
    assert_eq!(code, Some(0), "{error}");
    out.lines()
        .filter(|line| line.contains("last_active"))
        .count()
}

/// Every turn of a conversation gets its own values back, and no token means two of them.
#[tokio::test]
async fn concurrent_turns_of_one_conversation_share_a_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, &[]).await;
    let calls = (0..40).map(async |number| {
        let values = Values::of(600 + number);
        let body = turn("echo", &values.email, &json!({"conversation": "conv_1"}));
        let reply = send(&proxy, &[ALICE], &body).await;
        assert!(reply.text().contains(&values.email), "{}", reply.text());
    });
    futures_util::future::join_all(calls).await;
    let mut tokens: Vec<_> = mock
        .requests()
        .iter()
        .map(|request| {
            let text = request.text();
            let (_, rest) = text.split_once("<MASK_").expect("a token");
            rest.split_once('>').expect("its end").0.to_owned()
        })
        .collect();
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 40);
    let model = format!("says/<MASK_{}>", tokens[7]);
    let body = turn(&model, QUESTION, &json!({"conversation": "conv_1"}));
    let reply = send(&proxy, &[ALICE], &body).await;
    assert!(reply.text().contains("@corp"), "{}", reply.text());
}

/// A model of what the provider holds: for each history, what its tokens stood for when it saw
/// them.
#[derive(Default)]
struct Held {
    histories: Vec<(Value, Vec<(String, String)>)>,
}

/// A xorshift generator.
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % bound
    }
}

/// Sessions, restarts, evictions, forks and ids of every kind in any order: a token that comes back
/// from a history has its value there, or stays.
#[tokio::test]
async fn no_interleaving_gives_a_wrong_value() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = sqlite(&directory);
    let mut restored = 0;
    for round in 0..6 {
        let mut seed = Seed(0x9e37_79b9_7f4a_7c15 ^ (round + 1));
        let strategy = ["ephemeral", "client", "conversation"][seed.below(3)];
        let mut options = vec![("MASK_SESSION_STRATEGY", strategy)];
        if round % 2 == 1 {
            options.push(("MASK_CONFIG", &*config));
        }
        let mut running = proxy(&mock, &options).await;
        let mut held = Held::default();
        for step in 0..60 {
            if seed.below(15) == 0 {
                running.kill().await;
                running = proxy(&mock, &options).await;
            }
            if round % 2 == 1 && seed.below(15) == 0 {
                let arguments = ["session", "prune", "--older-than", "0s", "-c", &config];
                let (code, _, error) = tests::maskproxy(&arguments, "").await;
                assert_eq!(code, Some(0), "{error}");
            }
            restored += step_of(&mock, &running, &mut held, &mut seed)
                .await
                .unwrap_or_else(|wrong| panic!("round {round}, step {step}: {wrong}"));
        }
    }
    assert!(restored > 40, "only {restored} values came back");
}

/// One turn: how many values of earlier turns came back.
async fn step_of(
    mock: &Mock,
    proxy: &Proxy,
    held: &mut Held,
    seed: &mut Seed,
) -> Result<usize, String> {
    let names = ["conv_a", "conv_b"].map(|id| json!({"conversation": id}));
    let (mut members, mut known) = match seed.below(4) {
        0 => (json!({}), Vec::new()),
        1 => {
            let members = names[seed.below(2)].clone();
            let known = held.histories.iter().rfind(|(named, _)| *named == members);
            (
                members.clone(),
                known.map(|(_, known)| known.clone()).unwrap_or_default(),
            )
        }
        _ if held.histories.is_empty() => (json!({}), Vec::new()),
        _ => held.histories[seed.below(held.histories.len())].clone(),
    };
    // A history that only grew by its name is as it is now.
    if let Some((_, now)) = held.histories.iter().rfind(|(named, _)| *named == members) {
        known.clone_from(now);
    }
    let history = members.clone();
    let asked = (!known.is_empty()).then(|| known[seed.below(known.len())].clone());
    let answer = asked
        .as_ref()
        .map_or("nothing", |(token, _)| token.as_str());
    let value = Values::of(700 + seed.below(12)).email;
    let script = ["says", "calls"][seed.below(2)];
    let sealed = members["sealed"].take();
    if let Some(members) = members.as_object_mut() {
        members.remove("sealed");
    }
    let mut body = turn(&format!("{script}/{answer}"), &value, &members);
    if sealed.is_object() {
        body["input"] = json!([sealed, {"role": "user", "content": value}]);
        body["store"] = false.into();
    }
    let thinks = seed.below(4) == 0;
    if thinks {
        // Its reasoning comes back sealed, and nothing is stored.
        body["model"] = "thinking".into();
        body["store"] = false.into();
    }
    body["stream"] = (seed.below(2) == 0).into();
    let team = [ALICE, ("x-mask-session", "team")];
    let headers = if seed.below(4) == 0 {
        &team[..]
    } else {
        &team[..1]
    };
    let reply = send(proxy, headers, &body).await;
    let text = reply.text();
    let mut restored = 0;
    if let Some((token, right)) = asked.filter(|_| !thinks) {
        let is_left = text.contains(token.trim_matches(['<', '>']));
        let is_right = text.contains(&right);
        if !is_left && !is_right {
            return Err(format!("{token} of {history} meant {right}: {text}"));
        }
        restored = usize::from(is_right);
    }
    let new = token(mock);
    if let Some((_, other)) = known
        .iter()
        .find(|(token, other)| *token == new && *other != value)
    {
        return Err(format!("{new} of {history} meant {other}, and now {value}"));
    }
    known.push((new, value));
    if history.get("conversation").is_some() {
        held.histories.push((history, known));
    } else {
        let response = response(&reply);
        if thinks {
            let item = response["output"][0].clone();
            held.histories.push((json!({"sealed": item}), known));
        } else if body["store"] != false {
            held.histories
                .push((json!({"previous_response_id": response["id"]}), known));
        }
    }
    Ok(restored)
}
