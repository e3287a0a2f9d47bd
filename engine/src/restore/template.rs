//! The shapes of a stream's events, so that most need no parsing.
//!
//! Events of one text differ only in its next piece, and in members that say nothing about it: running numbers, stamps,
//! padding, what was used so far. An event with the shape of an earlier one belongs to the same channels, and the rest
//! of it need not be read.

use std::ops::Range;

use memchr::{memchr2, memmem};

use crate::json::{Kind, Value};
use crate::schema::{
    Channel, EventMap, Piece, Span, is_report, is_stamp, names_history, names_text,
};

use super::Tokens;
use super::channels::Source;

/// Members whose value does not affect what an event is.
const RUNNING_NUMBER: &str = "sequence_number";
const PADDING: &str = "obfuscation";

/// How many shapes are kept: texts may come by turns.
const MOST_SHAPES: usize = 8;

/// The most pieces of an event with a shape.
const MOST_PIECES: usize = 4;

/// The most bytes of a shape.
const LONGEST: usize = 8 << 10;

/// The shapes of the latest events, the last that was met first.
#[derive(Debug, Default)]
pub(super) struct Templates(Vec<Template>);

/// An event's bytes, cut where the next one may differ.
#[derive(Debug)]
pub(super) struct Template {
    parts: Vec<Part>,
    /// The channels of its pieces, in order.
    pub(super) channels: Vec<Channel>,
    pub(super) ends: Vec<Span>,
    pub(super) is_typed: bool,
    /// The value of its `event` field.
    pub(super) name: Option<String>,
    pub(super) data_start: usize,
    /// How many bytes follow the data.
    behind: usize,
    /// A key that may count events leads to a piece.
    has_keys: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Same(Vec<u8>),
    /// The event's `id` field.
    Line,
    Number {
        is_running: bool,
    },
    Padding,
    /// A string that is no text.
    Stamp,
    /// An object or a list that reports on the answer.
    Report,
    Piece,
}

/// What is new in an event of a known shape.
pub(super) struct Next<'f> {
    /// Its pieces, as they are written between quotes, and where in the frame they begin.
    pieces: [(usize, &'f str); MOST_PIECES],
    data: &'f [u8],
    pub(super) number: Option<u64>,
}

impl Templates {
    /// Finds the shape of a frame, and leaves it first.
    pub(super) fn find<'f>(
        &mut self,
        tokens: &Tokens,
        frame: &'f [u8],
    ) -> Option<(&Template, Next<'f>)> {
        let mut found = self.0.iter().enumerate();
        let (at, next) =
            found.find_map(|(at, template)| Some((at, template.next_in(tokens, frame)?)))?;
        self.0.get_mut(..=at)?.rotate_right(1);
        Some((self.0.first()?, next))
    }

    /// Keeps the shape of an event.
    pub(super) fn keep(&mut self, new: Template) {
        self.0.retain(|old| !new.has_keys && old.parts != new.parts);
        self.0.truncate(MOST_SHAPES - 1);
        self.0.insert(0, new);
    }

    /// Forgets the shapes of events with keys: what those mean depends on the event before.
    pub(super) fn forget_keys(&mut self) {
        self.0.retain(|template| !template.has_keys);
    }
}

impl Template {
    /// The shape of an event, if it brings nothing but pieces.
    pub(super) fn of(event: &Source<'_>, map: &EventMap<'_>) -> Option<Self> {
        let data_start = event.data_start?;
        // Invalid UTF-8 is replaced in the data, whose places then are not those of the frame.
        let rest = event.raw.get(data_start..)?;
        let behind = rest.strip_prefix(event.data.as_bytes())?.len();
        let holes = holes(event, map, data_start)?;
        let mut parts = Vec::with_capacity(2 * holes.len() + 1);
        let mut channels = Vec::new();
        let (mut at, mut length) = (0, 0);
        for (range, part, channel) in holes {
            let same = event.raw.get(at..range.start)?;
            length += same.len();
            parts.extend([Part::Same(same.to_vec()), part]);
            channels.extend(channel);
            at = range.end;
        }
        let rest = event.raw.get(at..)?;
        parts.push(Part::Same(rest.to_vec()));
        let has_key = |piece: &Piece<'_>| piece.unkeyed.is_some() && !piece.is_known;
        let is_short = length + rest.len() <= LONGEST;
        (is_short && (1..=MOST_PIECES).contains(&channels.len())).then(|| Self {
            parts,
            channels,
            ends: map.ends.clone(),
            is_typed: map.is_typed,
            name: event.name.map(str::to_owned),
            data_start,
            behind,
            has_keys: map.pieces.iter().any(has_key),
        })
    }

