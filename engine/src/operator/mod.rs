//! Decides what replaces a masked value.

pub(crate) mod cipher;
pub(crate) mod surrogate;

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Sensitive;
use crate::token::{DERIVED_ID, FIRST_DERIVED};
pub use cipher::Cipher;
pub use surrogate::{NoSurrogate, Surrogates};

/// What a masked value becomes.
#[derive(Debug, Clone)]
pub enum Operator {
    /// A token that is restored. Its id is a counter of the session, or derived from the value when
    /// an anchor secret is given.
    Pseudonym {
        /// Makes a value's token the same in every session. Of any length but empty.
        anchor: Option<Sensitive<Vec<u8>>>,
    },
    /// A token that is restored, its id derived from the value. The vault holds ciphertext.
    Encrypt(Cipher),
    /// A plausible value of the same kind, restored like a token. Other values get tokens, their ids derived with the
    /// same key.
    Surrogate(Surrogates),
    /// `[REDACTED_<TYPE>]`: nothing is stored, nothing restored.
    Redact,
}

impl Default for Operator {
    fn default() -> Self {
        Self::Pseudonym { anchor: None }
    }
}

impl Operator {
    /// Whether masked values are restored.
    #[must_use]
    pub const fn restores(&self) -> bool {
        !matches!(self, Self::Redact)
    }

    /// Whether ids are numbers of a session, or surrogates are used, so that the same one may mean
    /// different values in two sessions.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.surrogates().is_some() || self.restores() && self.id_key().is_none()
    }

    /// Which values get surrogates, if any do.
    pub(crate) fn surrogates(&self) -> Option<&Surrogates> {
        match self {
            Self::Surrogate(surrogates) => Some(surrogates),
            Self::Pseudonym { .. } | Self::Encrypt(_) | Self::Redact => None,
        }
    }

    /// The key for derived ids; `None` if they are counted.
    pub(crate) fn id_key(&self) -> Option<&[u8]> {
        match self {
            Self::Pseudonym { anchor } => anchor.as_ref().map(|anchor| anchor.expose().as_slice()),
            Self::Encrypt(cipher) => Some(cipher.id_key()),
            Self::Surrogate(surrogates) => Some(surrogates.key()),
            Self::Redact => None,
        }
    }
}

/// The first 16 upper-case hex digits of HMAC-SHA256(key, value) (decisions, 2.4).
///
/// `attempt` is above 0 only when another value of the session has the same id already.
pub(crate) fn derive_id(key: &[u8], value: &str, attempt: u32) -> String {
    let mut id = String::with_capacity(DERIVED_ID);
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return id;
    };
    mac.update(value.as_bytes());
    if attempt > 0 {
        mac.update(&attempt.to_be_bytes());
    }
    for byte in mac.finalize().into_bytes().iter().take(DERIVED_ID / 2) {
        let _ = write!(id, "{byte:02X}");
    }
    id
}

/// Derived numbers are below this, so that they have fewer than [`LONG_ID`](crate::token::LONG_ID)
/// digits.
const LAST_DERIVED: u64 = 100_000_000_000;

/// A derived number for a value under a seed (decisions, 7.5): the same value always has the same
/// number, however often the session is recreated.
///
/// `attempt` is above 0 only if another value of the session already has the number.
pub(crate) fn derive_number(seed: &[u8; 32], value: &str, attempt: u32) -> u64 {
    let mut hash = 0;
    // HMAC accepts keys of any length.
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(seed) {
        mac.update(value.as_bytes());
        mac.update(&attempt.to_be_bytes());
        let bytes: [u8; 32] = mac.finalize().into_bytes().into();
        hash = bytes.first_chunk().copied().map_or(0, u64::from_be_bytes);
    }
    FIRST_DERIVED + hash % (LAST_DERIVED - FIRST_DERIVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_ids_are_truncated_hmac_digests() {
        // printf alice@example.com | openssl dgst -sha256 -hmac secret
        assert_eq!(
            derive_id(b"secret", "alice@example.com", 0),
            "A398D49CE1980B36"
        );
        assert_ne!(derive_id(b"secret", "a", 0), derive_id(b"other", "a", 0));
        assert_ne!(derive_id(b"secret", "a", 0), derive_id(b"secret", "a", 1));
    }
}
