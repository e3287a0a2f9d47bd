//! A routed exchange: read, mask, send, restore, deliver.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use engine::route::{Content, Route, Unmaskable, is_event_stream};
use engine::{MaskedBody, Restoring, Schema};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response, Uri, header};
use hyper::body::Incoming;

use super::context::{Context, Shared};
use super::deliver::Delivered;
use super::headers;
use super::live::Recording;
use super::mask::{Done, Unmasked};
use super::read;
use super::redirect;
use super::reply_links::Links;
use super::report;
use super::restore::{Collected, Restoration};
use super::rules::{self, Head};
use super::survive;
use super::trail::Trail;
use crate::error::{self, Fault, InBand, Phase};
use crate::session::{
    Caller, Identity, Owner, ReplyLinks, RequestId, SessionCandidates, SessionId,
};
use crate::upstream::{self, Decoder, Outgoing, Reply};

/// The largest batch reply that is held before its delivery begins: until then a failure can still
/// be reported by a status.
const COLLECTED_BYTES: usize = 1 << 20;

/// A fault and where it happened.
struct Failure {
    fault: Fault,
    phase: Phase,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let phase = match fault {
            Fault::Vault(_) => Phase::Vault,
            _ => Phase::Transform,
        };
        Self { fault, phase }
    }
}

impl Failure {
    /// A reply of which nothing was delivered yet.
    fn of_sending(fault: Fault) -> Self {
        Self {
            fault,
            phase: Phase::Upstream,
        }
    }

    fn of_reply(fault: Fault) -> Self {
        let phase = Phase::Response;
        Self { fault, phase }
    }
}

/// A reply on its way back.
struct Answered {
    reply: Reply,
    /// The request had a body.
    has_body: bool,
    restoring: Restoring,
    reply_links: ReplyLinks,
    owner: Owner,
    session: SessionId,
    recording: Recording,
    /// For the client, where it asked.
    report: Option<HeaderValue>,
}

/// Carries out a routed exchange.
pub(super) async fn exchange(
    context: &Context,
    request: Request<Incoming>,
    route: Route,
) -> Response<Delivered> {
    let id = RequestId::random();
    survive(id, carry_out(context, request, route, id)).await
}

async fn carry_out(
    context: &Context,
    request: Request<Incoming>,
    route: Route,
    id: RequestId,
) -> Response<Delivered> {
    let (mut parts, body) = request.into_parts();
    let shared = Arc::clone(&context.shared);
    let span = shared.traces.begin(&mut parts.headers);
    let mut trail = Trail::begin(shared, id, route.clone(), parts.method.clone(), span);
    let answered = match forward(context, parts, body, route, &mut trail).await {
        Ok(answered) => answered,
        Err(failure) => return refuse(&mut trail, &failure),
    };
    deliver(context, answered, trail).await
}

async fn forward(
    context: &Context,
    parts: Parts,
    body: Incoming,
    route: Route,
    trail: &mut Trail,
) -> Result<Answered, Failure> {
    let shared = &context.shared;
    let (checked, body) = check(&parts, &route, body)?;
    let owner = shared.owner_key.owner(Caller::of(&parts));
    let body = read::whole(body, shared.limits.max_body).await?;
    let arrived = Instant::now();
    let ready = prepare(shared, &parts, &route, body, checked, owner, trail).await?;
    let (detectors, is_file) = (ready.detectors, ready.is_file);
    let done = ready.unmasked.mask(shared, ready.candidates).await?;
    let Done {
        masked,
        identity,
        reply_links,
        is_unknown,
        created,
        took,
    } = done;
    trail.belongs_to(&identity);
    trail.may_outlive(reply_links.outlives());
    trail.masked(&masked.summary, took, created);
    let report = headers::asks_for_report(&parts.headers)
        .then(|| report::header(report::Fate::Masked, &masked.summary, &detectors, took));
    if is_unknown {
        shared.unknown_history();
    }

    shared.warn_of_path(parts.uri.path(), &route);
    if is_file {
        shared.unmasked(&route.path, Content::Other, true);
    }
    let has_body = !masked.body.is_empty();
    let (query, metadata) = (masked.query.as_deref(), masked.metadata_header.as_deref());
    let request = outgoing(shared, parts, masked.body, query, metadata, route.schema)?;
    shared.warn_of_headers(request.headers());
    let recording = shared.recorder.begin(
        trail.request(),
        &route.path,
        request.body(),
        masked.summary,
        masked.restoring.session(),
    );
    shared.metrics.count_delay(arrived.elapsed());
    let reply = context.upstream.send(request).await;
    let reply = reply.map_err(Failure::of_sending)?;
    Ok(Answered {
        reply,
        has_body,
        restoring: masked.restoring,
        reply_links,
        owner,
        session: identity.id,
        recording,
        report,
    })
}

