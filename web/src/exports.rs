//! The functions that JavaScript calls.

use engine::{EntityType, Restoring};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::playground::{Form, Playground};
use crate::{reply, settings};

/// The engine with the settings of the page.
#[wasm_bindgen]
pub struct Engine {
    playground: Playground,
    off: String,
    restoring: Option<Restoring>,
}

#[wasm_bindgen]
impl Engine {
    /// Reads the controls, JSON, and a random key of 32 bytes. The message of an error is
    /// JSON: for each wrong control its name and what is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(controls: &str, history_key: &[u8]) -> Result<Engine, JsError> {
        let history_key = <[u8; 32]>::try_from(history_key)
            .map_err(|_| JsError::new("the key must have 32 bytes"))?;
        let settings = settings::read(controls).map_err(|errors| {
            let named: Vec<_> = errors
                .iter()
                .map(|error| (error.control, error.to_string()))
                .collect();
            JsError::new(&serde_json::to_string(&named).unwrap_or_default())
        })?;
        let off = settings::types_off(controls);
        let off: Vec<_> = off.iter().map(EntityType::as_str).collect();
        Ok(Self {
            playground: Playground::new(settings, history_key),
            off: off.join(", "),
            restoring: None,
        })
    }

    /// The built-in types that are not looked for.
    pub fn off(&self) -> String {
        self.off.clone()
    }

    /// Masks an input: the outcome as JSON.
    pub fn mask(&mut self, form: &str, input: &str) -> Result<String, JsError> {
        self.restoring = None;
        let form = Form::parse(form).ok_or_else(|| JsError::new("no such format"))?;
        let (outcome, restoring) = self.playground.mask(form, input)?;
        self.restoring = Some(restoring);
        Ok(serde_json::to_string(&outcome)?)
    }

    /// Begins the reply to what was masked last.
    pub fn reply(&self) -> Option<Reply> {
        self.restoring
            .clone()
            .map(|restoring| Reply(reply::Reply::new(restoring)))
    }
}

/// A reply in progress.
#[wasm_bindgen]
pub struct Reply(reply::Reply);

#[wasm_bindgen]
impl Reply {
    /// Adds the next bytes; returns what is delivered now.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.0.push(chunk)
    }

    /// What is held back.
    pub fn held(&self) -> Vec<u8> {
        self.0.held()
    }

    /// Ends the reply: what was held back.
    pub fn finish(&mut self) -> Vec<u8> {
        self.0.finish()
    }

    /// How many tokens were restored so far.
    pub fn restored(&self) -> u32 {
        u32::try_from(self.0.restored()).unwrap_or(u32::MAX)
    }
}
