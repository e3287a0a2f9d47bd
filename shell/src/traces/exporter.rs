//! Sends spans to a collector, from its own thread.

use std::env;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request};
use percent_encoding::percent_decode_str;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep;

use super::span::Ended;
use super::{StartError, message};
use crate::base::io_error;
use crate::base::panics::contain;
use crate::config::{Limits, Origin, TraceSettings};
use crate::upstream::{self, ConnectionLimit, Egress, Outgoing, ToProvider, Upstream};

/// How many spans may wait. Further ones are lost, and counted.
const WAITING: usize = 2048;

/// So many are sent at once.
const BATCH: usize = 512;

/// How long spans gather before they are sent.
const GATHERING: Duration = Duration::from_secs(1);

/// How long the collector may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// How long the last spans may take.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The settings of all OpenTelemetry exporters.
const URL: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_URL: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const SERVICE: &str = "OTEL_SERVICE_NAME";
const DISABLED: &str = "OTEL_SDK_DISABLED";

/// The path for traces, after a collector's base URL.
const PATH: &str = "/v1/traces";

/// Takes spans for the thread that sends them. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Exporter(Arc<Queue>);

#[derive(Debug)]
struct Queue {
    /// None once it is closed.
    spans: Mutex<Option<Sender<Ended>>>,
    lost: Arc<AtomicU64>,
    ended: Arc<Ending>,
}

