//! Names that secrets are assigned to.

use super::vocabulary::{
    self, LOOSE, MEDIUM, NOT_KEY, NOT_TOKEN, PART, PASSWORD, QUALIFIER, Roles, SECRET, SKIPPED,
    TAIL, WEAK,
};
use crate::detect::bytes;
use std::ops::Range;

/// Farthest that a name is followed to either side of its stem, in bytes.
const LONGEST: usize = 64;

/// Longest name of one word, in bytes.
const LONGEST_WHOLE: usize = 60;
/// Most words of a name that does not end with the one that makes it a secret's.
const MOST_WORDS: usize = 6;

/// Longest word before a name that is read, in bytes.
const LONGEST_BEFORE: usize = 16;

const TOKEN: &[u8] = b"token";

/// How surely a value of this name is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::detect) enum Strength {
    /// `key`, `access`, `login`: only values that look generated.
    Weak,
    /// `token`, `api_key`, `credential`: not a word.
    Medium,
    /// `password`, `secret`: nearly anything.
    Strong,
}

/// A name in a text.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
pub(in crate::detect) struct Name {
    pub(in crate::detect) range: Range<usize>,
    pub(in crate::detect) strength: Strength,
    pub(in crate::detect) is_password: bool,
    /// Ends with the word that makes it a secret's name, as `setPassword` does.
    pub(in crate::detect) ends_secret: bool,
    /// The bare word `scanner`, which is a verb as well.
    pub(in crate::detect) is_verb: bool,
    /// A number of a few digits is assigned to it.
    pub(in crate::detect) is_pin: bool,
    /// The word `token` alone.
    pub(in crate::detect) is_bare_token: bool,
    /// A token or key that is assigned to it lets in, as `api_key` does.
    pub(in crate::detect) is_token: bool,
}

/// Stems in the order of the table; the scan searches for each of them in any case.
#[rustfmt::skip]
pub(in crate::detect) const STEMS: &[&str] = &[
    "pass", "pwd", "pswd", "passw", "secret", "token", "key", "auth", "cred", "access", "login",
    "signature", "cookie", "session", "haslo", "hasł", "contrase", "парол", "Парол", "ПАРОЛ", "密码", "密碼",
    "口令", "パスワード", "비밀번호", "kennwort", "senha", "clave", "parola", "wachtwoord", "lösenord",
    "şifre", "Şifre", "sifre", "salasana", "heslo", "jelszo", "jelszó", "sandi", "khẩu", "identified",
    "private", "licen", "webhook", "dsn=", "sig=", "hmac", "salt", "_pat", "pw:", "pw=", "pw =", "pw ", "_pw",
    "pw\"", "'pw'", "#pw", "psk=", "psk:", "psk =", "psk\"", "rootpw", "bindpw", "mdp", "_mdp", "pin=", "pin:", "pin\"", "pin =", "pin ", "otp=", "otp:", "otp\"", "otp ", "pepper", "_seed", "otpseed", "mfaseed", "seed_phrase", "seed phrase", "seedphrase", "seed words",
    "backup code", "backup_code", "backup-code", "backupcode", "recovery code", "recovery_code", "recovery-code", "recoverycode",
    "backup phrase", "recovery phrase", "recovery_phrase", "recoveryphrase", "mnemonic", "_pk=", "sessid", "กุญแจ", "รหัสผ่าน",
    "المرور", "סיסמה", "κωδικ", "adgangskode", "पासवर्ड", "lozink", "лозинк", "passord", "geslo", "parolă", "كلمة السر",
    "psw", "p/w", "hasŁ", "lÖsenord", "jelszÓ", "ΚΩΔΙΚ", "Κωδικ", "losenord", "parool", "kodeord", "zaporka", "slaptažodis", "khau", "geheim",
    "pincode", "pin_code", "pin-code", "pin code", "setpin", "door code", "door_code", "doorcode", "zugangscode", "暗証番号",
    "\"assword", "'assword", "*assword", "?assword", "klucz", "schlüssel", "chave_secreta", "chave secreta", "chavesecreta", "chave_api", "chave api", "chaveapi", "chiave_", "chiave ", "chiaveapi", "chiavesegreta",
    "비번", "κωδικός πρόσβασης", "Κωδικός πρόσβασης", "ΚΩΔΙΚΟΣ ΠΡΟΣΒΑΣΗΣ", "رمز عبور", "گذرواژه", "পাসওয়ার্ড", "பாஸ்வேர்ட்", "ססמה", "סיסמא", "暗号", "jelszava",
    "parole:", "parole=", "pasahitz", "digicode", "freischaltcode", "aktivierungscode", "пин", "Пин", "ПИН",
    "pre-shared key", "preshared key",
    "clé_", "clé ", "cléapi", "clÉ_", "schlÜssel", "parolĂ", "slaptaŽodis", "ключ", "Ключ", "КЛЮЧ", "密钥", "密鑰", "访问令牌", "アクセストークン", "秘密鍵",
];

