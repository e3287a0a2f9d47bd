//! Recognizes values that are code.

use crate::detect::bytes::{self, at};
use crate::detect::lexicon::value_class::Value;

fn closes(value: &[u8]) -> bool {
    matches!(value.last(), Some(b')' | b']' | b'}'))
        || !value.iter().any(|&byte| matches!(byte, b')' | b']' | b'}'))
}

/// Whether a value contains brackets, operators or separators.
pub(super) fn holds_code(class: &Value<'_>) -> bool {
    class.holds_any(b"()[]{}<>=/\\:|,;")
}

/// `r.password=null,t.at(-1)`: code without spaces continues after a literal.
pub(super) fn begins_with_literal(value: &[u8]) -> bool {
    const LITERALS: [&[u8]; 4] = [b"null", b"undefined", b"true", b"false"];
    let word = bytes::run(value, 0, value.len(), |byte| byte.is_ascii_lowercase());
    LITERALS.contains(&bytes::slice(value, 0, word)) && matches!(at(value, word), b',' | b')')
}

/// Types, constants and words that programs assign to such names.
pub(super) fn is_type_or_word(value: &[u8]) -> bool {
    #[rustfmt::skip]
    static WORDS: bytes::Words = bytes::Words::of(&[
        "isize", "usize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "float", "double",
        "string", "str", "text", "number", "int", "integer", "bool", "boolean", "bytes", "buffer",
        "object", "array", "any", "unknown", "never", "void", "option", "optional", "char",
        "varchar", "await", "async", "new", "return", "function", "lambda", "self", "this", "null",
        "none", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "not", "and", "or",
        "required", "optional", "invalid", "missing", "incorrect", "wrong", "expired", "empty", "unexpected", "expected", "malformed",
        "disabled", "enabled", "anonymous", "default", "hidden", "visible", "bearer", "basic",
        "digest", "oauth", "oauth2", "saml", "ldap", "jwt", "header", "cookie", "query", "body",
        "form", "json", "xml", "base64", "hex", "utf8", "utf-8", "sha256", "sha1", "md5", "hmac",
        "rsa", "hs256", "rs256", "es256", "plaintext", "plain", "static", "dynamic", "const",
        "let", "var", "public", "private", "protected", "type", "value", "field", "input",
        "output", "readonly", "immutable", "mutable", "final", "env", "file", "vault", "keyring",
        "valeur", "valor", "valore", "wert", "waarde", "prompt", "ask", "interactive", "login", "logout", "signin", "signup", "register",
        "current", "confirm", "reset", "forgot", "change", "update", "create", "delete", "show",
        "unsafe", "extern", "dyn", "impl", "expr", "ident",
        "hide", "enter", "warn", "deny", "allow", "forbid", "access", "refresh", "session", "client", "server", "aws4-hmac-sha256",
    ]);
    let value = value.trim_ascii();
    // `__u32`, as C names its own types.
    WORDS.hold(value.strip_prefix(b"__").unwrap_or(value))
}

/// A call, macro, subscript, negation or reference, as code writes them.
pub(super) fn is_called(value: &[u8]) -> bool {
    let head = bytes::run(value, 0, value.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'.' | b':' | b'$' | b'>' | b'-' | b'!')
    });
    matches!(at(value, head), b'(' | b'[' | b'{') && closes(value)
        || matches!(
            at(value, 0),
            b'!' | b'&'
                | b'*'
                | b'('
                | b'['
                | b'{'
                | b'='
                | b'>'
                | b'|'
                | b'-'
                | b'+'
                | b','
                | b')'
        )
}
