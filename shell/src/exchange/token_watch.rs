//! Notices tokens in replies that are passed on as they came.

use memchr::memmem;

/// How every token goes on after its first sign.
const START: &[u8] = b"MASK_";
/// So many bytes around it are read: a spelling of that sign, and a letter of the type.
const READ: usize = 1 + START.len() + 1;

/// Watches the reply to an unrouted request.
#[derive(Debug)]
pub(super) struct TokenWatch {
    path: String,
    /// The end of what was read.
    tail: Vec<u8>,
    has_seen: bool,
}

impl TokenWatch {
    pub(super) fn of(path: String) -> Self {
        Self {
            path,
            tail: Vec::new(),
            has_seen: false,
        }
    }

    /// Reads the next piece; the path of the request, when the first token is seen.
    pub(super) fn read(&mut self, piece: &[u8]) -> Option<&str> {
        if self.has_seen {
            return None;
        }
        let head = piece.get(..READ).unwrap_or(piece);
        self.tail.extend_from_slice(head);
        self.has_seen = has_token(&self.tail) || has_token(piece);
        if head.len() < piece.len() {
            self.tail.clear();
            self.tail.extend_from_slice(last(piece));
        }
        let kept = last(&self.tail).len();
        self.tail.drain(..self.tail.len() - kept);
        self.has_seen.then_some(&*self.path)
    }
}

/// The end of a piece, in which a token may begin.
fn last(piece: &[u8]) -> &[u8] {
    let start = piece.len().saturating_sub(READ - 1);
    piece.get(start..).unwrap_or_default()
}

/// Whether a token begins: `<MASK_EMAIL`, `&lt;MASK_EMAIL`, `\u003cMASK_EMAIL`, `%3CMASK_EMAIL`.
fn has_token(text: &[u8]) -> bool {
    memmem::find_iter(text, START).any(|start| {
        let sign = start.checked_sub(1).and_then(|sign| text.get(sign));
        let letter = text.get(start + START.len());
        sign.is_some_and(|sign| matches!(sign, b'<' | b';' | b'c' | b'C'))
            && letter.is_some_and(u8::is_ascii_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_seen_once_however_it_is_cut_and_spelled() {
        for (text, expected) in [
            ("see <MASK_EMAIL_1> and <MASK_EMAIL_2>", 1),
            (r#"{"a": "\u003cMASK_SSN_12\u003e"}"#, 1),
            ("&lt;MASK_API_KEY_1&gt;", 1),
            ("?to=%3CMASK_EMAIL_1%3E", 1),
            ("BIT_MASK_ALL, <MASK_1>, <mask_email_1>, <MASK_", 0),
        ] {
            for size in 1..=text.len() {
                let mut watch = TokenWatch::of("/x".to_owned());
                let pieces = text.as_bytes().chunks(size);
                let seen = pieces.filter(|piece| watch.read(piece).is_some()).count();
                assert_eq!(seen, expected, "{text} in pieces of {size}");
            }
        }
    }
}
