//! Phone numbers.

use super::lookalike::{
    are_bits, is_byte_row, is_date, is_linked, is_list, is_official, is_operand, is_sequence,
};
use super::{Cluster, Gap, phone_metadata, quantity};
use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::public;
use crate::detect::shapes::context::{self, Words};
use crate::detect::shapes::country;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};

const SHORTEST: usize = 7;
const LONGEST: usize = 15;
const MAX_PARTS: usize = 8;
/// Words before a telephone number, in the languages of the built-in name lists.
#[rustfmt::skip]
static CONTEXT: Words = Words::of(&[
    "phone", "tel", "mobile", "mobil", "cell", "celular", "fax", "call", "ring", "sms", "text me",
    "whatsapp", "contact", "dial", "hotline", "landline", "desk", "office", "reach", "telefon",
    "teléfono", "téléphone", "tél", "appel", "llam", "ligue", "handy", "rufnummer", "ruf", "móvil",
    "movil", "portable", "numarasından", "bel me", "телефон", "тел", "моб", "звон", "電話", "电话",
    "手机", "手機", "携帯", "전화", "휴대", "هاتف", "جوال", "फोन", "मोबाइल", "puh", "tlf", "gsm", "chiam",
    "ring mig", "zadzwo", "komórk", "komork", "llám", "answering at", "answer at", "registered",
    "wa.me", "kom.", "helpline", "reception", "my number", "our number", "his number", "her number", "meine nummer",
    "cel.", "cel:", "cel ", "hp ", "hp:", "hp.", "mob.", "mob:", "mob ", "sími", "gsím", "simu ", "simu:", "fono", "pix:", "pix ", "cep tel", "telf", "sđt",
    "연락처", "bel haar", "bel hem", "bel naar", "ligar", "liga ", "avisar", "arayın", "cellulare",
    "mon numéro", "mi número", "mio numero", "meu número", "mijn nummer", "mój numer", "mitt nummer", "mit nummer",
]);
/// Those of them that say so even in code (`phone = 5550104477;`).
static CERTAIN: Words = Words::of(&["phone", "tel", "mobile", "cell", "fax", "whatsapp"]);
/// Words that name a number of some kind; only a grouped one counts as a phone number.
#[rustfmt::skip]
static NUMBERS: Words = Words::of(&[
    "number", "номер", "número", "nummer", "numéro",
    // Whose number it is.
    "żona", "żony", "Żona", "mąż ", "męża", "syn ", "syn:", "córka", "córki", "hijo", "hija", "marido", "esposa", "esposo", "madre", "padre", "hermana", "hermano",
    "mère", "père", "fils", "fille", "épouse", "époux", "Épouse", "Époux", "dochter", "zoon", "echtgeno", "moeder", "tochter", "sohn", "ehefrau", "ehemann", "mutter",
    "vater", "moglie", "marito", "figlio", "figlia", "filho", "filha", "mãe", "wife", "husband", "daughter", "mother", "father", "next of kin",
    "жена", "муж", "мать", "дочь",
]);
/// Words after a telephone number.
const AFTER: &[&str] = &[
    "office", "fax", "mobile", "cell", "home", "work", "tel", "phone", "desk",
];
/// Words before a number that is not a phone number.
#[rustfmt::skip]
static NOT_PHONES: Words = Words::of(&[
    "order", "invoice", "isbn", "issn", "part no", "part number", "account", "acct", "iban",
    "serial", "uuid", "version", "npi", "mrn", "pesel", "nip", "regon", "vin", "ean", "gtin",
    "upc", "imei", "passport", "license", "licence", "case no", "tracking", "timestamp", "epoch",
    "ref", "ticket", "invoice", "policy", "routing", "swift", "postal", "zip", "port ", "port:", "port=", "port\"", "ports", "date",
    "size", "width", "height", "id:", "id=", "id ", "coord", "lat", "lon", "krs", "konto", "nr ",
    "nhs", "fedex", "dhl", "usps", "bestell", "auftrag", "rechnung", "kundennummer", "kundennr", "commande", "facture", "pedido",
    "factura", "fattura", "cpf", "cnpj", "dfars", "sha", "commit", "merge", "member", "sku", "model", "doc", "rfc", "range", "lines", "steuer", "siret",
    "codice", "código", "codigo",
]);

/// Words right before a number that is grouped like a telephone number.
const NOT_NATIONAL: &[&str] = &[
    "code", "step", "jis", "iso", "iec", "din", "ansi", "id", "ids", "uid", "ein",
];

