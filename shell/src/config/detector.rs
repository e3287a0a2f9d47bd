//! What finds values: the engine's own detectors, and those that must be waited for.

use engine::detect::{Allowed, AllowedValues, DetectorSettings};
use engine::{Detectors, EntityType, Score, Sensitive};

use super::Error;
use super::error::{shown_key, suggestion};
use super::fields::{FIELDS, Field, TYPES};
use super::item::Item;
use super::settings::{Kind, one_of};
use super::values::Values;
use super::waiting::{LlmSettings, PluginSettings, PresidioSettings, WaitingDetector, WaitingKind};
use super::yaml::Node;

/// The detectors of a configuration, their findings pooled.
#[derive(Debug)]
pub(crate) struct DetectorChoice {
    /// What the engine looks for by itself.
    pub(crate) own: DetectorSettings,
    /// Detectors that the host must wait for.
    pub(crate) waiting: Vec<WaitingDetector>,
}

impl DetectorChoice {
    /// Reads `detector`: a type, a mapping, or a list of these.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub(crate) fn read(values: &Values) -> Result<Self, Error> {
        let item = values.required("detector")?;
        let mut choice = Self {
            own: DetectorSettings {
                built_in: false,
                ..DetectorSettings::default()
            },
            waiting: Vec::new(),
        };
        match item.node {
            Node::List(list) if list.is_empty() => {
                return Err(item.must_be("a list with at least one detector"));
            }
            Node::List(_) => {
                for item in item.list(Kind::Detector)? {
                    choice.add(&item)?;
                }
            }
            _ => choice.add(&item)?,
        }
        let key = values.get("detector_llm_api_key");
        choice.lend(key.map(|key| key.sensitive()).transpose()?.as_ref());
        choice.check_fallback()?;
        Ok(choice)
    }

    /// Gives models without a key of their own the one that is held for them.
    fn lend(&mut self, key: Option<&Sensitive<String>>) {
        for detector in &mut self.waiting {
            if let WaitingKind::Llm(llm) = &mut detector.kind {
                llm.api_key = llm.api_key.take().or_else(|| key.cloned());
            }
        }
    }

    /// Whether the built-in detectors are among them.
    pub(super) fn has_built_ins(&self) -> bool {
        self.own.built_in
    }

    /// A model that may fail must not be alone: then nothing would be masked.
    fn check_fallback(&self) -> Result<(), Error> {
        let falls_back = |waiting: &WaitingDetector| matches!(&waiting.kind, WaitingKind::Llm(llm) if llm.fallback_on_error);
        let own = &self.own;
        let is_backed = own.built_in
            || !own.patterns.is_empty()
            || !own.terms.is_empty()
            || !self.waiting.iter().all(falls_back);
        if is_backed || self.waiting.is_empty() {
            return Ok(());
        }
        Err(Error::Conflict(
            "setting 'detector.llm_fallback_on_error' needs a detector to fall back on: make \
             'detector' a list with the model and regex"
                .to_owned(),
        ))
    }

    /// Whether detections can be of types that no setting names.
    pub(super) fn finds_any_type(&self) -> bool {
        self.waiting
            .iter()
            .any(|waiting| waiting.entities.is_empty())
    }

    /// The types that settings name.
    pub(super) fn types(&self) -> Vec<EntityType> {
        let built_in = if self.own.built_in {
            EntityType::BUILT_IN
        } else {
            &[]
        };
        let own = self.own.patterns.iter().map(|(entity, _)| entity);
        let terms = self.own.terms.iter().map(|(entity, _)| entity);
        let waiting = self.waiting.iter().flat_map(|waiting| &waiting.entities);
        let mut types: Vec<EntityType> = Vec::new();
        for entity in built_in.iter().chain(own).chain(terms).chain(waiting) {
            if !types.contains(entity) {
                types.push(entity.clone());
            }
        }
        types
    }

    /// The engine's detectors.
    ///
    /// # Errors
    /// When a pattern or a word list can't be compiled.
    pub(super) fn compile(&self) -> Result<Detectors, Error> {
        Detectors::new(&self.own)
            .map_err(|error| Error::Conflict(format!("setting 'detector': {error}")))
    }

    fn add(&mut self, item: &Item<'_>) -> Result<(), Error> {
        let detector = type_of(item)?;
        let complete = with_defaults(item.node, detector);
        let item = Item {
            node: &complete,
            ..item.clone()
        };
        self.add_entry(&Entry::read(&item, detector)?)
    }

    fn add_entry(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        match entry.detector {
            "regex" if self.own.built_in => {
                return Err(Error::Conflict(format!(
                    "setting '{}' can't be a second detector of type regex",
                    entry.path
                )));
            }
            "regex" => {
                self.own.built_in = true;
                if let Some(score) = entry.min_score()? {
                    self.own.min_score = score;
                }
            }
            "terms" => {}
            _ => {
                let waiting = entry.waiting()?;
                self.waiting.push(waiting);
                return Ok(());
            }
        }
        self.own.patterns.extend(entry.patterns()?);
        self.own.terms.extend(entry.terms()?);
        self.own.allow.extend(entry.allowed()?);
        Ok(())
    }
}