    /// What is new in a frame, if it has this shape.
    fn next_in<'f>(&self, tokens: &Tokens, frame: &'f [u8]) -> Option<Next<'f>> {
        let mut pieces = [(0, ""); MOST_PIECES];
        let mut free = pieces.iter_mut();
        let (mut number, mut rest) = (None, frame);
        for part in &self.parts {
            let length = match part {
                Part::Same(bytes) => {
                    rest = rest.strip_prefix(bytes.as_slice())?;
                    continue;
                }
                Part::Line => memchr2(b'\n', b'\r', rest)?,
                Part::Number { .. } => number_length(rest)?,
                Part::Padding | Part::Stamp | Part::Piece => content_length(rest)?,
                Part::Report => report_length(tokens, rest)?,
            };
            let (content, after) = rest.split_at_checked(length)?;
            match part {
                Part::Number { is_running: true } => {
                    number = std::str::from_utf8(content).ok()?.parse().ok();
                }
                Part::Stamp if !is_plain(tokens, content) => return None,
                Part::Padding if std::str::from_utf8(content).is_err() => return None,
                Part::Piece => {
                    let piece = std::str::from_utf8(content).ok()?;
                    *free.next()? = (frame.len() - rest.len(), piece);
                }
                _ => {}
            }
            rest = after;
        }
        let data = frame.get(self.data_start..frame.len().checked_sub(self.behind)?)?;
        // A line break would begin another line of data.
        (rest.is_empty() && memchr2(b'\n', b'\r', data).is_none()).then_some(Next {
            pieces,
            data,
            number,
        })
    }
}

impl<'f> Next<'f> {
    /// The event's data; `None` if it is no text.
    pub(super) fn data(&self) -> Option<&'f str> {
        std::str::from_utf8(self.data).ok()
    }

    /// Each piece with its channel, and where in the frame it begins.
    pub(super) fn pieces(
        &self,
        template: &Template,
    ) -> impl Iterator<Item = (Channel, usize, &'f str)> {
        let pieces = template.channels.iter().zip(&self.pieces);
        pieces.map(|(channel, (start, piece))| (*channel, *start, *piece))
    }
}

/// A part that may differ, where it is, and the channel of a piece.
type Hole = (Range<usize>, Part, Option<Channel>);

/// Finds what may differ in the next event, in order. `None` if that has to be read.
fn holes(event: &Source<'_>, map: &EventMap<'_>, data_start: usize) -> Option<Vec<Hole>> {
    let mut holes = Vec::new();
    for (key, value) in event.root.objects().flat_map(Value::members) {
        let name = key.text();
        let is_piece = || map.pieces.iter().any(|p| p.value.start() == value.start());
        let part = match value.kind() {
            Kind::Object | Kind::Array if is_report(&name) => Part::Report,
            Kind::Scalar if is_number(value) && !names_text(&name) && !names_history(&name) => {
                let is_running = name == RUNNING_NUMBER;
                Part::Number { is_running }
            }
            Kind::String if name == PADDING => Part::Padding,
            Kind::String if is_stamp(&name) => Part::Stamp,
            // A word that says to which text an event belongs, or what the reply is called.
            Kind::String if (names_text(&name) || names_history(&name)) && is_piece() => {
                return None;
            }
            _ => continue,
        };
        let quotes = usize::from(value.is_string());
        holes.push((value.start() + quotes..value.end() - quotes, part, None));
    }
    holes.extend(map.pieces.iter().map(|piece| {
        let range = piece.value.start() + 1..piece.value.end() - 1;
        (range, Part::Piece, Some(piece.channel))
    }));
    holes.sort_by_key(|(range, ..)| range.start);
    let mut end = 0;
    holes.retain(|(range, ..)| {
        let is_apart = range.start >= end;
        end = end.max(range.end + 1);
        is_apart
    });
    for (range, ..) in &mut holes {
        *range = data_start + range.start..data_start + range.end;
    }
    holes.splice(..0, id_line(event.raw.get(..data_start)?));
    Some(holes)
}

/// The event's `id` before its data, which is no text.
fn id_line(before: &[u8]) -> Option<Hole> {
    const FIELD: &[u8] = b"id:";
    let start = match memmem::find(before, b"\nid:") {
        _ if before.starts_with(FIELD) => 0,
        at => at? + 1,
    };
    let start = start + FIELD.len();
    let length = memchr2(b'\n', b'\r', before.get(start..)?)?;
    Some((start..start + length, Part::Line, None))
}

fn is_number(value: Value<'_>) -> bool {
    let mut bytes = value.raw().bytes();
    bytes.all(is_of_number)
}

const fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

/// How far a number goes that begins here.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take_while(|byte| is_of_number(**byte)).count();
    (length > 0).then_some(length)
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

/// How far an object or a list goes that begins here, if no string in it may be a token.
fn report_length(tokens: &Tokens, bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        match bytes.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let rest = bytes.get(at + 1..)?;
                let content = rest.get(..content_length(rest)?)?;
                if !is_plain(tokens, content) {
                    return None;
                }
                at += content.len() + 1;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

fn is_plain(tokens: &Tokens, content: &[u8]) -> bool {
    std::str::from_utf8(content).is_ok_and(|content| tokens.is_plain(content))
}
