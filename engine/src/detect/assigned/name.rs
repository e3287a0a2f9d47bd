//! Names that secrets are assigned to.

use crate::detect::bytes;
use std::ops::Range;

/// Farthest that a name is followed to either side of its stem, in bytes.
const LONGEST: usize = 64;

/// How surely a value of this name is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// `key`, `access`, `login`: only a value that looks generated.
    Weak,
    /// `token`, `api_key`, `credential`: not a word.
    Medium,
    /// `password`, `secret`: nearly anything.
    Strong,
}

/// A name in a text.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) range: Range<usize>,
    pub(super) strength: Strength,
    /// Upper case only, as environment variables are.
    pub(super) is_upper: bool,
    pub(super) is_password: bool,
}

/// Stems in the order of the table; the scan looks for each of them in any case.
pub(in crate::detect) const STEMS: &[&str] = &[
    "pass",
    "pwd",
    "pswd",
    "passw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "access",
    "login",
    "signature",
    "cookie",
    "session",
    "haslo",
    "hasło",
    "contrase",
    "пароль",
    "парол",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "kennwort",
    "senha",
    "clave",
    "parola",
    "wachtwoord",
    "lösenord",
    "şifre",
    "sifre",
    "salasana",
    "heslo",
    "jelszo",
    "jelszó",
    "sandi",
    "khẩu",
    "identified",
    "private",
    "licen",
    "webhook",
    "dsn=",
    "sig=",
    "hmac",
    "salt=",
    "กุญแจ",
    "รหัสผ่าน",
    "كلمة المرور",
    "סיסמה",
    "κωδικ",
    "adgangskode",
    "पासवर्ड",
];

/// Last words of a name that holds something about a secret, not the secret.
const HARMLESS_TAILS: &[&str] = &[
    "id",
    "ids",
    "url",
    "urls",
    "uri",
    "type",
    "types",
    "name",
    "names",
    "file",
    "files",
    "filename",
    "path",
    "paths",
    "dir",
    "header",
    "headers",
    "length",
    "len",
    "size",
    "pattern",
    "regex",
    "regexp",
    "field",
    "fields",
    "label",
    "labels",
    "placeholder",
    "hint",
    "help",
    "text",
    "title",
    "description",
    "desc",
    "message",
    "messages",
    "msg",
    "error",
    "errors",
    "exception",
    "invalid",
    "valid",
    "required",
    "count",
    "limit",
    "limits",
    "max",
    "min",
    "expiry",
    "expires",
    "expiration",
    "expired",
    "ttl",
    "timeout",
    "age",
    "date",
    "time",
    "at",
    "version",
    "format",
    "policy",
    "rule",
    "rules",
    "strength",
    "score",
    "encoder",
    "encoding",
    "hasher",
    "hashers",
    "validator",
    "validators",
    "validation",
    "provider",
    "providers",
    "manager",
    "service",
    "factory",
    "handler",
    "handlers",
    "store",
    "storage",
    "class",
    "model",
    "models",
    "schema",
    "enum",
    "list",
    "input",
    "form",
    "box",
    "view",
    "views",
    "button",
    "icon",
    "link",
    "page",
    "reset",
    "change",
    "changed",
    "update",
    "forgot",
    "generator",
    "source",
    "location",
    "endpoint",
    "host",
    "port",
    "user",
    "username",
    "email",
    "mode",
    "enabled",
    "disabled",
    "flag",
    "status",
    "state",
    "kind",
    "algorithm",
    "alg",
    "algo",
    "method",
    "methods",
    "scope",
    "scopes",
    "prefix",
    "suffix",
    "index",
    "idx",
    "pos",
    "position",
    "start",
    "end",
    "offset",
    "stream",
    "parser",
    "tree",
    "node",
    "usage",
    "counts",
    "bytes",
    "map",
    "set",
    "pairs",
    "ref",
    "arn",
    "vault",
    "column",
    "table",
    "row",
    "cell",
    "event",
    "press",
    "down",
    "up",
    "lock",
    "board",
    "word",
    "words",
    "frame",
    "frames",
    "point",
    "points",
    "stroke",
    "code",
    "codes",
    "derivation",
    "function",
    "func",
    "callback",
    "cb",
    "middleware",
    "backend",
    "request",
    "response",
    "config",
    "settings",
    "options",
    "opts",
    "info",
    "data",
    "attempts",
    "retries",
    "rotation",
    "resolver",
    "reader",
    "writer",
    "loader",
    "hash",
    "digest",
    "checksum",
    "fingerprint",
    "exists",
    "only",
    "binding",
    "bindings",
    "space",
    "spaces",
    "ring",
    "variable",
    "var",
    "vars",
    "number",
    "num",
    "py",
    "js",
    "ts",
    "rs",
    "go",
    "java",
    "html",
    "css",
    "md",
    "yml",
    "yaml",
    "json",
    "txt",
    "pem",
    "crt",
    "tag",
    "selector",
    "accessor",
    "iterator",
    "bits",
    "level",
    "levels",
    "org",
    "organization",
    "reference",
    "domain",
    "issuer",
    "audience",
    "realm",
];

