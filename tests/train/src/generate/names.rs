//! Names of secrets, and of what only looks or stands like one.

use super::half::Half;
use super::innocent::Kind;
use super::random::Random;
use super::words::sections;
use std::sync::LazyLock;

static TRAIN: LazyLock<Names> = LazyLock::new(|| Names::of(Half::Train));
static TEST: LazyLock<Names> = LazyLock::new(|| Names::of(Half::Test));

/// What values a name takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Any value is secret: a plain word, too.
    Password,
    /// A value that looks generated is secret.
    Key,
    /// Its values are innocent.
    Innocent(Kind),
}

/// A name in lower-case words, and what it takes.
#[derive(Debug, Clone)]
pub(super) struct Name {
    words: String,
    pub(super) takes: Takes,
}

/// The names of one half.
#[derive(Debug)]
pub(super) struct Names {
    secret: Vec<(&'static str, Takes)>,
    owners: Vec<&'static str>,
    other: Vec<(&'static str, Takes)>,
    ordinary: Vec<(&'static str, Takes)>,
}

impl Names {
    pub(super) fn get(half: Half) -> &'static Self {
        match half {
            Half::Train => &TRAIN,
            Half::Test => &TEST,
        }
    }

    fn of(half: Half) -> Self {
        let mut names = Self {
            secret: Vec::new(),
            owners: Vec::new(),
            other: innocent(include_str!("tables/other_names.txt"), half),
            ordinary: innocent(include_str!("tables/ordinary_names.txt"), half),
        };
        let table = sections(include_str!("tables/names.txt"));
        for (section, name) in table.filter(|(_, name)| half.has(name)) {
            match section {
                "owner" => names.owners.push(name),
                "password" => names.secret.push((name, Takes::Password)),
                _ => names.secret.push((name, Takes::Key)),
            }
        }
        names
    }

    /// A name of a secret, one in three with whose secret it is.
    pub(super) fn secret(&self, random: &mut Random) -> Name {
        let (name, takes) = random.pick(&self.secret);
        let words = if name.is_ascii() && random.one_in(3) {
            format!("{} {name}", random.pick(&self.owners))
        } else {
            name.to_owned()
        };
        Name { words, takes }
    }

    /// A name that looks like that of a secret.
    pub(super) fn other(&self, random: &mut Random) -> Name {
        Name::from(random.pick(&self.other))
    }

    /// A name that stands beside those of secrets.
    pub(super) fn ordinary(&self, random: &mut Random) -> Name {
        Name::from(random.pick(&self.ordinary))
    }
}

fn innocent(table: &'static str, half: Half) -> Vec<(&'static str, Takes)> {
    sections(table)
        .filter_map(|(_, line)| line.split_once(" = "))
        .filter(|(name, _)| half.has(name))
        .map(|(name, kind)| (name, Takes::Innocent(Kind::named(kind))))
        .collect()
}

impl From<(&str, Takes)> for Name {
    fn from((words, takes): (&str, Takes)) -> Self {
        Self {
            words: words.to_owned(),
            takes,
        }
    }
}

impl Name {
    /// A name for forms that show none.
    pub(super) fn password() -> Self {
        Self::from(("password", Takes::Password))
    }

    /// The name as a form writes it; `None` for what is no style.
    pub(super) fn styled(&self, style: &str) -> Option<String> {
        let words: Vec<&str> = self.words.split([' ', '\'']).collect();
        let capitals = || words.iter().map(|word| capitalised(word));
        Some(match style {
            "snake" => words.join("_"),
            "SNAKE" => words.join("_").to_uppercase(),
            "kebab" => words.join("-"),
            "Kebab" => capitals().collect::<Vec<_>>().join("-"),
            "KEBAB" => words.join("-").to_uppercase(),
            "dotted" => words.join("."),
            "joined" => words.concat(),
            "Pascal" => capitals().collect(),
            "camel" => capitals()
                .enumerate()
                .map(|(index, word)| {
                    if index == 0 {
                        words[0].to_owned()
                    } else {
                        word
                    }
                })
                .collect(),
            "words" => self.words.clone(),
            "Words" => capitalised(&self.words),
            _ => return None,
        })
    }
}

/// The text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
