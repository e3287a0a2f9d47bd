//! The shape of consecutive events in a stream, so that most need no parsing.
//!
//! Events of one text differ only in its next piece, a running number and padding. An event with
//! the shape of the previous one belongs to the same channel, and the rest of it need not be read.

use memchr::memchr2;

use crate::json::Value;
use crate::schema::Channel;

/// Members whose value does not affect what an event is.
const RUNNING_NUMBER: &str = "sequence_number";
const PADDING: &str = "obfuscation";

/// An event's bytes, cut where the next one may differ.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) channel: Channel,
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Same(Vec<u8>),
    Number,
    Padding,
    Piece,
}

/// What is new in an event of the last one's shape.
pub(super) struct Next<'f> {
    /// Its piece, as it is written between quotes, and where in the frame that begins.
    pub(super) piece: &'f str,
    pub(super) start: usize,
    pub(super) number: Option<u64>,
}

impl Template {
    /// The shape of a frame whose data begins at `data_start` and has one piece.
    pub(super) fn of(
        frame: &[u8],
        data_start: usize,
        root: Value<'_>,
        channel: Channel,
        piece: Value<'_>,
    ) -> Option<Self> {
        let mut holes = vec![(piece.start() + 1..piece.end() - 1, Part::Piece)];
        if let Some(number) = root.member(RUNNING_NUMBER) {
            holes.push((number.start()..number.end(), Part::Number));
        }
        if let Some(padding) = root.member(PADDING).filter(|value| value.is_string()) {
            holes.push((padding.start() + 1..padding.end() - 1, Part::Padding));
        }
        holes.sort_by_key(|(range, _)| range.start);
        let mut parts = Vec::with_capacity(2 * holes.len() + 1);
        let mut at = 0;
        for (range, part) in holes {
            parts.push(Part::Same(
                frame.get(at..data_start + range.start)?.to_vec(),
            ));
            parts.push(part);
            at = data_start + range.end;
        }
        parts.push(Part::Same(frame.get(at..)?.to_vec()));
        Some(Self { channel, parts })
    }

    /// The next piece and the running number, if a frame has this shape.
    pub(super) fn next_in<'f>(&self, frame: &'f [u8]) -> Option<Next<'f>> {
        let (mut piece, mut number, mut start) = (None, None, 0);
        let mut rest = frame;
        for part in &self.parts {
            match part {
                Part::Same(bytes) => rest = rest.strip_prefix(bytes.as_slice())?,
                Part::Number => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let (written, after) = rest.split_at_checked(digits)?;
                    number = std::str::from_utf8(written).ok()?.parse().ok();
                    rest = after;
                }
                Part::Padding | Part::Piece => {
                    let (content, after) = rest.split_at_checked(content_length(rest)?)?;
                    if *part == Part::Piece {
                        start = frame.len() - rest.len();
                        piece = std::str::from_utf8(content).ok();
                        piece?;
                    }
                    rest = after;
                }
            }
        }
        let piece = piece.filter(|_| rest.is_empty())?;
        Some(Next {
            piece,
            start,
            number,
        })
    }
}

/// How far the content of a string goes that begins here.
fn content_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}
