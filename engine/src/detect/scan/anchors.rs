//! The literals that a scan searches for, and what each one means.

use crate::EntityType;
use crate::detect::lexicon::name;
use crate::detect::names;
use crate::detect::scan::anchor::Anchor;
use crate::detect::scan::grams::{Grams, Literal};
use crate::detect::shapes::{address, hl7, ids, vendor};
use crate::detect::syntax::{assigned, call, forms, manifest};
use crate::detect::types::Types;

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
pub(in crate::detect) fn grams(types: Types) -> Grams {
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
    let headers = ids::HEADERS
        .iter()
        .map(|text| short_word(text, Literal::any_case(text, Anchor::Header)));
    let names = (0..)
        .zip(name::STEMS)
        .map(|(index, text)| Literal::any_case(text, Anchor::Name(index)));
    let phrases = (0..)
        .zip(assigned::PHRASES)
        .map(|(index, (text, _))| Literal {
            begins_word: true,
            ..Literal::any_case(text, Anchor::Phrase(index))
        });
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
    let titles = names::TITLES
        .iter()
        .filter(move |_| types.hold(&EntityType::PERSON))
        .map(|text| Literal {
            begins_word: true,
            ..Literal::exact(text, Anchor::Title)
        });
    let segments = hl7::STARTS
        .iter()
        .map(|text| Literal::exact(text, Anchor::Segment));
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
        .chain(phrases)
        .chain(words)
        .chain(of_addresses(types))
        .chain(titles)
        .chain(segments)
        .chain(of_vendors());
    Grams::new(all)
}

fn of_addresses(types: Types) -> impl Iterator<Item = Literal> {
    let streets = (0..)
        .zip(address::STREETS)
        .map(|(index, (text, _))| Literal {
            followers: if text.len() == 3 && text.starts_with(' ') {
                NO_LETTER
            } else {
                u128::MAX
            },
            ..Literal::exact(text, Anchor::Street(index))
        });
    let fields = address::FIELDS
        .iter()
        .map(|text| short_word(text, Literal::any_case(text, Anchor::Field)));
    let signs = address::SIGNS
        .iter()
        .map(|text| Literal::exact(text, Anchor::AddressSign));
    let all = streets.chain(fields).chain(signs);
    all.filter(move |_| types.hold(&EntityType::ADDRESS))
}

fn of_vendors() -> impl Iterator<Item = Literal> {
    vendor::anchors().map(|(rule, own, place, index)| Literal {
        text: own.text,
        nocase: rule.nocase,
        followers: *own.followers,
        begins_word: rule.begins_with(own)
            && own
                .text
                .starts_with(|first: char| first.is_ascii_alphanumeric()),
        anchor: Anchor::Vendor {
            rule: place,
            anchor: index,
        },
    })
}

/// A literal of three letters is a word by itself: others contain it.
fn short_word(text: &str, literal: Literal) -> Literal {
    if text.len() > 3 {
        return literal;
    }
    Literal {
        followers: NO_SMALL_LETTER,
        begins_word: true,
        ..literal
    }
}