/// Reports the phone number at a group; returns the number of its groups.
pub(super) fn find(
    scanner: &mut Scanner<'_, '_>,
    cluster: &Cluster<'_>,
    index: usize,
) -> Option<usize> {
    let gap = cluster.gap(index);
    // `1 1 1` is a list; `+33 (0)7 …` is not.
    let is_list = !matches!(gap, Gap::None | Gap::Columns | Gap::Parenthesis)
        && cluster.is_shaped(index, 2, [1, 1]);
    if is_list || cluster.digits(index, MAX_PARTS) < SHORTEST {
        return None;
    }
    let start = start(cluster, index);
    let has_sign = start < cluster.group(index).start;
    if !starts_free(cluster, index, start) {
        return None;
    }
    let mut context = Context::new(cluster, start);
    let reaches_end = index + MAX_PARTS >= cluster.count;
    if !has_sign && !may_be_national(cluster, index) && !context.may_name(reaches_end) {
        return None;
    }
    let row = (index..cluster.count)
        .take_while(|&index| !matches!(cluster.gap(index), Gap::None | Gap::Columns))
        .count()
        + 1;
    let most = MAX_PARTS.min(row);
    let singles = cluster
        .lengths(index, most.min(3))
        .filter(|&length| length == 1)
        .count();
    let listed = singles > 1 && gap != Gap::Parenthesis;
    let opens = || bytes::slice(cluster.text, start, cluster.group(index).start).contains(&b'(');
    // `(number % 1000) / 100`
    let is_term = closes(cluster, index) && !opens() && is_operator_next(cluster, index);
    if listed
        || is_term
        || !has_sign && public::is_in_resource_name(cluster.text, start)
        || cluster.digits(index, most) < SHORTEST
    {
        return None;
    }
    let mut digits = [0; LONGEST + 2];
    for (to, digit) in digits.iter_mut().zip(cluster.values(index, most)) {
        *to = digit;
    }
    let mut judged = |strict| {
        (1..=most).rev().find_map(|count| {
            let digits = digits.get(..cluster.digits(index, count))?;
            let (percent, rule) = judge(cluster, index, count, digits, strict, &mut context)?;
            Some((count, percent, rule))
        })
    };
    let (count, percent, rule) = judged(true).or_else(|| has_sign.then(|| judged(false))?)?;
    let end = with_extension(cluster.text, cluster.group(index + count - 1).end);
    scanner.marks.numbers_until = scanner.marks.numbers_until.max(end);
    scanner.push(Detection {
        start: without_enclosing(cluster.text, start, end),
        end,
        entity: EntityType::PHONE,
        score: Score::percent(percent),
        rule,
    });
    Some(count)
}

/// Whether the digits at a group may be grouped like a national number, whatever precedes them.
fn may_be_national(cluster: &Cluster<'_>, index: usize) -> bool {
    const MOBILE: usize = 11;
    let group = cluster.group(index);
    group.len() == MOBILE
        || at(cluster.text, group.start) == b'0'
        || cluster.is_shaped(index, 3, [3, 3, 4])
        || cluster.is_shaped(index, 3, [1, 3, 3])
        || cluster.is_shaped(index, 3, [3, 4, 4])
        || cluster.is_alone(index)
            && country::may_be_telephone(|form| {
                cluster.is_grouped(index, cluster.count - index, form)
            })
}

/// Where the number begins, with its `+` and opening parenthesis.
fn start(cluster: &Cluster<'_>, index: usize) -> usize {
    let text = cluster.text;
    let mut start = cluster.group(index).start;
    if !matches!(cluster.gap_before(index), Gap::None | Gap::Parenthesis) {
        return start;
    }
    if before(text, start) == b'(' {
        start -= 1;
    }
    if before(text, start) == b'+' {
        start -= 1;
    }
    if bytes::slice(text, start.saturating_sub(3), start) == "＋".as_bytes() {
        start -= 3;
    }
    if before(text, start) == b'(' && at(text, start) == b'+' {
        start -= 1;
    }
    start
}

/// The start of a number without the parenthesis around all of it.
fn without_enclosing(text: &[u8], start: usize, end: usize) -> usize {
    let number = bytes::slice(text, start, end);
    let count = |wanted| memchr::memchr_iter(wanted, number).count();
    let encloses = number.first() == Some(&b'(') && count(b'(') > count(b')');
    start + usize::from(encloses)
}