impl Name {
    /// The letters of a stem at `at`, without its required surroundings.
    pub(in crate::detect) fn stem(stem: &str, at: usize) -> Range<usize> {
        let is_beside = |byte: &&u8| byte.is_ascii() && !bytes::is_word(**byte);
        let before = stem.bytes().take_while(|byte| is_beside(&byte)).count();
        let behind = stem
            .bytes()
            .rev()
            .take_while(|byte| is_beside(&byte))
            .count();
        at + before..at + stem.len() - behind
    }

    /// Where the name around a stem begins and ends.
    pub(in crate::detect) fn extent(text: &[u8], stem: &Range<usize>) -> Range<usize> {
        // Characters next to a stem in a script without spaces are not part of the name.
        let spaceless = matches!(bytes::at(text, stem.start), 0xE3..=0xED);
        let back = if spaceless {
            0
        } else {
            bytes::run_back(text, stem.start, LONGEST, is_name)
        };
        let back = back - sign_end(bytes::slice(text, stem.start - back, stem.start));
        let forward = if spaceless {
            0
        } else {
            let length = bytes::run(text, stem.end, LONGEST, is_name);
            sign_start(bytes::slice(text, stem.end, stem.end + length))
        };
        let mut range = stem.start - back..stem.end + forward;
        let escapes = matches!(bytes::at(text, range.start), b'n' | b'r' | b't');
        if escapes && bytes::before(text, range.start) == b'\\' && range.start < stem.start {
            range.start += 1;
        }
        // `%22password`
        let digits = bytes::slice(text, range.start, stem.start.min(range.start + 2));
        let is_encoded = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
        if is_encoded && bytes::before(text, range.start) == b'%' {
            range.start += 2;
        }
        while range.start < stem.start && matches!(bytes::at(text, range.start), b'-' | b'.') {
            range.start += 1;
        }
        while range.end > stem.end && matches!(bytes::before(text, range.end), b'.' | b'-') {
            range.end -= 1;
        }
        range
    }

    /// The name in `range`, when secrets are assigned to such names.
    pub(in crate::detect) fn of(text: &[u8], range: Range<usize>) -> Option<Self> {
        let mut name = Self::judge(text, range)?;
        if name.strength == Strength::Strong {
            return Some(name);
        }
        let before = roles_before(text, name.range.start);
        if before & disqualifier(bytes::slice(text, name.range.start, name.range.end)) != 0 {
            return None;
        }
        if name.strength == Strength::Weak && before & QUALIFIER != 0 {
            name.strength = Strength::Medium;
            name.is_token = true;
        }
        Some(name)
    }

    /// Whether [`Name::of`] says the same of two names: the words before them count, too.
    pub(in crate::detect) fn is_same(
        text: &[u8],
        first: &Range<usize>,
        second: &Range<usize>,
    ) -> bool {
        let whole = |name: &Range<usize>| {
            bytes::slice(
                text,
                name.start.saturating_sub(1 + LONGEST_BEFORE),
                name.end,
            )
        };
        first.len() == second.len() && whole(first) == whole(second)
    }

    /// A name that several values are assigned to: `tokens`.
    pub(in crate::detect) fn of_several(text: &[u8], range: Range<usize>) -> Option<Self> {
        let plural = bytes::before(text, range.end) | 0x20 == b's';
        let singular = range.start..range.end - usize::from(plural && range.len() > 1);
        Self::of(text, singular).or_else(|| Self::of(text, range))
    }

    /// A name that is separate from its value, as a JSON key is.
    pub(in crate::detect) fn whole(name: &str) -> Option<Self> {
        Self::judge(name.as_bytes(), 0..name.len())
    }

    /// A name that ends with its stem, whatever letters follow.
    pub(in crate::detect) fn ending(text: &[u8], stem: Range<usize>) -> Option<Self> {
        let back = bytes::run_back(text, stem.start, LONGEST, is_name);
        Self::judge(text, stem.start - back..stem.end)
    }

