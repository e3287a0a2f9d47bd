//! Brands and organizations that are called like persons: `Morgan Stanley`, `Ericsson`.

use super::lists::{Lists, Marks};
use super::titles;
use super::token::hash_of;
use crate::detect::bytes;
use std::ops::Range;

/// Brands of two words that look like a first name and a surname, and that hardly anyone is called.
#[rustfmt::skip]
static WHOLE: bytes::Words = bytes::Words::of(&[
    "alfa romeo", "armani exchange", "asia pacific", "aston martin", "aurora serverless",
    "christian dior", "digital ocean", "dr pepper", "dr oetker",
    "earl grey", "elizabeth arden", "estée lauder", "freddie mac",
    "granny smith", "harley davidson", "hewlett packard",
    "hugo boss", "jack daniels", "jack wolfskin", "jim beam", "john deere",
    "johnnie walker", "johnny rockets", "julius meinl", "leroy merlin", "levi strauss", "little caesars",
    "louis vuitton", "massimo dutti", "max mara", "merrill lynch",
    "morgan stanley", "moulin rouge", "papa john", "pernod ricard", "petit bateau",
    "ray ban", "roche bobois", "rolls royce", "ruby tuesday", "sandy bridge",
    "stella artois", "tim hortons", "tom tailor",
    "ulla popken", "vacheron constantin", "victoria secret", "wells fargo",
    "yves saint laurent",
]);
/// Brands and organizations of one word that are surnames of few.
#[rustfmt::skip]
static SINGLE: bytes::Words = bytes::Words::of(&[
    "accenture", "adidas", "airbnb", "airbus", "aldi", "allianz", "audi", "barclays", "benfica", "boeing", "bosch", "breitling", "bugatti",
    "burberry", "capgemini", "caritas", "carrefour", "caterpillar", "chanel", "chrysler", "citroën", "commerzbank", "daimler", "danone",
    "decathlon", "deichmann", "deloitte", "edeka", "ericsson", "eroski", "gazprom", "givenchy", "greenpeace", "greggs", "gucci", "heineken",
    "hertz", "hyatt", "iberdrola", "infineon", "interpol", "junkers", "juventus", "kempinski", "lacoste", "lamborghini", "lego",
    "lidl", "lufthansa", "maersk", "marriott", "maserati", "mcdonalds", "mckinsey", "mercadona", "michelin", "miele", "motorola", "nestlé",
    "nivea", "novartis", "opel", "orlen", "oxfam", "peugeot", "pfizer", "philips", "porsche", "renault", "reuters", "rolex", "ryanair",
    "samsung", "sanofi", "siemens", "skoda", "škoda", "starbucks", "steinway", "tesla", "toyota", "unilever", "vaillant", "versace",
    "viessmann", "vodafone", "volvo", "vorwerk", "waitrose", "walmart", "wyndham",
]);
/// What Polish words end with.
const ENDINGS: [&str; 7] = ["a", "em", "ie", "iem", "owi", "u", "’s"];
/// A shorter brand with an ending is another word.
const SHORTEST: usize = 5;

/// Whether a name is that of a brand: no first name, and no title says that it is a person's.
pub(super) fn is_one(text: &str, name: Range<usize>, lists: Lists<'_>) -> bool {
    let own = text.get(name.clone()).unwrap_or_default();
    let own = own.strip_suffix("'s").unwrap_or(own);
    if own.contains(' ') {
        return WHOLE.hold(own.as_bytes());
    }
    let is_first = || lists.marks(hash_of(own)).has(Marks::FIRST);
    is_single(own) && !is_first() && !is_titled(text, name.start)
}

fn is_single(word: &str) -> bool {
    let stem = |ending: &&str| word.strip_suffix(*ending);
    let mut stems = ENDINGS
        .iter()
        .filter_map(stem)
        .filter(|stem| stem.len() >= SHORTEST);
    SINGLE.hold(word.as_bytes()) || stems.any(|stem| SINGLE.hold(stem.as_bytes()))
}

fn is_titled(text: &str, start: usize) -> bool {
    let lead = text.get(..start).unwrap_or_default();
    let lead = lead.trim_end_matches([' ', '.']);
    let word = lead.rsplit([' ', '\n', '\t', '"', '(']).next();
    word.is_some_and(titles::is_title)
}
