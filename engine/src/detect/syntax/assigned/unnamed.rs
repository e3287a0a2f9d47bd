//! What people tell each other without naming it a password: `log in as bob with x`, `I reset it to x`, `your code is 482913`.

use super::one_time::{self, Phrase};
use super::value_span::{self, Span};
use super::{accounts, assignment, wifi};
use crate::detect::Score;
use crate::detect::bytes::{self, at};
use crate::detect::judge::{Candidate, Form, Place};
use crate::detect::lexicon::name::Name;
use crate::detect::lexicon::public;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// What follows a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum Follows {
    /// A user and a password, within a few words.
    Account,
    /// A password beside the user that the phrase ends with.
    User,
    /// A password behind `and`, if a user is used: `use admin and x`.
    Used,
    /// A password that something was changed to.
    Changed,
    /// A password of a network.
    Network,
    /// A password, if one was spoken of before.
    Now,
    /// A code, within a few words.
    Code,
    /// The same, unless it is the code of a town.
    PinCode,
    /// The same, if the phrase is written in capitals, and the code follows at once.
    LoudPin,
    /// A code right behind a verb.
    OwnCode,
    /// The same, if more says that it is one.
    AnyCode,
}
use Follows::{
    Account, AnyCode, Changed, Code, LoudPin, Network, Now, OwnCode, PinCode, Used, User,
};

/// Phrases in lower case; each is a whole word, or several.
#[rustfmt::skip]
pub(in crate::detect) const PHRASES: &[(&str, Follows)] = &[
    // English
    ("log in", Account), ("logged in", Account), ("wifi:", Account), ("wi-fi:", Account), ("wlan:", Account), ("log into", Account), ("login", Account), ("log on", Account), ("logon", Account), ("sign in", Account), ("connect as", Account), ("vpn:", Account), ("rdp:", Account), ("creds", Account),
    ("credentials", Account), ("root/", User), ("root /", User), ("admin/", User), ("admin /", User), ("administrator /", User),
    ("use admin", Used), ("use root", Used), ("user admin", Used), ("user root", Used),
    ("reset it to", Changed), ("changed it to", Changed), ("change it to", Now), ("set it to", Now),
    ("it's", Now), ("new one is", Now), ("new value:", Now), ("wifi is now", Network), ("wi-fi is now", Network), ("wifi ist jetzt", Network), ("wlan ist jetzt", Network), ("wifi est maintenant", Network), ("wifi es ahora", Network), ("wifi ora è", Network), ("wifi agora é", Network), ("wifi is nu", Network),
    ("it's now", Now), ("it is now", Now), ("now it's", Now), ("now it is", Now),
    ("verification code", Code), ("security code", Code), ("login code", Code), ("access code", Code), ("confirmation code", Code),
    ("one-time code", Code), ("one time code", Code), ("2fa code", Code), ("mfa code", Code), ("sms code", Code), ("auth code", Code),
    ("authentication code", Code), ("authenticator code", Code), ("door code", Code), ("gate code", Code), ("alarm code", Code), ("alarm pin", Code),
    ("entry code", Code), ("unlock code", Code), ("pin code", PinCode), ("pin", LoudPin), ("card pin", Code), ("sim pin", Code), ("otp", Code), ("puk", Code),
    ("backup code", Code), ("recovery code", Code), ("safe combination", Code), ("lock combination", Code), ("your code", OwnCode), ("my code", OwnCode), ("the code", AnyCode),
    // German
    ("zugangsdaten", Account), ("anmeldedaten", Account), ("auth-daten", Account), ("logindaten", Account), ("login-daten", Account), ("zugang", Account), ("melde dich", Account), ("melden sie sich", Account),
    ("logge dich", Account), ("logg dich", Account), ("hab es auf", Changed), ("habe es auf", Changed),
    ("jetzt ist es", Now), ("jetzt lautet es", Now),
    ("bestätigungscode", Code), ("sicherheitscode", Code), ("einmalcode", Code), ("sms-code", Code), ("türcode", Code), ("alarmcode", Code), ("mtan", Code),
    ("die tan", OwnCode), ("der code", AnyCode), ("dein code", OwnCode), ("ihr code", OwnCode),
    // French
    ("identifiants", Account), ("identifiant", Account), ("connecte-toi", Account), ("connectez-vous", Account),
    ("mot de passe à", Changed), ("mdp à", Changed), ("maintenant c'est", Now),
    ("code de vérification", Code), ("code de confirmation", Code), ("code de sécurité", Code), ("code d'accès", Code), ("code de la porte", Code), ("code du portail", Code), ("code de l'alarme", Code),
    ("votre code", OwnCode), ("ton code", OwnCode), ("le code", AnyCode),
    // Spanish and Portuguese
    ("credenciales", Account), ("credenciais", Account), ("inicia sesión", Account), ("entra con", Account), ("accede con", Account),
    ("contraseña a", Changed), ("clave a", Changed), ("ahora es", Now), ("senha pra", Changed), ("senha para", Changed), ("agora é", Now), ("entra com", Account), ("entre com", Account), ("acesse com", Account),
    ("código de verificación", Code), ("código de confirmación", Code), ("código de seguridad", Code), ("código de acceso", Code), ("código de la puerta", Code), ("código de la alarma", Code), ("código da porta", Code), ("código do portão", Code), ("código do alarme", Code),
    ("código de verificação", Code), ("código de confirmação", Code), ("código de segurança", Code), ("código de acesso", Code),
    ("tu código", OwnCode), ("su código", OwnCode), ("el código", AnyCode), ("seu código", OwnCode), ("o código", AnyCode),
    // Italian
    ("credenziali", Account), ("accedi con", Account), ("ora è", Now), ("accedi come", Account), ("codice di verifica", Code), ("codice di conferma", Code),
    ("codice di sicurezza", Code), ("codice di accesso", Code), ("codice della porta", Code), ("codice del cancello", Code), ("codice dell'allarme", Code), ("pin dell'allarme", Code), ("il codice", AnyCode), ("tuo codice", OwnCode),
    // Dutch and Swedish
    ("inloggegevens", Account), ("wachtwoord naar", Changed), ("logga in", Account), ("verificatiecode", Code), ("code van de deur", Code), ("code van het alarm", Code), ("deurcode", Code), ("bevestigingscode", Code), ("verifieringskod", Code),
    ("de code", AnyCode), ("je code", OwnCode), ("din kod", OwnCode),
    // Polish and Czech
    ("dane logowania", Account), ("zaloguj się", Account), ("kod weryfikacyjny", Code), ("kod sms", Code), ("kod dostępu", Code), ("kod do drzwi", Code), ("kod do bramy", Code), ("kod do alarmu", Code),
    ("twój kod", OwnCode), ("kod", AnyCode), ("ověřovací kód", Code),
    // Ukrainian and Russian
    ("логін", Account), ("логин", Account), ("увійди", Account), ("войди", Account), ("код підтвердження", Code),
    ("код подтверждения", Code), ("код доступа", Code), ("ваш код", OwnCode), ("твой код", OwnCode), ("твій код", OwnCode),
    ("Ваш код", OwnCode), ("Код подтверждения", Code), ("Код підтвердження", Code),
    // Turkish, Chinese, Japanese and Korean
    ("doğrulama kodu", Code), ("验证码", Code), ("驗證碼", Code), ("门禁密码", Code), ("開門密碼", Code), ("確認コード", Code), ("認証コード", Code), ("인증번호", Code), ("인증 코드", Code),
];

