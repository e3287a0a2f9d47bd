//! Masks the input on the left of the page.

use engine::{Engine, Error, Facts, NoMemory, Restoring, Schema, Sensitive, Session, Settings};

use crate::outcome::{Outcome, finding};
use crate::utf16::Offsets;

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text on its own.
    Text,
    /// A request body in one of the wire formats.
    Body(Schema),
}

impl Form {
    /// `text`, or the name of a wire format.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            schema => schema.parse().ok().map(Self::Body),
        }
    }
}

/// The engine with the page's settings. Each input has its own session.
#[derive(Debug, Clone)]
pub struct Playground {
    engine: Engine,
    /// The key for derived numbers, if an input refers to history that the page does not show.
    history_key: Sensitive<[u8; 32]>,
}

impl Playground {
    /// A playground with these settings. The key should be random, because numbers derived with it
    /// may leave the page with what a user sends.
    #[must_use]
    pub fn new(settings: Settings, history_key: [u8; 32]) -> Self {
        Self {
            engine: Engine::new(settings),
            history_key: Sensitive::new(history_key),
        }
    }

    /// Masks an input, and gives what restores the reply to it.
    ///
    /// # Errors
    /// [`Error`] when the input is no body of its format.
    pub fn mask(&self, form: Form, input: &str) -> Result<(Outcome, Restoring), Error> {
        match form {
            Form::Text => self.mask_text(input),
            Form::Body(schema) => self.mask_body(schema, input),
        }
    }

    fn mask_text(&self, text: &str) -> Result<(Outcome, Restoring), Error> {
        let mut session = Session::new();
        let masked = self.engine.mask_text(text, &mut session);
        let mut offsets = Offsets::new(text);
        let located = self.engine.locate_in_text(text);
        let outcome = Outcome {
            findings: located
                .iter()
                .map(|found| finding(found, &mut offsets))
                .collect(),
            masked,
            values: session.len(),
        };
        // A request without a body: its reply may restore what the session has.
        let empty = self.engine.request(Schema::ChatStyle, Vec::new())?;
        let restoring = empty.mask(&mut session, &NoMemory)?.restoring;
        Ok((outcome, restoring))
    }

    fn mask_body(&self, schema: Schema, body: &str) -> Result<(Outcome, Restoring), Error> {
        let mut offsets = Offsets::new(body);
        let request = self.engine.request(schema, body.as_bytes().to_vec())?;
        let path = usual_path(schema);
        let mut request = request.under(&Facts {
            target: path,
            route: path,
            schema,
            headers: &[],
            keys: Some(&[]),
        });
        request.keep_known(|_| false);
        let located = request.locate(&NoMemory);
        let mut session = request.history().session(&self.history_key, "");
        let masked = request.mask(&mut session, &NoMemory)?;
        let outcome = Outcome {
            findings: located
                .iter()
                .map(|found| finding(found, &mut offsets))
                .collect(),
            masked: String::from_utf8(masked.body.into_bytes()).map_err(|_| Error::NotUtf8)?,
            values: session.len(),
        };
        Ok((outcome, masked.restoring))
    }
}

/// Where requests of a format go, for rules that ask.
const fn usual_path(schema: Schema) -> &'static str {
    match schema {
        Schema::ChatStyle => "/v1/chat/completions",
        Schema::MessagesStyle => "/v1/messages",
        Schema::Responses => "/v1/responses",
        Schema::Generic => "",
    }
}
