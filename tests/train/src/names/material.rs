//! The texts that the tagger is trained and measured on.

use super::pasted::Pasted;
use super::resources::Resources;
use super::slots::Filler;
use super::{
    Random, Text, corpus, generate, hash, marked, negatives, pasted, swapped, table, written,
};
use engine::detect::names::lists::{Lists, Marks};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Labelled files, and how much their texts count: the old newspapers are noisy.
pub const FILES: [(&str, f32); 3] = [
    ("social_en", 4.0),
    ("news_de", 5.5),
    ("old_newspapers", 1.0),
];
/// Code that is read, in bytes: two fifths of it are held back.
const CODE: usize = 16_600_000;
/// Folders of packages that name nobody, and all of their texts that are read, in bytes.
const NEGATIVES: [&str; 3] = ["negatives", "examplefiles", "snippets"];
const ALL: usize = 100_000_000;
/// Translated messages of a language, in bytes.
const MESSAGES: usize = 400_000;
/// Packages with translations, the last of which is held back.
const TRANSLATED: [&str; 4] = ["django", "wagtail", "sphinx", "oscar"];
/// Sentences of each template, to train on and to measure on.
const SENTENCES: usize = 150;
const HELD_SENTENCES: usize = 20;
/// Copies of each written text, each with other names.
const COPIES: usize = 10;
/// Names of a hundred that the lists are trained without, so that names which no list has are learned, too.
const DROPPED: usize = 10;

/// Texts and lists.
pub struct Material {
    /// To train on.
    pub learned: Vec<Text>,
    /// To measure on, by what they are.
    pub held: BTreeMap<String, Vec<Text>>,
    /// The lists as the engine has them.
    pub lists: Vec<u8>,
    /// The lists without some names, to train with.
    pub partial: Vec<u8>,
    /// How many words have each mark.
    pub counts: [usize; 4],
}

impl Material {
    /// Reads labelled texts of `corpus`, lists and messages of `packages`, and the code of folders.
    ///
    /// # Errors
    /// Names what cannot be read.
    pub fn read(corpus: &Path, packages: &Path, code: &[PathBuf]) -> Result<Self, String> {
        let mut labelled = Vec::new();
        for (file, weight) in FILES {
            for mut text in corpus::names(&corpus.join(format!("names/{file}.jsonl")))? {
                file.clone_into(&mut text.source);
                text.weight = weight;
                labelled.push(text);
            }
        }
        let mut code = negatives::code(code, CODE)?;
        let folders = NEGATIVES.map(|name| packages.join(name));
        code.extend(negatives::code(&folders, ALL)?);
        let messages = negatives::messages(&TRANSLATED.map(|name| packages.join(name)), MESSAGES);
        let mut resources = Resources::read(packages)?;
        for text in labelled.iter().chain(&code).chain(&messages) {
            resources.count_words(&text.text);
        }
        let nouns = corpus::german_nouns(labelled.iter().chain(&messages));
        let marks = resources.marks(0);
        let lists = table::table(&marks);
        let count = |mark: Marks| marks.values().filter(|marks| marks.has(mark)).count();
        let mut material = Self {
            learned: Vec::new(),
            held: BTreeMap::new(),
            partial: table::table(&resources.marks(DROPPED)),
            counts: [Marks::FIRST, Marks::SURNAME, Marks::PLACE, Marks::COMMON].map(count),
            lists,
        };
        for text in labelled {
            let held = corpus::is_held(&text).then(|| format!("{} {}", text.source, text.language));
            material.add(text, held);
        }
        let known = material.lists.clone();
        for text in code {
            let text = negatives::without_names(text, Lists::of(&known));
            let held = (hash(&text.source) % 5 < 2).then(|| "code, other packages".to_owned());
            material.add(text, held);
        }
        for text in messages {
            let held = text.source.contains("oscar").then(|| "messages".to_owned());
            material.add(text, held);
        }
        let filler = Filler::new(&resources, &nouns);
        let mut random = Random::of(3, "other names");
        let labelled = material.learned.iter().filter(|text| is_labelled(text));
        let others: Vec<Text> = labelled
            .filter_map(|text| swapped::swapped(text, &filler, &mut random))
            .collect();
        material.learned.extend(others);
        for text in written::texts() {
            let copies = (0..COPIES).filter_map(|_| swapped::swapped(&text, &filler, &mut random));
            material.learned.extend(copies);
            material.learned.push(text);
        }
        material
            .learned
            .extend(generate::texts(&filler, false, SENTENCES, 1));
        for text in generate::texts(&filler, true, HELD_SENTENCES, 2) {
            let row = format!("other sentences {}", text.language);
            material.add(text, Some(row));
        }
        for folder in ["dev", "second"] {
            let path = corpus.join(folder).join("pii_true.jsonl");
            let texts = corpus::personal(&path, Lists::of(&material.lists))?;
            for text in texts {
                let held = text
                    .source
                    .starts_with("pii-anon")
                    .then(|| "pii-anon".to_owned());
                material.add(text, held);
            }
        }
        for text in marked::prompts() {
            let row = format!("prompts {}", text.language);
            material.add(text, Some(row));
        }
        let sets = [
            ("pasted", pasted::pasted()),
            ("fresh", pasted::fresh()),
            ("origins", pasted::origins()),
            ("mixed", pasted::mixed()),
        ];
        for (set, texts) in sets {
            for Pasted { text, .. } in texts {
                let row = format!("{set} {}", text.language);
                material.add(text, Some(row));
            }
        }
        Ok(material)
    }

    fn add(&mut self, text: Text, held: Option<String>) {
        match held {
            Some(row) => self.held.entry(row).or_default().push(text),
            None => self.learned.push(text),
        }
    }
}

fn is_labelled(text: &Text) -> bool {
    FILES.iter().any(|(file, _)| *file == text.source)
}
