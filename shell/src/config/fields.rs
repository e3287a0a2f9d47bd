//! The table of detector settings. `table` has all others.

use super::settings::Kind;

/// A detector setting.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    /// The detector types that have it.
    pub(crate) of: &'static [&'static str],
    pub(crate) kind: Kind,
    /// The value when it is not set.
    pub(crate) default: Option<&'static str>,
    pub(crate) secret: bool,
    pub(crate) help: &'static str,
}

/// The types of detectors.
pub(super) const TYPES: &[&str] = &["regex", "terms", "ner", "presidio", "llm", "wasm"];
/// How eagerly to look for names.
pub(super) const NAMES: &[&str] = &["off", "careful", "eager"];
const OWN: &[&str] = &["regex", "terms"];
const EXTERNAL: &[&str] = &["ner", "presidio", "llm", "wasm"];
const ANY_COUNT: Kind = Kind::Whole {
    least: 1,
    most: u64::MAX,
};

const fn field(
    key: &'static str,
    of: &'static [&'static str],
    kind: Kind,
    help: &'static str,
) -> Field {
    Field {
        key,
        of,
        kind,
        default: None,
        secret: false,
        help,
    }
}

/// Every setting of a detector, in the order in which the documentation shows them.
pub(crate) const FIELDS: &[Field] = &[
    Field {
        default: Some("regex"),
        ..field("type", TYPES, Kind::Choice(TYPES), "which detector")
    },
    field(
        "types",
        &["regex"],
        Kind::Switches,
        "built-in types to switch on or off; the others keep their defaults",
    ),
    Field {
        default: Some("careful"),
        ..field(
            "names",
            &["regex"],
            Kind::Choice(NAMES),
            "how eagerly to look for names of people, places and organizations",
        )
    },
    field(
        "patterns",
        OWN,
        Kind::Patterns,
        "your own regular expressions; a group named `value` limits what is masked; a built-in type is replaced",
    ),
    field(
        "terms",
        OWN,
        Kind::Terms,
        "your own words; upper or lower case, whole words only, longest first",
    ),
    field(
        "allow",
        OWN,
        Kind::Allowed,
        "values that are never masked: a text, or {type, value} or {type, pattern}",
    ),
    field(
        "min_score",
        &["regex", "ner", "presidio"],
        Kind::Fraction,
        "the minimum score of a detection; 0.5 for ner and presidio when unset",
    ),
    field(
        "entities",
        EXTERNAL,
        Kind::Entities,
        "the entity types to look for; all types of the detector when unset",
    ),
    field(
        "url",
        &["presidio"],
        Kind::Url,
        "the Presidio analyzer, such as http://localhost:5002",
    ),
    Field {
        default: Some("en"),
        ..field(
            "language",
            &["presidio"],
            Kind::Text,
            "the language of the texts",
        )
    },
    field(
        "path",
        &["ner", "wasm"],
        Kind::Path,
        "the folder of the model or its .onnx file; the file of the component",
    ),
    Field {
        default: Some("5"),
        ..field(
            "timeout",
            &["ner", "presidio", "wasm"],
            Kind::Seconds,
            "maximum time to scan one request",
        )
    },
    Field {
        default: Some("67108864"),
        ..field(
            "memory",
            &["wasm"],
            ANY_COUNT,
            "maximum memory of an instance of the component, in bytes",
        )
    },
    Field {
        default: Some("chat_style"),
        ..field(
            "llm_provider",
            &["llm"],
            Kind::Choice(&["chat_style", "messages_style"]),
            "the wire format of the model's provider",
        )
    },
    field("llm_model", &["llm"], Kind::Text, "the model to ask"),
    field(
        "llm_base_url",
        &["llm"],
        Kind::Url,
        "the provider's URL; its public address when unset",
    ),
    Field {
        secret: true,
        ..field("llm_api_key", &["llm"], Kind::Text, "the provider's key")
    },
    Field {
        secret: true,
        ..field(
            "llm_instructions",
            &["llm"],
            Kind::Text,
            "additional instructions for the model",
        )
    },
    Field {
        default: Some("30"),
        ..field(
            "llm_timeout",
            &["llm"],
            Kind::Seconds,
            "maximum time to scan one request",
        )
    },
    Field {
        default: Some("false"),
        ..field(
            "llm_fallback_on_error",
            &["llm"],
            Kind::Boolean,
            "continue with the other detectors when the model fails",
        )
    },
    Field {
        default: Some("20000"),
        ..field(
            "llm_max_chars",
            &["llm"],
            ANY_COUNT,
            "maximum number of characters sent to the model at a time",
        )
    },
    Field {
        default: Some("1000"),
        ..field(
            "cache_size",
            &["ner", "presidio", "llm"],
            Kind::Whole {
                least: 0,
                most: 1_000_000,
            },
            "number of results to cache; 0 turns the cache off",
        )
    },
];
