//! Finds values in a request's head, and the form of its path that a log may show.

use percent_encoding::percent_decode_str;

use super::Engine;
use crate::EntityType;
use crate::route::{Query, is_credential, is_known, names_user};

impl Engine {
    /// A path with `*` instead of every part that is not a common API word, or the type of what would
    /// be masked in it. A path may contain something that no detector finds: somebody's name, an order.
    /// The result is safe to print on a terminal.
    #[must_use]
    pub fn shown_path(&self, path: &str) -> String {
        let segments = path.split('/').map(|segment| {
            let parts = segment.split(':').map(|part| shown_part(self, part));
            parts.collect::<Vec<_>>().join(":")
        });
        segments.collect::<Vec<_>>().join("/")
    }

    /// The path of a target as a log may show it, where that or its query holds what would be masked in a text, and does
    /// not let the client in.
    #[must_use]
    pub fn revealing_target(&self, target: &str) -> Option<String> {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let mut parts = path.split(['/', ':']).filter(|part| !is_word(part));
        let in_query = || {
            let query = Query::of_path(target);
            query.texts().any(|text| !self.detect(text).is_empty())
        };
        let reveals = parts.any(|part| found_in(self, part).is_some()) || in_query();
        reveals.then(|| self.shown_path(path))
    }

    /// Of the headers that are forwarded, those that name a user or hold an e-mail address, their names in lower case.
    /// Other values are too much like what headers usually hold.
    pub fn revealing_headers<'h>(
        &self,
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    ) -> impl Iterator<Item = &'h str> {
        let headers = headers.into_iter();
        let as_sent = headers.filter(|(name, _)| is_forwarded_as_sent(name));
        let revealing = as_sent.filter(|(name, value)| {
            !value.is_empty() && names_user(name) || holds_email(self, value)
        });
        revealing.map(|(name, _)| name)
    }
}

/// Whether a header is forwarded unchanged, and is no credential.
fn is_forwarded_as_sent(name: &str) -> bool {
    const OTHERS: [&str; 2] = ["cookie", "proxy-authorization"];
    !name.starts_with(':') && !is_credential(name) && !OTHERS.contains(&name)
}

fn holds_email(engine: &Engine, value: &[u8]) -> bool {
    // Most values need no detector; some are percent-encoded (W3C Baggage).
    let may_hold = value.contains(&b'@') || value.windows(3).any(|part| part == b"%40");
    may_hold && {
        let found = engine.detect(&String::from_utf8_lossy(value));
        found.iter().any(|found| found.entity == EntityType::EMAIL)
    }
}

fn shown_part(engine: &Engine, part: &str) -> String {
    if is_word(part) {
        return part.to_owned();
    }
    match found_in(engine, part) {
        Some(entity) => format!("[{}]", entity.as_str()),
        None => "*".to_owned(),
    }
}

fn is_word(part: &str) -> bool {
    part.is_empty() || is_known(part)
}

