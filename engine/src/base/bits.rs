//! Examines many bytes at once.

/// How many bytes are examined at once: as many as a word has bits.
pub(crate) const BLOCK: usize = u64::BITS as usize;

/// A bit for each byte of a block that belongs to what is sought, lowest first.
#[inline]
pub(crate) fn marks(block: &[u8; BLOCK], belongs: impl Fn(u8) -> bool) -> u64 {
    const BYTES: usize = size_of::<u64>();
    /// Gathers the low bits of eight bytes, which hold no others, in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    // Byte by byte, which compilers turn into comparisons of many.
    let are = block.map(|byte| u8::from(belongs(byte)));
    let words = are.as_chunks::<BYTES>().0.iter();
    let words = words.map(|word| u64::from_le_bytes(*word));
    // Most blocks have none.
    if words.clone().fold(0, |any, word| any | word) == 0 {
        return 0;
    }
    words.rev().fold(0, |bits, word| {
        bits << BYTES | word.wrapping_mul(GATHER) >> (u64::BITS as usize - BYTES)
    })
}

/// The same of the first bytes of a text, and how many they are.
#[inline]
pub(crate) fn first_marks(text: &[u8], belongs: impl Fn(u8) -> bool) -> (u64, usize) {
    if let Some(block) = text.first_chunk() {
        return (marks(block, belongs), BLOCK);
    }
    let mut padded = [0; BLOCK];
    // Each by itself, so that the compiler calls no function for it.
    for (to, byte) in padded.iter_mut().zip(text) {
        *to = *byte;
    }
    let own = (1 << text.len()) - 1;
    (marks(&padded, belongs) & own, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_its_bit() {
        for length in 0..=BLOCK {
            for at in 0..length {
                let mut text = vec![b'x'; length];
                text[at] = b'y';
                assert_eq!(first_marks(&text, |byte| byte == b'y'), (1 << at, length));
            }
            let (marks, _) = first_marks(&vec![0; length], |byte| byte == 0);
            assert_eq!(marks.count_ones() as usize, length);
        }
    }
}