/// Whether the thread has sent all.
#[derive(Debug, Default)]
struct Ending {
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Exporter {
    /// Starts the thread, where the environment or the settings name a collector.
    ///
    /// # Errors
    /// When it can't be used.
    pub(super) fn start(settings: &TraceSettings) -> Result<Option<Self>, StartError> {
        if set(DISABLED).is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let Some((origin, path)) = endpoint(settings)? else {
            return Ok(None);
        };
        let collector = Collector {
            upstream: to(origin)?,
            path,
            headers: headers(settings)?,
            service: set(SERVICE).unwrap_or_else(|| env!("CARGO_PKG_NAME").to_owned()),
        };
        let (spans, waiting) = channel(WAITING);
        let queue = Queue {
            spans: Mutex::new(Some(spans)),
            lost: Arc::default(),
            ended: Arc::default(),
        };
        let (lost, ended) = (Arc::clone(&queue.lost), Arc::clone(&queue.ended));
        let unsent = |error: std::io::Error| StartError::Unsent(io_error::in_words(&error));
        let reactor = Builder::new_current_thread().enable_all().build();
        let reactor = reactor.map_err(unsent)?;
        thread::Builder::new()
            .name("traces".to_owned())
            .spawn(move || {
                // It says itself that it met a panic; spans are lost from then on.
                let _ = contain(|| reactor.block_on(collector.send_all(waiting, &lost)));
                *ended.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
                ended.over.notify_all();
            })
            .map_err(unsent)?;
        Ok(Some(Self(Arc::new(queue))))
    }

    /// Adds a span. Never waits.
    pub(super) fn add(&self, span: Ended) {
        let spans = self.0.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = spans
            .as_ref()
            .is_some_and(|spans| spans.try_send(span).is_ok());
        if !is_taken {
            self.0.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn take_lost(&self) -> u64 {
        self.0.lost.swap(0, Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        let spans = self
            .0
            .spans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(spans);
        let Ending { is_over, over } = &*self.0.ended;
        let is_over = is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = over.wait_timeout_while(is_over, CLOSE_TIME, |is_over| !*is_over);
        drop(ended);
    }
}

/// Where spans are sent.
struct Collector {
    upstream: Upstream,
    path: PathAndQuery,
    headers: HeaderMap,
    service: String,
}

impl Collector {
    /// Sends spans until there will be none.
    async fn send_all(self, mut waiting: Receiver<Ended>, lost: &AtomicU64) {
        let mut is_failing = false;
        let mut spans = Vec::new();
        while waiting.recv_many(&mut spans, BATCH).await > 0 {
            if spans.len() < BATCH && !waiting.is_closed() {
                sleep(GATHERING).await;
                while spans.len() < BATCH
                    && let Ok(span) = waiting.try_recv()
                {
                    spans.push(span);
                }
            }
            let count = spans.len();
            match self.send(std::mem::take(&mut spans)).await {
                Ok(()) => is_failing = false,
                Err(why) => {
                    lost.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
                    if !is_failing {
                        tracing::warn!("the collector of traces does not take spans: {why}");
                    }
                    is_failing = true;
                }
            }
        }
    }

    /// # Errors
    /// Why the collector refused them.
    async fn send(&self, spans: Vec<Ended>) -> Result<(), String> {
        let body = message::of_spans(&self.service, spans);
        let reply = self.upstream.send(self.request(body)).await;
        let mut reply = reply.map_err(|fault| fault.class().to_owned())?;
        while let Some(frame) = poll_fn(|cx| reply.body.poll_next(cx)).await {
            frame.map_err(|fault| fault.class().to_owned())?;
        }
        if reply.head.status.is_success() {
            Ok(())
        } else {
            Err(format!("it answers {}", reply.head.status.as_u16()))
        }
    }

    fn request(&self, body: Vec<u8>) -> Request<Outgoing> {
        let length = HeaderValue::from(body.len());
        let mut request = Request::new(Outgoing::to_collector(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.path.clone().into();
        let headers = request.headers_mut();
        *headers = self.headers.clone();
        headers.insert(CONTENT_LENGTH, length);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-protobuf"),
        );
        request
    }
}

/// A variable that is set, and not empty.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The collector, and its path for traces.
fn endpoint(settings: &TraceSettings) -> Result<Option<(Origin, PathAndQuery)>, StartError> {
    if let Some(url) = set(TRACES_URL) {
        return read(&url, "")
            .map(Some)
            .ok_or(StartError::NoUrl(TRACES_URL));
    }
    if let Some(url) = set(URL) {
        return read(&url, PATH).map(Some).ok_or(StartError::NoUrl(URL));
    }
    let Some(url) = &settings.endpoint else {
        return Ok(None);
    };
    let read = read(url.expose(), PATH).ok_or(StartError::NoUrl("setting 'tracing.otlp'"))?;
    Ok(Some(read))
}

fn read(url: &str, behind: &str) -> Option<(Origin, PathAndQuery)> {
    let url = url.trim();
    let uri: http::Uri = url.parse().ok()?;
    if url.contains('@') || uri.query().is_some() {
        return None;
    }
    let path = match behind {
        "" => uri.path().to_owned(),
        _ => format!("{}{behind}", uri.path().trim_end_matches('/')),
    };
    Some((Origin::parse(url)?, path.parse().ok()?))
}

fn headers(settings: &TraceSettings) -> Result<HeaderMap, StartError> {
    let mut headers: HeaderMap = settings.headers.iter().cloned().collect();
    for pair in set(HEADERS).unwrap_or_default().split(',') {
        if pair.trim().is_empty() {
            continue;
        }
        let (name, value) = header(pair).ok_or(StartError::NoHeaders(HEADERS))?;
        headers.insert(name, value);
    }
    Ok(headers)
}

fn header(pair: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = pair.split_once('=')?;
    let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
    let mut value = HeaderValue::from_str(&value).ok()?;
    value.set_sensitive(true);
    Some((name.trim().parse().ok()?, value))
}

fn to(origin: Origin) -> Result<Upstream, StartError> {
    let tls = origin.is_https().then(upstream::tls_config).transpose();
    let tls = tls.map_err(|error| StartError::Unsent(io_error::in_words(&error)))?;
    let egress = Egress::from_environment(&origin);
    let egress = egress.map_err(|error| StartError::Unsent(error.to_string()))?;
    Ok(Upstream::new(ToProvider {
        egress,
        origin,
        tls,
        limits: Limits {
            timeout: ANSWER_TIME,
            connect_timeout: ANSWER_TIME,
            max_connections: None,
            max_body: usize::MAX,
            findings_cache: 0,
        },
        connections: ConnectionLimit::default(),
    }))
}
