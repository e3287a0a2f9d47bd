//! Rules out candidates regardless of the model: a short list of explainable reasons.

use super::{Candidate, Form, Place, code, defaults};
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::name::{self, Strength};
use crate::detect::lexicon::value_class::Value;
use crate::detect::lexicon::{placeholder, predicates, public, vocabulary};

/// Shortest value that counts as a secret, in bytes.
const SHORTEST: usize = 4;
/// The length of the bare words `pin` and `otp`, which any number may follow in a sentence.
const BARE_PIN: usize = 3;
/// Longest path beside another one in a list of sums, in bytes.
const LONGEST_WORD: usize = 160;

/// A reason, and whether it holds.
type Veto = (&'static str, fn(&Candidate<'_>, &Value<'_>) -> bool);

/// Cheap ones first, because most values need no others.
#[rustfmt::skip]
const VETOES: &[Veto] = &[
    ("too short", |_, class| class.length < SHORTEST),
    ("its own name", |candidate, class| repeats_name(candidate.named, candidate.value) && !is_set(candidate, class)),
    ("a reference", |_, class| is_reference(class)),
    ("a type of resources", |candidate, class| class.is_hex() && is_resource_type(candidate)),
    ("a sum of a file", |candidate, class| class.is_hex() && is_path_of_file(candidate)),
    ("a character", |_, class| is_character(class.bytes())),
    ("an option", |candidate, class| matches!(candidate.form, Form::Argument | Form::List | Form::Cell) && is_option(class.bytes())),
    ("a mask of bits", |candidate, class| !candidate.quoted && is_bit_mask(class.bytes())),
    ("a generic type", |candidate, class| !candidate.quoted && is_type_name(class.bytes()) && opens_generics(candidate)),
    ("a numbered pass", |candidate, class| candidate.named == b"pass" && candidate.form == Form::Colon && !class.has_digit && is_numbered_pass(candidate)),
    ("what hides a value", |_, class| hides(class.bytes())),
    ("a version or an address", |_, class| is_version(class) || is_protocol(class.bytes())),
    ("a release in a list", |candidate, class| !candidate.quoted && is_listed(candidate.form) && is_release(class.bytes())),
    ("a request to fill it in", |_, class| bytes::begins(class.bytes(), 0, b"your") && class.is_placeholder()),
    ("a sentence without spaces", |candidate, class| is_spaceless_sentence(candidate.value, class)),
    ("a working folder", |candidate, class| name::ends_with(candidate.named, b"pwd") && class.is_path() && begins_folder(class.bytes())),
    ("the end of code", |candidate, class| !candidate.quoted && closes_code(class.bytes())),
    ("a section of a manual", |candidate, class| is_section(class.bytes()) && follows(candidate, b'(')),
    ("a type or keyword", |candidate, class| !candidate.quoted && code::is_type_or_word(class.bytes())),
    ("the type of a member", |candidate, class| !candidate.quoted && is_type_of_member(candidate, class.bytes())),
    ("one of several types", |candidate, class| !candidate.quoted && candidate.name.strength == Strength::Weak && is_type_name(class.bytes()) && stands_before(candidate, b"| ")),
    ("a call without arguments", |candidate, class| !candidate.quoted && is_bare_call(class.bytes())),
    ("a type under another name", |candidate, class| !candidate.quoted && class.is_identifier() && is_renamed(candidate)),
    ("an arm of a match", |candidate, class| candidate.form == Form::Spaced && !candidate.name.is_password && !class.has_digit && !class.has_upper && is_arm(candidate)),
    ("an alphabet", |candidate, class| candidate.name.strength == Strength::Weak && is_alphabet(class.bytes())),
    ("the name in a pair", |candidate, _| candidate.form == Form::Colon && candidate.name.strength == Strength::Weak && is_of_pair(candidate)),
    ("a host", |candidate, class| !candidate.quoted && is_host(class.bytes())),
    ("a value cut off", |candidate, class| !candidate.name.is_password && class.bytes().ends_with(b"...")),
    ("one of several numbers", |candidate, class| candidate.form == Form::Colon && !candidate.quoted && is_among_numbers(candidate, class.bytes())),
    ("what makes a request unique", |candidate, class| class.is_uuid() && is_of_request(candidate.named)),
    ("several words for a key", |candidate, class| !candidate.has_strong_name() && class.has_space && !is_salt(class) && !is_number_in_groups(class)),
    ("what matters", |candidate, class| candidate.form == Form::Colon && !candidate.quoted && !class.has_digit && !class.has_symbol && is_spoken_of(candidate, class)),
    ("a verb", |candidate, class| candidate.name.is_verb && (candidate.form == Form::Flag || candidate.form == Form::Prose && !candidate.quoted && !is_telling(class))),
    ("a name that goes on", |candidate, _| candidate.form == Form::Argument && !candidate.name.ends_secret),
    ("a line of help", |candidate, _| matches!(candidate.form, Form::Flag | Form::Tight) && is_help(candidate)),
    ("a statement", |candidate, _| candidate.form == Form::Apart && candidate.named == b"pass" && is_statement(candidate)),
    ("a mode of requests", |candidate, class| name::ends_with(candidate.named, b"credentials") && is_mode(class.bytes())),
    ("a pin of a device", |candidate, class| is_bare_pin(candidate, class)),
    ("a member of a pointer", |candidate, class| !candidate.quoted && stands_before(candidate, b"->") && class.is_identifier() && !class.has_digit),
    ("a part of its own name", |candidate, _| candidate.form == Form::List && begins_name(candidate)),
    ("what is said of it", |candidate, class| (candidate.form.is_prose() || is_titled(candidate) || is_asked(class)) && !candidate.quoted && !class.has_digit && predicates::is_one(candidate.value)),
    ("what it is made of", |candidate, _| candidate.form.is_prose() && !candidate.quoted && predicates::ends_with_one(candidate.value)),
    ("a number of a thing", |candidate, class| candidate.name.strength == Strength::Weak && is_numbered_thing(class.bytes())),
    ("an acronym with a number", |candidate, class| !candidate.quoted && !candidate.name.is_password && !candidate.has_strong_name() && is_acronym(class.bytes())),
    ("a standard in brackets", |candidate, class| !candidate.quoted && follows(candidate, b'(') && is_standard(class.bytes())),
    ("a share", |_, class| class.bytes().strip_suffix(b"%").is_some_and(is_decimal)),
    ("a technical name", |candidate, class| is_far(candidate.form) && !candidate.quoted && class.is_technical()),
    ("a library", |candidate, class| candidate.form.is_prose() && !candidate.quoted && is_library(class.bytes())),
    ("a measure", |candidate, class| candidate.form.is_prose() && !candidate.quoted && is_measure(candidate, class.bytes())),
    ("how it was done", |candidate, class| candidate.form == Form::Prose && !candidate.quoted && is_adverb(class.bytes()) && goes_on(candidate)),
    ("none, or an unknown one", |candidate, _| candidate.form != Form::Tight && predicates::is_nothing(candidate.value)),
    ("a name with its value", |candidate, class| (candidate.form.is_prose() || candidate.form == Form::Account) && assigns(class.bytes()) || candidate.form == Form::Apart && assigns_to_word(class.bytes())),
    ("a path of code", |candidate, class| !candidate.quoted && bytes::holds(class.bytes(), b"::")),
    ("a bound of a type", |candidate, _| !candidate.quoted && stands_before_name(candidate, b">::")),
    ("coordinates of a package", |candidate, class| follows(candidate, b':') && (class.holds_any(b":") || is_artifact(candidate, class))),
    ("a template", |candidate, class| candidate.is_template && class.holds_any(b"{")),
    ("bytes of code", |candidate, _| candidate.value.starts_with("\\x") || !candidate.has_strong_name() && stands_before(candidate, b"hex!(\"")),
    ("a signature", |candidate, _| name::ends_with(candidate.named, b"signature") && candidate.form != Form::Tight),
    ("Helm's name of a secret", |candidate, class| name::ends_with(candidate.named, b"existingSecret") && is_kubernetes_name(class)),
    ("an algorithm", |_, class| class.is_algorithm()),
    ("a public key", |_, class| public::is_ssh_key(class.bytes())),
    ("a fingerprint", |candidate, class| class.is_hex() && (stands_before(candidate, b"RSA key ") || is_of_openpgp(candidate, class))),
    ("a label", |candidate, class| vocabulary::is_label(numberless(candidate.value)) && !is_set(candidate, class)),
    ("the id of a resource", |candidate, class| !candidate.has_strong_name() && class.is_id()),
    ("the key of a cache", |candidate, _| candidate.name.strength == Strength::Weak && public::is_cache_key(candidate.value)),
];

/// The reason why a candidate is not a secret.
pub(super) fn veto(candidate: &Candidate<'_>, class: &Value<'_>) -> Option<&'static str> {
    let holds = |(_, holds): &&Veto| holds(candidate, class);
    VETOES.iter().find(holds).map(|(reason, _)| *reason)
}

