//! The provider: its address, key and headers.

use http::{HeaderName, HeaderValue};

use super::item::Item;
use super::settings::Kind;
use super::upstream::{BaseUrl, FixedUrl, Origin};
use super::values::Values;
use super::{Credentials, Error, HeldKey, Mode};

/// What a provider's type decides.
struct ProviderType {
    key_path: &'static str,
    default_upstream: &'static str,
    is_messages_style: bool,
}

impl ProviderType {
    fn read(values: &Values) -> Result<Self, Error> {
        let (key_path, default_upstream) = match values.required("provider.type")?.choice()? {
            "chat_style" => ("provider.chat_style_api_key", "https://api.openai.com"),
            "messages_style" => (
                "provider.messages_style_api_key",
                "https://api.anthropic.com",
            ),
            _ => ("provider.generic_api_key", "http://localhost:20128"),
        };
        Ok(Self {
            key_path,
            default_upstream,
            is_messages_style: key_path == "provider.messages_style_api_key",
        })
    }
}

/// Where requests go.
pub(super) fn mode(values: &Values) -> Result<Mode, Error> {
    let url = values
        .get("proxy.upstream")
        .or_else(|| values.get("provider.base_url"));
    // Both are read, so that an error in one is found even if the other is used.
    for path in ["proxy.upstream", "provider.base_url"] {
        if let Some(url) = values.get(path) {
            origin(&url)?;
        }
    }
    let provider = ProviderType::read(values)?;
    if values.required("proxy.mode")?.choice()? == "gateway" {
        let url = url.ok_or_else(|| {
            Error::Conflict(
                "gateway mode needs the one URL to forward to: set 'provider.base_url' or --upstream"
                    .to_owned(),
            )
        })?;
        let fixed = FixedUrl::parse(url.text()?).ok_or_else(|| url.invalid())?;
        return Ok(Mode::Gateway {
            url: fixed,
            is_messages_style: provider.is_messages_style,
        });
    }
    let upstream = match url {
        Some(url) => base(&url)?,
        None => BaseUrl::parse(provider.default_upstream)
            .ok_or_else(|| Error::Conflict("no provider is set".to_owned()))?,
    };
    Ok(Mode::Transparent { upstream })
}

fn base(url: &Item<'_>) -> Result<BaseUrl, Error> {
    let text = url.text()?;
    if text.contains(['?', '#']) {
        return Err(url.must_be(
            "a URL without a query: the clients' own goes to the provider; use provider.headers for a key",
        ));
    }
    BaseUrl::parse(text).ok_or_else(|| url.invalid())
}

fn origin(url: &Item<'_>) -> Result<Origin, Error> {
    Origin::parse(url.text()?).ok_or_else(|| url.invalid())
}

/// Which key the provider gets.
pub(super) fn credentials(values: &Values) -> Result<Credentials, Error> {
    let provider = ProviderType::read(values)?;
    let key = values
        .get(provider.key_path)
        .or_else(|| values.get("provider.api_key"));
    Ok(Credentials {
        forward_client: values.required("proxy.forward_client_auth")?.boolean()?,
        held: key.map(|key| held(&key)).transpose()?,
    })
}

fn held(key: &Item<'_>) -> Result<HeldKey, Error> {
    let text = key.text()?;
    let header = |text: &str| {
        let mut value = HeaderValue::from_str(text)
            .map_err(|_| key.must_be("a key without line breaks and control characters"))?;
        value.set_sensitive(true);
        Ok(value)
    };
    Ok(HeldKey {
        bearer: header(&format!("Bearer {text}"))?,
        plain: header(text)?,
    })
}

/// Headers that the proxy itself writes or drops on the way to the provider.
const OWN_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-mask-session",
];

/// The headers that a setting adds to requests. The values are marked as sensitive.
///
/// # Errors
/// When they are none, or the proxy itself sets one.
pub(super) fn headers(
    values: &Values,
    setting: &'static str,
) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
    let Some(headers) = values.get(setting) else {
        return Ok(Vec::new());
    };
    let mut found: Vec<(HeaderName, HeaderValue)> = Vec::new();
    for (name, item) in headers.map(Kind::Text)? {
        let name = HeaderName::try_from(name)
            .map_err(|_| item.must_be("named as HTTP headers are: letters, digits and hyphens"))?;
        if OWN_HEADERS.contains(&name.as_str()) {
            return Err(Error::Conflict(format!(
                "setting '{}' can't be used: the proxy itself sets that header",
                item.path
            )));
        }
        if found.iter().any(|(other, _)| *other == name) {
            return Err(Error::Twice(item.path.into_owned()));
        }
        let mut value = HeaderValue::from_str(item.text()?)
            .map_err(|_| item.must_be("one line without control characters"))?;
        value.set_sensitive(true);
        found.push((name, value));
    }
    Ok(found)
}