/// What a password is judged as that nobody named.
const NAME: &str = "password";
/// Farthest back that a password was spoken of, in bytes.
const REACH: usize = 300;

/// Examines what follows a phrase.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, index: u16, start: usize) {
    let Some((phrase, follows)) = PHRASES.get(usize::from(index)) else {
        return;
    };
    let text = scanner.text;
    let phrase = start..start + phrase.len();
    if let Some(password) = wifi::password(text, &phrase) {
        super::push(scanner, &password, Score::percent(90), "wifi-code");
        return;
    }
    let goes_on = || at(text, phrase.end).is_ascii_alphanumeric();
    if *follows != User && goes_on() {
        return;
    }
    match follows {
        Account => {
            if let Some(span) = accounts::password(text, phrase.end) {
                judge(scanner, phrase, Form::Account, &span);
            }
        }
        User => {
            if let Some(span) = accounts::beside_user(text, &phrase) {
                judge(scanner, phrase, Form::Account, &span);
            }
        }
        Used => {
            if let Some(span) = accounts::behind_user(text, &phrase) {
                judge(scanner, phrase, Form::Account, &span);
            }
        }
        Changed | Now => {
            let is_spoken_of = speaks_of_password(scanner, start);
            if (*follows == Changed || is_spoken_of)
                && let Some(span) = changed(text, phrase.end, is_spoken_of)
                && !(*follows == Now && holds_any(text, &span, b"-$"))
            {
                judge(scanner, phrase, Form::Far, &span);
            }
        }
        Network => {
            if let Some(span) = of_network(text, phrase.end) {
                let score = Score::percent(70);
                super::push(scanner, &(span.start..span.end), score, "assigned-secret");
            }
        }
        Code => one_time_code(scanner, &phrase, Phrase::Named),
        PinCode => one_time_code(scanner, &phrase, Phrase::Pin),
        LoudPin => {
            let is_loud = bytes::slice(text, phrase.start, phrase.end) == b"PIN";
            let begins_number = at(text, phrase.end + 1).is_ascii_digit();
            if is_loud && at(text, phrase.end) == b' ' && begins_number {
                one_time_code(scanner, &phrase, Phrase::Pin);
            }
        }
        OwnCode => one_time_code(scanner, &phrase, Phrase::Own),
        AnyCode => one_time_code(scanner, &phrase, Phrase::Any),
    }
}

