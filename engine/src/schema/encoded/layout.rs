//! How base64 is written over several lines, and with the escapes of a URL.

use std::ops::Range;

/// Characters of base64 that URLs escape.
const ESCAPES: [(char, [&str; 2]); 3] = [
    ('+', ["%2B", "%2b"]),
    ('/', ["%2F", "%2f"]),
    ('=', ["%3D", "%3d"]),
];

const INDENT: [char; 2] = [' ', '\t'];

/// The length of the line end that a text begins with, and of the indent behind it; 0 if there is none.
pub(super) fn line_end_at(text: &str) -> usize {
    let behind = behind_line_end(text).map(|behind| behind.trim_start_matches(INDENT));
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

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let end = first_line_end(text);
        rest = text.get(end.end..).filter(|rest| !rest.is_empty());
        text.get(..end.start)
    })
}

/// The first line end; an empty one behind the text if there is none.
fn first_line_end(text: &str) -> Range<usize> {
    let may_end = text.match_indices(['\r', '\n', '\\', '%']);
    // A row of backslashes is one escape.
    let begin =
        may_end.filter(|(at, _)| !matches!(text.get(at.saturating_sub(1)..=*at), Some("\\\\")));
    let mut ends = begin.map(|(at, _)| at..at + line_end_at(text.get(at..).unwrap_or_default()));
    ends.find(|end| !end.is_empty())
        .unwrap_or(text.len()..text.len())
}

/// What base64 has beside its own characters.
#[derive(Debug)]
pub(super) struct Layout {
    /// The first line end, with the indent behind it.
    line_end: String,
    /// The length of a line, if there are several.
    width: Option<usize>,
    /// What ends the last line.
    tail: String,
    escapes: Vec<(char, &'static str)>,
}

impl Layout {
    pub(super) fn of(written: &str) -> Self {
        let first = first_line_end(written);
        let line_end = written.get(first.clone()).unwrap_or_default();
        let tail = [line_end, line_end.trim_end_matches(INDENT)];
        let tail = tail.into_iter().find(|end| written.ends_with(end));
        let escapes = ESCAPES.into_iter().filter_map(|(letter, escapes)| {
            let escape = escapes
                .into_iter()
                .find(|escape| written.contains(escape))?;
            Some((letter, escape))
        });
        let mut layout = Self {
            line_end: line_end.to_owned(),
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
        let mut out = String::with_capacity(encoded.len() + encoded.len() / 16);
        for (at, letter) in encoded.chars().enumerate() {
            if at > 0 && at.is_multiple_of(width) {
                out.push_str(&self.line_end);
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
