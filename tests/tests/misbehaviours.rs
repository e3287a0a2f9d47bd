//! Every provider misbehaviour ends in a whole reply, a coded error or a broken connection, never
//! in half a reply that looks complete.

use std::time::Duration;

use tests::Misbehaviour as M;
use tests::{Client, Ending, Misbehaviour, Mock, Proxy, Reply, Reserved, Schema, Values};

/// What the client must end up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The whole text, restored, properly ended.
    Whole,
    /// A coded error, or a broken connection.
    Failure,
    /// Every value in whatever the provider sent; no token.
    Restored,
    /// Only what the provider sent, including the status.
    Relayed(u16),
}

fn expected(misbehaviour: Misbehaviour, stream: bool) -> Outcome {
    match misbehaviour {
        M::HalfTokenThenClose
        | M::HalfTokenThenReset
        | M::ShortBody
        | M::CloseBeforeReply
        | M::ResetBeforeReply
        | M::Switching
        | M::MalformedHead
        | M::HalfHead
        | M::MalformedChunk
        | M::BrokenGzip
        | M::UnknownEncoding
        | M::HalfGzip => Outcome::Failure,
        M::GarbageEvents
        | M::GarbageJson
        | M::ErrorEvent
        | M::PlainText
        | M::ProblemJson
        | M::JsonArray
        | M::Ndjson => Outcome::Restored,
        M::CrEvents
        | M::CrlfEvents
        | M::ByteOrderMark
        | M::CommentsBetween
        | M::NoLastEmptyLine
            if !stream =>
        {
            Outcome::Restored
        }
        M::Redirect => Outcome::Relayed(307),
        M::NoContent => Outcome::Relayed(204),
        M::HalfTokenThenEnd => Outcome::Relayed(200),
        _ => Outcome::Whole,
    }
}

async fn check(schema: Schema, stream: bool) {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let values = Values::of(7);
    let mut wrong = Vec::new();
    for &misbehaviour in Misbehaviour::ALL {
        if misbehaviour == M::Stall {
            continue;
        }
        let request = schema.request(misbehaviour.name(), &values.to_string(), stream);
        let reply = Client::post(&proxy.url(), schema.path(), &request).await;
        let outcome = expected(misbehaviour, stream);
        if !is(outcome, &reply, schema, &values) {
            let Reply { status, ending, .. } = reply;
            let text: String = schema
                .reply_text(&line_fed(&reply.text()))
                .chars()
                .take(300)
                .collect();
            wrong.push(format!(
                "{misbehaviour:?}: not {outcome:?}: {status} {ending:?} '{text}'"
            ));
        }
        if values.found_in(&mock.last().everything()) != [""; 0] {
            wrong.push(format!("{misbehaviour:?}: the provider was told"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{schema:?} stream={stream}:\n{}",
        wrong.join("\n")
    );
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
    assert!(!proxy.printed().contains("panicked"), "{}", proxy.printed());
}

fn is(outcome: Outcome, reply: &Reply, schema: Schema, values: &Values) -> bool {
    let text = line_fed(&reply.text());
    match outcome {
        Outcome::Whole => {
            reply.ending == Ending::Clean
                && reply.status == 200
                && reply.header("content-encoding").is_none()
                && schema.reply_text(&text) == values.to_string()
        }
        Outcome::Failure => reply.failed_honestly(),
        Outcome::Restored => !holds_token(&text) && text.contains(&values.email),
        Outcome::Relayed(status) => reply.status == status && reply.ending == Ending::Clean,
    }
}

/// Whether there is a whole token; half of one may be all that a provider sent.
fn holds_token(text: &str) -> bool {
    let in_token = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.split("<MASK_")
        .skip(1)
        .any(|rest| rest.trim_start_matches(in_token).starts_with('>'))
}

fn line_fed(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[tokio::test]
async fn chat_batch() {
    check(Schema::ChatStyle, false).await;
}

#[tokio::test]
async fn chat_stream() {
    check(Schema::ChatStyle, true).await;
}

#[tokio::test]
async fn messages_batch() {
    check(Schema::MessagesStyle, false).await;
}

#[tokio::test]
async fn messages_stream() {
    check(Schema::MessagesStyle, true).await;
}

#[tokio::test]
async fn responses_batch() {
    check(Schema::Responses, false).await;
}

#[tokio::test]
async fn responses_stream() {
    check(Schema::Responses, true).await;
}

/// What had arrived of the truncated event was lost.
#[tokio::test]
async fn everything_before_a_broken_stream_is_delivered() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
        for misbehaviour in [M::HalfTokenThenClose, M::HalfTokenThenReset, M::ShortBody] {
            let email = Values::of(8).email;
            let request = schema.request(misbehaviour.name(), &email, true);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;
            assert_eq!(reply.ending, Ending::Broken, "{misbehaviour:?}");
            let text = reply.text();
            assert!(text.trim_end().ends_with("<MAS"), "{misbehaviour:?} {text}");
        }
    }
}

/// The client's connection was closed without a byte.
#[tokio::test]
async fn a_stream_that_breaks_before_its_first_byte_is_a_coded_error() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n";
    for rest in [
        "\r\n",
        "\r\n6\r\ndata: \r\n",
        "content-encoding: gzip\r\n\r\n6\r\ndata: \r\n",
        "content-encoding: gzip\r\n\r\n1\r\n\x1f\r\n0\r\n\r\n",
    ] {
        let provider = provider_that_says(format!("{head}{rest}")).await;
        let proxy = Proxy::start(&provider).await;
        for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
            let request = schema.request("echo", "hi", true);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;
            assert_eq!(
                (reply.status, reply.code().as_deref()),
                (502, Some("mask_upstream_unreachable")),
                "{rest:?}"
            );
        }
    }
}

