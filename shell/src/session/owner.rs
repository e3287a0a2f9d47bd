//! Whose a session is.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

/// The process's random key for owner tags.
#[derive(Debug, Default)]
pub(crate) struct OwnerKey(RandomState);

/// A keyed hash of the credential that a request came with: tells owners apart without holding
/// what they authenticate with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl OwnerKey {
    /// The owner of a request with these headers. Requests without a credential share one.
    pub(crate) fn owner(&self, headers: &HeaderMap) -> Owner {
        let credentials = [
            headers.get(AUTHORIZATION).map(HeaderValue::as_bytes),
            headers.get("x-api-key").map(HeaderValue::as_bytes),
        ];
        Owner(self.0.hash_one(credentials))
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
        assert_ne!(alice, owner(&key, "x-api-key", "Bearer a"));
        assert_ne!(
            alice,
            owner(&OwnerKey::default(), "authorization", "Bearer a")
        );
    }
}
