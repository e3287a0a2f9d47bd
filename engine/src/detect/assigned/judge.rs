//! Whether an assigned value is a secret.

use super::name::{Name, Strength};
use super::phrase;
use super::public;
use super::syntax::{Assignment, Form};
use super::value_class::Value;
use super::vocabulary;
use crate::detect::bytes::{self, at, before};
use crate::detect::placeholder;

/// Score of an assigned value in percent; `None` when it is no secret.
pub(super) fn judge(text: &[u8], name: &Name, assignment: &Assignment, value: &str) -> Option<u8> {
    let verb = name.is_verb && matches!(assignment.form, Form::Flag | Form::Prose);
    if verb
        || is_signature(text, name) && assignment.form != Form::Tight
        || assignment.form == Form::Argument && !name.ends_secret
    {
        return None;
    }
    let class = Value::of(value);
    if assignment.form == Form::Far && !is_telling(&class) {
        return None;
    }
    let shaped = if name.is_pin {
        class.digits == class.length && (4..=12).contains(&class.length)
    } else if assignment.span.quoted {
        quoted(name, assignment.form, &class)
    } else {
        bare(text, name, assignment, &class)
    };
    let stands_for_another = || {
        placeholder::is_placeholder(value) && !opens_by_chance(&class)
            || repeats_name(text, name, value)
            || vocabulary::is_label(value)
            || name.strength < Strength::Strong && public::is_id(value)
            || value.starts_with("\\x")
            || assignment.span.is_template && value.contains('{')
    };
    (shaped && !stands_for_another()).then(|| score(name.strength, &class))
}

/// A signature tells who signed, and lets in whom only as a part of a URL.
fn is_signature(text: &[u8], name: &Name) -> bool {
    let name = bytes::slice(text, name.range.start, name.range.end);
    name.to_ascii_lowercase().ends_with(b"signature")
}

/// `${` or `{{` in a generated value, where no reference ends.
fn opens_by_chance(class: &Value<'_>) -> bool {
    let opens = bytes::holds(class.bytes(), b"${") || bytes::holds(class.bytes(), b"{{");
    opens && !class.bytes().contains(&b'}') && class.is_scrambled()
}

/// Score of one of several values that are assigned to a name.
pub(super) fn judge_one(name: &Name, value: &str, is_quoted: bool) -> Option<u8> {
    let class = Value::of(value);
    let telling = match name.strength {
        Strength::Strong if is_quoted => class.has_digit || class.has_symbol || class.has_space,
        Strength::Strong => class.has_digit && (class.has_symbol || !class.is_words()),
        Strength::Medium | Strength::Weak => class.is_random() || class.is_irregular(),
    };
    let accepted = telling
        && !value.contains('\n')
        && quoted(name, Form::Argument, &class)
        && !placeholder::is_placeholder(value);
    accepted.then(|| score(name.strength, &class))
}

/// Score of a cell of the column that a name heads.
pub(super) fn judge_cell(name: &Name, value: &str) -> Option<u8> {
    let class = Value::of(value);
    let accepted = match name.strength {
        Strength::Strong => {
            (class.has_digit || class.has_symbol && !class.is_words() || class.is_irregular())
                && !class.is_uuid()
                && quoted(name, Form::Argument, &class)
        }
        Strength::Medium => {
            (class.is_random() || class.is_irregular()) && quoted(name, Form::Argument, &class)
        }
        Strength::Weak => false,
    };
    (accepted && !placeholder::is_placeholder(value)).then(|| score(name.strength, &class))
}

/// Score of a whole text that stands under a name.
pub(super) fn judge_whole(name: &Name, value: &str) -> Option<u8> {
    let class = Value::of(value);
    let accepted = quoted(name, Form::Colon, &class)
        && !placeholder::is_placeholder(value)
        && !vocabulary::is_label(value)
        && (name.strength == Strength::Strong || !public::is_id(value));
    accepted.then(|| score(name.strength, &class))
}

fn score(strength: Strength, class: &Value<'_>) -> u8 {
    let name: u8 = match strength {
        Strength::Strong => 75,
        Strength::Medium => 65,
        Strength::Weak => 55,
    };
    let value = if class.is_random() {
        20
    } else if class.has_digit && class.has_letter {
        10
    } else {
        0
    };
    name + value
}

