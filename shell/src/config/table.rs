//! The table of all settings. Parsing, flags, help, `config` and the reference page are generated from it.

use super::fields::NAMES;
use super::settings::{Flag, Kind, Setting};

const ANY_COUNT: Kind = Kind::Whole {
    least: 1,
    most: u64::MAX,
};

const fn value(long: &'static str, name: &'static str) -> Flag {
    Flag::Value {
        long,
        short: None,
        name,
    }
}

const fn setting(path: &'static str, kind: Kind, help: &'static str) -> Setting {
    Setting {
        path,
        kind,
        env: None,
        flag: None,
        default: None,
        secret: false,
        help,
    }
}

const fn secret(path: &'static str, env: &'static str, help: &'static str) -> Setting {
    Setting {
        env: Some(env),
        secret: true,
        ..setting(path, Kind::Text, help)
    }
}

/// Every setting, in the order in which help and documentation show them.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        default: Some("127.0.0.1"),
        flag: Some(value("host", "ADDRESS")),
        ..setting("host", Kind::Text, "the address to listen on")
    },
    Setting {
        default: Some("8000"),
        flag: Some(value("port", "PORT")),
        ..setting(
            "port",
            Kind::Whole {
                least: 0,
                most: 65_535,
            },
            "the port to listen on, or 0 for any",
        )
    },
    Setting {
        flag: Some(value("guardrail", "ADDRESS")),
        ..setting(
            "proxy.guardrail",
            Kind::Address,
            "a second address or port, which serves masking and restoring to other gateways; off when unset",
        )
    },
    secret(
        "proxy.guardrail_key",
        "MASK_GUARDRAIL_KEY",
        "the key that callers of proxy.guardrail must send; required unless it listens on loopback",
    ),
    Setting {
        default: Some("transparent"),
        flag: Some(Flag::Switches(&[
            ("transparent", "forward every path to the provider's host"),
            ("gateway", "forward only routed paths, to one URL"),
        ])),
        ..setting(
            "proxy.mode",
            Kind::Choice(&["transparent", "gateway"]),
            "forward every path to the provider's host, or only routed ones to one URL",
        )
    },
    Setting {
        env: Some("MASK_UPSTREAM_URL"),
        flag: Some(Flag::Value {
            long: "upstream",
            short: Some('u'),
            name: "URL",
        }),
        ..setting(
            "proxy.upstream",
            Kind::Url,
            "the provider to forward to; overrides provider.base_url",
        )
    },
    setting(
        "proxy.routes",
        Kind::Routes,
        "the paths to mask, each with its schema; replaces the default routes",
    ),
    setting(
        "proxy.add_routes",
        Kind::Routes,
        "more path endings to mask, each with its schema; `*` matches one segment",
    ),
    Setting {
        default: Some("forward"),
        ..setting(
            "proxy.unrouted",
            Kind::Choice(&["forward", "mask", "refuse"]),
            "what to do with paths without a route: forward them unmasked, mask them as generic, or refuse them",
        )
    },
    Setting {
        default: Some("true"),
        ..setting(
            "proxy.passthrough_unknown",
            Kind::Boolean,
            "older setting; false is the same as proxy.unrouted refuse",
        )
    },
    Setting {
        default: Some("true"),
        ..setting(
            "proxy.forward_client_auth",
            Kind::Boolean,
            "forward the client's own credentials",
        )
    },
    Setting {
        default: Some("300"),
        ..setting(
            "proxy.timeout",
            Kind::Seconds,
            "time to wait between bytes of the provider's reply",
        )
    },
    Setting {
        default: Some("10"),
        ..setting(
            "proxy.connect_timeout",
            Kind::Seconds,
            "time to wait for a connection to the provider",
        )
    },
    setting(
        "proxy.max_connections",
        ANY_COUNT,
        "maximum number of connections to the provider; unlimited when unset",
    ),
    Setting {
        default: Some("67108864"),
        ..setting(
            "proxy.max_body",
            ANY_COUNT,
            "maximum size of a request body on masked paths, in bytes",
        )
    },
    Setting {
        default: Some("16777216"),
        ..setting(
            "proxy.findings_cache",
            Kind::Whole {
                least: 0,
                most: 1 << 40,
            },
            "maximum size of the cache of detection results, in bytes; 0 turns it off",
        )
    },
    Setting {
        default: Some("generic"),
        env: Some("MASK_PROVIDER_TYPE"),
        ..setting(
            "provider.type",
            Kind::Choice(&["generic", "chat_style", "messages_style"]),
            "selects the API key, and the public address when no other is set",
        )
    },
    setting(
        "provider.base_url",
        Kind::Url,
        "the provider's URL; in gateway mode every request goes to exactly this one",
    ),
    secret(
        "provider.api_key",
        "MASK_API_KEY",
        "a key to send instead of the client's",
    ),
    secret(
        "provider.generic_api_key",
        "MASK_GENERIC_API_KEY",
        "the same, for provider generic",
    ),
    secret(
        "provider.chat_style_api_key",
        "MASK_CHAT_STYLE_API_KEY",
        "the same, for provider chat_style",
    ),
    secret(
        "provider.messages_style_api_key",
        "MASK_MESSAGES_STYLE_API_KEY",
        "the same, for provider messages_style",
    ),
    secret(
        "detector_llm_api_key",
        "MASK_LLM_API_KEY",
        "the key for the llm detector's provider, unless the detector sets its own",
    ),
    setting(
        "provider.headers",
        Kind::Headers,
        "headers to add to every request to the provider",
    ),
    Setting {
        default: Some("regex"),
        ..setting("detector", Kind::Detector, "what finds the values to mask")
    },
    Setting {
        env: Some("MASK_LISTS"),
        flag: Some(value("lists", "FILE")),
        ..setting(
            "detector_lists",
            Kind::Path,
            "a file of values to never or always mask; created if missing, and written by the live page",
        )
    },
    Setting {
        env: Some("MASK_NAMES"),
        ..setting(
            "detector_names",
            Kind::Choice(NAMES),
            "how eagerly to look for names of people, places and organizations; overrides the detector's `names`",
        )
    },
    Setting {
        default: Some("default"),
        ..setting(
            "policy.type",
            Kind::Choice(&["default", "strict", "shadow"]),
            "mask every detection, only the types in policy.allowed, or nothing (shadow: only count)",
        )
    },
    setting(
        "policy.allowed",
        Kind::Entities,
        "the entity types that policy strict masks, or that policy shadow looks for; all built-in types when unset",
    ),
    setting(
        "policy.rules",
        Kind::Rules,
        "rules that decide what is masked, the first match wins; `policy: [...]` means the same",
    ),
    setting(
        "policy.keys",
        Kind::Keys,
        "names for clients' keys, for use in rules; `maskproxy key add` prints a line for each",
    ),
    Setting {
        default: Some("pseudonym"),
        ..setting(
            "operator.type",
            Kind::Choice(&["pseudonym", "encrypt", "redact", "surrogate"]),
            "what a masked value becomes",
        )
    },
    setting(
        "operator.types",
        Kind::Entities,
        "the entity types that operator surrogate replaces with plausible values; all supported types when unset, others get tokens",
    ),
    secret(
        "operator.anchor_secret",
        "MASK_ANCHOR_SECRET",
        "gives a value the same token in every session; 32 random bytes in hex",
    ),
    secret(
        "operator.encrypt_key",
        "MASK_ENCRYPT_KEY",
        "the key of operator encrypt; 32 random bytes in hex",
    ),
    setting(
        "restore",
        Kind::Restore,
        "which values are restored in tool arguments; all when unset",
    ),
    Setting {
        default: Some("ephemeral"),
        env: Some("MASK_SESSION_STRATEGY"),
        ..setting(
            "session.strategy",
            Kind::Choice(&["ephemeral", "client", "conversation"]),
            "which requests share a session",
        )
    },
    Setting {
        default: Some("true"),
        ..setting(
            "session.bind_to_credential",
            Kind::Boolean,
            "restrict a stored session to the credential that created it",
        )
    },
    Setting {
        default: Some("memory"),
        env: Some("MASK_VAULT"),
        ..setting(
            "vault.type",
            Kind::Choice(&["memory", "sqlite", "redis"]),
            "where sessions are kept",
        )
    },
    Setting {
        env: Some("MASK_VAULT_TTL"),
        ..setting(
            "vault.ttl",
            Kind::Seconds,
            "idle time after which a session is forgotten; never when unset",
        )
    },
    Setting {
        default: Some("maskproxy-vault.db"),
        ..setting("vault.dsn", Kind::Path, "the file of vault sqlite")
    },
    Setting {
        env: Some("MASK_REDIS_URL"),
        ..setting(
            "vault.redis_url",
            Kind::StoreUrl,
            "the servers of vault redis: redis://HOST:PORT/DATABASE, redis+sentinel:// or redis+cluster://",
        )
    },
    Setting {
        env: Some("MASK_REDIS_CA_CERTS"),
        ..setting(
            "vault.redis_ca_certs",
            Kind::Path,
            "certificates (PEM) of the authorities that Redis servers are verified with; the system's when unset",
        )
    },
    Setting {
        env: Some("MASK_REDIS_CERTFILE"),
        ..setting(
            "vault.redis_certfile",
            Kind::Path,
            "certificate chain (PEM) to present to Redis servers",
        )
    },
    Setting {
        env: Some("MASK_REDIS_KEYFILE"),
        ..setting(
            "vault.redis_keyfile",
            Kind::Path,
            "private key (PEM, not encrypted) of that certificate",
        )
    },
    Setting {
        default: Some("true"),
        ..setting("audit.enabled", Kind::Boolean, "write an audit trail")
    },
    Setting {
        default: Some("maskproxy-audit.log"),
        env: Some("MASK_AUDIT_PATH"),
        ..setting(
            "audit.path",
            Kind::Path,
            "the file that the audit trail is appended to",
        )
    },
    Setting {
        default: Some("text"),
        ..setting(
            "logging",
            Kind::Choice(&["text", "json"]),
            "how log lines are written to standard output",
        )
    },
    Setting {
        default: Some("info"),
        ..setting(
            "log_level",
            Kind::Choice(&["error", "warn", "info", "debug", "trace"]),
            "how much is logged",
        )
    },
    setting(
        "log_file",
        Kind::Path,
        "an additional log file, readable only by its owner; at level debug it can contain values",
    ),
    setting(
        "tracing.otlp",
        Kind::Url,
        "the collector for OpenTelemetry traces, without /v1/traces; OTEL_EXPORTER_OTLP_ENDPOINT overrides it; only in builds with feature otlp",
    ),
    setting(
        "tracing.headers",
        Kind::Headers,
        "headers to add to every request to the collector",
    ),
    Setting {
        env: Some("MASK_SSL_CERTFILE"),
        flag: Some(value("ssl-certfile", "FILE")),
        ..setting(
            "tls.certfile",
            Kind::Path,
            "certificate chain (PEM) for serving HTTPS",
        )
    },
    Setting {
        env: Some("MASK_SSL_KEYFILE"),
        flag: Some(value("ssl-keyfile", "FILE")),
        ..setting(
            "tls.keyfile",
            Kind::Path,
            "private key (PEM) of the certificate",
        )
    },
    secret(
        "tls.keyfile_password",
        "MASK_SSL_KEYFILE_PASSWORD",
        "the password of an encrypted private key",
    ),
    Setting {
        env: Some("MASK_SSL_CA_CERTS"),
        ..setting(
            "tls.ca_certs",
            Kind::Path,
            "certificates (PEM) of authorities; clients must present a certificate from one of them",
        )
    },
];
