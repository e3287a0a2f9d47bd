//! The one table of settings: what each is called in the file, the environment and on the command
//! line, its default and whether it is secret. Flags and help are made from it.

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The path in the configuration file, and the name in messages.
    pub(crate) path: &'static str,
    /// The environment variable.
    pub(crate) env: Option<&'static str>,
    /// The flag of `proxy`.
    pub(crate) flag: Option<Flag>,
    /// What applies when nothing is set.
    pub(crate) default: Option<&'static str>,
    /// Whether the value may never be shown.
    pub(crate) secret: bool,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// How a setting is given on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flag {
    /// `--long <NAME>`, and `-short <NAME>`.
    Value {
        long: &'static str,
        short: Option<char>,
        name: &'static str,
    },
    /// Switches, each of which stands for one value: `--transparent`, `--gateway`.
    Switches(&'static [&'static str]),
}

const fn value(long: &'static str, name: &'static str) -> Flag {
    Flag::Value {
        long,
        short: None,
        name,
    }
}

const fn setting(path: &'static str, help: &'static str) -> Setting {
    Setting {
        path,
        env: None,
        flag: None,
        default: None,
        secret: false,
        help,
    }
}

/// Every setting, in the order in which help and documentation show them.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        env: Some("MASK_UPSTREAM_URL"),
        flag: Some(Flag::Value {
            long: "upstream",
            short: Some('u'),
            name: "URL",
        }),
        ..setting(
            "proxy.upstream",
            "the provider to forward to; only scheme, host and port count",
        )
    },
    Setting {
        default: Some("127.0.0.1"),
        flag: Some(value("host", "ADDRESS")),
        ..setting("host", "the address to listen on")
    },
    Setting {
        default: Some("8000"),
        flag: Some(value("port", "PORT")),
        ..setting("port", "the port to listen on; 0 takes a free one")
    },
    Setting {
        default: Some("transparent"),
        flag: Some(Flag::Switches(&["transparent", "gateway"])),
        ..setting("proxy.mode", "how requests are forwarded")
    },
    Setting {
        default: Some("true"),
        ..setting(
            "proxy.passthrough_unknown",
            "forward paths without a route, unmasked",
        )
    },
    Setting {
        default: Some("true"),
        ..setting(
            "proxy.forward_client_auth",
            "pass the client's own credentials on",
        )
    },
    Setting {
        default: Some("300"),
        ..setting(
            "proxy.timeout",
            "seconds to wait between bytes of the provider's reply",
        )
    },
    Setting {
        default: Some("10"),
        ..setting(
            "proxy.connect_timeout",
            "seconds to wait for a connection to the provider",
        )
    },
    Setting {
        default: Some("67108864"),
        ..setting("proxy.max_body", "largest request body to mask, in bytes")
    },
    Setting {
        default: Some("generic"),
        env: Some("MASK_PROVIDER_TYPE"),
        ..setting(
            "provider.type",
            "generic, chat_style or messages_style: whose key and address apply",
        )
    },
    Setting {
        env: Some("MASK_API_KEY"),
        secret: true,
        ..setting(
            "provider.api_key",
            "a key to send instead of the client's own",
        )
    },
    Setting {
        env: Some("MASK_GENERIC_API_KEY"),
        secret: true,
        ..setting("provider.generic_api_key", "the same, for provider generic")
    },
    Setting {
        env: Some("MASK_CHAT_STYLE_API_KEY"),
        secret: true,
        ..setting(
            "provider.chat_style_api_key",
            "the same, for provider chat_style",
        )
    },
    Setting {
        env: Some("MASK_MESSAGES_STYLE_API_KEY"),
        secret: true,
        ..setting(
            "provider.messages_style_api_key",
            "the same, for provider messages_style",
        )
    },
    Setting {
        env: Some("MASK_ANCHOR_SECRET"),
        secret: true,
        ..setting(
            "operator.anchor_secret",
            "gives a value the same token in every session; 32 random bytes in hex",
        )
    },
    Setting {
        default: Some("ephemeral"),
        env: Some("MASK_SESSION_STRATEGY"),
        ..setting("session.strategy", "which requests share a session")
    },
    Setting {
        default: Some("maskproxy-audit.log"),
        env: Some("MASK_AUDIT_PATH"),
        ..setting("audit.path", "the file that the audit trail is appended to")
    },
    Setting {
        env: Some("MASK_SSL_CERTFILE"),
        flag: Some(value("ssl-certfile", "FILE")),
        ..setting(
            "tls.certfile",
            "certificate chain (PEM) to serve HTTPS with",
        )
    },
    Setting {
        env: Some("MASK_SSL_KEYFILE"),
        flag: Some(value("ssl-keyfile", "FILE")),
        ..setting("tls.keyfile", "private key (PEM) of the certificate")
    },
    Setting {
        default: Some("text"),
        ..setting("logging", "text or json")
    },
    Setting {
        default: Some("info"),
        ..setting("log_level", "error, warn, info, debug or trace")
    },
];

/// The setting at a path of the table.
#[cfg(test)]
pub(crate) fn find(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_setting_has_its_own_name_everywhere() {
        let mut paths = HashSet::new();
        let mut envs = HashSet::new();
        for setting in SETTINGS {
            assert!(paths.insert(setting.path), "{}", setting.path);
            if let Some(env) = setting.env {
                assert!(env.starts_with("MASK_") && envs.insert(env), "{env}");
            }
        }
    }

    #[test]
    fn no_secret_can_be_given_on_the_command_line() {
        for setting in SETTINGS.iter().filter(|setting| setting.secret) {
            assert!(setting.flag.is_none(), "{}", setting.path);
            assert!(setting.default.is_none(), "{}", setting.path);
        }
        assert!(find("provider.api_key").is_some_and(|key| key.secret));
    }
}
