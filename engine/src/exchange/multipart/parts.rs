//! Finds the parts of a form. A body that a server could split differently is not accepted.

use std::ops::Range;

use memchr::memmem::Finder;

/// A part.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) name: Option<Quoted>,
    pub(super) content: Range<usize>,
    /// It has a file's name, or a type that no field has.
    pub(super) is_file: bool,
    pub(super) is_image: bool,
    /// It has a type of texts, with an encoding.
    pub(super) is_text: bool,
    /// The encoding that the type names.
    pub(super) charset: Option<String>,
    /// Where the length of the content is stated.
    pub(super) length: Option<Range<usize>>,
    /// Names of files, and values of headers and parameters that no form needs.
    pub(super) others: Vec<Other>,
}

/// A value in the head of a part.
#[derive(Debug)]
pub(super) enum Other {
    Plain(Range<usize>),
    /// With an encoding, a language, and percent escapes (RFC 8187).
    Extended(Range<usize>),
}

/// A place of a word that may stand in quotes, without them.
#[derive(Debug)]
pub(super) struct Quoted {
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
}

/// The boundary of a form by its content type; `None` if it is of another type.
pub(crate) fn boundary(content_type: &str) -> Option<&str> {
    const FORM: &str = "multipart/form-data";
    let (media, parameters) = content_type.split_once(';')?;
    if !media.trim().eq_ignore_ascii_case(FORM) {
        return None;
    }
    let mut named = parameters.split(';').filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("boundary")
            .then(|| value.trim())
    });
    let boundary = named.next()?;
    let unquoted = boundary
        .strip_prefix('"')
        .and_then(|boundary| boundary.strip_suffix('"'));
    let boundary = unquoted.unwrap_or(boundary);
    let is_certain = named.next().is_none() && !boundary.is_empty() && boundary.len() <= 200;
    is_certain.then_some(boundary)
}

/// The parts of a body; `None` if it is no form.
pub(super) fn read(bytes: &[u8], boundary: &str) -> Option<Vec<Part>> {
    let delimiter = format!("\r\n--{boundary}");
    let finder = Finder::new(&delimiter);
    // The line end before the first one may be missing.
    let first = delimiter.trim_start();
    let start = if bytes.starts_with(first.as_bytes()) {
        first.len()
    } else {
        bytes
            .starts_with(delimiter.as_bytes())
            .then_some(delimiter.len())?
    };
    let mut parts = Vec::new();
    let mut at = start;
    loop {
        let rest = bytes.get(at..)?;
        if let Some(end) = rest.strip_prefix(b"--") {
            return end.trim_ascii().is_empty().then_some(parts);
        }
        let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let padding = padding.count();
        at += padding;
        rest.get(padding..)?.strip_prefix(b"\r\n")?;
        let from = at + 2;
        // A part without headers begins with an empty line.
        let end = from + finder.find(bytes.get(from..)?)?;
        parts.push(part(bytes, from..end)?);
        at = end + delimiter.len();
    }
}

fn part(bytes: &[u8], range: Range<usize>) -> Option<Part> {
    const END: &[u8] = b"\r\n\r\n";
    let text = bytes.get(range.clone())?;
    let mut part = Part::default();
    if text.starts_with(b"\r\n") {
        part.content = range.start + 2..range.end;
        return Some(part);
    }
    let head = memchr::memmem::find(text, END)?;
    part.content = range.start + head + END.len()..range.end;
    let head = std::str::from_utf8(text.get(..head)?).ok()?;
    let mut start = range.start;
    for line in head.split("\r\n") {
        part.add_header(line, start)?;
        start += line.len() + 2;
    }
    Some(part)
}

