//! The literals that a scan searches for, and what each one means.

use super::grams::{Grams, Literal};
use super::shapes::{address, ids};
use super::types::Types;
use super::{assigned, call, forms, manifest, table, vendor};
use crate::EntityType;

/// What a literal may be the beginning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
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
    /// A command with passwords in its arguments; index into [`forms::COMMANDS`].
    Command(u16),
    /// The port of a line in `.pgpass`, or any.
    Port,
    /// A call with a password argument; index into [`forms::CALLS`].
    Call(u16),
    /// The host of a data source name.
    DataSource,
    /// Part of the name of a column of personal numbers.
    Header,
    /// A word that names a value next to it; index into [`ids::WORDS`].
    Word(u16),
    /// A word for streets; index into [`address::STREETS`].
    Street(u16),
    /// A sign of Chinese and Japanese addresses.
    AddressSign,
    /// A word for the code of a bank.
    Bank,
    /// `<<<<`, in the lines of a passport that machines read.
    Zone,
    /// Part of a name that secrets are assigned to; index into [`assigned::STEMS`].
    Name(u16),
    /// An anchor of a vendor rule.
    Vendor { rule: u16, anchor: u16 },
}

const LITERALS: &[(&str, Anchor)] = &[
    ("-----begin", Anchor::Pem),
    ("---- begin", Anchor::Pem),
    ("-----end", Anchor::PemEnd),
    ("---- end", Anchor::PemEnd),
    ("private-lines:", Anchor::PuttyKey),
    (":5432:", Anchor::Port),
    (":5433:", Anchor::Port),
    (":6432:", Anchor::Port),
    (":*:*:", Anchor::Port),
    ("bearer", Anchor::Scheme),
    ("basic", Anchor::Scheme),
    ("authorization", Anchor::Authorization),
    ("swift", Anchor::Bank),
    ("<<<<", Anchor::Zone),
];

const ALPHANUMERIC: u128 = 0x07FF_FFFE_07FF_FFFE_03FF_0000_0000_0000;
/// All of ASCII except lower-case letters, which would continue a word of three letters.
const NO_SMALL_LETTER: u128 = !0x07FF_FFFE_0000_0000_0000_0000_0000_0000;
const NO_LETTER: u128 = !0x07FF_FFFE_07FF_FFFE_0000_0000_0000_0000;

/// Every literal of the built-in detectors, including the words of types that are enabled.
pub(super) fn grams(types: Types) -> Grams {
    let any_case = LITERALS
        .iter()
        .map(|&(text, anchor)| Literal::any_case(text, anchor));
    let commands = (0..)
        .zip(forms::COMMANDS)
        .map(|(index, command)| Literal::any_case(command.literal, Anchor::Command(index)));
    let calls = (0..)
        .zip(forms::CALLS)
        .map(|(index, call)| Literal::any_case(call.opening, Anchor::Call(index)));
    let hosts = call::HOSTS
        .iter()
        .map(|text| Literal::exact(text, Anchor::DataSource));
    let manifests = manifest::KINDS
        .iter()
        .map(|text| Literal::exact(text, Anchor::Manifest));
    let headers = table::HEADERS
        .iter()
        .map(|text| Literal::any_case(text, Anchor::Header));
    let names = (0..)
        .zip(assigned::STEMS)
        .map(|(index, text)| Literal::any_case(text, Anchor::Name(index)));
    let words = (0..)
        .zip(ids::WORDS)
        .filter(move |(_, word)| types.hold(&word.entity))
        .map(|(index, word)| Literal {
            // A three-letter word must end after them.
            followers: if word.text.len() == 3 && word.text.is_ascii() {
                NO_SMALL_LETTER
            } else {
                u128::MAX
            },
            ..Literal::any_case(word.text, Anchor::Word(index))
        });
    let has_addresses = types.hold(&EntityType::ADDRESS);
    let streets = (0..)
        .zip(address::STREETS)
        .filter(move |_| has_addresses)
        .map(|(index, (text, _))| Literal {
            followers: if text.len() == 3 && text.starts_with(' ') {
                NO_LETTER
            } else {
                u128::MAX
            },
            ..Literal::exact(text, Anchor::Street(index))
        });
    let signs = address::SIGNS
        .iter()
        .filter(move |_| has_addresses)
        .map(|text| Literal::exact(text, Anchor::AddressSign));
    let exact = [
        Literal::exact("://", Anchor::Url),
        Literal::exact("\"kty", Anchor::WebKey),
        Literal::exact("'kty", Anchor::WebKey),
        Literal::exact("LS0tLS1CRUdJTi", Anchor::EncodedPem),
        Literal {
            followers: NO_SMALL_LETTER,
            begins_word: true,
            ..Literal::any_case("bic", Anchor::Bank)
        },
        Literal {
            followers: ALPHANUMERIC,
            begins_word: true,
            ..Literal::exact("eyJ", Anchor::Jwt)
        },
    ];
    let all = exact
        .into_iter()
        .chain(any_case)
        .chain(commands)
        .chain(calls)
        .chain(hosts)
        .chain(manifests)
        .chain(headers)
        .chain(names)
        .chain(words)
        .chain(streets)
        .chain(signs)
        .chain(vendor::literals());
    Grams::new(all)
}
