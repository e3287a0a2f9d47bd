//! What a value without quotes has to be, by the way it is written.

use super::quoted::{is_credential, is_key, is_path, is_weak_token};
use super::{code, template};
use crate::detect::assigned::name::{Name, Strength};
use crate::detect::assigned::syntax::{Assignment, Form};
use crate::detect::assigned::value_class::Value;
use crate::detect::assigned::{public, technical};
use crate::detect::bytes::{self, at, before};

/// Whether a value without quotes is a secret under `name`.
pub(super) fn is_secret(
    text: &[u8],
    name: &Name,
    assignment: &Assignment,
    class: &Value<'_>,
) -> bool {
    if is_no_value(text, name, assignment, class) {
        return false;
    }
    let value = class.bytes();
    let strong = name.strength == Strength::Strong;
    match assignment.form {
        Form::Prose => {
            strong && is_said(class)
                || name.is_password && class.is_dashed_phrase()
                || is_key(class)
                || name.is_token && is_weak_token(class)
        }
        Form::Far | Form::Said => strong || class.is_random() || class.is_irregular(),
        Form::Account => {
            is_said(class) && class.length >= 6 && !class.is_number() && !public::is_region(value)
        }
        Form::Next => is_next(name, class) || strong && is_property(text, name, assignment, class),
        Form::Apart => strong && is_apart(class),
        Form::Flag if strong => is_argument(class) || is_credential(class),
        Form::Flag => is_credential(class) && (class.is_random() || class.is_irregular()),
        Form::Tight if strong && stands_alone(text, name, assignment) => {
            class.length >= 4 && !(class.is_number() && class.length < 5)
        }
        Form::Colon
            if strong && (is_said_name(text, name) || stands_alone(text, name, assignment)) =>
        {
            is_labelled(class) || name.is_password && class.is_dashed_phrase()
        }
        _ => is_in_code(text, name, assignment, class),
    }
}

/// `contraseña: x` in a sentence: no code has such names.
fn is_said_name(text: &[u8], name: &Name) -> bool {
    !bytes::slice(text, name.range.start, name.range.end).is_ascii()
}

/// A path, type, bracket, template or other code.
fn is_no_value(text: &[u8], name: &Name, assignment: &Assignment, class: &Value<'_>) -> bool {
    let value = class.bytes();
    let tight = assignment.form == Form::Tight;
    let is_generated = name.strength == Strength::Strong && tight && class.is_scrambled();
    // `n.pass=e.pass,n`: a member, in code without spaces.
    let is_member =
        at(text, name.range.start + 1) == b'.' && !class.has_digit && !is_called_out(value);
    let is_bracket = matches!(at(value, 0), b'{' | b'[' | b'(');
    is_path(class)
        || code::is_type_or_word(value)
        || code::begins_with_literal(value)
        || class.has_digit
            && !tight
            && (class.is_sized_type() || is_technical(text, name, assignment, value))
        || is_member
        || !is_generated
            && (is_bracket
                || template::is_template(class)
                || code::is_code(text, assignment, class))
}

/// `key: AES256Key,`: a name that programs have. Alone on its line it may be a password, unless it is that of a type.
fn is_technical(text: &[u8], name: &Name, assignment: &Assignment, value: &[u8]) -> bool {
    let ends_line = matches!(at(text, assignment.span.end), b'\n' | b'\r' | 0);
    let may_be_password = name.is_password && ends_line && !technical::names_kind_of_type(value);
    matches!(assignment.form, Form::Colon | Form::Spaced)
        && !may_be_password
        && technical::is_name(value)
}

/// `CorrectHorse!`: letters with a sign behind them, as no member of code is written.
fn is_called_out(value: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    let letters = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_alphabetic());
    let signs = bytes::slice(value, letters, value.len());
    letters >= SHORTEST && !signs.is_empty() && signs.iter().all(|byte| b"!@#$%&*".contains(byte))
}