/// `DB_PASSWORD=password`, `;Password=secret;`: what the environment or a connection string sets a password to.
/// Translations and the names of fields read alike, and are not written so.
fn is_set(candidate: &Candidate<'_>, class: &Value<'_>) -> bool {
    let is_variable = !candidate.named.iter().any(u8::is_ascii_lowercase);
    let is_in_string = || {
        let place = candidate.place.as_ref();
        place.is_some_and(|place| before(place.text, place.name.start) == b';')
    };
    candidate.name.is_password
        && !class.has_upper
        && matches!(candidate.form, Form::Tight | Form::Colon | Form::Pair)
        && defaults::is_default(class.bytes())
        && (is_variable || is_in_string())
}

/// A pin of a device, or the verb: ``Pin `tempfile` ``.
fn is_bare_pin(candidate: &Candidate<'_>, class: &Value<'_>) -> bool {
    let is_in_sentence = matches!(candidate.form, Form::Next | Form::Far)
        || candidate.form == Form::Flag && !class.has_digit;
    candidate.name.is_pin && candidate.named.len() <= BARE_PIN && is_in_sentence
}

/// `my pass is clementine6`: letters and digits that name nothing technical.
fn is_telling(class: &Value<'_>) -> bool {
    const SHORTEST: usize = 6;
    class.length >= SHORTEST && class.has_digit && class.has_lower && !class.is_technical()
}