impl Part {
    /// Adds a header line that stands at a place; `None` if it is malformed, or says that the content is encoded.
    fn add_header(&mut self, line: &str, start: usize) -> Option<()> {
        let (name, value) = line.split_once(':')?;
        let is_plain = |byte: u8| byte.is_ascii_graphic();
        if name.is_empty() || !name.bytes().all(is_plain) || value.contains(['\r', '\n']) {
            return None;
        }
        let trimmed = value.trim_ascii_start();
        let value_start = start + line.len() - trimmed.len();
        let value = trimmed.trim_ascii_end();
        let place = value_start..value_start + value.len();
        match name.to_ascii_lowercase().as_str() {
            "content-disposition" if self.name.is_none() => {
                self.add_disposition(value, value_start)?;
            }
            "content-type" => {
                self.add_type(value)?;
                let parameters = value.find(';').map(|at| value_start + at..place.end);
                self.others.extend(parameters.map(Other::Plain));
            }
            "content-length" => self.length = Some(place),
            "content-transfer-encoding" => {
                const PLAIN: [&str; 3] = ["7bit", "8bit", "binary"];
                let mut plain = PLAIN.iter();
                plain.find(|plain| value.eq_ignore_ascii_case(plain))?;
            }
            _ => self.others.push(Other::Plain(place)),
        }
        Some(())
    }

    fn add_type(&mut self, value: &str) -> Option<()> {
        let (media, parameters) = value.split_once(';').unwrap_or((value, ""));
        let media = media.trim().to_ascii_lowercase();
        self.is_image |= media.starts_with("image/");
        self.is_file |= media != "text/plain";
        let mut parameters = parameters.split(';').filter_map(|it| it.split_once('='));
        let charset = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
        self.charset = charset.map(|(_, charset)| charset.trim().trim_matches('"').to_owned());
        let has_text =
            media.starts_with("text/") || media.ends_with("json") || media.ends_with("xml");
        self.is_text = has_text && self.charset.is_some();
        (!media.starts_with("multipart/")).then_some(())
    }

    fn add_disposition(&mut self, value: &str, start: usize) -> Option<()> {
        let (kind, mut rest) = value.split_once(';')?;
        if !kind.trim().eq_ignore_ascii_case("form-data") {
            return None;
        }
        while !rest.trim_ascii().is_empty() {
            let (parameter, after) = rest.split_once('=')?;
            let at = start + value.len() - after.len();
            let (quoted, length) = word(after, at)?;
            match parameter.trim().to_ascii_lowercase().as_str() {
                "name" if self.name.is_some() => return None,
                "name" => self.name = Some(quoted),
                "filename" => {
                    self.is_file = true;
                    let name = without_extension(after, at, quoted.range);
                    self.others.push(Other::Plain(name));
                }
                "filename*" => {
                    self.is_file = true;
                    let name = without_extension(after, at, quoted.range);
                    self.others.push(Other::Extended(name));
                }
                _ => self.others.push(Other::Plain(quoted.range)),
            }
            rest = after.get(length..)?.trim_ascii_start();
            rest = match rest.strip_prefix(';') {
                Some(rest) => rest,
                None if rest.is_empty() => rest,
                None => return None,
            };
        }
        Some(())
    }
}

/// The place of a file's name without its extension, behind which an address does not end. The text is at a place, too.
fn without_extension(text: &str, at: usize, name: Range<usize>) -> Range<usize> {
    let end = name.end - at;
    let extension = text.get(..end).and_then(|name| name.rsplit_once('.'));
    let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase());
    let known = extension.filter(|it| EXTENSIONS.binary_search(&it.as_str()).is_ok());
    name.start..name.end - known.map_or(0, |extension| extension.len() + 1)
}

/// The extensions of files that are no names of domains, sorted.
const EXTENSIONS: [&str; 44] = [
    "bin", "bmp", "csv", "doc", "docx", "eml", "flac", "gif", "gz", "heic", "htm", "html", "jpeg",
    "jpg", "json", "jsonl", "log", "m4a", "md", "mp3", "mp4", "mpeg", "mpga", "msg", "odt", "ogg",
    "opus", "parquet", "pdf", "png", "ppt", "pptx", "rtf", "svg", "tif", "tiff", "txt", "wav",
    "webm", "webp", "xls", "xlsx", "xml", "zip",
];

/// The word that a text at a place begins with, and its length with its quotes.
fn word(text: &str, at: usize) -> Option<(Quoted, usize)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let length = text.find(';').unwrap_or(text.len());
        let length = text.get(..length)?.trim_ascii_end().len();
        let range = at..at + length;
        let word = Quoted {
            range,
            is_quoted: false,
        };
        return Some((word, length));
    };
    let mut is_escaped = false;
    let end = quoted.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let range = at + 1..at + 1 + end;
    let word = Quoted {
        range,
        is_quoted: true,
    };
    Some((word, end + 2))
}
