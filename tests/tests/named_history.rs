//! Conversations that requests name beside the members of their format, and values outside of bodies.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Schema, Values};

type Headers<'a> = &'a [(&'a str, &'a str)];

const KEY: (&str, &str) = ("authorization", "Bearer alice");

async fn proxy(mock: &Mock, strategy: &str) -> Proxy {
    let options = ProxyOptions::default().env("MASK_SESSION_STRATEGY", strategy);
    Proxy::start_with(&mock.url(), &options).await
}

async fn post(proxy: &Proxy, target: &str, headers: Headers<'_>, body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    let reply = client
        .request("POST", target, headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

fn token(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("<MASK_EMAIL_")?;
    let (number, _) = rest.split_once('>')?;
    Some(format!("<MASK_EMAIL_{number}>"))
}

/// How a request says which conversation it goes on with.
struct Naming {
    query: &'static str,
    header: Option<(&'static str, &'static str)>,
    members: Value,
}

/// Behind the usual paths only the members of the format were read, so that an old token came back as a new value.
#[tokio::test]
async fn a_conversation_named_beside_the_format_never_gives_another_value() {
    let mock = Mock::start().await;
    let naming = |query, header, members| Naming {
        query,
        header,
        members,
    };
    let ways = [
        naming("", Some(("x-conversation-id", "c")), json!({})),
        naming("", Some(("x-session-id", "c")), json!({})),
        naming("", Some(("mcp-session-id", "c")), json!({})),
        naming("", Some(("cookie", "a=b; JSESSIONID=c")), json!({})),
        naming("?sid=c", None, json!({})),
        naming("", None, json!({"session": "c"})),
        naming("", None, json!({"bot": "c"})),
        naming("", None, json!({"memory_id": "c"})),
        naming("", None, json!({"parentMessageId": "c"})),
        naming("", None, json!({"metadata": {"session_id": "c"}})),
    ];
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy(&mock, strategy).await;
        for (at, way) in ways.iter().enumerate() {
            for (number, schema) in (0..).zip(Schema::ALL) {
                // Each way and format is another client with another conversation.
                let client = format!("Bearer {strategy} {at} {number}");
                let headers = [Some(("authorization", &*client)), way.header];
                let headers: Vec<_> = headers.into_iter().flatten().collect();
                let target = format!("{}{}", schema.path(), way.query);
                let mut seen = None;
                for value in [821, 822].map(|number| Values::of(number).email) {
                    let says = seen.clone().unwrap_or_else(|| "ok".to_owned());
                    let model = format!("says/{says}");
                    let mut body = schema.request(&model, &format!("write to {value}"), false);
                    for (name, member) in way.members.as_object().into_iter().flatten() {
                        body[name] = member.clone();
                    }
                    let reply = post(&proxy, &target, &headers, &body).await;
                    let said = schema.reply_text(&reply.text());
                    assert!(!said.contains(&value), "{strategy} {target} {body}: {said}");
                    let mut sent = mock.last().json();
                    sent["model"].take();
                    seen = token(&sent.to_string());
                    assert!(seen.is_some(), "{sent}");
                }
            }
        }
    }
}

/// What stood in the query of a masked path went to the provider as it was.
#[tokio::test]
async fn values_in_a_query_are_masked() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let email = Values::of(823).email;
    let said = format!("to {email}");
    let body = Schema::ChatStyle.request("echo", &said, false);
    let encoded = email.replace('@', "%40");
    let query = format!("api-version=2026-01-01&q=ask+{encoded}&code=hush-{encoded}");
    let target = format!("{}?{query}", Schema::ChatStyle.path());
    let reply = post(&proxy, &target, &[KEY], &body).await;
    assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), said);
    let sent = mock.last().target;
    let expected = format!(
        "{}?api-version=2026-01-01&q=ask%20%3CMASK_EMAIL_1%3E&code=hush-{encoded}",
        Schema::ChatStyle.path()
    );
    assert_eq!(sent, expected);
}
