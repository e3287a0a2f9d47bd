//! One request and its reply through Envoy.

use std::rc::Rc;

use engine::route::{Content, Own, Route, is_event_stream, is_upload_form, redirect};
use engine::{Facts, Masked, Request, Restorer, Restoring, Schema, Session};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::{Action, BufferType, LogLevel, MapType};

use crate::counters::Phase;
use crate::headers::{Change, Headers, SESSION, TURN_METADATA};
use crate::plugin::Shared;
use crate::refusal::{self, Fault};
use crate::settings::{Settings, Unrouted};
use crate::signed::{self, OwnBlocks};
use crate::{history, host};

const LOCATION: &str = "location";

/// One request and its reply.
pub(crate) struct Exchange {
    shared: Rc<Shared>,
    request: String,
    state: State,
}

/// How far it is.
enum State {
    /// Nothing is masked or restored: not begun, unrouted, or refused here.
    Aside,
    /// The request's body arrives.
    Reading(Box<Reading>),
    /// The masked request was forwarded.
    Sent(Sent),
    /// The reply arrives.
    Restoring(Box<Reply>),
    /// Envoy answers that the provider did not; its text is replaced.
    Replacing(Fault),
}

struct Reading {
    route: Route,
    headers: Headers,
    session: String,
    metadata: Option<String>,
    owner: String,
    body: Vec<u8>,
}

struct Sent {
    /// Of a request with a body.
    method: Option<String>,
    restoring: Restoring,
    session: String,
    owner: String,
}

struct Reply {
    restorer: Restorer,
    session: Session,
    owner: String,
}

impl Reply {
    /// Puts what is ready into the reply, including what was held back if it has `ended`.
    fn deliver(&mut self, shared: &Shared, mut ready: Vec<u8>, ended: bool) -> Action {
        if ended {
            self.restorer.finish(&mut ready);
            shared.counters.restored(self.restorer.summary());
        }
        signed::remember(&self.owner, &self.restorer.take_signed_blocks());
        history::remember(
            &self.owner,
            &self.restorer.take_history_names(),
            &self.session,
        );
        if ready.is_empty() || host::put_body(BufferType::HttpResponseBody, 0, &ready) {
            return Action::Continue;
        }
        // What can't be delivered any more is lost: a broken reply is better than half of one.
        shared.counters.failed(Phase::Stream);
        let _ = hostcalls::reset_http_response();
        // Envoy crashes if a reset reply continues.
        Action::Pause
    }
}

impl Exchange {
    pub(crate) fn new(shared: Rc<Shared>) -> Self {
        Self {
            shared,
            request: host::random_id::<6>("req_"),
            state: State::Aside,
        }
    }

    fn routed(&mut self, route: Route, headers: Headers, is_whole: bool) -> Action {
        let checked = match headers.check(&route) {
            Ok(checked) => checked,
            Err(fault) => return self.refuse(fault, Phase::Transform, None),
        };
        let session = checked.session;
        let mut reading = Reading {
            route,
            session: session.unwrap_or_else(|| host::random_id::<8>("ses_")),
            metadata: checked.metadata,
            owner: headers.owner(),
            headers,
            body: Vec::new(),
        };
        if is_whole {
            return self.mask(&mut reading, |_| true);
        }
        self.state = State::Reading(Box::new(reading));
        Action::Pause
    }

