//! The message to a collector: the part of OpenTelemetry's protocol (`ExportTraceServiceRequest`, version 1) that a span of the
//! proxy needs.

use std::time::{SystemTime, UNIX_EPOCH};

use prost::{Message, Oneof};

use super::span::{Ended, Value};

/// A span that serves a request.
const SERVER: i32 = 2;

/// The status of a span that failed.
const ERROR: i32 = 2;

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    trace: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    parent: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4")]
    value: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Kind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Whole(i64),
    #[prost(double, tag = "4")]
    Fraction(f64),
}

/// The body of a request that reports a service's spans.
pub(super) fn of_spans(service: &str, spans: Vec<Ended>) -> Vec<u8> {
    let resource = Resource {
        attributes: vec![
            text("service.name", service),
            text("service.version", env!("CARGO_PKG_VERSION")),
        ],
    };
    let scope = Scope {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let spans = ScopeSpans {
        scope: Some(scope),
        spans: spans.into_iter().map(Span::from).collect(),
    };
    let request = Request {
        resource_spans: vec![ResourceSpans {
            resource: Some(resource),
            scope_spans: vec![spans],
        }],
    };
    request.encode_to_vec()
}

impl From<Ended> for Span {
    fn from(ended: Ended) -> Self {
        let attributes = ended.attributes.into_iter();
        Self {
            trace: ended.place.trace.to_vec(),
            id: ended.place.span.to_vec(),
            parent: ended.place.parent.map(Vec::from).unwrap_or_default(),
            name: ended.name,
            kind: SERVER,
            start_time_unix_nano: nanoseconds(ended.began),
            end_time_unix_nano: nanoseconds(ended.began + ended.took),
            attributes: attributes
                .map(|(key, value)| attribute(&key, value))
                .collect(),
            status: ended.has_failed.then_some(Status { code: ERROR }),
        }
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn text(key: &str, value: &str) -> KeyValue {
    attribute(key, Value::Text(value.to_owned()))
}

fn attribute(key: &str, value: Value) -> KeyValue {
    let kind = match value {
        Value::Text(text) => Kind::Text(text),
        Value::Flag(flag) => Kind::Flag(flag),
        Value::Count(count) => Kind::Whole(i64::try_from(count).unwrap_or(i64::MAX)),
        Value::Milliseconds(took) => Kind::Fraction(took.as_secs_f64() * 1000.0),
    };
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(kind) }),
    }
}
