//! What may begin at a literal that the scan finds.

/// What a literal may be the beginning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum Anchor {
    /// `://`
    Url,
    /// `-----BEGIN`, `---- BEGIN`
    Pem,
    /// `-----END`, of a block that may have lost its beginning.
    PemEnd,
    /// `Private-Lines:`, of a key of `PuTTY`.
    PuttyKey,
    /// `-----BEGIN` in Base64.
    EncodedPem,
    /// `"kty`, of a JSON web key.
    WebKey,
    /// `eyJ`
    Jwt,
    /// `kind: Secret`, of a manifest of Kubernetes.
    Manifest,
    /// `bearer` or `basic`, of an authorization.
    Scheme,
    /// The name of the header.
    Authorization,
    /// A command with passwords in its arguments; index into `forms::COMMANDS`.
    Command(u16),
    /// The port of a line in `.pgpass`, or any.
    Port,
    /// A call with a password argument; index into `forms::CALLS`.
    Call(u16),
    /// The host of a data source name.
    DataSource,
    /// Part of the name of a column of personal numbers.
    Header,
    /// A word that names a value next to it; index into `ids::WORDS`.
    Word(u16),
    /// A word for streets; index into `address::STREETS`.
    Street(u16),
    /// The name of a field with a part of an address, or of several.
    Field,
    /// A sign of Chinese and Japanese addresses.
    AddressSign,
    /// The beginning of a segment of HL7 that names a person.
    Segment,
    /// A title in small letters.
    Title,
    /// A word for the code of a bank.
    Bank,
    /// `<<<<`, in the lines of a passport that machines read.
    Zone,
    /// Part of a name that secrets are assigned to; index into `lexicon::name::STEMS`.
    Name(u16),
    /// What people say before a password or code; index into `assigned::PHRASES`.
    Phrase(u16),
    /// An anchor of a vendor rule.
    Vendor { rule: u16, anchor: u16 },
}
