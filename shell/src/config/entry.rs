//! One detector of the file, with its settings.

use engine::detect::{Allowed, AllowedValues, DetectorSettings, Names};
use engine::{EntityType, Score, Sensitive};

use super::Error;
use super::detector::DetectorChoice;
use super::error::{all, shown_key, suggestion, take_all, unknown_key};
use super::external::{
    ExternalDetector, ExternalKind, LlmSettings, NerSettings, PluginSettings, PresidioSettings,
};
use super::fields::{FIELDS, Field};
use super::item::Item;
use super::settings::{Kind, one_of};
use super::upstream::Origin;
use super::yaml::Node;

/// One detector of the file.
pub(super) struct Entry<'a> {
    pub(super) path: String,
    pub(super) detector: &'static str,
    fields: Vec<(&'static Field, Item<'a>)>,
}

/// The user's own patterns and terms, and what is never masked.
#[derive(Debug)]
pub(super) struct OwnValues {
    pub(super) patterns: Vec<(EntityType, String)>,
    pub(super) terms: Vec<(EntityType, Vec<String>)>,
    pub(super) allow: Vec<Allowed>,
}

impl OwnValues {
    /// A detector without built-in types.
    pub(super) fn into_settings(self) -> DetectorSettings {
        DetectorSettings {
            built_in: false,
            patterns: self.patterns,
            terms: self.terms,
            allow: self.allow,
            ..DetectorSettings::default()
        }
    }
}

