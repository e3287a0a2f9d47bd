//! Forms of several parts (`multipart/form-data`, RFC 7578), read as if they were JSON.
//!
//! Their texts become the members of one object, so that the rules for JSON apply to them too: names of
//! values, settings, history. What was masked there is put back into its part; every other byte stays.

mod parts;

use std::borrow::Cow;
use std::ops::Range;

use crate::Error;
use crate::json::{Tape, escape_into};
use crate::schema::coverage::{Coverage, Unread};
use crate::schema::encoded::{Charset, is_text};

use parts::{Part, Quoted};

pub(crate) use parts::boundary;

/// A body, and where its texts are.
pub(crate) struct Multipart {
    bytes: Vec<u8>,
    texts: Vec<Text>,
    /// What can't be read.
    pub(crate) unread: Coverage,
}

/// A text of a part.
struct Text {
    /// Where the part's name is; none if the text is no content of a part.
    name: Option<Quoted>,
    range: Range<usize>,
    charset: Charset,
    /// Where its length is stated, as some clients do.
    length: Option<Range<usize>>,
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
    /// [`Error::NotAForm`] if the parts are ambiguous; [`Error::NotUtf8`] if a field is not text.
    pub(crate) fn read(bytes: Vec<u8>, boundary: &str) -> Result<(Self, String), Error> {
        let parts = parts::read(&bytes, boundary).ok_or(Error::NotAForm)?;
        let mut form = Self {
            bytes,
            texts: Vec::with_capacity(parts.len()),
            unread: Coverage::default(),
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
        let texts = Vec::new();
        let form = Self {
            bytes,
            texts,
            unread,
        };
        (form, "{}".to_owned())
    }

    /// The bytes as they came.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn add(&mut self, part: Part, object: &mut String) -> Result<(), Error> {
        for range in part.others {
            self.add_text(Text::of_header(range), false, object)?;
        }
        let content = self.bytes.get(part.content.clone()).unwrap_or_default();
        let charset = Charset::of(content);
        let text = charset.read(Cow::Borrowed(content));
        if text.is_some_and(|text| is_text(&text)) {
            let text = Text {
                name: part.name,
                range: part.content,
                charset,
                length: part.length,
            };
            return self.add_text(text, part.is_file, object);
        }
        if !part.is_file {
            return Err(Error::NotUtf8);
        }
        self.unread.leave(if part.is_image {
            Unread::Image
        } else {
            Unread::File
        });
        part.name.map_or(Ok(()), |name| {
            self.add_text(Text::of_header(name.range), false, object)
        })
    }

    fn add_text(&mut self, text: Text, is_file: bool, object: &mut String) -> Result<(), Error> {
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let key = text.name.as_ref().map(|name| bytes(&name.range));
        let key = std::str::from_utf8(key.unwrap_or_default()).map_err(|_| Error::NotUtf8)?;
        let content = text.charset.read(Cow::Borrowed(bytes(&text.range)));
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
                let bytes = text.charset.write(new.text().into_owned());
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
    const fn of_header(range: Range<usize>) -> Self {
        Self {
            name: None,
            range,
            charset: Charset::Utf8,
            length: None,
        }
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
