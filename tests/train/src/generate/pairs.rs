//! Pairs of a name and a value in many forms. What a pair is does not depend on how it is written.

use super::fill::place;
use super::forms;
use super::names::{Name, Takes};
use super::random::Random;
use crate::record::Record;

/// A name and a value, and the texts that say that it has it.
#[derive(Debug)]
pub struct Pair {
    /// The name and the value, to show.
    pub pair: String,
    /// Whether the value is secret; `None` where both answers are right, if it is always the same one.
    pub secret: Option<bool>,
    /// The pair in each form that can hold it as it is. The only label is that of the value.
    pub texts: Vec<Record>,
}

/// Names whose values are secret, a word, too.
#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwd", "pwd", "db password", "user password", "admin pass", "postgres password", "mysql root password", "redis password",
    "smtp password", "ldap bind password", "keystore password", "proxy pass", "passphrase", "ssh passphrase", "login password", "secret",
    "root pwd", "test password", "service account password", "passwort", "contraseña", "hasło", "senha",
];

/// Names whose values are secret when they look generated.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "api key", "api token", "access token", "client secret", "secret key", "jwt secret", "auth token", "webhook secret", "stripe api key",
    "encryption key", "session secret", "github token",
];

/// Names whose values are not.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "username", "hostname", "password hash algorithm", "token type", "max tokens", "password field", "secret name", "cache key", "author",
    "keyboard layout", "password policy", "tokenizer class", "forgot password url", "log level", "description",
];

/// Values that people think up.
#[rustfmt::skip]
const HUMAN: &[&str] = &[
    "swordfish", "supersecret", "changeit", "letmein", "admin123", "garden42", "Purpl3garden", "hunter2-Kx9", "Sommer2024", "Welcome1",
    "correct-horse-battery-staple", "tigerlily", "dragonfly7", "Tr0ub4dor", "qwerty123", "1qaz2wsx", "natalia1987", "kwiatek12", "Vogel_Baum_7",
    "blueMonkey77", "s3cr3t", "rumpelstilzchen", "P4nther2019",
];

/// Values that machines drew.
#[rustfmt::skip]
const DRAWN: &[&str] = &[
    "3f9a1c07be5d48e2a6b1904c7d2e85f3", "kR7vTq2LmX9bWz4N", "Zx8Kq2mN5vB7cL1pR4tY6wD3fG9h", "b1946ac92492d2347c6235b4d2611184ab12cd34",
    "8d1f0c3e-5b7a-4c29-9e64-2f0a7b6c1d85", "QWJ7x-Lm4pT_9vRz2KdN8s", "vupjy4-Rebsax-qyhfor",
];

/// What stands for a value.
#[rustfmt::skip]
const STANDS: &[&str] = &[
    "${DB_PASSWORD}", "<password>", "********", "xxxxxxxx", "true", "null", "your-password-here", "REDACTED", "%s", "{{password}}",
];

/// The forms that are compared.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "config/env", "config/env-double", "config/yaml", "config/yaml-double", "config/yaml-list", "config/toml", "config/ini", "config/properties",
    "config/xml-element", "config/xml-app-setting", "config/terraform-default", "config/compose-list", "data/json", "data/json-in-json", "data/json-pair",
    "data/csv", "data/markdown-table", "data/psql", "data/query", "data/log-pairs", "code/js-const", "code/python", "code/php-array",
    "code/python-keyword-lines", "shell/flag", "shell/export", "prose/colon",
];

/// Each name with each value.
pub fn pairs() -> impl Iterator<Item = Pair> {
    let names = [
        (PASSWORDS, Takes::Password),
        (KEYS, Takes::Key),
        (OTHERS, Takes::Innocent(super::innocent::Kind::Word)),
    ];
    let names = names
        .into_iter()
        .flat_map(|(names, takes)| names.iter().map(move |name| Name::from((*name, takes))));
    names.flat_map(|name| {
        [HUMAN, DRAWN, STANDS].into_iter().flat_map(move |values| {
            let name = name.clone();
            values.iter().map(move |value| pair(&name, values, value))
        })
    })
}

fn pair(name: &Name, values: &[&str], value: &str) -> Pair {
    let secret = match name.takes {
        _ if values == STANDS => Some(false),
        Takes::Password => Some(true),
        Takes::Key if values == DRAWN => Some(true),
        // A word as a key, or a drawn value under any name: who knows.
        _ => None,
    };
    let label = format!("{} {value}", name.styled("snake").unwrap_or_default());
    let texts = forms::all()
        .filter(|form| FORMS.contains(&form.id))
        .filter(|form| values == STANDS || form.spelling.fits(value))
        .filter(|form| form.spelling.write(value) == value)
        .map(|form| {
            let mut random = Random::of(0, form.id);
            let text = place(form, name.clone(), value, &mut random);
            text.record(format!("{label} {}", form.id), form.id)
        })
        .collect();
    Pair {
        pair: label,
        secret,
        texts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_pairs_as_were_compared_first() {
        let pairs: Vec<Pair> = pairs().collect();
        assert_eq!(pairs.len(), 2040);
        assert!(pairs.iter().all(|pair| pair.texts.len() >= 10));
    }

    #[test]
    fn every_form_exists() {
        for form in FORMS {
            assert!(forms::all().any(|known| known.id == *form), "{form}");
        }
    }
}
