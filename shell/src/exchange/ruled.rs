//! Applies the policy rules to a request.

use std::borrow::Cow;

use engine::route::Route;
use engine::{ClientKeys, Facts};
use http::HeaderMap;

use super::context::Shared;
use super::headers;
use crate::session::credentials;

/// A request without its body.
#[derive(Clone, Copy)]
pub(super) struct Head<'h> {
    /// The path with its query.
    pub(super) target: &'h str,
    pub(super) headers: &'h HeaderMap,
    pub(super) route: &'h Route,
}

/// Whether a request is forwarded unchanged.
pub(super) fn is_shadow(shared: &Shared, head: Head<'_>) -> bool {
    let rules = &shared.engine.settings().rules;
    let asks = || rules.iter().any(|rule| rule.shadow);
    shared.shadows_all
        || asks() && with_facts(&shared.client_keys, head, |facts| rules.is_shadow(facts))
}

/// The request and the rules that match it.
pub(super) fn under(shared: &Shared, head: Head<'_>, request: engine::Request) -> engine::Request {
    if shared.engine.settings().rules.is_empty() {
        return request;
    }
    with_facts(&shared.client_keys, head, |facts| request.under(facts))
}

/// The names of the detectors for a request.
pub(super) fn detectors<'s>(
    shared: &'s Shared,
    request: &engine::Request,
) -> Cow<'s, [&'static str]> {
    let names = &shared.detector_names;
    if shared.engine.settings().rules.is_empty() {
        return Cow::Borrowed(names);
    }
    let own = names.first().into_iter();
    let waiting = names.iter().skip(1).filter(|name| request.asks(name));
    own.chain(waiting).copied().collect()
}

/// The rules that may decide about a request, for the audit trail.
pub(super) fn names(request: &engine::Request) -> String {
    request.rules().collect::<Vec<_>>().join(",")
}

fn with_facts<T>(known: &ClientKeys, head: Head<'_>, then: impl FnOnce(&Facts<'_>) -> T) -> T {
    let sent: Vec<_> = headers::pairs(head.headers).collect();
    let (path, query) = match head.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (head.target, None),
    };
    let keys = if known.is_empty() {
        Some(Vec::new())
    } else {
        let identifying = headers::identifying(head.headers, query);
        known.sent(credentials(&identifying))
    };
    then(&Facts {
        path,
        route: &head.route.path,
        schema: head.route.schema,
        headers: &sent,
        keys: keys.as_deref(),
    })
}
