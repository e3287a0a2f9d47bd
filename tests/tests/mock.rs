//! Tests of the mock provider itself.

use serde_json::{Value, json};
use tests::{Client, Ending, Misbehaviour, Mock, Schema};

#[tokio::test]
async fn the_mock_echoes_in_every_format_batch_and_streamed() {
    let mock = Mock::start().await;
    for schema in Schema::ALL {
        for (model, stream) in [("echo", false), ("echo/1", true), ("echo/9", true)] {
            let request = schema.request(model, "héllo <MASK_EMAIL_1>", stream);
            let reply = Client::post(&mock.url(), schema.path(), &request).await;
            assert_eq!(
                schema.reply_text(&reply.text()),
                "héllo <MASK_EMAIL_1>",
                "{schema:?} {model}"
            );
            assert_eq!(reply.ending, Ending::Clean);
        }
    }
    assert_eq!(mock.requests().len(), 9);
}

#[tokio::test]
async fn the_mock_rejects_changed_thinking_blocks_and_calls() {
    let mock = Mock::start().await;
    let post = async |content: &Value| {
        let messages =
            json!([{"role": "assistant", "content": [content]}, {"role": "user", "content": "go"}]);
        let request = json!({"model": "echo", "messages": messages});
        Client::post(&mock.url(), "/v1/messages", &request)
            .await
            .status
    };
    let request = Schema::MessagesStyle.request("everything", "hi", false);
    let reply = Client::post(&mock.url(), "/v1/messages", &request)
        .await
        .json();
    let thinking = &reply["content"][0];
    let call = &reply["content"][2];
    assert_eq!(post(thinking).await, 200);
    assert_eq!(post(call).await, 200);

    let mut changed = thinking.clone();
    changed["thinking"] = "They said: ho".into();
    assert_eq!(post(&changed).await, 400);
    let mut changed = call.clone();
    changed["input"]["command"] = "ho".into();
    assert_eq!(post(&changed).await, 400);
}

#[tokio::test]
async fn every_misbehaviour_behaves_as_named() {
    use Misbehaviour as M;
    let mock = Mock::start().await;
    let broken = [
        M::HalfTokenThenClose,
        M::HalfTokenThenReset,
        M::ShortBody,
        M::CloseBeforeReply,
        M::ResetBeforeReply,
        M::HalfHead,
        M::MalformedChunk,
    ];
    for misbehaviour in M::ALL.iter().copied().filter(|&each| each != M::Stall) {
        let request = Schema::ChatStyle.request(misbehaviour.name(), "to <MASK_EMAIL_1>", true);
        let reply = Client::post(&mock.url(), Schema::ChatStyle.path(), &request).await;
        let expected = if broken.contains(&misbehaviour) {
            Ending::Broken
        } else {
            Ending::Clean
        };
        assert_eq!(reply.ending, expected, "{misbehaviour:?}");
    }
}