/// Words anywhere in a name that make a key or token public or technical.
const HARMLESS_PARTS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "max",
    "min",
    "total",
    "unique",
    "composite",
    "shortcut",
    "hot",
    "object",
    "translation",
    "i18n",
    "react",
    "widget",
    "csrf",
    "xsrf",
    "authenticity",
    "tokenize",
    "tokenizer",
    "tokens",
    "keyboard",
    "keyword",
    "keywords",
    "keyframe",
    "hkey",
    "monkey",
    "turkey",
    "hockey",
    "keypad",
    "etag",
    "checksum",
    "integrity",
    "author",
    "authority",
    "authors",
    "instrumentation",
];

impl Name {
    /// The name around a stem.
    pub(super) fn around(text: &[u8], stem: Range<usize>) -> Option<Self> {
        let back = bytes::run_back(text, stem.start, LONGEST, is_name);
        let forward = bytes::run(text, stem.end, LONGEST, is_name);
        let mut range = stem.start - back..stem.end + forward;
        if bytes::before(text, range.start) == b'\\'
            && range.start < stem.start
            && matches!(bytes::at(text, range.start), b'n' | b'r' | b't')
        {
            range.start += 1;
        }
        while range.start < stem.start && matches!(bytes::at(text, range.start), b'-' | b'.') {
            range.start += 1;
        }
        while range.end > stem.end && matches!(bytes::before(text, range.end), b'.' | b'-') {
            range.end -= 1;
        }
        Self::judge(text, range)
    }

    /// A name that stands apart from its value, as a JSON key does.
    pub(super) fn whole(name: &str) -> Option<Self> {
        Self::judge(name.as_bytes(), 0..name.len())
    }

    /// A name that ends with its stem, whatever letters follow.
    pub(super) fn ending(text: &[u8], stem: Range<usize>) -> Option<Self> {
        let back = bytes::run_back(text, stem.start, LONGEST, is_name);
        Self::judge(text, stem.start - back..stem.end)
    }

    fn judge(text: &[u8], range: Range<usize>) -> Option<Self> {
        let name = bytes::slice(text, range.start, range.end);
        let words = Words::of(name);
        let strength = strength(&words)?;
        Some(Self {
            range,
            strength,
            is_upper: name.iter().any(u8::is_ascii_uppercase)
                && !name.iter().any(u8::is_ascii_lowercase),
            is_password: words.iter().any(|word| is_password(word)),
        })
    }
}

const fn is_name(byte: u8) -> bool {
    bytes::is_word(byte) || matches!(byte, b'-' | b'.') || byte >= 0x80
}

/// The words of a name in lower case: split at separators, at humps and before digits.
struct Words {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Words {
    fn of(name: &[u8]) -> Self {
        let mut words = Self {
            text: Vec::with_capacity(name.len()),
            ends: Vec::new(),
        };
        let mut last = b'_';
        for (index, &byte) in name.iter().enumerate() {
            let next = bytes::at(name, index + 1);
            let separates = !(byte.is_ascii_alphanumeric() || byte >= 0x80);
            let hump = byte.is_ascii_uppercase()
                && (last.is_ascii_lowercase()
                    || last.is_ascii_digit()
                    || last.is_ascii_uppercase() && next.is_ascii_lowercase());
            let number = byte.is_ascii_digit() && last.is_ascii_alphabetic();
            if separates || hump || number {
                words.close();
            }
            if !separates {
                words.text.push(byte.to_ascii_lowercase());
            }
            last = byte;
        }
        words.close();
        words
    }

    fn close(&mut self) {
        if self.text.len() > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.text.len());
        }
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &str> {
        (0..self.ends.len()).filter_map(|index| {
            let start = index
                .checked_sub(1)
                .and_then(|index| self.ends.get(index))
                .copied()
                .unwrap_or(0);
            let end = self.ends.get(index).copied()?;
            std::str::from_utf8(bytes::slice(&self.text, start, end)).ok()
        })
    }
}

