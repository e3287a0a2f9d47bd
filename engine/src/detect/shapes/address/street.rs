//! Streets with a number: `12 Baker Street`, `Hauptstraße 5`, `ul. Długa 7/3`, `12 rue de la Paix`.

use super::lead::{self, with_lead};
use super::unworded::words_start;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Where the number is, and what the word means alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum Kind {
    /// After number and name: `12 Baker Street`.
    Last,
    /// The same for words that mean other things, too: `2 Supreme Court`.
    LastOfMany,
    /// At the end of the name, before the number: `Hauptstraße 5`.
    End,
    /// The same for words that mean other things, too: `Platz 5`.
    EndOfMany,
    /// Before the name: `ul. Długa 7`, `12 rue de la Paix`.
    First,
    /// Before the name, with the number before it: `12 place de la République`.
    FirstNumbered,
    /// The same for words that mean other things, too, and so need a postal code: `via Roma 12`.
    FirstOfMany,
    /// Before its number alone, as of a box at a post office: `Postfach 10 12 44`, `Sector 15`.
    Numbered,
    /// Before two numbers, as in the grids of Colombia: `Cra 7 No. 71-21`.
    Grid,
    /// The end of the label of a line: `Address: `.
    Label,
}

use Kind::{
    End, EndOfMany, First, FirstNumbered, FirstOfMany, Grid, Label, Last, LastOfMany, Numbered,
};

