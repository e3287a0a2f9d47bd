//! One log line for every request that is forwarded or refused. `/health` and `/metrics` have none.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};

use super::Outputs;
use crate::base::clock;
use crate::base::json_string;
use crate::session::RequestId;

/// Where access lines go, and in which form; nowhere by default.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccessLog {
    pub(super) outputs: Option<Arc<Outputs>>,
    /// Whether the log's level lets them through.
    pub(super) is_on: bool,
}

/// The fields of a line.
#[derive(Debug)]
pub(crate) struct Access<'a> {
    pub(crate) request: RequestId,
    pub(crate) method: &'a Method,
    /// Without its query.
    pub(crate) path: &'a str,
    /// None when the client went away before there was one.
    pub(crate) status: Option<StatusCode>,
    pub(crate) took: Duration,
}

impl AccessLog {
    /// Whether lines are written at all.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// How many lines of any kind the log lost since this was asked last.
    pub(crate) fn take_lost(&self) -> u64 {
        let outputs = self.outputs.iter().flat_map(|outputs| outputs.all());
        outputs.map(|spool| spool.take_lost()).sum()
    }

    /// Writes a line. Never waits for the output.
    pub(crate) fn write(&self, access: &Access<'_>) {
        thread_local! {
            static LINE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let Some(outputs) = self.outputs.as_ref().filter(|_| self.is_on) else {
            return;
        };
        LINE.with_borrow_mut(|line| {
            line.clear();
            if outputs.json {
                json(line, access);
            } else {
                text(line, access);
            }
            outputs.append(line);
        });
    }
}

fn text(line: &mut Vec<u8>, access: &Access<'_>) {
    clock::iso(line, clock::now());
    line.extend_from_slice(b"  INFO ");
    line.extend_from_slice(access.method.as_str().as_bytes());
    line.push(b' ');
    // It has no control characters: those of ASCII HTTP does not let through, others are encoded.
    line.extend_from_slice(access.path.as_bytes());
    line.push(b' ');
    match access.status {
        Some(status) => line.extend_from_slice(status.as_str().as_bytes()),
        None => line.push(b'-'),
    }
    line.push(b' ');
    clock::milliseconds(line, access.took);
    line.extend_from_slice(b" ms ");
    line.extend_from_slice(access.request.as_str().as_bytes());
    line.push(b'\n');
}

fn json(line: &mut Vec<u8>, access: &Access<'_>) {
    line.extend_from_slice(b"{\"timestamp\":\"");
    clock::iso(line, clock::now());
    line.extend_from_slice(b"\",\"level\":\"INFO\",\"message\":\"access\",\"method\":");
    json_string::append(line, access.method.as_str());
    line.extend_from_slice(b",\"path\":");
    json_string::append(line, access.path);
    line.extend_from_slice(b",\"status\":");
    match access.status {
        Some(status) => line.extend_from_slice(status.as_str().as_bytes()),
        None => line.extend_from_slice(b"null"),
    }
    line.extend_from_slice(b",\"duration_ms\":");
    clock::milliseconds(line, access.took);
    line.extend_from_slice(b",\"request_id\":\"");
    line.extend_from_slice(access.request.as_str().as_bytes());
    line.extend_from_slice(b"\"}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(method: &Method, status: Option<StatusCode>) -> Access<'_> {
        Access {
            request: RequestId::random(),
            method,
            path: "/v1/\"messages",
            status,
            took: Duration::from_micros(12_034),
        }
    }

    #[test]
    fn text_and_json_lines_hold_the_same_fields() {
        let access = access(&Method::POST, Some(StatusCode::OK));
        let mut line = Vec::new();
        text(&mut line, &access);
        let words = String::from_utf8(line).unwrap();
        let expected = format!(
            "  INFO POST /v1/\"messages 200 12.034 ms {}\n",
            access.request
        );
        assert!(words.ends_with(&expected), "{words}");

        let mut line = Vec::new();
        json(&mut line, &access);
        let line: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(line["path"], "/v1/\"messages");
        assert_eq!(
            (&line["status"], &line["duration_ms"]),
            (&200.into(), &12.034.into())
        );
        assert_eq!(line["request_id"], access.request.as_str());
    }

    #[test]
    fn an_aborted_request_has_no_status() {
        let mut line = Vec::new();
        json(&mut line, &access(&Method::GET, None));
        let line: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert!(line["status"].is_null());
    }
}
