//! The live page (`--ui PORT`): exchanges as they happen, for the one who opened its link.
//!
//! ```text
//! recorder.rs   keeps the last exchanges, in memory
//! access.rs     who may see them
//! shown.rs      how the page gets them
//! values.rs     the values of an exchange
//! needles.rs    where values are in a text
//! why.rs        why a value was masked
//! lists.rs      what is never or always masked from now on
//! stream.rs     the text of a reply in pieces
//! ```
//!
//! Nothing here is logged, and the values are asked for one by one.

mod access;
mod lists;
mod needles;
mod recorder;
mod shown;
mod stream;
mod values;
mod why;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use engine::Engine;
use futures_util::Stream;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

pub(crate) use self::recorder::Recorder;
pub(super) use self::recorder::Recording;
use self::recorder::{Exchange, Live};
use super::context::{Context, Shared};
use super::deliver::Delivered;
use super::read;

/// The largest body that the page sends.
const MAX_BODY: usize = 4096;

/// The least time between two updates of the page.
const GATHER: Duration = Duration::from_millis(250);

/// How often the page gets a sign of life.
const QUIET: Duration = Duration::from_secs(15);

const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

const JSON: &str = "application/json";

/// What the page may do: use its own files, and no other page may frame it.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page.
const FILES: [(&str, &str, &[u8]); 4] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_bytes!("page/index.html"),
    ),
    (
        "/live.js",
        "text/javascript",
        include_bytes!("page/live.js"),
    ),
    ("/live.css", "text/css", include_bytes!("page/live.css")),
    (
        "/icon.svg",
        "image/svg+xml",
        include_bytes!("page/icon.svg"),
    ),
];

/// Events, until the page is closed.
pub(crate) type Events = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// Answers a request of the page. Its events end when `stopped` is ready.
pub(crate) async fn answer_live(
    context: &Context,
    request: Request<Incoming>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Response<Delivered> {
    let mut response = match context.shared.recorder.live() {
        Some(live) => answer(live, &context.shared, request, stopped).await,
        None => refused(StatusCode::NOT_FOUND, "there is no live page"),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            SAME_ORIGIN,
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            SAME_ORIGIN,
        ),
    ] {
        headers.insert(name, value);
    }
    response
}

