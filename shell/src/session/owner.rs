//! Identifies the owner of a request.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use engine::route::{PROVIDER_KEYS, identity, is_credential_of};
use http::HeaderMap;
use http::request::Parts;
use sha2::{Digest, Sha256};

/// The sender of a request, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'h> {
    pub(crate) headers: &'h HeaderMap,
    pub(crate) query: &'h str,
    pub(crate) certificate: Option<&'h PeerCertificate>,
    /// The key in the body that a gateway uses.
    pub(crate) gateway_key: Option<&'h str>,
}

/// Stands for the header of that key.
const GATEWAY_KEY: &str = "body-api-key";

/// The certificate that a client proved to have: its SHA-256 digest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerCertificate([u8; 32]);

/// The process's random key for owners.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnerKey(RandomState);

/// A keyed hash of what identifies a request's owner, which distinguishes owners without containing a
/// credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl<'h> Caller<'h> {
    /// The one who sent a request.
    pub(crate) fn of(head: &'h Parts) -> Self {
        Self {
            headers: &head.headers,
            query: head.uri.query().unwrap_or_default(),
            certificate: head.extensions.get(),
            gateway_key: None,
        }
    }

    /// One who shows nothing else.
    pub(crate) fn of_headers(headers: &'h HeaderMap) -> Self {
        Self {
            headers,
            query: "",
            certificate: None,
            gateway_key: None,
        }
    }

    /// What identifies the owner, each part with its header.
    pub(super) fn identity(self) -> Vec<(&'h str, &'h [u8])> {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        let mut identity = identity(headers, self.query);
        let certificate = self.certificate.map(|certificate| &certificate.0[..]);
        identity.extend(certificate.map(|digest| ("", digest)));
        let key = self.gateway_key.map(str::as_bytes);
        identity.extend(key.map(|key| (GATEWAY_KEY, key)));
        identity
    }

    /// Whether the owner is identified by more than a name that anyone could send.
    pub(super) fn is_authenticated(self) -> bool {
        self.certificate.is_some() || is_credential_of(&self.identity())
    }

    /// The keys of providers, each with its header.
    pub(crate) fn provider_keys(self) -> impl Iterator<Item = (&'h str, &'h [u8])> {
        let identity = self.identity().into_iter();
        identity.filter(|(name, _)| PROVIDER_KEYS.contains(name))
    }
}

impl PeerCertificate {
    /// That of a certificate in DER.
    pub(crate) fn of(der: &[u8]) -> Self {
        Self(Sha256::digest(der).into())
    }
}

impl OwnerKey {
    /// The owner of this caller's requests. Callers that nothing identifies are one.
    pub(crate) fn owner(&self, caller: Caller<'_>) -> Owner {
        Owner(self.0.hash_one(caller.identity()))
    }
}

impl Owner {
    /// The tag under which things of this owner are kept.
    pub(crate) fn tag(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn header(name: &'static str, value: &'static str) -> HeaderMap {
        let line = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        HeaderMap::from_iter([line])
    }

    #[test]
    fn owners_differ_by_credential_and_by_process() {
        let key = OwnerKey::default();
        let owner = |name, value| key.owner(Caller::of_headers(&header(name, value)));
        let alice = owner("authorization", "Bearer a");
        assert_eq!(alice, owner("authorization", "Bearer a"));
        assert_ne!(alice, owner("authorization", "Bearer b"));
        for other in ["x-api-key", "api-key", "x-goog-api-key", "x-auth-token"] {
            assert_ne!(alice, owner(other, "Bearer a"));
            assert_ne!(owner(other, "a"), owner(other, "b"));
        }
        let headers = header("authorization", "Bearer a");
        let of_another = OwnerKey::default().owner(Caller::of_headers(&headers));
        assert_ne!(alice, of_another);
    }

    #[test]
    fn a_query_key_identifies_like_the_header() {
        let key = OwnerKey::default();
        let none = HeaderMap::new();
        let by_query = |query| {
            key.owner(Caller {
                query,
                ..Caller::of_headers(&none)
            })
        };
        let by_header = key.owner(Caller::of_headers(&header("x-goog-api-key", "a")));
        assert_eq!(by_query("alt=sse&key=a"), by_header);
        assert_ne!(by_query("key=b"), by_header);
        assert_ne!(by_query("code=a"), by_query("code=b"));
    }

    /// Callers whom only the key in the body told apart shared sessions.
    #[test]
    fn a_key_in_the_body_identifies() {
        let (key, none) = (OwnerKey::default(), HeaderMap::new());
        let caller = |gateway_key| Caller {
            gateway_key: Some(gateway_key),
            ..Caller::of_headers(&none)
        };
        assert_eq!(key.owner(caller("a")), key.owner(caller("a")));
        assert_ne!(key.owner(caller("a")), key.owner(caller("b")));
        assert!(caller("a").is_authenticated());
    }

    /// Callers whom only their certificates told apart shared sessions.
    #[test]
    fn client_certificates_identify_the_caller() {
        let none = HeaderMap::new();
        let of = |der: &[u8]| {
            let certificate = PeerCertificate::of(der);
            let caller = Caller {
                certificate: Some(&certificate),
                ..Caller::of_headers(&none)
            };
            assert!(caller.is_authenticated());
            let identity = caller.identity().into_iter();
            identity
                .map(|(_, part)| part.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(b"alice"), of(b"alice"));
        assert_ne!(of(b"alice"), of(b"bob"));
    }
}
