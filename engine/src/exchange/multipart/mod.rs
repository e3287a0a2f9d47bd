//! Forms of several parts (`multipart/form-data`, RFC 7578), read as if they were JSON.
//!
//! Their texts become the members of one object, so that the rules for JSON apply to them too: names of
//! values, settings, history. What was masked there is put back into its part; every other byte stays.

mod parts;

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::Error;
use crate::json::{Tape, escape_into};
use crate::schema::coverage::{Coverage, Unread};
use crate::schema::encoded::{Charset, is_any_text, is_text};

use parts::{Other, Part, Quoted};

pub(crate) use parts::boundary;

/// A body, and where its texts are.
pub(crate) struct Multipart {
    bytes: Vec<u8>,
    texts: Vec<Text>,
    /// What can't be read.
    pub(crate) unread: Coverage,
    is_file: bool,
}

/// A text of a part.
struct Text {
    /// Where the part's name is; none if the text is no content of a part.
    name: Option<Quoted>,
    range: Range<usize>,
    spelling: Spelling,
    /// Where its length is stated, as some clients do.
    length: Option<Range<usize>>,
}

/// How a text is written.
#[derive(Clone, Copy)]
enum Spelling {
    Plain(Charset),
    /// `UTF-8''` and percent escapes (RFC 8187).
    Extended,
}

/// A change of the bytes.
struct Change {
    range: Range<usize>,
    bytes: Vec<u8>,
}

/// How deep the object of the texts is.
const DEPTH: usize = 2;

/// The member of a file that has its text.
const CONTENT: &str = "content";

impl Multipart {
    /// Reads a body, and makes the object of its texts.
    ///
    /// # Errors
    /// [`Error::NotAForm`] if the parts are ambiguous; [`Error::NotUtf8`] if a field is not text, or text
    /// is in an encoding that is not read.
    pub(crate) fn read(bytes: Vec<u8>, boundary: &str) -> Result<(Self, String), Error> {
        let parts = parts::read(&bytes, boundary).ok_or(Error::NotAForm)?;
        let mut form = Self {
            bytes,
            texts: Vec::with_capacity(parts.len()),
            unread: Coverage::default(),
            is_file: false,
        };
        let mut object = String::from("{");
        for part in parts {
            form.add(part, &mut object)?;
        }
        object.push('}');
        Ok((form, object))
    }

    /// A body that is one file, which can't be read.
    pub(crate) fn of_file(bytes: Vec<u8>) -> (Self, String) {
        let mut unread = Coverage::default();
        unread.leave(Unread::File);
        let form = Self {
            bytes,
            texts: Vec::new(),
            unread,
            is_file: true,
        };
        (form, "{}".to_owned())
    }

    /// Whether the body is one file.
    pub(crate) const fn is_file(&self) -> bool {
        self.is_file
    }

