//! Names of persons by language, in ASCII letters, so that every encoding writes them in the same
//! way.
//!
//! First names are common ones. Surnames are composed of two parts, so that there are many, and a
//! model rarely invents one of them.

mod tables;

use super::KeyedSequence;
use tables::{ENGLISH, MEN, TONGUES, WOMEN};

/// First names of women and men, and the beginnings and ends of surnames.
#[derive(Debug)]
pub(crate) struct NameLanguage {
    women: &'static [&'static str],
    men: &'static [&'static str],
    stems: &'static [&'static str],
    ends: &'static [&'static str],
    /// Letters that other languages hardly use, endings of surnames, particles, and the countries of domains.
    letters: &'static str,
    endings: &'static [&'static str],
    particles: &'static [&'static str],
    domains: &'static [&'static str],
}

/// The kind of a name part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Of a woman or of a man, where that is known.
    First(Option<Sex>),
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sex {
    Woman,
    Man,
}

/// The first candidates are in the name's own language and kind, then of its kind in any language,
/// then any surnames.
const OWN: u32 = 16;
const KIND: u32 = 32;

impl NameLanguage {
    /// The probable language of a name; English by default.
    pub(crate) fn of_name(parts: &[&str]) -> &'static Self {
        let lower: Vec<_> = parts.iter().map(|part| part.to_lowercase()).collect();
        let has = |tongue: &&Self, is: &dyn Fn(&Self, &str) -> bool| {
            lower.iter().any(|part| is(tongue, part))
        };
        let by = |is: &dyn Fn(&Self, &str) -> bool| TONGUES.iter().find(|tongue| has(tongue, is));
        by(&|tongue, part| part.contains(|c| tongue.letters.contains(c)))
            .or_else(|| by(&|tongue, part| tongue.particles.contains(&part)))
            .or_else(|| by(&|tongue, part| tongue.ends_surname(part)))
            .or_else(|| by(&|tongue, part| tongue.sex_of(part).is_some()))
            .unwrap_or(&ENGLISH)
    }

    /// The language that is usual under a domain.
    pub(crate) fn of_domain(domain: &str) -> &'static Self {
        let country = domain.rsplit('.').next().unwrap_or_default();
        let found = TONGUES
            .iter()
            .find(|tongue| tongue.domains.contains(&country));
        found.unwrap_or(&ENGLISH)
    }

    /// The role of a part of a name, in lower case, by its place among the others.
    pub(crate) fn role(&self, part: &str, is_last: bool, is_alone: bool) -> Role {
        let sex = self.sex_of(part).or_else(|| sex_in_any(part));
        match sex {
            _ if is_last && !is_alone => Role::Last,
            None if is_alone => Role::Last,
            None if part.ends_with('a') => Role::First(Some(Sex::Woman)),
            sex => Role::First(sex),
        }
    }

    /// A name in the role for the numbered drawing of a part, if there is one with the initial: a model may write that
    /// alone, and it must not be another person's.
    pub(crate) fn drawn(
        &self,
        draw: &mut KeyedSequence,
        role: Role,
        initial: Option<char>,
        attempt: u32,
    ) -> Option<String> {
        let own = initial.and_then(base_letter);
        let begins = |name: &&str| own.is_none_or(|initial| name.starts_with(initial));
        if attempt < OWN {
            return self.name(draw, role, begins);
        }
        let any = TONGUES.get(draw.below(TONGUES.len())).unwrap_or(&ENGLISH);
        any.name(draw, if attempt < KIND { role } else { Role::Last }, begins)
    }

    /// A name of those that are admitted by themselves, or by how they begin.
    pub(super) fn name(
        &self,
        draw: &mut KeyedSequence,
        role: Role,
        admits: impl Fn(&&str) -> bool,
    ) -> Option<String> {
        let names = match role {
            Role::First(Some(Sex::Woman)) => self.women,
            Role::First(None) if draw.below(2) == 0 => self.women,
            Role::First(_) => self.men,
            Role::Last => self.stems,
        };
        let admitted: Vec<_> = names.iter().copied().filter(admits).collect();
        let first = (!admitted.is_empty()).then(|| draw.one_of(&admitted))?;
        Some(match role {
            Role::First(_) => first.to_owned(),
            Role::Last => first.to_owned() + draw.one_of(self.ends),
        })
    }

    fn ends_surname(&self, part: &str) -> bool {
        let has_end =
            |end: &&str| part == *end || part.len() > end.len() + 2 && part.ends_with(*end);
        self.endings.iter().any(has_end)
    }

    fn sex_of(&self, part: &str) -> Option<Sex> {
        let holds = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(part));
        if holds(self.women) {
            return Some(Sex::Woman);
        }
        holds(self.men).then_some(Sex::Man)
    }
}

