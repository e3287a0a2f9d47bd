//! Tokens that contain their own checksum.

/// How a token checks itself.
#[derive(Clone, Copy)]
pub(super) enum Checksum {
    /// Source: GitHub's "Behind GitHub's new authentication token formats".
    GithubCrc32,
}

impl Checksum {
    pub(super) fn verify(self, token: &[u8]) -> bool {
        match self {
            Self::GithubCrc32 => github(token),
        }
    }
}

const CHECK_DIGITS: usize = 6;

fn github(token: &[u8]) -> bool {
    let Some(split) = token.len().checked_sub(CHECK_DIGITS) else {
        return false;
    };
    let (payload, check) = token.split_at(split);
    let prefix = payload
        .iter()
        .position(|&byte| byte == b'_')
        .map_or(0, |index| index + 1);
    let payload = payload.get(prefix..).unwrap_or_default();
    base62(check) == Some(u64::from(crc32(payload)))
}

fn base62(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'A'..=b'Z' => digit - b'A' + 10,
            b'a'..=b'z' => digit - b'a' + 36,
            _ => return None,
        };
        Some(number * 62 + u64::from(value))
    })
}

/// CRC-32 as in ISO 3309, bit by bit: the inputs are short and rare.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            let mask = (crc & 1).wrapping_neg();
            (crc >> 1) ^ (0xEDB8_8320 & mask)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_matches_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
