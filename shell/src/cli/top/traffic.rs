//! The requests in the audit trail since the proxy started.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;

use super::counters::Counts;
use super::rhythm::SecondCounts;

/// The most names of one kind that are counted separately: the number of paths is unlimited.
const NAMES: usize = 500;

/// The name of those beyond.
const OTHERS: &str = "(others)";

/// The most streams that are tracked.
const STREAMS: usize = 100_000;

/// Request figures that only the trail has.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub(super) lines: u64,
    /// Lines that are not events.
    pub(super) unreadable: u64,
    pub(super) by_status: Counts,
    pub(super) by_route: Counts,
    pub(super) by_code: Counts,
    /// Requests with a body that were forwarded unmasked, by path.
    pub(super) unmasked: Counts,
    pub(super) rhythm: SecondCounts,
    /// The streamed replies in progress, by request.
    streams: HashSet<String>,
}

/// The fields of a line that are counted.
#[derive(Deserialize)]
struct Line<'a> {
    epoch: f64,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    status: Option<u16>,
    #[serde(default)]
    stream: bool,
    #[serde(borrow)]
    unmasked: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error_type: Option<Cow<'a, str>>,
}

impl Traffic {
    /// Counts a line, unless it is older than the service (`started`, in seconds since the epoch).
    pub(super) fn add(&mut self, line: &[u8], started: f64) {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
            self.unreadable += 1;
            return;
        };
        if line.epoch < started {
            return;
        }
        self.lines += 1;
        match &*line.event {
            "proxy.request" | "guardrail.call" => self.request(&line),
            "proxy.passthrough" => {
                self.answered(&line);
                if line.unmasked.is_some() {
                    add(&mut self.unmasked, line.path.as_deref());
                }
            }
            "proxy.blocked" => self.answered(&line),
            "proxy.response" => self.ended(&line),
            "proxy.error" => {
                self.ended(&line);
                let code = line.code.as_deref().unwrap_or("-");
                let kind = line.error_type.as_deref().unwrap_or("-");
                add(&mut self.by_code, Some(&format!("{code} ({kind})")));
            }
            _ => {}
        }
    }

    /// The number of streamed replies in progress.
    pub(super) fn streams(&self) -> u64 {
        u64::try_from(self.streams.len()).unwrap_or(u64::MAX)
    }

    fn request(&mut self, line: &Line<'_>) {
        self.rhythm.count(line.epoch, 1);
        self.answered(line);
        add(&mut self.by_route, line.path.as_deref());
        if let Some(request) = &line.request_id
            && line.stream
            && self.streams.len() < STREAMS
        {
            self.streams.insert(request.to_string());
        }
    }

    fn answered(&mut self, line: &Line<'_>) {
        if let Some(status) = line.status {
            add(&mut self.by_status, Some(&status.to_string()));
        }
    }

    fn ended(&mut self, line: &Line<'_>) {
        if let Some(request) = &line.request_id {
            self.streams.remove(&**request);
        }
    }
}

/// Counts one of a name; of a common one where there are too many names.
fn add(counts: &mut Counts, name: Option<&str>) {
    let name = name.unwrap_or("-");
    let is_one_too_many = counts.len() >= NAMES && !counts.contains_key(name);
    let name = if is_one_too_many { OTHERS } else { name };
    *counts.entry(name.to_owned()).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: &str, more: &str) -> Vec<u8> {
        format!(r#"{{"version":1,"epoch":10.5,"event":"{event}","request_id":"req_1"{more}}}"#)
            .into()
    }

    #[test]
    fn requests_are_counted_by_status_and_route_and_errors_by_code() {
        let mut traffic = Traffic::default();
        let request = r#","path":"/v1/messages","status":200,"stream":true"#;
        traffic.add(&line("proxy.request", request), 0.0);
        assert_eq!(traffic.streams(), 1);
        traffic.add(
            &line("proxy.response", r#","status":200,"stream":true"#),
            0.0,
        );
        assert_eq!(traffic.streams(), 0);
        let error = r#","code":"mask_invalid_request","error_type":"NotJson""#;
        traffic.add(&line("proxy.error", error), 0.0);
        let unmasked = r#","path":"/v9/new","status":404,"unmasked":"json""#;
        traffic.add(&line("proxy.passthrough", unmasked), 0.0);
        traffic.add(&line("proxy.passthrough", r#","status":404"#), 0.0);
        let counts = |name: &str, count| Counts::from([(name.to_owned(), count)]);
        assert_eq!(traffic.by_route, counts("/v1/messages", 1));
        assert_eq!(traffic.by_code, counts("mask_invalid_request (NotJson)", 1));
        assert_eq!(traffic.unmasked, counts("/v9/new", 1));
        assert_eq!(traffic.by_status["404"], 2);
    }

    #[test]
    fn earlier_processes_and_invalid_lines_do_not_count() {
        let mut traffic = Traffic::default();
        traffic.add(&line("proxy.request", ""), 11.0);
        assert_eq!((traffic.lines, traffic.unreadable), (0, 0));
        for bad in [&b"{\"event\":"[..], b"\xff", b"[]", b"{\"event\":\"x\"}"] {
            traffic.add(bad, 0.0);
        }
        assert_eq!((traffic.lines, traffic.unreadable), (0, 4));
    }

    #[test]
    fn endless_distinct_paths_are_counted_in_bounded_memory() {
        let mut traffic = Traffic::default();
        for number in 0..2000 {
            let path = format!(r#","path":"/{number}""#);
            traffic.add(&line("proxy.request", &path), 0.0);
        }
        assert_eq!(traffic.by_route.len(), NAMES + 1);
        assert_eq!(traffic.by_route.values().sum::<u64>(), 2000);
    }
}
