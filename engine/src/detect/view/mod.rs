//! Reads a text as a person does: returns its readings, with a map back to the source.
//!
//! Framing (line numbers, quote and diff markers, log prefixes, terminal escapes) is removed.
//! Encoded characters are read a second time decoded, so that values behind an encoding are found,
//! and nothing is lost where the characters mean themselves.

mod block;
mod compose;
mod emphasis;
mod encoded;
mod entity;
mod escapes;
mod form;
mod framed;
mod html_table;
mod hunk;
mod lines;
mod map;
mod prefix;
mod seek;
#[cfg(test)]
mod tests;
mod wiki_table;

pub(crate) use encoded::Backslash;
use map::{Builder, View};
use std::cell::Cell;
use std::ops::Range;

/// The layers of encoding that are decoded in any case, each read separately. Most readings need no more.
const USUAL_LAYERS: usize = 2;
/// The most layers that are decoded.
const MOST_LAYERS: usize = 64;
/// How often the length of a text is read in further layers, and how much of any text. JSON in JSON halves its backslashes
/// with each layer, so that only texts that are made for it have more.
const MOST_DEEP: usize = 4;
const LEAST_DEEP: usize = 1 << 16;

/// Longer texts nearly always hold a sign that may frame or encode something.
const LONGEST_GLANCE: usize = 256;

/// A text without its framing.
struct Unframed {
    main: View,
    /// The content of the framing itself, one line each.
    aside: View,
    /// Another way to read it: the lines that a change removed in their surroundings, or with words apart.
    other: View,
    /// Whether all that was left out is framing for sure.
    is_sure: bool,
}

impl Unframed {
    fn surely(main: Builder, aside: Builder) -> Self {
        Self {
            main: main.finish(),
            aside: aside.finish(),
            other: View::default(),
            is_sure: true,
        }
    }
}

/// One way to read a text.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    pub(crate) text: &'r str,
    /// Whether all of the text is in it.
    pub(super) is_whole: bool,
    /// Whether its lines follow each other in the text.
    is_coherent: bool,
    /// Whether encodings in it are too deep to be decoded.
    is_too_deep: bool,
    path: Option<&'r Path<'r>>,
}

/// How far encodings are followed.
#[derive(Clone, Copy)]
struct Depth<'d> {
    layers: usize,
    /// How many bytes are still read in further layers than usual.
    room: &'d Cell<usize>,
}

impl Depth<'_> {
    /// The next layer, unless it is too deep.
    fn next(self, view: &View) -> Option<Self> {
        let layers = self.layers + 1;
        if layers > USUAL_LAYERS {
            self.room.set(self.room.get().checked_sub(view.text.len())?);
        }
        (layers <= MOST_LAYERS).then_some(Self { layers, ..self })
    }
}

/// The way from a reading back to the text.
struct Path<'p> {
    view: &'p View,
    outer: Option<&'p Self>,
}

impl Reading<'_> {
    /// The words of a reading whose encodings are too deep: none of them is read.
    pub(super) fn unread(&self) -> Vec<Range<usize>> {
        if self.is_too_deep {
            return encoded::words(self.text);
        }
        Vec::new()
    }

    /// Whether this is the text itself.
    pub(crate) const fn is_source(&self) -> bool {
        self.path.is_none()
    }

    /// The bytes of the text for a part of the reading; `None` if they are not contiguous.
    pub(crate) fn locate(&self, span: Range<usize>) -> Option<Range<usize>> {
        let own = self.text.get(span.clone())?;
        if !self.is_coherent && own.contains('\n') {
            return None;
        }
        let path = std::iter::successors(self.path, |path| path.outer);
        let source = path.fold(span, |span, path| path.view.locate(&span));
        (!source.is_empty()).then_some(source)
    }
}

