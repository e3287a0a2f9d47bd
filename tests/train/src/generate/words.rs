//! The words, people and places of a half.

use super::half::Half;
use std::sync::LazyLock;

static TRAIN: LazyLock<Words> = LazyLock::new(|| Words::of(Half::Train));
static TEST: LazyLock<Words> = LazyLock::new(|| Words::of(Half::Test));

/// Words of one half.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) english: Vec<&'static str>,
    pub(super) foreign: Vec<&'static str>,
    pub(super) people: Vec<&'static str>,
    pub(super) places: Vec<&'static str>,
}

impl Words {
    pub(super) fn get(half: Half) -> &'static Self {
        match half {
            Half::Train => &TRAIN,
            Half::Test => &TEST,
        }
    }

    fn of(half: Half) -> Self {
        let mut words = Self {
            english: Vec::new(),
            foreign: Vec::new(),
            people: Vec::new(),
            places: Vec::new(),
        };
        for (language, line) in sections(include_str!("tables/words.txt")) {
            let list = match language {
                "english" => &mut words.english,
                "people" => &mut words.people,
                "places" => &mut words.places,
                _ => &mut words.foreign,
            };
            list.extend(line.split(' ').filter(|word| half.has(word)));
        }
        words
    }
}

/// The lines of a table, each with the `[section]` that it is in.
pub(super) fn sections(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .scan("", |section, line| {
            let heading = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            if let Some(heading) = heading {
                *section = heading;
            }
            Some(heading.is_none().then_some((*section, line)))
        })
        .flatten()
}