impl<'a> Entry<'a> {
    pub(super) fn read(item: &Item<'a>, detector: &'static str) -> Result<Self, Error> {
        let entries = item.map(Kind::Detector)?.into_iter();
        let fields = entries.map(|(key, item)| {
            let field = known(&item, key, detector)?;
            let kind = field.kind;
            Ok((field, Item { kind, ..item }))
        });
        let mut fields = all(fields)?;
        fields.retain(|(_, item)| item.is_set());
        all(fields.iter().map(|(_, item)| item.check()))?;
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

    pub(super) fn min_score(&self) -> Result<Option<Score>, Error> {
        let percent = self.get("min_score").map(Item::percent).transpose()?;
        Ok(percent.map(Score::percent))
    }

    pub(super) fn types(&self) -> Result<Vec<(EntityType, bool)>, Error> {
        let Some(item) = self.get("types") else {
            return Ok(Vec::new());
        };
        let switches = item.map(Kind::Boolean)?.into_iter();
        all(switches.map(|(key, item)| Ok((built_in(&item, key)?, item.boolean()?))))
    }

    pub(super) fn names(&self) -> Result<Option<Names>, Error> {
        self.get("names").map(names).transpose()
    }

    /// The user's own patterns and terms.
    pub(super) fn own(&self) -> Result<OwnValues, Error> {
        take_all! {
            patterns = self.patterns();
            terms = self.terms();
            allow = self.allowed();
        }
        Ok(OwnValues {
            patterns,
            terms,
            allow,
        })
    }

    fn patterns(&self) -> Result<Vec<(EntityType, String)>, Error> {
        let Some(item) = self.get("patterns") else {
            return Ok(Vec::new());
        };
        let pattern = Kind::Text;
        let patterns = item.map(pattern)?.into_iter();
        all(patterns.map(|(key, item)| Ok((item.entity_of_key(key)?, item.pattern()?))))
    }

    fn terms(&self) -> Result<Vec<(EntityType, Vec<String>)>, Error> {
        let Some(item) = self.get("terms") else {
            return Ok(Vec::new());
        };
        let terms = item.map(Kind::Terms)?.into_iter();
        all(terms.map(|(key, item)| {
            let entity = item.entity_of_key(key)?;
            if !matches!(item.node, Node::List(_)) {
                return Err(item.must_be("a list of words"));
            }
            let words = item.list(Kind::Text)?;
            let words = words.iter().map(|word| word.text().map(str::to_owned));
            Ok((entity, all(words)?))
        }))
    }

    fn allowed(&self) -> Result<Vec<Allowed>, Error> {
        let Some(item) = self.get("allow") else {
            return Ok(Vec::new());
        };
        all(item.list(Kind::Allowed)?.iter().map(allowed))
    }

    pub(super) fn external(&self) -> Result<ExternalDetector, Error> {
        let entities = match self.get("entities") {
            Some(item) => entities(item)?,
            None => Vec::new(),
        };
        let least = || Ok(self.min_score()?.unwrap_or(Score::percent(50)));
        let timeout = || self.required("timeout")?.seconds();
        let kind = match self.detector {
            "ner" => ExternalKind::Ner(NerSettings {
                path: self.required("path")?.path_of_file()?,
                timeout: timeout()?,
                min_score: least()?,
            }),
            "presidio" => ExternalKind::Presidio(PresidioSettings {
                url: url(self.required("url")?)?,
                language: self.required("language")?.text()?.to_owned(),
                timeout: timeout()?,
                min_score: least()?,
            }),
            "wasm" => ExternalKind::Plugin(PluginSettings {
                path: self.required("path")?.path_of_file()?,
                timeout: timeout()?,
                memory: self.required("memory")?.whole()?,
            }),
            _ => ExternalKind::Llm(self.llm()?),
        };
        Ok(ExternalDetector {
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

/// The field of a key, if a detector of this type has it.
fn known(item: &Item<'_>, key: &str, detector: &'static str) -> Result<&'static Field, Error> {
    let Some(field) = FIELDS.iter().find(|field| field.key == key) else {
        let section = item
            .path
            .rsplit_once('.')
            .map_or("", |(section, _)| section);
        let names = FIELDS.iter().filter(|field| field.of.contains(&detector));
        let names: Vec<_> = names.map(|field| field.key).collect();
        let path = format!("{section}.{}", shown_key(key));
        return Err(unknown_key(path, key, &names));
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

/// How eagerly to look for names.
pub(super) fn names(item: &Item<'_>) -> Result<Names, Error> {
    Names::parse(item.choice()?).ok_or_else(|| item.invalid())
}

/// The built-in type that a key of a mapping names.
fn built_in(item: &Item<'_>, key: &str) -> Result<EntityType, Error> {
    EntityType::built_in(key).ok_or_else(|| Error::Unknown {
        path: item.path.clone().into_owned(),
        suggestion: suggestion(key, EntityType::BUILT_IN.iter().map(EntityType::as_str)),
    })
}

/// A list of entity types.
pub(super) fn entities(item: &Item<'_>) -> Result<Vec<EntityType>, Error> {
    all(item.list(Kind::Text)?.iter().map(Item::entity))
}

/// # Errors
/// When no detector finds one of the types: a misspelt type would let every value of the right one through.
/// If the detectors themselves can't be used, nothing is known about types.
pub(super) fn check_found(
    item: &Item<'_>,
    types: &[EntityType],
    detectors: Option<&DetectorChoice>,
) -> Result<(), Error> {
    let Some(detectors) = detectors else {
        return Ok(());
    };
    let found = detectors.types();
    let mut unknown = types.iter().filter(|entity| !found.contains(entity));
    match unknown.next() {
        Some(unknown) if !detectors.finds_any_type() => {
            let known = EntityType::BUILT_IN.iter();
            let known = known.filter(|known| found.contains(known));
            let known = known.map(EntityType::as_str);
            let expected = "a list of entity types that a detector finds";
            Err(item.must_be_like(expected, unknown.as_str(), known))
        }
        _ => Ok(()),
    }
}

fn url(item: &Item<'_>) -> Result<Sensitive<String>, Error> {
    match Origin::parse(item.text()?) {
        Some(_) => item.sensitive(),
        None => Err(item.invalid()),
    }
}

/// A value as it is, which may have several lines, as a private key has. A block of YAML ends with one more line end.
fn exact(item: &Item<'_>) -> Result<AllowedValues, Error> {
    let Node::Text(text) = item.node else {
        return Err(item.invalid());
    };
    let text = text.expose().trim_end_matches(['\n', '\r']);
    if text.contains('\0') {
        return Err(item.invalid());
    }
    Ok(AllowedValues::Exact(text.to_owned()))
}

/// A text, or a mapping of type and value or pattern.
fn allowed(item: &Item<'_>) -> Result<Allowed, Error> {
    let wrong = || item.must_be("a text, or a mapping with 'value' or 'pattern', and 'type'");
    if let Node::Text(_) = item.node {
        return Ok(Allowed {
            entity: None,
            values: exact(item)?,
        });
    }
    let mut entity = None;
    let mut values = None;
    let Node::Map(_) = item.node else {
        return Err(wrong());
    };
    for (key, item) in item.map(Kind::Text)? {
        let given = match key {
            "type" => {
                entity = Some(item.entity()?);
                continue;
            }
            "value" => exact(&item)?,
            "pattern" => AllowedValues::Pattern(item.pattern()?),
            _ => return Err(wrong()),
        };
        if values.replace(given).is_some() {
            return Err(wrong());
        }
    }
    let values = values.ok_or_else(wrong)?;
    Ok(Allowed { entity, values })
}
