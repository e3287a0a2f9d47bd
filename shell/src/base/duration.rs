//! Durations as people write them: `30s 30m 12h 7d 2w`.

use std::time::Duration;

/// A text that is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a whole number and a unit: 30s, 30m, 12h, 7d or 2w")]
pub(crate) struct Invalid;

/// Reads a whole number with one of the units `s m h d w`.
///
/// # Errors
/// For any other text, and for what does not fit into 64 bits of seconds.
pub(crate) fn parse(text: &str) -> Result<Duration, Invalid> {
    let text = text.trim();
    let (digits, unit) = text
        .char_indices()
        .next_back()
        .map(|(at, _)| text.split_at(at))
        .ok_or(Invalid)?;
    let seconds_per_unit: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return Err(Invalid),
    };
    // A sign is not a digit, but `parse` would accept it.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid);
    }
    let number: u64 = digits.parse().map_err(|_| Invalid)?;
    let seconds = number.checked_mul(seconds_per_unit).ok_or(Invalid)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_counts_its_seconds() {
        for (text, seconds) in [
            ("30s", 30),
            ("30m", 1800),
            ("12h", 43_200),
            ("7d", 604_800),
            ("2w", 1_209_600),
            (" 0s ", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "h",
            "7",
            "-7d",
            "+7d",
            "1.5h",
            "7 d",
            "7D",
            "7y",
            "7dd",
            "d7",
            "١h",
            "99999999999999999999s",
            "18446744073709551615w",
        ] {
            assert_eq!(parse(text), Err(Invalid), "{text}");
        }
    }
}
