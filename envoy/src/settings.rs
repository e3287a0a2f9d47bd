//! The filter's configuration: JSON, with the names of the native proxy's settings.

mod detector;
mod item;
mod policies;
mod restoring;

use engine::route::Routes;
use engine::{ClientKeys, Detectors, Engine, Operator, Schema, Sensitive, Surrogates};
use serde_json::Value;

use item::Item;

/// How large a request body may be when the configuration does not say, in bytes.
const MAX_BODY: usize = 64 << 20;

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

/// The configuration.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) engine: Engine,
    pub(crate) client_keys: ClientKeys,
    pub(crate) routes: Routes,
    pub(crate) unrouted: Unrouted,
    pub(crate) forward_client_auth: bool,
    /// In bytes.
    pub(crate) max_body: usize,
    /// Replaces the client's key.
    pub(crate) held_key: Option<Sensitive<String>>,
    /// Set on every request to the provider.
    pub(crate) added_headers: Vec<(String, Sensitive<String>)>,
}

impl Settings {
    /// Reads a configuration; an empty one leaves every default.
    ///
    /// # Errors
    /// Says which setting can't be used, and never shows a value.
    pub(crate) fn read(text: &[u8]) -> Result<Self, String> {
        if text.trim_ascii().is_empty() {
            return Self::of(&Value::Object(serde_json::Map::new()));
        }
        let value = serde_json::from_slice(text).map_err(|error| {
            format!(
                "the configuration is not valid JSON (line {}, column {})",
                error.line(),
                error.column()
            )
        })?;
        Self::of(&value)
    }

    fn of(value: &Value) -> Result<Self, String> {
        let all = Item::root(value);
        all.knows(&[
            "operator", "detector", "policy", "restore", "proxy", "provider",
        ])?;
        let detectors = detector::read(all.get("detector")?)?;
        let proxy = Proxy::read(all.get("proxy")?)?;
        let known = policies::Known {
            detectors: &detectors,
            routes: &proxy.routes,
            unrouted: proxy.unrouted,
        };
        let policies = policies::read(all.get("policy")?, &known)?;
        let compiled =
            Detectors::new(&detectors).map_err(|error| format!("setting 'detector': {error}"))?;
        let operator = operator(all.get("operator")?)?;
        let restore = restoring::read(all.get("restore")?, &operator)?;
        let engine = Engine::new(engine::Settings {
            detectors: compiled,
            policy: policies.policy,
            rules: policies.rules,
            operator,
            restore,
            ..engine::Settings::default()
        });
        let (held_key, added_headers) = provider(all.get("provider")?)?;
        Ok(Self {
            engine,
            client_keys: policies.keys,
            routes: proxy.routes,
            unrouted: proxy.unrouted,
            forward_client_auth: proxy.forward_client_auth,
            max_body: proxy.max_body,
            held_key,
            added_headers,
        })
    }
}

struct Proxy {
    routes: Routes,
    unrouted: Unrouted,
    forward_client_auth: bool,
    max_body: usize,
}

impl Proxy {
    fn read(item: Option<Item<'_>>) -> Result<Self, String> {
        let mut proxy = Self {
            routes: Routes::default(),
            unrouted: Unrouted::Forward,
            forward_client_auth: true,
            max_body: MAX_BODY,
        };
        let Some(item) = item else {
            return Ok(proxy);
        };
        item.knows(&[
            "routes",
            "add_routes",
            "unrouted",
            "passthrough_unknown",
            "forward_client_auth",
            "max_body",
        ])?;
        if let Some(item) = item.get("routes")? {
            let routes = routes(&item)?;
            if routes.iter().any(|(path, _)| path.contains('*')) {
                return Err(item
                    .must_be("a mapping of whole paths; those with '*' go into proxy.add_routes"));
            }
            proxy.routes = Routes::new(routes);
        }
        if let Some(item) = item.get("add_routes")? {
            proxy.routes.add_endings(routes(&item)?);
        }
        proxy.unrouted = unrouted(&item)?;
        if let Some(item) = item.get("forward_client_auth")? {
            proxy.forward_client_auth = item.boolean()?;
        }
        if let Some(item) = item.get("max_body")? {
            proxy.max_body = item.count()?;
        }
        Ok(proxy)
    }
}