    fn unrouted(&mut self, headers: Headers, is_whole: bool) -> Action {
        match Own::however_spelled(headers.path()) {
            Some(Own::Health) => return self.answer(200, &[], br#"{"status":"ok"}"#),
            // It has no vault that could be away.
            Some(Own::Ready) => return self.answer(200, &[], br#"{"status":"ready"}"#),
            Some(Own::Metrics) => return self.answer(404, &[], &refusal::no_metrics()),
            None => {}
        }
        let settings = &self.shared.settings;
        let content_type = headers.text("content-type");
        match settings.unrouted {
            Unrouted::Refuse => {
                self.shared.counters.unrouted("blocked");
                let body = refusal::blocked(headers.path());
                return self.answer(403, &[("x-should-retry", "false")], &body);
            }
            Unrouted::Mask if self.is_masked(&headers, is_whole) => {
                let path = settings.engine.shown_path(headers.path());
                let route = Route::new(&path, Schema::Generic);
                return self.routed(route, headers, is_whole);
            }
            Unrouted::Mask | Unrouted::Forward => {}
        }
        self.shared.counters.unrouted("passed");
        self.warn_of_headers(&headers, false);
        if is_whole {
            let warning = match settings.unrouted {
                Unrouted::Mask => {
                    "the path of a request without a body holds a value, and paths are not masked: give the client \
                     another path, or set proxy.unrouted to refuse"
                }
                Unrouted::Forward | Unrouted::Refuse => {
                    "the path or the query of a request that was forwarded unmasked holds a value: its path is not \
                     routed; add it to proxy.add_routes, or set proxy.unrouted to mask or refuse"
                }
            };
            self.warn_of_target(headers.target(), warning);
        } else {
            self.warn_unmasked(headers.path(), Content::of(content_type, b""), false);
        }
        change(
            MapType::HttpRequestHeaders,
            headers.to_provider(settings, None),
        );
        Action::Continue
    }

    /// Whether a request to a path without a route has something to mask: a body that is no form of uploads, or a value in its
    /// query.
    fn is_masked(&self, headers: &Headers, is_whole: bool) -> bool {
        if !is_whole {
            return !is_upload_form(headers.path(), headers.content_types().as_deref());
        }
        let target = headers.target();
        target.contains('?')
            && self
                .shared
                .settings
                .engine
                .revealing_target(target)
                .is_some()
    }

    /// Says that a body is forwarded unmasked, because its path has no route, or takes files: the path at most once a
    /// minute and worker.
    fn warn_unmasked(&self, path: &str, content: Content, is_routed: bool) {
        self.shared.counters.unmasked(content);
        let path = self.shared.settings.engine.shown_path(path);
        let mut named = self.shared.named_paths.borrow_mut();
        if let Some(path) = named.due(&path, host::now()) {
            let content = content.as_str();
            let advice = match self.shared.settings.unrouted {
                _ if is_routed => "it is a file, which can't be masked",
                Unrouted::Mask => "it is a file; to forward none, set proxy.unrouted to refuse",
                Unrouted::Forward | Unrouted::Refuse => {
                    "its path is not routed; add it to proxy.add_routes, or set proxy.unrouted to mask or refuse"
                }
            };
            let warning = format!(
                "maskproxy: a request to {path} was forwarded unmasked (content: {content}): {advice}"
            );
            host::log(LogLevel::Warn, &warning);
        }
    }

    /// Says that a value stands where it is forwarded as sent: of each path at most once a minute and worker.
    fn warn_of_target(&self, target: &str, warning: &str) {
        let Some(path) = self.shared.settings.engine.revealing_target(target) else {
            return;
        };
        self.shared.counters.count_path();
        let mut named = self.shared.named_paths.borrow_mut();
        if let Some(path) = named.due(&path, host::now()) {
            host::log(LogLevel::Warn, &format!("maskproxy: {path}: {warning}"));
        }
    }

    /// Says that headers name a user or hold an e-mail address: each at most once a minute and worker. Those of the
    /// configuration replace the client's, and of a masked request the metadata is masked.
    fn warn_of_headers(&self, headers: &Headers, is_masked: bool) {
        let settings = &self.shared.settings;
        let is_added = |name: &str| {
            settings
                .added_headers
                .iter()
                .any(|(added, _)| added == name)
        };
        let sent = headers.pairs();
        let sent =
            sent.filter(|(name, _)| !(is_added(name) || is_masked && *name == TURN_METADATA));
        let mut reveals = false;
        for name in settings.engine.revealing_headers(sent) {
            reveals = true;
            let mut named = self.shared.named_headers.borrow_mut();
            if let Some(header) = named.due(name, host::now()) {
                host::log(
                    LogLevel::Warn,
                    &format!(
                        "maskproxy: the header {header} contains an e-mail address or names a user, and headers are not masked: \
                         turn it off in the client, or overwrite it with provider.headers"
                    ),
                );
            }
        }
        if reveals {
            self.shared.counters.count_header();
        }
    }

    /// Masks a request that is whole, and lets it go on. `put` replaces its body.
    fn mask(&mut self, reading: &mut Reading, put: impl FnOnce(&[u8]) -> bool) -> Action {
        let masked = masked(&self.shared.settings, reading);
        let session = Some(reading.session.as_str());
        let (masked, is_file) = match masked {
            Ok(masked) => masked,
            Err(error) => return self.refuse(Fault::Request(error), Phase::Transform, session),
        };
        let body = masked.body.into_bytes();
        if !put(&body) {
            host::log(
                LogLevel::Error,
                "maskproxy: Envoy did not take the masked body",
            );
            let fault = Fault::Request(engine::Error::ScanFailed);
            return self.refuse(fault, Phase::Transform, session);
        }
        self.shared.counters.masked(&masked.summary);
        self.warn_of_left(reading, is_file);
        let headers = &mut reading.headers;
        let mut changes = Vec::new();
        if let Some(query) = &masked.query {
            changes.push(headers.set_query(query));
        }
        let schema = Some(reading.route.schema);
        changes.extend(headers.to_provider(&self.shared.settings, schema));
        changes.extend(headers.with_length(body.len()));
        if let Some(metadata) = masked.metadata_header {
            changes.push(Change::set(TURN_METADATA, metadata));
        }
        change(MapType::HttpRequestHeaders, changes);
        let method = headers.text(":method").unwrap_or_default();
        self.state = State::Sent(Sent {
            method: (!body.is_empty()).then(|| method.to_owned()),
            restoring: masked.restoring,
            session: std::mem::take(&mut reading.session),
            owner: std::mem::take(&mut reading.owner),
        });
        Action::Continue
    }

    /// Says what of a masked request is forwarded as sent.
    fn warn_of_left(&self, reading: &Reading, is_file: bool) {
        self.warn_of_headers(&reading.headers, true);
        if is_file {
            self.warn_unmasked(&reading.route.path, Content::Other, true);
        }
        let path = reading.headers.path();
        if path != &*reading.route.path {
            self.warn_of_target(
                path,
                "the path of a masked request holds a value, and paths are not masked: name it in the body or the query, \
                 or give the client another path",
            );
        }
    }

    fn refuse(&mut self, fault: Fault, phase: Phase, session: Option<&str>) -> Action {
        self.shared.counters.failed(phase);
        let request = self.request.clone();
        let mut headers = vec![("x-request-id", request.as_str())];
        if !fault.is_worth_repeating() {
            headers.push(("x-should-retry", "false"));
        }
        if let Some(session) = session {
            headers.push((SESSION, session));
        }
        self.answer(fault.status(), &headers, &fault.body(&request))
    }

    fn answer(&mut self, status: u32, headers: &[(&str, &str)], body: &[u8]) -> Action {
        self.state = State::Aside;
        let mut all = vec![("content-type", "application/json")];
        all.extend(headers);
        let _ = hostcalls::send_http_response(status, all, Some(body));
        Action::Pause
    }

    /// Makes what Envoy answers by itself a reply of the filter's shape.
    fn replace(&mut self, fault: Fault, phase: Phase, session: &str) -> Action {
        self.shared.counters.failed(phase);
        self.state = State::Replacing(fault);
        let headers = Headers::new(received(MapType::HttpResponseHeaders));
        let mut changes = headers.to_client(session);
        changes.push(Change::set(":status", fault.status().to_string()));
        changes.push(Change::set("content-type", "application/json"));
        changes.push(Change::set("x-request-id", self.request.as_str()));
        if !fault.is_worth_repeating() {
            changes.push(Change::set("x-should-retry", "false"));
        }
        change(MapType::HttpResponseHeaders, changes);
        Action::Continue
    }

    fn take_reading(&mut self) -> Option<Box<Reading>> {
        match std::mem::replace(&mut self.state, State::Aside) {
            State::Reading(reading) => Some(reading),
            other => {
                self.state = other;
                None
            }
        }
    }

    fn answered(&mut self, sent: Sent) -> Action {
        let Sent {
            method,
            restoring,
            session,
            owner,
        } = sent;
        if let Some(fault) = fault_of_envoy() {
            return self.replace(fault, Phase::Upstream, &session);
        }
        let headers = Headers::new(received(MapType::HttpResponseHeaders));
        if headers.all("content-type").any(is_event_stream) {
            return self.refuse(Fault::EventStreamReply, Phase::Response, Some(&session));
        }
        if headers.is_encoded() {
            return self.refuse(Fault::UndecodableReply, Phase::Response, Some(&session));
        }
        let status = headers.text(":status").and_then(|it| it.parse().ok());
        let keeps_body = status
            .zip(method)
            .is_some_and(|(status, method)| redirect::keeps_body(status, &method));
        if !keep_at_proxy(&headers) && keeps_body {
            return self.refuse(Fault::RedirectedElsewhere, Phase::Response, Some(&session));
        }
        let restorer = restoring.reply(headers.text("content-type"));
        change(MapType::HttpResponseHeaders, headers.to_client(&session));
        self.state = State::Restoring(Box::new(Reply {
            restorer,
            session: restoring.session().clone(),
            owner,
        }));
        Action::Continue
    }
}

impl Context for Exchange {}

impl HttpContext for Exchange {
    fn on_http_request_headers(&mut self, _: usize, end_of_stream: bool) -> Action {
        let headers = Headers::new(received(MapType::HttpRequestHeaders));
        if headers.ask_for_upgrade() {
            self.shared.counters.refused_upgrade();
            // Which protocol is served instead (RFC 9110, 15.5.22); Envoy leaves both out of HTTP/2.
            let instead = [("upgrade", "HTTP/1.1"), ("connection", "upgrade")];
            return self.answer(426, &instead, &refusal::upgrade_refused());
        }
        match self.shared.settings.routes.find(headers.path()) {
            Some(route) => self.routed(route, headers, end_of_stream),
            None => self.unrouted(headers, end_of_stream),
        }
    }

    fn on_http_request_body(&mut self, size: usize, end_of_stream: bool) -> Action {
        let Some(mut reading) = self.take_reading() else {
            return Action::Continue;
        };
        // Taken out of Envoy's buffer at once, so its limit does not matter.
        let arrived = host::take_body(BufferType::HttpRequestBody, size);
        reading.body.extend_from_slice(&arrived);
        let limit = self.shared.settings.max_body;
        if reading.body.len() > limit {
            let fault = Fault::RequestTooLarge { limit };
            return self.refuse(fault, Phase::Transform, None);
        }
        if end_of_stream {
            let put = |body: &[u8]| host::put_body(BufferType::HttpRequestBody, 0, body);
            return self.mask(&mut reading, put);
        }
        self.state = State::Reading(reading);
        Action::Pause
    }

    fn on_http_request_trailers(&mut self, _: usize) -> Action {
        let Some(mut reading) = self.take_reading() else {
            return Action::Continue;
        };
        let put = |body: &[u8]| host::put_body(BufferType::HttpRequestBody, 0, body);
        self.mask(&mut reading, put)
    }

    fn on_http_response_headers(&mut self, _: usize, _: bool) -> Action {
        match std::mem::replace(&mut self.state, State::Aside) {
            State::Sent(sent) => self.answered(sent),
            // Envoy answers before the request was whole.
            State::Reading(reading) => match fault_of_envoy() {
                Some(fault) => self.replace(fault, Phase::Transform, &reading.session),
                None => Action::Continue,
            },
            _ => {
                keep_at_proxy(&Headers::new(received(MapType::HttpResponseHeaders)));
                Action::Continue
            }
        }
    }

    fn on_http_response_body(&mut self, size: usize, end_of_stream: bool) -> Action {
        match &mut self.state {
            State::Restoring(reply) => {
                let arrived = host::take_body(BufferType::HttpResponseBody, size);
                let mut ready = Vec::new();
                reply.restorer.push(&arrived, &mut ready);
                reply.deliver(&self.shared, ready, end_of_stream)
            }
            State::Replacing(fault) => {
                let body = fault.body(&self.request);
                host::take_body(BufferType::HttpResponseBody, size);
                if end_of_stream {
                    host::put_body(BufferType::HttpResponseBody, 0, &body);
                }
                Action::Continue
            }
            _ => Action::Continue,
        }
    }

    fn on_http_response_trailers(&mut self, _: usize) -> Action {
        match &mut self.state {
            State::Restoring(reply) => reply.deliver(&self.shared, Vec::new(), true),
            _ => Action::Continue,
        }
    }
}

/// Masks a request whose body has arrived. Also tells whether it is a file, which is left as it is.
fn masked(settings: &Settings, reading: &mut Reading) -> Result<(Masked, bool), engine::Error> {
    let body = std::mem::take(&mut reading.body);
    let headers = &reading.headers;
    let content_types = headers.content_types();
    let mut request =
        settings
            .engine
            .request_of_type(reading.route.schema, content_types.as_deref(), body)?;
    if let Some(metadata) = &reading.metadata {
        request = request.with_metadata_header(metadata);
    }
    request = request.with_path(headers.target());
    request = request.with_headers(headers.pairs());
    request = under(settings, reading, request);
    let is_file = request.is_file();
    let mut session = history::session(&mut request, &reading.owner);
    let masked = request.mask(&mut session, &OwnBlocks(&reading.owner))?;
    Ok((masked, is_file))
}

/// The request under the rules that are for it.
fn under(settings: &Settings, reading: &Reading, request: Request) -> Request {
    if settings.engine.settings().rules.is_empty() {
        return request;
    }
    let headers: Vec<_> = reading.headers.pairs().collect();
    let keys = settings.client_keys.sent(reading.headers.provider_keys());
    request.under(&Facts {
        target: reading.headers.target(),
        route: &reading.route.path,
        schema: reading.route.schema,
        headers: &headers,
        keys: keys.as_deref(),
    })
}

/// What Envoy answers by itself where the provider did not.
fn fault_of_envoy() -> Option<Fault> {
    let details = property(["response", "code_details"])?;
    if details.is_empty() || details.starts_with("via_upstream") {
        return None;
    }
    if details.starts_with("request_payload") {
        return Some(Fault::BufferTooSmall);
    }
    if details.contains("timeout") {
        return Some(Fault::ReplyTimeout);
    }
    Some(Fault::Unreachable)
}

fn property(path: [&str; 2]) -> Option<String> {
    let value = hostcalls::get_property(path.to_vec()).ok().flatten()?;
    Some(String::from_utf8_lossy(&value).into_owned())
}

/// Makes a redirect within the provider one within the proxy. Returns whether the client stays at the proxy.
fn keep_at_proxy(reply: &Headers) -> bool {
    let Some(location) = reply.text(LOCATION) else {
        return reply.all(LOCATION).next().is_none();
    };
    let is_encrypted =
        property(["upstream", "tls_version"]).is_some_and(|version| !version.is_empty());
    let scheme = if is_encrypted { "https" } else { "http" };
    // As the request was sent, when Envoy may have set another host.
    let host = property(["request", "host"]).unwrap_or_default();
    let Some(path) = redirect::at_proxy(location, &format!("{scheme}://{host}")) else {
        return false;
    };
    if path != location {
        change(
            MapType::HttpResponseHeaders,
            vec![Change::set(LOCATION, path)],
        );
    }
    true
}

fn received(map: MapType) -> Vec<(String, Vec<u8>)> {
    hostcalls::get_map_bytes(map).unwrap_or_default()
}

fn change(map: MapType, changes: Vec<Change>) {
    for Change { name, value } in changes {
        let _ = match value {
            Some(value) => hostcalls::set_map_value_bytes(map, &name, Some(&value)),
            None => hostcalls::set_map_value(map, &name, None),
        };
    }
}
