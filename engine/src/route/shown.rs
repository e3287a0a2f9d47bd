//! A request path as a log may show it.

use percent_encoding::percent_decode_str;

use super::words::is_known;
use crate::Engine;

/// The path with `*` in the place of every part that is no known word of an interface, or the type of what would be
/// masked in it. A path may hold what no detector finds: somebody's name, an order. Holds nothing that a terminal obeys.
#[must_use]
pub fn shown(engine: &Engine, path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let parts = segment.split(':').map(|part| shown_part(engine, part));
        parts.collect::<Vec<_>>().join(":")
    });
    segments.collect::<Vec<_>>().join("/")
}

fn shown_part(engine: &Engine, part: &str) -> String {
    if part.is_empty() || is_known(part) {
        return part.to_owned();
    }
    let spaced = part.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8_lossy();
    match engine.detect(&text).first() {
        Some(found) => format!("[{}]", found.entity.as_str()),
        None => "*".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn default_shown(text: &str) -> String {
        shown(&Engine::new(Settings::default()), text)
    }

    #[test]
    fn known_words_are_shown() {
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

    /// Names and numbers that no detector finds on their own stood in the log.
    #[test]
    fn what_is_no_known_word_is_not_logged() {
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
    fn control_characters_beyond_ascii_are_not_logged_as_they_are() {
        assert_eq!(default_shown("/\u{9b}31m/\u{202e}x"), "/*/*");
    }
}