/// The Latin letter without its accent: names here are in ASCII.
fn base_letter(initial: char) -> Option<char> {
    /// The first capital of each letter, in the order of their code points.
    #[rustfmt::skip]
    const FIRST: [(char, char); 31] = [
        ('À', 'A'), ('Ç', 'C'), ('È', 'E'), ('Ì', 'I'), ('Ð', 'D'), ('Ñ', 'N'), ('Ò', 'O'), ('Ù', 'U'), ('Ý', 'Y'), ('Þ', 'T'),
        ('Ā', 'A'), ('Ć', 'C'), ('Ď', 'D'), ('Ē', 'E'), ('Ĝ', 'G'), ('Ĥ', 'H'), ('Ĩ', 'I'), ('Ĵ', 'J'), ('Ķ', 'K'), ('Ĺ', 'L'),
        ('Ń', 'N'), ('Ō', 'O'), ('Ŕ', 'R'), ('Ś', 'S'), ('Ţ', 'T'), ('Ũ', 'U'), ('Ŵ', 'W'), ('Ŷ', 'Y'), ('Ź', 'Z'),
        ('Ș', 'S'), ('Ț', 'T'),
    ];
    if initial.is_ascii() {
        return initial.is_ascii_alphabetic().then_some(initial);
    }
    let from = FIRST.partition_point(|(first, _)| *first <= initial);
    FIRST.get(from.checked_sub(1)?).map(|(_, letter)| *letter)
}

fn sex_in_any(part: &str) -> Option<Sex> {
    if WOMEN.contains(&part) {
        return Some(Sex::Woman);
    }
    if MEN.contains(&part) {
        return Some(Sex::Man);
    }
    TONGUES.iter().find_map(|tongue| tongue.sex_of(part))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::tables::*;
    use super::*;

    fn all() -> BTreeSet<String> {
        let first = |tongue: &NameLanguage| [tongue.women, tongue.men].concat();
        let last = |tongue: &NameLanguage| {
            let ends = |stem: &&str| {
                let stem = (*stem).to_owned();
                tongue
                    .ends
                    .iter()
                    .map(move |end| format!("{stem}{end}"))
                    .collect::<Vec<_>>()
            };
            tongue.stems.iter().flat_map(ends).collect::<Vec<_>>()
        };
        let firsts = TONGUES.iter().flat_map(first).map(str::to_owned);
        firsts.chain(TONGUES.iter().flat_map(last)).collect()
    }

    #[test]
    fn there_are_enough_surnames_and_none_is_anothers_genitive() {
        let names = all();
        assert!(names.len() > super::super::MOST, "{}", names.len());
        for name in &names {
            let rest = name.get(1..).unwrap();
            assert!(name.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
            assert!(rest.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
            assert!(name.len() >= super::super::SHORTEST, "{name}");
            assert!(!names.contains(&format!("{name}s")), "{name}s");
        }
    }

    #[test]
    fn surnames_begin_with_every_letter() {
        for initial in 'A'..='Z' {
            let begins = |stem: &&&str| stem.starts_with(initial);
            let stems = TONGUES
                .iter()
                .flat_map(|tongue| tongue.stems)
                .filter(begins);
            assert!(stems.count() > 0, "{initial}");
        }
    }

    /// `Özil` got any initial, so that the model's `W.` was another person's.
    #[test]
    fn accents_do_not_change_an_initial() {
        for (initial, letter) in "AÀÄÅÆÇÉÎÐÑÖØÜÝĀĄČĎĐĘĞİŁŃŐŒŘŚŞŠŤŮŹŻŽȘȚ"
            .chars()
            .zip("AAAAACEIDNOOUYAACDDEGILNOORSSSTUZZZST".chars())
        {
            assert_eq!(base_letter(initial), Some(letter), "{initial}");
        }
        assert_eq!(base_letter('1'), None);
    }

    #[test]
    fn the_language_of_a_name_is_guessed() {
        for (name, tongue) in [
            (&["Müller"][..], &GERMAN),
            (&["Anna", "von", "Stetten"], &GERMAN),
            (&["Anna", "Schmidt"], &GERMAN),
            (&["Katarzyna", "Kowalska"], &POLISH),
            (&["Juan", "Gómez"], &SPANISH),
            (&["Jean", "Moreau"], &FRENCH),
            (&["Luca", "Rossini"], &ITALIAN),
            (&["João", "Silva"], &PORTUGUESE),
            (&["Jan", "van", "Leeuwen"], &DUTCH),
            (&["John", "Smith"], &ENGLISH),
        ] {
            let found = NameLanguage::of_name(name);
            assert_eq!(found.stems, tongue.stems, "{name:?}");
        }
    }
}