/// Words for streets as the scan searches for them: a last word must be capitalized.
#[rustfmt::skip]
pub(in crate::detect) const STREETS: &[(&str, Kind)] = &[
    // English, as in Britain, Ireland, America, Australia, India.
    (" Street", Last), (" STREET", Last), (" Avenue", Last), (" AVENUE", Last), (" Road", Last), (" ROAD", Last),
    (" Boulevard", Last), (" Blvd", Last), (" Lane", Last), (" Rd", Last), (" Ave", Last), (" St", Last),
    (" Ln", Last), (" Parkway", Last), (" Pkwy", Last), (" Highway", Last), (" Hwy", Last), (" Crescent", Last),
    (" Mews", Last), (" Marg", Last), (" Nagar", Last), (" Terrace", Last),
    (" Dr", LastOfMany), (" Drive", LastOfMany), (" Way", LastOfMany), (" Court", LastOfMany), (" Ct", LastOfMany),
    (" Place", LastOfMany), (" Square", LastOfMany), (" Close", LastOfMany), (" Circle", LastOfMany),
    (" Trail", LastOfMany), (" Gardens", LastOfMany), (" Grove", LastOfMany), (" Hill", LastOfMany),
    (" Row", LastOfMany), (" Cir", LastOfMany), (" Quay", LastOfMany), (" Park", LastOfMany), (" Rise", LastOfMany),
    (" Parade", LastOfMany), (" Walk", LastOfMany), (" Wharf", LastOfMany), (" Yard", LastOfMany), (" Green", LastOfMany),
    (" View", LastOfMany), (" Vale", LastOfMany), (" Loop", LastOfMany), (" Cross", LastOfMany), (" Salai", Last), (" Layout", LastOfMany),
    (" Colony", LastOfMany), (" Vihar", LastOfMany), (" Chowk", LastOfMany), ("Sector ", Numbered),
    // German, Dutch, Swedish, Danish, Norwegian, Finnish, Czech.
    ("straße ", End), ("strasse ", End), ("str. ", End), ("Straße ", End), ("Str. ", End), ("gasse ", End),
    ("Strasse ", End), ("chaussee ", End), ("straat ", End), ("gracht ", End), ("laan ", End), ("plein ", End),
    ("gatan ", End), ("vägen ", End), ("vej ", End), ("veien ", End), ("katu ", End),
    ("weg ", EndOfMany), ("platz ", EndOfMany), ("allee ", EndOfMany), ("damm ", EndOfMany), ("ufer ", EndOfMany),
    ("kade ", EndOfMany), ("gade ", EndOfMany), ("gata ", EndOfMany), ("tie ", EndOfMany),
    // Hungarian, Turkish.
    (" utca ", End), (" út ", EndOfMany), (" tér ", EndOfMany), (" körút ", End), (" Caddesi ", End), (" Sokak ", End),
    (" Sokağı ", End), (" Bulvarı ", End), (" Mahallesi ", End), (" Cad. ", End), (" Sok. ", End), (" Meydanı ", EndOfMany),
    (" u. ", EndOfMany), (" krt. ", End), (" sgt. ", End), (" fasor ", EndOfMany), (" rakpart ", EndOfMany), (" útja ", End), (" sétány ", EndOfMany), (" korzó ", EndOfMany), (" köz ", EndOfMany),
    (" Gürtel ", EndOfMany), (" Allé ", EndOfMany), ("allé ", EndOfMany), (" třída ", End),
    // Norwegian, Icelandic, Estonian, Latvian, Lithuanian, Slovene, Croatian.
    (" gate ", EndOfMany), (" vei ", EndOfMany), (" plass ", EndOfMany), ("vegur ", EndOfMany), ("stígur ", EndOfMany), ("stræti ", EndOfMany),
    (" mnt ", EndOfMany), (" tn ", EndOfMany), (" pst ", EndOfMany), (" iela ", EndOfMany), (" g. ", EndOfMany), (" pr. ", EndOfMany),
    (" cesta ", EndOfMany), (" ulica ", EndOfMany), (" trg ", EndOfMany), ("Trg ", FirstOfMany), (" al. ", EndOfMany),
    ("Námestie ", FirstOfMany), ("Náměstí ", FirstOfMany), ("Ulica ", FirstOfMany), ("Laan ", FirstOfMany), ("Plein ", FirstOfMany),
    // Indonesian, Malay.
    ("Jl. ", First), ("Jalan ", First), ("Jln. ", First),
    // Colombian.
    ("Cra ", Grid), ("Cra. ", Grid), ("Carrera ", Grid), ("Cl. ", Grid), ("Diagonal ", Grid), ("Transversal ", Grid), ("Kra ", Grid),
    // French, Spanish, Portuguese, Italian, Polish.
    ("lotissement ", FirstNumbered), ("square ", FirstNumbered), ("sentier ", FirstNumbered), ("ruelle ", FirstNumbered), ("cité ", FirstNumbered),
    ("esplanade ", FirstNumbered), ("promenade ", FirstNumbered), ("av. ", FirstNumbered), ("impasse ", FirstNumbered),
    ("Passeig ", First), ("Urb. ", FirstOfMany), ("Urbanización ", FirstOfMany), ("Polígono ", FirstOfMany), ("Praceta ", First), ("Beco ", First), ("Quinta ", FirstOfMany),
    ("route ", FirstNumbered), ("passage ", FirstNumbered), ("Pasaje ", First), ("Jr. ", FirstOfMany), ("Jirón ", First), ("Pza. ", First), ("P.zza ", First),
    ("Vico ", FirstOfMany),
    ("rue ", FirstNumbered), ("Rue ", FirstNumbered), ("avenue ", FirstNumbered), ("boulevard ", FirstNumbered),
    ("place ", FirstNumbered), ("chemin ", FirstNumbered), ("allée ", FirstNumbered), ("quai ", FirstNumbered),
    ("Avenue ", FirstNumbered), ("Boulevard ", FirstNumbered), ("cours ", FirstNumbered),
    ("calle ", First), ("Calle ", First), ("C/ ", First), ("Avenida ", First), ("avenida ", First), ("Avda. ", First),
    ("Av. ", First), ("Paseo ", First), ("Carrer ", First), ("Plaza ", FirstOfMany),
    ("Rua ", First), ("rua ", First), ("Travessa ", First), ("Praça ", First), ("Alameda ", First), ("Rodovia ", First),
    ("Largo ", FirstOfMany), ("Estrada ", First),
    ("Via ", First), ("via ", FirstOfMany), ("Viale ", First), ("viale ", First), ("Piazza ", First),
    ("piazza ", First), ("Corso ", First), ("corso ", FirstOfMany), ("Vicolo ", First), ("Piazzale ", First),
    ("Contrada ", FirstOfMany), ("Località ", FirstOfMany), ("Ronda ", FirstOfMany), ("Camino ", FirstOfMany),
    ("Travesía ", First), ("Privada ", FirstOfMany), ("Cerrada ", FirstOfMany), ("Calzada ", First), ("Blvd. ", FirstOfMany),
    ("Circuito ", FirstOfMany), ("Chaussée ", First), ("chaussée ", First), ("nám. ", FirstOfMany),
    ("ul. ", First), ("Ul. ", First), ("ulica ", First), ("ulicy ", First), ("al. ", FirstOfMany), ("Al. ", First),
    ("aleja ", First), ("os. ", FirstOfMany), ("pl. ", First),
    // Romanian, Russian, Bulgarian, Ukrainian.
    ("Calea ", First), ("Aleea ", First), ("Șos. ", First), ("Splaiul ", First), ("Intrarea ", FirstOfMany),
    ("Piața ", FirstOfMany),
    ("Strada ", FirstOfMany), ("Bulevardul ", First), ("Bd. ", First), ("ул. ", First), ("улица ", First), ("улице ", First),
    ("Булевар ", FirstOfMany), ("просп. ", First), ("пер. ", First), ("переулок ", First), ("пров. ", First), ("провулок ", First), ("наб. ", First),
    ("шоссе ", First), ("пл. ", FirstOfMany), ("площадь ", FirstOfMany), ("бульвар ", First),
    (" проспект", End), (" улица", End), (" набережная", End), (" шоссе", End), (" бульвар", End), (" переулок", End),
    ("пр. ", FirstOfMany), ("пр-т ", First), ("проспект ", First), ("бул. ", First), ("вул. ", First), ("вулиця ", First),
    ("Postfach ", Numbered), ("P.O. Box ", Numbered), ("PO Box ", Numbered), ("Postbus ", Numbered), ("Postboks ", Numbered),
    ("Apartado ", Numbered), ("skr. poczt. ", Numbered), ("BP ", Numbered), ("Box ", Numbered),
    ("ddress: ", Label), ("dresse: ", Label), ("dresse : ", Label), ("nschrift: ", Label), ("omicile: ", Label),
    ("omicile : ", Label), ("irección: ", Label), ("omicilio: ", Label), ("ndirizzo: ", Label), ("esidenza: ", Label),
    ("Morada: ", Label), ("ndereço: ", Label), ("dres: ", Label), ("amieszkania: ", Label), ("dresa: ", Label),
    ("ydliště: ", Label), ("dress: ", Label), ("Bopæl: ", Label), ("dresi: ", Label), ("Cím: ", Label), ("akcím: ", Label),
    (" cím: ", Label), ("дрес: ", Label), ("дреса: ", Label), ("lamat: ", Label), ("dresă: ", Label), ("omiciliu: ", Label), ("soite: ", Label),
];

