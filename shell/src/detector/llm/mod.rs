//! A detector that asks a language model.

mod answer;
mod collected;
mod pages;
mod prompt;

use std::time::Duration;

use engine::{EntityType, Sensitive};
use futures_util::{StreamExt, stream};
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::StartError;
use super::service::{Service, parts_of};
use super::span::Span;
use crate::config::LlmSettings;
use crate::error::ScanFailure;
use answer::Reported;
use collected::Collected;
use pages::{Page, pages};
use prompt::Prompt;

const NAME: &str = "llm";

/// How many pages the model is shown at the same time.
const AT_ONCE: usize = 4;

/// The model.
#[derive(Debug)]
pub(super) struct Llm {
    service: Service,
    prompt: Prompt,
    entities: Vec<EntityType>,
    max_chars: usize,
    timeout: Duration,
}

impl Llm {
    /// A model that is asked for these types; for what is personal when there are none.
    ///
    /// # Errors
    /// [`StartError`] when it can't be asked as configured.
    pub(super) fn new(settings: &LlmSettings, entities: &[EntityType]) -> Result<Self, StartError> {
        let public = if settings.messages_style {
            "https://api.anthropic.com"
        } else {
            "https://api.openai.com"
        };
        if settings.base_url.is_none() && settings.api_key.is_none() {
            return Err(StartError::NoKey);
        }
        let own = settings.base_url.as_ref().map(Sensitive::expose);
        let url = own.map_or(public, String::as_str);
        let (origin, base) = parts_of(url, "llm_base_url")?;
        let prompt = Prompt::new(settings, entities);
        let path = prompt.path(&base).parse();
        let path = path.map_err(|_| StartError::InvalidUrl("llm_base_url"))?;
        let headers = headers(settings)?;
        Ok(Self {
            service: Service::new(NAME, origin, path, headers, settings.timeout)?,
            prompt,
            entities: entities.to_vec(),
            max_chars: settings.max_chars,
            timeout: settings.timeout,
        })
    }

    /// Shows the model all texts, and returns the detections by the text's index, once all of a text
    /// was shown.
    ///
    /// # Errors
    /// [`ScanFailure`] when the model did not answer for all of them in time, in a usable way.
    pub(super) async fn ask(
        &self,
        texts: &[&str],
        keep: &mut impl FnMut(usize, Vec<Span>),
    ) -> Result<(), ScanFailure> {
        let pages = pages(texts, self.max_chars);
        let mut collected = Collected::new(texts, &pages);
        let asking = async {
            let answers: Vec<_> = pages.iter().map(|page| self.show(page)).collect();
            let mut answers = stream::iter(answers).buffer_unordered(AT_ONCE);
            while let Some(answer) = answers.next().await {
                let (page, reported) = answer?;
                collected.add(page, &reported, keep);
            }
            Ok(())
        };
        let done = tokio::time::timeout(self.timeout, asking).await;
        done.unwrap_or(Err(ScanFailure::timeout(NAME)))
    }

    /// What the model reports of a page.
    async fn show<'p>(&self, page: &'p Page) -> Result<(&'p Page, Vec<Reported>), ScanFailure> {
        let reply = self.service.post(self.prompt.question(&page.text)).await?;
        let answer = self.prompt.answer(&reply);
        let reported = answer.and_then(|answer| answer::read(&answer));
        let mut reported = reported.ok_or(ScanFailure::unusable(NAME))?;
        reported.retain(|reported| self.is_wanted(&reported.entity));
        Ok((page, reported))
    }

    /// Whether a type was asked for. What has no usable type may be anything.
    fn is_wanted(&self, entity: &EntityType) -> bool {
        self.entities.is_empty() || self.entities.contains(entity) || entity.as_str() == "PII"
    }
}

fn headers(settings: &LlmSettings) -> Result<HeaderMap, StartError> {
    let mut headers = HeaderMap::new();
    if settings.messages_style {
        let version = HeaderName::from_static("anthropic-version");
        headers.insert(version, HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = &settings.api_key {
        let (name, value) = if settings.messages_style {
            (HeaderName::from_static("x-api-key"), key.clone())
        } else {
            let bearer = format!("Bearer {}", key.expose());
            (AUTHORIZATION, Sensitive::new(bearer))
        };
        let value = HeaderValue::from_str(value.expose());
        let mut value = value.map_err(|_| StartError::InvalidKey)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}
