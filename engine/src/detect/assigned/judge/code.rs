//! Values that are code.

use crate::detect::assigned::syntax::{Assignment, Form};
use crate::detect::assigned::value_class::Value;
use crate::detect::bytes::{self, at, before};

/// A call, member access, subscript or number: code, not a value.
pub(super) fn is_code(text: &[u8], assignment: &Assignment, class: &Value<'_>) -> bool {
    let value = class.bytes();
    let head = bytes::run(value, 0, value.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'.' | b':' | b'$' | b'>' | b'-')
    });
    let calls = matches!(at(value, head), b'(' | b'[' | b'{')
        && (head == 0 || at(value, 0).is_ascii_alphabetic() || matches!(at(value, 0), b'_' | b'$'))
        && (closes(value) || assignment.form != Form::Tight);
    // `Option<unsafe extern "C" fn()>`
    let is_generic = at(value, head) == b'<'
        && at(value, head + 1).is_ascii_alphabetic()
        && assignment.form == Form::Spaced;
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
    // `$1$mERr$…` is a hash.
    let variable = memchr::memrchr(b'$', value) == Some(0) && class.is_identifier()
        || matches!(at(value, 0), b'@' | b'&')
            && class.is_identifier()
            && assignment.form != Form::Tight;
    // `io.jsonwebtoken:jjwt-impl:0.12.3`
    let coordinates = assignment.form == Form::Colon
        && before(text, assignment.span.start) == b':'
        && memchr::memchr(b':', value).is_some();
    coordinates
        || calls
        || is_generic
        || macro_call
        || call_after
        || short_number
        || negated
        || variable
        || class.is_dotted_name()
            && !(assignment.form != Form::Spaced && class.is_dotted_password())
}

fn closes(value: &[u8]) -> bool {
    matches!(value.last(), Some(b')' | b']' | b'}'))
        || !value.iter().any(|&byte| matches!(byte, b')' | b']' | b'}'))
}

/// Whether brackets, operators or separators stand in a value.
pub(super) fn holds_code(class: &Value<'_>) -> bool {
    class.holds_any(b"()[]{}<>=/\\:|,;")
}

/// `r.password=null,t.at(-1)`: code without spaces goes on behind a literal.
pub(super) fn begins_with_literal(value: &[u8]) -> bool {
    const LITERALS: [&[u8]; 4] = [b"null", b"undefined", b"true", b"false"];
    let word = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_lowercase());
    LITERALS.contains(&bytes::slice(value, 0, word)) && matches!(at(value, word), b',' | b')')
}

/// Types, constants and words that programs assign to such names.
pub(super) fn is_type_or_word(value: &[u8]) -> bool {
    #[rustfmt::skip]
    static WORDS: bytes::Words = bytes::Words::of(&[
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
    ]);
    WORDS.hold(value.trim_ascii())
}
