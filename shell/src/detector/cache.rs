//! Caches detection results for texts that come again.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{TextFindings, TextKind};
use hashlink::LruCache;
use hmac::{Hmac, KeyInit, Mac};
use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use sha2::Sha256;

use crate::base::random;

/// The approximate size of an entry besides its detections.
const ENTRY_BYTES: usize = 128;

/// What was found in the texts seen last, of one configuration of one detector. It holds keyed digests
/// of the texts, never the texts.
pub(crate) struct Findings {
    most: CacheLimit,
    digests: Digests,
    /// Of short parts of texts.
    key: u64,
    kept: Mutex<Kept>,
}

/// How much is remembered, at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheLimit {
    pub(crate) texts: usize,
    pub(crate) bytes: usize,
}

#[derive(Default)]
struct Kept {
    found: Option<LruCache<Digest, TextFindings>>,
    bytes: usize,
}

impl Findings {
    /// A cache of this size; `None` if one of the limits is 0.
    pub(crate) fn new(most: CacheLimit) -> Self {
        Self {
            most,
            digests: Digests::random(),
            key: u64::from_le_bytes(random::bytes()),
            kept: Mutex::default(),
        }
    }

    /// The cached result for a text.
    pub(crate) fn get(&self, text: &Digest) -> Option<TextFindings> {
        self.lock().found.as_mut()?.get(text).cloned()
    }

    /// Remembers what was found in a text.
    pub(crate) fn keep(&self, text: Digest, found: TextFindings) {
        let size = size_of(&found);
        if self.most.texts == 0 || size > self.most.bytes {
            return;
        }
        let mut kept = self.lock();
        kept.bytes += size;
        let all = kept.found.get_or_insert_with(LruCache::new_unbounded);
        if let Some(replaced) = all.insert(text, found) {
            kept.bytes -= size_of(&replaced);
        }
        while kept.exceeds(self.most) {
            kept.forget_oldest();
        }
    }

    /// Finds a text again.
    pub(crate) fn digest(&self, text: &str) -> Digest {
        self.digests.of(text, None, TextKind::Plain)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn exceeds(&self, most: CacheLimit) -> bool {
        let texts = self.found.as_ref().map_or(0, LruCache::len);
        texts > most.texts || self.bytes > most.bytes
    }

    fn forget_oldest(&mut self) {
        let oldest = self.found.as_mut().and_then(LruCache::remove_lru);
        self.bytes = oldest.map_or(0, |(_, found)| self.bytes - size_of(&found));
    }
}

fn size_of(found: &TextFindings) -> usize {
    ENTRY_BYTES + found.bytes()
}

impl engine::Findings for Findings {
    fn digest(&self, text: &str, name: Option<&str>, kind: TextKind) -> u128 {
        self.digests.of(text, name, kind).0
    }

    fn get(&self, digest: u128) -> Option<TextFindings> {
        self.get(&Digest(digest))
    }

    fn keep(&self, digest: u128, found: TextFindings) {
        self.keep(Digest(digest), found);
    }

    fn key(&self) -> u64 {
        self.key
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.lock();
        f.debug_struct("Findings")
            .field("texts", &kept.found.as_ref().map_or(0, LruCache::len))
            .field("bytes", &kept.bytes)
            .finish_non_exhaustive()
    }
}

/// A keyed digest of a text and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Digest(u128);

/// Computes digests: a universal hash, as fast as memory can be read, and an HMAC over its 16
/// bytes, so that even with the keys a digest does not lead back to a short text.
struct Digests {
    hash: Polyval,
    seal: Hmac<Sha256>,
}

impl Digests {
    fn random() -> Self {
        let key: [u8; 16] = random::bytes();
        let seal: [u8; 64] = random::bytes();
        Self {
            hash: Polyval::new(&key.into()),
            seal: Hmac::new(&seal.into()),
        }
    }

