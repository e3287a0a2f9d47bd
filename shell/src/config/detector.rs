//! The detector settings: the engine's own detectors and external ones.

use engine::detect::DetectorSettings;
use engine::{Detectors, EntityType, Sensitive};

use super::Error;
use super::entry::{self, Entry, OwnValues};
use super::error::{all, take_all};
use super::external::{ExternalDetector, ExternalKind};
use super::fields::{FIELDS, TYPES};
use super::item::Item;
use super::lists::Lists;
use super::settings::Kind;
use super::values::Values;
use super::yaml::Node;

/// The detectors of a configuration, their findings pooled.
#[derive(Debug)]
pub(crate) struct DetectorChoice {
    /// The engine's own detectors.
    pub(crate) own: DetectorSettings,
    /// Detectors that the host must wait for.
    pub(crate) external: Vec<ExternalDetector>,
}

impl DetectorChoice {
    /// Reads `detector`: a type, a mapping, or a list of these.
    ///
    /// # Errors
    /// All settings that can't be used.
    pub(crate) fn read(values: &Values) -> Result<Self, Error> {
        let item = values.required("detector")?;
        let mut choice = Self {
            own: DetectorSettings {
                built_in: false,
                ..DetectorSettings::default()
            },
            external: Vec::new(),
        };
        let detectors = match item.node {
            Node::List(list) if list.is_empty() => {
                return Err(item.must_be("a list with at least one detector"));
            }
            Node::List(_) => item.list(Kind::Detector)?,
            _ => vec![item],
        };
        all(detectors.iter().map(|item| choice.add(item)))?;
        if let Some(lists) = lists(values)? {
            choice.add_own(lists.read()?);
        }
        let key = values.get("detector_llm_api_key");
        if let Some(names) = values.get("detector_names") {
            choice.own.names = entry::names(&names)?;
        }
        choice.lend(key.map(|key| key.sensitive()).transpose()?.as_ref());
        choice.check_fallback()?;
        Ok(choice)
    }

    /// Gives the configured key to models without a key of their own.
    fn lend(&mut self, key: Option<&Sensitive<String>>) {
        for detector in &mut self.external {
            if let ExternalKind::Llm(llm) = &mut detector.kind {
                llm.api_key = llm.api_key.take().or_else(|| key.cloned());
            }
        }
    }

    /// Whether the built-in detectors are among them.
    pub(super) fn has_built_ins(&self) -> bool {
        self.own.built_in
    }

    /// A model that may fail must not be the only detector: otherwise nothing would be masked.
    fn check_fallback(&self) -> Result<(), Error> {
        let falls_back = |external: &ExternalDetector| matches!(&external.kind, ExternalKind::Llm(llm) if llm.fallback_on_error);
        let own = &self.own;
        let is_backed = own.built_in
            || !own.patterns.is_empty()
            || !own.terms.is_empty()
            || !self.external.iter().all(falls_back);
        if is_backed || self.external.is_empty() {
            return Ok(());
        }
        Err(Error::Conflict(
            "setting 'detector.llm_fallback_on_error' needs a detector to fall back on: make \
             'detector' a list with the model and regex"
                .to_owned(),
        ))
    }

    /// The names of all, as `type` has them.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let own = if self.own.built_in { "regex" } else { "terms" };
        let external = self.external.iter().map(|external| external.kind.name());
        [own].into_iter().chain(external).collect()
    }

    /// Whether detections can be of types that no setting names.
    pub(super) fn finds_any_type(&self) -> bool {
        self.external
            .iter()
            .any(|external| external.entities.is_empty())
    }

    /// The types that settings name.
    pub(super) fn types(&self) -> Vec<EntityType> {
        let built_in = EntityType::BUILT_IN.iter();
        let built_in = built_in.filter(|entity| self.own.looks_for(entity));
        let own = self.own.patterns.iter().map(|(entity, _)| entity);
        let terms = self.own.terms.iter().map(|(entity, _)| entity);
        let external = self.external.iter().flat_map(|external| &external.entities);
        let mut types: Vec<EntityType> = Vec::new();
        for entity in built_in.chain(own).chain(terms).chain(external) {
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
                take_all! {
                    types = entry.types();
                    own = entry.own();
                }
                self.own.types = types;
                self.own.names = entry.names()?.unwrap_or_default();
                self.add_own(own);
            }
            "terms" => self.add_own(entry.own()?),
            _ => self.external.push(entry.external()?),
        }
        Ok(())
    }

    fn add_own(&mut self, values: OwnValues) {
        self.own.patterns.extend(values.patterns);
        self.own.terms.extend(values.terms);
        self.own.allow.extend(values.allow);
    }
}

/// The file of the lists, where one is named.
pub(super) fn lists(values: &Values) -> Result<Option<Lists>, Error> {
    let path = values.get("detector_lists");
    let path = path.map(|path| path.path_of_file()).transpose()?;
    Ok(path.map(Lists::new))
}

fn type_of(item: &Item<'_>) -> Result<&'static str, Error> {
    let of_type = Kind::Choice(TYPES);
    if let Node::Text(_) = item.node {
        return item.of_kind(of_type).choice();
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
