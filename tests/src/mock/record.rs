//! Records what reached the provider.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::http1::Head;

/// A request as it reached the provider.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// As sent.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// In order, repeats kept, names as sent.
    pub headers: Vec<(String, String)>,
    /// The head's bytes.
    pub head: Vec<u8>,
    /// The body's bytes, chunks joined.
    pub body: Vec<u8>,
}

impl Recorded {
    pub(crate) fn new(head: Head, body: Vec<u8>) -> Self {
        let [method, target, version] = head.start;
        Self {
            method,
            target,
            version,
            headers: head.headers,
            head: head.raw,
            body,
        }
    }

    /// The target without its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Every header of that name.
    #[must_use]
    pub fn header_all(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.header_all(name).first().copied()
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, null if it is invalid. A leading byte order mark is allowed.
    #[must_use]
    pub fn json(&self) -> Value {
        let marked = self.body.strip_prefix("\u{feff}".as_bytes());
        serde_json::from_slice(marked.unwrap_or(&self.body)).unwrap_or(Value::Null)
    }

    /// Head and body as text: everything that the provider got.
    #[must_use]
    pub fn everything(&self) -> String {
        String::from_utf8_lossy(&self.head).into_owned() + &self.text()
    }
}

#[derive(Debug, Default)]
pub(super) struct Log(Mutex<Vec<Recorded>>);

impl Log {
    pub(super) fn add(&self, request: Recorded) {
        self.0.lock().expect("unpoisoned").push(request);
    }

    pub(super) fn all(&self) -> Vec<Recorded> {
        self.0.lock().expect("unpoisoned").clone()
    }

    /// The control path: lists the requests, or forgets them.
    pub(super) fn control(&self, method: &str) -> Value {
        let mut requests = self.0.lock().expect("unpoisoned");
        if method == "DELETE" {
            requests.clear();
        }
        let listed = requests.iter().map(|request| {
            json!({
                "method": request.method,
                "target": request.target,
                "headers": request.headers,
                "body": request.text(),
            })
        });
        listed.collect()
    }
}