fn strength(words: &Words) -> Option<Strength> {
    let last = words.iter().rev().find(|word| {
        !word.bytes().all(|byte| byte.is_ascii_digit())
            && !matches!(
                *word,
                "b64"
                    | "base"
                    | "b"
                    | "v"
                    | "dev"
                    | "prod"
                    | "test"
                    | "staging"
                    | "live"
                    | "string"
                    | "value"
                    | "plain"
                    | "plaintext"
                    | "enc"
                    | "encrypted"
                    | "old"
                    | "new"
                    | "confirm"
                    | "confirmation"
                    | "again"
                    | "repeat"
                    | "a"
                    | "x"
                    | "y"
            )
    })?;
    if HARMLESS_TAILS.contains(&last) {
        return None;
    }
    if words.iter().any(|word| HARMLESS_PARTS.contains(&word)) {
        return None;
    }
    words
        .iter()
        .filter_map(word_strength)
        .max()
        .map(|strength| combined(words, strength))
}

/// `api key`, `access key` and the like are more than a key.
fn combined(words: &Words, strength: Strength) -> Strength {
    const QUALIFIERS: &[&str] = &[
        "api",
        "access",
        "private",
        "auth",
        "account",
        "encryption",
        "encrypt",
        "license",
        "licence",
        "master",
        "signing",
        "shared",
        "service",
        "app",
        "application",
        "client",
        "admin",
        "consumer",
        "storage",
        "subscription",
        "storage",
        "write",
        "deploy",
        "stream",
        "session",
        "crypt",
        "crypto",
        "cipher",
        "hmac",
        "aes",
        "secret",
        "server",
        "root",
        "ssh",
    ];
    let qualified = words.iter().any(|word| QUALIFIERS.contains(&word));
    let keyed = words.iter().any(|word| word == "key" || word == "keys");
    if strength == Strength::Weak && keyed && qualified {
        Strength::Medium
    } else {
        strength
    }
}

fn word_strength(word: &str) -> Option<Strength> {
    if is_password(word) || is_foreign(word) {
        return Some(Strength::Strong);
    }
    if word.ends_with("secret") || word == "secrets" || word.ends_with("secretkey") {
        return Some(Strength::Strong);
    }
    let medium = word.ends_with("token")
        || word.ends_with("apikey")
        || word.ends_with("accesskey")
        || word.ends_with("authkey")
        || word.ends_with("privatekey")
        || word.ends_with("accountkey")
        || matches!(
            word,
            "auth"
                | "authorization"
                | "authentication"
                | "cred"
                | "creds"
                | "credentials"
                | "sig"
                | "hmac"
                | "salt"
                | "sas"
                | "passkey"
                | "authcode"
                | "keypass"
        );
    if medium {
        return Some(Strength::Medium);
    }
    let weak = word.ends_with("key")
        || word == "keys"
        || word.ends_with("access")
        || matches!(
            word,
            "accessy"
                | "tokeny"
                | "login"
                | "signature"
                | "cookie"
                | "session"
                | "private"
                | "license"
                | "licence"
                | "webhook"
                | "dsn"
                | "oauth"
                | "sessionid"
        );
    weak.then_some(Strength::Weak)
}

fn is_password(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "passwort",
        "pwd",
        "pswd",
        "pass",
        "passw",
        "pw",
        "passwords",
        "passwrd",
        "userpass",
        "dbpass",
        "psw",
        "identified",
        "passe",
        "rootpw",
    ];
    WORDS.contains(&word)
        || ["password", "passwd", "pwd", "passphrase", "passwort"]
            .iter()
            .any(|stem| word.ends_with(stem))
        || word.starts_with("password") && word.len() < 11
}

fn is_foreign(word: &str) -> bool {
    const STEMS: &[&str] = &[
        "haslo",
        "hasło",
        "contrase",
        "парол",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
        "kennwort",
        "senha",
        "clave",
        "parola",
        "wachtwoord",
        "lösenord",
        "şifre",
        "sifre",
        "salasana",
        "heslo",
        "jelszo",
        "jelszó",
        "sandi",
        "khẩu",
        "рол",
        "รหัสผ่าน",
        "סיסמה",
        "κωδικ",
        "adgangskode",
        "पासवर्ड",
    ];
    STEMS.iter().any(|stem| word.contains(stem))
}