/// One detector of the file.
struct Entry<'a> {
    path: String,
    detector: &'static str,
    fields: Vec<(&'static Field, Item<'a>)>,
}

impl<'a> Entry<'a> {
    fn read(item: &Item<'a>, detector: &'static str) -> Result<Self, Error> {
        let mut fields = Vec::new();
        for (key, item) in item.map(Kind::Detector)? {
            let field = known(&item, key, detector)?;
            if item.is_set() {
                let kind = field.kind;
                fields.push((field, Item { kind, ..item }));
            }
        }
        Ok(Self {
            path: item.path.clone().into_owned(),
            detector,
            fields,
        })
    }

    fn get(&self, key: &str) -> Option<&Item<'a>> {
        let found = self.fields.iter().find(|(field, _)| field.key == key);
        found.map(|(_, item)| item)
    }

    fn required(&self, key: &'static str) -> Result<&Item<'a>, Error> {
        self.get(key).ok_or_else(|| {
            Error::Conflict(format!(
                "setting '{}.{key}' must be set for a detector of type {}",
                self.path, self.detector
            ))
        })
    }

    fn min_score(&self) -> Result<Option<Score>, Error> {
        let percent = self.get("min_score").map(Item::percent).transpose()?;
        Ok(percent.map(Score::percent))
    }

    fn patterns(&self) -> Result<Vec<(EntityType, String)>, Error> {
        let Some(item) = self.get("patterns") else {
            return Ok(Vec::new());
        };
        let pattern = Kind::Text;
        let patterns = item.map(pattern)?.into_iter();
        patterns
            .map(|(key, item)| Ok((item.entity_of_key(key)?, item.text()?.to_owned())))
            .collect()
    }

    fn terms(&self) -> Result<Vec<(EntityType, Vec<String>)>, Error> {
        let Some(item) = self.get("terms") else {
            return Ok(Vec::new());
        };
        let terms = item.map(Kind::Terms)?.into_iter();
        terms
            .map(|(key, item)| {
                let entity = item.entity_of_key(key)?;
                let list = Item {
                    kind: Kind::Text,
                    ..item
                };
                if !matches!(list.node, Node::List(_)) {
                    return Err(list.must_be("a list of words"));
                }
                let words = list.list(Kind::Text)?;
                let words = words.iter().map(|word| word.text().map(str::to_owned));
                Ok((entity, words.collect::<Result<_, _>>()?))
            })
            .collect()
    }

    fn allowed(&self) -> Result<Vec<Allowed>, Error> {
        let Some(item) = self.get("allow") else {
            return Ok(Vec::new());
        };
        item.list(Kind::Allowed)?.iter().map(allowed).collect()
    }

    fn waiting(&self) -> Result<WaitingDetector, Error> {
        let entities = match self.get("entities") {
            Some(item) => entities(item)?,
            None => Vec::new(),
        };
        let least = || Ok(self.min_score()?.unwrap_or(Score::percent(50)));
        let timeout = || self.required("timeout")?.seconds();
        let kind = match self.detector {
            "ner" => WaitingKind::Ner,
            "presidio" => WaitingKind::Presidio(PresidioSettings {
                url: url(self.required("url")?)?,
                language: self.required("language")?.text()?.to_owned(),
                timeout: timeout()?,
                min_score: least()?,
            }),
            "wasm" => WaitingKind::Plugin(PluginSettings {
                path: self.required("path")?.path_of_file()?,
                timeout: timeout()?,
                memory: self.required("memory")?.whole()?,
            }),
            _ => WaitingKind::Llm(self.llm()?),
        };
        Ok(WaitingDetector {
            entities,
            cache_size: self.get("cache_size").map_or(Ok(0), Item::whole)?,
            kind,
        })
    }

    fn llm(&self) -> Result<LlmSettings, Error> {
        let provider = self.required("llm_provider")?.choice()?;
        let secret = |key| self.get(key).map(Item::sensitive).transpose();
        Ok(LlmSettings {
            messages_style: provider == "messages_style",
            model: self.required("llm_model")?.text()?.to_owned(),
            base_url: self.get("llm_base_url").map(url).transpose()?,
            api_key: secret("llm_api_key")?,
            instructions: secret("llm_instructions")?,
            timeout: self.required("llm_timeout")?.seconds()?,
            fallback_on_error: self.required("llm_fallback_on_error")?.boolean()?,
            max_chars: self.required("llm_max_chars")?.whole()?,
        })
    }
}

