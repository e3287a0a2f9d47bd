//! The values of an exchange, with their tokens.

use std::collections::BTreeSet;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use engine::{Mapping, Sensitive, Session};

use super::recorder::Exchange;

/// The maximum number of values in an exchange. If it has more, the client's reply is not kept.
const MOST: usize = 1000;

/// How every token begins, between its brackets.
const TOKEN: &[u8] = b"MASK_";

/// How the id of a surrogate begins.
const SURROGATE: char = '=';

/// Why the client's reply is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooMany {
    /// Values in the request.
    Masked,
    /// Values in the session, any of which a reply may contain.
    Known,
}

/// The mappings to keep of a session for a request of which this is sent.
pub(super) fn to_keep(session: &Session, sent: &[u8]) -> (Vec<Arc<Mapping>>, Option<TooMany>) {
    if session.len() <= MOST {
        return (session.mappings().cloned().collect(), None);
    }
    let cores = cores(sent);
    if cores.len() > MOST || session.mappings().any(|mapping| is_surrogate(mapping)) {
        return (Vec::new(), Some(TooMany::Masked));
    }
    let sent = session
        .mappings()
        .filter(|mapping| cores.contains(mapping.core().as_bytes()));
    (sent.cloned().collect(), Some(TooMany::Known))
}

/// A value, and what the provider gets instead.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) token: String,
    mapping: Arc<Mapping>,
}

impl Value {
    pub(super) fn plain(&self) -> &Sensitive<String> {
        self.mapping.value()
    }

    pub(super) fn entity(&self) -> &str {
        self.mapping.entity().as_str()
    }
}

impl From<Arc<Mapping>> for Value {
    fn from(mapping: Arc<Mapping>) -> Self {
        Self {
            token: mapping.written(),
            mapping,
        }
    }
}

/// The values of an exchange, those in its request first, and how many these are.
pub(super) fn of(exchange: &Exchange) -> (Vec<Value>, usize) {
    sorted(&exchange.mappings, &exchange.to_provider)
}

fn sorted(mappings: &[Arc<Mapping>], text: &[u8]) -> (Vec<Value>, usize) {
    let mut sent = cores(text);
    sent.extend(surrogates(mappings, text));
    let mut known = BTreeSet::new();
    let (mut values, mut others) = (Vec::new(), Vec::new());
    for mapping in mappings {
        let core = mapping.core();
        if known.insert(core) {
            let is_sent = sent.contains(core.as_bytes());
            let kind = if is_sent { &mut values } else { &mut others };
            kind.push(Value::from(Arc::clone(mapping)));
        }
    }
    let masked = values.len();
    values.append(&mut others);
    (values, masked)
}

/// The cores of the surrogates that stand in a text, in small letters or capitals.
fn surrogates<'m>(mappings: &'m [Arc<Mapping>], text: &[u8]) -> Vec<&'m [u8]> {
    let all: Vec<_> = mappings
        .iter()
        .filter(|mapping| is_surrogate(mapping))
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(all.iter().map(|mapping| mapping.written()));
    let Ok(search) = search else {
        return Vec::new();
    };
    search
        .find_overlapping_iter(text)
        .filter_map(|found| all.get(found.pattern().as_usize()))
        .map(|mapping| mapping.core().as_bytes())
        .collect()
}

fn is_surrogate(mapping: &Mapping) -> bool {
    mapping.id().starts_with(SURROGATE)
}

/// The tokens in a text, without their brackets.
fn cores(text: &[u8]) -> BTreeSet<&[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memmem::find_iter(text, TOKEN)
        .filter_map(|at| {
            let core = text.get(at..)?;
            let end = core.iter().position(|byte| !is_part(byte));
            core.get(..end.unwrap_or(core.len()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use engine::{Engine, Settings};

    use super::*;
    use crate::exchange::live::recorder::tests::exchange;

    /// A text whose values are not told apart must not show them.
    #[test]
    fn replies_with_too_many_values_are_not_recorded() {
        let mails: Vec<_> = (0..=MOST)
            .map(|number| format!("user{number}@example.com"))
            .collect();
        let exchange = exchange(&mails.join(" "), "<MASK_EMAIL_1>", "user0@example.com");
        assert_eq!(exchange.too_many, Some(TooMany::Masked));
        assert_eq!(exchange.to_client.shown().text().expose(), "");
        assert_eq!(
            exchange.from_provider.shown().text().expose(),
            "<MASK_EMAIL_1>"
        );
    }

    /// A surrogate is no token, and its value is behind a click, too.
    #[test]
    fn surrogates_are_shown_with_their_values() {
        let key = Sensitive::new(b"key".to_vec());
        let engine = Engine::new(Settings {
            operator: engine::Operator::Surrogate(engine::Surrogates::new(key)),
            ..Settings::default()
        });
        let mut session = Session::new();
        let masked = engine.mask_text("to alice@firma.de", &mut session);
        let (mappings, _) = to_keep(&session, masked.as_bytes());
        for sent in [&masked, &masked.to_uppercase()] {
            let (values, masked) = sorted(&mappings, sent.as_bytes());
            let [value] = values.as_slice() else {
                panic!("{} values", values.len());
            };
            assert_eq!(
                (value.plain().expose().as_str(), masked),
                ("alice@firma.de", 1)
            );
            assert!(!value.token.contains("MASK"));
        }
    }

    /// A value of an earlier request came back without a button.
    #[test]
    fn session_values_absent_from_the_request_are_distinguished() {
        let engine = Engine::new(Settings::default());
        let mut session = Session::new();
        let _ = engine.mask_text("to alice@example.com", &mut session);
        let sent = engine.mask_text("to bob@example.com", &mut session);
        let (mappings, too_many) = to_keep(&session, sent.as_bytes());
        let (values, masked) = sorted(&mappings, sent.as_bytes());
        let plain: Vec<_> = values.iter().map(|value| value.plain().expose()).collect();
        assert_eq!(plain, ["bob@example.com", "alice@example.com"]);
        assert_eq!((masked, too_many), (1, None));
        for number in 0..MOST {
            let _ = engine.mask_text(&format!("user{number}@example.com"), &mut session);
        }
        let (mappings, too_many) = to_keep(&session, sent.as_bytes());
        assert_eq!((mappings.len(), too_many), (1, Some(TooMany::Known)));
    }
}
