//! Formats audit lines.

use std::cell::RefCell;
use std::time::Duration;

use engine::{Coverage, Sighting};

use crate::base::clock;
use crate::base::json_string;
use crate::session::{RequestId, SessionId};

/// The kind of an audit line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    SessionCreated,
    SessionTransform,
    SessionRestore,
    SessionDeleted,
    ProxyRequest,
    ProxyResponse,
    ProxyError,
    ProxyPassthrough,
    ProxyBlocked,
    GuardrailCall,
    ShadowDetected,
}

impl Event {
    pub(crate) const ALL: [Self; 11] = [
        Self::SessionCreated,
        Self::SessionTransform,
        Self::SessionRestore,
        Self::SessionDeleted,
        Self::ProxyRequest,
        Self::ProxyResponse,
        Self::ProxyError,
        Self::ProxyPassthrough,
        Self::ProxyBlocked,
        Self::GuardrailCall,
        Self::ShadowDetected,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::SessionCreated => "session.created",
            Self::SessionTransform => "session.transform",
            Self::SessionRestore => "session.restore",
            Self::SessionDeleted => "session.deleted",
            Self::ProxyRequest => "proxy.request",
            Self::ProxyResponse => "proxy.response",
            Self::ProxyError => "proxy.error",
            Self::ProxyPassthrough => "proxy.passthrough",
            Self::ProxyBlocked => "proxy.blocked",
            Self::GuardrailCall => "guardrail.call",
            Self::ShadowDetected => "shadow.detected",
        }
    }
}

/// The most findings in a line.
const FINDINGS: usize = 64;

/// Writes one line into a buffer: fields in the order in which they are added.
#[derive(Debug)]
pub(crate) struct Line<'a>(&'a mut Vec<u8>);

impl<'a> Line<'a> {
    /// Begins a line with the members that every line has; `version` is the version of the line's
    /// format.
    pub(crate) fn begin(
        buffer: &'a mut Vec<u8>,
        event: Event,
        request: RequestId,
        session: Option<&SessionId>,
    ) -> Self {
        let mut line = Self(buffer);
        line.raw("{\"version\":1");
        line.times();
        line.raw(",\"event\":\"");
        line.raw(event.as_str());
        line.raw("\",\"request_id\":\"");
        line.raw(request.as_str());
        if let Some(session) = session {
            // Its characters need no escapes.
            line.raw("\",\"session_id\":\"");
            line.raw(session.as_str());
        }
        line.raw("\"");
        line
    }

