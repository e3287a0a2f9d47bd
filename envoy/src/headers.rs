//! Which headers are forwarded, and which are changed.

use engine::Schema;
use engine::route::{
    KeyHeader, PROVIDER_KEYS, Route, Unmaskable, identity, is_credential, without_credentials,
};

use crate::refusal::Fault;
use crate::settings::Settings;

/// Names the session; in requests and replies.
pub(crate) const SESSION: &str = "x-mask-session";
/// Machine metadata that a coding agent sends: the one request header that is masked.
pub(crate) const TURN_METADATA: &str = "x-codex-turn-metadata";

const VERSION: &str = "anthropic-version";
/// Headers that describe bytes which restoring may change.
const OF_THE_BYTES: [&str; 7] = [
    "content-length",
    "content-encoding",
    "etag",
    "content-md5",
    "digest",
    "content-digest",
    "repr-digest",
];

/// The headers of a message as Envoy reports them: lower-case names, repetitions kept.
#[derive(Debug)]
pub(crate) struct Headers(Vec<(String, Vec<u8>)>);

/// A change of one header: a new value, or none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) name: String,
    pub(crate) value: Option<Vec<u8>>,
}

impl Change {
    pub(crate) fn remove(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: None,
        }
    }

    pub(crate) fn set(name: &str, value: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.to_owned(),
            value: Some(value.into()),
        }
    }
}

impl Headers {
    pub(crate) fn new(headers: Vec<(String, Vec<u8>)>) -> Self {
        Self(headers)
    }