fn starts_free(cluster: &Cluster<'_>, index: usize, start: usize) -> bool {
    let text = cluster.text;
    if index > 0 && start == cluster.group(index).start {
        return cluster.starts_free(index);
    }
    if start == cluster.group(index).start {
        return cluster.cluster_starts_free();
    }
    bytes::begins_word(text, start) && !matches!(before(text, start), b'_' | b'+')
}

/// What the words around a number say; found out at most once, and only when it matters.
struct Context<'c, 't> {
    cluster: &'c Cluster<'t>,
    start: usize,
    telephone: Option<bool>,
    number: Option<bool>,
    other: Option<bool>,
}

impl<'c, 't> Context<'c, 't> {
    const fn new(cluster: &'c Cluster<'t>, start: usize) -> Self {
        Self {
            cluster,
            start,
            telephone: None,
            number: None,
            other: None,
        }
    }

    /// Whether anything may say that this is a telephone number. Words follow the last group only.
    fn may_name(&mut self, reaches_end: bool) -> bool {
        let last = self.cluster.group(self.cluster.count - 1).end;
        self.names_telephone()
            || self.names_number()
            || reaches_end && context::after(self.cluster.text, last, AFTER)
    }

    fn is_named(&mut self, end: usize, grouped: bool) -> bool {
        self.names_telephone()
            || grouped && self.names_number()
            || context::after(self.cluster.text, end, AFTER) && !self.names_other()
    }

    fn names_telephone(&mut self) -> bool {
        let (cluster, start) = (self.cluster, self.start);
        *self.telephone.get_or_insert_with(|| {
            let labelled = || {
                start <= cluster.group(0).start && context::labelled(cluster.text, start, &CONTEXT)
            };
            (cluster.follows(start, clause(cluster.text, start), &CONTEXT) || labelled())
                && !cluster.follows(start, 12, &NOT_PHONES)
        })
    }

    fn names_number(&mut self) -> bool {
        let (cluster, start) = (self.cluster, self.start);
        *self.number.get_or_insert_with(|| {
            cluster.follows(start, 20, &NUMBERS)
                && !cluster.follows(start, context::BACK, &NOT_PHONES)
        })
    }

    fn names_other(&mut self) -> bool {
        let (cluster, start) = (self.cluster, self.start);
        *self
            .other
            .get_or_insert_with(|| cluster.follows(start, 24, &NOT_PHONES))
    }
}

/// How far back a phone number's words may be; directly after `=`, only within its name
/// (`[bug=1403524]`).
fn clause(text: &[u8], start: usize) -> usize {
    const FARTHEST: usize = 28;
    let name_end = start.saturating_sub(1);
    if before(text, start) != b'=' || before(text, name_end) == b']' {
        return FARTHEST;
    }
    1 + bytes::run_back(text, name_end, FARTHEST - 1, |byte| {
        bytes::is_word(byte) || matches!(byte, b' ' | b'-' | b'.')
    })
}

/// Score and rule, when `count` groups from `index` on are a telephone number. Strictly, an international
/// one has a length in use in its country.
fn judge(
    cluster: &Cluster<'_>,
    index: usize,
    count: usize,
    digits: &[u8],
    strict: bool,
    context: &mut Context<'_, '_>,
) -> Option<(u8, &'static str)> {
    let start = context.start;
    let length = digits.len();
    if length < SHORTEST || !ends_free(cluster, index + count - 1) {
        return None;
    }
    let end = cluster.group(index + count - 1).end;
    let plus = cluster
        .text
        .get(start..cluster.group(index).start)
        .is_some_and(|opening| opening.contains(&b'+') || opening.len() > 2);
    if plus {
        return international(cluster, index, count, digits, strict, context);
    }
    if !strict {
        return None;
    }
    if length > LONGEST {
        return None;
    }
    let dotted = matches!(count, 2 | 4) && cluster.joined(index, count, Gap::Dot);
    let operand = count == 1 && is_operand(cluster, index);
    let certain = !operand || cluster.follows(start, 28, &CERTAIN);
    let possible = (count > 1 || length <= 13) && !dotted && certain;
    let is_other = || is_sequence(digits) || is_date(cluster, index, count);
    if possible
        && context.is_named(end, count > 1)
        && !quantity::is_quantity(cluster, index, count)
        && !cluster.is_drawn(index, count)
    {
        // `0800-10-20` is not a date if the text says that it is a phone number.
        let has_trunk = cluster.group(index).len() == 4 && digits.first() == Some(&0);
        let is_other = is_sequence(digits) || !has_trunk && is_date(cluster, index, count);
        return (!is_other).then_some((85, "phone-named"));
    }
    let found = national(cluster, index, count, digits, start)?;
    let is_code = context.names_other()
        || context::is_after(cluster.text, start, NOT_NATIONAL)
        || is_byte_row(cluster, index)
        || is_linked(cluster.text, start, end)
        || count == 1 && (quantity::is_binary(cluster, index) || are_bits(digits))
        || cluster.is_drawn(index, count);
    (!is_code && !is_other()).then_some(found)
}

