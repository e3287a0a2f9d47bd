//! How base64 is written over several lines, and with the escapes of a URL.

/// Line ends, as they are and escaped.
const LINE_ENDS: [&str; 6] = ["\r\n", "\n", "%0D%0A", "%0d%0a", "%0A", "%0a"];
/// Characters of base64 that URLs escape.
const ESCAPES: [(char, [&str; 2]); 3] = [
    ('+', ["%2B", "%2b"]),
    ('/', ["%2F", "%2f"]),
    ('=', ["%3D", "%3d"]),
];

/// What base64 has beside its own characters.
#[derive(Debug)]
pub(super) struct Layout {
    line_end: &'static str,
    /// The length of a line, if there are several.
    width: Option<usize>,
    /// The last line is ended, too.
    is_ended: bool,
    escapes: Vec<(char, &'static str)>,
}

impl Layout {
    pub(super) fn of(written: &str) -> Self {
        let line_end = LINE_ENDS.into_iter().find(|end| written.contains(end));
        let line_end = line_end.unwrap_or_default();
        let is_ended = !line_end.is_empty() && written.ends_with(line_end);
        let lines = written.strip_suffix(line_end).unwrap_or(written);
        let first = lines.split_once(line_end).filter(|_| !line_end.is_empty());
        let escapes = ESCAPES.into_iter().filter_map(|(letter, escapes)| {
            let escape = escapes
                .into_iter()
                .find(|escape| written.contains(escape))?;
            Some((letter, escape))
        });
        let mut layout = Self {
            line_end,
            width: None,
            is_ended,
            escapes: escapes.collect(),
        };
        layout.width = first.map(|(line, _)| layout.length(line));
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
                out.push_str(self.line_end);
            }
            match self.escapes.iter().find(|(escaped, _)| *escaped == letter) {
                Some((_, escape)) => out.push_str(escape),
                None => out.push(letter),
            }
        }
        if self.is_ended {
            out.push_str(self.line_end);
        }
        out
    }
}