/// In a sentence that says what the value is.
fn is_said(class: &Value<'_>) -> bool {
    let symbol = class.has_symbol && !class.is_words();
    class.length >= 5 && (class.has_digit || symbol || class.is_irregular())
}

/// The same, with words between the name and the verb.
pub(super) fn is_said_far(class: &Value<'_>) -> bool {
    let version = class.holds_any(b".") && !class.is_dotted_password();
    let letters = class.length - class.digits;
    is_said(class)
        && class.length >= 6
        && letters >= 3
        && !version
        && !class.is_sized_type()
        && !code::holds_code(class)
        && at(class.bytes(), 0) != b'$'
}

/// Behind the name in a sentence.
fn is_next(name: &Name, class: &Value<'_>) -> bool {
    let is_generated = || class.length >= 16 && (class.is_random() || class.is_irregular());
    !code::holds_code(class)
        && (name.is_password && (is_striking(class) || is_scattered(class))
            || name.strength >= Strength::Medium && is_generated())
}

/// `connection.password x`, on a line of its own: a property, and no sentence.
fn is_property(text: &[u8], name: &Name, assignment: &Assignment, class: &Value<'_>) -> bool {
    let own = bytes::slice(text, name.range.start, name.range.end);
    own.iter().any(|byte| matches!(byte, b'.' | b'_'))
        && bytes::line_back(text, name.range.start, 2) == 0
        && matches!(at(text, assignment.span.end), b'\n' | b'\r' | b';' | 0)
        && is_argument(class)
        && class.has_digit
}

/// On the line below the name.
fn is_apart(class: &Value<'_>) -> bool {
    let mixed = class.has_digit && class.has_symbol;
    class.length >= 6 && class.has_letter && (mixed || class.is_random() || class.is_irregular())
}

/// Behind the flag of a command.
fn is_argument(class: &Value<'_>) -> bool {
    class.length >= 4
        && (class.has_digit || class.has_symbol || !class.is_words())
        && !class.is_number()
}

/// Behind a colon, on a line of its own.
fn is_labelled(class: &Value<'_>) -> bool {
    class.length >= 5
        && (class.has_digit && class.has_letter
            || class.has_symbol
            || class.is_number() && class.length >= 6
            || !class.is_words())
}

/// Where code may stand as well.
fn is_in_code(text: &[u8], name: &Name, assignment: &Assignment, class: &Value<'_>) -> bool {
    let identifier = class.is_identifier();
    match name.strength {
        Strength::Strong => {
            let no_name = !identifier
                || class.digits >= 2 && !class.is_words()
                || class.is_random()
                || has_inner_dollar(class);
            class.length >= 6
                && (class.has_digit || class.has_symbol)
                && class.has_letter
                && no_name
                || is_bare_password(text, assignment, class)
                || is_weak_password(text, name, assignment, class)
                || name.is_password
                    && matches!(assignment.form, Form::Tight | Form::Colon)
                    && class.is_dashed_phrase()
        }
        Strength::Medium => {
            is_credential(class)
                && (!identifier || class.digits >= 2 || class.is_irregular())
                && (!class.is_constant() || class.digits > 6)
                && !class.holds_any(b"()[]{};")
                || name.is_token
                    && is_weak_token(class)
                    && is_weak_password(text, name, assignment, class)
        }
        Strength::Weak => is_key(class) && (name.is_upper || class.is_random()),
    }
}

/// More than the words, versions and names of a sentence.
pub(super) fn is_telling(class: &Value<'_>) -> bool {
    let mixed = class.digits >= 2 && class.has_lower && !class.holds_any(b".");
    let refers = at(class.bytes(), 0) == b'$' || code::holds_code(class);
    class.length >= 6
        && (!refers || class.is_scrambled())
        && class.has_letter
        && !class.is_sized_type()
        && (class.has_digit && class.has_symbol
            || mixed && (class.has_upper || class.digits >= 3 || class.holds_any(b"-"))
            || class.is_dotted_password()
            || class.is_random()
            || class.is_irregular())
}

