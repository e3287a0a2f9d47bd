//! `/mask` and `/restore`: texts or a body, in a session named by the caller.

use std::sync::Arc;

use engine::Schema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::context::Shared;
use super::Answered;
use super::call::Call;
use super::prompt::Prompt;
use crate::error::Fault;
use crate::session::{Identity, SessionId};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked<'a> {
    session: Option<String>,
    texts: Option<Vec<String>>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    schema: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Box<RawValue>>,
}

enum Content {
    Texts(Vec<String>),
    Body(Schema, Vec<u8>),
}

/// Masks texts or a body, in a new session where none is named.
pub(super) async fn mask(
    shared: &Arc<Shared>,
    named: Option<SessionId>,
    body: &[u8],
    call: &mut Call,
) -> Result<Answered, Fault> {
    let (given, content) = read(body)?;
    let session = given.or(named).unwrap_or_else(SessionId::random);
    let identity = shared.sessions.of_gateway(session.clone()).await?;
    match content {
        Content::Texts(texts) => {
            let prompt = Prompt {
                texts: &texts,
                ..Prompt::default()
            };
            let masked = prompt.mask(call, identity).await?;
            answered(session, Some(masked.texts), None)
        }
        Content::Body(schema, body) => {
            let masked = call.mask(schema, body, identity).await?;
            answered(session, None, Some(masked.into_bytes()))
        }
    }
}

/// Restores texts or a body in the session that it was masked in.
pub(super) async fn restore(
    shared: &Arc<Shared>,
    named: Option<SessionId>,
    body: &[u8],
    call: &mut Call,
) -> Result<Answered, Fault> {
    let (given, content) = read(body)?;
    let session = given.or(named).ok_or(Fault::GatewayRequest)?;
    let identity: Identity = shared.sessions.of_gateway(session.clone()).await?;
    let opened = call.open(identity).await?.ok_or(Fault::NoSuchSession)?;
    match content {
        Content::Texts(texts) => {
            let restored = call.restore(opened, texts).await?;
            let texts = restored.into_iter().map(|text| text.text).collect();
            answered(session, Some(texts), None)
        }
        Content::Body(schema, body) => {
            let restored = call.restore_body(opened, schema, body).await?;
            answered(session, None, Some(restored))
        }
    }
}

/// The session that the body names, and what is to be masked or restored.
fn read(body: &[u8]) -> Result<(Option<SessionId>, Content), Fault> {
    let asked: Asked<'_> = super::asked(body)?;
    let named = asked.session.as_deref().map(SessionId::from_text);
    let named = named.transpose().map_err(|_| Fault::SessionName)?;
    let content = match (asked.texts, asked.body, asked.schema) {
        (Some(texts), None, None) => Content::Texts(texts),
        (None, Some(body), schema) => {
            let schema = schema.as_deref().unwrap_or("generic").parse();
            let schema = schema.map_err(|()| Fault::GatewayRequest)?;
            Content::Body(schema, body.get().as_bytes().to_vec())
        }
        _ => return Err(Fault::GatewayRequest),
    };
    Ok((named, content))
}

fn answered(
    session: SessionId,
    texts: Option<Vec<String>>,
    body: Option<Vec<u8>>,
) -> Result<Answered, Fault> {
    let body = body.map(|body| String::from_utf8(body).map_err(|_| Fault::WorkStopped));
    let body = body.transpose()?.map(RawValue::from_string);
    let masked_answer = Answer {
        session: session.as_str(),
        texts,
        body: body.transpose().map_err(|_| Fault::WorkStopped)?,
    };
    let body = serde_json::to_vec(&masked_answer).map_err(|_| Fault::WorkStopped)?;
    Ok(Answered {
        body,
        session: Some(session),
    })
}