fn international(
    cluster: &Cluster<'_>,
    index: usize,
    count: usize,
    digits: &[u8],
    strict: bool,
    context: &mut Context<'_, '_>,
) -> Option<(u8, &'static str)> {
    // `+2016-11-01`, `+35236450.6`
    let is_fraction =
        count == 2 && cluster.gap(index) == Gap::Dot && cluster.group(index + 1).len() < 3;
    if is_fraction || count == 3 && is_date(cluster, index, count) {
        return None;
    }
    if phone_metadata::calling_code(digits).is_some() {
        return Some((95, "phone-international"));
    }
    // `+10000-01-01`: a date after the year 9999.
    let is_late = cluster.lengths(index, count).skip(1).eq([2, 2])
        && cluster.joined(index, count, Gap::Dash)
        && cluster.group(index).len() >= 5;
    let plausible =
        !strict && !is_late && phone_metadata::is_assigned(digits) && digits.len() <= LONGEST;
    let end = cluster.group(index + count - 1).end;
    (plausible && (count > 2 || context.is_named(end, true))).then_some((75, "phone-international"))
}

fn national(
    cluster: &Cluster<'_>,
    index: usize,
    count: usize,
    digits: &[u8],
    start: usize,
) -> Option<(u8, &'static str)> {
    let parenthesis = at(cluster.text, start) == b'(';
    if is_north_american(cluster, index, count, digits) {
        return Some((80, "phone-north-american"));
    }
    if let Some(rest) = digits.strip_prefix(&[0, 0])
        && count > 1
        && cluster.group(index).len() > 1
        && !is_list(cluster, index)
        && phone_metadata::calling_code(rest).is_some()
    {
        return Some((85, "phone-international"));
    }
    let longest = if digits.first() == Some(&0) { 13 } else { 11 };
    if parenthesis && closes(cluster, index) && count > 1 && (8..=longest).contains(&digits.len()) {
        return Some((70, "phone-area-code"));
    }
    if is_russian(cluster, index, count, digits) || is_chinese(cluster, index, count, digits) {
        return Some((75, "phone-national"));
    }
    let is_national =
        is_trunk(cluster, index, count, digits) || is_of_country(cluster, index, count);
    is_national.then_some((70, "phone-national"))
}

/// `512 345 678` in Polish, `98765-4321` in Portuguese: grouped as a country prints it, in a text that shows the country.
fn is_of_country(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    let span = cluster.group(index).start..cluster.group(index + count - 1).end;
    let is_alone = cluster.is_alone(index) && index + count == cluster.count;
    is_alone
        && !quantity::is_quantity(cluster, index, count)
        && !quantity::is_amount(cluster.text, &span)
        && country::is_telephone(cluster.text, &span, |form| {
            cluster.is_grouped(index, count, form)
        })
}

/// `555-010-9981`, `(555) 010-9981`, `1-800-555-0199`, `555.010.9981`.
fn is_north_american(cluster: &Cluster<'_>, index: usize, count: usize, digits: &[u8]) -> bool {
    let (shaped, area) = if cluster.is_shaped(index, count, [3, 3, 4]) {
        (true, digits.first())
    } else {
        (
            cluster.is_shaped(index, count, [1, 3, 3, 4]) && digits.first() == Some(&1),
            digits.get(1),
        )
    };
    let gaps = (index..index + count - 1).all(|index| {
        matches!(
            cluster.gap(index),
            Gap::Dash | Gap::Dot | Gap::Parenthesis | Gap::Space
        )
    });
    // `252.227-7013` is a clause of the US rules for contracts.
    let clause = cluster.gap(index) == Gap::Dot && cluster.gap(index + 1) == Gap::Dash;
    shaped && gaps && !clause && area.is_some_and(|&digit| digit >= 2)
}