    /// Every value of a header.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let named = self.0.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_slice())
    }

    /// The first value of a header, as text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.all(name)
            .next()
            .and_then(|value| str::from_utf8(value).ok())
    }

    /// All content types that are stated, as a list; `None` if one is not text.
    pub(crate) fn content_types(&self) -> Option<String> {
        let types = self.all("content-type").map(str::from_utf8);
        let types: Result<Vec<_>, _> = types.collect();
        types.ok().map(|types| types.join(","))
    }

    /// The path with its query.
    pub(crate) fn target(&self) -> &str {
        self.text(":path").unwrap_or_default()
    }

    /// The path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target().split('?').next().unwrap_or_default()
    }

    /// The query; empty if there is none.
    fn query(&self) -> &str {
        self.target().split_once('?').unwrap_or_default().1
    }

    /// Replaces the query.
    pub(crate) fn set_query(&mut self, query: &str) -> Change {
        let target = format!("{}?{query}", self.path());
        for (name, value) in &mut self.0 {
            if name == ":path" {
                *value = target.clone().into_bytes();
            }
        }
        Change::set(":path", target)
    }

    /// All names and values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let pairs = self.0.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Whether this is a request for a WebSocket, in the way of either HTTP version.
    pub(crate) fn ask_for_upgrade(&self) -> bool {
        let asks = |value: &[u8]| {
            let mut protocols = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            protocols.any(|protocol| protocol.to_ascii_lowercase().starts_with(b"websocket"))
        };
        self.all("upgrade").any(asks) || self.all(":protocol").next().is_some()
    }

    /// Whether the body is declared as encoded.
    pub(crate) fn is_encoded(&self) -> bool {
        self.all("content-encoding")
            .flat_map(|value| value.split(|byte| *byte == b','))
            .map(<[u8]>::trim_ascii)
            .any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
    }

    /// Reads what can be refused before the body is read.
    ///
    /// # Errors
    /// What makes the request unusable.
    pub(crate) fn check(&self, route: &Route) -> Result<Checked, Fault> {
        if let Some(why) = Unmaskable::of(route, Some(self.query()), self.pairs()) {
            return Err(Fault::Unmaskable(why));
        }
        if self.is_encoded() {
            return Err(Fault::CompressedRequest);
        }
        Ok(Checked {
            session: self.session()?,
            metadata: self.metadata()?,
        })
    }

    /// The session named by the client; an empty header counts as none.
    fn session(&self) -> Result<Option<String>, Fault> {
        let Some(name) = self.only(SESSION).map_err(|_| Fault::SessionName)? else {
            return Ok(None);
        };
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        match str::from_utf8(name) {
            Ok("") => Ok(None),
            Ok(name) if name.len() <= 128 && name.bytes().all(is_allowed) => {
                Ok(Some(name.to_owned()))
            }
            _ => Err(Fault::SessionName),
        }
    }

    /// The metadata header, which is masked with the body.
    fn metadata(&self) -> Result<Option<String>, Fault> {
        let value = self
            .only(TURN_METADATA)
            .map_err(|_| Fault::MetadataHeader)?;
        let text = value.map(|value| String::from_utf8(value.to_vec()));
        text.transpose().map_err(|_| Fault::MetadataHeader)
    }

    fn only(&self, name: &str) -> Result<Option<&[u8]>, Repeated> {
        let mut values = self.all(name);
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(Repeated),
        }
    }

    /// What identifies the client, as the tag of an owner.
    pub(crate) fn owner(&self) -> String {
        let identity = self.identity().into_iter();
        identity.fold(String::new(), |owner, (name, value)| {
            owner + &format!("{name}={value:?};")
        })
    }

    /// The keys of providers that the client sends, each with its header.
    pub(crate) fn provider_keys(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let identity = self.identity().into_iter();
        identity.filter(|(name, _)| PROVIDER_KEYS.contains(name))
    }

    fn identity(&self) -> Vec<(&str, &[u8])> {
        identity(self.pairs(), self.query())
    }

    /// What changes on the way to the provider. `schema` is the route's.
    pub(crate) fn to_provider(&self, settings: &Settings, schema: Option<Schema>) -> Vec<Change> {
        let mut changes = Vec::new();
        self.remove(SESSION, &mut changes);
        if !settings.forward_client_auth {
            let credentials = self.pairs().filter(|(name, _)| is_credential(name));
            changes.extend(credentials.map(|(name, _)| Change::remove(name)));
        }
        if !settings.forward_client_auth || settings.held_key.is_some() {
            self.drop_query_credentials(&mut changes);
        }
        if let Some(held) = &settings.held_key {
            let held = held.expose();
            let place = KeyHeader::of_request(self.pairs(), self.path(), self.query(), schema);
            let value = match place {
                KeyHeader::Bearer => format!("Bearer {held}"),
                KeyHeader::Anthropic | KeyHeader::Azure | KeyHeader::Google => held.clone(),
            };
            let name = place.name();
            for other in PROVIDER_KEYS.into_iter().filter(|other| *other != name) {
                self.remove(other, &mut changes);
            }
            changes.push(Change::set(name, value));
        }
        if schema == Some(Schema::MessagesStyle) && self.all(VERSION).next().is_none() {
            changes.push(Change::set(VERSION, "2023-06-01"));
        }
        if schema.is_some() {
            // An encoded reply could not be restored.
            changes.push(Change::set("accept-encoding", "identity"));
        }
        for (name, value) in &settings.added_headers {
            changes.push(Change::set(name, value.expose().as_str()));
        }
        changes
    }

    fn drop_query_credentials(&self, changes: &mut Vec<Change>) {
        let kept = without_credentials(self.query());
        if kept != self.query() {
            let separator = if kept.is_empty() { "" } else { "?" };
            let target = format!("{}{separator}{kept}", self.path());
            changes.push(Change::set(":path", target));
        }
    }

    /// States the length of a masked body, which replaces what the client stated.
    pub(crate) fn with_length(&self, length: usize) -> Vec<Change> {
        let mut changes = Vec::new();
        self.remove("trailer", &mut changes);
        if length > 0 || self.all("content-length").next().is_some() {
            changes.push(Change::set("content-length", length.to_string()));
        }
        changes
    }

    /// What changes in the head of a restored reply: its bytes are others.
    pub(crate) fn to_client(&self, session: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        for name in OF_THE_BYTES {
            self.remove(name, &mut changes);
        }
        changes.push(Change::set(SESSION, session));
        changes
    }

    fn remove(&self, name: &str, changes: &mut Vec<Change>) {
        if self.all(name).next().is_some() {
            changes.push(Change::remove(name));
        }
    }
}

/// What the headers of a request say about masking.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) session: Option<String>,
    pub(crate) metadata: Option<String>,
}

/// A header that may occur once occurs twice.
struct Repeated;

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(sent: &[(&str, &str)]) -> Headers {
        let sent = sent.iter();
        let sent = sent.map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        Headers::new(sent.collect())
    }

    /// The client's `api-key` went on beside the configured key, which Azure did not read.
    #[test]
    fn a_configured_key_replaces_the_clients_in_any_header() {
        let settings = Settings::read(br#"{"provider": {"api_key": "own"}}"#).unwrap();
        for (sent, value) in [
            ("api-key", "own"),
            ("x-goog-api-key", "own"),
            ("authorization", "Bearer own"),
        ] {
            let request = headers(&[(":path", "/v1/x"), (sent, "client"), ("x-api-key", "other")]);
            let changes = request.to_provider(&settings, Some(Schema::Generic));
            assert!(changes.contains(&Change::set(sent, value)), "{changes:?}");
            assert!(
                changes.contains(&Change::remove("x-api-key")),
                "{changes:?}"
            );
        }
    }

    #[test]
    fn repeated_content_type_headers_are_all_read() {
        let request = headers(&[("content-type", "image/png"), ("content-type", "text/json")]);
        let types = request.content_types();
        assert_eq!(types.as_deref(), Some("image/png,text/json"));
    }
}