    fn of(&self, text: &str, name: Option<&str>, kind: TextKind) -> Digest {
        // The lengths show where each part ends, and distinguish no name from an empty one. No text is longer than 62 bits
        // tell.
        let length = text.len() as u64 | (kind as u64) << 62;
        let mut lengths = [0; 16];
        let counts = [length, name.map_or(0, |name| name.len() as u64 + 1)];
        for (to, count) in lengths.chunks_exact_mut(8).zip(counts) {
            to.copy_from_slice(&count.to_le_bytes());
        }
        let mut hash = self.hash.clone();
        hash.update_padded(name.unwrap_or_default().as_bytes());
        hash.update_padded(text.as_bytes());
        hash.update_padded(&lengths);
        let mut seal = self.seal.clone();
        seal.update(&hash.finalize());
        let sealed: [u8; 32] = seal.finalize().into_bytes().into();
        Digest(u128::from_le_bytes(
            sealed.first_chunk().copied().unwrap_or_default(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Detection, EntityType, Score};

    const MUCH: CacheLimit = CacheLimit {
        texts: 1000,
        bytes: 1 << 20,
    };

    fn keep(findings: &Findings, text: &str, detections: usize) {
        let detection = Detection {
            start: 0,
            end: 1,
            entity: EntityType::EMAIL,
            score: Score::MAX,
            rule: "email",
        };
        let digest = findings.digest(text);
        findings.keep(digest, vec![detection; detections].into());
    }

    fn knows(findings: &Findings, text: &str) -> bool {
        findings.get(&findings.digest(text)).is_some()
    }

    #[test]
    fn the_least_recently_used_text_is_evicted_first() {
        let findings = Findings::new(CacheLimit { texts: 2, ..MUCH });
        keep(&findings, "a", 0);
        keep(&findings, "b", 0);
        assert!(knows(&findings, "a"), "an empty result is one");
        keep(&findings, "c", 0);
        assert!(!knows(&findings, "b"));
        assert!(knows(&findings, "a") && knows(&findings, "c"));
    }

    #[test]
    fn the_cache_stays_within_its_byte_limit() {
        let bytes = 10_000;
        let findings = Findings::new(CacheLimit { bytes, ..MUCH });
        for number in 0..1000 {
            keep(&findings, &format!("text {number}"), number % 5);
            keep(&findings, &format!("text {number}"), number % 7);
            let kept = findings.lock();
            let found = kept.found.as_ref().unwrap();
            let taken: usize = found.iter().map(|(_, found)| size_of(found)).sum();
            assert_eq!(kept.bytes, taken);
            assert!(taken <= bytes && found.len() > 10 || number < 20);
        }
        keep(&findings, "too large", 1000);
        assert!(!knows(&findings, "too large") && knows(&findings, "text 999"));
    }

    #[test]
    fn a_zero_limit_keeps_nothing() {
        for most in [
            CacheLimit { texts: 0, ..MUCH },
            CacheLimit { bytes: 0, ..MUCH },
        ] {
            let findings = Findings::new(most);
            keep(&findings, "a", 0);
            assert!(!knows(&findings, "a"));
        }
    }

    /// A cache that held its texts once took 500 MB.
    #[test]
    fn the_cache_does_not_keep_texts() {
        let findings = Findings::new(MUCH);
        keep(&findings, "hunter2", 1);
        let shown = [
            format!("{findings:?}"),
            format!("{:?}", findings.lock().found),
        ]
        .concat();
        assert!(!shown.contains("hunter2"), "{shown}");
        let digest = findings.digest("hunter2");
        assert_ne!(digest, Findings::new(MUCH).digest("hunter2"));
    }

    #[test]
    fn digests_distinguish_texts_and_names() {
        let digests = Digests::random();
        let parts = [
            ("", None),
            ("", Some("")),
            ("a", None),
            ("a", Some("")),
            ("", Some("a")),
            ("a\0", None),
            ("b", Some("a")),
            ("ab", None),
            ("0123456789abcdef", None),
            ("", Some("0123456789abcdef")),
            ("0123456789abcdefg", None),
            ("g", Some("0123456789abcdef")),
        ];
        let mut seen = std::collections::HashSet::new();
        for (text, name) in parts {
            for kind in [
                TextKind::Plain,
                TextKind::Written,
                TextKind::WrittenArguments,
            ] {
                let mut is_new = || seen.insert(digests.of(text, name, kind));
                assert!(is_new(), "{text:?} {name:?} {kind:?}");
                assert!(!is_new(), "the same again");
            }
        }
    }
}
