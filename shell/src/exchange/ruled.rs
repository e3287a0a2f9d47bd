//! What the rules of the policy say about a request.

use std::borrow::Cow;

use engine::Facts;
use engine::route::Route;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::context::Shared;
use super::headers;
use crate::config::ClientKeys;
use crate::session::credentials;

/// A request without its body.
#[derive(Clone, Copy)]
pub(super) struct Head<'h> {
    /// The path with its query.
    pub(super) target: &'h str,
    pub(super) headers: &'h HeaderMap,
    pub(super) route: &'h Route,
}

/// Whether a request is forwarded as it came.
pub(super) fn is_shadow(shared: &Shared, head: Head<'_>) -> bool {
    let rules = &shared.engine.settings().rules;
    let asks = || rules.iter().any(|rule| rule.shadow);
    shared.shadows_all
        || asks() && with_facts(&shared.client_keys, head, |facts| rules.is_shadow(facts))
}

/// The request under the rules that are for it.
pub(super) fn under(shared: &Shared, head: Head<'_>, request: engine::Request) -> engine::Request {
    if shared.engine.settings().rules.is_empty() {
        return request;
    }
    with_facts(&shared.client_keys, head, |facts| request.under(facts))
}

/// The names of the detectors that look at a request.
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

/// The rules that may decide about a request, as the audit trail tells them.
pub(super) fn names(request: &engine::Request) -> String {
    request.rules().collect::<Vec<_>>().join(",")
}

fn with_facts<T>(known: &ClientKeys, head: Head<'_>, then: impl FnOnce(&Facts<'_>) -> T) -> T {
    let sent: Vec<_> = headers::pairs(head.headers).collect();
    let (path, query) = match head.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (head.target, None),
    };
    let identifying = headers::identifying(head.headers, query);
    let keys = keys(known, &identifying);
    then(&Facts {
        path,
        route: &head.route.path,
        schema: head.route.schema,
        headers: &sent,
        keys: keys.as_deref(),
    })
}

/// The names of the client's key; none when it sent keys of different names, of which nobody knows which one counts.
fn keys<'k>(known: &'k ClientKeys, headers: &HeaderMap) -> Option<Vec<&'k str>> {
    if known.is_empty() {
        return Some(Vec::new());
    }
    let mut keys = credentials(headers).map(|(header, value)| {
        let key = if header == AUTHORIZATION.as_str() {
            without_scheme(value)
        } else {
            value
        };
        known.of(key)
    });
    let first = keys.next().unwrap_or_default();
    keys.all(|names| names == first).then_some(first)
}

/// The key of `Bearer KEY`.
fn without_scheme(value: &[u8]) -> &[u8] {
    let space = value.iter().position(|byte| *byte == b' ');
    let after = space.and_then(|space| value.get(space + 1..));
    after.unwrap_or(value).trim_ascii()
}