/// `unrouted`, or its older form `passthrough_unknown`.
fn unrouted(proxy: &Item<'_>) -> Result<Unrouted, String> {
    let older = proxy.get("passthrough_unknown")?;
    let passes = older.map(|item| item.boolean()).transpose()?;
    let Some(item) = proxy.get("unrouted")? else {
        return Ok(match passes {
            Some(false) => Unrouted::Refuse,
            _ => Unrouted::Forward,
        });
    };
    let unrouted = match item.text()? {
        "forward" => Unrouted::Forward,
        "mask" => Unrouted::Mask,
        "refuse" => Unrouted::Refuse,
        _ => return Err(item.must_be("forward, mask or refuse")),
    };
    if passes == Some(unrouted == Unrouted::Refuse) {
        return Err(
            "settings 'proxy.unrouted' and 'proxy.passthrough_unknown' contradict each other; leave \
             out 'proxy.passthrough_unknown'"
                .to_owned(),
        );
    }
    Ok(unrouted)
}

fn routes<'a>(item: &Item<'a>) -> Result<Vec<(&'a str, Schema)>, String> {
    let mut routes = Vec::new();
    for (path, item) in item.members()? {
        if !path.starts_with('/') || path.contains(['?', '#', ' ']) {
            return Err(item.outer_must_be("a mapping of paths, which begin with '/', to schemas"));
        }
        let schema: Result<Schema, ()> = item.text()?.parse();
        let expected = "chat_style, messages_style, responses or generic";
        routes.push((path, schema.map_err(|()| item.must_be(expected))?));
    }
    if routes.is_empty() {
        return Err(item.must_be("a mapping with at least one path"));
    }
    Ok(routes)
}

/// What a masked value becomes. `encrypt` is for sessions that are kept, and none is here.
fn operator(item: Option<Item<'_>>) -> Result<Operator, String> {
    let Some(item) = item else {
        return Ok(Operator::default());
    };
    let (kind, anchor, types) = if item.is_text() {
        (Some(item.text()?), None, None)
    } else {
        item.knows(&["type", "anchor_secret", "types"])?;
        let kind = item.get("type")?.map(|item| item.text()).transpose()?;
        (kind, item.get("anchor_secret")?, item.get("types")?)
    };
    let anchor = anchor.map(|item| item.filled()).transpose()?;
    let anchor = anchor.map(|text| Sensitive::new(text.as_bytes().to_vec()));
    match (kind, anchor, types) {
        (Some("surrogate"), Some(key), types) => surrogates(key, types).map(Operator::Surrogate),
        (Some("surrogate"), None, _) => Err(
            "setting 'operator.anchor_secret' must be set for operator surrogate: 32 random bytes in hex"
                .to_owned(),
        ),
        (_, _, Some(_)) => Err("setting 'operator.types' is for operator surrogate".to_owned()),
        (None | Some("pseudonym"), anchor, None) => Ok(Operator::Pseudonym { anchor }),
        (Some("redact"), _, None) => Ok(Operator::Redact),
        _ => Err("setting 'operator.type' must be pseudonym, surrogate or redact".to_owned()),
    }
}

fn surrogates(key: Sensitive<Vec<u8>>, types: Option<Item<'_>>) -> Result<Surrogates, String> {
    let all = Surrogates::new(key);
    let Some(item) = types else {
        return Ok(all);
    };
    let types = item.list()?;
    let types = types.iter().map(Item::entity).collect::<Result<_, _>>()?;
    let only = all.only(types);
    only.map_err(|_| item.must_be("a list of types that have surrogates; secrets stay tokens"))
}

type Provider = (Option<Sensitive<String>>, Vec<(String, Sensitive<String>)>);