/// Only a password is written so: letters and digits with a sign of no text between or behind them, or words and a
/// number in one.
fn is_striking(class: &Value<'_>) -> bool {
    let value = class.bytes();
    let signs = class.holds_any(b"!@#$%&?");
    let address = class.holds_any(b"@") && class.holds_any(b".");
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

/// `Xk9mQ2v7`: three digits or more in several places, among letters of both cases.
fn is_scattered(class: &Value<'_>) -> bool {
    class.has_upper && class.has_lower && class.digits >= 3 && class.is_respelt()
}

/// `BridgeMonkey95$`: a dollar sign behind the first place, and more than a name.
fn has_inner_dollar(class: &Value<'_>) -> bool {
    let inner = class.bytes().iter().skip(1).any(|&byte| byte == b'$');
    inner && (class.has_digit || !class.is_words())
}

/// `password=hunter2` in a sentence: letters and a digit, and nothing of code behind them. After ` = ` the name has to
/// begin the line, and the value to end it.
fn is_weak_password(text: &[u8], name: &Name, assignment: &Assignment, class: &Value<'_>) -> bool {
    let (start, end) = (name.range.start, assignment.span.end);
    let begins_line = || {
        let back = bytes::line_back(text, start, 160);
        bytes::slice(text, start - back, start)
            .trim_ascii()
            .is_empty()
    };
    let is_placed = match assignment.form {
        Form::Tight => true,
        Form::Spaced => {
            let ends_line = matches!(at(text, end), b'\n' | b'\r' | 0);
            ends_line && begins_line() && !(class.has_upper && class.is_words())
        }
        Form::Colon => !at(class.bytes(), 0).is_ascii_uppercase(),
        _ => false,
    };
    let ends = match at(text, end) {
        b'(' | b'[' | b'<' | b':' => false,
        b'.' => !at(text, end + 1).is_ascii_alphanumeric(),
        _ => true,
    };
    is_placed && ends && class.length >= 6 && class.has_letter && class.has_digit
}

/// A value of letters and digits that no name looks like. After ` = ` it has to end its line, as code does not
/// end there, or to be irregular.
fn is_bare_password(text: &[u8], assignment: &Assignment, class: &Value<'_>) -> bool {
    let end = assignment.span.end;
    let ends_line = || matches!(at(text, end), b'\n' | b'\r' | 0);
    let tight = assignment.form == Form::Tight;
    let tightly = tight && (class.is_sized_type() || class.is_mixed());
    (tightly || class.is_numbered_word() || class.is_irregular() || class.is_respelt())
        && !matches!(at(text, end), b'.' | b'(' | b'[' | b':')
        && (assignment.form != Form::Spaced || ends_line() || class.is_irregular())
}

/// A line of configuration: the name begins the line, an assignment of a shell, or a field of a
/// connection string, and the value ends it.
fn stands_alone(text: &[u8], name: &Name, assignment: &Assignment) -> bool {
    // `password%3Dx%26user%3Dy`: a field of an address in another.
    if at(text, name.range.end) == b'%' {
        return true;
    }
    let start = name.range.start;
    let back = bytes::line_back(text, start, 160);
    let lead = bytes::slice(text, start - back, start).trim_ascii();
    let lead_ok = lead.is_empty()
        || is_line_number(lead)
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

/// What tools print before each line of a file: `4`, `4→`, `4:`, `config.yaml:4:`.
fn is_line_number(lead: &[u8]) -> bool {
    let marks = ["→".as_bytes(), b":", b"|"];
    let stripped = marks.iter().find_map(|mark| lead.strip_suffix(*mark));
    let number = stripped.unwrap_or(lead).trim_ascii_end();
    let digits = bytes::run_back(number, number.len(), 8, |byte| byte.is_ascii_digit());
    let start = number.len() - digits;
    digits > 0 && (start == 0 || before(number, start) == b':')
}
