//! Wallet addresses, by their checksums.

mod base58;
mod bech32;
mod keccak;

use sha2::{Digest, Sha256};

/// How an address is written.
struct Base58Form {
    rule: &'static str,
    /// What it may begin with.
    first: &'static [u8],
    alphabet: &'static [u8; 58],
    /// The bytes that come first, and how many there are with the check sum.
    versions: &'static [u8],
    length: usize,
}

#[rustfmt::skip]
const FORMS: &[Base58Form] = &[
    Base58Form { rule: "bitcoin", first: b"13", alphabet: base58::BITCOIN, versions: &[0x00, 0x05], length: 25 },
    Base58Form { rule: "litecoin", first: b"LM3", alphabet: base58::BITCOIN, versions: &[0x30, 0x32, 0x05], length: 25 },
    Base58Form { rule: "dogecoin", first: b"DA9", alphabet: base58::BITCOIN, versions: &[0x1E, 0x16], length: 25 },
    Base58Form { rule: "dash", first: b"X7", alphabet: base58::BITCOIN, versions: &[0x4C, 0x10], length: 25 },
    Base58Form { rule: "tron", first: b"T", alphabet: base58::BITCOIN, versions: &[0x41], length: 25 },
    Base58Form { rule: "xrp", first: b"r", alphabet: base58::RIPPLE, versions: &[0x00], length: 25 },
];

/// The rule of the address that a word of letters and digits is.
pub(super) fn kind(word: &[u8]) -> Option<&'static str> {
    match word {
        [b'0', b'x', digits @ ..] => is_ethereum(digits).then_some("ethereum"),
        [b'4' | b'8', ..] if matches!(word.len(), 95 | 106) => is_monero(word).then_some("monero"),
        _ if word.len() <= 35 => base58_kind(word),
        _ => None,
    }
    .or_else(|| bech32::is_address(word).then_some("bech32"))
}

fn base58_kind(word: &[u8]) -> Option<&'static str> {
    let form = FORMS.iter().find(|form| {
        let begins = word.first().is_some_and(|first| form.first.contains(first));
        begins && is_base58_check(word, form)
    });
    form.map(|form| form.rule)
}

/// A version, a hash and the first four bytes of what they hash to twice.
fn is_base58_check(word: &[u8], form: &Base58Form) -> bool {
    let mut buffer = [0; 25];
    let Some(bytes) = buffer.get_mut(..form.length) else {
        return false;
    };
    if !base58::decode(word, form.alphabet, bytes) {
        return false;
    }
    let Some((own, check)) = bytes.split_last_chunk::<4>() else {
        return false;
    };
    let hash = Sha256::digest(Sha256::digest(own));
    own.first()
        .is_some_and(|version| form.versions.contains(version))
        && hash.starts_with(check)
}

/// Forty hex digits with the capitals that the hash requires (EIP-55). A single case proves
/// nothing.
fn is_ethereum(digits: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| digits.iter().any(is);
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    if digits.len() != 40 || !is_mixed || !digits.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let hash = keccak::hash(&digits.to_ascii_lowercase());
    digits.iter().enumerate().all(|(index, digit)| {
        let byte = hash.get(index / 2).copied().unwrap_or(0);
        let nibble = if index % 2 == 0 { byte >> 4 } else { byte & 15 };
        !digit.is_ascii_alphabetic() || digit.is_ascii_uppercase() == (nibble >= 8)
    })
}

/// Blocks of eleven signs, each eight bytes; the last four bytes are a check sum.
fn is_monero(word: &[u8]) -> bool {
    let mut bytes = Vec::with_capacity(80);
    for block in word.chunks(11) {
        let length = match block.len() {
            11 => 8,
            7 => 5,
            _ => return false,
        };
        let mut buffer = [0; 8];
        let Some(own) = buffer.get_mut(..length) else {
            return false;
        };
        if !base58::decode(block, base58::BITCOIN, own) {
            return false;
        }
        bytes.extend_from_slice(own);
    }
    let Some((own, check)) = bytes.split_last_chunk::<4>() else {
        return false;
    };
    matches!(own.first(), Some(18 | 19 | 42)) && keccak::hash(own).starts_with(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wallet_addresses_are_recognized_by_their_checksums() {
        for (address, rule) in [
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bitcoin"),
            ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "bitcoin"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bech32"),
            ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bech32"),
            (
                "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
                "bech32",
            ),
            ("LdP8Qox1VAhCzLJNqrr74YovaWYyNBUWvL", "litecoin"),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "ethereum"),
            ("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "ethereum"),
            ("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tron"),
            ("rDTXLQ7ZKZVKz33zJbHjgVShjsBnqMBhmN", "xrp"),
            (
                "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
                "monero",
            ),
        ] {
            assert_eq!(kind(address.as_bytes()), Some(rule), "{address}");
            let mut wrong = address.as_bytes().to_vec();
            let middle = wrong.len() / 2;
            wrong[middle] = if wrong[middle] == b'7' { b'8' } else { b'7' };
            assert_eq!(kind(&wrong), None, "{address}");
        }
    }
}
