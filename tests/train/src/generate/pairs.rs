//! Pairs of a name and a value in many forms. What a pair is does not depend on how it is written.

use super::fill::{Label, place};
use super::forms::{self, Form};
use super::half::Half;
use super::innocent;
use super::names::{Name, Names, Takes};
use super::random::Random;
use super::secret;
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
            let (name, ignore) = (name.clone(), Some(Label::Ignore));
            let text = place(form, name, value, ignore, &mut random, Half::Test);
            text.record(format!("{label} {}", form.id), form.id)
        })
        .collect();
    Pair {
        pair: label,
        secret,
        texts,
    }
}

/// Drawn pairs, `count` of them, each in every form of a half that can hold it as it is: training on them keeps the form from
/// saying what only the name and the value can.
pub fn spread(half: Half, seed: u64, count: usize) -> impl Iterator<Item = Record> {
    let mut random = Random::of(seed, "pairs");
    (0..count).flat_map(move |index| {
        let drawn = draw(half, &mut random);
        let forms = forms::of(half).filter(|form| form.holds_values() && form.between.is_some());
        let records = forms.filter_map(|form| drawn.written(form, half, index, &mut random));
        records.collect::<Vec<_>>()
    })
}

/// A name and a value that were drawn.
struct Drawn {
    name: Name,
    value: String,
    /// How the value was made, where it is secret.
    secret: Option<&'static str>,
}

fn draw(half: Half, random: &mut Random) -> Drawn {
    let names = Names::get(half);
    let name = match random.below(6) {
        0 => names.other(random),
        _ => names.secret(random),
    };
    let (value, secret) = match name.takes {
        Takes::Innocent(kind) => (kind.draw(random, half), None),
        _ if random.one_in(4) => (innocent::mark(random, half, &name), None),
        takes => {
            // What people think up is as secret under the name of a key.
            let takes = if random.one_in(3) {
                Takes::Password
            } else {
                takes
            };
            let (kind, value) = secret::draw(random, half, takes);
            (value, Some(kind))
        }
    };
    Drawn {
        name,
        value,
        secret,
    }
}

impl Drawn {
    /// The pair in a form; `None` where the form does not hold it as it is.
    fn written(
        &self,
        form: &Form,
        half: Half,
        index: usize,
        random: &mut Random,
    ) -> Option<Record> {
        let spelling = form.spelling;
        let is_held = self.secret.is_none() || spelling.fits(&self.value);
        if !is_held || spelling.write(&self.value) != self.value {
            return None;
        }
        let label = self.secret.map(Label::Secret);
        let text = place(form, self.name.clone(), &self.value, label, random, half);
        Some(text.record(format!("{}-pair-{index}", form.id), form.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_pairs_is_unchanged() {
        let pairs: Vec<Pair> = pairs().collect();
        assert_eq!(pairs.len(), 2040);
        assert!(pairs.iter().all(|pair| pair.texts.len() >= 10));
    }

    #[test]
    fn every_listed_form_exists() {
        for form in FORMS {
            assert!(forms::all().any(|known| known.id == *form), "{form}");
        }
    }
}