/// `Security_Credentials = ["Security"]`: a feature, and the one that it needs.
fn begins_name(candidate: &Candidate<'_>) -> bool {
    let beginning = candidate.named.get(..candidate.value.len());
    beginning.is_some_and(|own| own.eq_ignore_ascii_case(candidate.value.as_bytes()))
}

/// `  -W, --password    frage nach dem Passwort` or `  --password=WORT    das Passwort`: an option, and what it is for.
fn is_help(candidate: &Candidate<'_>) -> bool {
    const LONGEST: usize = 160;
    let is_space = |byte: u8| byte == b' ';
    let is_word = || {
        candidate
            .value
            .chars()
            .all(|letter| letter.is_alphabetic() || letter == '-')
    };
    candidate
        .place
        .as_ref()
        .is_some_and(|Place { text, name, value }| {
            let start = name.start - bytes::line_back(text, name.start, LONGEST);
            let option = start + bytes::run(text, start, LONGEST, is_space);
            let is_option = bytes::at(text, option) == b'-' && bytes::at(text, option + 1) != b' ';
            let before = bytes::run_back(text, value.start, LONGEST, is_space);
            let behind = bytes::run(text, value.end, LONGEST, is_space);
            let next = bytes::at(text, value.end + behind);
            let is_column =
                before > 1 || behind > 1 && (next.is_ascii_alphabetic() || !next.is_ascii());
            is_option && is_column && is_word()
        })
}

/// Python's `scanner`, which ends a block: what follows is indented less.
fn is_statement(candidate: &Candidate<'_>) -> bool {
    candidate.place.as_ref().is_some_and(|place| {
        let indent = |at: usize| {
            let back = bytes::run_back(place.text, at, at, |byte| matches!(byte, b' ' | b'\t'));
            (back, before(place.text, at - back))
        };
        let (own, lead) = indent(place.name.start);
        let (next, _) = indent(place.value.start);
        lead == b'\n' && next < own
    })
}

/// `Password: changed`, `Mot de passe : oublié`: what a form or a report says, whose names begin with a capital.
fn is_titled(candidate: &Candidate<'_>) -> bool {
    const LONGEST: usize = 48;
    candidate.form == Form::Colon
        && candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, name, .. }| {
                let line = name.start - bytes::line_back(text, name.start, LONGEST);
                bytes::at(text, line).is_ascii_uppercase()
            })
}

/// `La clave: constancia y esfuerzo`: the word for a key means what matters, too, where a sentence continues behind it.
fn is_spoken_of(candidate: &Candidate<'_>, class: &Value<'_>) -> bool {
    const NAMES: &[&[u8]] = &[
        b"clave", b"chave", b"chiave", b"secreto", b"segredo", b"segreto",
    ];
    const ARTICLES: &[&[u8]] = &[b"la ", b"il ", b"el ", b"a ", b"o "];
    const USERS: &[&[u8]] = &[b"usu", b"utent"];
    const REACH: usize = 48;
    NAMES
        .iter()
        .any(|name| candidate.named.eq_ignore_ascii_case(name))
        && candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, name, value }| {
                let line = name.start - bytes::line_back(text, name.start, REACH);
                let lead = bytes::slice(text, line, name.start).to_ascii_lowercase();
                let rest = bytes::slice(text, value.start, text.len().min(value.end + REACH));
                let rest = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let goes_on = class.has_space
                    || at(text, value.end) == b' ' && at(text, value.end + 1).is_ascii_lowercase();
                goes_on
                    && ARTICLES.iter().any(|article| lead.ends_with(article))
                    && !USERS.iter().any(|user| bytes::holds(rest, user))
            })
}

/// `forgotten?`
fn is_asked(class: &Value<'_>) -> bool {
    class.bytes().ends_with(b"?")
}

