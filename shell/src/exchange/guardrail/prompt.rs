//! Combines texts and parts of a prompt into one body, so that one pass masks them with the same
//! tokens.

use std::collections::HashMap;

use engine::{MaskedBody, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::call::Call;
use crate::error::Fault;
use crate::session::Identity;

/// What a gateway shows of a request.
#[derive(Debug, Default)]
pub(super) struct Prompt<'a> {
    pub(super) texts: &'a [String],
    /// Chat messages, which contain the texts too.
    pub(super) rows: &'a [&'a RawValue],
    /// A list of tool calls, which the messages may contain too.
    pub(super) calls: Option<&'a RawValue>,
    /// A list of tools.
    pub(super) tools: Option<&'a RawValue>,
}

/// A prompt without detected values.
#[derive(Debug)]
pub(super) struct MaskedPrompt {
    pub(super) texts: Vec<String>,
    pub(super) rows: Vec<Box<RawValue>>,
    pub(super) calls: Option<Box<RawValue>>,
    pub(super) tools: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Body<'a> {
    messages: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Given(&'a RawValue),
    Texts {
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    Calls {
        role: &'static str,
        tool_calls: &'a RawValue,
    },
}

#[derive(Serialize)]
struct Part<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

#[derive(Deserialize)]
struct Masked {
    messages: Vec<Box<RawValue>>,
    tools: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct MaskedTexts {
    content: Vec<MaskedText>,
}

#[derive(Deserialize)]
struct MaskedText {
    text: String,
}

#[derive(Deserialize)]
struct MaskedCalls {
    tool_calls: Box<RawValue>,
}

impl Prompt<'_> {
    /// Masks all of it with one session.
    ///
    /// # Errors
    /// As [`Call::mask`]; and when it is no prompt.
    pub(super) async fn mask(
        &self,
        call: &mut Call,
        identity: Identity,
    ) -> Result<MaskedPrompt, Fault> {
        let body = self.body().map_err(|_| Fault::GatewayRequest)?;
        let masked = call.mask(Schema::ChatStyle, body, identity).await?;
        // The engine edits in place, so the result has the same form as the input.
        self.read(masked).ok_or(Fault::WorkStopped)
    }

    fn body(&self) -> serde_json::Result<Vec<u8>> {
        let texts = Row::Texts {
            role: "user",
            content: self.texts.iter().map(|text| part(text)).collect(),
        };
        let calls = self.calls.map(|tool_calls| Row::Calls {
            role: "assistant",
            tool_calls,
        });
        let rows = self.rows.iter().copied().map(Row::Given);
        serde_json::to_vec(&Body {
            messages: rows.chain([texts]).chain(calls).collect(),
            tools: self.tools,
        })
    }

    fn read(&self, body: MaskedBody) -> Option<MaskedPrompt> {
        let Masked {
            messages: mut rows,
            tools,
        } = serde_json::from_slice(&body.into_bytes()).ok()?;
        let calls = if self.calls.is_some() {
            let row: MaskedCalls = serde_json::from_str(rows.pop()?.get()).ok()?;
            Some(row.tool_calls)
        } else {
            None
        };
        let texts: MaskedTexts = serde_json::from_str(rows.pop()?.get()).ok()?;
        let texts: Vec<_> = texts.content.into_iter().map(|part| part.text).collect();
        let is_whole = texts.len() == self.texts.len() && rows.len() == self.rows.len();
        is_whole.then_some(MaskedPrompt {
            texts,
            rows,
            calls,
            tools,
        })
    }

    /// Whether everything that was masked in the messages is in the texts.
    pub(super) fn texts_cover(&self, masked: &MaskedPrompt) -> bool {
        let mut texts = HashMap::new();
        for text in self.texts {
            *texts.entry(text.as_str()).or_insert(0_usize) += 1;
        }
        let mut is_text = |text: &str| {
            let left = texts.get_mut(text).filter(|left| **left > 0);
            left.is_some_and(|left| {
                *left -= 1;
                true
            })
        };
        let mut rows = self.rows.iter().zip(&masked.rows);
        rows.all(|(row, masked)| {
            row.get() == masked.get() || row_is_covered(row, masked, &mut is_text)
        })
    }
}

fn part(text: &str) -> Part<'_> {
    let kind = "text";
    Part { kind, text }
}

/// Whether a message that was masked differs only in its content, and there in texts that are `is_text`.
fn row_is_covered(
    row: &RawValue,
    masked: &RawValue,
    is_text: &mut impl FnMut(&str) -> bool,
) -> bool {
    let read = |row: &RawValue| serde_json::from_str::<serde_json::Map<_, _>>(row.get()).ok();
    let (Some(row), Some(masked)) = (read(row), read(masked)) else {
        return false;
    };
    row.len() == masked.len()
        && row.iter().all(|(name, value)| {
            let Some(masked) = masked.get(name) else {
                return false;
            };
            value == masked || name == "content" && content_is_covered(value, masked, is_text)
        })
}

fn content_is_covered(
    content: &Value,
    masked: &Value,
    is_text: &mut impl FnMut(&str) -> bool,
) -> bool {
    match (content, masked) {
        (Value::String(text), Value::String(_)) => is_text(text),
        (Value::Array(parts), Value::Array(masked)) => {
            let mut pairs = parts.iter().zip(masked);
            parts.len() == masked.len()
                && pairs
                    .all(|(part, masked)| part == masked || part_is_covered(part, masked, is_text))
        }
        _ => false,
    }
}

fn part_is_covered(part: &Value, masked: &Value, is_text: &mut impl FnMut(&str) -> bool) -> bool {
    let (Value::Object(part), Value::Object(masked)) = (part, masked) else {
        return false;
    };
    part.len() == masked.len()
        && part.iter().all(|(name, value)| match value {
            _ if masked.get(name) == Some(value) => true,
            Value::String(text) => name == "text" && is_text(text),
            _ => false,
        })
}