fn type_of(item: &Item<'_>) -> Result<&'static str, Error> {
    let of_type = Kind::Choice(TYPES);
    if let Node::Text(_) = item.node {
        let kind = of_type;
        return Item {
            kind,
            ..item.clone()
        }
        .choice();
    }
    let map = item.map(of_type)?;
    match map.iter().find(|(key, _)| *key == "type") {
        Some((_, item)) => item.choice(),
        None => Ok("regex"),
    }
}

/// The settings of a detector together with the defaults of its type.
fn with_defaults(node: &Node, detector: &'static str) -> Node {
    let mut map = match node {
        Node::Map(map) => map.clone(),
        _ => Vec::new(),
    };
    let defaults = FIELDS.iter().filter(|field| field.of.contains(&detector));
    for (field, default) in defaults.filter_map(|field| Some((field, field.default?))) {
        if !map.iter().any(|(key, _)| key == field.key) {
            map.push((field.key.to_owned(), Node::of(default)));
        }
    }
    Node::Map(map)
}

/// The field of a key, if a detector of this type has it.
fn known(item: &Item<'_>, key: &str, detector: &'static str) -> Result<&'static Field, Error> {
    let Some(field) = FIELDS.iter().find(|field| field.key == key) else {
        let section = item
            .path
            .rsplit_once('.')
            .map_or("", |(section, _)| section);
        let names = FIELDS.iter().filter(|field| field.of.contains(&detector));
        return Err(Error::Unknown {
            path: format!("{section}.{}", shown_key(key)),
            suggestion: suggestion(key, names.map(|field| field.key)),
        });
    };
    if field.of.contains(&detector) {
        return Ok(field);
    }
    Err(Error::Conflict(format!(
        "setting '{}' is for detectors of type {}, not {detector}",
        item.path,
        one_of(field.of)
    )))
}

/// A list of entity types.
pub(super) fn entities(item: &Item<'_>) -> Result<Vec<EntityType>, Error> {
    item.list(Kind::Text)?.iter().map(Item::entity).collect()
}

fn url(item: &Item<'_>) -> Result<Sensitive<String>, Error> {
    match super::Origin::parse(item.text()?) {
        Some(_) => item.sensitive(),
        None => Err(item.invalid()),
    }
}

/// A text, or a mapping of type and value or pattern.
fn allowed(item: &Item<'_>) -> Result<Allowed, Error> {
    let wrong = || item.must_be("a text, or a mapping with 'value' or 'pattern', and 'type'");
    if let Node::Text(_) = item.node {
        return Ok(Allowed {
            entity: None,
            values: AllowedValues::Exact(item.text()?.to_owned()),
        });
    }
    let mut entity = None;
    let mut values = None;
    let Node::Map(_) = item.node else {
        return Err(wrong());
    };
    for (key, item) in item.map(Kind::Text)? {
        let text = || item.text().map(str::to_owned);
        let given = match key {
            "type" => {
                entity = Some(item.entity()?);
                continue;
            }
            "value" => AllowedValues::Exact(text()?),
            "pattern" => AllowedValues::Pattern(text()?),
            _ => return Err(wrong()),
        };
        if values.replace(given).is_some() {
            return Err(wrong());
        }
    }
    let values = values.ok_or_else(wrong)?;
    Ok(Allowed { entity, values })
}
