//! Client keys that rules name: a keyed hash of each, so that no configuration holds one.

use std::fmt::{self, Write};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Sensitive;

const SCHEME: &str = "hmac-sha256";
const DIGEST: usize = 32;

/// Keys by their names.
#[derive(Debug, Clone, Default)]
pub struct ClientKeys(Vec<(String, KeyHash)>);

/// What tells a key without holding it.
#[derive(Clone)]
pub struct KeyHash {
    salt: [u8; Self::SALT],
    digest: Sensitive<[u8; DIGEST]>,
}

impl From<Vec<(String, KeyHash)>> for ClientKeys {
    fn from(keys: Vec<(String, KeyHash)>) -> Self {
        Self(keys)
    }
}

impl ClientKeys {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The names of the key that a client sent, by the headers that hold it; none when it sent keys of different names,
    /// because it is unknown which one counts.
    #[must_use]
    pub fn sent<'n, 'v>(
        &self,
        credentials: impl Iterator<Item = (&'n str, &'v [u8])>,
    ) -> Option<Vec<&str>> {
        if self.is_empty() {
            return Some(Vec::new());
        }
        let mut keys = credentials.map(|(header, value)| match header {
            "authorization" => self.of(without_scheme(value)),
            _ => self.of(value),
        });
        let first = keys.next().unwrap_or_default();
        keys.all(|names| names == first).then_some(first)
    }

    /// The names of a key.
    fn of(&self, key: &[u8]) -> Vec<&str> {
        let fitting = self.0.iter().filter(|(_, hash)| hash.is_of(key));
        fitting.map(|(name, _)| name.as_str()).collect()
    }
}

/// The key of `Bearer KEY`.
fn without_scheme(value: &[u8]) -> &[u8] {
    let space = value.iter().position(|byte| *byte == b' ');
    let after = space.and_then(|space| value.get(space + 1..));
    after.unwrap_or(value).trim_ascii()
}

impl KeyHash {
    /// How long a salt is, in bytes.
    pub const SALT: usize = 16;

    /// Of a key, with a random salt of its own.
    #[must_use]
    pub fn of(key: &[u8], salt: [u8; Self::SALT]) -> Self {
        let digest = hmac(&salt, key).map(|mac| mac.finalize().into_bytes().into());
        Self {
            salt,
            digest: Sensitive::new(digest.unwrap_or_default()),
        }
    }

    /// As a configuration holds it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(SCHEME)?.strip_prefix(':')?;
        let (salt, digest) = rest.split_once(':')?;
        Some(Self {
            salt: from_hex(salt)?,
            digest: Sensitive::new(from_hex(digest)?),
        })
    }

    /// What [`parse`](Self::parse) reads.
    #[must_use]
    pub fn entry(&self) -> String {
        format!("{SCHEME}:{}:{}", hex(&self.salt), hex(self.digest.expose()))
    }

    /// In constant time.
    fn is_of(&self, key: &[u8]) -> bool {
        let mac = hmac(&self.salt, key);
        mac.is_some_and(|mac| mac.verify_slice(self.digest.expose()).is_ok())
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash")
    }
}

fn hmac(salt: &[u8], key: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(salt).ok()?;
    mac.update(key);
    Some(mac)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from((high? << 4) | low?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_hash_matches_its_key_without_revealing_it() {
        let hash = KeyHash::of(b"sk-ant-secret", [1; KeyHash::SALT]);
        let entry = hash.entry();
        assert!(!entry.contains("secret"), "{entry}");
        let other = KeyHash::of(b"sk-ant-secret", [2; KeyHash::SALT]);
        assert_ne!(entry, other.entry(), "each has its own salt");
        let read = KeyHash::parse(&entry).unwrap();
        assert!(read.is_of(b"sk-ant-secret") && !read.is_of(b"sk-ant-other"));
        assert!(KeyHash::parse("sk-ant-secret").is_none());
        assert_eq!(format!("{read:?}"), "KeyHash");
    }

    /// Keys of different names leave a doubt, and a scheme before a key does not.
    #[test]
    fn a_client_key_is_identified_unless_headers_disagree() {
        let keys = ["a", "b"].map(|name| {
            let hash = KeyHash::of(name.as_bytes(), [0; KeyHash::SALT]);
            (name.to_owned(), hash)
        });
        let keys = ClientKeys::from(keys.to_vec());
        let sent = |headers: &[(&'static str, &'static [u8])]| keys.sent(headers.iter().copied());
        assert_eq!(sent(&[("authorization", b"Bearer a")]), Some(vec!["a"]));
        let twice: &[(&str, &[u8])] = &[("x-api-key", b"b"), ("authorization", b"b")];
        assert_eq!(sent(twice), Some(vec!["b"]));
        assert_eq!(sent(&[("x-api-key", b"a"), ("api-key", b"b")]), None);
        assert_eq!(sent(&[("x-api-key", b"a"), ("api-key", b"c")]), None);
        assert_eq!(sent(&[]), Some(Vec::new()));
    }
}