/// The client had the head by then, and its connection was closed without a word.
#[tokio::test]
async fn a_stream_breaking_before_its_first_event_reports_it() {
    const EVENTS: &str = "text/event-stream";
    for (path, kind, before, behind, error) in [
        (
            Schema::ChatStyle.path(),
            EVENTS,
            "data: ",
            "\n\n",
            "/error/message",
        ),
        (
            Schema::MessagesStyle.path(),
            EVENTS,
            "event: error\ndata: ",
            "\n\n",
            "/error/message",
        ),
        (
            Schema::Responses.path(),
            EVENTS,
            "event: error\ndata: ",
            "\n\n",
            "/message",
        ),
        (
            "/v1/completions",
            EVENTS,
            "data: ",
            "\n\n",
            "/error/message",
        ),
        ("/api/chat", "application/x-ndjson", "", "\n", "/error"),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        for (rest, delivered) in [
            ("", ""),
            ("7\r\n{\"me\": \r\n", ""),
            ("6\r\ndata: \r\n", ""),
            ("7\r\n: ping\n\r\n", ": ping\n"),
            ("8\r\n: ping\r\r\r\n", ": ping\r\r"),
            ("3\r\n\u{feff}\r\n", "\u{feff}"),
            ("a\r\n\u{feff}: ping\r\r\n", "\u{feff}: ping\r"),
        ] {
            if kind != EVENTS && !rest.contains('{') {
                continue;
            }
            let provider = provider_that_pauses(head.clone(), rest.to_owned()).await;
            let mut proxy = Proxy::start(&provider).await;
            let request = Schema::ChatStyle.request("echo", "hi", true);
            let reply = Client::post(&proxy.url(), path, &request).await;
            let text = reply.text();
            let outcome = (reply.status, reply.ending);
            assert_eq!(outcome, (200, Ending::Clean), "{path} {rest:?} {text}");
            let event = text.strip_prefix(&format!("{delivered}{before}"));
            let event = event.and_then(|event| event.strip_suffix(behind));
            let event: serde_json::Value =
                serde_json::from_str(event.unwrap_or_default()).expect(&text);
            let message = event.pointer(error).and_then(|message| message.as_str());
            let message = message.expect("a message");
            assert!(message.starts_with("mask_upstream_unreachable: "), "{text}");
            proxy.stop().await;
            let audit = proxy.audit_text();
            assert!(audit.contains("\"phase\":\"stream\""), "{audit}");
        }
    }
}

