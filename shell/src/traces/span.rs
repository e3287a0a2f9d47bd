//! A span: the report of one exchange.

use std::borrow::Cow;
use std::time::{Duration, Instant, SystemTime};

use super::exporter::Exporter;
use super::place::Place;

/// A span that has begun. It ends, and is reported, when it is dropped.
#[derive(Debug)]
pub(crate) struct Span {
    exporter: Exporter,
    place: Place,
    name: String,
    began: SystemTime,
    clock: Instant,
    attributes: Attributes,
    has_failed: bool,
}

type Attributes = Vec<(Cow<'static, str>, Value)>;

/// What an attribute says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Flag(bool),
    Count(u64),
    Milliseconds(Duration),
}

/// A span that has ended.
#[cfg_attr(
    not(feature = "otlp"),
    expect(dead_code, reason = "traces are not built in")
)]
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) began: SystemTime,
    pub(super) took: Duration,
    pub(super) attributes: Attributes,
    pub(super) has_failed: bool,
}

impl Span {
    pub(super) fn begin(exporter: Exporter, place: Place) -> Self {
        Self {
            exporter,
            place,
            name: String::new(),
            began: SystemTime::now(),
            clock: Instant::now(),
            attributes: Vec::with_capacity(16),
            has_failed: false,
        }
    }

    /// What the exchange is: a method, and a path that may be shown.
    pub(crate) fn name(&mut self, method: &str, path: &str) {
        self.name = format!("{method} {path}");
        self.text("http.request.method", method);
        self.text("http.route", path);
    }

    pub(crate) fn text(&mut self, key: &'static str, text: &str) {
        self.add(key, Value::Text(text.to_owned()));
    }

    pub(crate) fn count(&mut self, key: impl Into<Cow<'static, str>>, count: u64) {
        self.add(key, Value::Count(count));
    }

    pub(crate) fn flag(&mut self, key: &'static str) {
        self.add(key, Value::Flag(true));
    }

    pub(crate) fn milliseconds(&mut self, key: &'static str, took: Duration) {
        self.add(key, Value::Milliseconds(took));
    }

    /// The exchange failed: of what kind the fault is.
    pub(crate) fn failed(&mut self, kind: &str) {
        self.has_failed = true;
        self.text("error.type", kind);
    }

    fn add(&mut self, key: impl Into<Cow<'static, str>>, value: Value) {
        self.attributes.push((key.into(), value));
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.exporter.add(Ended {
            place: self.place,
            name: std::mem::take(&mut self.name),
            began: self.began,
            took: self.clock.elapsed(),
            attributes: std::mem::take(&mut self.attributes),
            has_failed: self.has_failed,
        });
    }
}
