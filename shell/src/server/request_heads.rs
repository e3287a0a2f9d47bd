//! Tracks incomplete request heads on an HTTP/2 connection.
//!
//! The library reports a head only when it is complete. Until then it is recognized by its frames:
//! HEADERS and CONTINUATION, up to the one with the flag `END_HEADERS` (RFC 9113, 4.1 and 6.10).

use super::head_timeout::Activity;
use crate::base::observed_stream::StreamObserver;

/// What a client sends before its first frame, in bytes.
const PREFACE: usize = 24;

/// The bytes of a frame before its payload.
const FRAME_HEAD: usize = 9;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// Reads along, and notifies an [`Activity`] whether a head is incomplete.
#[derive(Debug)]
pub(super) struct Heads {
    activity: Activity,
    preface_left: usize,
    /// What came of the bytes before a frame's payload.
    frame_head: Vec<u8>,
    payload_left: usize,
    /// What the end of the current frame means for a head.
    frame: Frame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Other,
    /// More of the head follows.
    PartOfHead,
    EndOfHead,
}

impl Heads {
    pub(super) fn new(activity: Activity) -> Self {
        Self {
            activity,
            preface_left: PREFACE,
            frame_head: Vec::with_capacity(FRAME_HEAD),
            payload_left: 0,
            frame: Frame::Other,
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        let mut left = skip(bytes, &mut self.preface_left);
        loop {
            left = skip(left, &mut self.payload_left);
            if self.payload_left == 0 && self.frame == Frame::EndOfHead {
                self.frame = Frame::Other;
                self.activity.head_came();
            }
            if left.is_empty() {
                return;
            }
            let missing = FRAME_HEAD.saturating_sub(self.frame_head.len());
            let (part, rest) = left.split_at(missing.min(left.len()));
            self.frame_head.extend_from_slice(part);
            left = rest;
            self.begin_frame();
        }
    }

    /// Begins a frame when the bytes before its payload are there.
    fn begin_frame(&mut self) {
        let [high, middle, low, kind, flags, _, _, _, _] = self.frame_head[..] else {
            return;
        };
        self.payload_left = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
        self.frame = match kind {
            HEADERS | CONTINUATION if flags & END_HEADERS == 0 => Frame::PartOfHead,
            HEADERS | CONTINUATION => Frame::EndOfHead,
            _ => Frame::Other,
        };
        self.frame_head.clear();
    }

    fn is_in_head(&self) -> bool {
        self.preface_left > 0 || !self.frame_head.is_empty() || self.frame != Frame::Other
    }
}

impl<S> StreamObserver<S> for Heads {
    fn bytes_came(&mut self, bytes: &[u8]) {
        self.read(bytes);
        self.activity.set_in_head(self.is_in_head());
    }
}

/// Skips up to `left` bytes and returns the others; `left` is then how many are still to be skipped.
fn skip<'a>(bytes: &'a [u8], left: &mut usize) -> &'a [u8] {
    let (passed, rest) = bytes.split_at(bytes.len().min(*left));
    *left -= passed.len();
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, length: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, 1];
        frame.resize(FRAME_HEAD + usize::from(length), b'x');
        frame
    }

    /// The states after each byte.
    fn states(heads: &mut Heads, bytes: &[u8]) -> Vec<bool> {
        let mut after = |byte: &u8| {
            heads.read(&[*byte]);
            heads.is_in_head()
        };
        bytes.iter().map(&mut after).collect()
    }

    #[test]
    fn only_incomplete_heads_count_as_in_progress() {
        let mut heads = Heads::new(Activity::default());
        assert!(heads.is_in_head());
        heads.read(&[b'x'; PREFACE]);
        assert!(!heads.is_in_head());

        // The first bytes of any frame do not decide anything.
        let data = states(&mut heads, &frame(0, 1, 20));
        assert_eq!(data.iter().rposition(|is_in| *is_in), Some(FRAME_HEAD - 2));

        for pieces in [
            vec![frame(HEADERS, END_HEADERS, 5)],
            vec![frame(HEADERS, 0, 5), frame(CONTINUATION, END_HEADERS, 0)],
            vec![
                frame(HEADERS, 1, 0),
                frame(CONTINUATION, 0, 9),
                frame(CONTINUATION, 4, 3),
            ],
        ] {
            let bytes = pieces.concat();
            let states = states(&mut heads, &bytes);
            assert_eq!(
                states.iter().position(|is_in| !is_in),
                Some(bytes.len() - 1)
            );
            heads.read(&bytes);
            assert!(!heads.is_in_head());
        }
    }
}