async fn answer(
    live: &Arc<Live>,
    shared: &Shared,
    request: Request<Incoming>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Response<Delivered> {
    if !live.access.is_own(&request) {
        return refused(
            StatusCode::FORBIDDEN,
            "only the live page may send this request; open its link exactly as printed",
        );
    }
    let path = request.uri().path().to_owned();
    let (head, body) = request.into_parts();
    match head.method {
        Method::GET => {
            if let Some((_, kind, file)) = FILES.iter().find(|(name, ..)| *name == path) {
                return whole(StatusCode::OK, kind, Bytes::from_static(file));
            }
        }
        Method::POST => {}
        _ => return refused(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST"),
    }
    let Ok(body) = read::whole(body, MAX_BODY).await else {
        return refused(
            StatusCode::PAYLOAD_TOO_LARGE,
            "this is too long for the live page",
        );
    };
    if head.method == Method::POST && path == "/api/open" {
        return open(live, &body);
    }
    if !live.access.is_known(&head.headers) {
        return refused(
            StatusCode::UNAUTHORIZED,
            "open the link that maskproxy printed at start",
        );
    }
    let parts: Vec<_> = path.split('/').skip(1).collect();
    match (&head.method, &*parts) {
        (&Method::GET, ["api", "events"]) => events(live, stopped),
        (&Method::GET, ["api", "exchanges", number]) => {
            exchange(live, shared.lists.is_some(), number).await
        }
        (&Method::POST, ["api", "exchanges", number, "values", value]) => {
            value_of(live, number, value)
        }
        (&Method::GET, ["api", "exchanges", number, "values", value, "why"]) => {
            why_of(live, &shared.engine, number, value).await
        }
        (&Method::POST, ["api", "lists"]) => {
            let settings = shared.engine.settings();
            lists::put(live, shared.lists.as_ref(), settings, &body).await
        }
        _ => refused(StatusCode::NOT_FOUND, "no such page"),
    }
}

/// Exchanges the link's secret for a cookie.
fn open(live: &Live, body: &[u8]) -> Response<Delivered> {
    let given: Json = serde_json::from_slice(body).unwrap_or_default();
    let cookie = given["link"]
        .as_str()
        .and_then(|link| live.access.open(link));
    let Some(cookie) = cookie else {
        return refused(
            StatusCode::FORBIDDEN,
            "this link was already used, or is from an earlier start; each link works once",
        );
    };
    let mut response = as_json(StatusCode::OK, &json!({}));
    response.headers_mut().insert(SET_COOKIE, cookie);
    response
}

async fn exchange(live: &Live, has_lists: bool, number: &str) -> Response<Delivered> {
    let Some(exchange) = kept(live, number) else {
        return forgotten();
    };
    aside(move || {
        let mut shown = shown::whole(&exchange);
        shown["lists"] = has_lists.into();
        shown
    })
    .await
}

/// A copy of an exchange: others wait for the recorder while it is borrowed.
fn kept(live: &Live, number: &str) -> Option<Exchange> {
    let number = number.parse().ok()?;
    live.with(|state| state.get(number).cloned())
}

/// Answers with what takes too long for the reactor.
async fn aside(work: impl FnOnce() -> Json + Send + 'static) -> Response<Delivered> {
    match tokio::task::spawn_blocking(work).await {
        Ok(shown) => as_json(StatusCode::OK, &shown),
        Err(_) => refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "an internal error; the log says where",
        ),
    }
}

fn value_of(live: &Live, number: &str, value: &str) -> Response<Delivered> {
    let (Ok(number), Ok(value)) = (number.parse(), value.parse::<usize>()) else {
        return forgotten();
    };
    let shown = live.with(|state| {
        let (values, _) = values::of(state.get(number)?);
        Some(json!({"value": values.get(value)?.plain().expose()}))
    });
    match shown {
        Some(shown) => as_json(StatusCode::OK, &shown),
        None => forgotten(),
    }
}

/// Why a value was masked, by the settings that are in force now.
async fn why_of(live: &Live, engine: &Engine, number: &str, value: &str) -> Response<Delivered> {
    let exchange = kept(live, number);
    let place = value.parse::<usize>().ok();
    let value = exchange.as_ref().zip(place).and_then(|(exchange, place)| {
        let (values, _) = values::of(exchange);
        Some(values.get(place)?.plain().clone())
    });
    let (Some(exchange), Some(value)) = (exchange, value) else {
        return forgotten();
    };
    let engine = engine.clone();
    aside(move || why::why(&engine, shown::sent(&exchange).expose(), value.expose())).await
}

fn forgotten() -> Response<Delivered> {
    refused(
        StatusCode::NOT_FOUND,
        "this exchange is no longer available: only the latest are kept",
    )
}

/// All exchanges that are kept, and then each as it changes.
fn events(
    live: &Arc<Live>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Response<Delivered> {
    let feed = Feed {
        live: Arc::clone(live),
        sent: None,
        stopped: Box::pin(stopped),
    };
    let events = futures_util::stream::unfold(feed, Feed::next);
    let mut response = Response::new(Delivered::Events(Box::pin(events)));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// What the page has got so far.
struct Feed {
    live: Arc<Live>,
    /// When it got something, and the last change in it.
    sent: Option<(Instant, u64)>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Feed {
    async fn next(mut self) -> Option<(Bytes, Self)> {
        let Some((at, change)) = self.sent else {
            let begun = self.next_events("retry: 1000\n\n", 0);
            return Some((begun, self));
        };
        tokio::select! {
            () = &mut self.stopped => return None,
            () = tokio::time::sleep(QUIET) => return Some((Bytes::from_static(b":\n\n"), self)),
            () = self.live.changed_after(change) => {}
        }
        tokio::time::sleep_until(at + GATHER).await;
        let events = self.next_events("", change);
        Some((events, self))
    }

    fn next_events(&mut self, before: &str, since: u64) -> Bytes {
        let mut events = before.as_bytes().to_vec();
        let last = self
            .live
            .with(|state| shown::events(state, since, &mut events));
        self.sent = Some((Instant::now(), last));
        events.into()
    }
}

fn as_json(status: StatusCode, body: &Json) -> Response<Delivered> {
    whole(status, JSON, body.to_string().into())
}

fn refused(status: StatusCode, message: &str) -> Response<Delivered> {
    as_json(status, &json!({"error": {"message": message}}))
}

fn whole(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Delivered> {
    let mut response = Response::new(Delivered::Whole(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