    fn judge(text: &[u8], range: Range<usize>) -> Option<Self> {
        let name = bytes::slice(text, range.start, range.end);
        // Names are never as long as a line of Base64.
        if name.len() > LONGEST_WHOLE && !name.iter().any(|byte| b"._-".contains(byte)) {
            return None;
        }
        let judged = Judged::of(name)?;
        Some(Self {
            range,
            strength: judged.strength,
            is_password: judged.is_password,
            ends_secret: judged.ends_secret,
            is_verb: name.eq_ignore_ascii_case(b"pass"),
            is_pin: judged.is_pin,
            is_bare_token: name.len() <= TOKEN.len() + 2 && ends_with(name, TOKEN),
            is_token: judged.strength == Strength::Medium
                && (ends_with(name, TOKEN) || ends_with(name, b"key") || judged.is_loose),
        })
    }
}

const fn is_name(byte: u8) -> bool {
    const NAME: bytes::Set = bytes::Set::word().with(b"-.").with_all(0x80, 0xFF);
    NAME.holds(byte)
}

/// Where the last symbol before a stem ends, such as the arrow after a line number.
fn sign_end(lead: &[u8]) -> usize {
    let ends = signs(lead).map(|sign| sign.end);
    ends.last().unwrap_or_default()
}

/// Where the first symbol after a stem begins: `Password：x`.
fn sign_start(tail: &[u8]) -> usize {
    let mut starts = signs(tail).map(|sign| sign.start);
    starts.next().unwrap_or(tail.len())
}

/// Characters outside ASCII that belong to no word: quotation marks, dashes, bullets, pictures.
fn signs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let first = text.iter().position(|byte| !byte.is_ascii());
    let from = first.unwrap_or(text.len());
    let mut at = from;
    let chunks = bytes::slice(text, from, text.len()).utf8_chunks();
    chunks.flat_map(move |chunk| {
        let start = at;
        at += chunk.valid().len() + chunk.invalid().len();
        let characters = chunk.valid().char_indices();
        let signs = characters.filter(|(_, character)| is_sign(*character));
        signs.map(move |(index, sign)| start + index..start + index + sign.len_utf8())
    })
}

fn is_sign(character: char) -> bool {
    // Marks on letters, and scripts whose words contain such marks.
    let is_mark = matches!(character, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{EFF}');
    !character.is_ascii() && !character.is_alphanumeric() && !is_mark
}

/// The meaning of the word before a name: `api key`, `public key`, in two words.
fn roles_before(text: &[u8], start: usize) -> Roles {
    if bytes::before(text, start) != b' ' {
        return 0;
    }
    let length = bytes::run_back(text, start - 1, LONGEST_BEFORE, |byte| {
        byte.is_ascii_alphabetic()
    });
    let word = bytes::slice(text, start - 1 - length, start - 1);
    vocabulary::roles(bytes::lowered(word, &mut [0; LONGEST_BEFORE]))
}

/// The role of words that make the next one public.
fn disqualifier(word: &[u8]) -> Roles {
    if word.eq_ignore_ascii_case(b"key") || word.eq_ignore_ascii_case(b"keys") {
        NOT_KEY
    } else if word.eq_ignore_ascii_case(b"token") {
        NOT_TOKEN
    } else {
        0
    }
}

/// What the words of a name say together.
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
struct Judged {
    strength: Strength,
    is_password: bool,
    ends_secret: bool,
    is_loose: bool,
    is_pin: bool,
}

impl Judged {
    fn of(name: &[u8]) -> Option<Self> {
        const STEM: Roles = PASSWORD | SECRET | MEDIUM | WEAK;
        let mut all: Roles = 0;
        let mut keyed = false;
        let mut is_pin = false;
        // The role of the last word that says something.
        let mut last: Roles = 0;
        let mut is_public = false;
        let mut words = 0;
        each_word(name, |word| {
            let is_spelt = word.len() > 1 && word.iter().all(u8::is_ascii_lowercase);
            words += usize::from(is_spelt);
            let roles = vocabulary::roles(word);
            all |= roles;
            keyed |= matches!(word, b"key" | b"keys");
            let counts = word.iter().any(|byte| !byte.is_ascii_digit());
            if counts && roles & SKIPPED == 0 {
                is_public = last & disqualifier(word) != 0;
                is_pin = is_pin_word(word) || word == b"otp" && all & STEM == 0;
                last = roles;
            }
        });
        // Anywhere else they are of protocols and devices.
        if is_shared(name) || is_pin || name.eq_ignore_ascii_case(b"p/w") {
            all |= PASSWORD;
            last = PASSWORD;
        }
        // `csrf_secret` is a secret, whatever is public of `csrf`.
        let is_part = all & PART != 0 && last & SECRET == 0;
        let is_secret = all & (PASSWORD | SECRET) != 0;
        let is_loose = is_secret && last & LOOSE != 0;
        if last & TAIL != 0 && !is_loose || is_part {
            return None;
        }
        // A variable of the environment is set to what is worth hiding.
        let is_variable = !name.iter().any(u8::is_ascii_lowercase);
        if is_public && !is_variable && !is_secret {
            return None;
        }
        // `Unexpected_token_A_constructor_or_method_was_expected` is a sentence; `password-a1B2c3…` holds its value.
        let is_sentence = words > MOST_WORDS && !name.iter().any(u8::is_ascii_digit);
        if is_sentence && last & (PASSWORD | SECRET | MEDIUM | WEAK) == 0 {
            return None;
        }
        let is_password = all & PASSWORD != 0;
        let strength = if is_secret && !is_loose {
            Strength::Strong
        } else if is_loose || all & MEDIUM != 0 || keyed && all & QUALIFIER != 0 {
            Strength::Medium
        } else if all & WEAK != 0 {
            Strength::Weak
        } else {
            return None;
        };
        Some(Self {
            strength,
            is_password,
            ends_secret: last & (PASSWORD | SECRET | MEDIUM | WEAK) != 0,
            is_loose,
            is_pin,
        })
    }
}

/// `psk`, `pre-shared-key`: the password of a network.
fn is_shared(name: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&[u8]] = &[
        b"psk", b"pre-shared-key", b"pre_shared_key", b"pre-shared key", b"presharedkey", b"preshared_key", b"preshared-key",
        b"preshared key",
    ];
    NAMES.iter().any(|known| ends_with(name, known))
}

