//! Check digits that are more than a weighted sum, by the name used in `rules/ids`.

use super::checks::{luhn as luhn_of, number, remainder, sum, value, verhoeff};

pub(super) fn luhn(id: &[u8]) -> bool {
    luhn_of(id)
}

pub(super) fn mod_11(id: &[u8]) -> bool {
    remainder(id.iter().copied(), 11) == 0
}

pub(super) fn es_dni(id: &[u8]) -> bool {
    let letter = usize::try_from(number(id, 0, 8) % 23).ok();
    letter.and_then(|letter| b"TRWAGMYFPDXBNJZSQVHLCKE".get(letter)) == id.last()
}

pub(super) fn es_nie(id: &[u8]) -> bool {
    let first = match id.first() {
        Some(b'X') => b'0',
        Some(b'Y') => b'1',
        Some(b'Z') => b'2',
        _ => return false,
    };
    let mut whole = [0; 9];
    for (to, from) in whole.iter_mut().zip(id) {
        *to = *from;
    }
    whole[0] = first;
    es_dni(&whole)
}

pub(super) fn it_codice_fiscale(id: &[u8]) -> bool {
    const ODD: [i32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let [own @ .., last] = id else { return false };
    let even = |byte: u8| value(byte) - if byte.is_ascii_digit() { 0 } else { 10 };
    let values = own.iter().enumerate().map(|(place, &byte)| {
        let even = even(byte);
        if place % 2 == 1 {
            return even;
        }
        let odd = usize::try_from(even).ok().and_then(|even| ODD.get(even));
        odd.copied().unwrap_or(0)
    });
    let is_month = id
        .get(8)
        .is_some_and(|month| b"ABCDEHLMPRST".contains(month));
    let day = number(id, 9, 2);
    let is_day = (1..=31).contains(&day) || (41..=71).contains(&day);
    is_month && is_day && values.sum::<i32>() % 26 == value(*last) - 10
}

pub(super) fn fr_nir(id: &[u8]) -> bool {
    // Corsica: `2A` counts as 19, `2B` as 18.
    let department = id.get(5..7).unwrap_or_default();
    let corsica = match department {
        b"2A" => Some(*b"19"),
        b"2B" => Some(*b"18"),
        _ if department.iter().all(u8::is_ascii_digit) => None,
        _ => return false,
    };
    let digits = id.iter().enumerate().take(13).map(|(place, &byte)| {
        let instead = corsica.and_then(|both| both.get(place.checked_sub(5)?).copied());
        instead.unwrap_or(byte)
    });
    let month = number(id, 3, 2);
    let is_month = matches!(month, 1..=12 | 20..=42 | 50..=99);
    let is_sex = matches!(id.first(), Some(b'1' | b'2' | b'3' | b'4' | b'7' | b'8'));
    let key = u64::try_from(number(id, 13, 2)).unwrap_or(0);
    is_sex && is_month && remainder(digits, 97) + key == 97
}

pub(super) fn be_rijksregister(id: &[u8]) -> bool {
    let (birth, check) = (number(id, 0, 9), number(id, 9, 2));
    let fits = |birth: i64| 97 - birth % 97 == check;
    fits(birth) || fits(2_000_000_000 + birth)
}

/// Seventeen signs, as those of a vehicle.
pub(super) fn vin(id: &[u8]) -> bool {
    let digits = id.iter().filter(|byte| byte.is_ascii_digit()).count();
    super::vin::is_formed(id) && digits > 4
}

/// German passports and identity cards: no vowels and no letters like digits. The check digit may follow.
pub(super) fn de_document(id: &[u8]) -> bool {
    const LETTERS: &[u8] = b"CFGHJKLMNPRTVWXYZ";
    let is_sign = |byte: &u8| byte.is_ascii_digit() || LETTERS.contains(byte);
    let digits = id.iter().filter(|byte| byte.is_ascii_digit()).count();
    id.iter().all(is_sign) && digits > 2
}

pub(super) fn se_luhn_12(id: &[u8]) -> bool {
    luhn_of(id.get(2..).unwrap_or_default())
}

pub(super) fn fi_hetu(id: &[u8]) -> bool {
    const SIGNS: &[u8] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    // The letter for the century, if the number has one.
    let letter = id.get(6).filter(|byte| byte.is_ascii_alphabetic());
    let is_century = letter.is_none_or(|letter| b"ABCDEFUVWXY".contains(letter));
    let serial = if letter.is_some() { 7 } else { 6 };
    let digits = number(id, 0, 6) * 1000 + number(id, serial, 3);
    let sign = usize::try_from(digits % 31)
        .ok()
        .and_then(|sign| SIGNS.get(sign));
    is_century && id.len() == serial + 4 && sign == id.last()
}

pub(super) fn lv_personas_kods(id: &[u8]) -> bool {
    let check = 1101 - sum(id, &[1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    Some(check % 11 % 10) == id.last().map(|last| value(*last))
}

/// Born before 1997 by rising weights, later by falling ones.
pub(super) fn hu_szemelyi_szam(id: &[u8]) -> bool {
    let Some([first, .., last]) = id.get(..11) else {
        return false;
    };
    let rising = sum(id, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11;
    let falling = sum(id, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    (b'1'..=b'8').contains(first) && [rising, falling].contains(&value(*last))
}

pub(super) fn ro_cnp(id: &[u8]) -> bool {
    let check = sum(id, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if check == 10 { 1 } else { check };
    let county = number(id, 7, 2);
    let is_county = matches!(county, 1..=48 | 51 | 52 | 70 | 80..=83);
    is_county
        && matches!(id.first(), Some(b'1'..=b'9'))
        && id.last().map(|last| value(*last)) == Some(check)
}

/// The numbers of the republics of Yugoslavia; years have three digits.
pub(super) fn jmbg(id: &[u8]) -> bool {
    let check = 11 - sum(id, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if check > 9 { 0 } else { check };
    let is_year = matches!(number(id, 4, 3), 900..=999 | 0..=40);
    is_year && id.last().map(|last| value(*last)) == Some(check)
}

pub(super) fn lu_matricule(id: &[u8]) -> bool {
    let first = id.get(..12).unwrap_or_default();
    let mut second = [0; 12];
    let digits = id.iter().take(11).chain(id.last());
    for (to, from) in second.iter_mut().zip(digits) {
        *to = *from;
    }
    luhn_of(first) && verhoeff(&second)
}

pub(super) fn gb_nino(id: &[u8]) -> bool {
    let [first, second, .., last] = id else {
        return false;
    };
    let is_prefix = !b"DFIQUV".contains(first)
        && !b"DFIOQUV".contains(second)
        && ![b"BG", b"GB", b"NK", b"KN", b"TN", b"NT", b"ZZ"].contains(&&[*first, *second]);
    is_prefix && (b'A'..=b'D').contains(last)
}

pub(super) fn mx_curp(id: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"0123456789ABCDEFGHIJKLMN_OPQRSTUVWXYZ";
    let [own @ .., last] = id else { return false };
    let place = |byte: &u8| ALPHABET.iter().position(|known| known == byte);
    let weighted = own.iter().zip((2..=18).rev()).map(|(byte, weight)| {
        let place = place(byte).and_then(|place| i32::try_from(place).ok());
        place.unwrap_or(0) * weight
    });
    let check = (10 - weighted.sum::<i32>() % 10) % 10;
    matches!(id.get(10), Some(b'H' | b'M' | b'X')) && check == value(*last)
}

pub(super) fn mx_rfc(id: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ ";
    let [own @ .., last] = id else { return false };
    let place = |byte: u8| ALPHABET.iter().position(|known| *known == byte);
    // Companies have three letters, preceded by a space.
    let padding = std::iter::repeat_n(b' ', 12_usize.saturating_sub(own.len()));
    let weighted = padding.chain(own.iter().copied()).zip((2..=13).rev());
    let values = weighted.map(|(byte, weight)| {
        let place = place(byte).and_then(|place| i32::try_from(place).ok());
        place.unwrap_or(0) * weight
    });
    let check = match 11 - values.sum::<i32>() % 11 {
        11 => b'0',
        10 => b'A',
        digit => b'0' + u8::try_from(digit).unwrap_or(0),
    };
    check == *last
}

/// Luhn's sum with letters from 10 on.
pub(super) fn pt_cartao_de_cidadao(id: &[u8]) -> bool {
    let values = id.iter().rev().enumerate().map(|(place, &byte)| {
        let double = 2 * value(byte);
        match place % 2 {
            0 => value(byte),
            _ if double > 9 => double - 9,
            _ => double,
        }
    });
    values.sum::<i32>() % 10 == 0
}

/// Luhn's sum of the digits after `ATU`, and 4.
pub(super) fn at_uid(id: &[u8]) -> bool {
    let Some((last, digits)) = id.get(3..).and_then(<[u8]>::split_last) else {
        return false;
    };
    let values = digits.iter().enumerate().map(|(place, &byte)| {
        let double = 2 * value(byte);
        if place % 2 == 0 {
            value(byte)
        } else {
            double / 10 + double % 10
        }
    });
    (values.sum::<i32>() + value(*last) + 4) % 10 == 0
}

pub(super) fn br_cpf(id: &[u8]) -> bool {
    let first = sum(id, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    let second = sum(id, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    number(id, 9, 2) == i64::from(first * 10 + second)
}

pub(super) fn br_cnpj(id: &[u8]) -> bool {
    let first = sum(id, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    let second = sum(id, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    number(id, 12, 2) == i64::from(first * 10 + second)
}

pub(super) fn cl_rut(id: &[u8]) -> bool {
    let [own @ .., last] = id else { return false };
    let digits = own.iter().rev().zip([2, 3, 4, 5, 6, 7].into_iter().cycle());
    let total: i32 = digits.map(|(&digit, weight)| value(digit) * weight).sum();
    let check = match 11 - total % 11 {
        11 => b'0',
        10 => b'K',
        digit => b'0' + u8::try_from(digit).unwrap_or(0),
    };
    check == *last && own.iter().all(u8::is_ascii_digit)
}

pub(super) fn co_nit(id: &[u8]) -> bool {
    let check = match sum(id, &[41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11 {
        check @ 0..=1 => check,
        check => 11 - check,
    };
    id.last().map(|last| value(*last)) == Some(check)
}

pub(super) fn cn_resident_id(id: &[u8]) -> bool {
    let weighted = sum(id, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let check = b"10X98765432".get(usize::try_from(weighted % 11).unwrap_or(0));
    check == id.last()
}

pub(super) fn tw_national_id(id: &[u8]) -> bool {
    // The values of A to Z, as the office gave them.
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVXYWZIO";
    let [letter, second, ..] = id else {
        return false;
    };
    let Some(place) = LETTERS.iter().position(|known| known == letter) else {
        return false;
    };
    let place = i32::try_from(place).unwrap_or(0) + 10;
    let digits = id.get(1..).unwrap_or_default();
    let total = place / 10 + place % 10 * 9 + sum(digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    matches!(second, b'1' | b'2' | b'8' | b'9') && total % 10 == 0
}

pub(super) fn hk_identity_card(id: &[u8]) -> bool {
    // A single letter counts as if preceded by a space, and a space as 36.
    let lone = if id.len() == 8 { 36 * 9 } else { 0 };
    let weights: &[i32] = &[9, 8, 7, 6, 5, 4, 3, 2, 1];
    let weights = weights.get(9 - id.len().min(9)..).unwrap_or_default();
    let is_check = id
        .last()
        .is_some_and(|last| last.is_ascii_digit() || *last == b'A');
    is_check && (lone + sum(id, weights)) % 11 == 0
}

pub(super) fn sg_nric(id: &[u8]) -> bool {
    let Some([first, digits @ .., last]) = id.get(..9) else {
        return false;
    };
    let (offset, signs): (i32, &[u8]) = match first {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"XWUTRQPNJLK"),
        _ => return false,
    };
    let place = (offset + sum(digits, &[2, 7, 6, 5, 4, 3, 2])) % 11;
    signs.get(usize::try_from(place).unwrap_or(0)) == Some(last)
}

pub(super) fn kr_rrn(id: &[u8]) -> bool {
    let check = (11 - sum(id, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10;
    matches!(id.get(6), Some(b'1'..=b'8')) && id.last().map(|last| value(*last)) == Some(check)
}

/// No check digit; the place of birth is one of those in use.
pub(super) fn my_mykad(id: &[u8]) -> bool {
    let place = number(id, 6, 2);
    matches!(place, 1..=16 | 21..=68 | 71..=72 | 74..=79 | 82..=93 | 98..=99)
}

pub(super) fn th_national_id(id: &[u8]) -> bool {
    let check = 11 - sum(id, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    id.first() != Some(&b'0') && id.last().map(|last| value(*last)) == Some(check % 10)
}

/// The fourth letter says that the holder is a person.
pub(super) fn in_pan(id: &[u8]) -> bool {
    id.get(3) == Some(&b'P')
}

pub(super) fn in_gstin(id: &[u8]) -> bool {
    let [own @ .., last] = id else { return false };
    let total: i32 = own
        .iter()
        .enumerate()
        .map(|(place, &byte)| {
            let product = value(byte) * if place % 2 == 1 { 2 } else { 1 };
            product / 36 + product % 36
        })
        .sum();
    id.get(13) == Some(&b'Z') && (36 - total % 36) % 36 == value(*last)
}

pub(super) fn za_id(id: &[u8]) -> bool {
    matches!(id.get(10), Some(b'0'..=b'2')) && luhn_of(id)
}

pub(super) fn ru_snils(id: &[u8]) -> bool {
    let check = sum(id, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
    number(id, 9, 2) == i64::from(check)
}

pub(super) fn tr_kimlik(id: &[u8]) -> bool {
    let digit = |place| i32::try_from(number(id, place, 1)).unwrap_or(0);
    let odd = digit(0) + digit(2) + digit(4) + digit(6) + digit(8);
    let even = digit(1) + digit(3) + digit(5) + digit(7);
    let tenth = (odd * 7 - even).rem_euclid(10);
    id.first() != Some(&b'0') && digit(9) == tenth && digit(10) == (odd + even + tenth) % 10
}
