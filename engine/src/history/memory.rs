//! Signed blocks, which must return to the provider unchanged (formats, R6).

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::{HistoryName, Mapping, Sensitive, Session};

/// A signed text as the provider wrote it, and the values of its tokens.
#[derive(Clone)]
pub struct SignedBlock {
    pub(super) signature: String,
    pub(super) text: Sensitive<String>,
    pub(super) mappings: Vec<Arc<Mapping>>,
}

impl SignedBlock {
    pub(crate) fn new(signature: String, text: String, mappings: Vec<Arc<Mapping>>) -> Self {
        Self {
            signature,
            text: Sensitive::new(text),
            mappings,
        }
    }

    /// What a session held when the provider gave a reply this name, with what is `known` of that name already:
    /// for [`History::recalled`](crate::History::recalled).
    #[must_use]
    pub fn of_history(name: &HistoryName, session: &Session, known: Option<&Self>) -> Self {
        let is_same = |mapping: &Arc<Mapping>| {
            let own = session.by_core(mapping.core());
            own.is_some_and(|own| own.value().expose() == mapping.value().expose())
        };
        let known = known.map_or(&[][..], Self::mappings).iter();
        let others = known.filter(|mapping| !is_same(mapping)).cloned();
        let own = session.mappings().cloned();
        Self::new(name.signature(), String::new(), own.chain(others).collect())
    }

    pub(crate) fn text(&self) -> &str {
        self.text.expose()
    }

    pub(crate) fn mappings(&self) -> &[Arc<Mapping>] {
        &self.mappings
    }

    fn bytes(&self) -> usize {
        let values = self
            .mappings
            .iter()
            .map(|mapping| mapping.value().expose().len() + 64);
        self.text.expose().len() + values.sum::<usize>() + 64
    }
}

impl fmt::Debug for SignedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SignedBlock({}, {} mappings)",
            self.text,
            self.mappings.len()
        )
    }
}

/// Looks up signed texts while a request is masked.
pub trait Recall {
    /// The block that this session owner received under this signature.
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>>;
}

/// Remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoMemory;

impl Recall for NoMemory {
    fn recall(&self, _: &str) -> Option<Arc<SignedBlock>> {
        None
    }
}

/// A bounded memory of signed blocks; the oldest are dropped first.
///
/// A block is found only by its owner and its signature together, so that one client's signature
/// never returns another's text.
#[derive(Debug)]
pub struct Memory {
    max_blocks: usize,
    max_bytes: usize,
    bytes: usize,
    blocks: BTreeMap<BlockKey, Arc<SignedBlock>>,
    oldest_first: VecDeque<BlockKey>,
}

type BlockKey = [u8; 32];

impl Memory {
    /// A memory with limits for the number of blocks and for the bytes of text and values.
    #[must_use]
    pub const fn new(max_blocks: usize, max_bytes: usize) -> Self {
        Self {
            max_blocks,
            max_bytes,
            bytes: 0,
            blocks: BTreeMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    /// Keeps a block for an owner: a keyed hash of the credential, or any other tag of its session.
    pub fn remember(&mut self, owner: &str, block: SignedBlock) {
        let key = block_key(owner, &block.signature);
        self.bytes += block.bytes();
        match self.blocks.insert(key, Arc::new(block)) {
            Some(replaced) => self.bytes -= replaced.bytes(),
            None => self.oldest_first.push_back(key),
        }
        while self.blocks.len() > self.max_blocks || self.bytes > self.max_bytes {
            let Some(oldest) = self.oldest_first.pop_front() else {
                return;
            };
            self.bytes -= self.blocks.remove(&oldest).map_or(0, |block| block.bytes());
        }
    }

    /// The block that this owner received under this signature.
    #[must_use]
    pub fn recall(&self, owner: &str, signature: &str) -> Option<Arc<SignedBlock>> {
        self.blocks.get(&block_key(owner, signature)).cloned()
    }
}

pub(super) fn block_key(owner: &str, signature: &str) -> BlockKey {
    let mut digest = Sha256::new();
    digest.update((owner.len() as u64).to_be_bytes());
    digest.update(owner.as_bytes());
    digest.update(signature.as_bytes());
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(signature: &str, text: &str) -> SignedBlock {
        SignedBlock::new(signature.to_owned(), text.to_owned(), Vec::new())
    }

    #[test]
    fn a_block_is_recalled_only_for_its_owner() {
        let mut memory = Memory::new(10, 10_000);
        memory.remember("a", block("sig", "thought"));
        assert_eq!(memory.recall("a", "sig").unwrap().text(), "thought");
        assert!(memory.recall("b", "sig").is_none() && memory.recall("as", "ig").is_none());
    }

    #[test]
    fn the_oldest_blocks_are_evicted_by_count_and_by_bytes() {
        let mut memory = Memory::new(2, 1_000);
        for signature in ["1", "2", "3"] {
            memory.remember("a", block(signature, "x"));
        }
        assert!(memory.recall("a", "1").is_none() && memory.recall("a", "3").is_some());
        memory.remember("a", block("4", &"x".repeat(900)));
        assert!(memory.recall("a", "3").is_none() && memory.recall("a", "4").is_some());
        memory.remember("a", block("5", &"x".repeat(9_000)));
        assert_eq!((memory.bytes, memory.blocks.len()), (0, 0));
    }
}
