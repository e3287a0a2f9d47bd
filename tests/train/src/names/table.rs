//! Writes the lists of words as the engine reads them: a cuckoo table of fingerprints.

use engine::detect::names::lists::{Marks, buckets, fingerprint};
use std::collections::BTreeMap;

const PLACES: usize = 4;

/// The table of words, by hash, with their marks.
#[must_use]
pub fn table(words: &BTreeMap<u64, Marks>) -> Vec<u8> {
    let mut count = words.len() * 100 / (PLACES * 94) + 1;
    loop {
        if let Some(bytes) = fill(words, count) {
            return bytes;
        }
        count += count / 50 + 1;
    }
}

fn fill(words: &BTreeMap<u64, Marks>, count: usize) -> Option<Vec<u8>> {
    const MOST_MOVES: usize = 2_000;
    let mut places: Vec<[u64; PLACES]> = vec![[0; PLACES]; count];
    for &added in words.keys() {
        let mut word = added;
        let mut bucket = buckets(word, count)[0];
        let mut is_placed = false;
        for step in 0..MOST_MOVES {
            let [first, second] = buckets(word, count);
            let free = |bucket: usize| places[bucket].iter().position(|held| *held == 0);
            if let Some((bucket, place)) = free(first)
                .map(|place| (first, place))
                .or_else(|| free(second).map(|place| (second, place)))
            {
                places[bucket][place] = word;
                is_placed = true;
                break;
            }
            bucket = if bucket == first { second } else { first };
            let place = (usize::from(fingerprint(word)) ^ step) % PLACES;
            std::mem::swap(&mut places[bucket][place], &mut word);
        }
        if !is_placed {
            return None;
        }
    }
    let bytes = places.iter().flatten().flat_map(|word| {
        let mark = words
            .get(word)
            .map_or(0, |marks| fingerprint(*word) << 4 | u16::from(marks.0));
        mark.to_le_bytes()
    });
    Some(bytes.collect())
}