/// Streets of the authors of common licences, which are in file headers and identify nobody.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "51 Franklin", "59 Temple Place", "675 Mass Ave", "171 Second Street", "543 Howard Street",
    "559 Nathan Abbott Way", "444 Castro Street",
];

/// Most words of a name.
const MOST_WORDS: usize = 6;
/// Most parts of the number of a house: stair and door, as in `43/2/11`.
const MOST_FLATS: usize = 3;
const LONGEST_WORD: usize = 32;
/// Small words within the name of a street.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "de", "la", "le", "les", "du", "des", "del", "della", "delle", "dei", "di", "da", "do", "dos", "das", "e", "y",
    "el", "los", "las", "et", "of", "the", "van", "der", "den", "św", "ks", "gen", "i", "im", "dr", "st", "ten",
];

/// A street with its number.
pub(super) struct Street {
    pub(super) span: Range<usize>,
    /// Whether it is one without a place.
    pub(super) is_plain: bool,
    /// Whether it is one only with a postal code.
    pub(super) needs_code: bool,
}

/// Whether a street is that of a licence's author.
pub(super) fn is_public(street: &[u8]) -> bool {
    PUBLIC
        .iter()
        .any(|public| street.starts_with(public.as_bytes()))
}

/// The street that a word for one belongs to.
pub(super) fn find(text: &[u8], word: &Range<usize>, kind: Kind) -> Option<Street> {
    match kind {
        Last | LastOfMany => {
            behind_name(text, word, kind == Last).or_else(|| behind_house_name(text, word))
        }
        // `Str. Mihai Eminescu nr. 12` is Romanian, `Berliner Str. 12` German.
        End | EndOfMany => at_end(text, word, kind == End).or_else(|| {
            let is_first = bytes::slice(text, word.start, word.end) == b"Str. ";
            before_name(text, word, FirstOfMany).filter(|_| is_first)
        }),
        First | FirstNumbered | FirstOfMany => {
            before_name(text, word, kind).or_else(|| in_grid(text, word))
        }
        Grid => in_grid(text, word).or_else(|| before_name(text, word, FirstOfMany)),
        Numbered => numbered(text, word),
        Label => super::labelled::find(text, word),
    }
}