/// `pin`, `passcodepin`; no `spin`.
fn is_pin_word(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &["pin", "pincode", "пин", "Пин", "ПИН", "пинкод", "Пинкод", "ПИНКОД"];
    WORDS.iter().any(|known| known.as_bytes() == word)
        || word.ends_with(b"pin") && (word.starts_with(b"pass") || word.starts_with(b"secret"))
}

pub(in crate::detect) fn ends_with(name: &[u8], word: &[u8]) -> bool {
    let start = name.len().saturating_sub(word.len());
    bytes::slice(name, start, name.len()).eq_ignore_ascii_case(word)
}

/// The longest word that is looked up, in bytes.
const LONGEST_WORD: usize = 48;

/// Calls `take` with every word of a name in lower case: split at separators, at humps and before
/// digits.
pub(in crate::detect) fn each_word(name: &[u8], mut take: impl FnMut(&[u8])) {
    let mut word = [0; LONGEST_WORD];
    let mut length = 0;
    let mut last = b'_';
    for (index, &byte) in name.iter().enumerate() {
        let next = bytes::at(name, index + 1);
        let separates = !(byte.is_ascii_alphanumeric() || byte >= 0x80);
        if separates || begins_word(last, byte, next) {
            flush(&word, &mut length, &mut take);
        }
        if !separates && let Some(slot) = word.get_mut(length) {
            *slot = byte.to_ascii_lowercase();
            length += 1;
        }
        last = byte;
    }
    flush(&word, &mut length, &mut take);
}

/// Whether a hump or a number begins at `byte`.
const fn begins_word(last: u8, byte: u8, next: u8) -> bool {
    let acronym_ends = last.is_ascii_uppercase() && next.is_ascii_lowercase();
    let hump = byte.is_ascii_uppercase()
        && (last.is_ascii_lowercase() || last.is_ascii_digit() || acronym_ends);
    hump || byte.is_ascii_digit() && last.is_ascii_alphabetic()
}

fn flush(word: &[u8], length: &mut usize, take: &mut impl FnMut(&[u8])) {
    let word = bytes::slice(word, 0, *length);
    // A word that is cut off within a character is not one of ours.
    if !word.is_empty() && (word.is_ascii() || str::from_utf8(word).is_ok()) {
        take(word);
    }
    *length = 0;
}