/// The type of the first value in a part of a path.
fn found_in(engine: &Engine, part: &str) -> Option<EntityType> {
    let spaced = part.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8_lossy();
    let found = engine.detect(&text).into_iter().next();
    found.map(|found| found.entity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn default_shown(text: &str) -> String {
        Engine::new(Settings::default()).shown_path(text)
    }

    /// Nobody heard of a value in the path of a masked request.
    #[test]
    fn values_in_paths_are_reported() {
        let engine = Engine::new(Settings::default());
        let history = |path: &str| engine.revealing_target(path);
        for (path, expected) in [
            (
                "/v1/users/alice%40example.com/chat/completions",
                "/v1/users/[EMAIL]/chat/completions",
            ),
            ("/v1;user=a@example.com/messages", "/[EMAIL]/messages"),
            (
                "/v1beta/models/a@example.com:generateContent",
                "/v1beta/models/[EMAIL]:generateContent",
            ),
            (
                "/ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S/v1/responses",
                "/[API_KEY]/v1/responses",
            ),
            ("/v1/models?q=to+a%40example.com", "/v1/models"),
        ] {
            assert_eq!(history(path).as_deref(), Some(expected));
        }
        for path in [
            "/v1/chat/completions",
            "/v1/models?limit=20&key=a@example.com",
            "/openai/deployments/john-gpt/chat/completions",
            "/v1beta/models/gemini-3:generateContent",
            "/v1/projects/my-project-412345/locations/us-central1/publishers/anthropic/models/claude-opus-4-1@20250805:rawPredict",
            "/client/v4/accounts/0f3c1a2b4d5e6f708192a3b4c5d6e7f8/ai/run/@cf/meta/llama-3.1-8b-instruct",
            "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
            "/v1/threads/thread_abc123DEF456ghi789/messages",
            "/v1/responses/resp_68f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5",
            "/v1/agents/8c7f0a9e-1f2b-4c3d-9e8f-0a1b2c3d4e5f/chat",
        ] {
            assert_eq!(history(path), None, "{path}");
        }
    }

    /// Neither an encoded address nor a user's name was noticed.
    #[test]
    fn addresses_and_user_names_in_headers_are_reported() {
        let engine = Engine::new(Settings::default());
        let headers = [
            ("x-user-email", "alice@example.com"),
            ("baggage", "userId=alice%40example.com,session=1"),
            (":path", "/alice@example.com"),
            ("x-api-key", "alice@example.com"),
            ("cookie", "user=alice@example.com"),
            ("x-package", "@scope/name"),
            ("x-openwebui-user-name", "Alice"),
            ("x-forwarded-user", ""),
        ];
        let headers = headers.map(|(name, value)| (name, value.as_bytes()));
        let found: Vec<_> = engine.revealing_headers(headers).collect();
        assert_eq!(found, ["x-user-email", "baggage", "x-openwebui-user-name"]);
    }

    #[test]
    fn known_path_words_are_logged() {
        for path in [
            "/",
            "/v1/chat/completions",
            "//v1beta/models/",
            "/api/event_logging/batch",
            "/v1/Users/me",
            "/v9/ask",
            "/.well-known/openid-configuration",
        ] {
            assert_eq!(default_shown(path), path);
        }
        assert_eq!(
            default_shown("/v1beta/models/gemini-3:generateContent"),
            "/v1beta/models/*:generateContent"
        );
    }

    /// Names and numbers that no detector finds on their own were in the log.
    #[test]
    fn unknown_path_words_are_not_logged() {
        for (text, expected) in [
            ("/users/Max%20Mustermann/chat", "/users/[PERSON]/chat"),
            ("/users/max.mustermann", "/users/*"),
            ("/users/mustermann-files", "/users/*"),
            ("/users/4711", "/users/*"),
            ("/users/chat%20mustermann", "/users/*"),
            ("/v1;user=mustermann/chat", "/*/chat"),
            ("/100%/%4/%zz/%+1", "/*/*/*/*"),
        ] {
            assert_eq!(default_shown(text), expected);
        }
    }

    /// An address in a path was logged when its `@` was percent-encoded.
    #[test]
    fn a_percent_encoded_value_is_not_logged() {
        for (text, expected) in [
            ("/users/alice@example.com/chat", "/users/[EMAIL]/chat"),
            ("/users/alice%40example.com/chat", "/users/[EMAIL]/chat"),
            ("/%61lice%40example.com", "/[EMAIL]"),
            ("/%ff/alice%40example.com", "/*/[EMAIL]"),
            ("/a@example.com/b%40example.com", "/[EMAIL]/[EMAIL]"),
        ] {
            assert_eq!(default_shown(text), expected);
        }
    }

    /// They were found in a query and shown in a path.
    #[test]
    fn numbers_between_slashes_are_not_logged() {
        for (text, expected) in [
            ("/cards/4111-1111-1111-1111/x", "/cards/[CREDIT_CARD]/*"),
            ("/cards/4111%201111%201111%201111", "/cards/[CREDIT_CARD]"),
            ("/cards/4111+1111+1111+1111", "/cards/[CREDIT_CARD]"),
            ("/users/536-90-4399", "/users/[SSN]"),
            ("/users/DE89370400440532013000", "/users/[IBAN]"),
        ] {
            assert_eq!(default_shown(text), expected);
        }
    }

    /// A path of a client could colour, move or turn what a terminal shows.
    #[test]
    fn non_ascii_control_characters_are_not_logged() {
        assert_eq!(default_shown("/\u{9b}31m/\u{202e}x"), "/*/*");
    }
}
