//! Applies the policy rules to a request.

use std::borrow::Cow;

use engine::route::Route;
use engine::{Facts, PolicyRule, RuleMatch};
use http::HeaderMap;
use http::request::Parts;

use super::context::Shared;
use super::headers;
use crate::session::Caller;

/// A request without its body.
#[derive(Clone, Copy)]
pub(super) struct Head<'h> {
    /// The path with its query.
    pub(super) target: &'h str,
    pub(super) headers: &'h HeaderMap,
    pub(super) route: &'h Route,
}

impl<'h> Head<'h> {
    pub(super) fn of(head: &'h Parts, route: &'h Route) -> Self {
        Self {
            target: headers::target(&head.uri),
            headers: &head.headers,
            route,
        }
    }
}

/// Whether a request is forwarded unchanged.
pub(super) fn is_shadow(shared: &Shared, head: Head<'_>) -> bool {
    let rules = &shared.engine.settings().rules;
    let asks = || rules.iter().any(|rule| rule.shadow);
    shared.shadows_all || asks() && with_facts(shared, head, |facts| rules.is_shadow(facts))
}

/// The request and the rules that match it.
pub(super) fn under(shared: &Shared, head: Head<'_>, request: engine::Request) -> engine::Request {
    if shared.engine.settings().rules.is_empty() {
        return request;
    }
    with_facts(shared, head, |facts| request.under(facts))
}

/// Whether each rule matches a request.
pub(super) fn fits<'r>(
    shared: &Shared,
    head: Head<'_>,
    request: &'r engine::Request,
) -> Vec<(&'r PolicyRule, RuleMatch)> {
    with_facts(shared, head, |facts| request.fits(facts))
}

/// The names of the detectors for a request.
pub(super) fn detectors<'s>(
    shared: &'s Shared,
    request: &engine::Request,
) -> Cow<'s, [&'static str]> {
    let names = &shared.detector_names;
    let mut rules = shared.engine.settings().rules.iter();
    if rules.all(|rule| rule.detectors.is_none()) {
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

fn with_facts<T>(shared: &Shared, head: Head<'_>, then: impl FnOnce(&Facts<'_>) -> T) -> T {
    let rules = &shared.engine.settings().rules;
    // Most rules need neither.
    let asks_for_headers = rules
        .iter()
        .any(|rule| !rule.when.headers.is_empty() || !rule.when.models.is_empty());
    let sent = if asks_for_headers {
        headers::pairs(head.headers).collect()
    } else {
        Vec::new()
    };
    let keys = if rules.iter().any(|rule| !rule.when.keys.is_empty()) {
        let caller = Caller {
            headers: head.headers,
            query: head.target.split_once('?').unwrap_or_default().1,
            certificate: None,
            gateway_key: None,
        };
        shared.client_keys.sent(caller.provider_keys())
    } else {
        Some(Vec::new())
    };
    then(&Facts {
        target: head.target,
        route: &head.route.path,
        schema: head.route.schema,
        headers: &sent,
        keys: keys.as_deref(),
    })
}
