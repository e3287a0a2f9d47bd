//! The table of the settings of detectors, as `table` is of all others.

use super::settings::Kind;

/// A setting of a detector.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    /// The types of detectors that have it.
    pub(crate) of: &'static [&'static str],
    pub(crate) kind: Kind,
    /// What applies when it is not set.
    pub(crate) default: Option<&'static str>,
    pub(crate) secret: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reference page"))]
    pub(crate) help: &'static str,
}

/// The types of detectors.
pub(super) const TYPES: &[&str] = &["regex", "terms", "ner", "presidio", "llm", "wasm"];
/// How eagerly names are looked for.
pub(super) const NAMES: &[&str] = &["off", "careful", "eager"];
const OWN: &[&str] = &["regex", "terms"];
const WAITING: &[&str] = &["ner", "presidio", "llm", "wasm"];
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
            "how eagerly names of people, places and organizations are looked for",
        )
    },
    field(
        "patterns",
        OWN,
        Kind::Patterns,
        "regular expressions of your own; a group named `value` is what is masked, and a built-in type is replaced",
    ),
    field(
        "terms",
        OWN,
        Kind::Terms,
        "words of your own: any case, whole words, longest first",
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
        "the least score of a detection; of presidio's 0.5 when unset",
    ),
    field(
        "entities",
        WAITING,
        Kind::Entities,
        "the entity types to look for; all that the detector knows when unset",
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
        "the folder of the model, or the file of the component",
    ),
    Field {
        default: Some("5"),
        ..field(
            "timeout",
            &["ner", "presidio", "wasm"],
            Kind::Seconds,
            "seconds that a scan of a request may take",
        )
    },
    Field {
        default: Some("67108864"),
        ..field(
            "memory",
            &["wasm"],
            ANY_COUNT,
            "bytes of memory that an instance of the component may take",
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
        "the provider's URL; its public one when unset",
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
            "what else the model is told to look for",
        )
    },
    Field {
        default: Some("30"),
        ..field(
            "llm_timeout",
            &["llm"],
            Kind::Seconds,
            "seconds that a scan of a request may take",
        )
    },
    Field {
        default: Some("false"),
        ..field(
            "llm_fallback_on_error",
            &["llm"],
            Kind::Boolean,
            "go on with the other detectors when the model fails",
        )
    },
    Field {
        default: Some("20000"),
        ..field(
            "llm_max_chars",
            &["llm"],
            ANY_COUNT,
            "characters that the model is shown at a time",
        )
    },
    Field {
        default: Some("1000"),
        ..field(
            "cache_size",
            &["presidio", "llm"],
            Kind::Whole {
                least: 0,
                most: 1_000_000,
            },
            "how many results are kept for texts seen again; 0 keeps none",
        )
    },
];
