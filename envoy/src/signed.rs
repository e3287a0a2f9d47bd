//! Signed blocks of providers, which must return unchanged.
//!
//! All workers share them through Envoy's memory. Names can't be removed from it, so there is a
//! fixed number of [`SHELVES`] with some blocks each, and a new block pushes out the oldest of its
//! shelf. Filters with the same `vm_id` can read that memory, so it contains only encrypted blocks.

use std::sync::Arc;

use engine::{Recall, SealedBlock, SignedBlock};

use crate::host;

/// With the limits of a shelf 4096 blocks and 64 MiB, as in the native proxy.
const SHELVES: u8 = 128;
const MAX_BLOCKS: usize = 32;
/// In bytes, names included.
const MAX_BYTES: usize = 512 << 10;

/// How often a shelf is read again when another worker was faster.
const ATTEMPTS: usize = 32;

const NAME: usize = 32;

/// Creates the missing shelves.
///
/// Concurrent writes to a shelf that did not exist can't be prevented. Envoy configures the filter
/// once before it starts the workers.
pub(crate) fn prepare() {
    for shelf in 0..SHELVES {
        let key = key(shelf);
        if host::shared(&key).is_none() {
            host::share(&key, &[], 0);
        }
    }
}

/// Keeps what a reply to this owner brought.
pub(crate) fn remember(owner: &str, blocks: &[SignedBlock]) {
    for block in blocks {
        put(&block.sealed(owner));
    }
}

/// What the engine may look up for this owner.
pub(crate) struct OwnBlocks<'a>(pub(crate) &'a str);

impl Recall for OwnBlocks<'_> {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        let name = SealedBlock::name(self.0, signature);
        let (held, _) = host::shared(&shelf_of(&name))?;
        let (_, sealed) = blocks(&held).find(|(known, _)| **known == name)?;
        SealedBlock::open(self.0, signature, sealed).map(Arc::new)
    }
}

fn put(block: &SealedBlock) {
    let key = shelf_of(&block.name);
    for _ in 0..ATTEMPTS {
        let (shelf, version) = host::shared(&key).unwrap_or_default();
        let Some(shelf) = with(&shelf, block) else {
            return;
        };
        if host::share(&key, &shelf, version) {
            return;
        }
    }
}

fn shelf_of(name: &[u8; NAME]) -> String {
    let [first, ..] = name;
    key(first % SHELVES)
}

fn key(shelf: u8) -> String {
    format!("maskproxy.signed.{shelf}")
}

/// The shelf with one more block, without the oldest ones that no longer have room; `None` for a
/// block that is too large for any.
fn with(shelf: &[u8], block: &SealedBlock) -> Option<Vec<u8>> {
    let others = blocks(shelf).filter(|(name, _)| **name != block.name);
    let mut all: Vec<_> = others.collect();
    all.push((&block.name, &block.bytes));
    let mut bytes: usize = all.iter().map(|(_, sealed)| size(sealed)).sum();
    let mut surplus = all.len().saturating_sub(MAX_BLOCKS);
    for (index, (_, sealed)) in all.iter().enumerate() {
        if index >= surplus && bytes <= MAX_BYTES {
            break;
        }
        bytes -= size(sealed);
        surplus = index + 1;
    }
    let kept = all.get(surplus..).filter(|kept| !kept.is_empty())?;
    let mut shelf = Vec::with_capacity(bytes);
    for (name, sealed) in kept {
        shelf.extend_from_slice(*name);
        shelf.extend_from_slice(&(sealed.len() as u64).to_le_bytes());
        shelf.extend_from_slice(sealed);
    }
    Some(shelf)
}

const fn size(sealed: &[u8]) -> usize {
    NAME + size_of::<u64>() + sealed.len()
}

/// The blocks of a shelf, oldest first.
fn blocks(mut shelf: &[u8]) -> impl Iterator<Item = (&[u8; NAME], &[u8])> {
    std::iter::from_fn(move || {
        let (name, rest) = shelf.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (sealed, rest) = rest.split_at_checked(length)?;
        shelf = rest;
        Some((name, sealed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u8, length: usize) -> SealedBlock {
        SealedBlock {
            name: [number; NAME],
            bytes: vec![number; length],
        }
    }

    fn filled(count: u8, length: usize) -> Vec<u8> {
        let put = |shelf: Vec<u8>, number| with(&shelf, &block(number, length)).unwrap();
        (0..count).fold(Vec::new(), put)
    }

    fn numbers(shelf: &[u8]) -> Vec<u8> {
        blocks(shelf).map(|(name, _)| name[0]).collect()
    }

    #[test]
    fn the_oldest_blocks_are_evicted_by_count_and_by_bytes() {
        assert_eq!(numbers(&filled(3, 9)), [0, 1, 2]);
        assert_eq!(numbers(&filled(34, 9)), (2..34).collect::<Vec<_>>());
        let shelf = filled(6, 100 << 10);
        assert_eq!(numbers(&shelf), [1, 2, 3, 4, 5]);
        assert!(shelf.len() <= MAX_BYTES);
        let shelf = with(&shelf, &block(6, MAX_BYTES - 40)).unwrap();
        assert_eq!((numbers(&shelf), shelf.len()), (vec![6], MAX_BYTES));
    }

    #[test]
    fn an_oversized_block_leaves_the_store_unchanged() {
        assert_eq!(with(&filled(3, 9), &block(9, MAX_BYTES - 39)), None);
    }

    #[test]
    fn a_repeated_block_replaces_its_earlier_copy() {
        let shelf = with(&filled(3, 9), &block(1, 20)).unwrap();
        assert_eq!(numbers(&shelf), [0, 2, 1]);
        let sealed: Vec<_> = blocks(&shelf).map(|(_, sealed)| sealed.len()).collect();
        assert_eq!(sealed, [9, 9, 20]);
    }

    #[test]
    fn a_corrupt_store_keeps_its_readable_blocks() {
        let shelf = filled(2, 9);
        assert_eq!(numbers(&shelf[..shelf.len() - 1]), [0]);
        assert!(numbers(&[255; 200]).is_empty());
    }
}