/// Receives a reading.
type Read<'r> = &'r mut dyn FnMut(&Reading<'_>);
/// What is done with a view, and how far encodings in it are followed.
type Follow = fn(&Reading<'_>, Depth<'_>, Read<'_>);

/// Hands every reading of a text to `read`.
pub(crate) fn each_reading(text: &str, read: &mut dyn FnMut(&Reading<'_>)) {
    let whole = Reading {
        text,
        is_whole: true,
        is_coherent: true,
        is_too_deep: false,
        path: None,
    };
    if is_plain(text.as_bytes()) {
        return read(&whole);
    }
    let room = Cell::new(text.len().saturating_mul(MOST_DEEP) + LEAST_DEEP);
    let depth = Depth {
        layers: 0,
        room: &room,
    };
    without_escapes(&whole, depth, read);
    let tables = [html_table::read(text), wiki_table::read(text)];
    for rows in tables.into_iter().flatten() {
        let part = Reading {
            is_whole: false,
            is_coherent: false,
            ..whole
        };
        part.within(&rows, without_escapes, depth, read);
    }
}

/// Whether nothing can frame or encode anything in a text, at a glance: it is a line without the signs that do.
fn is_plain(text: &[u8]) -> bool {
    let may_begin = |byte: u8| {
        matches!(
            byte,
            b'%' | b'&' | b'\\' | b'^' | b'*' | b'_' | b'~' | b'+' | b'='
        ) || !matches!(byte, b' '..=b'~')
    };
    // To the end in any case: without an early exit the loop handles many bytes at a time.
    let holds_any = |text: &[u8]| text.iter().fold(false, |any, byte| any | may_begin(*byte));
    text.len() <= LONGEST_GLANCE
        && text.first() != Some(&b'@')
        && !holds_any(text)
        && !html_table::may_be_in(text)
        && !wiki_table::may_be_in(text)
}

/// Hands to `read` the text without its backslashes, if it has any: code, Markdown and JSON in one another have them before
/// signs.
pub(crate) fn without_backslashes(
    text: &str,
    backslash: Backslash,
    read: &mut dyn FnMut(&Reading<'_>),
) {
    let Some(view) = encoded::without_backslashes(text, backslash) else {
        return;
    };
    let path = Path {
        view: &view,
        outer: None,
    };
    read(&Reading {
        text: &view.text,
        is_whole: true,
        is_coherent: true,
        is_too_deep: false,
        path: Some(&path),
    });
}

/// Hands to `visit` what all of a value says where that is not its own characters: `p@ss` of `p%40ss`.
pub(crate) fn each_decoded(value: &str, visit: &mut dyn FnMut(&str)) {
    // Nothing frames or encodes the others within a line.
    let may_begin = |byte: u8| {
        matches!(byte, b'%' | b'&' | b'\\' | b'^' | b'\n') || !matches!(byte, b' '..=b'~')
    };
    // To the end in any case: without an early exit the loop handles many bytes at a time.
    let may_decode = |value: &str| value.bytes().fold(false, |may, byte| may | may_begin(byte));
    if !may_decode(value) {
        return;
    }
    let mut scan = |reading: &Reading<'_>| {
        if reading.is_whole && !reading.is_source() && reading.text != value {
            visit(reading.text);
        }
    };
    each_reading(value, &mut scan);
    without_backslashes(value, Backslash::Alone, &mut scan);
    without_backslashes(value, Backslash::Escape, &mut scan);
}

fn without_escapes(reading: &Reading<'_>, depth: Depth<'_>, read: Read<'_>) {
    let Some(unframed) = escapes::strip(reading.text) else {
        return without_frames(reading, depth, read);
    };
    if !unframed.is_sure {
        read(reading);
    }
    unframed.follow(reading, without_frames, depth, read);
}

fn without_frames(reading: &Reading<'_>, depth: Depth<'_>, read: Read<'_>) {
    let Some(unframed) = lines::strip(reading.text) else {
        return decoded(reading, depth, read);
    };
    if !unframed.is_sure {
        read(reading);
    }
    unframed.follow(reading, decoded, depth, read);
}

/// Reads the rest, and then its decoded form.
fn decoded(reading: &Reading<'_>, depth: Depth<'_>, read: Read<'_>) {
    let Some(view) = encoded::decode(reading.text) else {
        return read(reading);
    };
    let next = depth.next(&view);
    read(&Reading {
        is_too_deep: next.is_none(),
        ..*reading
    });
    let Some(depth) = next else { return };
    let is_whole = reading.is_whole && !reading.text.contains('\n');
    let part = Reading {
        is_whole,
        ..*reading
    };
    part.within(&view, without_escapes, depth, read);
}

impl Unframed {
    fn follow(&self, reading: &Reading<'_>, follow: Follow, depth: Depth<'_>, read: Read<'_>) {
        reading.within(&self.main, follow, depth, read);
        let part = Reading {
            is_whole: false,
            ..*reading
        };
        part.within(&self.other, decoded, depth, read);
        let aside = Reading {
            is_coherent: false,
            ..part
        };
        aside.within(&self.aside, decoded, depth, read);
    }
}

impl Reading<'_> {
    /// Follows a view of this reading.
    fn within(&self, view: &View, follow: Follow, depth: Depth<'_>, read: Read<'_>) {
        if view.text.is_empty() {
            return;
        }
        let path = Path {
            view,
            outer: self.path,
        };
        let inner = Reading {
            text: &view.text,
            path: Some(&path),
            is_whole: self.is_whole,
            is_coherent: self.is_coherent,
            is_too_deep: false,
        };
        follow(&inner, depth, read);
    }
}
