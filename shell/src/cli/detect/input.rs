//! The input of `detect`.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use crate::base::io_error;
use crate::cli::{Failure, announce_typed_input};

/// The largest file that is read, in bytes: it is held in memory.
const MAX_BYTES: u64 = 1 << 28;

/// Git considers a file binary if it has a NUL within this many bytes.
const PROBED_BYTES: usize = 8000;

/// The input to scan.
pub(super) enum Input {
    Text(String),
    Files(Vec<PathBuf>),
}

impl Input {
    /// An argument alone is a file where one of that name exists, and else a text; several are files.
    ///
    /// # Errors
    /// When there is no input, a file is missing, or standard input can't be read.
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        if let Some(text) = matches.get_one::<String>("as-text") {
            return Ok(Self::Text(text.clone()));
        }
        if matches.get_flag("stdin") {
            return standard_input().map(Self::Text);
        }
        let given: Vec<_> = matches
            .get_many::<String>("input")
            .into_iter()
            .flatten()
            .collect();
        match given.as_slice() {
            [] => unnamed_standard_input().map(Self::Text),
            [only] if *only == "-" => standard_input().map(Self::Text),
            [only] if !Path::new(only).exists() => {
                // A check with a misspelled name would pass.
                if looks_like_a_path(only) {
                    return Err(Failure::usage(format!(
                        "there is no file {only}; if it is a text: maskproxy detect --text '{only}'"
                    )));
                }
                Ok(Self::Text((*only).clone()))
            }
            files => Ok(Self::Files(files.iter().map(PathBuf::from).collect())),
        }
    }
}

/// One word with a slash, with a dot in front, or with an ending such as `.txt`. An address such as `10.0.0.7` is none.
fn looks_like_a_path(text: &str) -> bool {
    let is_ending = |ending: &str| {
        (1..=10).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let has_ending = || {
        text.rsplit_once('.')
            .is_some_and(|(_, ending)| is_ending(ending))
    };
    let is_hidden = || {
        text.strip_prefix('.')
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let is_word = !text.contains(|c: char| c.is_whitespace() || c == '@' || c == ':' || c == '=');
    is_word && (text.contains('/') || is_hidden() || has_ending())
}

/// An argument that was read as a text, and may have been meant as the name of a file or directory.
pub(super) fn bare_word(matches: &ArgMatches) -> Option<&str> {
    let mut given = matches.get_many::<String>("input")?;
    let (only, None) = (given.next()?, given.next()) else {
        return None;
    };
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!only.is_empty() && only.bytes().all(is_of_names)).then_some(only)
}

/// What is piped into a command without an argument. Nothing is an error: a check whose list of files is empty would pass.
fn unnamed_standard_input() -> Result<String, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::usage(
            "no text given; pass one, or the names of files, or --stdin",
        ));
    }
    let text = standard_input()?;
    if text.is_empty() {
        return Err(Failure::usage(
            "no text given, and standard input is empty; if it may be, add --stdin",
        ));
    }
    Ok(text)
}

fn standard_input() -> Result<String, Failure> {
    announce_typed_input();
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    let cannot = |reason: &str| Failure::new(format!("can't read standard input: {reason}"));
    read.map_err(|error| cannot(&io_error::in_words(&error)))?;
    String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8 text"))
}

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark; none if it is binary. Bytes that are not UTF-8
/// stand for one character each.
///
/// # Errors
/// When it can't be read, or is larger than what is read.
pub(super) fn text_of(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(io::Error::other(format!("it is larger than {limit} MB")));
    }
    if let Some(text) = utf16(&bytes) {
        return Ok(Some(text));
    }
    let probed = bytes.get(..PROBED_BYTES).unwrap_or(&bytes);
    if probed.contains(&0) {
        return Ok(None);
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let without_mark = text.strip_prefix('\u{feff}').map(str::to_owned);
    Ok(Some(without_mark.unwrap_or(text)))
}

/// A text that a byte order mark says is in UTF-16 (RFC 2781, section 3.2), as PowerShell writes it.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (unit, text): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xFF, 0xFE, text @ ..] => (u16::from_le_bytes, text),
        [0xFE, 0xFF, text @ ..] => (u16::from_be_bytes, text),
        _ => return None,
    };
    let (pairs, rest) = text.as_chunks();
    let units = pairs.iter().copied().map(unit);
    let mut text: String = char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_is_read_in_either_byte_order() {
        assert_eq!(utf16(b"\xFF\xFEa\0\xE9\0").as_deref(), Some("aé"));
        assert_eq!(
            utf16(b"\xFE\xFF\0a\xD8\0x").as_deref(),
            Some("a\u{fffd}\u{fffd}")
        );
        assert_eq!(utf16(b"\xEF\xBB\xBFa"), None);
    }

    #[test]
    fn file_names_are_distinguished_from_texts() {
        for path in [
            "notes.txt",
            "src/main",
            "./x",
            "a.b.yaml",
            ".env",
            ".dockerconfigjson",
            "a.properties",
        ] {
            assert!(looks_like_a_path(path), "{path}");
        }
        for text in [
            "alice@example.com",
            "password=hunter2.",
            "call me.",
            "hello",
            "10.0.0.7",
            "...",
            "https://user:pw@host/x.git",
            "end of it.txt here",
        ] {
            assert!(!looks_like_a_path(text), "{text}");
        }
    }
}
