//! What is assigned to the name of a secret, and is none.

use super::assignment::Assignment;
use crate::detect::bytes::{self, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::name::ends_with;
use std::ops::Range;

/// Whether a value is something else that has such a name.
pub(super) fn is_one(
    text: &[u8],
    name: &Range<usize>,
    assignment: &Assignment,
    value: &str,
) -> bool {
    let own = bytes::slice(text, name.start, name.end);
    let value = value.as_bytes();
    let is_bare = !assignment.span.quoted;
    is_bare && is_cmdlet(value) && before(text, name.start) == b'$'
        || ends_with(own, b"pin") && is_bare && is_of_board(text, name, value)
        || ends_with(own, b"pincode") && is_town(value)
        || is_bare && assignment.form == Form::Next && is_size(own, value)
        || is_login(own, value)
        || is_slot(own, value)
}

/// `Read-Host`, `Get-Random`: a command of `PowerShell`, whose output a variable takes.
fn is_cmdlet(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&[u8]] = &[
        b"Get", b"Read", b"New", b"ConvertTo", b"ConvertFrom", b"Import", b"Invoke", b"Select", b"Join", b"Receive", b"Request",
        b"Resolve", b"Unprotect",
    ];
    let Some(sign) = memchr::memchr(b'-', value) else {
        return false;
    };
    let noun = bytes::slice(value, sign + 1, value.len());
    VERBS.contains(&bytes::slice(value, 0, sign))
        && noun.first().is_some_and(u8::is_ascii_uppercase)
        && noun.iter().all(u8::is_ascii_alphabetic)
}

/// `pin: GPIO21`, `Pin: PB12`, `int pin = 1234;`: a contact of a board.
fn is_of_board(text: &[u8], name: &Range<usize>, value: &[u8]) -> bool {
    const MOST_DIGITS: usize = 2;
    let digits = bytes::run_back(value, value.len(), value.len(), |byte| {
        byte.is_ascii_digit()
    });
    let port = bytes::slice(value, 0, value.len() - digits);
    let is_port = matches!(port, [b'P', b'A'..=b'K'] | [b'P', b'A'..=b'K', b'_'])
        || [&b"GPIO"[..], b"GPIO_NUM_", b"IO"].contains(&port);
    is_port && (1..=MOST_DIGITS).contains(&digits) || port.is_empty() && is_integer(text, name)
}

/// Whether a name is declared as a number: `const int pin`.
fn is_integer(text: &[u8], name: &Range<usize>) -> bool {
    const LONGEST: usize = 12;
    #[rustfmt::skip]
    const TYPES: &[&[u8]] = &[b"int", b"byte", b"short", b"long", b"unsigned", b"uint8_t", b"int8_t", b"uint16_t", b"int16_t", b"uint32_t", b"gpio_num_t"];
    let end = name.start.saturating_sub(1);
    let length = bytes::run_back(text, end, LONGEST, bytes::is_word);
    before(text, name.start) == b' ' && TYPES.contains(&bytes::slice(text, end - length, end))
}

/// The six digits of a town in India.
fn is_town(value: &[u8]) -> bool {
    value.len() == 6 && value.iter().all(u8::is_ascii_digit) && value.first() != Some(&b'0')
}

/// `openssl genrsa -out server.key 2048`: how long the key in a file is.
fn is_size(name: &[u8], value: &[u8]) -> bool {
    ends_with(name, b".key") && value.iter().all(u8::is_ascii_digit)
}

/// `user_login = 'admin'`: what a user is called.
fn is_login(name: &[u8], value: &[u8]) -> bool {
    [
        &b"user_login"[..],
        b"userlogin",
        b"admin_login",
        b"adminlogin",
    ]
    .iter()
    .any(|known| ends_with(name, known))
        && value.iter().all(u8::is_ascii_alphabetic)
}

/// `storageKey: 'theme_v2'`: under which words a browser keeps something.
fn is_slot(name: &[u8], value: &[u8]) -> bool {
    const LONGEST: usize = 32;
    const MOST_DIGITS: usize = 2;
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    [&b"storage_key"[..], b"storagekey", b"storage-key"]
        .iter()
        .any(|known| ends_with(name, known))
        && value.len() < LONGEST
        && digits <= MOST_DIGITS
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-:.".contains(byte))
}