/// `sku_4711`, `npm-v3-main-20240503`: short words, and a number at the end.
fn is_numbered_thing(value: &[u8]) -> bool {
    const LONGEST: usize = 24;
    const LONGEST_PART: usize = 8;
    let is_number = |part: &[u8]| {
        let digits = part.strip_prefix(b"v").unwrap_or(part);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    let is_word = |part: &[u8]| {
        part.iter().all(u8::is_ascii_lowercase) || part.iter().all(u8::is_ascii_uppercase)
    };
    let is_part = |part: &[u8]| {
        (1..=LONGEST_PART).contains(&part.len()) && (is_number(part) || is_word(part))
    };
    let mut parts = value.rsplit(|byte| matches!(byte, b'-' | b'_' | b'.'));
    let ends_in_number = parts
        .next()
        .is_some_and(|last| is_number(last) && is_part(last));
    let mut words = 0;
    value.len() <= LONGEST
        && ends_in_number
        && parts.all(|part| {
            words += usize::from(is_word(part));
            is_part(part)
        })
        && words > 0
}

/// `ERC-20`, `ICA2`: a standard or a product.
fn is_acronym(value: &[u8]) -> bool {
    const LONGEST: usize = 5;
    const MOST_DIGITS: usize = 3;
    let letters = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_uppercase());
    let number = letters + usize::from(bytes::at(value, letters) == b'-');
    let digits = value.len() - number.min(value.len());
    (2..=LONGEST).contains(&letters)
        && (1..=MOST_DIGITS).contains(&digits)
        && bytes::slice(value, number, value.len())
            .iter()
            .all(u8::is_ascii_digit)
}

/// `RFC8446`
fn is_standard(value: &[u8]) -> bool {
    [&b"RFC"[..], b"ISO", b"IEC", b"BCP"]
        .iter()
        .filter_map(|body| value.strip_prefix(*body))
        .any(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// `"tests/root.key": "…"`: a file that a list of sums names.
fn is_path_of_file(candidate: &Candidate<'_>) -> bool {
    const LONGEST: usize = 120;
    candidate.place.as_ref().is_some_and(|place| {
        let is_of_path = |byte: u8| bytes::is_word(byte) || matches!(byte, b'/' | b'.' | b'-');
        let end = place.name.end;
        let start = end - bytes::run_back(place.text, end, LONGEST, is_of_path);
        let path = bytes::slice(place.text, start, end);
        bytes::at(place.text, end) == b'"'
            && path.contains(&b'/')
            && extension(path).is_some()
            && is_among_sums(place, start)
    })
}

/// Whether a member before a path, or behind its value, has a sum of the same length and is a file of another kind: the
/// keys of a vault stand side by side, too.
fn is_among_sums(place: &Place<'_>, path: usize) -> bool {
    const MOST: usize = 4;
    let length = place.value.len();
    let is_sum = |(name, value): &(&[u8], &[u8])| {
        value.len() == length && value.iter().all(u8::is_ascii_hexdigit) && !name.is_empty()
    };
    let is_other = |(name, _): (&[u8], &[u8])| {
        let kind = extension(name).and_then(|kind| str::from_utf8(kind).ok());
        kind.is_some_and(|kind| name::Name::whole(kind).is_none())
    };
    let (mut start, mut end) = (path, place.value.end);
    let before = std::iter::from_fn(|| {
        let value = word_before(place.text, &mut start);
        Some((word_before(place.text, &mut start), value))
    });
    let behind = std::iter::from_fn(|| {
        let name = word_behind(place.text, &mut end);
        Some((name, word_behind(place.text, &mut end)))
    });
    before.take(MOST).take_while(is_sum).any(is_other)
        || behind.take(MOST).take_while(is_sum).any(is_other)
}

/// The name or the value of JSON before a place, which moves to its beginning.
fn word_before<'t>(text: &'t [u8], place: &mut usize) -> &'t [u8] {
    let end = *place - bytes::run_back(text, *place, LONGEST_WORD, is_between_members);
    *place = end - bytes::run_back(text, end, LONGEST_WORD, |byte| !is_between_members(byte));
    bytes::slice(text, *place, end)
}

/// The name or the value of JSON behind a place, which moves to its end.
fn word_behind<'t>(text: &'t [u8], place: &mut usize) -> &'t [u8] {
    let start = *place + bytes::run(text, *place, LONGEST_WORD, is_between_members);
    *place = start + bytes::run(text, start, LONGEST_WORD, |byte| !is_between_members(byte));
    bytes::slice(text, start, *place)
}

const fn is_between_members(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b',' | b':')
}

/// `rs` of `test/a.rs`
fn extension(path: &[u8]) -> Option<&[u8]> {
    const LONGEST: usize = 8;
    let length = bytes::run_back(path, path.len(), LONGEST, |byte| {
        byte.is_ascii_alphanumeric()
    });
    let start = path.len() - length;
    (before(path, start) == b'.').then(|| bytes::slice(path, start, path.len()))
}

/// `\f1d5`, `\u2713`: one character, as a style sheet or a program writes it.
fn is_character(value: &[u8]) -> bool {
    let digits = match value {
        [b'\\', b'u', digits @ ..] if digits.len() == 4 => digits,
        [b'\\', digits @ ..] if (4..=6).contains(&digits.len()) => digits,
        _ => return false,
    };
    digits.iter().all(u8::is_ascii_hexdigit)
}

