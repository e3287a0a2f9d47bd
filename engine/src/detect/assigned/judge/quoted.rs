//! What a value in quotes has to be, by the strength of its name.

use super::{code, phrase, template};
use crate::detect::assigned::name::{Name, Strength};
use crate::detect::assigned::public;
use crate::detect::assigned::syntax::Form;
use crate::detect::assigned::value_class::Value;
use crate::detect::assigned::vocabulary;
use crate::detect::bytes;

/// Whether a value in quotes is a secret under `name`.
pub(super) fn is_secret(name: &Name, form: Form, class: &Value<'_>) -> bool {
    if is_path(class) || code::is_type_or_word(class.bytes()) {
        return false;
    }
    match name.strength {
        Strength::Strong if phrase::are_words(class) => {
            !template::is_template(class)
                && (name.is_password || class.has_digit)
                && phrase::is_password(form, class)
        }
        Strength::Strong if name.is_password => is_password(form, class),
        Strength::Strong => {
            is_password(form, class) && (class.has_digit || class.has_symbol || class.length >= 6)
        }
        Strength::Medium => {
            // Texts are split into tokens, too.
            let is_piece = name.is_bare_token && form != Form::Tight;
            is_credential(class) || name.is_token && !is_piece && is_weak_token(class)
        }
        Strength::Weak => is_key(class),
    }
}

/// `abc123`, `hunter2-Kx9`: what people set for a token in a test or a draft.
pub(super) fn is_weak_token(class: &Value<'_>) -> bool {
    let value = class.bytes();
    let letters = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_alphabetic());
    let head = bytes::slice(value, 0, letters).to_ascii_lowercase();
    class.length >= 6
        && class.digits >= 2
        && letters > 0
        && !class.has_space
        && !class.holds_any(b"._()[]{}<>/\\=:")
        && !class.is_sized_type()
        && !vocabulary::is_known(&head)
        && !public::begins_with_algorithm(value)
}

/// Whether a value is a path; Base64 holds slashes, too.
pub(super) fn is_path(class: &Value<'_>) -> bool {
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
            && !matches!(
                form,
                Form::Argument | Form::Flag | Form::Prose | Form::Far | Form::Said
            );
    let no_password = labelled
        || class.is_number() && class.length < 5
        || (class.is_dotted_name() && !class.is_dotted_password() || template::is_template(class))
            && !class.is_scrambled();
    (minimum..=256).contains(&class.length) && telling && !no_password
}

pub(super) fn is_credential(class: &Value<'_>) -> bool {
    let mixed = class.has_digit && class.has_letter && class.length >= 8 && class.entropy() >= 25;
    let irregular = class.is_irregular();
    let letters = class.length >= 16
        && class.has_letter
        && (irregular || !class.is_words())
        && class.entropy() >= 32;
    let number = class.digits == class.length && class.length >= 16;
    // The salts of an installation are long and hold anything.
    let salt = class.length >= 32 && class.is_scrambled();
    let signs = class.length >= 12 && class.has_symbol && class.is_scrambled();
    (mixed && (irregular || class.digits >= 3 || !class.is_words()) || letters || number || signs)
        && (!class.has_space || salt && class.has_symbol)
        && !class.is_time()
        && class.bytes().is_ascii()
        && (salt || !class.is_dotted_name() && !template::is_template(class))
}

pub(super) fn is_key(class: &Value<'_>) -> bool {
    // An expression.
    if class.holds_any(b"[]()\\^") {
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
        && !template::is_template(class)
        && !class.is_uuid()
}
