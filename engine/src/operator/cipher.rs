//! Encrypts values for operator `encrypt`, so that the vault holds only ciphertext.

use std::fmt;
use std::sync::Arc;

use aes_gcm::aead::array::Array;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::{EntityType, Mapping, Sensitive};

/// The bytes of the key that the user configures.
const KEY: usize = 32;
const NONCE: usize = 12;

/// Encrypts values for the vault with AES-256-GCM, and derives the ids of their tokens.
///
/// Both use their own keys, derived from the user's (decisions, 2.4).
#[derive(Clone)]
pub struct Cipher(Arc<Keys>);

struct Keys {
    ids: Sensitive<[u8; KEY]>,
    values: Aes256Gcm,
}

impl Cipher {
    /// A cipher with the user's key: 32 random bytes.
    #[must_use]
    pub fn new(key: &Sensitive<[u8; KEY]>) -> Self {
        let value_key = derive_key(key, b"maskproxy encrypt: values");
        Self(Arc::new(Keys {
            ids: derive_key(key, b"maskproxy encrypt: ids"),
            values: Aes256Gcm::new(value_key.expose().into()),
        }))
    }

    /// Seals the value of a mapping of this session: the nonce, the ciphertext, the tag.
    ///
    /// `nonce` must be random and never used again.
    #[must_use]
    pub fn seal(&self, session: &str, mapping: &Mapping, nonce: [u8; NONCE]) -> Vec<u8> {
        let token = associated(session, mapping.core());
        let value = Payload {
            msg: mapping.value().expose().as_bytes(),
            aad: &token,
        };
        // Fails only above 64 GiB; the result then can't be decrypted.
        let sealed = self
            .0
            .values
            .encrypt(&Array(nonce), value)
            .unwrap_or_default();
        [&nonce[..], &sealed].concat()
    }

    /// Opens what [`seal`](Self::seal) made for this token of this session; `None` when the key is
    /// another, or when it is damaged.
    #[must_use]
    pub fn open(
        &self,
        session: &str,
        entity: &EntityType,
        id: &str,
        sealed: &[u8],
    ) -> Option<Mapping> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let token = associated(session, &crate::token::core(entity, id));
        let sealed = Payload {
            msg: sealed,
            aad: &token,
        };
        let value = self.0.values.decrypt(&Array(*nonce), sealed).ok()?;
        let value = Sensitive::new(String::from_utf8(value).ok()?);
        Some(Mapping::new(entity.clone(), id, value))
    }

    pub(crate) fn id_key(&self) -> &[u8] {
        self.0.ids.expose()
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher")
    }
}

/// HKDF-Expand of RFC 5869, one block. The key must be as good as random, because nothing is
/// extracted from it.
pub(crate) fn derive_key(key: &Sensitive<[u8; KEY]>, purpose: &[u8]) -> Sensitive<[u8; KEY]> {
    let mut derived = [0; KEY];
    // HMAC accepts keys of any length.
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.expose()) {
        mac.update(purpose);
        mac.update(&[1]);
        derived = mac.finalize().into_bytes().into();
    }
    Sensitive::new(derived)
}

/// Binds a value to the session and the token that it is kept for.
fn associated(session: &str, core: &str) -> Vec<u8> {
    [session.as_bytes(), b"\0", core.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(byte: u8) -> Cipher {
        Cipher::new(&Sensitive::new([byte; KEY]))
    }

    fn mapping(id: &str, value: &str) -> Mapping {
        let value = Sensitive::new(value.to_owned());
        Mapping::new(EntityType::EMAIL, id, value)
    }

    #[test]
    fn only_the_same_key_session_and_token_open_a_value() {
        let sealed = cipher(1).seal("ses_a", &mapping("1", "alice@example.com"), [7; NONCE]);
        assert!(!String::from_utf8_lossy(&sealed).contains("alice"));
        let open = |key, session, entity: EntityType, id, sealed: &[u8]| {
            let mapping = cipher(key).open(session, &entity, id, sealed);
            mapping.map(|mapping| mapping.value().expose().clone())
        };
        let email = EntityType::EMAIL;
        assert_eq!(
            open(1, "ses_a", email.clone(), "1", &sealed).as_deref(),
            Some("alice@example.com")
        );
        assert_eq!(open(2, "ses_a", email.clone(), "1", &sealed), None);
        assert_eq!(open(1, "ses_b", email.clone(), "1", &sealed), None);
        assert_eq!(open(1, "ses_a", email.clone(), "2", &sealed), None);
        assert_eq!(open(1, "ses_a", EntityType::PHONE, "1", &sealed), None);
        for damaged in [&sealed[..sealed.len() - 1], &sealed[..5], &[]] {
            assert_eq!(open(1, "ses_a", email.clone(), "1", damaged), None);
        }
    }

    #[test]
    fn ids_and_values_use_separate_derived_keys() {
        let key = Sensitive::new([1; KEY]);
        let ids = derive_key(&key, b"maskproxy encrypt: ids");
        let values = derive_key(&key, b"maskproxy encrypt: values");
        assert!(ids != values && ids != key && values != key);
        assert_eq!(cipher(1).id_key(), ids.expose());
    }
}
