//! Files within a text: as `data:` URLs in prose, HTML, Markdown, style sheets, and as bare base64.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr3;
use memchr::memmem::Finder;

use super::layout::{Frame, line_end_at};
use super::{Content, EncodedText, LONGEST_HEAD, MARK, SCHEME, read_in};
use crate::json::Edit;

/// Shorter base64 without a URL is a word: what names and paths decode to may be text by chance.
const SHORTEST: usize = 40;

/// What a longer word begins with is no prefix of base64.
const LONGEST_PREFIX: usize = 64;

/// The longest end of a code in front of base64: `u003d`.
const LONGEST_CODE: usize = 6;

static MARK_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("64,"));

/// What `<MASK_` is in base64, at each place of three bytes: what was long enough may be shorter once it is masked.
static TOKENS: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["PE1BU0tf", "xNQVNLX", "8TUFTS1"].map(Finder::new));

/// A file and where it begins in the text, its URL with it.
pub(crate) struct Embedded {
    pub(crate) start: usize,
    pub(crate) file: EncodedText,
}

impl Embedded {
    /// All of it, its URL with it.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    fn end(&self) -> usize {
        self.start + self.file.payload.end
    }

    /// The file that goes from one place of the text to the first of the others that it may end at.
    fn read(text: &str, start: usize, ends: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut ends = ends.into_iter();
        let frame = Frame::of(text, start);
        ends.find_map(|end| match read_in(text.get(start..end)?, frame) {
            Content::Text(file) => Some(Self { start, file }),
            Content::Binary | Content::Plain => None,
        })
    }
}

/// Whether a text may hold files: has base64 that is long enough for a bare one, or the head of a URL.
fn may_embed(text: &[u8]) -> bool {
    next_long(text, 0).is_some() || MARK_END.find(text).is_some()
}

/// The same of the text of a reply, where base64 of a token may be shorter.
pub(crate) fn may_embed_token(text: &[u8]) -> bool {
    // All that is looked for in a short text has one of these.
    if text.len() < SHORTEST && memchr3(b',', b'U', b'V', text).is_none() {
        return false;
    }
    may_embed(text) || TOKENS.iter().any(|token| token.find(text).is_some())
}

/// The text files that stand in the text of a reply, in order.
pub(crate) fn embedded_with_tokens(text: &str) -> Vec<Embedded> {
    let mut found = embedded(text);
    let known = found.len();
    let tokens = TOKENS.iter();
    let places = tokens.flat_map(|token| token.find_iter(text.as_bytes()));
    let mut places: Vec<_> = places.collect();
    places.sort_unstable();
    let mut read_to = 0;
    for at in places {
        let before = found.get(..known).unwrap_or_default();
        let before = before.partition_point(|file| file.start <= at);
        let last = before.checked_sub(1).and_then(|last| found.get(last));
        if at < read_to || last.is_some_and(|file| at < file.end()) {
            continue;
        }
        let before = text.as_bytes().get(read_to..at).unwrap_or_default();
        let start = behind_escape(text, at - letters_at_end(before));
        read_to = end_of_word(text, start, is_of_base64);
        let mut starts = std::iter::once(start).chain(behind_signs(text, start..read_to));
        found.extend(starts.find_map(|start| Embedded::read(text, start, [read_to])));
    }
    found.sort_by_key(|found| found.start);
    found
}

/// The text files that stand in a text, in order.
pub(crate) fn embedded(text: &str) -> Vec<Embedded> {
    let urls = in_urls(text);
    let Some(mut from) = next_long(text.as_bytes(), 0) else {
        return urls;
    };
    let mut found = Vec::new();
    for url in urls {
        add_bare(text.get(..url.start).unwrap_or_default(), from, &mut found);
        from = url.end();
        found.push(url);
    }
    add_bare(text, from, &mut found);
    found
}

