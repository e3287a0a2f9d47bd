//! Distinguishes a passphrase in quotes from a label or sentence about a password.

use crate::detect::bytes::{self, Places, WordInitials};
use crate::detect::lexicon::value_class::Value;
use crate::detect::lexicon::vocabulary;

/// How words begin that labels and hints of a password's field hold.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "again", "caract", "caratt", "charact", "chars", "confirm", "contras", "credential", "digit",
    "enter", "expire", "field", "forgot", "incorrect", "invalid", "karakter", "kennw", "least",
    "length", "letter", "login", "lowercase", "maxim", "mindest", "minim", "minut", "missing", "moins",
    "must", "mật", "optional", "parol", "passcode", "passphr", "passw", "please", "require", "secret",
    "should", "symbol", "tecken", "uppercase", "wachtw", "wrong", "your", "zeichen", "znak", "знак",
    "символ",
];

/// Words of sentences and labels, which passwords made only of words do not contain.
#[rustfmt::skip]
const SENTENCE_WORDS: &[&str] = &[
    "a", "account", "actual", "admin", "all", "already", "also", "always", "an", "and", "any", "api",
    "are", "as", "at", "auth", "authentication", "be", "been", "before", "bitte", "blank", "but", "by",
    "can", "cannot", "change", "changed", "check", "code", "config", "connect", "connection", "contain",
    "contains", "could", "create", "current", "database", "days", "de", "default", "del", "denied",
    "der", "description", "did", "die", "different", "do", "does", "doit", "dont", "el", "email",
    "empty", "encrypted", "env", "error", "example", "expected", "failed", "file", "first", "for",
    "found", "from", "generate", "generated", "get", "given", "gives", "go", "had", "has", "have", "he",
    "here", "hidden", "hide", "how", "id", "if", "ihr", "il", "in", "input", "insert", "into", "is",
    "it", "its", "key", "la", "last", "le", "les", "log", "long", "loses", "make", "match", "matches",
    "may", "message", "mot", "my", "name", "need", "needs", "neues", "never", "new", "no", "none",
    "not", "nouveau", "now", "nueva", "null", "o", "of", "off", "old", "on", "one", "only", "optional",
    "or", "our", "pass", "per", "plain", "por", "private", "prompt", "provide", "provided", "public",
    "random", "read", "recover", "repeat", "reset", "same", "save", "see", "set", "short", "show",
    "sie", "sign", "some", "store", "stored", "string", "su", "sure", "test", "text", "than", "that",
    "the", "their", "them", "then", "there", "they", "this", "to", "token", "too", "tu", "type", "un",
    "una", "une", "unknown", "unset", "update", "updated", "use", "used", "user", "username", "uses",
    "using", "valid", "value", "via", "view", "votre", "was", "we", "weak", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "without", "word", "would", "write", "you",
];

/// The longest word that is looked up, in letters.
const LONGEST: usize = 24;

static LABEL: WordInitials = WordInitials::of(LABELS);
static SENTENCE_PLACES: Places<1024> = {
    let mut places = Places::none();
    let mut index = 0;
    while (index as usize) < SENTENCE_WORDS.len() {
        places = places.with(SENTENCE_WORDS[index as usize].as_bytes(), index);
        index += 1;
    }
    places
};

/// Whether a value is several words, with numbers between them or not.
pub(super) fn are_words(class: &Value<'_>) -> bool {
    let plain = !class.has_digit && !class.has_symbol;
    // Words of other scripts are not recognized by their letters.
    let foreign = class.has_letter && !class.has_upper && !class.has_lower;
    class.has_space && (class.is_words() || plain || foreign)
}

/// `My Secret Pass 123!`: a number and a sign end no label.
pub(super) fn ends_striking(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default();
    let number = last.trim_end_matches(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    number.len() < last.len() && number.ends_with(|last: char| last.is_ascii_digit())
}

/// Whether a word satisfies `is_one`, in lower case and without the signs around it.
fn any_word(text: &str, is_one: fn(&str) -> bool) -> bool {
    if text.is_ascii() {
        let mut words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        return words.any(|word| {
            let word = bytes::slice(word, 0, word.len().min(LONGEST));
            let mut buffer = [0; LONGEST];
            let lower = str::from_utf8(bytes::lowered(word, &mut buffer));
            lower.is_ok_and(|word| !word.is_empty() && is_one(word))
        });
    }
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .any(|word| is_one(&word.to_lowercase()))
}

/// Whether a text contains a word of labels and hints.
pub(in crate::detect) fn holds_label(text: &str) -> bool {
    any_word(text, is_label)
}

/// Whether a text contains a word of sentences.
pub(in crate::detect) fn holds_sentence(text: &str) -> bool {
    any_word(text, makes_sentence)
}

fn is_label(word: &str) -> bool {
    vocabulary::is_label(word) || LABEL.at(word.as_bytes(), 0).next().is_some()
}

fn makes_sentence(word: &str) -> bool {
    let is = |index: usize| {
        SENTENCE_WORDS
            .get(index)
            .is_some_and(|common| *common == word)
    };
    SENTENCE_PLACES.find(word.as_bytes(), is).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_is_recognized() {
        assert!(SENTENCE_WORDS.iter().all(|word| makes_sentence(word)));
        assert!(LABELS.iter().all(|word| is_label(word)));
        assert!(!makes_sentence("harbor") && !is_label("harbor"));
    }
}
