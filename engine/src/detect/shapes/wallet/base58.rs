//! Base58 encoding.

pub(super) const BITCOIN: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
pub(super) const RIPPLE: &[u8; 58] = b"rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";

/// Decodes a word's number into all of `bytes`, the highest first; returns whether it is valid and
/// fits.
pub(super) fn decode(word: &[u8], alphabet: &[u8; 58], bytes: &mut [u8]) -> bool {
    bytes.fill(0);
    for sign in word {
        let Some(digit) = alphabet.iter().position(|known| known == sign) else {
            return false;
        };
        let mut carry = u32::try_from(digit).unwrap_or(0);
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = carry.to_le_bytes()[0];
            carry >>= 8;
        }
        if carry > 0 {
            return false;
        }
    }
    true
}