/// `password: password2`, `token = self.token`: the value only names the secret again.
fn repeats_name(text: &[u8], name: &Name, value: &str) -> bool {
    let own = bytes::slice(text, name.range.start, name.range.end);
    let (own_length, length) = (
        plain_from_end(own).count(),
        plain_from_end(value.as_bytes()).count(),
    );
    let same = same_ending(own, value.as_bytes());
    own_length > 0
        && length < own_length + 8
        && (same == own_length || same == length && length > 3)
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

fn quoted(name: &Name, form: Form, class: &Value<'_>) -> bool {
    if is_path(class) || is_type_or_word(class.bytes()) {
        return false;
    }
    match name.strength {
        Strength::Strong if phrase::are_words(class) => {
            !is_template(class.bytes())
                && (name.is_password || class.has_digit)
                && phrase::is_password(form, class)
        }
        Strength::Strong if name.is_password => is_password(form, class),
        Strength::Strong => {
            is_password(form, class) && (class.has_digit || class.has_symbol || class.length >= 6)
        }
        Strength::Medium => is_credential(class),
        Strength::Weak => is_key(class),
    }
}

/// Whether a value is a path; Base64 holds slashes, too.
fn is_path(class: &Value<'_>) -> bool {
    class.is_path() && (bytes::holds(class.bytes(), b"://") || !class.is_scrambled())
}

fn is_password(form: Form, class: &Value<'_>) -> bool {
    let labelled = match class.bytes() {
        [.., b':' | b'?' | b'.'] if class.has_space => true,
        // `identified by "code:"`
        [word @ .., b':'] => form == Form::Flag && word.iter().all(u8::is_ascii_alphabetic),
        _ => false,
    };
    let minimum = if matches!(form, Form::Argument) { 5 } else { 4 };
    let words_only = class.is_words() && !class.has_digit && !class.has_symbol;
    let telling = !words_only
        || class.length >= 4
            && !matches!(form, Form::Argument | Form::Flag | Form::Prose | Form::Far);
    let no_password = labelled
        || class.is_number() && class.length < 5
        || (class.is_dotted_name() || is_template(class.bytes())) && !class.is_scrambled();
    (minimum..=256).contains(&class.length) && telling && !no_password
}

fn is_credential(class: &Value<'_>) -> bool {
    let mixed = class.has_digit && class.has_letter && class.length >= 8 && class.entropy() >= 25;
    let irregular = class.is_irregular();
    let letters = class.length >= 16
        && class.has_letter
        && (irregular || !class.is_words())
        && class.entropy() >= 32;
    let number = class.digits == class.length && class.length >= 16;
    // The salts of an installation are long and hold anything.
    let salt = class.length >= 32 && class.is_scrambled();
    (mixed && (irregular || class.digits >= 3 || !class.is_words()) || letters || number)
        && (!class.has_space || salt && class.has_symbol)
        && (salt || !class.is_dotted_name() && !is_template(class.bytes()))
}

fn is_key(class: &Value<'_>) -> bool {
    let is_expression = class
        .bytes()
        .iter()
        .any(|byte| matches!(byte, b'[' | b']' | b'(' | b')' | b'\\' | b'^'));
    if is_expression {
        return false;
    }
    let short = class.length >= 11
        && class.has_letter
        && class.digits >= 3
        && !class.is_words()
        && !class.has_symbol
        && class.is_alphanumeric();
    (class.is_random() || class.is_opaque() || short)
        && !class.has_space
        && !is_template(class.bytes())
        && !class.is_uuid()
}

fn is_template(value: &[u8]) -> bool {
    is_tag(value)
        || memchr::memchr3_iter(b'%', b'$', b'{', value).any(|index| {
            let hole = (at(value, index), at(value, index + 1));
            let ends = !at(value, index + 2).is_ascii_alphanumeric();
            matches!(hole, (b'%', b's' | b'd' | b'v') if ends)
                || matches!(hole, (b'%', b'(') | (b'$', b'{' | b'(') | (b'{', b'{'))
                || at(value, index) == b'{' && before(value, index) == b'#'
        })
        || value.contains(&b'{') && value.contains(&b'}')
}

/// `<name>`, `<td class=`, also when it is cut off.
fn is_tag(value: &[u8]) -> bool {
    let word = bytes::run(value, 1, value.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'/' | b':')
    });
    at(value, 0) == b'<' && matches!(at(value, 1 + word), b'>' | b' ' | 0)
}

