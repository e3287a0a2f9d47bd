//! Results for texts that come again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Span;
use crate::random;

/// The results for the texts seen last. It holds keyed hashes of the texts, never the texts.
#[derive(Debug)]
pub(super) struct Cache {
    size: usize,
    hash: Hmac<Sha256>,
    results: Mutex<LruCache<[u8; 32], Arc<[Span]>>>,
}

impl Cache {
    /// A cache of so many results; 0 keeps none.
    pub(super) fn new(size: usize) -> Self {
        let key: [u8; 64] = random::bytes();
        Self {
            size,
            hash: Hmac::new(&key.into()),
            results: Mutex::new(LruCache::new_unbounded()),
        }
    }

    /// The result for a text, if it is known.
    pub(super) fn get(&self, text: &str) -> Option<Arc<[Span]>> {
        if self.size == 0 {
            return None;
        }
        let key = self.key(text);
        self.lock().get(&key).cloned()
    }

    /// Keeps the result for a text.
    pub(super) fn put(&self, text: &str, result: &Arc<[Span]>) {
        if self.size == 0 {
            return;
        }
        let key = self.key(text);
        let mut results = self.lock();
        results.insert(key, Arc::clone(result));
        while results.len() > self.size {
            results.remove_lru();
        }
    }

    fn key(&self, text: &str) -> [u8; 32] {
        let mut hash = self.hash.clone();
        hash.update(text.as_bytes());
        hash.finalize().into_bytes().into()
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<[u8; 32], Arc<[Span]>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Arc<[Span]> {
        Arc::default()
    }

    #[test]
    fn the_text_used_longest_ago_goes_first() {
        let cache = Cache::new(2);
        cache.put("a", &nothing());
        cache.put("b", &nothing());
        assert!(cache.get("a").is_some(), "an empty result is one");
        cache.put("c", &nothing());
        assert!(cache.get("b").is_none());
        assert!(cache.get("a").is_some() && cache.get("c").is_some());
    }

    #[test]
    fn size_0_keeps_nothing() {
        let cache = Cache::new(0);
        cache.put("a", &nothing());
        assert!(cache.get("a").is_none());
    }

    /// A cache that held its texts once took 500 MB.
    #[test]
    fn texts_are_not_kept() {
        let cache = Cache::new(10);
        cache.put("hunter2", &nothing());
        assert!(!format!("{cache:?}").contains("hunter2"));
        assert_eq!(size_of_val(&cache.key(&"x".repeat(1000))), 32);
    }
}
