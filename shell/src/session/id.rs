//! Session and request ids.

use std::fmt;

use http::HeaderValue;

use crate::base::random;

/// `req_<12 hex>`: in every audit line of one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId([u8; 16]);

impl RequestId {
    /// A new random one.
    pub(crate) fn random() -> Self {
        let mut text = *b"req_000000000000";
        write_hex(&random::bytes::<6>(), text.split_at_mut(4).1);
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of a session, also carried in the header `x-mask-session`.
#[derive(Debug, Clone)]
pub(crate) struct SessionId(HeaderValue);

/// How a session got its name; `source` in the audit trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionSource {
    /// The request named it.
    Header,
    /// One a credential.
    Client,
    /// One a conversation.
    Conversation,
    /// One for this exchange.
    Ephemeral,
    /// An id for a session that continues history held by the provider.
    History,
    /// One that a gateway names, or one for its call.
    Gateway,
}

impl SessionSource {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Client => "client",
            Self::Conversation => "conversation",
            Self::Ephemeral => "ephemeral",
            Self::History => "history",
            Self::Gateway => "gateway",
        }
    }
}

/// A session name that is not 1 to 128 characters of `A-Z a-z 0-9 . _ : -`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InvalidSessionId;

impl SessionId {
    /// A new random one, `ses_<16 hex>`.
    pub(crate) fn random() -> Self {
        Self::derived(random::bytes())
    }

    /// An id made of these bytes, `ses_<16 hex>`.
    pub(super) fn derived(bytes: [u8; 8]) -> Self {
        let mut text = *b"ses_0000000000000000";
        write_hex(&bytes, text.split_at_mut(4).1);
        // Hex digits are always a valid header value.
        Self(HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static("ses_")))
    }

    /// One out of the vault.
    pub(super) fn kept(id: &str) -> Option<Self> {
        Self::from_text(id).ok()
    }

    /// The same, as a text.
    pub(crate) fn from_text(name: &str) -> Result<Self, InvalidSessionId> {
        let name = HeaderValue::from_str(name).map_err(|_| InvalidSessionId)?;
        Self::from_header(&name)
    }

    /// The name that a client gave.
    pub(crate) fn from_header(value: &HeaderValue) -> Result<Self, InvalidSessionId> {
        let name = value.as_bytes();
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:-".contains(byte);
        if name.is_empty() || name.len() > 128 || !name.iter().all(is_allowed) {
            return Err(InvalidSessionId);
        }
        Ok(Self(value.clone()))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The value of `x-mask-session`.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// Bytes as lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = vec![0; bytes.len() * 2];
    write_hex(bytes, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn write_hex(bytes: &[u8], text: &mut [u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (byte, pair) in bytes.iter().zip(text.chunks_exact_mut(2)) {
        for (digit, shift) in pair.iter_mut().zip([4, 0]) {
            *digit = DIGITS[usize::from(byte >> shift & 15)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn random_ids_are_well_formed_and_unique() {
        let requests: HashSet<_> = (0..2000)
            .map(|_| RequestId::random().as_str().to_owned())
            .collect();
        assert_eq!(requests.len(), 2000);
        let sessions: HashSet<_> = (0..2000)
            .map(|_| SessionId::random().as_str().to_owned())
            .collect();
        assert_eq!(sessions.len(), 2000);
        let is_hex = |id: &str, length| {
            id.len() == length
                && id
                    .bytes()
                    .skip(4)
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        assert!(
            requests
                .iter()
                .all(|id| id.starts_with("req_") && is_hex(id, 16))
        );
        assert!(
            sessions
                .iter()
                .all(|id| id.starts_with("ses_") && is_hex(id, 20))
        );
    }

    #[test]
    fn client_session_names_are_validated() {
        let name = |text: &[u8]| SessionId::from_header(&HeaderValue::from_bytes(text).unwrap());
        assert_eq!(name(b"team-7:a.b_C").unwrap().as_str(), "team-7:a.b_C");
        assert!(name("x".repeat(128).as_bytes()).is_ok());
        for bad in [
            &b""[..],
            b"a b",
            b"a/b",
            b"\xff",
            b"a\tb",
            "x".repeat(129).as_bytes(),
        ] {
            assert_eq!(name(bad).unwrap_err(), InvalidSessionId);
        }
    }
}
