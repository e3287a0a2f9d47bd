//! `LiteLLM`'s generic guardrail API, as its proxy calls it before and after a model.
//!
//! `LiteLLM` accepts changed texts, or changed messages. It shows tool calls too, but they can be
//! replaced only in messages. If a value can't be masked in this way, the call is stopped.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::context::Shared;
use super::Answered;
use super::call::Call;
use super::prompt::{MaskedPrompt, Prompt};
use crate::error::Fault;
use crate::session::{Identity, SessionId};

const BLOCKED: &str = "mask_unmaskable: a tool call holds a value that can't be masked through LiteLLM's guardrail \
                       API for this kind of request; put maskproxy between LiteLLM and the provider instead";

/// What `LiteLLM` sends. It sends more, which is not needed.
#[derive(Deserialize)]
struct Asked<'a> {
    input_type: Leg,
    litellm_call_id: Option<String>,
    litellm_trace_id: Option<String>,
    #[serde(default)]
    request_data: Caller,
    texts: Option<Vec<String>>,
    #[serde(borrow)]
    structured_messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Leg {
    Request,
    Response,
}

/// The caller of `LiteLLM`.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Caller {
    #[serde(rename = "user_api_key_hash")]
    key: Option<String>,
    #[serde(rename = "user_api_key_user_id")]
    user: Option<String>,
    #[serde(rename = "user_api_key_team_id")]
    team: Option<String>,
}

#[derive(Serialize, Default)]
struct Answer {
    action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_messages: Option<Vec<Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Box<RawValue>>,
    /// Of each text, how many of its last characters are not to be streamed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_holdback_chars: Option<Vec<usize>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Action {
    #[default]
    None,
    GuardrailIntervened,
    Blocked,
}

/// Answers one call of `LiteLLM`.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    body: &[u8],
    call: &mut Call,
) -> Result<Answered, Fault> {
    let asked: Asked<'_> = super::asked(body)?;
    let identity = asked.identity(shared).await?;
    let masked_answer = match asked.input_type {
        Leg::Request => asked.mask(identity, call).await?,
        Leg::Response => asked.restore(identity, call).await?,
    };
    Ok(Answered {
        body: serde_json::to_vec(&masked_answer).map_err(|_| Fault::WorkStopped)?,
        session: None,
    })
}

impl Asked<'_> {
    /// The session of the call. A caller may choose its id, so it is one of that caller.
    async fn identity(&self, shared: &Shared) -> Result<Identity, Fault> {
        let id = self.litellm_call_id.as_deref();
        // An empty one is that of every call without an id.
        let Some(call) = id.filter(|id| !id.is_empty()) else {
            return Ok(shared.sessions.of_gateway(SessionId::random()).await?);
        };
        let caller = &self.request_data;
        let parts = [
            Some(call),
            self.litellm_trace_id.as_deref(),
            caller.key.as_deref(),
            caller.user.as_deref(),
            caller.team.as_deref(),
        ];
        let parts = parts.map(|part| part.unwrap_or_default().as_bytes());
        Ok(shared.sessions.of_gateway_call(&parts).await?)
    }

    async fn mask(&self, identity: Identity, call: &mut Call) -> Result<Answer, Fault> {
        let prompt = Prompt {
            texts: self.texts.as_deref().unwrap_or_default(),
            rows: self.structured_messages.as_deref().unwrap_or_default(),
            calls: self.tool_calls,
            tools: self.tools,
        };
        let masked = prompt.mask(call, identity).await?;
        Ok(masked_answer(&prompt, masked))
    }

    async fn restore(self, identity: Identity, call: &mut Call) -> Result<Answer, Fault> {
        let texts = self.texts.unwrap_or_default();
        let opened = if texts.is_empty() {
            None
        } else {
            call.open(identity).await?
        };
        let Some(session) = opened else {
            return Ok(Answer::default());
        };
        let restored = call.restore(session, texts.clone()).await?;
        let (restored, held): (Vec<_>, Vec<_>) = restored
            .into_iter()
            .map(|text| (text.text, text.held))
            .unzip();
        Ok(Answer {
            action: if restored == texts {
                Action::None
            } else {
                Action::GuardrailIntervened
            },
            texts: Some(restored),
            stream_holdback_chars: Some(held),
            ..Answer::default()
        })
    }
}

/// The result for a masked request.
fn masked_answer(prompt: &Prompt<'_>, masked: MaskedPrompt) -> Answer {
    let needs_rows = !prompt.texts_cover(&masked);
    let has_changed = |given: Option<&RawValue>, masked: &Option<Box<RawValue>>| {
        given.map(RawValue::get) != masked.as_deref().map(RawValue::get)
    };
    if has_changed(prompt.calls, &masked.calls) && !needs_rows {
        return Answer {
            action: Action::Blocked,
            blocked_reason: Some(BLOCKED),
            ..Answer::default()
        };
    }
    let tools = has_changed(prompt.tools, &masked.tools);
    if !needs_rows && !tools && masked.texts == prompt.texts {
        return Answer::default();
    }
    Answer {
        action: Action::GuardrailIntervened,
        texts: Some(masked.texts),
        structured_messages: needs_rows.then_some(masked.rows),
        tools: masked.tools.filter(|_| tools),
        ..Answer::default()
    }
}
