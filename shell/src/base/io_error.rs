//! Describes I/O errors in words.

use std::io;

/// The reason without the number that the system gives it.
pub(crate) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::AddrNotAvailable => "the address is not one of this machine".to_owned(),
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a part of the path is not a directory".to_owned()
        }
        _ => {
            let text = error.to_string();
            let words = text.split(" (os error").next().unwrap_or_default();
            without_capital(words)
        }
    }
}

/// Without the capital letter of a sentence. A word in capitals, such as `TLS`, keeps them.
fn without_capital(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) if !letters.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "check its URL" once became "check its url".
    #[test]
    fn only_the_first_letter_of_a_message_is_lowercased() {
        for (message, expected) in [
            (
                "No space left on device (os error 28)",
                "no space left on device",
            ),
            ("it is larger than 256 MB", "it is larger than 256 MB"),
            ("TLS failed", "TLS failed"),
            ("Échec", "échec"),
            ("", ""),
        ] {
            assert_eq!(in_words(&io::Error::other(message)), expected);
        }
    }
}
