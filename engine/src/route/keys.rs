//! The header in which a provider expects its key.

use super::query::credentials;
use crate::Schema;

const AUTHORIZATION: &str = "authorization";
const ANTHROPIC: &str = "x-api-key";
const AZURE: &str = "api-key";
const GOOGLE: &str = "x-goog-api-key";

/// The headers that contain a provider's key, in lower case.
pub const PROVIDER_KEYS: [&str; 4] = [AUTHORIZATION, ANTHROPIC, AZURE, GOOGLE];

/// The header in which a provider expects a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `authorization`, as a bearer token.
    Bearer,
    /// `x-api-key`.
    Anthropic,
    /// `api-key`.
    Azure,
    /// `x-goog-api-key`.
    Google,
}

impl KeyHeader {
    /// The one for a request: by its route's schema, by the key that the client sent, by the path.
    pub fn of_request<'h>(
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
        path: &str,
        query: &str,
        schema: Option<Schema>,
    ) -> Self {
        if schema == Some(Schema::MessagesStyle) {
            return Self::Anthropic;
        }
        Self::of_client(headers, query).unwrap_or_else(|| Self::of_path(path))
    }

    /// The one that the client used, where it is one that few providers read.
    fn of_client<'h>(
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
        query: &str,
    ) -> Option<Self> {
        let sent = headers.into_iter().map(|(name, _)| name);
        let sent: Vec<_> = sent.filter(|name| PROVIDER_KEYS.contains(name)).collect();
        if sent.contains(&AZURE) {
            Some(Self::Azure)
        } else if sent.contains(&GOOGLE) || credentials(query).next().is_some() {
            Some(Self::Google)
        } else {
            sent.contains(&AUTHORIZATION).then_some(Self::Bearer)
        }
    }

    /// The header of the provider whose paths look like this.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        let action = path.rsplit('/').next().unwrap_or_default();
        let has_action = action.contains(':') || action.contains("%3A");
        if path.contains("/openai/deployments/") {
            Self::Azure
        // Vertex, which has projects, expects bearer tokens.
        } else if has_action && path.contains("/models/") && !path.contains("/projects/") {
            Self::Google
        } else {
            Self::Bearer
        }
    }

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bearer => AUTHORIZATION,
            Self::Anthropic => ANTHROPIC,
            Self::Azure => AZURE,
            Self::Google => GOOGLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It once went as a bearer token, which Gemini and Azure take for no key.
    #[test]
    fn a_configured_key_uses_the_clients_or_providers_header() {
        for (client, query, expected) in [
            ("api-key", "", Some(KeyHeader::Azure)),
            ("x-goog-api-key", "", Some(KeyHeader::Google)),
            ("accept", "alt=sse&key=a", Some(KeyHeader::Google)),
            ("authorization", "", Some(KeyHeader::Bearer)),
            ("x-api-key", "", None),
            ("accept", "", None),
        ] {
            let headers = || [(client, &b"a"[..])];
            assert_eq!(KeyHeader::of_client(headers(), query), expected, "{client}");
            let chosen = |schema| KeyHeader::of_request(headers(), "/v1/x", query, schema);
            let otherwise = expected.unwrap_or(KeyHeader::Bearer);
            assert_eq!(chosen(Some(Schema::Generic)), otherwise, "{client}");
            assert_eq!(chosen(Some(Schema::MessagesStyle)), KeyHeader::Anthropic);
        }
        for (path, expected) in [
            ("/v1beta/models/g:generateContent", KeyHeader::Google),
            ("/v1beta/models/g%3AgenerateContent", KeyHeader::Google),
            ("/v1/projects/p/models/g:generateContent", KeyHeader::Bearer),
            ("/openai/deployments/d/embeddings", KeyHeader::Azure),
            ("/openai/v1/chat/completions", KeyHeader::Bearer),
            ("/v1/models", KeyHeader::Bearer),
        ] {
            assert_eq!(KeyHeader::of_path(path), expected, "{path}");
        }
    }
}
