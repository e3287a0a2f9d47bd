//! Writes text as a JSON string.

/// Appends a text in quotes.
pub(crate) fn append(line: &mut Vec<u8>, text: &str) {
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Hardly any needs an escape. Without an early exit, several bytes are tested at once.
    if text.bytes().fold(false, |any, byte| any | is_escaped(byte)) {
        // Writing text to a vector can't fail.
        let _ = serde_json::to_writer(line, text);
        return;
    }
    line.push(b'"');
    line.extend_from_slice(text.as_bytes());
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_strings_round_trip() {
        for text in [
            "",
            "plain",
            "é\u{2028}",
            "a\"b",
            "a\\b",
            "\n",
            "\u{0}",
            "\u{7f}",
        ] {
            let mut line = Vec::new();
            append(&mut line, text);
            assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
        }
    }
}