/// Those in `data:` URLs.
fn in_urls(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    // The end of the mark is the same in both cases, and rarer than its comma.
    let ends = MARK_END.find_iter(text.as_bytes());
    let commas = ends.map(|end| end + MARK_END.needle().len() - 1);
    let mut read_to = 0;
    for comma in commas.filter(|comma| is_mark(text, *comma)) {
        let payload = comma + 1;
        let Some(start) = url_start(text, read_to..payload) else {
            continue;
        };
        let word = end_of_word(text, payload, is_of_payload);
        let ends = wrapped_ends(text, payload, is_of_payload);
        let ends = ends.into_iter().chain([word]);
        if let Some(file) = Embedded::read(text, start, ends) {
            read_to = file.end();
            found.push(file);
        }
    }
    found
}

/// Adds those in bare base64 from a place on: the content of a file as an interface tells it, a value of a configuration.
fn add_bare(text: &str, from: usize, found: &mut Vec<Embedded>) {
    let (mut read_to, mut wrapped_to) = (from, from);
    while let Some(start) = next_long(text.as_bytes(), read_to) {
        let start = behind_escape(text, start);
        let word = end_of_word(text, start, is_of_base64);
        // Lines that are no file together are looked at one by one.
        let is_new = start >= wrapped_to;
        let starts = std::iter::once(start).chain(behind_signs(text, start..word));
        let mut starts = starts.chain(behind_code(text, start..word));
        let file = starts.find_map(|start| {
            let wrapped = is_new.then(|| wrapped_ends(text, start, is_of_base64));
            wrapped_to = wrapped.map_or(wrapped_to, |[end, _]| wrapped_to.max(end));
            // No base64 has this length: its end was cut off.
            let is_cut = (word - start) % 4 == 1;
            let ends = wrapped.into_iter().flatten();
            let ends = ends.chain([word - usize::from(is_cut)]);
            let file = Embedded::read(text, start, ends);
            file.filter(|file| is_readable(file.file.text()))
        });
        read_to = file.as_ref().map_or(word, Embedded::end);
        found.extend(file);
    }
}

/// Where a text may begin in a word behind a sign, which may be no part of it: `+YWJj` in a diff, `basic-YWJj`, `v1/YWJj`.
fn behind_signs(text: &str, word: Range<usize>) -> impl Iterator<Item = usize> {
    let letters = text.as_bytes().get(word.clone()).unwrap_or_default();
    let first = word.start;
    let is_sign = |at: usize| {
        letters
            .get(at)
            .is_some_and(|byte| !byte.is_ascii_alphanumeric())
    };
    let places = 1..letters.len().min(LONGEST_PREFIX);
    let places = places.filter(move |at| is_sign(at - 1) && !is_sign(*at));
    places
        .map(move |at| first + at)
        .filter(move |at| begins_text(text, *at..word.end))
}

/// Where a text may begin in a word behind the end of a code that is no part of it, `\x1b[32mYWJj`, `%22YWJj`, or behind
/// what is left of four characters whose beginning was cut off.
fn behind_code(text: &str, word: Range<usize>) -> impl Iterator<Item = usize> {
    const SIGNS: [char; 6] = ['[', ';', '%', '\\', ']', '…'];
    let before = text
        .get(..word.start)
        .unwrap_or_default()
        .trim_end_matches(' ');
    let most = if before.ends_with(SIGNS) || before.ends_with("...") {
        LONGEST_CODE
    } else {
        0
    };
    let places = word.start + 1..word.end.min(word.start + most + 1);
    places.filter(move |at| begins_text(text, *at..word.end))
}

/// Whether base64 begins as a text, as others hardly ever do.
fn begins_text(text: &str, word: Range<usize>) -> bool {
    let whole = word.start + word.len() / 4 * 4;
    let beginning = text.get(word.start..whole.min(word.start + SHORTEST));
    let decoded = beginning.and_then(super::decoded_beginning);
    decoded.is_some_and(|text| is_readable(&text))
}

