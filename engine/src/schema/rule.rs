//! The vocabulary of the format tables.

use super::settings::Places;

/// How a value is read.
///
/// A list is read as its elements, each by the same rule, so the tables don't speak of lists.
#[derive(Debug)]
pub(super) enum Rule {
    /// Settings: a word of the format, or an object in which everything at other places is masked.
    /// Replies restore what is there.
    Settings(Places),
    /// An id, a name or another URL: a string stays as sent, anything else is not known.
    Id,
    /// A URL that the provider fetches, or a file in its place.
    Url,
    /// A credential, or a report of the provider: byte for byte, in both directions.
    Opaque,
    /// A file in base64: read if it is text, otherwise left and counted (R8). Anything that is not
    /// base64 is text.
    File,
    /// Encrypted by the provider: left and counted. Anything that can't be encrypted content is
    /// text.
    Sealed,
    /// A signature by the provider: left. Anything that can't be one is text.
    Signature,
    /// Text.
    Text,
    /// Text that the model wrote as its answer.
    Answer,
    /// Arguments of a call that are not JSON.
    Input,
    /// Text that streams deliver in pieces.
    Prose,
    /// Text that returns as it was while its signature, the member of this name, is known (R6).
    Signed(&'static str),
    /// The arguments of a call: JSON in a string, or the JSON itself.
    Arguments,
    /// Any JSON: every string is text, and so is every member name.
    Any,
    /// A JSON Schema (R4).
    Schema,
    /// An object of names that the client chose, each value read by a rule.
    Each(&'static Rule),
    /// An object with known members.
    Object(&'static Object),
    /// Unknown: every string is text, except what can only be opaque (R2).
    Unknown,
    /// JSON of no known format.
    Generic,
    /// JSON in place of a text or a part: data, except base64 media.
    Shapeless,
}

/// The known members of an object.
#[derive(Debug)]
pub(super) struct Object {
    /// The members whatever the type.
    pub(super) members: Members,
    /// The members of each type. A type that is not here has only those above.
    pub(super) types: &'static [Type],
    /// The type of an object without one.
    pub(super) untyped: &'static str,
    /// How other members are read. [`Rule::Settings`] reads them as members of settings.
    pub(super) others: Rule,
    /// How a plain string in place of the object is read.
    pub(super) bare: Rule,
}

/// The further members of an object under these values of its `type`.
#[derive(Debug)]
pub(super) struct Type(pub(super) &'static [&'static str], pub(super) Members);

pub(super) type Members = &'static [(&'static str, Rule)];

impl Object {
    /// An object in a masked part: unknown members are masked (R2).
    pub(super) const MASKED: Self = Self {
        members: &[],
        types: &[],
        untyped: "",
        others: Rule::Unknown,
        bare: Rule::Text,
    };

    /// An object of settings, which has none unless it says so.
    pub(super) const SETTINGS: Self = Self {
        others: Rule::Settings(&[]),
        ..Self::MASKED
    };
}

pub(super) fn find(members: Members, name: &str) -> Option<&'static Rule> {
    members
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, rule)| rule)
}
