//! Vehicle identification numbers (ISO 3779), with North America's check digit.

const LENGTH: usize = 17;
const CHECK: usize = 8;

/// Whether a word is the number of a vehicle and adds up.
pub(super) fn is_checked(word: &[u8]) -> bool {
    const WEIGHTS: [u32; LENGTH] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    if !is_formed(word) {
        return false;
    }
    let weighted = word
        .iter()
        .zip(WEIGHTS)
        .map(|(byte, weight)| value(*byte) * weight);
    let check = match weighted.sum::<u32>() % 11 {
        10 => b'X',
        digit => b'0' + digit.to_le_bytes()[0],
    };
    word.get(CHECK) == Some(&check)
}

/// Seventeen capitals and digits without I, O and Q: letters first, four digits last.
pub(super) fn is_formed(word: &[u8]) -> bool {
    let is_sign = |byte: &u8| value(*byte) > 0 || *byte == b'0';
    let ends = word
        .last_chunk::<4>()
        .is_some_and(|last| last.iter().all(u8::is_ascii_digit));
    let maker = word.get(..3).unwrap_or_default();
    word.len() == LENGTH
        && word.iter().all(is_sign)
        && ends
        && maker.iter().any(u8::is_ascii_uppercase)
        && word.iter().any(u8::is_ascii_digit)
}

/// A character's value in the sum; unused letters count as nothing.
fn value(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A' | b'J' => 1,
        b'B' | b'K' | b'S' => 2,
        b'C' | b'L' | b'T' => 3,
        b'D' | b'M' | b'U' => 4,
        b'E' | b'N' | b'V' => 5,
        b'F' | b'W' => 6,
        b'G' | b'P' | b'X' => 7,
        b'H' | b'Y' => 8,
        b'R' | b'Z' => 9,
        _ => 0,
    }
}