/// `--recursive`
fn is_option(value: &[u8]) -> bool {
    let Some([first, rest @ ..]) = value.strip_prefix(b"--") else {
        return false;
    };
    let is_of_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'-';
    first.is_ascii_lowercase() && rest.iter().all(is_of_name)
}

/// `0b0100_0000`
fn is_bit_mask(value: &[u8]) -> bool {
    value
        .strip_prefix(b"0b")
        .is_some_and(|bits| bits.iter().all(|byte| matches!(byte, b'0' | b'1' | b'_')))
}

/// `Zeroizing`
fn is_type_name(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_uppercase) && value.iter().all(u8::is_ascii_alphabetic)
}

/// Whether a type or a reference in angle brackets is next: `Zeroizing<Payload>`, `Cow<'a, str>`.
fn opens_generics(candidate: &Candidate<'_>) -> bool {
    const LONGEST: usize = 64;
    let is_of_type = |byte: u8| bytes::is_word(byte) || b"<&'[]:, ".contains(&byte);
    candidate
        .place
        .as_ref()
        .is_some_and(|Place { text, value, .. }| {
            let inner = bytes::at(text, value.end + 1);
            let length = bytes::run(text, value.end, LONGEST, is_of_type);
            let own = bytes::slice(text, value.end, value.end + length);
            bytes::at(text, value.end) == b'<'
                && bytes::at(text, value.end + length) == b'>'
                && (inner.is_ascii_uppercase() || matches!(inner, b'&' | b'\'' | b'['))
                // Not the `<BR>` of a page.
                && own.iter().any(u8::is_ascii_lowercase)
        })
}

/// `First pass: collect`, `on each pass: merge`
fn is_numbered_pass(candidate: &Candidate<'_>) -> bool {
    const LONGEST: usize = 10;
    #[rustfmt::skip]
    const COUNTS: &[&str] = &[
        "first", "second", "third", "fourth", "1st", "2nd", "3rd", "final", "last", "next", "one", "two", "single", "each", "every", "per",
    ];
    candidate
        .place
        .as_ref()
        .is_some_and(|Place { text, name, .. }| {
            let end = name.start - usize::from(matches!(before(text, name.start), b' ' | b'-'));
            let word =
                end - bytes::run_back(text, end, LONGEST, |byte| byte.is_ascii_alphanumeric());
            let word = bytes::slice(text, word, end);
            COUNTS
                .iter()
                .any(|count| word.eq_ignore_ascii_case(count.as_bytes()))
        })
}

/// `readonly token: TokenConstructor;`, `secret: &SharedSecret,`: what a line of code declares.
fn is_type_of_member(candidate: &Candidate<'_>, value: &[u8]) -> bool {
    const LONGEST_LEAD: usize = 32;
    let is_reference = value.first() == Some(&b'&');
    let kind = value.strip_prefix(b"&").unwrap_or(value);
    let humps = bytes::run(kind, 0, 1, |byte| byte.is_ascii_uppercase())
        + kind
            .windows(2)
            .filter(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']))
            .count();
    let is_type = is_type_name(kind) && kind.iter().any(u8::is_ascii_lowercase);
    candidate.form == Form::Colon
        && is_type
        && (humps > 1 || is_reference)
        && candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, name, value }| {
                let line = name.start - bytes::line_back(text, name.start, LONGEST_LEAD);
                let lead = bytes::slice(text, line, name.start);
                let declares = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_whitespace();
                lead.first().is_some_and(u8::is_ascii_whitespace)
                    && lead.iter().all(declares)
                    && matches!(at(text, value.end), b',' | b';')
                    && matches!(at(text, value.end + 1), b'\n' | b'\r')
            })
}

/// `applicationDefault()`
fn is_bare_call(value: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.');
    value
        .strip_suffix(b"()")
        .is_some_and(|name| !name.is_empty() && name.iter().all(is_of_name))
}

/// `SigningKey as SigningKey256`: an import.
fn is_renamed(candidate: &Candidate<'_>) -> bool {
    candidate.named.first().is_some_and(u8::is_ascii_uppercase)
        && candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, name, value }| {
                bytes::slice(text, name.end, value.start) == b" as "
            })
}

/// `EarlyTrafficSecret => b"c e traffic"`: what a program calls one of its kinds.
fn is_arm(candidate: &Candidate<'_>) -> bool {
    let humps = candidate
        .named
        .windows(2)
        .filter(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']));
    humps.count() > 0
        && is_type_name(candidate.named)
        && candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, name, .. }| bytes::begins(text, name.end, b" => "))
}

/// `ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/`: the characters that a code is written in, each of them once.
fn is_alphabet(value: &[u8]) -> bool {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const MOST: usize = 96;
    let is_again = |(index, byte): (usize, &u8)| {
        byte.is_ascii_alphanumeric() && bytes::slice(value, 0, index).contains(byte)
    };
    (LETTERS.len() + 1..=MOST).contains(&value.len())
        && bytes::holds(value, LETTERS)
        && !value.iter().enumerate().any(is_again)
}

