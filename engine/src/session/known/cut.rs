//! Reads values across the line end or quotes that split them.

/// A text that is read past what cuts a value in two.
pub(super) struct JoinedText<'t> {
    text: &'t [u8],
    pub(super) at: usize,
    /// Where the last cut ended.
    behind: usize,
    pub(super) cuts: usize,
}

impl<'t> JoinedText<'t> {
    /// A text that is cut more often is none that a person cut.
    const MOST_CUTS: usize = 16;

    pub(super) const fn new(text: &'t [u8], at: usize) -> Self {
        Self {
            text,
            at,
            behind: 0,
            cuts: 0,
        }
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes behind a cut: the end of a line, escaped or not, with the indent of the next, or quotes that code joins (`"hunter2-" +
    /// "Kx9"`).
    pub(super) fn skip(&mut self) -> bool {
        let may_be = self.at > self.behind && self.cuts < Self::MOST_CUTS;
        let Some(length) = cut(self.rest()).filter(|_| may_be) else {
            return false;
        };
        self.at += length;
        self.behind = self.at;
        self.cuts += 1;
        true
    }
}

/// The length of the cut that a text begins with.
fn cut(text: &[u8]) -> Option<usize> {
    const QUOTES: &[u8] = b"\"'`";
    const JOINING: &[u8] = b"+.&|";
    let is_quote = |at: usize| text.get(at).is_some_and(|byte| QUOTES.contains(byte));
    let count = |from: usize, most: usize, of: &[u8]| {
        let bytes = text.get(from..).unwrap_or_default().iter().take(most);
        from + bytes.take_while(|byte| of.contains(byte)).count()
    };
    let space = |from| count(from, MOST_SPACE, b" \t\r\n\\");
    if is_quote(0) {
        let end = space(count(space(1), 2, JOINING));
        return is_quote(end).then_some(end + 1);
    }
    let line = count(count(0, 1, b"\\="), 1, b"\r");
    let is_end = text.get(line) == Some(&b'\n');
    let end = if is_end {
        line + 1
    } else {
        escaped_line_end(text)?
    };
    Some(count(end, MOST_SPACE, b" \t"))
}

/// Where the escape ends, `\n` or `\r\n`, that a text begins with.
fn escaped_line_end(text: &[u8]) -> Option<usize> {
    let behind = |from: usize, letter: u8| {
        let rest = text.get(from..)?;
        let backslashes = rest
            .iter()
            .take(MOST_SPACE)
            .take_while(|byte| **byte == b'\\')
            .count();
        let escapes = backslashes > 0 && rest.get(backslashes) == Some(&letter);
        escapes.then_some(from + backslashes + 1)
    };
    behind(behind(0, b'r').unwrap_or(0), b'n')
}

/// More white space separates what stands before and behind it.
const MOST_SPACE: usize = 64;
