//! Prompts that are no text, and text in places where something else belongs.

use engine::{
    Engine, EntityType, Error, Facts, Masks, NoMemory, PolicyRule, PolicyRules, Schema, Session,
    Settings, When,
};
use serde_json::{Value, json};

const EMAIL: &str = "alice@example.com";

fn masked_by(settings: Settings, schema: Schema, body: &Value) -> Result<String, Error> {
    let request = Engine::new(settings).request(schema, body.to_string().into_bytes())?;
    let masked = request.mask(&mut Session::new(), &NoMemory)?;
    Ok(String::from_utf8(masked.body.into_bytes()).expect("UTF-8"))
}

/// They reached the provider, which can read them, without a word.
#[test]
fn prompts_sent_as_token_ids_are_refused() {
    for (schema, body) in [
        (
            Schema::Generic,
            json!({"model": "m", "input": [[15339, 1917]]}),
        ),
        (
            Schema::Generic,
            json!({"model": "m", "prompt": [15339, 1917]}),
        ),
        (
            Schema::ChatStyle,
            json!({"messages": [], "prompt_token_ids": [15339]}),
        ),
        (
            Schema::Generic,
            json!({"input_ids": [15339], "sampling_params": {}}),
        ),
    ] {
        let refused = masked_by(Settings::default(), schema, &body);
        assert_eq!(refused, Err(Error::TokenIds), "{body}");
    }
    assert!(
        Error::TokenIds
            .to_string()
            .contains("check_embedding_ctx_length=False")
    );
}

#[test]
fn token_id_prompts_pass_under_a_no_mask_rule() {
    let rule = |mask| PolicyRule {
        name: "all".into(),
        when: When::default(),
        mask: Some(mask),
        redacts: false,
        detectors: None,
        shadow: false,
    };
    let body = json!({"input": [15339]});
    for (mask, passes) in [
        (Masks::Only(Vec::new()), true),
        (Masks::Only(vec![EntityType::EMAIL]), false),
        (Masks::All, false),
    ] {
        let request = Engine::new(Settings {
            rules: PolicyRules::checked(vec![rule(mask)]).expect("rules"),
            ..Settings::default()
        })
        .request(Schema::Generic, body.to_string().into_bytes())
        .expect("a request")
        .under(&Facts {
            target: "/v1/embeddings",
            route: "/v1/embeddings",
            schema: Schema::Generic,
            headers: &[],
            keys: None,
        });
        let masked = request.mask(&mut Session::new(), &NoMemory);
        assert_eq!(masked.is_ok(), passes);
    }
}

/// Such a string was left, unread and not counted.
#[test]
fn text_in_the_place_of_a_url_is_masked() {
    for url in [
        format!("see {EMAIL}"),
        format!("{{\"a\": \"{EMAIL}\"}}"),
        format!(" data:text/plain,see {EMAIL}"),
        // "write to alice@example.com, and to nobody else in the house"
        "d3JpdGUgdG8gYWxpY2VAZXhhbXBsZS5jb20sIGFuZCB0byBub2JvZHkgZWxzZSBpbiB0aGUgaG91c2U=".to_owned(),
        " data:text/plain;base64,d3JpdGUgdG8gYWxpY2VAZXhhbXBsZS5jb20sIGFuZCB0byBub2JvZHkgZWxzZSBpbiB0aGUgaG91c2U=".to_owned(),
    ] {
        for (schema, body) in [
            (
                Schema::ChatStyle,
                json!({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]}),
            ),
            (
                Schema::MessagesStyle,
                json!({"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": url}}]}]}),
            ),
            (
                Schema::Responses,
                json!({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": url}, {"type": "input_file", "file_url": url}]}]}),
            ),
        ] {
            let out = masked_by(Settings::default(), schema, &body).expect("masked");
            assert!(!out.contains(&url), "{out}");
            assert!(!out.contains(EMAIL), "{out}");
        }
    }
    let url = "https://cdn.example/cat.png?user=alice@example.com";
    let body = json!({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]});
    let out = masked_by(Settings::default(), Schema::ChatStyle, &body).expect("masked");
    assert!(out.contains(url), "{out}");
}