/// The URL of a provider that answers every request with these bytes and closes.
async fn provider_that_says(bytes: String) -> String {
    provider([bytes, String::new()], Duration::ZERO).await
}

/// The same in two parts, with a longer pause than the head of a reply waits for the first bytes of its body.
async fn provider_that_pauses(bytes: String, later: String) -> String {
    provider([bytes, later], Duration::from_millis(600)).await
}

async fn provider(parts: [String; 2], pause: Duration) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut vec![0; 1 << 16]).await;
            let [first, second] = &parts;
            let _ = stream.write_all(first.as_bytes()).await;
            tokio::time::sleep(pause).await;
            let _ = stream.write_all(second.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    url
}

#[tokio::test]
async fn a_provider_that_refuses_connections_is_a_coded_error() {
    let gone = Reserved::new();
    let proxy = Proxy::start(&gone.url()).await;
    let begin = std::time::Instant::now();
    let schema = Schema::ChatStyle;
    let reply = Client::post(
        &proxy.url(),
        schema.path(),
        &schema.request("echo", "hi", false),
    )
    .await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (502, Some("mask_upstream_unreachable"))
    );
    let waited = begin.elapsed().as_secs_f64();
    assert!(waited > 1.4, "retried after 0.5 s and 1 s: {waited}");
    assert_eq!(
        proxy.audited("proxy.error", 1).await[0]["phase"],
        "upstream"
    );
}

/// A pooled connection that the provider closed meanwhile is not the client's fault.
#[tokio::test]
async fn a_stale_connection_is_replaced() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    let request = schema.request(M::CloseAfterReply.name(), "hi", false);
    for pause in [0, 0, 0, 1, 1, 5, 20] {
        let reply = Client::post(&proxy.url(), schema.path(), &request).await;
        assert_eq!(schema.reply_text(&reply.text()), "hi", "{}", reply.text());
        tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
    }
}

/// It once was, as if the connection had been closed before the provider had answered.
#[tokio::test]
async fn a_request_with_a_started_reply_is_not_retried() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    // On one connection, so that one worker serves both and reuses its provider connection.
    let mut client = Client::connect(&proxy.url()).await;
    for (model, fails) in [("echo/1", false), (M::HalfHead.name(), true)] {
        let request = schema.request(model, "hi", false).to_string();
        let json = [("Content-Type", "application/json")];
        let reply = client
            .request("POST", schema.path(), &json, request.as_bytes())
            .await;
        assert_eq!(reply.failed_honestly(), fails, "{}", reply.text());
    }
    assert_eq!(mock.requests().len(), 2);
}

#[tokio::test]
async fn interim_replies_and_trailers_reach_the_client() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    let request = schema.request(M::Trailers.name(), "hi", false);
    let reply = Client::post(&proxy.url(), schema.path(), &request).await;
    assert_eq!(schema.reply_text(&reply.text()), "hi");
    let carried = reply
        .trailers
        .iter()
        .any(|(name, value)| name == "x-checksum" && value == "17");
    assert!(carried || reply.trailers.is_empty(), "{:?}", reply.trailers);
}

/// HTTP/1.0 has no final chunk, and reverse proxies speak it: a close would end half a reply properly.
#[tokio::test]
async fn a_truncated_http_1_0_reply_does_not_look_complete() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let text = Values::of(23).to_string();
    for (model, broken) in [("echo", false), (M::HalfTokenThenClose.name(), true)] {
        let body = Schema::ChatStyle.request(model, &text, true).to_string();
        let address = proxy.url().trim_start_matches("http://").to_owned();
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = "POST /v1/chat/completions HTTP/1.0\r\ncontent-length";
        let request = format!("{head}: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).await.unwrap();
        let ended = stream.read_to_end(&mut Vec::new()).await;
        assert_eq!(ended.is_err(), broken, "{model}");
    }
}