/// `"pin": 62701` between `"pin-fill": 62700` and `"pip": 62703`: numbers of one length that a table gives to names.
fn is_among_numbers(candidate: &Candidate<'_>, value: &[u8]) -> bool {
    let is_alike =
        |other: &[u8]| other.len() == value.len() && other.iter().all(u8::is_ascii_digit);
    is_alike(value)
        && candidate.place.as_ref().is_some_and(|place| {
            let (mut start, mut end) = (place.name.start, place.value.end);
            let before = word_before(place.text, &mut start);
            word_behind(place.text, &mut end);
            is_alike(before) && is_alike(word_behind(place.text, &mut end))
        })
}

/// `registry.example.com`
fn is_host(value: &[u8]) -> bool {
    const DOMAINS: [&[u8]; 6] = [b".com", b".org", b".net", b".io", b".local", b".internal"];
    let is_of_host = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-');
    DOMAINS.iter().any(|domain| value.ends_with(domain)) && value.iter().all(is_of_host)
}

/// `"Key": "team"` before `"Value": …`: what something is called.
fn is_of_pair(candidate: &Candidate<'_>) -> bool {
    candidate.named.eq_ignore_ascii_case(b"key")
        && candidate.place.as_ref().is_some_and(|place| {
            let mut end = place.value.end;
            word_behind(place.text, &mut end).eq_ignore_ascii_case(b"value")
        })
}

/// `ChangeToken`, `clientRequestToken`: drawn anew for each request, so that it is not carried out twice.
fn is_of_request(named: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&[u8]] = &[
        b"changetoken", b"change_token", b"clientrequesttoken", b"client_request_token", b"creatorrequesttoken", b"idempotencytoken",
        b"idempotency_token",
    ];
    NAMES.iter().any(|name| name::ends_with(named, name))
}

/// `libgit2`
fn is_library(value: &[u8]) -> bool {
    const LONGEST: usize = 12;
    value.strip_prefix(b"lib").is_some_and(|name| {
        let letters = bytes::run(name, 0, LONGEST, |byte| byte.is_ascii_lowercase());
        letters > 1 && matches!(bytes::slice(name, letters, name.len()), [b'0'..=b'9'])
    })
}

/// `2048bits`, `1024 bytes`
fn is_measure(candidate: &Candidate<'_>, value: &[u8]) -> bool {
    #[rustfmt::skip]
    const UNITS: &[&str] = &[
        "bit", "bits", "byte", "bytes", "char", "characters", "chars", "day", "days", "digits", "hour", "hours", "kb", "letters", "minutes",
        "months", "ms", "seconds", "times", "weeks", "years",
    ];
    const LONGEST: usize = 12;
    let is_unit = |word: &[u8]| UNITS.iter().any(|unit| word == unit.as_bytes());
    let digits = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_digit());
    let follows = || {
        candidate
            .place
            .as_ref()
            .is_some_and(|Place { text, value, .. }| {
                let start = value.end + 1;
                let length = bytes::run(text, start, LONGEST, |byte| byte.is_ascii_alphabetic());
                matches!(at(text, value.end), b' ' | b'-')
                    && is_unit(bytes::slice(text, start, start + length))
            })
    };
    match bytes::slice(value, digits, value.len()) {
        _ if digits == 0 => false,
        [] => follows(),
        unit => is_unit(unit),
    }
}

/// `implicitly`
fn is_adverb(value: &[u8]) -> bool {
    const SHORTEST: usize = 6;
    value.len() >= SHORTEST && value.ends_with(b"ly") && value.iter().all(u8::is_ascii_lowercase)
}

/// Whether a word follows the value.
fn goes_on(candidate: &Candidate<'_>) -> bool {
    candidate
        .place
        .as_ref()
        .is_some_and(|Place { text, value, .. }| {
            let next =
                value.end + bytes::run(text, value.end, 24, |byte| b" \n*/#".contains(&byte));
            next > value.end && at(text, next).is_ascii_lowercase()
        })
}

/// `12`, `98.2`
fn is_decimal(value: &[u8]) -> bool {
    !value.is_empty()
        && value
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
}

/// `2.1.0`, `v2.1.0`
fn is_version(class: &Value<'_>) -> bool {
    let is_of_release = |number: &[u8]| number.contains(&b'.') && is_decimal(number);
    class.is_number() && class.holds_any(b".")
        || class.bytes().strip_prefix(b"v").is_some_and(is_of_release)
}

/// The values of `RequestCredentials` of the Fetch Standard.
fn is_mode(value: &[u8]) -> bool {
    matches!(value, b"include" | b"omit" | b"same-origin")
}

/// `PWD=/home/dev`, as a shell keeps it.
fn begins_folder(value: &[u8]) -> bool {
    matches!(value, [b'/' | b'~', ..] | [_, b':', b'\\' | b'/', ..])
}

