//! Reads a text as a person does: returns its readings, with a map back to the source.
//!
//! Framing (line numbers, quote and diff markers, log prefixes, terminal escapes) is removed.
//! Encoded characters are read a second time decoded, so that values behind an encoding are found,
//! and nothing is lost where the characters mean themselves.

mod block;
mod emphasis;
mod encoded;
mod escapes;
mod form;
mod framed;
mod hunk;
mod lines;
mod map;
mod prefix;
mod seek;
#[cfg(test)]
mod tests;

use map::{Builder, View};
use std::ops::Range;

/// The most layers of encoding that are decoded, each read separately. Most readings need no more.
const MOST_ENCODINGS: usize = 2;

/// A text without its framing.
struct Unframed {
    main: View,
    /// The content of the framing itself, one line each.
    aside: View,
    /// The lines that a change removed, in their surroundings.
    before: View,
    /// Whether all that was left out is framing for sure.
    is_sure: bool,
}

impl Unframed {
    fn surely(main: Builder, aside: Builder) -> Self {
        Self {
            main: main.finish(),
            aside: aside.finish(),
            before: View::default(),
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
    path: Option<&'r Path<'r>>,
}

/// The way from a reading back to the text.
struct Path<'p> {
    view: &'p View,
    outer: Option<&'p Self>,
}

impl Reading<'_> {
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
/// What is done with a view: how many encodings may be decoded in it.
type Follow = fn(&Reading<'_>, usize, Read<'_>);

/// Hands every reading of a text to `read`.
pub(crate) fn each_reading(text: &str, read: &mut dyn FnMut(&Reading<'_>)) {
    let whole = Reading {
        text,
        is_whole: true,
        is_coherent: true,
        path: None,
    };
    without_escapes(&whole, MOST_ENCODINGS, read);
}

/// Hands to `tell` what all of a value says where that is not its own characters: `p@ss` of `p%40ss`.
pub(crate) fn each_decoded(value: &str, tell: &mut dyn FnMut(&str)) {
    // Nothing frames or encodes the others within a line.
    let may_begin = |byte: u8| {
        matches!(byte, b'%' | b'&' | b'\\' | b'^' | b'\n') || !matches!(byte, b' '..=b'~')
    };
    // To the end in any case: without an early exit the loop handles many bytes at a time.
    let may_decode = |value: &str| value.bytes().fold(false, |may, byte| may | may_begin(byte));
    if !may_decode(value) {
        return;
    }
    each_reading(value, &mut |reading| {
        if reading.is_whole && !reading.is_source() && reading.text != value {
            tell(reading.text);
        }
    });
}

fn without_escapes(reading: &Reading<'_>, encodings: usize, read: Read<'_>) {
    match escapes::strip(reading.text) {
        Some(unframed) => unframed.follow(reading, without_frames, encodings, read),
        None => without_frames(reading, encodings, read),
    }
}

fn without_frames(reading: &Reading<'_>, encodings: usize, read: Read<'_>) {
    let Some(unframed) = lines::strip(reading.text) else {
        return decoded(reading, encodings, read);
    };
    if !unframed.is_sure {
        read(reading);
    }
    unframed.follow(reading, decoded, encodings, read);
}

/// Reads the rest, and then its decoded form.
fn decoded(reading: &Reading<'_>, encodings: usize, read: Read<'_>) {
    read(reading);
    let Some(encodings) = encodings.checked_sub(1) else {
        return;
    };
    if let Some(view) = encoded::decode(reading.text) {
        let is_whole = reading.is_whole && !reading.text.contains('\n');
        let part = Reading {
            is_whole,
            ..*reading
        };
        part.within(&view, without_escapes, encodings, read);
    }
}

impl Unframed {
    fn follow(&self, reading: &Reading<'_>, follow: Follow, encodings: usize, read: Read<'_>) {
        reading.within(&self.main, follow, encodings, read);
        let part = Reading {
            is_whole: false,
            ..*reading
        };
        part.within(&self.before, decoded, encodings, read);
        let aside = Reading {
            is_coherent: false,
            ..part
        };
        aside.within(&self.aside, decoded, encodings, read);
    }
}

impl Reading<'_> {
    /// Follows a view of this reading.
    fn within(&self, view: &View, follow: Follow, encodings: usize, read: Read<'_>) {
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
        };
        follow(&inner, encodings, read);
    }
}
