//! Personal data that looks real: valid check digits, valid ranges, nobody's.

use super::half::Half;
use super::random::Random;
use super::secret::{from, hex_of, one_of};
use super::words::Words;

/// Telephone numbers that anybody recognises; `#` is a digit, `+` one from 2 to 9.
#[rustfmt::skip]
const INTERNATIONAL: &[&str] = &[
    "+1 212 5## ####", "+1 (415) 7##-####", "+1-312-6##-####", "+13054######", "+44 20 7### ####", "+44 7700 ######", "+49 30 +#######", "+49 151 +######", "+49 (0)89 +######",
    "+4917########", "+33 6 ## ## ## ##", "+33 1 4# ## ## ##", "+33612######", "+34 6## ### ###", "+34 91 +## ## ##", "+39 347 ### ####", "+39 06 +### ####", "+48 60# ### ###", "+48 22 6## ## ##",
    "+48501######", "+31 6 +#######", "+31 20 6## ####", "+32 47# ## ## ##", "+41 79 +## ## ##", "+43 664 +######", "+46 70 +## ## ##", "+47 9## ## ###", "+45 2# ## ## ##", "+358 40 +######", "+351 91# ### ###",
    "+420 60# ### ###", "+36 30 +## ####", "+40 72# ### ###", "+30 697 ### ####", "+90 532 +## ## ##", "+7 916 +##-##-##", "+380 67 +## ## ##", "+81 90-+###-####", "+82 10-+###-####", "+86 138 #### ####",
    "+91 98### #####", "+55 11 9+###-####", "+52 55 +### ####", "+61 4## ### ###", "+64 21 +## ####", "+27 82 +## ####", "+972 54-+##-####", "+65 9### ####",
];

/// Telephone numbers as they are written in a country.
#[rustfmt::skip]
const NATIONAL: &[&str] = &[
    "(212) 5##-####", "415-7##-####", "312.6##.####", "020 7### ####", "07700 ######", "030 +#######", "0151 +#######", "089/+######", "06 ## ## ## ##", "01 4# ## ## ##", "6## ## ## ##", "347 ### ####",
    "60# ### ###", "22 6## ## ##", "06-+#######", "070-+## ## ##", "0664 +######", "079 +## ## ##", "8 (916) +##-##-##", "090-+###-####", "010-+###-####", "(11) 9+###-####", "04## ### ###",
];

const MAIL_ENDS: &[&str] = &[
    "gmail.com",
    "outlook.com",
    "web.de",
    "wp.pl",
    "orange.fr",
    "proton.me",
    "yahoo.co.uk",
    "mail.ru",
    "icloud.com",
    "qq.com",
    "libero.it",
    "example.com",
    "gmx.net",
    "company.io",
];

/// A personal datum with its type; `None` when the hole is for something else.
pub(super) fn draw(hole: &str, random: &mut Random, half: Half) -> Option<(&'static str, String)> {
    Some(match hole {
        "email" => ("EMAIL", email(random, half)),
        "phone" => {
            let list = if random.one_in(2) {
                INTERNATIONAL
            } else {
                NATIONAL
            };
            ("PHONE", phone(random, list, half))
        }
        "intl" => ("PHONE", phone(random, INTERNATIONAL, half)),
        "card" => ("CREDIT_CARD", card(random)),
        "ipv4" => ("IP_ADDRESS", ipv4(random)),
        "ipv6" => ("IP_ADDRESS", ipv6(random)),
        "ssn" => ("US_SSN", ssn(random)),
        _ => return None,
    })
}

fn email(random: &mut Random, half: Half) -> String {
    let words = Words::get(half);
    let (name, word) = (random.pick(&words.people), random.pick(&words.english));
    let local = match random.below(6) {
        0 => format!("{name}.{word}"),
        1 => format!("{name}{}", random.between(1, 99)),
        2 => format!("{word}_{name}"),
        3 => format!("{name}+{word}"),
        4 => format!("{}.{word}", &name[..1]),
        _ => name.to_owned(),
    };
    let domain = match random.below(3) {
        0 => format!(
            "{}.{}",
            random.pick(&words.foreign),
            random.pick(&["com", "de", "org", "io", "pl", "co.uk", "net", "fr"])
        ),
        1 => format!("mail.{}.org", random.pick(&words.english)),
        _ => random.pick(MAIL_ENDS).to_owned(),
    };
    format!("{local}@{domain}")
}