    /// Adds a text.
    #[inline]
    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        json_string::append(self.0, value);
        self
    }

    /// Adds a number.
    #[inline]
    pub(crate) fn number(mut self, key: &str, value: u64) -> Self {
        self.key(key);
        self.digits(value);
        self
    }

    /// Adds a duration, written in milliseconds with three decimals.
    #[inline]
    pub(crate) fn milliseconds(mut self, key: &str, duration: Duration) -> Self {
        self.key(key);
        clock::milliseconds(self.0, duration);
        self
    }

    /// Adds a yes or no.
    #[inline]
    pub(crate) fn flag(mut self, key: &str, value: bool) -> Self {
        self.key(key);
        self.raw(if value { "true" } else { "false" });
        self
    }

    /// Adds a list of `NAME:count`. Names must need no escapes.
    pub(crate) fn counts<'n>(
        mut self,
        key: &str,
        counts: impl IntoIterator<Item = (&'n str, u64)>,
    ) -> Self {
        self.key(key);
        self.raw("[");
        for (index, (name, count)) in counts.into_iter().enumerate() {
            self.raw(if index == 0 { "\"" } else { ",\"" });
            self.raw(name);
            self.raw(":");
            self.digits(count);
            self.raw("\"");
        }
        self.raw("]");
        self
    }

    /// Adds which texts were read, which were left, by which detectors, in how long.
    pub(crate) fn coverage(self, coverage: &Coverage, detectors: &[&str], took: Duration) -> Self {
        self.number("texts", coverage.texts)
            .counts("left", coverage.left())
            .text("detectors", &detectors.join(","))
            .milliseconds("detect_ms", took)
    }

    /// Adds where values were found and by which rule. If there are too many, it adds those with
    /// the most values, and the number of values of the others.
    pub(crate) fn findings(mut self, sightings: &[Sighting]) -> Self {
        let mut named: Vec<_> = sightings.iter().collect();
        named.sort_by_key(|sighting| std::cmp::Reverse(sighting.count));
        let others = named.split_off(named.len().min(FINDINGS));
        self.key("findings");
        for (index, sighting) in named.into_iter().enumerate() {
            // Types, fields and rules need no escapes.
            self.raw(if index == 0 {
                "[{\"type\":\""
            } else {
                ",{\"type\":\""
            });
            self.raw(sighting.entity.as_str());
            self.raw("\",\"field\":\"");
            self.raw(sighting.field.as_str());
            self.raw("\",\"rule\":\"");
            self.raw(sighting.rule);
            self.raw("\",\"count\":");
            self.digits(sighting.count);
            self.raw("}");
        }
        self.raw(if sightings.is_empty() { "[]" } else { "]" });
        match others.iter().map(|sighting| sighting.count).sum() {
            0 => self,
            left => self.number("findings_left", left),
        }
    }

    /// Ends the line.
    pub(crate) fn end(mut self) {
        self.raw("}\n");
    }

    #[inline]
    fn key(&mut self, key: &str) {
        self.raw(",\"");
        self.raw(key);
        self.raw("\":");
    }

    #[inline]
    fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn digits(&mut self, value: u64) {
        self.raw(itoa::Buffer::new().format(value));
    }

    /// Adds the time, as ISO 8601 in UTC and as seconds since the epoch.
    fn times(&mut self) {
        thread_local! {
            /// The time of the last line, which often is that of the next.
            static LAST: RefCell<(i64, Vec<u8>)> = const { RefCell::new((i64::MIN, Vec::new())) };
        }
        let now = clock::now();
        LAST.with_borrow_mut(|(time, text)| {
            if *time != now {
                *time = now;
                text.clear();
                text.extend_from_slice(b",\"ts\":\"");
                clock::iso(text, now);
                text.extend_from_slice(b"\",\"epoch\":");
                clock::thousandths(text, now.unsigned_abs());
            }
            self.0.extend_from_slice(text);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use serde_json::Value;

    #[test]
    fn a_line_is_one_json_object_with_its_times() {
        let mut buffer = Vec::new();
        let request = RequestId::random();
        let session = SessionId::random();
        Line::begin(&mut buffer, Event::ProxyResponse, request, Some(&session))
            .text("source", "\"x")
            .number("status", 200)
            .flag("stream", true)
            .milliseconds("duration_ms", Duration::from_micros(12_034))
            .counts("entity_counts", [("EMAIL", 2), ("SSN", 1)])
            .counts("none", [("", 0); 0])
            .end();
        let text = String::from_utf8(buffer).unwrap();
        assert_eq!(text.matches('\n').count(), 1);
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["version"], 1);
        assert_eq!(line["event"], "proxy.response");
        assert_eq!(line["request_id"], request.as_str());
        assert_eq!(line["session_id"], session.as_str());
        assert_eq!(line["source"], "\"x");
        assert_eq!(line["duration_ms"], 12.034);
        assert_eq!(
            line["entity_counts"],
            serde_json::json!(["EMAIL:2", "SSN:1"])
        );
        assert_eq!(line["none"], serde_json::json!([]));
        let ts: Timestamp = line["ts"].as_str().unwrap().parse().unwrap();
        let epoch = line["epoch"].as_f64().unwrap();
        assert!((ts.as_duration().as_secs_f64() - epoch).abs() < 0.002);
        assert_eq!(line["ts"].as_str().unwrap().len(), 24);
    }
}