fn provider(item: Option<Item<'_>>) -> Result<Provider, String> {
    const TYPES: [&str; 3] = ["generic", "chat_style", "messages_style"];
    let Some(item) = item else {
        return Ok((None, Vec::new()));
    };
    let own_keys = TYPES.map(|kind| format!("{kind}_api_key"));
    let mut known = vec!["type", "api_key", "headers"];
    known.extend(own_keys.iter().map(String::as_str));
    item.knows(&known)?;
    let kind = item.get("type")?.map(|item| item.text()).transpose()?;
    let kind = kind.unwrap_or("generic");
    if !TYPES.contains(&kind) {
        return Err(
            "setting 'provider.type' must be generic, chat_style or messages_style".to_owned(),
        );
    }
    let own = item.get(&format!("{kind}_api_key"))?;
    let key = match own {
        Some(own) => Some(own),
        None => item.get("api_key")?,
    };
    let key = key.map(|item| item.header_value()).transpose()?;
    let mut headers = Vec::new();
    if let Some(item) = item.get("headers")? {
        for (name, item) in item.members()? {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            if name.is_empty() || !name.bytes().all(is_name) {
                return Err(item.outer_must_be("a mapping of header names to texts"));
            }
            headers.push((name.to_ascii_lowercase(), item.header_value()?));
        }
    }
    Ok((key, headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Settings::read(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn empty_settings_are_the_defaults() {
        for text in ["", " ", "{}", r#"{"operator": null, "proxy": {}}"#] {
            let settings = Settings::read(text.as_bytes()).unwrap();
            assert_eq!(settings.unrouted, Unrouted::Forward);
            assert!(settings.forward_client_auth);
            assert_eq!(settings.max_body, 64 << 20);
            assert!(settings.routes.find("/v1/messages").is_some());
            assert_eq!(
                settings.engine.detect("write to alice@example.com").len(),
                1
            );
        }
    }

    #[test]
    fn every_setting_takes_effect() {
        let settings = Settings::read(
            br#"{"operator": {"type": "pseudonym", "anchor_secret": "secret"},
            "detector": [{"type": "regex", "min_score": 0.5, "types": {"PHONE": false}, "names": "eager", "allow": ["a@example.com", {"type": "EMAIL", "pattern": "b@.*"}]},
                {"type": "terms", "terms": {"PROJECT": ["Blue Heron"]}, "patterns": {"CASE": "case-[0-9]+"}}],
            "policy": {"type": "strict", "allowed": ["EMAIL", "PROJECT"]},
            "proxy": {"routes": {"/chat": "openai"}, "passthrough_unknown": false, "forward_client_auth": false, "max_body": 1000},
            "provider": {"type": "messages_style", "messages_style_api_key": "sk", "api_key": "other", "headers": {"X-Team": "a"}}}"#,
        )
        .unwrap();
        assert_eq!(
            settings.routes.find("/chat/").unwrap().schema,
            Schema::ChatStyle
        );
        assert_eq!(settings.unrouted, Unrouted::Refuse);
        assert!(!settings.forward_client_auth);
        assert_eq!(settings.max_body, 1000);
        assert_eq!(settings.held_key.unwrap().expose(), "sk");
        assert_eq!(settings.added_headers.first().unwrap().0, "x-team");
        let found = settings
            .engine
            .detect("a@example.com b@example.com c@example.com blue heron case-1");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_bad_setting_is_named_without_its_value() {
        for (text, named) in [
            (r#"{"operators": 1}"#, "operators"),
            (r#"{"operator": {"anchor": "hunter2"}}"#, "operator.anchor"),
            (
                r#"{"operator": {"anchor_secret": 2}}"#,
                "operator.anchor_secret",
            ),
            (
                r#"{"operator": {"anchor_secret": ""}}"#,
                "operator.anchor_secret",
            ),
            (r#"{"operator": "hunter2"}"#, "operator.type"),
            (r#"{"operator": "surrogate"}"#, "operator.anchor_secret"),
            (
                r#"{"operator": {"type": "surrogate", "anchor_secret": "hunter2", "types": ["SECRET"]}}"#,
                "operator.types",
            ),
            (r#"{"operator": {"types": ["EMAIL"]}}"#, "operator.types"),
            (r#"{"restore": "hunter2"}"#, "restore"),
            (r#"{"restore": [{"tool": "hunter2"}]}"#, "restore[0]"),
            (
                r#"{"restore": [{"action": "hunter2"}]}"#,
                "restore[0].action",
            ),
            (
                r#"{"restore": [{"origin": [], "action": "keep"}]}"#,
                "restore[0].origin",
            ),
            (
                r#"{"restore": [{"action": "keep"}, "guard"]}"#,
                "'restore[1]' never decides, because 'restore[0]'",
            ),
            (
                r#"{"restore": [{"action": "ask"}], "operator": {"type": "surrogate", "anchor_secret": "a"}}"#,
                "restore",
            ),
            (
                r#"{"detector": {"term": {"A": ["hunter2"]}}}"#,
                "detector.term",
            ),
            (r#"{"detector": {"hunter2 is a key": 1}}"#, "'detector'"),
            (r#"{"detector": {"type": "llm"}}"#, "detector.type"),
            (
                r#"{"detector": {"patterns": {"A": "(hunter2"}}}"#,
                "pattern of A",
            ),
            (
                r#"{"detector": {"terms": {"A": "hunter2"}}}"#,
                "detector.terms.A",
            ),
            (r#"{"detector": {"min_score": 2}}"#, "detector.min_score"),
            (
                r#"{"detector": {"types": {"hunter2": true}}}"#,
                "detector.types",
            ),
            (
                r#"{"detector": {"types": {"EMAIL": "hunter2"}}}"#,
                "detector.types.EMAIL",
            ),
            (r#"{"detector": {"names": "hunter2"}}"#, "detector.names"),
            (
                r#"{"detector": {"type": "terms", "names": "off"}}"#,
                "detector.names",
            ),
            (r#"{"detector": ["regex", "regex"]}"#, "detector"),
            (
                r#"{"policy": {"type": "strict", "allowed": ["EMIAL"]}}"#,
                "policy.allowed",
            ),
            (r#"{"policy": {"allowed": ["EMAIL"]}}"#, "policy.allowed"),
            (
                r#"{"proxy": {"routes": {"/x": "hunter2"}}}"#,
                "proxy.routes./x",
            ),
            (
                r#"{"proxy": {"routes": {"hunter2": "responses"}}}"#,
                "proxy.routes",
            ),
            (r#"{"proxy": {"routes": {}}}"#, "proxy.routes"),
            (r#"{"proxy": {"max_body": "hunter2"}}"#, "proxy.max_body"),
            (
                r#"{"provider": {"api_key": "hunter2\n"}}"#,
                "provider.api_key",
            ),
            (
                r#"{"provider": {"headers": {"hunter2:": "x"}}}"#,
                "provider.headers",
            ),
            (r#"{"a": "hunter2"#, "line 1"),
            (r#""hunter2""#, "mapping"),
        ] {
            let message = refused(text);
            assert!(message.contains(named), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
    #[test]
    fn an_impossible_rule_is_named_without_its_value() {
        for (text, named) in [
            (r#"{"policy": [{"rol": "tool"}]}"#, "policy[0].rol"),
            (r#"{"policy": [{"role": "hunter2"}]}"#, "policy[0].role"),
            (r#"{"policy": [{"route": "/hunter2"}]}"#, "policy[0].route"),
            (r#"{"policy": [{"schema": "hunter2"}]}"#, "policy[0].schema"),
            (r#"{"policy": [{"mask": ["E_MAIL"]}]}"#, "policy[0].mask[0]"),
            (r#"{"policy": [{"mask": "hunter2"}]}"#, "policy[0].mask"),
            (
                r#"{"policy": [{"operator": "hunter2"}]}"#,
                "policy[0].operator",
            ),
            (r#"{"policy": [{"key": "hunter2"}]}"#, "policy[0].key"),
            (
                r#"{"policy": [{"header": {"cookie": "hunter2"}}]}"#,
                "policy[0]",
            ),
            (r#"{"policy": {"keys": {"a": "hunter2"}}}"#, "policy.keys.a"),
            (r#"{"policy": [{"role": "tool"}]}"#, "has no effect"),
            (
                r#"{"policy": [{"model": "a*", "mask": "none"}, {"model": "a*", "mask": "all"}]}"#,
                "'policy[1]' never matches, because 'policy[0]'",
            ),
        ] {
            let message = refused(text);
            assert!(message.contains(named), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}