/// One of the patterns of a half, with its digits drawn.
fn phone(random: &mut Random, patterns: &[&str], half: Half) -> String {
    let pattern = one_of(random, patterns, half);
    let (plus, rest) = pattern
        .strip_prefix('+')
        .map_or(("", pattern), |rest| ("+", rest));
    let rest = rest.chars().map(|sign| match sign {
        '#' => from(random, "0123456789", 1),
        '+' => from(random, "23456789", 1),
        other => other.to_string(),
    });
    plus.to_owned() + &rest.collect::<String>()
}

/// A number with a known issuer and its Luhn digit, ISO/IEC 7812-1.
fn card(random: &mut Random) -> String {
    let issuer = random.pick(&[
        "4539", "4716", "4024", "5105", "5425", "5555", "6011", "3528", "3782", "3714",
    ]);
    let length = if issuer.starts_with("37") { 15 } else { 16 };
    let mut number = format!("{issuer}{}", from(random, "0123456789", length - 5));
    number.push(luhn_digit(&number));
    let groups: &[usize] = if length == 15 {
        &[4, 6, 5]
    } else {
        &[4, 4, 4, 4]
    };
    let separator = random.pick(&["", " ", " ", "-"]);
    grouped(&number, groups).join(separator)
}

fn grouped<'a>(number: &'a str, groups: &[usize]) -> Vec<&'a str> {
    let mut rest = number;
    groups
        .iter()
        .map(|&length| {
            let (group, behind) = rest.split_at(length);
            rest = behind;
            group
        })
        .collect()
}

/// The digit that makes a number valid.
fn luhn_digit(number: &str) -> char {
    let sum: u32 = number
        .chars()
        .rev()
        .filter_map(|digit| digit.to_digit(10))
        .enumerate()
        .map(|(index, digit)| {
            if index % 2 == 0 {
                digit * 2 / 10 + digit * 2 % 10
            } else {
                digit
            }
        })
        .sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

/// Sixteen digits of which the last is wrong.
pub(super) fn not_luhn(random: &mut Random) -> String {
    let number = format!("9{}", from(random, "0123456789", 14));
    let right = luhn_digit(&number).to_digit(10).unwrap_or_default();
    format!("{number}{}", (right + 5) % 10)
}

/// An address that is somebody's: not of RFC 5737, loopback or multicast.
fn ipv4(random: &mut Random) -> String {
    let first = random.pick(&[10, 45, 62, 77, 85, 91, 104, 141, 151, 178, 185, 194, 212]);
    format!(
        "{first}.{}.{}.{}",
        random.between(10, 250),
        random.between(1, 250),
        random.between(2, 250)
    )
}

fn ipv6(random: &mut Random) -> String {
    let network = random.pick(&[
        "2a02:8109",
        "2001:4860",
        "2a01:4f8",
        "2604:a880",
        "2400:cb00",
        "fd12:3456",
    ]);
    let (first, second) = (hex_of(random, 4), hex_of(random, 4));
    match random.below(3) {
        0 => format!("{network}:{first}::{second}"),
        1 => format!("{network}::{}", random.between(1, 9)),
        _ => {
            let rest: Vec<String> = (0..6)
                .map(|_| format!("{}{}", random.between(1, 9), hex_of(random, 3)))
                .collect();
            format!("{network}:{}", rest.join(":"))
        }
    }
}

/// Area, group and serial that the Social Security Administration could have issued.
fn ssn(random: &mut Random) -> String {
    let area = loop {
        let area = random.between(1, 899);
        if area != 666 {
            break area;
        }
    };
    format!(
        "{area:03}-{:02}-{:04}",
        random.between(1, 99),
        random.between(1, 9999)
    )
}

#[cfg(test)]
mod tests {
    use super::luhn_digit;

    #[test]
    fn luhn_digits_match_known_numbers() {
        assert_eq!(luhn_digit("411111111111111"), '1');
        assert_eq!(luhn_digit("37828224631000"), '5');
    }
}
