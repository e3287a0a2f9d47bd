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
            words.to_ascii_lowercase()
        }
    }
}