/// `Postfach 10 12 44`, `H.No. 42, Sector 15`
fn numbered(text: &[u8], word: &Range<usize>) -> Option<Street> {
    const LONGEST: usize = 10;
    if is_letter(before(text, word.start)) {
        return None;
    }
    let number = bytes::run(text, word.end, LONGEST, |byte| {
        byte.is_ascii_digit() || byte == b' '
    });
    let number = bytes::slice(text, word.end, word.end + number).trim_ascii_end();
    number.first().filter(|first| first.is_ascii_digit())?;
    Some(Street {
        span: with_lead(text, word.start)..word.end + number.len(),
        is_plain: false,
        needs_code: true,
    })
}

/// `Calle 45 # 12-30`, `Cra 7 No. 71-21`: the number of the street, and that of the house behind the one of the next crossing.
fn in_grid(text: &[u8], word: &Range<usize>) -> Option<Street> {
    const SIGNS: [&str; 5] = ["# ", "#", "no. ", "n° ", "nº "];
    let digits = bytes::run(text, word.end, 3, |byte| byte.is_ascii_digit());
    let street = word.end + digits;
    let street = street + bytes::run(text, street, 1, |byte| byte.is_ascii_alphabetic());
    let start = street + usize::from(at(text, street) == b' ');
    let begins = |sign: &&str| bytes::begins(text, start, sign.as_bytes());
    let number = start + SIGNS.iter().find(|sign| begins(sign))?.len();
    let end = house_end(text, number)?;
    let is_pair = memchr::memchr(b'-', bytes::slice(text, number, end)).is_some();
    let is_free = digits > 0 && !is_letter(before(text, word.start));
    (is_pair && is_free).then_some(Street {
        span: word.start..end,
        is_plain: true,
        needs_code: false,
    })
}

/// `12 Baker Street`, `221B Baker St.`, `12, MG Road`
fn behind_name(text: &[u8], word: &Range<usize>, is_plain: bool) -> Option<Street> {
    if is_letter(at(text, word.end)) {
        return None;
    }
    let (mut end, mut words) = (word.start, 0);
    while words < MOST_WORDS {
        let start = word_start(text, end, LONGEST_WORD);
        let own = bytes::slice(text, start, end);
        if is_house(own) && words > 0 {
            let start = with_flat(text, start);
            let number = own.iter().filter(|byte| byte.is_ascii_digit()).count();
            let is_year = is_year(own);
            let is_free = match before(text, start) {
                b':' => ends_label(text, start - 1),
                sign => !matches!(sign, b'$' | b'#' | b'.' | b',' | b'/' | b'_'),
            };
            return is_free.then_some(Street {
                span: with_lead(text, start)
                    ..with_road_number(text, with_direction(text, word.end)),
                is_plain: !is_year && (is_plain || number > 2),
                needs_code: false,
            });
        }
        if !(is_capitalised(own) || is_ordinal(own) || words > 0 && is_small(own)) {
            return None;
        }
        words += 1;
        end = start
            .checked_sub(1)
            .filter(|&space| at(text, space) == b' ')?;
        if before(text, end) == b',' {
            end -= 1;
        }
    }
    None
}

