//! Files that stand in a longer text as `data:` URLs: in prose, HTML, Markdown, style sheets.

use std::ops::Range;

use super::{Content, EncodedText, LONGEST_HEAD, MARK, SCHEME, read};
use crate::json::Edit;

/// A file and where its URL begins in the text.
pub(crate) struct Embedded {
    pub(crate) start: usize,
    pub(crate) file: EncodedText,
}

/// The text files that stand in a text, in order.
pub(crate) fn embedded(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let commas = memchr::memchr_iter(b',', text.as_bytes());
    let mut read_to = 0;
    for comma in commas.filter(|comma| is_mark(text, *comma)) {
        let payload = comma + 1;
        let Some(start) = url_start(text, read_to..payload) else {
            continue;
        };
        for end in [wrapped_end(text, payload), end_of_word(text, payload)] {
            let url = text.get(start..end).unwrap_or_default();
            if let Content::Text(file) = read(url) {
                found.push(Embedded { start, file });
                read_to = end;
                break;
            }
        }
    }
    found
}

/// The edits of a text together with those of the files in it. An edit of the text that reaches
/// beyond a file replaces it; one within a file would break it.
pub(crate) fn merged(edits: Vec<Edit>, of_files: Vec<Edit>) -> Vec<Edit> {
    let mut all: Vec<Edit> = Vec::with_capacity(edits.len() + of_files.len());
    let mut edits = edits.into_iter().peekable();
    for of_file in of_files {
        all.extend(std::iter::from_fn(|| {
            edits.next_if(|edit| edit.end <= of_file.start)
        }));
        let touching = std::iter::from_fn(|| edits.next_if(|edit| edit.start < of_file.end));
        let touching: Vec<_> = touching.collect();
        let is_within = |edit: &Edit| edit.start >= of_file.start && edit.end <= of_file.end;
        let is_free = all.last().is_none_or(|last| last.end <= of_file.start);
        if is_free && touching.iter().all(is_within) {
            all.push(of_file);
        } else {
            all.extend(touching);
        }
    }
    all.extend(edits);
    all
}

fn is_mark(text: &str, comma: usize) -> bool {
    let start = (comma + 1).checked_sub(MARK.len());
    let mark = start.and_then(|start| text.get(start..=comma));
    mark.is_some_and(|mark| mark.eq_ignore_ascii_case(MARK))
}

/// Where the URL begins whose head ends here.
fn url_start(text: &str, head: Range<usize>) -> Option<usize> {
    let earliest = head.start.max(head.end.saturating_sub(LONGEST_HEAD));
    let earliest = text.ceil_char_boundary(earliest);
    let head = text.get(earliest..head.end)?.to_ascii_lowercase();
    let start = head.rfind(SCHEME)?;
    let is_of_head = |byte: u8| byte.is_ascii_alphanumeric() || b":/;=.+-_\"',%".contains(&byte);
    let is_head = head.get(start..)?.bytes().all(is_of_head);
    is_head.then_some(earliest + start)
}

fn is_of_payload(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_%".contains(&byte)
}

/// Where the base64 ends that begins here, its padding included.
fn end_of_word(text: &str, start: usize) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let letters = rest.iter().take_while(|byte| is_of_payload(**byte)).count();
    let padding = rest.iter().skip(letters).take_while(|byte| **byte == b'=');
    start + letters + padding.take(2).count()
}

/// The same where it goes on in the next lines, all as long as the first but for the last.
fn wrapped_end(text: &str, start: usize) -> usize {
    let mut end = end_of_word(text, start);
    let width = end - start;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let line = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'));
        let next = line.map_or(end, |line| text.len() - line.len());
        let behind = end_of_word(text, next);
        if next == end || behind == next || behind - next > width {
            return end;
        }
        end = behind;
        if end - next < width {
            return end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let files = embedded(text).into_iter();
        files.map(|found| found.file.text().to_owned()).collect()
    }

    /// Only a URL that was the whole of a text was read.
    #[test]
    fn a_file_is_read_wherever_it_stands_in_a_text() {
        for text in [
            "see data:text/plain;base64,Ym9iQGIuZXhhbXBsZQ==.",
            "<a href=\"data:text/csv;charset=utf-8;BASE64,Ym9iQGIuZXhhbXBsZQ\">x</a>",
            "![x](data:;base64,Ym9iQGIuZXhhbXBsZQ%3D%3D) and more",
            "url(DATA:application/json;base64,Ym9iQGIuZXhhbXBsZQ==)",
            "data:text/plain;base64,Ym9iQGIu\nZXhhbXBs\nZQ==\nBob",
            "data:text/plain;base64,Ym9iQGIu\r\nZXhhbXBs\r\nZQ\r\nBob",
            "data:text/plain;base64,Ym9iQGIuZXhhbXBsZQ==\nThanks",
            "metadata:data:text/plain;base64,Ym9iQGIuZXhhbXBsZQ==",
        ] {
            assert_eq!(texts(text), ["bob@b.example"], "{text}");
        }
        let two = "data:;base64,YQ== data:;base64,Yg==";
        assert_eq!(texts(two), ["a", "b"]);
        for none in [
            ";base64,Ym9i",
            "data: see ;base64,Ym9i",
            "data:image/png;base64,iVBORw0KGgo=",
            "data:text/plain;base64,",
            "ä,",
        ] {
            assert_eq!(texts(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn an_edit_that_reaches_beyond_a_file_counts_and_one_within_does_not() {
        let edit = |start, end, text: &str| Edit {
            start,
            end,
            text: text.to_owned(),
        };
        let file = || vec![edit(10, 20, "file")];
        let apart = vec![edit(0, 10, "a"), edit(20, 25, "b")];
        assert_eq!(merged(apart, file()).len(), 3);
        let within = vec![edit(0, 5, "a"), edit(12, 15, "b"), edit(18, 20, "c")];
        assert_eq!(
            merged(within, file()),
            [edit(0, 5, "a"), edit(10, 20, "file")]
        );
        let beyond = vec![edit(5, 20, "a")];
        assert_eq!(merged(beyond.clone(), file()), beyond);
        assert_eq!(merged(Vec::new(), file()), file());
    }
}
