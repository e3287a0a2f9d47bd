//! Keccak-256 as used by Ethereum and Monero, before it was standardized as SHA-3.

const LANES: usize = 25;
/// How many bytes are absorbed at once.
const RATE: usize = 136;
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808A,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808B,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008A,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000A,
    0x0000_0000_8000_808B,
    0x8000_0000_0000_008B,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800A,
    0x8000_0000_8000_000A,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];
/// How far each lane is rotated on its way, and where it goes.
const ROTATIONS: [u32; 24] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];
const PLACES: [usize; 24] = [
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
];

pub(super) fn hash(text: &[u8]) -> [u8; 32] {
    let mut lanes = [0; LANES];
    let (blocks, rest) = text.as_chunks::<RATE>();
    for block in blocks {
        absorb(&mut lanes, block);
    }
    let mut last = [0; RATE];
    for (to, from) in last.iter_mut().zip(rest.iter().chain(&[1])) {
        *to = *from;
    }
    last[RATE - 1] |= 0x80;
    absorb(&mut lanes, &last);
    let mut out = [0; 32];
    for (to, lane) in out.as_chunks_mut::<8>().0.iter_mut().zip(lanes) {
        *to = lane.to_le_bytes();
    }
    out
}

fn absorb(lanes: &mut [u64; LANES], block: &[u8; RATE]) {
    for (lane, bytes) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    for round in ROUNDS {
        permute(lanes, round);
    }
}

fn permute(lanes: &mut [u64; LANES], round: u64) {
    let columns: [u64; 5] =
        std::array::from_fn(|x| (0..5).fold(0, |column, y| column ^ lanes[x + 5 * y]));
    for (index, lane) in lanes.iter_mut().enumerate() {
        let x = index % 5;
        *lane ^= columns[(x + 4) % 5] ^ columns[(x + 1) % 5].rotate_left(1);
    }
    let mut moving = lanes[1];
    for (place, rotation) in PLACES.into_iter().zip(ROTATIONS) {
        moving = std::mem::replace(&mut lanes[place], moving.rotate_left(rotation));
    }
    for row in lanes.as_chunks_mut::<5>().0 {
        let old = *row;
        *row = std::array::from_fn(|x| old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]));
    }
    lanes[0] ^= round;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_match_published_test_vectors() {
        let hex = |text: &[u8]| {
            let bytes = hash(text).map(|byte| format!("{byte:02x}"));
            bytes.concat()
        };
        assert_eq!(
            hex(b""),
            "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        );
        assert_eq!(
            hex(b"abc"),
            "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
        );
        assert_ne!(hash(&[0; RATE]), hash(&[0; RATE - 1]));
    }
}