/// `}).fill(…`: two brackets close what was opened before the value.
fn closes_code(value: &[u8]) -> bool {
    matches!(
        value,
        [
            b')' | b']' | b'}',
            b')' | b']' | b'}' | b';' | b',' | b'.',
            ..
        ]
    )
}

/// `パスワードは12文字以上で入力してください`: what a form says of a password in a script without spaces.
fn is_spaceless_sentence(value: &str, class: &Value<'_>) -> bool {
    const FEWEST: usize = 8;
    let is_spaceless = |letter: char| matches!(letter, '\u{3040}'..='\u{9FFF}');
    let is_hiragana = |letter: char| matches!(letter, '\u{3040}'..='\u{309F}');
    let count =
        |is_one: &dyn Fn(char) -> bool| value.chars().filter(|letter| is_one(*letter)).count();
    !class.has_lower
        && !class.has_upper
        && count(&is_spaceless) >= FEWEST
        && (vocabulary::roles(class.bytes()) & vocabulary::PASSWORD != 0
            || count(&is_hiragana) >= FEWEST
            || value.contains(['、', '。', '，']))
}

/// Whether a value may be next to its name without being assigned to it, as in a list of packages.
const fn is_listed(form: Form) -> bool {
    matches!(form, Form::Next | Form::Apart | Form::Cell)
}

/// Whether words come between a name and its value: `password encrypted with AES256`.
const fn is_far(form: Form) -> bool {
    matches!(form, Form::BeforeName | Form::Far | Form::Next)
}

/// `5.6.0+deb12u5`, `1:4.13+dfsg1-1`: numbers with dots, after an epoch or not, and what names a build.
fn is_release(value: &[u8]) -> bool {
    let digits = |from: usize| bytes::run(value, from, value.len(), |byte| byte.is_ascii_digit());
    let epoch = digits(0);
    let has_epoch = epoch > 0 && bytes::at(value, epoch) == b':';
    let mut at = if has_epoch { epoch + 1 } else { 0 };
    let mut numbers = 0;
    loop {
        let length = digits(at);
        at += length;
        numbers += usize::from(length > 0);
        if length == 0 || bytes::at(value, at) != b'.' {
            break;
        }
        at += 1;
    }
    let build = bytes::slice(value, at, value.len());
    let is_build = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-~.".contains(byte);
    numbers > 1
        && (build.is_empty() || matches!(build, [b'+' | b'-' | b'~', ..]))
        && build.iter().all(is_build)
}

/// `io.jsonwebtoken:jjwt-jackson-0.11.2`: a group of packages, and a file of one with its release.
fn is_artifact(candidate: &Candidate<'_>, class: &Value<'_>) -> bool {
    let is_group = candidate.place.as_ref().is_some_and(|place| {
        let name = bytes::slice(place.text, place.name.start, place.name.end);
        name.contains(&b'.') || before(place.text, place.name.start) == b'.'
    });
    let release = class.bytes().iter().rposition(|byte| *byte == b'-');
    is_group
        && release
            .is_some_and(|sign| is_release(bytes::slice(class.bytes(), sign + 1, class.length)))
}

