//! What the user configured, read once at start. Nothing here opens a port or a file.

mod settings;
mod upstream;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use engine::{Detectors, Operator, Sensitive};
use http::HeaderValue;

use crate::route::Routes;

pub(crate) use settings::{Flag, SETTINGS};
pub(crate) use upstream::Origin;
pub(crate) use values::Values;

/// Why the configuration can't be used. Never shows a value.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum Error {
    #[error("setting '{path}' must be {expected}")]
    Invalid {
        path: &'static str,
        expected: &'static str,
    },
    #[error("'{path}' can't be '{value}' in this version: only '{supported}' is built in")]
    Unsupported {
        path: &'static str,
        value: &'static str,
        supported: &'static str,
    },
    #[error("HTTPS needs both 'tls.certfile' and 'tls.keyfile', but only '{0}' is set")]
    HalfTls(&'static str),
}

impl Error {
    /// The setting that is wrong.
    pub(crate) const fn path(&self) -> &'static str {
        match self {
            Self::Invalid { path, .. } | Self::Unsupported { path, .. } | Self::HalfTls(path) => {
                path
            }
        }
    }
}

/// The whole configuration of the proxy.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) upstream: Origin,
    pub(crate) routes: Routes,
    pub(crate) passthrough_unknown: bool,
    pub(crate) credentials: Credentials,
    pub(crate) limits: Limits,
    pub(crate) audit_path: PathBuf,
    pub(crate) logging: Logging,
    pub(crate) engine: engine::Settings,
}

/// Where the listener's certificate comes from.
#[derive(Debug)]
pub(crate) struct TlsFiles {
    pub(crate) certfile: PathBuf,
    pub(crate) keyfile: PathBuf,
}

/// Whose key goes to the provider.
#[derive(Debug)]
pub(crate) struct Credentials {
    /// Whether the client's own may be passed on.
    pub(crate) forward_client: bool,
    /// The key held by the proxy, which replaces the client's.
    pub(crate) held: Option<HeldKey>,
}

/// A provider key in the two forms in which it is sent. Its `Debug` shows neither.
#[derive(Debug)]
pub(crate) struct HeldKey {
    pub(crate) bearer: HeaderValue,
    pub(crate) plain: HeaderValue,
}

/// Bounds on what the proxy waits for and accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Between two bytes of a reply.
    pub(crate) timeout: Duration,
    /// For one try to connect.
    pub(crate) connect_timeout: Duration,
    /// Bytes of a request body on a routed path.
    pub(crate) max_body: usize,
}

/// How the log is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logging {
    pub(crate) json: bool,
    pub(crate) level: tracing::Level,
}

impl Config {
    /// Reads the merged settings.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub(crate) fn resolve(values: &Values) -> Result<Self, Error> {
        only(values, "proxy.mode", "transparent", &["gateway"])?;
        only(
            values,
            "session.strategy",
            "ephemeral",
            &["client", "conversation"],
        )?;
        let provider = Provider::read(values)?;
        Ok(Self {
            host: values.required("host")?.to_owned(),
            port: values.number("port", "a port number, 0 to 65535")?,
            tls: tls(values)?,
            upstream: Origin::parse(
                values
                    .text("proxy.upstream")
                    .unwrap_or(provider.default_upstream),
            )
            .ok_or(Error::Invalid {
                path: "proxy.upstream",
                expected: "a URL such as https://api.example.com",
            })?,
            routes: Routes::default(),
            passthrough_unknown: values.flag("proxy.passthrough_unknown")?,
            credentials: Credentials {
                forward_client: values.flag("proxy.forward_client_auth")?,
                held: provider.held_key(values)?,
            },
            limits: Limits {
                timeout: values.seconds("proxy.timeout")?,
                connect_timeout: values.seconds("proxy.connect_timeout")?,
                max_body: values.number("proxy.max_body", "a number of bytes")?,
            },
            audit_path: values.required("audit.path")?.into(),
            logging: logging(values)?,
            engine: engine_settings(values),
        })
    }
}