/// Examines what follows an e-mail address, as in lists of accounts: `bob@example.com:x`, `bob@example.com / x`.
pub(in crate::detect) fn scan_after_email(scanner: &mut Scanner<'_, '_>, email: Range<usize>) {
    if let Some(span) = accounts::beside_email(scanner.text, email.end) {
        judge(scanner, email, Form::Account, &span);
    }
}

fn one_time_code(scanner: &mut Scanner<'_, '_>, phrase: &Range<usize>, says: Phrase) {
    if let Some(code) = one_time::code(scanner.text, phrase, says) {
        super::push(scanner, &code, Score::percent(75), "one-time-code");
    }
}

/// Keeps the value behind a phrase if it is one of passwords.
fn judge(scanner: &mut Scanner<'_, '_>, phrase: Range<usize>, form: Form, span: &Span) {
    let Some(name) = Name::whole(NAME) else {
        return;
    };
    let value = super::head(scanner.str(span.start, span.end));
    let candidate = Candidate {
        name: &name,
        named: NAME.as_bytes(),
        form,
        value,
        quoted: span.quoted,
        is_template: span.is_template,
        place: Some(Place {
            text: scanner.text,
            name: phrase,
            value: span.start..span.end,
        }),
    };
    if let Some(score) = super::judged_alone(&mut scanner.judged, &candidate) {
        super::push(scanner, &(span.start..span.end), score, "assigned-secret");
    }
}

/// Whether the name before `start` is one of passwords, and not far.
fn speaks_of_password(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let last = &scanner.marks.last_name.range;
    let is_near = (last.end..=last.end + REACH).contains(&start) && !last.is_empty();
    let named = || super::named(scanner, last.clone());
    is_near && named().is_some_and(|name| name.is_password)
}

/// What something was changed to. Where no password was spoken of, it has to look like one.
fn changed(text: &Text<'_>, from: usize, is_spoken_of: bool) -> Option<Span> {
    let span = value_span::value(text, assignment::spaces(text, from), false)?;
    let value = short(text, &span)?;
    // A hash of a commit, a colour, a time.
    let is_other = is_hash(&value) || value.holds_any(b":") || value.bytes().starts_with(b"#");
    let is_striking = || {
        value.is_numbered_word()
            || value.is_respelt()
            || value.has_digit && holds_sign(&value)
            || is_generated(&value)
    };
    let is_password = is_chosen(&value) && (is_spoken_of || !is_other && is_striking());
    let is_phrase = value.is_dashed_phrase() || is_spoken_of && value.is_titled_phrase();
    (is_password || is_phrase).then_some(span)
}

/// What a network is now: letters with digits or signs, or three words with dashes, which no adjective has.
fn of_network(text: &Text<'_>, from: usize) -> Option<Span> {
    const FEWEST: usize = 3;
    let span = value_span::value(text, assignment::spaces(text, from), false)?;
    let value = short(text, &span)?;
    let is_word = |word: &[u8]| word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic);
    let words = || value.bytes().split(|byte| *byte == b'-');
    let is_phrase = words().count() >= FEWEST && words().all(is_word);
    (is_phrase || is_chosen(&value)).then_some(span)
}

fn holds_any(text: &Text<'_>, span: &Span, signs: &[u8]) -> bool {
    let value = bytes::slice(text, span.start, span.end);
    value.iter().any(|byte| signs.contains(byte))
}

fn is_hash(value: &Value<'_>) -> bool {
    value.bytes().iter().all(u8::is_ascii_hexdigit)
}

/// A value that is no longer than people type.
pub(super) fn short<'t>(text: &Text<'t>, span: &Span) -> Option<Value<'t>> {
    const LONGEST: usize = 64;
    let is_short = span.end - span.start <= LONGEST;
    is_short.then(|| Value::of(text.str(span.start..span.end)))
}

/// Whether a value may be a password: letters and digits or signs, but no path, code, or name with a known number.
pub(super) fn is_chosen(value: &Value<'_>) -> bool {
    const SHORTEST: usize = 5;
    value.length >= SHORTEST
        && value.has_letter
        && (value.has_digit || holds_sign(value))
        && !value.has_space
        && !value.holds_any(b"\\()[]{}<>,;|\"`")
        && (!value.holds_any(b"/") || is_generated(value) && !value.is_path())
        && !(value.is_technical() || is_acronym(value) || value.is_algorithm())
        && !public::is_region(value.bytes())
}

/// `SAML2`, `HTTP500`
fn is_acronym(value: &Value<'_>) -> bool {
    const LONGEST: usize = 7;
    value.length <= LONGEST && !value.has_lower && !value.has_symbol
}

fn is_generated(value: &Value<'_>) -> bool {
    value.is_random() || value.is_scrambled() || value.is_irregular() || value.is_mixed()
}

/// Signs that people end passwords with, and hardly any word.
pub(super) fn holds_sign(value: &Value<'_>) -> bool {
    value.holds_any(b"!@#$%^&")
}