/// Where the next word of base64 begins, at or behind a place, that is long enough.
fn next_long(text: &[u8], from: usize) -> Option<usize> {
    // Whatever is long enough covers one of the places that are looked at.
    let places = (from + SHORTEST - 1..text.len()).step_by(SHORTEST);
    let words = places.filter(|at| text.get(*at).copied().is_some_and(is_of_base64));
    let mut starts = words.filter_map(|at| Some(at - letters_at_end(text.get(from..at)?)));
    starts.find(|start| {
        let word = text.get(*start..start + SHORTEST);
        word.is_some_and(|word| letters_at_end(word) == SHORTEST)
    })
}

/// Where a word begins, if it seems to begin with the letter of an escape: `\nYWJj`.
fn behind_escape(text: &str, start: usize) -> usize {
    let before = start
        .checked_sub(1)
        .and_then(|before| text.as_bytes().get(before..=start));
    let is_escape = matches!(before, Some([b'\\', b'n' | b'r' | b't']));
    start + usize::from(is_escape)
}

fn letters_at_end(text: &[u8]) -> usize {
    let letters = text.iter().rev().take_while(|byte| is_of_base64(**byte));
    letters.count()
}

/// Whether a text has only characters that texts have: bytes that are none hardly ever decode to such.
fn is_readable(text: &str) -> bool {
    const OF_TEXT: [char; 4] = ['\t', '\n', '\r', '\u{1b}'];
    !text.contains(|c: char| c.is_control() && !OF_TEXT.contains(&c))
}