/// `Rose Cottage, Mill Lane`: a house with a name instead of a number.
fn behind_house_name(text: &[u8], word: &Range<usize>) -> Option<Street> {
    let name = words_start(text, word.start)?;
    let lead = bytes::slice(text, 0, name).strip_suffix(b", ")?;
    let house = words_start(text, lead.len()).filter(|_| !is_letter(at(text, word.end)))?;
    Some(Street {
        span: house..word.end,
        is_plain: false,
        needs_code: true,
    })
}

/// Before a house: the number of its flat, as in `7/14 Bowen Street`.
fn with_flat(text: &[u8], start: usize) -> usize {
    let Some(slash) = start
        .checked_sub(1)
        .filter(|&slash| at(text, slash) == b'/')
    else {
        return start;
    };
    let digits = bytes::run_back(text, slash, 4, |byte| byte.is_ascii_digit());
    let flat = slash - digits;
    if digits > 0 && matches!(before(text, flat), b' ' | b'\n' | 0) {
        flat
    } else {
        start
    }
}

/// Whether the colon at `end` is that of a label: `Address:12 Main Street`, and not of a file or a time.
fn ends_label(text: &[u8], end: usize) -> bool {
    let letters = bytes::run_back(text, end, LONGEST_WORD, is_letter);
    letters > 2
        && !matches!(
            before(text, end - letters),
            b'.' | b'/' | b'_' | b'-' | b':'
        )
}

/// After a street: ` NW`, ` East`
fn with_direction(text: &[u8], end: usize) -> usize {
    const WORDS: [&[u8]; 4] = [b" North", b" South", b" East", b" West"];
    let stands = |word: &&&[u8]| {
        let behind = end + word.len();
        bytes::slice(text, end, behind) == **word && !is_letter(at(text, behind))
    };
    if let Some(word) = WORDS.iter().find(stands) {
        return end + word.len();
    }
    let capitals = bytes::run(text, end + 1, 3, |byte| b"NESW".contains(&byte));
    let is_direction = at(text, end) == b' '
        && (1..=2).contains(&capitals)
        && !is_sign(at(text, end + 1 + capitals));
    end + if is_direction { 1 + capitals } else { 0 }
}

/// After a road with a number of its own: ` 121`, in `5600 State Highway 121, Plano`.
fn with_road_number(text: &[u8], end: usize) -> usize {
    let digits = bytes::run(text, end + 1, 4, |byte| byte.is_ascii_digit());
    let number = end + 1 + digits;
    let closes =
        matches!(at(text, number), b',' | b'\n') || bytes::slice(text, number, number + 2) == b" #";
    let is_number = at(text, end) == b' ' && digits > 0 && closes;
    if is_number { number } else { end }
}

/// `Hauptstraße 5`, `Berliner Str. 12a`, `Unter den Linden 5`
fn at_end(text: &[u8], word: &Range<usize>, is_plain: bool) -> Option<Street> {
    let is_apart = at(text, word.start) == b' ';
    let mut start = if is_apart {
        word.start + 1
    } else {
        word_start(text, word.start, LONGEST_WORD)
    };
    let is_compound = !is_apart && word.start > start + 1;
    if is_compound || is_capital(text, start) {
        is_capital(text, start).then_some(())?;
    }
    let mut words = 0;
    // `Berliner Str.` has its name before it; a compound may have more of it there.
    while words < 3 && before(text, start) == b' ' {
        let end = start - 1;
        let last = word_start(text, end, LONGEST_WORD);
        let is_name = is_capitalised(bytes::slice(text, last, end)) && !is_compound;
        if !is_name {
            break;
        }
        start = last;
        words += 1;
    }
    if !is_compound && words == 0 {
        return None;
    }
    let digits = number_start(text, word.end);
    let number = house_end(text, digits)?;
    let count = bytes::run(text, digits, 5, |byte| byte.is_ascii_digit());
    let first = if is_apart {
        lead::with_code_and_place(text, start)
    } else {
        start
    };
    Some(Street {
        span: first..number,
        is_plain: is_plain && count < 4 || first < start,
        needs_code: false,
    })
}

