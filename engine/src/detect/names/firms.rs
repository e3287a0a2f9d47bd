//! Firms and places that are named after persons: `Arthur Price Ltd`, `William Grant & Sons`, `Hotel Victoria`.

use crate::detect::bytes;
use std::ops::Range;

/// How firms say what they are, behind their name.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "& co", "& cie", "& fils", "& figli", "& hijos", "& partners", "& sons", "& söhne", "ag", "b.v.", "bv", "corp", "corporation",
    "gmbh", "inc", "incorporated", "kg", "limited", "llc", "llp", "ltd", "ltda", "n.v.", "ohg", "plc", "pty", "s.a.", "s.a.s.", "s.l.", "s.p.a.",
    "s.r.l.", "s.r.o.", "sarl", "sp. z o.o.", "spa", "srl", "ug",
];
/// The same, written like this: in small letters they are words.
const LOUD_FORMS: &[&str] = &[
    "SA", "SAS", "SE", "NV", "AB", "AS", "ASA", "Oy", "Kft", "EIRL",
];
/// Second words of the names of firms and places, which no person is called.
#[rustfmt::skip]
static ENDINGS: bytes::Words = bytes::Words::of(&[
    "airlines", "airport", "associates", "bakery", "boulevard", "brewery", "clinic", "college", "consulting", "consultants", "dental",
    "electronics", "energy", "enterprises", "foods", "foundation", "garden", "gardens", "group", "gruppe", "groupe", "grupo", "holding", "holdings",
    "hospital", "hotel", "industries", "institute", "insurance", "laboratories", "labs", "library", "logistics", "motors", "museum", "parcels",
    "partners", "pharma", "pharmaceuticals", "properties", "recruitment", "restaurant", "room", "services", "solutions", "stadium", "stores",
    "supplies", "systems", "technologies", "theatre", "traders", "university", "ventures", "versicherung", "versicherungen",
]);
/// Words before the name of a firm, a school, a street and the like, or of a saint that one is named after.
#[rustfmt::skip]
static LEADS: bytes::Words = bytes::Words::of(&[
    "fa.", "autohaus", "kanzlei", "sarl", "sas", "eurl", "sasu", "hotel", "hôtel", "albergo", "restaurant", "ristorante", "restaurante",
    "restauracja", "café", "grundschule", "realschule", "gymnasium", "schule", "kita", "klinik", "klinikum", "école", "collège", "lycée",
    "colegio", "colégio", "escola", "escuela", "instituto", "scuola", "liceo", "szkoła", "przedszkole", "basisschool", "iglesia", "igreja",
    "église", "chiesa", "kirche", "kościół", "aéroport", "aeropuerto", "aeroporto", "flughafen", "lotnisko", "luchthaven", "calle", "avenida", "plaza", "rue", "boulevard", "rua", "praça", "piazza", "viale", "corso",
    "ulica", "plac", "museo", "museu", "musée", "museum", "muzeum", "estadio", "estádio", "stade", "stadio", "stadion", "teatro", "théâtre",
    "bahnhof", "gare", "rechtbank", "université", "universidad", "università", "universidade", "universität",
    "st", "st.", "sankt", "św.", "święta", "święty", "saint", "sainte", "santa", "santo", "são", "sint",
]);
/// Words for what a town has: `Tribunale di Pavia`. A school may be that of a person: `l'école de Julie`.
static OF_TOWNS: bytes::Words = bytes::Words::of(&[
    "tribunale",
    "tribunal",
    "comune",
    "ayuntamiento",
    "mairie",
    "université",
    "universidad",
    "università",
    "universidade",
    "prefeitura",
    "câmara",
    "aéroport",
    "aeropuerto",
    "aeroporto",
    "gare",
]);
/// Words that names of saints begin with, whom only schools, churches and places are named after.
static SAINTS: bytes::Words = bytes::Words::of(&[
    "st", "st.", "sankt", "św.", "saint", "sainte", "santa", "são", "sint",
]);
/// Keys of fields that hold no person.
#[rustfmt::skip]
static KEYS: bytes::Words = bytes::Words::of(&[
    "occupation", "profession", "beruf", "profesión", "profissão", "professione", "zawód", "beroep", "employer", "arbeitgeber", "employeur",
    "empresa", "pracodawca", "werkgever", "company", "société", "azienda", "bedrijf", "city", "stadt", "ort", "wohnort", "ville",
    "ciudad", "cidade", "miasto", "città", "stad", "woonplaats", "town", "country", "land", "pays", "país", "kraj", "paese", "region", "nationality",
    "brand", "marke", "marque", "marca", "marka", "merk", "product", "produkt", "produit", "producto", "produto", "prodotto", "department",
    "abteilung", "religion",
]);