/// The edits of a text together with those of the files in it. An edit of the text that covers a file
/// replaces it; one of a part of it would break it.
pub(crate) fn merged(edits: Vec<Edit>, of_files: Vec<Edit>) -> Vec<Edit> {
    let mut all: Vec<Edit> = Vec::with_capacity(edits.len() + of_files.len());
    let mut edits = edits.into_iter().peekable();
    for of_file in of_files {
        all.extend(std::iter::from_fn(|| {
            edits.next_if(|edit| edit.end <= of_file.start)
        }));
        let touching = std::iter::from_fn(|| edits.next_if(|edit| edit.start < of_file.end));
        let touching: Vec<_> = touching.collect();
        let is_part = |edit: &Edit| {
            let is_within = edit.start >= of_file.start && edit.end <= of_file.end;
            is_within && edit.end - edit.start < of_file.end - of_file.start
        };
        let is_free = all.last().is_none_or(|last| last.end <= of_file.start);
        if is_free && touching.iter().all(is_part) {
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

/// Where the URL whose head ends here begins.
fn url_start(text: &str, head: Range<usize>) -> Option<usize> {
    let earliest = head.start.max(head.end.saturating_sub(LONGEST_HEAD));
    let earliest = text.ceil_char_boundary(earliest);
    let head = text.get(earliest..head.end)?.to_ascii_lowercase();
    let start = head.rfind(SCHEME)?;
    let is_of_head = |byte: u8| byte.is_ascii_alphanumeric() || b":/;=.+-_\"',%".contains(&byte);
    let is_head = head.get(start..)?.bytes().all(is_of_head);
    is_head.then_some(earliest + start)
}

pub(crate) fn is_of_base64(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'+' | b'/' | b'-' | b'_')
}

/// In a URL, signs may be escaped.
fn is_of_payload(byte: u8) -> bool {
    is_of_base64(byte) || byte == b'%'
}

/// Where the base64 ends that begins here, its padding included.
fn end_of_word(text: &str, start: usize, is_letter: fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let letters = rest.iter().take_while(|byte| is_letter(**byte)).count();
    let padding = rest.iter().skip(letters).take_while(|byte| **byte == b'=');
    start + letters + padding.take(2).count()
}

/// The same if it continues on the next lines, which all have the length and the frame of the first, except that the
/// last may be shorter: where that one ends and, because it may be a word of the text, where the one before does.
fn wrapped_ends(text: &str, start: usize, is_letter: fn(u8) -> bool) -> [usize; 2] {
    let mut end = end_of_word(text, start, is_letter);
    let (width, mut before, mut indent) = (end - start, end, None);
    let frame = Frame::of(text, start);
    while let Some(line) = next_line(text, end, frame, is_letter) {
        let is_last = line.len() < width;
        let line_end = text.get(end..line.start).unwrap_or_default();
        let is_aligned =
            !frame.is_indent() || *indent.get_or_insert(indent_of(line_end)) == indent_of(line_end);
        let is_whole =
            is_padded(text, line.end) || line.len().is_multiple_of(4) || ends_line(text, line.end);
        if is_padded(text, end) || line.len() > width || !is_aligned || !is_whole {
            break;
        }
        (before, end) = (end, line.end);
        if is_last {
            break;
        }
    }
    [end, before]
}

/// The base64 that begins the next line.
fn next_line(
    text: &str,
    end: usize,
    frame: Frame<'_>,
    is_letter: fn(u8) -> bool,
) -> Option<Range<usize>> {
    let line_end = line_end_at(text.get(end..)?, frame);
    let start = end + line_end;
    let line = start..end_of_word(text, start, is_letter);
    (line_end > 0 && !line.is_empty()).then_some(line)
}

fn is_padded(text: &str, end: usize) -> bool {
    text.get(..end).is_some_and(|text| text.ends_with('='))
}

fn indent_of(line_end: &str) -> &str {
    let without = line_end.trim_end_matches([' ', '\t']);
    line_end.get(without.len()..).unwrap_or_default()
}

/// Whether nothing follows on a line but what closes a string or an element.
fn ends_line(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.is_empty()
        || rest.starts_with(['"', '\'', '`', '<', ')', ']', '}'])
        || line_end_at(rest, Frame::default()) > 0
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let files = embedded(text).into_iter();
        files.map(|found| found.file.text().to_owned()).collect()
    }

    #[test]
    fn every_search_marker_passes_the_quick_check() {
        for sought in TOKENS.iter().chain([&*MARK_END]) {
            assert!(may_embed_token(sought.needle()), "{:?}", sought.needle());
        }
    }

    /// Base64 was read from the last letter of a colour on, and so not at all.
    #[test]
    fn base64_is_read_after_an_escape_code() {
        let plain = "DB_PASSWORD=hunter2-Kx9Zq1\nmail alice.archer@example.com today\n";
        let word = STANDARD.encode(plain);
        for code in [
            "\u{1b}[32m",
            "\u{1b}[1;33m",
            "\\033[32m",
            "\\u001b[36m",
            "%22",
            "%3A",
            "\\u003d",
        ] {
            assert_eq!(texts(&format!("{code}{word}\u{1b}[0m")), [plain], "{code}");
        }
        for cut in 1..4 {
            let begun = texts(&format!("{}...", &word[..word.len() - 4 - cut]));
            assert!(begun[0].contains("alice.archer@example.com"), "{cut}");
            let rest = texts(&format!("[{cut} characters truncated] {}", &word[cut..]));
            assert!(rest[0].contains("alice.archer@example.com"), "{cut}");
        }
    }

    /// Only what ends with a line of its own was read.
    #[test]
    fn base64_is_read_across_framed_lines() {
        let plain = "x x x x x x x x x x x x x x the customer alice.archer@example.com thanks a lot and goodbye for now dear friend of the house";
        let word = STANDARD.encode(plain);
        for frames in [
            ["    12\t", "    13\t", "    14\t"],
            ["  9→", " 10→", " 11→"],
            ["a/b.eml:9:", "a/b.eml:10:", "a/b.eml:11:"],
            ["> "; 3],
            ["+"; 3],
            ["-    "; 3],
            ["# "; 3],
            ["// "; 3],
            [" * "; 3],
            ["| "; 3],
        ] {
            let lines = word.as_bytes().chunks(76).zip(frames);
            let lines =
                lines.map(|(line, frame)| format!("{frame}{}\n", str::from_utf8(line).unwrap()));
            let text: String = lines.collect();
            assert_eq!(texts(&text), [plain], "{text}");
            let file = &embedded(&text)[0];
            let address = plain.find("alice").unwrap();
            let edit = |start, end, text: &str| Edit {
                start,
                end,
                text: text.to_owned(),
            };
            let edits = [edit(
                address,
                address + "alice.archer@example.com".len(),
                "<MASK_EMAIL_1>",
            )];
            let rewritten = file.file.rewritten(&edits).unwrap();
            let masked = format!("{}{}\n", &text[..file.start], rewritten.text);
            assert_eq!(
                texts(&masked),
                [plain.replace("alice.archer@example.com", "<MASK_EMAIL_1>")]
            );
        }
    }

    /// Only a URL that was the whole of a text was read.
    #[test]
    fn a_data_url_is_read_anywhere_in_a_text() {
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

    fn encoded(text: &str) -> String {
        STANDARD.encode(text)
    }

    /// A mail in the content of a file, as interfaces of repositories tell it, went to the provider.
    #[test]
    fn bare_base64_of_a_text_is_read() {
        let plain = "to alice@example.com,\r\n\tsays \u{1b}[1mzoë\u{1b}[0m, and so on";
        let word = encoded(plain);
        let lines: Vec<_> = word.as_bytes().chunks(60).collect();
        let lines = lines.join(&b"\n"[..]);
        let lines = String::from_utf8(lines).unwrap();
        for text in [
            word.clone(),
            format!("decode this: {word}"),
            format!("config={word}, please"),
            format!("{lines}\n"),
            format!("a:\n{lines}\nb"),
            format!("mail: |\n    {}\nto: b", lines.replace('\n', "\n    ")),
            format!("mail: |\n    {}\n    to: b", lines.replace('\n', "\n    ")),
            format!("a:\n{lines}\nThanks, Bob"),
            format!("a:\n{lines}, please"),
            format!("a:\\n{word}"),
            format!("{{\"a\": \"\\r\\n{}\\n\"}}", lines.replace('\n', "\\r\\n")),
            format!("{{\"mail\": \"{}\\n\"}}", lines.replace('\n', "\\n")),
            format!("'{}'", lines.replace('\n', "\\\\r\\\\n")),
            format!("@@ -1 +1 @@\n-old\n+{word}\n"),
            format!("-{word}\n+new"),
            format!("--{word}"),
            format!("x+{word}"),
            format!("Authorization: basic-{word}"),
            format!("https://files.example/v1/of/{word}"),
            format!("blob_{}", word.replace('+', "-").replace('/', "_")),
            word.trim_end_matches('=').to_owned(),
            word.replace('+', "-").replace('/', "_"),
        ] {
            assert_eq!(texts(&text), [plain], "{text}");
        }
        let url = format!("data:text/plain;base64,{word}");
        assert_eq!(texts(&format!("{word} {url} {word}")), [plain; 3]);
        // Each line for itself.
        assert_eq!(texts(&format!("{word}\n{word}")), [plain; 2]);
    }

    #[test]
    fn strings_that_do_not_decode_to_text_are_ignored() {
        let short = encoded("to a@b.example");
        let bytes = STANDARD.encode([1_u8; 60]);
        for none in [
            &*short,
            &bytes,
            "/usr/local/lib/python3/site-packages/requests/adapters",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "internationalizationAndLocalizationOfEverything",
            &"A".repeat(100),
        ] {
            assert_eq!(texts(none), [""; 0], "{none}");
        }
        let length = 400_000;
        let line = format!(
            "{}\n",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf"
                .get(..60)
                .unwrap()
        );
        assert_eq!(texts(&line.repeat(length / line.len())), [""; 0]);
    }

    #[test]
    fn the_wider_of_two_overlapping_edits_wins() {
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
        // It was found as a whole: what the file says is less.
        let whole = vec![edit(10, 20, "a")];
        assert_eq!(merged(whole.clone(), file()), whole);
        assert_eq!(merged(Vec::new(), file()), file());
    }
}