/// A choice of which this version has only one.
fn only(
    values: &Values,
    path: &'static str,
    supported: &'static str,
    known: &[&'static str],
) -> Result<(), Error> {
    let value = values.required(path)?;
    if value == supported {
        return Ok(());
    }
    match known.iter().find(|known| **known == value) {
        Some(value) => Err(Error::Unsupported {
            path,
            value,
            supported,
        }),
        None => Err(Error::Invalid {
            path,
            expected: supported,
        }),
    }
}

struct Provider {
    key_path: &'static str,
    default_upstream: &'static str,
}

impl Provider {
    fn read(values: &Values) -> Result<Self, Error> {
        let (key_path, default_upstream) = match values.required("provider.type")? {
            "generic" => ("provider.generic_api_key", "http://localhost:20128"),
            "chat_style" | "openai" => ("provider.chat_style_api_key", "https://api.openai.com"),
            "messages_style" | "anthropic" => (
                "provider.messages_style_api_key",
                "https://api.anthropic.com",
            ),
            _ => {
                return Err(Error::Invalid {
                    path: "provider.type",
                    expected: "generic, chat_style or messages_style",
                });
            }
        };
        Ok(Self {
            key_path,
            default_upstream,
        })
    }

    /// The key of the provider's type, or else the general one.
    fn held_key(&self, values: &Values) -> Result<Option<HeldKey>, Error> {
        let (path, key) = match values.text(self.key_path) {
            Some(key) => (self.key_path, key),
            None => match values.text("provider.api_key") {
                Some(key) => ("provider.api_key", key),
                None => return Ok(None),
            },
        };
        let header = |text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(|_| Error::Invalid {
                path,
                expected: "a key without line breaks and control characters",
            })?;
            value.set_sensitive(true);
            Ok(value)
        };
        Ok(Some(HeldKey {
            bearer: header(&format!("Bearer {key}"))?,
            plain: header(key)?,
        }))
    }
}

fn tls(values: &Values) -> Result<Option<TlsFiles>, Error> {
    match (values.text("tls.certfile"), values.text("tls.keyfile")) {
        (Some(certfile), Some(keyfile)) => Ok(Some(TlsFiles {
            certfile: certfile.into(),
            keyfile: keyfile.into(),
        })),
        (Some(_), None) => Err(Error::HalfTls("tls.certfile")),
        (None, Some(_)) => Err(Error::HalfTls("tls.keyfile")),
        (None, None) => Ok(None),
    }
}

fn logging(values: &Values) -> Result<Logging, Error> {
    let json = match values.required("logging")? {
        "text" => false,
        "json" => true,
        _ => {
            return Err(Error::Invalid {
                path: "logging",
                expected: "text or json",
            });
        }
    };
    Ok(Logging {
        json,
        level: values.number("log_level", "error, warn, info, debug or trace")?,
    })
}

fn engine_settings(values: &Values) -> engine::Settings {
    let anchor = values
        .text("operator.anchor_secret")
        .map(|secret| Sensitive::new(secret.as_bytes().to_vec()));
    engine::Settings {
        detectors: Detectors::built_in(),
        operator: Operator::Pseudonym { anchor },
        ..engine::Settings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, Error> {
        let find = |pairs: &[(&str, &str)], name: &str| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, text)| (*text).to_owned())
        };
        Config::resolve(&Values::merge(
            |name| find(environment, name),
            |path| find(flags, path),
        ))
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_defaults() {
        let config = resolve(&[], &[]).unwrap();
        assert_eq!(config.upstream.authority(), "localhost:20128");
        assert_eq!((config.host.as_str(), config.port), ("127.0.0.1", 8000));

        let env = [("MASK_UPSTREAM_URL", "https://a.example")];
        assert_eq!(
            resolve(&env, &[]).unwrap().upstream.authority(),
            "a.example"
        );
        let flags = [("proxy.upstream", "http://b.example:81/v1")];
        assert_eq!(
            resolve(&env, &flags).unwrap().upstream.authority(),
            "b.example:81"
        );
    }

    #[test]
    fn an_empty_environment_variable_is_unset() {
        let config = resolve(&[("MASK_ANCHOR_SECRET", ""), ("MASK_API_KEY", "")], &[]).unwrap();
        assert!(config.credentials.held.is_none());
        assert!(matches!(
            config.engine.operator,
            Operator::Pseudonym { anchor: None }
        ));
    }

    #[test]
    fn the_key_of_the_provider_type_wins() {
        let env = [
            ("MASK_API_KEY", "general"),
            ("MASK_GENERIC_API_KEY", "special"),
        ];
        let held = resolve(&env, &[]).unwrap().credentials.held.unwrap();
        assert_eq!(held.bearer.to_str().unwrap(), "Bearer special");
        assert!(!format!("{held:?}").contains("special"));
    }

    #[test]
    fn errors_never_show_the_value() {
        for (env, value) in [
            ("MASK_UPSTREAM_URL", "hunter2://x"),
            ("MASK_API_KEY", "hunter2\n"),
            ("MASK_SESSION_STRATEGY", "hunter2"),
        ] {
            let error = resolve(&[(env, value)], &[]).unwrap_err().to_string();
            assert!(!error.contains(value), "{error}");
        }
    }

    #[test]
    fn strategies_of_later_versions_are_refused_by_name() {
        let error = resolve(&[("MASK_SESSION_STRATEGY", "conversation")], &[]).unwrap_err();
        assert!(error.to_string().contains("conversation"));
    }

    #[test]
    fn half_of_tls_is_refused() {
        let error = resolve(&[("MASK_SSL_CERTFILE", "cert.pem")], &[]).unwrap_err();
        assert_eq!(error, Error::HalfTls("tls.certfile"));
    }
}
