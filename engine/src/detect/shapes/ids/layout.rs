//! The layouts of numbers, and the checks that identify them.

use super::tables::{BY_DIGITS, BY_LETTERS, Form, NUMBERS, Number};
use super::{begins_free, checks};
use crate::detect::bytes::{self, at};
use crate::detect::shapes::{context, country};
use crate::detect::text::boundary::free_after;
use std::ops::Range;

/// Most letters and digits of a number.
const CHARACTERS: usize = 28;

/// Most groups of letters before the digits of a number, and most letters in one: `AB 12 34 56 C`, `RSS MRA 85T10 A562S`.
const GROUPS: usize = 2;
const LETTERS: usize = 3;

/// The number that is written at a word or a little before it.
pub(super) fn find(text: &[u8], word: &Range<usize>) -> Option<(Range<usize>, &'static Number)> {
    let mut start = word.start;
    for _ in 0..=GROUPS {
        if let Some((end, number)) = find_at(text, start).filter(|(end, _)| *end >= word.end) {
            let is_order = number.date.is_some() && is_dated_order(text, &(start..end));
            let is_free = begins_free(text, start) && !is_order;
            return is_free.then_some((start..end, number));
        }
        let end = start.checked_sub(1)?;
        let letters = bytes::run_back(text, end, LETTERS + 1, |byte| byte.is_ascii_alphabetic());
        let is_group = (1..=LETTERS).contains(&letters)
            && matches!(at(text, end), b' ' | b'-')
            && !bytes::before(text, end - letters).is_ascii_alphanumeric();
        if !is_group {
            return None;
        }
        start = end - letters;
    }
    None
}

/// Whether a number with a date is that of an order: a word says so, or the next one beside it has the same date.
fn is_dated_order(text: &[u8], span: &Range<usize>) -> bool {
    #[rustfmt::skip]
    const ORDERS: &[&str] = &[
        "order", "orders", "invoice", "invoices", "ticket", "tickets", "batch", "batches", "lot", "lots", "case", "job", "build", "ref", "reference",
        "rechnung", "rechnungen", "auftrag", "charge", "chargen", "bestellung", "lieferschein", "beleg", "faktura", "fakturor", "ärende", "ordre",
        "facture", "commande", "lote", "factura", "pedido", "fattura", "ordine", "factuur", "bestelling", "faktury", "zamówienie", "partia",
    ];
    let own = bytes::slice(text, span.start, span.end);
    let Some(date) = memchr::memchr(b'-', own).filter(|date| *date > 5) else {
        return false;
    };
    let gap = own.len() + ", ".len();
    let date = bytes::slice(own, 0, date + 1);
    let is_date = |start: Option<usize>| {
        start.is_some_and(|start| bytes::slice(text, start, start + date.len()) == date)
    };
    context::is_labelled(text, span.start, ORDERS)
        || is_date(Some(span.start + gap))
        || is_date(span.start.checked_sub(gap))
}

fn find_at(text: &[u8], start: usize) -> Option<(usize, &'static Number)> {
    let digits = bytes::run(text, start, CHARACTERS, |byte| byte.is_ascii_digit());
    let (layouts, count) = if digits > 0 {
        (BY_DIGITS.get(digits), digits)
    } else {
        let letters = bytes::run(text, start, CHARACTERS, |byte| byte.is_ascii_alphabetic());
        (BY_LETTERS.get(letters), letters)
    };
    let next = at(text, start + count);
    // Most fail at what follows the first digits or letters.
    let may_stand = |layout: &str| match layout.as_bytes().get(count) {
        Some(b'd') => next.is_ascii_digit(),
        Some(b'a') => next.is_ascii_alphabetic(),
        Some(b'x') => next.is_ascii_alphanumeric(),
        Some(b' ') => matches!(next, b' ' | 0xC2),
        Some(sign) => *sign == next,
        None => true,
    };
    let mut layouts = layouts?.iter().filter(|(layout, _)| may_stand(layout));
    layouts.find_map(|(layout, index)| {
        let number = NUMBERS.get(usize::from(*index))?;
        let end = proven_end(text, start, layout, number)?;
        Some((end, number))
    })
}

fn proven_end(text: &[u8], start: usize, layout: &str, number: &Number) -> Option<usize> {
    let mut buffer = [0; CHARACTERS];
    let (end, count) = read(text, start, layout, &mut buffer)?;
    let id = buffer.get(..count)?;
    let is_plain = layout.bytes().all(|sign| sign == b'd');
    let is_shown = || {
        let mut countries = number.plain.iter();
        countries.any(|country| country::is_shown(text, &(start..end), country))
    };
    let counts = || !is_plain || number.plain.is_empty() || is_shown();
    (free_after(text, end) && checks::hold(number, id) && counts()).then_some(end)
}

/// Where the number of an abbreviation ends that begins at `start`.
pub(super) fn form_end(text: &[u8], start: usize, form: &Form) -> Option<usize> {
    form.layouts.iter().find_map(|layout| {
        let mut buffer = [0; CHARACTERS];
        let (end, count) = read(text, start, layout, &mut buffer)?;
        let holds = checks::hold(&form.number, buffer.get(..count)?);
        (holds && free_after(text, end)).then_some(end)
    })
}

/// Where a number with this layout ends, and how many characters it has, which are written to `id` as capitals.
fn read(
    text: &[u8],
    start: usize,
    layout: &str,
    id: &mut [u8; CHARACTERS],
) -> Option<(usize, usize)> {
    let (mut index, mut count) = (start, 0);
    let (mut upper, mut lower) = (false, false);
    for sign in layout.bytes() {
        let byte = at(text, index);
        let belongs = match sign {
            b'd' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            b'x' => byte.is_ascii_alphanumeric(),
            b' ' if bytes::slice(text, index, index + 2) == b"\xC2\xA0" => {
                index += 2;
                continue;
            }
            _ if byte == sign => {
                index += 1;
                continue;
            }
            _ => false,
        };
        if !belongs {
            return None;
        }
        upper |= byte.is_ascii_uppercase();
        lower |= byte.is_ascii_lowercase();
        *id.get_mut(count)? = byte.to_ascii_uppercase();
        count += 1;
        index += 1;
    }
    // `Ab1234` is a word of code.
    (!(upper && lower)).then_some((index, count))
}
