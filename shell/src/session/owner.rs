//! Identifies the owner of a request.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName};

/// The headers by which clients authenticate.
pub(crate) static CREDENTIALS: [HeaderName; 4] = [
    AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
];

/// The process's random key for owners.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnerKey(RandomState);

/// A keyed hash of the request's credential, which distinguishes owners without containing a
/// credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl OwnerKey {
    /// The owner of a request with these headers. Requests without a credential share one.
    pub(crate) fn owner(&self, headers: &HeaderMap) -> Owner {
        let credentials: Vec<_> = credentials(headers).collect();
        Owner(self.0.hash_one(credentials))
    }
}

impl Owner {
    /// The tag under which things of this owner are kept.
    pub(crate) fn tag(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The credentials of a request, each with its header.
pub(crate) fn credentials(headers: &HeaderMap) -> impl Iterator<Item = (&'static str, &[u8])> {
    let of = |name: &'static HeaderName| {
        let values = headers.get_all(name).iter();
        values.map(|value| (name.as_str(), value.as_bytes()))
    };
    let all = CREDENTIALS.iter().flat_map(of);
    all.filter(|(_, value)| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn owners_differ_by_credential_and_by_process() {
        let key = OwnerKey::default();
        let owner = |key: &OwnerKey, name: &'static str, value: &'static str| {
            let value = HeaderValue::from_static(value);
            key.owner(&HeaderMap::from_iter([(name.parse().unwrap(), value)]))
        };
        let alice = owner(&key, "authorization", "Bearer a");
        assert_eq!(alice, owner(&key, "authorization", "Bearer a"));
        assert_ne!(alice, owner(&key, "authorization", "Bearer b"));
        for other in ["x-api-key", "api-key", "x-goog-api-key"] {
            assert_ne!(alice, owner(&key, other, "Bearer a"));
            assert_ne!(owner(&key, other, "a"), owner(&key, other, "b"));
        }
        assert_ne!(
            alice,
            owner(&OwnerKey::default(), "authorization", "Bearer a")
        );
    }
}
