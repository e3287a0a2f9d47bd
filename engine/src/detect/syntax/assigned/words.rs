//! Passwords in sentences that are words, without a digit.

use super::assignment::Assignment;
use super::prose::{LONGEST_WORD, further, is_tail, with};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, WordInitials, at, before};
use crate::detect::judge::{Form, phrase};
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// Longest label of a line, in bytes.
const LONGEST_LABEL: usize = 24;

/// `the password for bob is sunflower.`, `set the password to sunflower and`, `user bob, password sunflower`: a word
/// without a digit, where a clause ends with it.
pub(super) fn word_of_sentence(
    scanner: &Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    if closed > name.end || at(text, closed) != b' ' {
        return None;
    }
    let found = word_of_clause(text, name)
        .or_else(|| word_of_user(text, name))
        .or_else(|| word_beside_user(text, name))?;
    let is_password = || {
        let own = bytes::slice(text, name.start, name.end);
        let is_verb = own.eq_ignore_ascii_case(b"pass");
        // `one-pass`
        let is_part = own.ends_with(b"-pass");
        let name = super::named(scanner, name.clone());
        !is_verb && !is_part && name.is_some_and(|name| name.is_password)
    };
    is_password().then_some(found)
}

/// `password for bob is sunflower.`, `set the password to sunflower`
fn word_of_clause(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let found = further(text, name.end, |span| is_word_of_clause(text, span))?;
    let Span { start, end, .. } = found.span;
    let is_value = match found.form {
        Form::BeforeName => before_word(text, start) != b"este" && !is_deed(text, name, end),
        _ => {
            is_set(text, name, start) && !is_purpose(bytes::slice(text, start, end))
                || is_polish(text, name, start)
        }
    };
    is_value.then_some(found)
}

/// `hasło do wifi to jagoda`: the Polish word for `is`.
fn is_polish(text: &[u8], name: &Range<usize>, start: usize) -> bool {
    let own = bytes::slice(text, name.start, name.end);
    let is_copula = bytes::slice(text, name.end, start).ends_with(b" to ");
    is_copula
        && own.len() >= 5
        && bytes::slice(own, 1, 3) == b"as"
        && own.first().is_some_and(|first| first | 0x20 == b'h')
}

/// `change your password to continue`: what it is changed for.
fn is_purpose(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const PURPOSES: &[&[u8]] = &[
        b"access", b"activate", b"anything", b"blank", b"complete", b"connect", b"continue", b"enter", b"finish", b"login", b"match",
        b"nothing", b"proceed", b"protect", b"regain", b"register", b"resume", b"secure", b"something", b"start", b"unlock",
        b"verify", b"whatever",
    ];
    PURPOSES.contains(&word)
}

/// `la clave del éxito es trabajar`: the Spanish word means what matters, too, and an infinitive says what that is.
fn is_deed(text: &[u8], name: &Range<usize>, end: usize) -> bool {
    const INFINITIVES: &[&[u8]] = &[b"ar", b"er", b"ir"];
    let own = bytes::slice(text, name.start, name.end);
    let ending = bytes::slice(text, end - 2, end);
    own.eq_ignore_ascii_case(b"clave") && INFINITIVES.contains(&ending)
}

/// `user bob password sunflower`
fn word_of_user(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    if !is_of_user(text, name.start) || is_tail(text, name.end + 1) {
        return None;
    }
    let span = value_span::value(text, name.end + 1, false)?;
    let is_word = !span.quoted && is_word_of_clause(text, &span);
    is_word.then_some(with(Form::Next, span))
}

