//! Encrypted signed blocks, for memory that others can read.

use std::fmt;
use std::sync::Arc;

use aes_gcm::aead::Aead;
use aes_gcm::aead::array::Array;
use aes_gcm::{Aes256Gcm, KeyInit};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::memory::{SignedBlock, block_key};
use crate::operator::cipher::derive_key;
use crate::{EntityType, Mapping, Origin, Sensitive};

const NONCE: usize = 12;

/// A signed block that opens only to who names its owner and its signature: both are in its key.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedBlock {
    /// The lookup key. Reveals neither owner nor signature.
    pub name: [u8; 32],
    /// The nonce, the ciphertext, the tag.
    pub bytes: Vec<u8>,
}

impl SealedBlock {
    /// The name of the block that this owner received under this signature.
    #[must_use]
    pub fn name(owner: &str, signature: &str) -> [u8; 32] {
        *Keys::new(owner, signature).name.expose()
    }

    /// Opens the bytes of a block; `None` when it is another owner's or another signature's, or damaged.
    #[must_use]
    pub fn open(owner: &str, signature: &str, bytes: &[u8]) -> Option<SignedBlock> {
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let keys = Keys::new(owner, signature);
        let content = keys.content().decrypt(&Array(*nonce), sealed).ok()?;
        decoded(signature, Sensitive::new(content).expose())
    }
}

impl fmt::Debug for SealedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedBlock({} bytes)", self.bytes.len())
    }
}

impl SignedBlock {
    /// Seals the block for this owner with AES-256-GCM.
    #[must_use]
    pub fn sealed(&self, owner: &str) -> SealedBlock {
        let keys = Keys::new(owner, &self.signature);
        let content = Sensitive::new(self.encoded());
        let nonce = keys.nonce(content.expose());
        // Fails only above 64 GiB; the result then can't be decrypted.
        let sealed = keys
            .content()
            .encrypt(&Array(nonce), content.expose().as_slice())
            .unwrap_or_default();
        SealedBlock {
            name: *keys.name.expose(),
            bytes: [&nonce[..], &sealed].concat(),
        }
    }

    /// The text, then type, id, value and origin of each mapping.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.text());
        for mapping in &self.mappings {
            put(&mut out, mapping.entity().as_str());
            put(&mut out, mapping.id());
            put(&mut out, mapping.value().expose());
            put(&mut out, mapping.origin().as_str());
        }
        out
    }
}

struct Keys {
    name: Sensitive<[u8; 32]>,
    content: Sensitive<[u8; 32]>,
    nonce: Sensitive<[u8; 32]>,
}

impl Keys {
    fn new(owner: &str, signature: &str) -> Self {
        let both = Sensitive::new(block_key(owner, signature));
        Self {
            name: derive_key(&both, b"maskproxy signed block: name"),
            content: derive_key(&both, b"maskproxy signed block: content"),
            nonce: derive_key(&both, b"maskproxy signed block: nonce"),
        }
    }

    fn content(&self) -> Aes256Gcm {
        Aes256Gcm::new(self.content.expose().into())
    }

    /// Another one for every content, as the engine has no randomness.
    fn nonce(&self, content: &[u8]) -> [u8; NONCE] {
        // HMAC accepts keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.nonce.expose()) else {
            return [0; NONCE];
        };
        mac.update(content);
        let digest: [u8; 32] = mac.finalize().into_bytes().into();
        digest.first_chunk().copied().unwrap_or_default()
    }
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn decoded(signature: &str, mut content: &[u8]) -> Option<SignedBlock> {
    let text = take(&mut content)?;
    let mut mappings = Vec::new();
    while !content.is_empty() {
        let entity = EntityType::parse(&take(&mut content)?).ok()?;
        let (id, value) = (take(&mut content)?, take(&mut content)?);
        let origin = Origin::parse(&take(&mut content)?)?;
        let mapping = Mapping::new(entity, &id, Sensitive::new(value));
        mappings.push(Arc::new(mapping.with_origin(origin)));
    }
    Some(SignedBlock::new(signature.to_owned(), text, mappings))
}

fn take(content: &mut &[u8]) -> Option<String> {
    let (length, rest) = content.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    *content = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> SignedBlock {
        let mapping = |id: &str, value: &str| {
            let value = Sensitive::new(value.to_owned());
            Arc::new(Mapping::new(EntityType::EMAIL, id, value))
        };
        let of_tool = Arc::new(Mapping::clone(&mapping("7", "bob")).with_origin(Origin::Tool));
        let mappings = vec![mapping("1", "alice@example.com"), of_tool];
        SignedBlock::new("sig".to_owned(), text.to_owned(), mappings)
    }

    #[test]
    fn only_owner_and_signature_together_open_a_block() {
        let sealed = block("about <MASK_EMAIL_1>").sealed("owner");
        let open = |owner, signature| SealedBlock::open(owner, signature, &sealed.bytes);
        let opened = open("owner", "sig").unwrap();
        assert_eq!(opened.encoded(), block("about <MASK_EMAIL_1>").encoded());
        assert_eq!(opened.signature, "sig");
        for (owner, signature) in [("other", "sig"), ("owner", "other"), ("owners", "ig")] {
            assert!(open(owner, signature).is_none());
            assert_ne!(SealedBlock::name(owner, signature), sealed.name);
        }
        assert_eq!(SealedBlock::name("owner", "sig"), sealed.name);
    }

    #[test]
    fn a_sealed_block_reveals_nothing() {
        let sealed = block("about <MASK_EMAIL_1>").sealed("owner");
        let all = [&sealed.name[..], &sealed.bytes].concat();
        for hidden in ["about", "alice", "EMAIL", "sig", "owner"] {
            assert!(!all.windows(hidden.len()).any(|at| at == hidden.as_bytes()));
        }
        assert!(!format!("{sealed:?}").contains("alice"));
    }

    #[test]
    fn different_contents_have_different_nonces() {
        let nonce = |text: &str| {
            *block(text)
                .sealed("owner")
                .bytes
                .first_chunk::<NONCE>()
                .unwrap()
        };
        assert_ne!(nonce("one"), nonce("two"));
    }

    #[test]
    fn a_damaged_block_does_not_open() {
        let sealed = block("about").sealed("owner").bytes;
        for damaged in [&sealed[..sealed.len() - 1], &sealed[..5], &[]] {
            assert!(SealedBlock::open("owner", "sig", damaged).is_none());
        }
        let whole = block("about").encoded();
        for length in 0..whole.len() {
            let part = decoded("sig", &whole[..length]);
            assert!(part.is_none_or(|part| part.mappings.len() < 2), "{length}");
        }
    }
}
