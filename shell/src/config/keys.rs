//! Client keys that rules name: a keyed hash of each, so that no configuration holds one.

use std::fmt::{self, Write};

use engine::Sensitive;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Error;
use super::error::shown_key;
use super::settings::Kind;
use super::values::Values;
use crate::random;

const SCHEME: &str = "hmac-sha256";
const SALT: usize = 16;
const DIGEST: usize = 32;

/// The keys of `policy.keys`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientKeys(Vec<(String, KeyHash)>);

/// What tells a key without holding it.
#[derive(Clone)]
pub(crate) struct KeyHash {
    salt: [u8; SALT],
    digest: Sensitive<[u8; DIGEST]>,
}

impl ClientKeys {
    pub(super) fn read(values: &Values) -> Result<Self, Error> {
        let Some(item) = values.get("policy.keys") else {
            return Ok(Self::default());
        };
        let mut keys = Vec::new();
        for (name, entry) in item.map(Kind::Text)? {
            if name.is_empty() || shown_key(name) != name {
                return Err(item.must_be(
                    "a mapping of names, of letters, digits, `-`, `_` and `.`, to hashes",
                ));
            }
            let hash = KeyHash::parse(entry.text()?).ok_or_else(|| {
                entry.must_be("what `maskproxy key add NAME` prints, and never a key itself")
            })?;
            keys.push((name.to_owned(), hash));
        }
        Ok(Self(keys))
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of all.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The names of a key.
    pub(crate) fn of(&self, key: &[u8]) -> Vec<&str> {
        let fitting = self.0.iter().filter(|(_, hash)| hash.is_of(key));
        fitting.map(|(name, _)| name.as_str()).collect()
    }
}

impl KeyHash {
    /// Of a key, with a salt of its own.
    pub(crate) fn of(key: &[u8]) -> Self {
        let salt = random::bytes::<SALT>();
        let mut digest = [0; DIGEST];
        if let Some(mac) = hmac(&salt, key) {
            digest = mac.finalize().into_bytes().into();
        }
        Self {
            salt,
            digest: Sensitive::new(digest),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(SCHEME)?.strip_prefix(':')?;
        let (salt, digest) = rest.split_once(':')?;
        Some(Self {
            salt: from_hex(salt)?,
            digest: Sensitive::new(from_hex(digest)?),
        })
    }

    /// In constant time.
    fn is_of(&self, key: &[u8]) -> bool {
        let mac = hmac(&self.salt, key);
        mac.is_some_and(|mac| mac.verify_slice(self.digest.expose()).is_ok())
    }

    /// As the configuration holds it.
    pub(crate) fn entry(&self) -> String {
        format!("{SCHEME}:{}:{}", hex(&self.salt), hex(self.digest.expose()))
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
    fn an_entry_tells_its_key_and_shows_nothing_of_it() {
        let hash = KeyHash::of(b"sk-ant-secret");
        let entry = hash.entry();
        assert!(!entry.contains("secret"), "{entry}");
        assert_ne!(
            entry,
            KeyHash::of(b"sk-ant-secret").entry(),
            "each has its own salt"
        );
        let read = KeyHash::parse(&entry).unwrap();
        assert!(read.is_of(b"sk-ant-secret") && !read.is_of(b"sk-ant-other"));
        assert!(KeyHash::parse("sk-ant-secret").is_none());
        assert_eq!(format!("{read:?}"), "KeyHash");
    }
}
