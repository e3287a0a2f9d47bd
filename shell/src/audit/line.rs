//! How an audit line is written.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::Write;

use jiff::Timestamp;

use crate::session::RequestId;

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
}

impl Event {
    pub(crate) const ALL: [Self; 9] = [
        Self::SessionCreated,
        Self::SessionTransform,
        Self::SessionRestore,
        Self::SessionDeleted,
        Self::ProxyRequest,
        Self::ProxyResponse,
        Self::ProxyError,
        Self::ProxyPassthrough,
        Self::ProxyBlocked,
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
        }
    }
}

/// The version of the line's form.
const VERSION: u32 = 1;

/// Writes one line into a buffer: fields in the order in which they are added.
#[derive(Debug)]
pub(crate) struct Line<'a>(&'a mut Vec<u8>);

impl<'a> Line<'a> {
    /// Begins a line with what every line has.
    pub(crate) fn begin(
        buffer: &'a mut Vec<u8>,
        event: Event,
        request: RequestId,
        session: Option<&str>,
    ) -> Self {
        buffer.extend_from_slice(b"{\"version\":");
        let line = Self(buffer).display(VERSION).times();
        line.0.extend_from_slice(b",\"event\":\"");
        line.0.extend_from_slice(event.as_str().as_bytes());
        line.0.extend_from_slice(b"\",\"request_id\":\"");
        line.0.extend_from_slice(request.as_str().as_bytes());
        line.0.push(b'"');
        match session {
            Some(session) => line.text("session_id", session),
            None => line,
        }
    }

    /// Adds a text.
    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        let line = self.key(key);
        // Writing text to a vector can't fail.
        let _ = serde_json::to_writer(&mut *line.0, value);
        line
    }

    /// Adds a number.
    pub(crate) fn number(self, key: &str, value: u64) -> Self {
        self.key(key).display(value)
    }

    /// Adds a duration, written in milliseconds with three decimals.
    pub(crate) fn milliseconds(self, key: &str, duration: std::time::Duration) -> Self {
        let micros = duration.as_micros();
        self.key(key)
            .display(format_args!("{}.{:03}", micros / 1000, micros % 1000))
    }

    /// Adds a yes or no.
    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.key(key).display(value)
    }

    /// Adds a list of `NAME:count`. Names must need no escapes.
    pub(crate) fn counts<N: Display>(
        self,
        key: &str,
        counts: impl IntoIterator<Item = (N, u64)>,
    ) -> Self {
        let mut line = self.key(key);
        for (index, (name, count)) in counts.into_iter().enumerate() {
            let separator = if index == 0 { "[" } else { "," };
            line = line.display(format_args!("{separator}\"{name}:{count}\""));
        }
        if line.0.last() == Some(&b':') {
            line.0.push(b'[');
        }
        line.0.push(b']');
        line
    }

    /// Ends the line.
    pub(crate) fn end(self) {
        self.0.extend_from_slice(b"}\n");
    }

    fn key(self, key: &str) -> Self {
        self.0.extend_from_slice(b",\"");
        self.0.extend_from_slice(key.as_bytes());
        self.0.extend_from_slice(b"\":");
        self
    }

    fn display(self, value: impl Display) -> Self {
        // Writing to a vector can't fail.
        let _ = write!(self.0, "{value}");
        self
    }

    /// Adds the time, as ISO 8601 in UTC and as seconds since the epoch.
    fn times(self) -> Self {
        thread_local! {
            static SECOND: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
        }
        let now = Timestamp::now();
        let millis = now.subsec_millisecond();
        SECOND.with_borrow_mut(|(second, text)| {
            if *second != now.as_second() {
                *second = now.as_second();
                *text = now.strftime("%Y-%m-%dT%H:%M:%S").to_string();
            }
            self.display(format_args!(
                ",\"ts\":\"{text}.{millis:03}Z\",\"epoch\":{second}.{millis:03}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::time::Duration;

    #[test]
    fn a_line_is_one_json_object_with_its_times() {
        let mut buffer = Vec::new();
        let request = RequestId::random();
        Line::begin(&mut buffer, Event::ProxyResponse, request, Some("ses_\"x"))
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
        assert_eq!(line["session_id"], "ses_\"x");
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