/// `8 (301) 120-71-42`, `8 444 360 62 57`: the trunk prefix of Russia and its neighbours.
fn is_russian(cluster: &Cluster<'_>, index: usize, count: usize, digits: &[u8]) -> bool {
    digits.first() == Some(&8) && cluster.is_shaped(index, count, [1, 3, 3, 2, 2])
}

/// The eleven digits of a Chinese mobile, bare or as `138-1223-8409`.
fn is_chinese(cluster: &Cluster<'_>, index: usize, count: usize, digits: &[u8]) -> bool {
    let grouped = cluster.is_shaped(index, count, [3, 4, 4])
        && (cluster.joined(index, count, Gap::Dash) || cluster.joined(index, count, Gap::Space))
        && cluster.gap_before(index) != Gap::Space
        && cluster.gap(index + count - 1) != Gap::Space;
    digits.len() == 11
        && matches!(digits, [1, 3..=9, ..])
        && (grouped || count == 1 && !is_operand(cluster, index))
}

/// A number with its trunk zero, grouped as such numbers are, or a bare one of mobile length.
fn is_trunk(cluster: &Cluster<'_>, index: usize, count: usize, digits: &[u8]) -> bool {
    let [0, second, ..] = digits else {
        return false;
    };
    if *second == 0 {
        return false;
    }
    let lengths = || cluster.lengths(index, count);
    if count == 1 {
        return (10..=12).contains(&digits.len()) && !is_operand(cluster, index);
    }
    if is_list(cluster, index) || is_official(cluster, index, count) {
        return false;
    }
    if cluster.gap(index + count - 1) == Gap::Space || cluster.gap(index) == Gap::Dot && count == 2
    {
        return false;
    }
    let first = cluster.group(index).len();
    let uniform = (index + 1..index + count - 1)
        .all(|index| cluster.gap(index) == cluster.gap(index + 1 - 1));
    let rest = lengths().skip(1).all(|length| (2..=8).contains(&length));
    let dots = cluster.gap(index) == Gap::Dot;
    let enough = match cluster.gap(index) {
        _ if dots => 10,
        Gap::Space => 9,
        _ => 8,
    };
    (2..=5).contains(&first) && rest && uniform && (enough..=12).contains(&digits.len())
}

/// Whether an operator follows the parenthesis that closes after the first group.
fn is_operator_next(cluster: &Cluster<'_>, index: usize) -> bool {
    let behind = cluster.group(index).end + 1;
    let spaces = bytes::run(cluster.text, behind, 2, |byte| byte == b' ');
    matches!(at(cluster.text, behind + spaces), b'/' | b'*' | b'%')
}

/// Whether a parenthesis closes after the first group.
fn closes(cluster: &Cluster<'_>, index: usize) -> bool {
    cluster.gap(index) == Gap::Parenthesis && at(cluster.text, cluster.group(index).end) == b')'
}

fn ends_free(cluster: &Cluster<'_>, index: usize) -> bool {
    match cluster.gap(index) {
        Gap::None => {
            let end = cluster.group(index).end;
            crate::detect::text::boundary::free_after(cluster.text, end)
                || with_extension(cluster.text, end) > end
                || at(cluster.text, end) == b'-' && context::after(cluster.text, end, AFTER)
        }
        Gap::Space | Gap::Wide | Gap::Parenthesis | Gap::Columns => true,
        Gap::Dash | Gap::Dot | Gap::Slash => false,
    }
}

/// Moves `end` over an extension: `x123`, ` ext. 12`, `#5`.
fn with_extension(text: &[u8], end: usize) -> usize {
    const WORDS: &[&[u8]] = &[b"extension", b"ext.", b"ext", b"x", b"#", b";ext="];
    let spaces = bytes::run(text, end, 2, |byte| byte == b' ' || byte == b',');
    let from = end + spaces;
    let Some(word) = WORDS
        .iter()
        .find(|word| bytes::slice(text, from, from + word.len()).eq_ignore_ascii_case(word))
    else {
        return end;
    };
    let mut digits_from = from + word.len();
    digits_from += bytes::run(text, digits_from, 2, |byte| {
        byte == b' ' || byte == b':' || byte == b'.'
    });
    let digits = bytes::run(text, digits_from, 8, |byte| byte.is_ascii_digit());
    let extended = digits_from + digits;
    if (1..=7).contains(&digits) && !bytes::is_word(at(text, extended)) {
        extended
    } else {
        end
    }
}
