//! Segregated witness addresses (BIP 173 and 350).

const SIGNS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// What addresses begin with, before their separator `1`.
const PREFIXES: [&[u8]; 4] = [b"bc", b"tb", b"ltc", b"bcrt"];
/// Remainders of a right address.
const CHECKS: [u32; 2] = [1, 0x2BC8_30A3];
const LONGEST: usize = 90;

/// Whether a word has a known prefix and adds up.
pub(super) fn is_address(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    if word.len() > LONGEST || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    PREFIXES.iter().any(|prefix| {
        let data = lower.strip_prefix(*prefix);
        let data = data.and_then(|rest| rest.strip_prefix(b"1"));
        data.is_some_and(|data| data.len() > 8 && adds_up(prefix, data))
    })
}

fn adds_up(prefix: &[u8], data: &[u8]) -> bool {
    let high = prefix.iter().map(|byte| byte >> 5);
    let low = prefix.iter().map(|byte| byte & 31);
    let mut sum = 1;
    for value in high.chain([0]).chain(low) {
        sum = step(sum, value);
    }
    for sign in data {
        let Some(value) = SIGNS.iter().position(|known| known == sign) else {
            return false;
        };
        sum = step(sum, value.to_le_bytes()[0]);
    }
    CHECKS.contains(&sum)
}

fn step(sum: u32, value: u8) -> u32 {
    const TERMS: [u32; 5] = [
        0x3B6A_57B2,
        0x2650_8E6D,
        0x1EA1_19FA,
        0x3D42_33DD,
        0x2A14_62B3,
    ];
    let top = sum >> 25;
    let next = (sum & 0x01FF_FFFF) << 5 ^ u32::from(value);
    let terms = TERMS.iter().enumerate();
    terms.fold(next, |next, (bit, term)| {
        if top >> bit & 1 == 1 {
            next ^ term
        } else {
            next
        }
    })
}