/// Longest word before a name that is looked at, in bytes.
const LONGEST_LEAD: usize = 24;

/// Whether a name is that of a firm or place, by what it ends with, or what stands beside it.
pub(super) fn is_one(text: &str, name: Range<usize>) -> bool {
    let own = text.get(name.clone()).unwrap_or_default();
    let behind = text.get(name.end..).unwrap_or_default();
    let behind = behind.strip_prefix(',').unwrap_or(behind);
    // `Drukarnia Nowak Sp. z o.o.`: the form may go on behind the name.
    let last = own
        .rfind(' ')
        .and_then(|space| text.get(name.start + space + 1..));
    let words = own.split(' ').count();
    let first = own.split(' ').next().unwrap_or_default();
    words > 1 && SAINTS.hold(first.as_bytes())
        || last.is_some_and(|last| begins_with_form(last) || words == 2 && begins_with_ending(last))
        || behind.strip_prefix(' ').is_some_and(begins_with_form)
        || follows_lead(text, name.start)
        || words == 1 && follows_key(text, name.start)
}

fn begins_with_form(text: &str) -> bool {
    let end = text.find(|letter: char| !letter.is_alphabetic());
    let first = text.get(..end.unwrap_or(text.len()));
    if first.is_some_and(|first| LOUD_FORMS.contains(&first)) {
        return true;
    }
    FORMS.iter().any(|form| {
        let own = text.get(..form.len());
        let next = text.get(form.len()..).and_then(|rest| rest.chars().next());
        own.is_some_and(|own| own.eq_ignore_ascii_case(form))
            && !next.is_some_and(char::is_alphanumeric)
    })
}

/// Whether the first word is one that names of firms and places end with.
fn begins_with_ending(text: &str) -> bool {
    let end = text.find(|letter: char| !letter.is_alphanumeric());
    let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    ENDINGS.hold(word.as_bytes())
}

fn follows_lead(text: &str, start: usize) -> bool {
    let lead = lead_of(text, start);
    let mut words = lead
        .trim_end_matches(' ')
        .rsplit([' ', '\n', '"', '(', '\'', '’']);
    let last = words.next().unwrap_or_default();
    if matches!(last, "di" | "de" | "du" | "da" | "do" | "DI" | "DE") {
        return words
            .next()
            .is_some_and(|word| OF_TOWNS.hold(word.as_bytes()));
    }
    LEADS.hold(last.as_bytes())
}

/// Whether a name is behind a key, as in `Employer: Greggs`.
fn follows_key(text: &str, start: usize) -> bool {
    let lead = lead_of(text, start).trim_end_matches([' ', '"']);
    let key = lead.strip_suffix(':').or_else(|| lead.strip_suffix('='));
    let word = key.and_then(|key| {
        key.trim_end_matches([' ', '"', '*'])
            .rsplit(|letter: char| !letter.is_alphabetic())
            .next()
    });
    word.is_some_and(|word| KEYS.hold(word.as_bytes()))
}

/// What is before a place, as much as may be looked at.
fn lead_of(text: &str, start: usize) -> &str {
    let near = text.floor_char_boundary(start.saturating_sub(LONGEST_LEAD));
    text.get(near..start).unwrap_or_default()
}
