//! The ways in which people and programs make passwords.

use super::{Value, alternates, is_size, kind_changes};
use crate::detect::bytes;
use crate::detect::lexicon::vocabulary;

impl Value<'_> {
    /// Letters with case changes that no name has, and no words: `JwjFqCpkWwJs`, `F6IPEv9fyTUg`.
    pub(in crate::detect) fn is_irregular(&self) -> bool {
        self.length >= 10
            && self.has_upper
            && self.has_lower
            && self.is_alphanumeric()
            && !self.are_mostly_words()
            && ((self.length >= 16 || self.length >= 12 && !self.is_words())
                && alternates(self.text)
                || self.is_mixed() && self.share() < 60)
    }

    /// Upper and lower case and digits change often, as in few names: `Base64UrlSafe`.
    pub(in crate::detect) fn is_mixed(&self) -> bool {
        let inner_digit = self.text.windows(2).any(
            |pair| matches!(pair, [digit, letter] if digit.is_ascii_digit() && letter.is_ascii_alphabetic()),
        );
        let share = if self.length < 14 { 2 } else { 3 };
        inner_digit
            && self.has_upper
            && self.has_lower
            && self.length >= 10
            && self.is_alphanumeric()
            && kind_changes(self.text) * share >= self.length
            && self.share() < 82
    }

    /// Letters, digits and symbols that change too often for words, code or a path: a generated password, or Base64.
    pub(in crate::detect) fn is_scrambled(&self) -> bool {
        let kinds = u8::from(self.has_upper)
            + u8::from(self.has_lower)
            + u8::from(self.has_digit)
            + u8::from(self.has_symbol);
        kinds >= 3
            && self.length >= 10
            && self.has_letter
            && self.entropy() >= 28
            && kind_changes(self.text) * 5 >= self.length * 2
            && self.share() < if self.digits < 3 { 72 } else { 84 }
            && !self.is_expression()
    }

    /// `secret2024X!`, `contraseña99x`, `密码abc123`: one word with a number, and signs or letters that no label of a program or translation has
    /// together.
    pub(in crate::detect) fn is_made_up(&self) -> bool {
        let is_mixed = self.has_upper || self.holds_any(b"!@#$%^&*+=") || !self.text.is_ascii();
        self.digits >= 2
            && !self.has_space
            && !self.is_identifier()
            && (self.has_lower || self.has_upper)
            && is_mixed
    }

    /// `кT9-пароль-77`: letters of ASCII and others, numbers and signs in one word.
    pub(in crate::detect) fn mixes_scripts(&self) -> bool {
        let has_other = || {
            let value = str::from_utf8(self.text).unwrap_or_default();
            value
                .chars()
                .any(|letter| !letter.is_ascii() && letter.is_alphabetic())
        };
        self.has_digit
            && !self.has_space
            && self.text.iter().any(u8::is_ascii_alphabetic)
            && self.text.iter().any(u8::is_ascii_punctuation)
            && !self.holds_any(b"{}<>()%:")
            && has_other()
    }

    /// Words followed by a number, a common kind of password: `SunsetTiger42`.
    pub(in crate::detect) fn is_numbered_word(&self) -> bool {
        let (letters, number) = self.numbered();
        letters >= 5 && self.length >= 8 && (2..=4).contains(&number.len()) && !is_size(number)
    }

    /// `S3cretPassw0rd`: digits in place of letters, which names do not have.
    pub(in crate::detect) fn is_respelt(&self) -> bool {
        let inner = |triple: &[u8]| {
            matches!(triple, [first, digit, last] if first.is_ascii_alphabetic() && digit.is_ascii_digit()
                && last.is_ascii_lowercase())
        };
        self.is_alphanumeric() && self.text.windows(3).filter(|triple| inner(triple)).count() >= 2
    }

    /// `correct-horse-battery-staple`: four or more words, none of which names anything.
    pub(in crate::detect) fn is_dashed_phrase(&self) -> bool {
        let mut words = self.text.split(|&byte| byte == b'-');
        words.clone().count() >= 4
            && words.all(|word| {
                (3..=10).contains(&word.len())
                    && word.iter().all(u8::is_ascii_lowercase)
                    && !vocabulary::is_known(word)
            })
    }

    /// `Winter-is-here`: three or more words, of which the first has a capital, and none names anything.
    pub(in crate::detect) fn is_titled_phrase(&self) -> bool {
        let words = self.text.split(|&byte| byte == b'-');
        let is_small = |word: &[u8]| word.iter().all(u8::is_ascii_lowercase);
        self.text.first().is_some_and(u8::is_ascii_uppercase)
            && words.clone().count() >= 3
            && words.enumerate().all(|(index, word)| {
                let rest = bytes::slice(word, usize::from(index == 0), word.len());
                (2..=12).contains(&word.len())
                    && is_small(rest)
                    && !vocabulary::is_known(&word.to_ascii_lowercase())
            })
    }

    /// `canyon.velvet14`: words and a number, as people make passwords of; a member of code has no such number.
    pub(in crate::detect) fn is_dotted_password(&self) -> bool {
        let letters =
            |part: &[u8]| bytes::run(part, 0, part.len(), |byte| byte.is_ascii_alphabetic());
        let mut parts = self.text.rsplit(|&byte| byte == b'.');
        let last = parts.next().unwrap_or_default();
        let number = bytes::slice(last, letters(last), last.len());
        let words = parts.clone().count();
        let is_word = |part: &[u8]| {
            let length = letters(part);
            let word = bytes::slice(part, 0, length).to_ascii_lowercase();
            length >= 3 && !vocabulary::is_known(&word)
        };
        (2..=4).contains(&number.len())
            && number.iter().all(u8::is_ascii_digit)
            && !is_size(number)
            && is_word(last)
            && (1..=2).contains(&words)
            && parts.all(|part| is_word(part) && letters(part) == part.len())
    }
}
