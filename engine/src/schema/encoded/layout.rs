//! How base64 is written over several lines, and with the escapes of a URL.

use std::ops::Range;

/// Characters of base64 that URLs escape.
const ESCAPES: [(char, [&str; 2]); 3] = [
    ('+', ["%2B", "%2b"]),
    ('/', ["%2F", "%2f"]),
    ('=', ["%3D", "%3d"]),
];

const INDENT: [char; 2] = [' ', '\t'];

/// What precedes base64 on its first line, as on the next ones: an indent, the number of the line, a quote mark.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame<'t>(&'t str);

impl<'t> Frame<'t> {
    /// A longer one is text.
    const LONGEST: usize = 64;

    /// That of base64 that begins at a place of a text.
    pub(super) fn of(text: &'t str, start: usize) -> Self {
        let before = text.get(..start).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
        let frame = before.get(line..).unwrap_or_default();
        let is_cut = frame.ends_with(|letter: char| letter.is_ascii_alphanumeric());
        if frame.len() > Self::LONGEST || is_cut || is_blank(frame) {
            return Self::default();
        }
        Self(frame)
    }

    pub(super) const fn is_indent(self) -> bool {
        self.0.is_empty()
    }

    /// A line without it. Numbers may differ, and white space.
    fn off(self, line: &str) -> Option<&str> {
        let (mut frame, mut rest) = (self.0, line);
        while let Some(letter) = frame.chars().next() {
            let of_kind = |other: char| match letter {
                '0'..='9' => other.is_ascii_digit(),
                _ => INDENT.contains(&other),
            };
            if of_kind(letter) {
                let behind = rest.trim_start_matches(of_kind);
                if behind.len() == rest.len() && letter.is_ascii_digit() {
                    return None;
                }
                (frame, rest) = (frame.trim_start_matches(of_kind), behind);
            } else {
                (frame, rest) = (frame.strip_prefix(letter)?, rest.strip_prefix(letter)?);
            }
        }
        (!self.is_indent()).then_some(rest)
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(INDENT).is_empty()
}

/// The length of the line end that a text begins with, and of the frame behind it; 0 if there is none.
pub(super) fn line_end_at(text: &str, frame: Frame<'_>) -> usize {
    let behind = behind_line_end(text).map(|behind| {
        let without = frame.off(behind);
        without.unwrap_or_else(|| behind.trim_start_matches(INDENT))
    });
    behind.map_or(0, |behind| text.len() - behind.len())
}

/// What is behind the line end that a text begins with: as it is, escaped in a URL, or escaped in a string at any depth.
fn behind_line_end(text: &str) -> Option<&str> {
    const WRITTEN: [&str; 6] = ["\r\n", "\n", "%0D%0A", "%0d%0a", "%0A", "%0a"];
    let written = WRITTEN.iter().find_map(|end| text.strip_prefix(end));
    if written.is_some() || !text.starts_with('\\') {
        return written;
    }
    let letter = text.trim_start_matches('\\');
    let escape = text.strip_suffix(letter)?;
    let feed = letter
        .strip_prefix('r')
        .and_then(|feed| feed.strip_prefix(escape));
    feed.unwrap_or(letter).strip_prefix('n')
}

/// The lines of a text, each with its end.
pub(super) fn lines<'t>(
    text: &'t str,
    frame: Frame<'_>,
) -> impl Iterator<Item = (&'t str, &'t str)> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let end = first_line_end(text, frame);
        rest = text.get(end.end..).filter(|rest| !rest.is_empty());
        text.get(..end.start).zip(text.get(end))
    })
}

/// The first line end; an empty one behind the text if there is none.
fn first_line_end(text: &str, frame: Frame<'_>) -> Range<usize> {
    let may_end = text.match_indices(['\r', '\n', '\\', '%']);
    // A row of backslashes is one escape.
    let begin =
        may_end.filter(|(at, _)| !matches!(text.get(at.saturating_sub(1)..=*at), Some("\\\\")));
    let mut ends =
        begin.map(|(at, _)| at..at + line_end_at(text.get(at..).unwrap_or_default(), frame));
    ends.find(|end| !end.is_empty())
        .unwrap_or(text.len()..text.len())
}

/// What base64 has beside its own characters.
#[derive(Debug)]
pub(super) struct Layout {
    /// The line ends in order, with what frames the lines behind them. Behind the last one, that repeats.
    line_ends: Vec<String>,
    /// The length of a line, if there are several.
    width: Option<usize>,
    /// What ends the last line.
    tail: String,
    escapes: Vec<(char, &'static str)>,
}

impl Layout {
    pub(super) fn of(written: &str, frame: Frame<'_>) -> Self {
        let first = first_line_end(written, frame);
        let line_end = written.get(first.clone()).unwrap_or_default();
        let tail = [line_end, line_end.trim_end_matches(INDENT)];
        let tail = tail.into_iter().find(|end| written.ends_with(end));
        let ends = lines(written, frame).map(|(_, end)| end.to_owned());
        let mut line_ends: Vec<String> = ends.filter(|end| !end.is_empty()).collect();
        if frame.is_indent() {
            line_ends.truncate(1);
        }
        let escapes = ESCAPES.into_iter().filter_map(|(letter, escapes)| {
            let escape = escapes
                .into_iter()
                .find(|escape| written.contains(escape))?;
            Some((letter, escape))
        });
        let mut layout = Self {
            line_ends,
            width: None,
            tail: tail.unwrap_or_default().to_owned(),
            escapes: escapes.collect(),
        };
        let line = written
            .get(..first.start)
            .filter(|_| first.end < written.len());
        layout.width = line.map(|line| layout.length(line));
        layout
    }

    /// How many characters a line stands for.
    fn length(&self, line: &str) -> usize {
        let escapes = self.escapes.iter();
        let extra: usize = escapes
            .map(|(_, escape)| line.matches(escape).count() * (escape.len() - 1))
            .sum();
        line.len() - extra
    }

    pub(super) fn write(&self, encoded: &str) -> String {
        let width = self.width.unwrap_or(encoded.len()).max(1);
        let none = String::new();
        let last = self.line_ends.last().unwrap_or(&none);
        let mut out = String::with_capacity(encoded.len() + encoded.len() / 16);
        let mut line_ends = self.line_ends.iter().chain(std::iter::repeat(last));
        for (at, letter) in encoded.chars().enumerate() {
            if at > 0 && at.is_multiple_of(width) {
                out.extend(line_ends.next().map(String::as_str));
            }
            match self.escapes.iter().find(|(escaped, _)| *escaped == letter) {
                Some((_, escape)) => out.push_str(escape),
                None => out.push(letter),
            }
        }
        out.push_str(&self.tail);
        out
    }
}
