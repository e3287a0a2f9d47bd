//! Signed blocks, which must return to the provider exactly as it wrote them (formats, R6).

use std::sync::Arc;

/// A signed text as the provider wrote it.
#[derive(Debug, Clone)]
pub struct SignedBlock {
    _private: (),
}

/// Looks up a signed text while a request is masked.
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

/// A bounded memory of signed blocks: oldest first to go.
#[derive(Debug, Default)]
pub struct Memory {}

impl Memory {
    /// A memory of at most so many blocks and so many bytes.
    #[must_use]
    pub fn new(max_blocks: usize, max_bytes: usize) -> Self {
        let _ = (max_blocks, max_bytes);
        Self {}
    }

    /// Keeps a block for an owner: a keyed hash of the credential, or any other tag of its session.
    pub fn remember(&mut self, owner: &str, block: SignedBlock) {
        let _ = (owner, block);
    }

    /// The block that this owner received under this signature.
    #[must_use]
    pub fn recall(&self, owner: &str, signature: &str) -> Option<Arc<SignedBlock>> {
        let _ = (owner, signature);
        None
    }
}
