//! The vocabulary in which the tables of the three formats are written.

/// How a value is read.
///
/// A list is read as its elements, each by the same rule, so the tables don't speak of lists.
#[derive(Debug)]
pub(super) enum Rule {
    /// A setting: a word of the format, or an object in which what is no setting is masked. Replies
    /// restore what is there.
    Leave,
    /// An id, a name or a URL: a string stays as sent, anything else is not known.
    Id,
    /// Signed, or a credential: byte for byte, in both directions.
    Opaque,
    /// A file in base64: read when it is text, else left and counted (R8). `true`: what is no base64
    /// is text.
    Media { or_text: bool },
    /// Encrypted by the provider: left and counted.
    Sealed,
    /// Text.
    Text,
    /// Text that the model wrote as its answer.
    Answer,
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
    /// An object whose members are known.
    Object(&'static Object),
    /// Not known: every string is text, but for what can only be opaque (R2).
    Unknown,
    /// JSON of no known format.
    Generic,
    /// JSON where a text or a part belongs: data, but for base64 media.
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
    /// How other members are read. [`Rule::Leave`] reads them as members of settings.
    pub(super) others: Rule,
    /// How a plain string in place of the object is read.
    pub(super) bare: Rule,
}

/// The further members of an object under some values of its `type`.
#[derive(Debug)]
pub(super) enum Type {
    /// Other members are not known.
    Masked(&'static [&'static str], Members),
    /// Other members are settings.
    Settings(&'static [&'static str], Members),
}

impl Type {
    pub(super) fn is_named(&self, name: &str) -> bool {
        let (Self::Masked(names, _) | Self::Settings(names, _)) = self;
        names.contains(&name)
    }

    pub(super) fn members(&self) -> Members {
        let (Self::Masked(_, members) | Self::Settings(_, members)) = self;
        members
    }

    pub(super) fn others(&self) -> &'static Rule {
        match self {
            Self::Masked(..) => &Rule::Unknown,
            Self::Settings(..) => &Rule::Leave,
        }
    }
}

/// An image or audio.
pub(super) const MEDIA: Rule = Rule::Media { or_text: false };
/// A file, which some clients send as plain text.
pub(super) const FILE: Rule = Rule::Media { or_text: true };

pub(super) type Members = &'static [(&'static str, Rule)];

impl Object {
    /// An object in a masked part: what is not known is masked (R2).
    pub(super) const MASKED: Self = Self {
        members: &[],
        types: &[],
        untyped: "",
        others: Rule::Unknown,
        bare: Rule::Text,
    };

    /// An object of settings.
    pub(super) const SETTINGS: Self = Self {
        others: Rule::Leave,
        bare: Rule::Leave,
        ..Self::MASKED
    };
}

pub(super) fn find(members: Members, name: &str) -> Option<&'static Rule> {
    members
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, rule)| rule)
}
