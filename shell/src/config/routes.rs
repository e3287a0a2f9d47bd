//! The routes, and what to do with other paths.

use engine::Schema;
use engine::route::Routes;

use super::Error;
use super::error::all;
use super::item::Item;
use super::settings::Kind;
use super::values::Values;

/// What to do with a request whose path has no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unrouted {
    /// Forwarded as it is.
    Forward,
    /// Masked by the generic schema if it has a body that is not an upload, otherwise forwarded.
    Mask,
    /// Refused.
    Refuse,
}

pub(super) fn read(values: &Values) -> Result<Routes, Error> {
    let mut routes = if let Some(item) = values.get("proxy.routes") {
        Routes::new(whole_paths(&item)?)
    } else {
        let mut routes = Routes::new([]);
        routes.add_endings(default_endings(values)?);
        routes
    };
    if let Some(item) = values.get("proxy.add_routes") {
        routes.add_endings(map(&item)?);
    }
    Ok(routes)
}

/// The endings of the default routes. A gateway's one URL answers one format, so the generic routes
/// are not among its defaults.
pub(super) fn default_endings(values: &Values) -> Result<Vec<(&'static str, Schema)>, Error> {
    let is_gateway = values.required("proxy.mode")?.choice()? == "gateway";
    let all = Routes::defaults();
    Ok(all
        .filter(|(_, schema)| !is_gateway || *schema != Schema::Generic)
        .collect())
}

/// `proxy.unrouted`, or its older form `proxy.passthrough_unknown`.
pub(super) fn unrouted(values: &Values) -> Result<Unrouted, Error> {
    const NEWER: &str = "proxy.unrouted";
    const OLDER: &str = "proxy.passthrough_unknown";
    let passes = values.required(OLDER)?.boolean()?;
    let unrouted = match values.required(NEWER)?.choice()? {
        "mask" => Unrouted::Mask,
        "refuse" => Unrouted::Refuse,
        _ => Unrouted::Forward,
    };
    match (values.is_set(OLDER), values.is_set(NEWER)) {
        (true, true) if passes == (unrouted == Unrouted::Refuse) => Err(Error::Conflict(format!(
            "settings '{NEWER}' and '{OLDER}' contradict each other; remove '{OLDER}'"
        ))),
        (_, true) => Ok(unrouted),
        _ if passes => Ok(Unrouted::Forward),
        _ => Ok(Unrouted::Refuse),
    }
}

/// Paths that are matched as a whole.
fn whole_paths<'a>(item: &Item<'a>) -> Result<Vec<(&'a str, Schema)>, Error> {
    let routes = map(item)?;
    if routes.iter().any(|(path, _)| path.contains('*')) {
        return Err(
            item.must_be("a mapping of whole paths; those with '*' go into proxy.add_routes")
        );
    }
    Ok(routes)
}

fn map<'a>(item: &Item<'a>) -> Result<Vec<(&'a str, Schema)>, Error> {
    let routes = item.map(Kind::Text)?;
    if routes.is_empty() {
        return Err(item.must_be("a mapping with at least one path"));
    }
    let routes = routes.into_iter().map(|(path, schema)| {
        // Only paths are shown, because a route is not secret.
        let schema = Item {
            path: format!("{}.{path}", item.path).into(),
            ..schema
        };
        if !is_path(path) {
            return Err(item.must_be("a mapping of paths, which begin with '/', to schemas"));
        }
        Ok((path, schema.schema()?))
    });
    all(routes)
}

/// Whether this is the path of a URL, without a query.
fn is_path(path: &str) -> bool {
    path.starts_with('/')
        && path.len() <= 1024
        && path
            .bytes()
            .all(|b| b.is_ascii_graphic() && !b"?#\"<>\\^`{|}".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(yaml: &str) -> Values {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.yaml");
        std::fs::write(&file, yaml).unwrap();
        Values::defaults().with_file(&file).unwrap()
    }

    #[test]
    fn the_legacy_setting_still_refuses_and_contradictions_fail() {
        for (yaml, expected) in [
            ("proxy: {timeout: 300}", Some(Unrouted::Forward)),
            (
                "proxy: {passthrough_unknown: true}",
                Some(Unrouted::Forward),
            ),
            (
                "proxy: {passthrough_unknown: false}",
                Some(Unrouted::Refuse),
            ),
            ("proxy: {unrouted: mask}", Some(Unrouted::Mask)),
            ("proxy: {unrouted: refuse}", Some(Unrouted::Refuse)),
            (
                "proxy: {unrouted: refuse, passthrough_unknown: false}",
                Some(Unrouted::Refuse),
            ),
            (
                "proxy: {unrouted: mask, passthrough_unknown: true}",
                Some(Unrouted::Mask),
            ),
            ("proxy: {unrouted: mask, passthrough_unknown: false}", None),
            (
                "proxy: {unrouted: forward, passthrough_unknown: false}",
                None,
            ),
            ("proxy: {unrouted: refuse, passthrough_unknown: true}", None),
        ] {
            assert_eq!(unrouted(&values(yaml)).ok(), expected, "{yaml}");
        }
    }

    #[test]
    fn added_routes_match_path_endings_besides_the_others() {
        let schema = |yaml: &str, path: &str| {
            let routes = read(&values(yaml)).unwrap();
            routes.find(path).map(|route| route.schema)
        };
        let added = "proxy: {add_routes: {/ask/*: generic}}";
        assert_eq!(schema(added, "/sub/ask/me"), Some(Schema::Generic));
        assert_eq!(
            schema(added, "/sub/v1/messages"),
            Some(Schema::MessagesStyle)
        );
        let both = "proxy: {routes: {/talk: openai}, add_routes: {/ask: generic}}";
        assert_eq!(schema(both, "/x/ask"), Some(Schema::Generic));
        assert_eq!(schema(both, "/talk"), Some(Schema::ChatStyle));
        assert_eq!(schema(both, "/x/talk"), None);
        assert_eq!(schema(both, "/v1/messages"), None);
        assert!(read(&values("proxy: {routes: {/talk/*: openai}}")).is_err());
    }

    #[test]
    fn a_gateway_serves_generic_paths_only_when_they_are_named() {
        let schema = |yaml: &str| {
            let routes = read(&values(yaml)).unwrap();
            let path = routes.find("/v1/embeddings");
            (
                path.map(|route| route.schema),
                routes.find("/v1/messages").is_some(),
            )
        };
        assert_eq!(schema("proxy: {mode: gateway}"), (None, true));
        let named = "proxy: {mode: gateway, routes: {/v1/embeddings: generic}}";
        assert_eq!(schema(named), (Some(Schema::Generic), false));
    }
}