/// `ul. Długa 7/3`, `Calle de Alcalá, 45`, `12 rue de la Paix`
fn before_name(text: &[u8], word: &Range<usize>, kind: Kind) -> Option<Street> {
    let is_part = is_letter(before(text, word.start)) && !bytes::ends_wide_sign(text, word.start);
    if is_part || bytes::slice(text, 0, word.start).ends_with(b"et ") {
        return None;
    }
    let name = name_end(text, word.end, kind == FirstOfMany)?;
    let behind = house_end(text, number_start(text, name));
    let house = house_before(text, word.start).filter(|_| kind != FirstOfMany);
    // Behind a comma it may be a year: `en 1992, Avenida de América 12`.
    let follows_comma = bytes::slice(text, 0, word.start).ends_with(b", ");
    match (house, behind) {
        (Some(start), None) => Some(start..name),
        (Some(start), Some(_)) if kind == FirstNumbered || !follows_comma => Some(start..name),
        (_, Some(number)) => Some(word.start..number),
        (None, None) => None,
    }
    .map(|span| Street {
        is_plain: kind == First || span.end == name,
        span: with_lead(text, span.start)..span.end,
        needs_code: false,
    })
}

/// Where the name of a street ends: words of which one is capitalized.
///
/// `takes_words`: one may be in small letters, as in `Trg kralja Tomislava`.
fn name_end(text: &[u8], start: usize, takes_words: bool) -> Option<usize> {
    // `ul. 3 Maja`, `calle 5 de Mayo`
    let digits = bytes::run(text, start, 3, |byte| byte.is_ascii_digit());
    let is_dated = (1..=2).contains(&digits) && at(text, start + digits) == b' ';
    let start = start + if is_dated { digits + 1 } else { 0 };
    let (mut at_word, mut end, mut capitals) = (start, start, 0);
    for _ in 0..MOST_WORDS {
        let length = bytes::run(text, at_word, LONGEST_WORD, |byte| {
            is_sign(byte) && !(byte.is_ascii_digit() && at_word == start)
        });
        let own = bytes::slice(text, at_word, at_word + length);
        let is_first = at_word == start;
        let may_be_small = takes_words && is_first && own.iter().all(|byte| is_letter(*byte));
        if own.is_empty()
            || !is_capitalised(own) && !is_small(own) && !is_ordinal(own) && !may_be_small
        {
            break;
        }
        if is_capitalised(own) {
            capitals += 1;
            end = at_word + own.len();
        }
        at_word += length;
        if at(text, at_word) != b' ' {
            break;
        }
        at_word += 1;
    }
    (capitals > 0).then(|| end - usize::from(before(text, end) == b'.' && end > start))
}

/// After a name: `, `, ` n. `, ` nº `.
fn number_start(text: &[u8], end: usize) -> usize {
    const SIGNS: [&str; 26] = [
        "lote ", "Lote ", "parcela ", "nave ", "km ", "km. ", "зд. ", "дім ", "б. ", "#", "nº ",
        "n° ", "n.º ", "n. ", "nr ", "no. ", "núm. ", "num. ", "nr. ", "no: ", "no:", "№ ", "№",
        "д. ", "дом ", "буд. ",
    ];
    let mut start = end + bytes::run(text, end, 2, |byte| matches!(byte, b',' | b' ' | b'.'));
    if let Some(sign) = SIGNS
        .iter()
        .find(|sign| bytes::begins(text, start, sign.as_bytes()))
    {
        start += sign.len();
    }
    start
}

/// The number before a name: `12 `, `12 bis, `.
fn house_before(text: &[u8], start: usize) -> Option<usize> {
    let end = start - bytes::run_back(text, start, 2, |byte| matches!(byte, b' ' | b','));
    let mut first = word_start(text, end, 8);
    if matches!(bytes::slice(text, first, end), b"bis" | b"ter") {
        let end = first.saturating_sub(1);
        first = word_start(text, end, 8);
    }
    let length = bytes::run(text, first, 8, is_sign);
    let is_number = is_house(bytes::slice(text, first, first + length)) && length < 5;
    (end < start && is_number && !matches!(before(text, first), b'$' | b'#' | b'.' | b'/' | b':'))
        .then_some(first)
}