/// A request that can be masked.
struct Ready<'s> {
    unmasked: Unmasked,
    /// The sessions that it may be masked with.
    candidates: SessionCandidates,
    /// The names of the detectors that read it.
    detectors: Cow<'s, [&'static str]>,
    is_file: bool,
}

/// Reads the body, and finds the rules and sessions that it is masked by.
async fn prepare<'s>(
    shared: &'s Shared,
    parts: &Parts,
    route: &Route,
    body: Vec<u8>,
    checked: Checked,
    owner: Owner,
    trail: &mut Trail,
) -> Result<Ready<'s>, Fault> {
    let Checked { named, metadata } = checked;
    let caller = Caller::of(parts);
    let given = given_session(shared, named.clone(), caller, trail).await?;
    let (target, head) = (headers::target(&parts.uri), &parts.headers);
    let unmasked =
        Unmasked::read(shared, route.schema, target, head, body, metadata, owner).await?;
    let gateway_key = unmasked.request().gateway_key();
    let caller = Caller {
        gateway_key: gateway_key.as_ref().map(|key| key.expose().as_str()),
        ..caller
    };
    let given = match given {
        // A key in the body makes another session of it.
        Some(_) if gateway_key.is_some() => {
            Box::pin(given_session(shared, named, caller, trail)).await?
        }
        given => given,
    };
    let head = Head::of(parts, route);
    let mut unmasked = unmasked.with(|request| rules::under(shared, head, request));
    trail.ruled(unmasked.request());
    let detectors = rules::detectors(shared, unmasked.request());
    let is_file = unmasked.request().is_file();
    let identity = match given {
        Some(identity) => identity,
        None => session_of_conversation(shared, unmasked.request(), caller, trail).await?,
    };
    let candidates = candidates(shared, &mut unmasked, identity, caller).await?;
    Ok(Ready {
        unmasked,
        candidates,
        detectors,
        is_file,
    })
}

/// What the headers say about masking.
pub(super) struct Checked {
    named: Option<SessionId>,
    pub(super) metadata: Option<String>,
}

/// The session that does not depend on the conversation.
async fn given_session(
    shared: &Shared,
    named: Option<SessionId>,
    caller: Caller<'_>,
    trail: &mut Trail,
) -> Result<Option<Identity>, Fault> {
    let given = shared.sessions.by_headers(named, caller).await?;
    if let Some(identity) = &given {
        trail.belongs_to(identity);
    }
    Ok(given)
}

async fn session_of_conversation(
    shared: &Shared,
    request: &engine::Request,
    caller: Caller<'_>,
    trail: &mut Trail,
) -> Result<Identity, Fault> {
    let conversation = request.conversation();
    let identity = shared
        .sessions
        .by_conversation(caller, &conversation)
        .await?;
    trail.belongs_to(&identity);
    Ok(identity)
}

/// The sessions that the request may be masked with.
async fn candidates(
    shared: &Shared,
    unmasked: &mut Unmasked,
    identity: Identity,
    caller: Caller<'_>,
) -> Result<SessionCandidates, Fault> {
    // What is boxed is seldom needed and large: kept out of every exchange's future.
    let shown = unmasked.request().history().shown();
    if !shown.is_empty() {
        let known = Box::pin(shared.sessions.known_of(shown, caller)).await;
        unmasked.keep_known(&known);
    }
    let history = unmasked.request().history();
    if shared.sessions.is_plain(history) {
        return Ok(shared.sessions.plain_candidates(identity, caller));
    }
    let candidates = shared.sessions.candidates(identity, history, caller);
    Ok(Box::pin(candidates).await?)
}

/// Refuses what can be refused before the body is read.
fn check(head: &Parts, route: &Route, body: Incoming) -> Result<(Checked, Incoming), Fault> {
    match Checked::read(head, route) {
        Ok(checked) => Ok((checked, body)),
        Err(fault) => {
            // A client that does not wait for `100 Continue` sends the body anyway.
            if !head.headers.contains_key(header::EXPECT) {
                read::discard(body);
            }
            Err(fault)
        }
    }
}

impl Checked {
    /// # Errors
    /// What keeps the request from being masked.
    pub(super) fn read(head: &Parts, route: &Route) -> Result<Self, Fault> {
        let headers = &head.headers;
        if let Some(why) = Unmaskable::of(route, head.uri.query(), headers::pairs(headers)) {
            return Err(Fault::Unmaskable(why));
        }
        if headers::is_encoded(headers) {
            return Err(Fault::CompressedRequest);
        }
        Ok(Self {
            named: headers::session(headers)?,
            metadata: metadata(headers)?,
        })
    }
}

/// The metadata header, which is masked with the body.
fn metadata(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let mut values = headers.get_all(headers::TURN_METADATA).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => String::from_utf8(value.as_bytes().to_vec())
            .map(Some)
            .map_err(|_| Fault::MetadataHeader),
        (Some(_), Some(_)) => Err(Fault::MetadataHeader),
    }
}

