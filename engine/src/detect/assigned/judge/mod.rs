//! Whether an assigned value is a secret.

mod bare;
mod code;
mod phrase;
mod quoted;
mod template;

use super::name::{self, Name, Strength};
use super::public;
use super::syntax::{Assignment, Form};
use super::value_class::Value;
use super::vocabulary;
use crate::detect::bytes;
use crate::detect::placeholder;

/// Letters of the bare words `pin` and `otp`, behind which any number stands in a sentence.
const BARE_PIN: usize = 3;

/// Score of an assigned value in percent; `None` when it is no secret.
pub(super) fn judge(text: &[u8], name: &Name, assignment: &Assignment, value: &str) -> Option<u8> {
    let verb = name.is_verb && matches!(assignment.form, Form::Flag | Form::Prose);
    if verb
        || is_signature(text, name) && assignment.form != Form::Tight
        || assignment.form == Form::Argument && !name.ends_secret
    {
        return None;
    }
    // A test's vector: `let key = hex!("…")`.
    let lead = bytes::slice(text, name.range.end, assignment.span.start);
    if name.strength == Strength::Weak && bytes::holds(lead, b"hex!(") {
        return None;
    }
    let class = Value::of(value);
    if is_reference(text, name, &class) {
        return None;
    }
    let tells = match assignment.form {
        Form::Said => name.is_password && bare::is_said_far(&class) || bare::is_telling(&class),
        Form::Far => bare::is_telling(&class),
        _ => true,
    };
    if !tells {
        return None;
    }
    let shaped = if name.is_pin {
        class.digits == class.length
            && (4..=12).contains(&class.length)
            && (name.range.len() > BARE_PIN || !matches!(assignment.form, Form::Next | Form::Far))
    } else if assignment.span.quoted {
        quoted::is_secret(name, assignment.form, &class)
    } else {
        bare::is_secret(text, name, assignment, &class)
    };
    let stands_for_another = || {
        placeholder::is_placeholder(&class) && !opens_by_chance(&class)
            || repeats_name(text, name, value)
            || vocabulary::is_label(value)
            || name.strength < Strength::Strong && public::is_id(value)
            || name.strength == Strength::Weak && public::is_cache_key(value)
            || public::is_algorithm(value.as_bytes())
            || value.starts_with("\\x")
            || assignment.span.is_template && value.contains('{')
    };
    (shaped && !stands_for_another()).then(|| score(name.strength, &class))
}

/// `existingSecret: app-db-2`: Helm's name of what Kubernetes keeps, which names in lower case.
fn is_reference(text: &[u8], name: &Name, class: &Value<'_>) -> bool {
    let name = bytes::slice(text, name.range.start, name.range.end);
    name == b"existingSecret" && class.holds_any(b"-") && !(class.has_upper || class.has_symbol)
}

/// A signature tells who signed, and lets in whom only as a part of a URL.
fn is_signature(text: &[u8], name: &Name) -> bool {
    let name = bytes::slice(text, name.range.start, name.range.end);
    name::ends_with(name, b"signature")
}

/// `${` or `{{` in a generated value, where no reference ends.
fn opens_by_chance(class: &Value<'_>) -> bool {
    let opens = || bytes::holds(class.bytes(), b"${") || bytes::holds(class.bytes(), b"{{");
    class.holds_any(b"{") && opens() && !class.holds_any(b"}") && class.is_scrambled()
}

/// Score of one of several values that are assigned to a name.
pub(super) fn judge_one(name: &Name, value: &str, is_quoted: bool) -> Option<u8> {
    let class = Value::of(value);
    let telling = match name.strength {
        Strength::Strong if is_quoted => class.has_digit || class.has_symbol || class.has_space,
        Strength::Strong => class.has_digit && (class.has_symbol || !class.is_words()),
        Strength::Medium | Strength::Weak => class.is_random() || class.is_irregular(),
    };
    // `Win32_System`
    let is_titled = |part: &str| part.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_name = class.is_identifier()
        && value.contains('_')
        && (!class.has_digit || value.split('_').all(is_titled) && class.is_words());
    let accepted = telling
        && !is_name
        && !value.contains('\n')
        && !public::is_algorithm(value.as_bytes())
        && quoted::is_secret(name, Form::Argument, &class)
        && !placeholder::is_placeholder(&class);
    accepted.then(|| score(name.strength, &class))
}

/// Score of a cell of the column that a name heads.
pub(super) fn judge_cell(name: &Name, value: &str) -> Option<u8> {
    let class = Value::of(value);
    let accepted = match name.strength {
        Strength::Strong => {
            (class.has_digit || class.has_symbol && !class.is_words() || class.is_irregular())
                && !class.is_uuid()
                && quoted::is_secret(name, Form::Argument, &class)
        }
        Strength::Medium => {
            (class.is_random() || class.is_irregular())
                && quoted::is_secret(name, Form::Argument, &class)
        }
        Strength::Weak => false,
    };
    (accepted && !placeholder::is_placeholder(&class)).then(|| score(name.strength, &class))
}

/// Score of a whole text that stands under a name.
pub(super) fn judge_whole(name: &Name, value: &str) -> Option<u8> {
    let class = Value::of(value);
    let accepted = quoted::is_secret(name, Form::Colon, &class)
        && !placeholder::is_placeholder(&class)
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
    // `t00r-Pw` says nothing again of a `pw`.
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
