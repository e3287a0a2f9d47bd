//! Splits input into whole lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longer lines are not the proxy's. They are cut here, to limit memory.
const MAX_LINE: usize = 1 << 20;

/// Hands every whole line of a file, or of standard input if it is `-`, to `take`, in memory that does not grow with the
/// file. Returns what follows the last line end.
///
/// # Errors
/// When the file can't be read.
pub(super) fn each_of_file(path: &Path, take: impl FnMut(&[u8])) -> io::Result<Vec<u8>> {
    if is_input(path) {
        return each_of(io::stdin().lock(), take);
    }
    each_of(File::open(path)?, take)
}

/// Whether a path stands for standard input.
pub(super) fn is_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn each_of(mut file: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<Vec<u8>> {
    let mut lines = Lines::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let count = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
            return Ok(lines.partial);
        };
        lines.feed(bytes, |line| {
            take(line);
            Ok(())
        })?;
    }
}

/// Holds the last line back until its end arrives.
#[derive(Debug, Default)]
pub(super) struct Lines {
    partial: Vec<u8>,
    /// The rest of a line that was too long, still to be dropped.
    dropping: bool,
}

impl Lines {
    /// What is read begins within a line, which is dropped.
    pub(super) fn within_a_line() -> Self {
        Self {
            dropping: true,
            ..Self::default()
        }
    }

    /// Hands every line that is whole now to `take`, without its end.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.split_at(1).1;
            if self.dropping {
                self.dropping = false;
            } else if self.partial.is_empty() {
                take(line.strip_suffix(b"\r").unwrap_or(line))?;
            } else {
                self.partial.extend_from_slice(line);
                let whole = self.partial.strip_suffix(b"\r").unwrap_or(&self.partial);
                take(whole)?;
                self.partial.clear();
            }
        }
        if self.dropping {
            return Ok(());
        }
        self.partial.extend_from_slice(bytes);
        if self.partial.len() > MAX_LINE {
            self.dropping = true;
            take(&self.partial)?;
            self.partial = Vec::new();
        }
        Ok(())
    }

    /// The beginning of a line whose end is still missing.
    pub(super) fn rest(&self) -> &[u8] {
        &self.partial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::default();
        let mut whole = Vec::new();
        for piece in pieces {
            lines
                .feed(piece, |line| {
                    whole.push(line.to_vec());
                    Ok(())
                })
                .unwrap();
        }
        whole
    }

    #[test]
    fn a_line_is_returned_once_complete() {
        assert_eq!(cut(&[b"a", b"b\nc\r\n\nd"]), [&b"ab"[..], b"c", b""]);
        assert_eq!(cut(&[b"a\r", b"\n"]), [b"a"]);
        assert!(cut(&[b"never ends"]).is_empty());
    }

    #[test]
    fn an_endless_line_takes_bounded_memory() {
        let long = vec![b'x'; MAX_LINE / 2 + 1];
        let whole = cut(&[&long, &long, &long, b"rest\nnext\n"]);
        assert_eq!(whole.len(), 2);
        assert_eq!(whole[1], b"next");
    }
}
