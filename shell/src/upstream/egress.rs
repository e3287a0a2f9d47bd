//! The outgoing proxy between this machine and the provider, if the environment names one.

use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use crate::config::{Origin, is_loopback};

/// Why the proxy that the environment names can't be used. Never shows its address: that may hold a
/// password.
#[derive(Debug, thiserror::Error)]
#[error("the proxy in {0} can't be used: only http:// is supported")]
pub(crate) struct Unusable(&'static str);

/// How to get out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Egress(Option<Intercept>);

impl Egress {
    /// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say about a provider. A provider
    /// on this machine is always reached directly.
    ///
    /// # Errors
    /// When a proxy is named that can't be used.
    pub(crate) fn from_environment(origin: &Origin) -> Result<Self, Unusable> {
        Self::of(&Matcher::from_env(), origin)
    }

    fn of(matcher: &Matcher, origin: &Origin) -> Result<Self, Unusable> {
        if is_loopback(origin.host()) {
            return Ok(Self::default());
        }
        let root = http::uri::PathAndQuery::from_static("/");
        let Some(proxy) = matcher.intercept(&origin.at(root)) else {
            return Ok(Self::default());
        };
        if proxy.uri().scheme_str() != Some("http") {
            return Err(Unusable(if origin.is_https() {
                "HTTPS_PROXY or ALL_PROXY"
            } else {
                "HTTP_PROXY or ALL_PROXY"
            }));
        }
        Ok(Self(Some(proxy)))
    }

    /// Where the proxy is, if there is one.
    pub(crate) fn host_and_port(&self) -> Option<(&str, u16)> {
        let uri = self.0.as_ref()?.uri();
        Some((uri.host()?, uri.port_u16().unwrap_or(80)))
    }

    pub(super) fn proxy(&self) -> Option<&Intercept> {
        self.0.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn egress(proxy: &str, url: &str) -> Result<Egress, Unusable> {
        let matcher = Matcher::builder().all(proxy).no("inner.example").build();
        Egress::of(&matcher, &Origin::parse(url).unwrap())
    }

    #[test]
    fn a_provider_on_this_machine_is_reached_directly() {
        for url in [
            "http://localhost:20128",
            "https://127.0.0.2",
            "https://[::1]:1",
            "http://a.localhost",
            "https://api.inner.example",
        ] {
            let egress = egress("http://proxy.example:3128", url).unwrap();
            assert!(egress.proxy().is_none(), "{url}");
        }
        let out = egress("http://proxy.example:3128", "https://api.example").unwrap();
        assert_eq!(out.proxy().unwrap().uri(), "http://proxy.example:3128/");
    }

    #[test]
    fn another_kind_of_proxy_is_refused_without_showing_its_password() {
        for proxy in ["socks5://u:hunter2@proxy.example", "https://proxy.example"] {
            let error = egress(proxy, "https://api.example").unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