/// `Passwort apfelmus` below or above `Benutzer root`: a line of a name and one word, next to such a line of a user.
fn word_beside_user(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let span = value_span::value(text, name.end + 1, false)?;
    let is_line = matches!(before(text, name.start), b'\n' | 0)
        && matches!(at(text, span.end), b'\n' | b'\r' | 0);
    let above = name.start - usize::from(name.start > 0);
    let above = above - bytes::line_back(text, above, LONGEST_LINE)..above;
    let below = span.end + bytes::run(text, span.end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let below = below
        ..below
            + bytes::run(text, below, LONGEST_LINE, |byte| {
                !matches!(byte, b'\r' | b'\n')
            });
    let is_of_user = || {
        [above, below]
            .into_iter()
            .any(|line| is_line_of_user(bytes::slice(text, line.start, line.end)))
    };
    (!span.quoted && is_line && is_word(text, &span) && is_of_user())
        .then_some(with(Form::Next, span))
}

/// `Benutzer root`, `user: bob`
fn is_line_of_user(line: &[u8]) -> bool {
    let mut words = line.trim_ascii().split(|&byte| byte == b' ');
    let label = words.next().unwrap_or_default();
    let label = label.strip_suffix(b":").unwrap_or(label);
    let is_known = || {
        USERS
            .iter()
            .any(|known| known.len() > 2 && known.as_bytes().eq_ignore_ascii_case(label))
    };
    words.next().is_some_and(|user| user.len() > 1) && words.next().is_none() && is_known()
}

/// Longest line of a user, in bytes.
const LONGEST_LINE: usize = 64;

/// Words before a user's name.
#[rustfmt::skip]
const USERS: &[&str] = &[
    "user", "username", "login", "account", "as", "als", "benutzer", "benutzername", "nutzer", "ssid", "utilisateur", "identifiant", "usuario", "usuário", "utente",
    "użytkownik", "gebruiker", "логін", "логин", "user:", "username:", "login:",
];

/// Whether a user is named before the name of a password: `user bob, password`, `as bob with the password`.
pub(super) fn is_of_user(text: &[u8], name: usize) -> bool {
    const LONGEST: usize = 96;
    #[rustfmt::skip]
    const BETWEEN: &[&str] = &[
        "and", "with", "the", "und", "mit", "dem", "et", "le", "mot", "de", "avec", "y", "con", "la", "e", "a", "com", "i", "z", "met", "het", "и", "та",
    ];
    // `the user can pass`
    const MODALS: &[&str] = &[
        "can", "could", "may", "might", "must", "should", "to", "will", "would",
    ];
    let is_one_of = |words: &[&str], word: &[u8]| {
        words
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(word))
    };
    let line = name - bytes::line_back(text, name, LONGEST);
    let lead = bytes::slice(text, line, name).trim_ascii_end();
    let mut words = lead
        .rsplit(|&byte| byte == b' ')
        .skip_while(|word| is_one_of(BETWEEN, word));
    let user = words.next().unwrap_or_default();
    !user.is_empty()
        && !is_one_of(MODALS, user)
        && words.next().is_some_and(|word| is_one_of(USERS, word))
}

/// `set the password to x`, `zmieniłem hasło na x`: whether a verb before the name says that it gets the value at
/// `start`.
fn is_set(text: &[u8], name: &Range<usize>, start: usize) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&str] = &["set ", "chang", "reset ", "mud", "alter", "troc", "cambi", "zmieni", "zmien", "ustaw", "wijzig", "ändr"];
    const TO: &[&str] = &[
        " to ", " para ", " na ", " auf ", " naar ", " en ", " til ", " as ",
    ];
    static STARTS: WordInitials = WordInitials::of(VERBS);
    let line = name.start - bytes::line_back(text, name.start, LONGEST_LABEL);
    let is_linked = TO
        .iter()
        .any(|to| bytes::slice(text, name.end, start) == to.as_bytes());
    is_linked && STARTS.stand_in(bytes::slice(text, line, name.start), |_| true)
}

/// The word before a place, of which a space separates it.
pub(super) fn before_word(text: &[u8], at: usize) -> &[u8] {
    let end = at.saturating_sub(1);
    let length = bytes::run_back(text, end, LONGEST_WORD, |byte| byte.is_ascii_alphabetic());
    bytes::slice(text, end - length, end)
}

/// Whether a value is one word that no label or sentence has, before the end of a clause.
fn is_word_of_clause(text: &Text<'_>, span: &Span) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        ".", ",", ";", "!", ")", "\n", "\r", " and ", " but ", " und ", " et ", " y ", " e ", " en ", " geändert", " gesetzt",
    ];
    let ends = |end: &&str| bytes::begins(text, span.end, end.as_bytes());
    let is_end = || span.quoted || span.end == text.len() || ENDS.iter().any(ends);
    is_word(text, span) && is_end()
}

/// Whether a value is one word, or several with separators, and none of labels and sentences.
pub(super) fn is_word(text: &Text<'_>, span: &Span) -> bool {
    const SHORTEST: usize = 5;
    let word = text.str(span.start..span.end);
    let separators = word.bytes().filter(|byte| b"-._".contains(byte)).count();
    // `config.password` is a name.
    let belongs = |letter: char| {
        letter.is_alphabetic() || matches!(letter, '-' | '_') || separators >= 2 && letter == '.'
    };
    word.len() >= SHORTEST
        && word.chars().all(belongs)
        && (separators > 0 || !phrase::holds_sentence(word))
        && !phrase::holds_label(word)
}

/// `Password - sunflower`: a line of a name and one word.
pub(super) fn only_word_of_line(
    text: &Text<'_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Span> {
    const DASHES: &[&str] = &[" - ", " – ", " — "];
    let dash = DASHES
        .iter()
        .find(|dash| bytes::begins(text, closed, dash.as_bytes()))?;
    let line = name.start - bytes::line_back(text, name.start, LONGEST_LABEL + 1);
    let label = bytes::slice(text, line, name.start);
    let is_label = |byte: &u8| byte.is_ascii_alphabetic() || b" -*".contains(byte) || *byte >= 0x80;
    if label.len() > LONGEST_LABEL || !label.iter().all(is_label) {
        return None;
    }
    let span = value_span::value(text, closed + dash.len(), false)?;
    let value = bytes::slice(text, span.start, span.end);
    // Titles begin with capitals: `Change password - Acme`.
    let is_word = value.iter().all(u8::is_ascii_lowercase);
    (is_word && matches!(at(text, span.end), b'\n' | b'\r' | 0)).then_some(span)
}