/// Where the number of a house ends that begins at `start`: `12`, `12a`, `7/3`, `12-14`, `43/2/11`, `5 B`, `s/n`.
pub(super) fn house_end(text: &[u8], start: usize) -> Option<usize> {
    if bytes::begins(text, start, b"s/n") && !is_sign(at(text, start + 3)) {
        return Some(start + 3);
    }
    let digits = bytes::run(text, start, 6, |byte| byte.is_ascii_digit());
    if !(1..=5).contains(&digits) {
        return None;
    }
    let mut end = start + digits;
    end += bytes::run(text, end, 1, |byte| byte.is_ascii_alphabetic());
    for _ in 0..MOST_FLATS {
        let more = bytes::run(text, end + 1, 4, |byte| byte.is_ascii_alphanumeric());
        if !matches!(at(text, end), b'/' | b'-') || more == 0 {
            break;
        }
        end += 1 + more;
    }
    let is_other = matches!(at(text, end), b'%' | b'_' | b':' | b'@');
    let is_decimal = matches!(at(text, end), b'.' | b',') && at(text, end + 1).is_ascii_digit();
    (!is_letter(at(text, end)) && !at(text, end).is_ascii_digit() && !is_other && !is_decimal)
        .then(|| end + letter_apart(text, end))
}

/// The length of the letter of a house that a space sets off, before a comma or the end of the line: `4 a, 28195 Bremen`.
fn letter_apart(text: &[u8], end: usize) -> usize {
    let is_letter_apart = at(text, end) == b' '
        && at(text, end + 1).is_ascii_alphabetic()
        && matches!(at(text, end + 2), b',' | b'\n' | b'\r')
        && before(text, end).is_ascii_digit();
    if is_letter_apart { 2 } else { 0 }
}

/// `12`, `12a`, `12-14`
pub(super) fn is_house(own: &[u8]) -> bool {
    let digits = own.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = own.get(digits..).unwrap_or_default();
    let goes_on = match rest {
        [] => true,
        [letter] => letter.is_ascii_alphabetic(),
        [b'-', more @ ..] => more.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    (1..=6).contains(&digits) && goes_on
}

/// Whether the first number is a year: `1996`, `1991-1997`.
pub(super) fn is_year(own: &[u8]) -> bool {
    let digits = own.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits == 4 && (own.starts_with(b"19") || own.starts_with(b"20"))
}

/// `5th`, `42nd`
fn is_ordinal(own: &[u8]) -> bool {
    let digits = own.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ending = own.get(digits..).unwrap_or_default().to_ascii_lowercase();
    digits > 0 && matches!(ending.as_slice(), b"st" | b"nd" | b"rd" | b"th")
}

fn is_small(own: &[u8]) -> bool {
    let own = own.strip_suffix(b".").unwrap_or(own);
    let elided = own
        .get(..2)
        .is_some_and(|first| matches!(first, b"d'" | b"l'"));
    elided || SMALL.iter().any(|small| small.as_bytes() == own)
}

/// A word that begins with a capital, or has one after an apostrophe: `Baker`, `Łódzka`,
/// `d'Azeglio`.
pub(super) fn is_capitalised(own: &[u8]) -> bool {
    let behind = match own {
        [_, b'\'', rest @ ..] if own.first().is_some_and(u8::is_ascii_lowercase) => rest,
        _ => own,
    };
    let first = behind
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next());
    first.is_some_and(char::is_uppercase)
}

fn is_capital(text: &[u8], start: usize) -> bool {
    is_capitalised(bytes::slice(text, start, start + 4))
}

/// Where the word that ends at `end` begins, after quotation marks and the like.
pub(super) fn word_start(text: &[u8], end: usize, longest: usize) -> usize {
    let mut start = end - bytes::run_back(text, end, longest, is_sign);
    while start < end
        && let Some(width) = bytes::wide_sign(text, start)
    {
        start += width;
    }
    start.min(end)
}

/// What words and numbers of addresses consist of.
const fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'.' | b'\'' | b'-')
}

pub(super) const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}