    /// The bytes as they came.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn add(&mut self, part: Part, object: &mut String) -> Result<(), Error> {
        for other in part.others {
            self.add_text(Text::of_other(other), false, object)?;
        }
        let content = self.bytes.get(part.content.clone()).unwrap_or_default();
        let charset = charset_of(content, part.charset.as_deref());
        let text = charset.and_then(|charset| charset.read(Cow::Borrowed(content)));
        if let Some(charset) = charset
            && text.is_some_and(|text| is_text(&text))
        {
            let text = Text {
                name: part.name,
                range: part.content,
                spelling: Spelling::Plain(charset),
                length: part.length,
            };
            return self.add_text(text, part.is_file, object);
        }
        if !part.is_file || part.is_text || is_any_text(content) {
            return Err(Error::NotUtf8);
        }
        self.unread.leave(if part.is_image {
            Unread::Image
        } else {
            Unread::File
        });
        part.name.map_or(Ok(()), |name| {
            self.add_text(Text::of_other(Other::Plain(name.range)), false, object)
        })
    }

    fn add_text(&mut self, text: Text, is_file: bool, object: &mut String) -> Result<(), Error> {
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let key = text.name.as_ref().map(|name| bytes(&name.range));
        let key = std::str::from_utf8(key.unwrap_or_default()).map_err(|_| Error::NotUtf8)?;
        let content = text.spelling.read(bytes(&text.range));
        let content = content.ok_or(Error::NotUtf8)?;
        if !self.texts.is_empty() {
            object.push(',');
        }
        object.push('"');
        escape_into(object, key);
        object.push_str(if is_file {
            "\":{\"content\":\""
        } else {
            "\":\""
        });
        escape_into(object, &content);
        object.push_str(if is_file { "\"}" } else { "\"" });
        self.texts.push(text);
        Ok(())
    }

    /// The body with what differs between its object and the masked one.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] if the masked object is of another body.
    pub(crate) fn masked(&self, object: &str, masked: &str) -> Result<Vec<u8>, Error> {
        let scan = |text| Tape::scan(text, DEPTH).map_err(|_| Error::ScanFailed);
        let (before, after) = (scan(object)?, scan(masked)?);
        let (before, after) = (before.root(object), after.root(masked));
        if before.members().count() != after.members().count() {
            return Err(Error::ScanFailed);
        }
        let mut changes = Vec::new();
        let members = before.members().zip(after.members());
        for (text, ((old_name, old), (name, new))) in self.texts.iter().zip(members) {
            if let Some(quoted) = &text.name
                && old_name.raw() != name.raw()
            {
                changes.push(quoted.change(&name.text()));
            }
            if old.raw() != new.raw() {
                let new = new.member(CONTENT).unwrap_or(new);
                let bytes = text.spelling.write(new.text().into_owned());
                changes.extend(text.length.clone().map(|range| Change {
                    range,
                    bytes: bytes.len().to_string().into_bytes(),
                }));
                changes.push(Change {
                    range: text.range.clone(),
                    bytes,
                });
            }
        }
        Ok(self.changed(changes))
    }

    fn changed(&self, mut changes: Vec<Change>) -> Vec<u8> {
        changes.sort_by_key(|change| change.range.start);
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        for change in changes {
            let kept = self.bytes.get(copied..change.range.start);
            out.extend_from_slice(kept.unwrap_or_default());
            out.extend_from_slice(&change.bytes);
            copied = change.range.end;
        }
        out.extend_from_slice(self.bytes.get(copied..).unwrap_or_default());
        out
    }
}

impl Text {
    fn of_other(other: Other) -> Self {
        let (range, spelling) = match other {
            Other::Plain(range) => (range, Spelling::Plain(Charset::Utf8)),
            Other::Extended(range) => (range, Spelling::Extended),
        };
        Self {
            name: None,
            range,
            spelling,
            length: None,
        }
    }
}

impl Spelling {
    fn read(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        match self {
            Self::Plain(charset) => charset.read(Cow::Borrowed(bytes)),
            Self::Extended => {
                let mut parts = std::str::from_utf8(bytes).ok()?.splitn(3, '\'');
                let charset = Charset::named(parts.next()?)?;
                let value = parts.nth(1)?;
                charset.read(percent_decode_str(value).into())
            }
        }
    }

    fn write(self, text: String) -> Vec<u8> {
        match self {
            Self::Plain(charset) => charset.write(text),
            Self::Extended => {
                let value = utf8_percent_encode(&text, NON_ALPHANUMERIC);
                format!("UTF-8''{value}").into_bytes()
            }
        }
    }
}

/// The encoding of a part, by its beginning, its type, or its bytes; `None` if it is none that is read.
fn charset_of(content: &[u8], named: Option<&str>) -> Option<Charset> {
    match (Charset::of(content), named) {
        (Charset::Utf8, Some(name)) => {
            let is_utf8 = std::str::from_utf8(content).is_ok();
            Charset::named(name).or(is_utf8.then_some(Charset::Utf8))
        }
        _ => Some(Charset::guessed(content)),
    }
}

impl Quoted {
    /// Another name in its place.
    fn change(&self, name: &str) -> Change {
        let name = if self.is_quoted {
            name.to_owned()
        } else {
            format!("\"{name}\"")
        };
        Change {
            range: self.range.clone(),
            bytes: name.into_bytes(),
        }
    }
}