/// The URI with another query.
fn with_query(uri: &Uri, query: &str) -> Result<Uri, Fault> {
    let mut parts = uri.clone().into_parts();
    let target = format!("{}?{query}", uri.path()).parse();
    // The engine encodes what it puts there.
    parts.path_and_query = Some(target.map_err(|_| engine::Error::ScanFailed)?);
    Ok(Uri::from_parts(parts).map_err(|_| engine::Error::ScanFailed)?)
}

/// The request as the provider gets it.
fn outgoing(
    shared: &Shared,
    mut parts: Parts,
    body: MaskedBody,
    query: Option<&str>,
    metadata: Option<&str>,
    schema: Schema,
) -> Result<Request<Outgoing>, Fault> {
    if let Some(query) = query {
        parts.uri = with_query(&parts.uri, query)?;
    }
    headers::join_cookies(&mut parts.headers, parts.version);
    shared
        .outbound
        .prepare(&mut parts.headers, &parts.uri, Some(schema));
    headers::set_length(&mut parts.headers, body.len());
    headers::set_metadata(&mut parts.headers, metadata)?;
    upstream::accepted(&mut parts.headers);
    if let Some(target) = shared.outbound.target(&parts.uri) {
        parts.uri = target;
    }
    Ok(Request::from_parts(parts, Outgoing::masked(body)))
}

async fn deliver(context: &Context, answered: Answered, mut trail: Trail) -> Response<Delivered> {
    let Answered {
        reply: Reply { mut head, body },
        has_body,
        restoring,
        reply_links,
        owner,
        session,
        recording,
        report,
    } = answered;
    let content_type = headers::content_type(&head.headers);
    if content_type.is_some_and(|media| is_event_stream(media.as_bytes())) {
        return refuse(&mut trail, &Failure::of_reply(Fault::EventStreamReply));
    }
    let is_stream = headers::is_event_stream(content_type);
    trail.answered(head.status, is_stream);
    recording.answered(head.status);

    let is_batch = !is_stream && (headers::is_json(content_type) || body.remaining().is_some());
    let in_band = in_band(content_type, trail.schema());
    let restorer = restoring.reply(content_type);
    let Ok(decoder) = Decoder::of(&head.headers) else {
        return refuse(&mut trail, &Failure::of_reply(Fault::UndecodableReply));
    };
    let is_at_proxy = redirect::keep_at_proxy(&context.shared.outbound, &mut head);
    if has_body && !is_at_proxy && redirect::keeps_body(head.status, trail.method()) {
        return refuse(&mut trail, &Failure::of_reply(Fault::RedirectedElsewhere));
    }
    headers::to_client_restored(&mut head.headers);
    head.headers.insert(headers::SESSION, session.header());
    if let Some(report) = report {
        head.headers.insert(headers::REPORT, report);
    }

    let signed_blocks = context.shared.signed_blocks.clone();
    let links = Links::new(Arc::clone(&context.shared), reply_links);
    let restoration = Restoration::new(
        body,
        decoder,
        restorer,
        signed_blocks,
        owner,
        links,
        recording,
    );
    match begin(restoration, is_batch, &context.shared).await {
        Ok(Collected::Whole { bytes, summary }) => {
            let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            trail.delivered(&summary, length);
            headers::without_trailers(&mut head.headers);
            Response::from_parts(head, Delivered::Whole(bytes))
        }
        Ok(Collected::Begun(restoration)) => {
            Response::from_parts(head, Delivered::restored(restoration, in_band, trail))
        }
        Err(fault) => refuse(&mut trail, &Failure::of_reply(fault)),
    }
}

/// Waits for what is delivered first: a batch reply up to a size, or the beginning of a stream.
async fn begin(
    mut restoration: Box<Restoration>,
    is_batch: bool,
    shared: &Shared,
) -> Result<Collected, Fault> {
    if is_batch {
        return restoration.collect(COLLECTED_BYTES, &shared.heavy).await;
    }
    restoration.begin().await?;
    Ok(Collected::Begun(restoration))
}

/// How a reply can say that it failed once its head was delivered.
fn in_band(content_type: Option<&str>, schema: Schema) -> Option<InBand> {
    if headers::is_event_stream(content_type) {
        return Some(InBand::Event(schema));
    }
    headers::is_json_lines(content_type).then_some(InBand::Line)
}

fn refuse(trail: &mut Trail, failure: &Failure) -> Response<Delivered> {
    if failure.fault == Fault::ClientLeft {
        trail.aborted(&engine::RestoreSummary::default(), 0);
    } else {
        trail.failed(failure.fault, failure.phase);
    }
    let mut response = error::answer(failure.fault, trail.request());
    if let Some(session) = trail.session() {
        response
            .headers_mut()
            .insert(headers::SESSION, session.header());
    }
    response.map(Delivered::Whole)
}