/// `HTTP/1.1`, as in `POST /login HTTP/1.1`; `IPv4`, as in `a private IPv4 address`.
fn is_protocol(value: &[u8]) -> bool {
    if matches!(value, [b'I', b'P', b'v', b'4' | b'6']) {
        return true;
    }
    let letters = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_uppercase());
    letters > 1
        && matches!(bytes::slice(value, letters, value.len()), [b'/', version @ ..]
            if !version.is_empty() && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

/// `passwd (1ssl)`
fn is_section(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const PARTS: &[&[u8]] = &[b"ssl", b"ossl", b"openssl", b"posix", b"perl", b"tcl", b"ncurses", b"curses", b"pam", b"krb5"];
    let number = value.first().is_some_and(u8::is_ascii_digit);
    number && PARTS.contains(&bytes::slice(value, 1, value.len()))
}

/// `REDACTED`: a replacement for a value.
fn hides(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &["redacted", "filtered", "masked", "censored", "obfuscated", "sanitized"];
    WORDS
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// The salts of an installation are long and hold anything.
fn is_salt(class: &Value<'_>) -> bool {
    class.length >= 32 && class.is_scrambled()
}

/// `4839 2018 4756 1029 3847`: the key of a network, as a label shows it.
fn is_number_in_groups(class: &Value<'_>) -> bool {
    const FEWEST_DIGITS: usize = 16;
    let groups = || class.bytes().split(|byte| *byte == b' ');
    let first = groups().next().map_or(0, <[u8]>::len);
    class.length >= FEWEST_DIGITS
        && first > 1
        && groups().all(|group| group.len() == first && group.iter().all(u8::is_ascii_digit))
}

/// `password=x`: a name, and what is assigned to it.
fn assigns(value: &[u8]) -> bool {
    let name = bytes::run(value, 0, value.len(), |byte| {
        bytes::is_word(byte) || byte == b'-'
    });
    name > 0 && bytes::at(value, name) == b'=' && value.len() > name + 2
}

/// `retries=3` below the name of a secret: the next setting.
fn assigns_to_word(value: &[u8]) -> bool {
    let name = bytes::run(value, 0, value.len(), |byte| {
        byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.' | b'-')
    });
    let capitals = bytes::run(value, 0, value.len(), |byte| {
        byte.is_ascii_uppercase() || byte == b'_'
    });
    let name = name.max(capitals);
    name > 0 && bytes::at(value, name) == b'=' && value.len() > name + 1
}

fn follows(candidate: &Candidate<'_>, sign: u8) -> bool {
    let place = candidate.place.as_ref();
    place.is_some_and(|place| before(place.text, place.value.start) == sign)
}

/// `"AWS::KMS::Key": "…"`
fn is_resource_type(candidate: &Candidate<'_>) -> bool {
    let place = candidate.place.as_ref();
    place.is_some_and(|Place { text, name, .. }| {
        bytes::slice(text, name.start.saturating_sub(2), name.start) == b"::"
            && bytes::at(text, name.end) == b'"'
    })
}

/// Whether a value follows some text directly.
fn stands_before(candidate: &Candidate<'_>, lead: &[u8]) -> bool {
    candidate.place.as_ref().is_some_and(|place| {
        let start = place.value.start;
        bytes::slice(place.text, start.saturating_sub(lead.len()), start) == lead
    })
}

/// `GPG_KEY=E3FF2839…`: the forty digits of a public key's fingerprint.
fn is_of_openpgp(candidate: &Candidate<'_>, class: &Value<'_>) -> bool {
    const DIGITS: usize = 40;
    let mut is_named = false;
    name::each_word(candidate.named, |word| {
        is_named |= matches!(word, b"gpg" | b"pgp");
    });
    is_named && class.length == DIGITS && !class.has_lower
}

/// The same before the name.
fn stands_before_name(candidate: &Candidate<'_>, lead: &[u8]) -> bool {
    candidate.place.as_ref().is_some_and(|place| {
        let start = place.name.start;
        bytes::slice(place.text, start.saturating_sub(lead.len()), start) == lead
    })
}

/// A text without the number that it ends with: `Password 2`.
fn numberless(text: &str) -> &str {
    text.rsplit_once(' ')
        .filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(text, |(words, _)| words)
}

fn is_kubernetes_name(class: &Value<'_>) -> bool {
    class.holds_any(b"-") && !(class.has_upper || class.has_symbol)
}

/// `${x}`, `<x>`; not `$Harbor4`, which may be a variable or a password.
fn is_reference(class: &Value<'_>) -> bool {
    let begins = class.bytes().first_chunk();
    let may_be_value = begins
        .is_some_and(|[first, second]| *first == b'$' && !matches!(second, b'{' | b'('))
        && class.has_digit
        && class.has_lower;
    placeholder::is_marker(class)
        && !may_be_value
        && !opens_by_chance(class)
        && !is_enclosed_by_chance(class)
}

/// `(Kx9/77&zz-Q)`: a generated value that begins and ends with brackets.
fn is_enclosed_by_chance(class: &Value<'_>) -> bool {
    let ([b'(', inner @ .., b')'] | [b'[', inner @ .., b']'] | [b'{', inner @ .., b'}']) =
        class.bytes()
    else {
        return false;
    };
    let is_bracket = |byte: &u8| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b' ');
    let inner = str::from_utf8(inner).unwrap_or_default();
    !inner.bytes().any(|byte| is_bracket(&byte)) && Value::of(inner).is_scrambled()
}

/// `${` or `{{` in a generated value, where no reference ends.
fn opens_by_chance(class: &Value<'_>) -> bool {
    let opens = || bytes::holds(class.bytes(), b"${") || bytes::holds(class.bytes(), b"{{");
    class.holds_any(b"{") && opens() && !class.holds_any(b"}") && class.is_scrambled()
}

/// `password: password2`, `token = self.token`: the value only names the secret again.
pub(super) fn repeats_name(named: &[u8], value: &str) -> bool {
    let own_length = plain_from_end(named).count();
    // No more than matters are counted.
    let length = plain_from_end(value.as_bytes())
        .take(own_length + 8)
        .count();
    let same = same_ending(named, value.as_bytes());
    // `t00r-Pw` does not merely repeat `pw`.
    let is_short = own_length < 4 && value.bytes().any(|byte| byte.is_ascii_digit());
    own_length > 0
        && length < own_length + 8
        && (same == own_length && !is_short || same == length && length > 3)
}

/// Letters and digits at the end of both texts that are the same in lower case.
fn same_ending(first: &[u8], second: &[u8]) -> usize {
    plain_from_end(first)
        .zip(plain_from_end(second))
        .take_while(|(first, second)| first == second)
        .count()
}

fn plain_from_end(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter()
        .rev()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
}
