//! The texts of the responses and conversations that a provider stores.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// The texts of each stored response and conversation, by its id.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<HashMap<String, Vec<String>>>);

impl Held {
    /// The texts of the history that a request names.
    pub(super) fn before(&self, request: &Value) -> Vec<String> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named = name_of(request).and_then(|name| held.get(name));
        named.cloned().unwrap_or_default()
    }

    /// Stores the text of a request under the id of its response, and in the conversation that it
    /// names.
    pub(super) fn keep(
        &self,
        request: &Value,
        response: &str,
        mut before: Vec<String>,
        prompt: String,
    ) {
        if request["store"] == false {
            return;
        }
        before.push(prompt.clone());
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(response.to_owned(), before);
        if let Some(conversation) = conversation_of(request) {
            held.entry(conversation.to_owned())
                .or_default()
                .push(prompt);
        }
    }
}

fn name_of(request: &Value) -> Option<&str> {
    request["previous_response_id"]
        .as_str()
        .or_else(|| conversation_of(request))
}

fn conversation_of(request: &Value) -> Option<&str> {
    let conversation = &request["conversation"];
    conversation
        .as_str()
        .or_else(|| conversation["id"].as_str())
}