fn bare(text: &[u8], name: &Name, assignment: &Assignment, class: &Value<'_>) -> bool {
    let value = class.bytes();
    let strong = name.strength == Strength::Strong;
    let is_generated = strong && assignment.form == Form::Tight && class.is_scrambled();
    let is_bracket = matches!(at(value, 0), b'{' | b'[' | b'(');
    if is_path(class)
        || is_type_or_word(value)
        || class.is_sized_type() && assignment.form != Form::Tight
        || !is_generated && (is_bracket || is_template(value) || is_code(text, assignment, class))
    {
        return false;
    }
    match assignment.form {
        Form::Prose => {
            strong
                && class.length >= 5
                && (class.has_digit
                    || class.has_symbol && !class.is_words()
                    || class.is_irregular())
                || is_key(class)
        }
        Form::Far => strong,
        Form::Next => {
            let generated = class.length >= 16 && (class.is_random() || class.is_irregular());
            !holds_code(value)
                && (name.is_password && is_striking(class)
                    || name.strength >= Strength::Medium && generated)
        }
        Form::Apart => {
            strong
                && class.length >= 6
                && class.has_letter
                && (class.has_digit && class.has_symbol
                    || class.is_random()
                    || class.is_irregular())
        }
        Form::Flag => {
            if strong {
                class.length >= 4
                    && (class.has_digit || class.has_symbol || !class.is_words())
                    && !class.is_number()
                    || is_credential(class)
            } else {
                is_credential(class) && (class.is_random() || class.is_irregular())
            }
        }
        Form::Tight if strong && stands_alone(text, name, assignment) => {
            class.length >= 4 && !(class.is_number() && class.length < 5)
        }
        Form::Colon if strong && stands_alone(text, name, assignment) => {
            class.length >= 5
                && (class.has_digit && class.has_letter
                    || class.has_symbol
                    || class.is_number() && class.length >= 6
                    || !class.is_words())
        }
        _ => match name.strength {
            Strength::Strong => {
                class.length >= 6
                    && (class.has_digit || class.has_symbol)
                    && class.has_letter
                    && (!class.is_identifier()
                        || class.digits >= 2 && !class.is_words()
                        || class.is_random()
                        || has_inner_dollar(class))
                    || is_bare_password(text, assignment, class)
            }
            Strength::Medium => {
                is_credential(class)
                    && (!class.is_identifier() || class.digits >= 2 || class.is_irregular())
            }
            Strength::Weak => is_key(class) && (name.is_upper || class.is_random()),
        },
    }
}

/// More than the words, versions and names of a sentence.
fn is_telling(class: &Value<'_>) -> bool {
    let mixed = class.digits >= 2 && class.has_lower && !class.bytes().contains(&b'.');
    let refers = at(class.bytes(), 0) == b'$' || holds_code(class.bytes());
    class.length >= 6
        && (!refers || class.is_scrambled())
        && class.has_letter
        && !class.is_sized_type()
        && (class.has_digit && class.has_symbol
            || mixed && (class.has_upper || class.digits >= 3 || class.bytes().contains(&b'-'))
            || class.is_random()
            || class.is_irregular())
}

/// Only a password is written so: letters and digits with a sign of no text between or behind them, or words and a
/// number in one.
fn is_striking(class: &Value<'_>) -> bool {
    let value = class.bytes();
    let signs = value
        .iter()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'&' | b'?'));
    let address = value.contains(&b'@') && value.contains(&b'.');
    let humps = value
        .iter()
        .filter(|byte| byte.is_ascii_uppercase())
        .count()
        == 2;
    class.length >= 7
        && at(value, 0).is_ascii_alphanumeric()
        && class.has_letter
        && class.has_digit
        && !address
        && (signs || humps && class.has_lower && class.is_numbered_word())
}

/// Whether brackets, operators or separators stand in a value.
fn holds_code(value: &[u8]) -> bool {
    value.iter().any(|byte| b"()[]{}<>=/\\:|,;".contains(byte))
}

/// `BridgeMonkey95$`: a dollar sign behind the first place, and more than a name.
fn has_inner_dollar(class: &Value<'_>) -> bool {
    let inner = class.bytes().iter().skip(1).any(|&byte| byte == b'$');
    inner && (class.has_digit || !class.is_words())
}

/// A value of letters and digits that no name looks like. After ` = ` it has to end its line, as code does not
/// end there.
fn is_bare_password(text: &[u8], assignment: &Assignment, class: &Value<'_>) -> bool {
    let end = assignment.span.end;
    let ends_line = || matches!(at(text, end), b'\n' | b'\r' | 0);
    let tight = assignment.form == Form::Tight;
    let tightly = tight && (class.is_sized_type() || class.is_mixed());
    (tightly || class.is_numbered_word() || class.is_irregular())
        && !matches!(at(text, end), b'.' | b'(' | b'[' | b':')
        && (assignment.form != Form::Spaced || ends_line())
}

