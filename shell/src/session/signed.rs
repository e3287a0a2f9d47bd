//! Remembers the signed blocks of providers, as long as the process runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Memory, Recall, SignedBlock};

use super::Owner;

const MAX_BLOCKS: usize = 4096;
const MAX_BYTES: usize = 64 << 20;

/// The engine's memory, shared by every exchange of the process.
#[derive(Debug, Clone)]
pub(crate) struct SignedBlocks(Arc<Mutex<Memory>>);

impl Default for SignedBlocks {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Memory::new(MAX_BLOCKS, MAX_BYTES))))
    }
}

impl SignedBlocks {
    /// Keeps what a reply to this owner brought.
    pub(crate) fn remember(&self, owner: Owner, blocks: Vec<SignedBlock>) {
        if blocks.is_empty() {
            return;
        }
        let tag = owner.tag();
        let mut memory = self.lock();
        for block in blocks {
            memory.remember(&tag, block);
        }
    }

    /// What the engine may look up for this owner.
    pub(crate) fn of(&self, owner: Owner) -> OwnBlocks {
        OwnBlocks {
            blocks: self.clone(),
            owner,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One owner's signed blocks.
#[derive(Debug)]
pub(crate) struct OwnBlocks {
    blocks: SignedBlocks,
    owner: Owner,
}

impl Recall for OwnBlocks {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.blocks.lock().recall(&self.owner.tag(), signature)
    }
}