/// A call, member access, subscript or number: code, not a value.
fn is_code(text: &[u8], assignment: &Assignment, class: &Value<'_>) -> bool {
    let value = class.bytes();
    let head = bytes::run(value, 0, value.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'.' | b':' | b'$' | b'>' | b'-')
    });
    let calls = matches!(at(value, head), b'(' | b'[' | b'{')
        && (head == 0 || at(value, 0).is_ascii_alphabetic() || matches!(at(value, 0), b'_' | b'$'))
        && (closes(value) || assignment.form != Form::Tight);
    // `vec![]`
    let macro_call = at(value, head) == b'!'
        && matches!(at(value, head + 1), b'(' | b'[' | b'{')
        && matches!(value.last(), Some(b')' | b']' | b'}'));
    let after = at(text, assignment.span.end);
    let call_after = after == b'(' || after == b'[';
    let short_number = class.is_number() && class.length < 4;
    if at(value, 0) == b':' {
        return true;
    }
    let negated = matches!(
        at(value, 0),
        b'!' | b'&' | b'*' | b'(' | b'[' | b'{' | b'=' | b'>' | b'|' | b'-' | b'+' | b',' | b')'
    ) && assignment.form != Form::Tight;
    let variable = matches!(at(value, 0), b'$') && class.is_identifier()
        || matches!(at(value, 0), b'@' | b'&')
            && class.is_identifier()
            && assignment.form != Form::Tight;
    // `io.jsonwebtoken:jjwt-impl:0.12.3`
    let coordinates = assignment.form == Form::Colon
        && before(text, assignment.span.start) == b':'
        && memchr::memchr(b':', value).is_some();
    coordinates
        || calls
        || macro_call
        || call_after
        || short_number
        || negated
        || variable
        || class.is_dotted_name()
}

fn closes(value: &[u8]) -> bool {
    matches!(value.last(), Some(b')' | b']' | b'}'))
        || !value.iter().any(|&byte| matches!(byte, b')' | b']' | b'}'))
}

/// A line of configuration: the name begins the line, an assignment of a shell, or a field of a
/// connection string, and the value ends it.
fn stands_alone(text: &[u8], name: &Name, assignment: &Assignment) -> bool {
    let start = name.range.start;
    let back = bytes::line_back(text, start, 160);
    let lead = bytes::slice(text, start - back, start).trim_ascii();
    let lead_ok = lead.is_empty()
        || matches!(
            lead.last(),
            Some(
                b';' | b'?' | b'&' | b'-' | b'+' | b'"' | b'\'' | b'#' | b',' | b'{' | b'|' | b'/'
            )
        )
        || matches!(before(text, start), b'\\')
        || bytes::follows_escape(text, start)
        || [
            &b"export"[..],
            b"set",
            b"ENV",
            b"ARG",
            b"-e",
            b"-D",
            b"env",
            b"SET",
        ]
        .iter()
        .any(|word| lead.ends_with(word))
        || lead.ends_with(b"--")
        || name.is_upper;
    let end = assignment.span.end;
    let after = at(text, end);
    let rest = bytes::run(text, end, 3, |byte| {
        matches!(byte, b' ' | b'\r' | b';' | b',')
    });
    let tail_ok = end >= text.len()
        || matches!(after, b'\n' | b'"' | b'\'' | b'&' | b'\\' | b'<' | b'`')
        || after == b';' && assignment.form == Form::Tight && at(text, end + 1) != b'\n'
        || matches!(at(text, end + rest), b'\n' | 0 | b'#') && after != b';' && after != b','
        || after == b' ' && assignment.form == Form::Tight;
    lead_ok && tail_ok
}

/// Types, constants and words that programs assign to such names.
fn is_type_or_word(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "string", "str", "text", "number", "int", "integer", "bool", "boolean", "bytes", "buffer",
        "object", "array", "any", "unknown", "never", "void", "option", "optional", "char",
        "varchar", "await", "async", "new", "return", "function", "lambda", "self", "this", "null",
        "none", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "not", "and", "or",
        "required", "optional", "invalid", "missing", "incorrect", "wrong", "expired", "empty",
        "disabled", "enabled", "anonymous", "default", "hidden", "visible", "bearer", "basic",
        "digest", "oauth", "oauth2", "saml", "ldap", "jwt", "header", "cookie", "query", "body",
        "form", "json", "xml", "base64", "hex", "utf8", "utf-8", "sha256", "sha1", "md5", "hmac",
        "rsa", "hs256", "rs256", "es256", "plaintext", "plain", "static", "dynamic", "const",
        "let", "var", "public", "private", "protected", "type", "value", "field", "input",
        "output", "readonly", "immutable", "mutable", "final", "env", "file", "vault", "keyring",
        "prompt", "ask", "interactive", "login", "logout", "signin", "signup", "register",
        "current", "confirm", "reset", "forgot", "change", "update", "create", "delete", "show",
        "hide", "enter", "warn", "deny", "allow", "forbid", "access", "refresh", "session", "client", "server", "aws4-hmac-sha256",
    ];
    const LONGEST: usize = {
        let (mut longest, mut index) = (0, 0);
        while index < WORDS.len() {
            if WORDS[index].len() > longest {
                longest = WORDS[index].len();
            }
            index += 1;
        }
        longest
    };
    let trimmed = value.trim_ascii();
    trimmed.len() <= LONGEST
        && WORDS
            .iter()
            .any(|word| trimmed.eq_ignore_ascii_case(word.as_bytes()))
}
