//! The detector settings. External detectors are not available here.

use engine::Score;
use engine::detect::{Allowed, AllowedValues, DetectorSettings, Names};

use super::item::Item;

/// Reads `detector`: a type, a mapping, or a list of these, their findings pooled.
pub(super) fn read(item: Option<Item<'_>>) -> Result<DetectorSettings, String> {
    let Some(item) = item else {
        return Ok(DetectorSettings::default());
    };
    let mut settings = DetectorSettings {
        built_in: false,
        ..DetectorSettings::default()
    };
    if !item.is_list() {
        add(&item, &mut settings)?;
        return Ok(settings);
    }
    let detectors = item.list()?;
    if detectors.is_empty() {
        return Err(item.must_be("a list with at least one detector"));
    }
    for detector in &detectors {
        add(detector, &mut settings)?;
    }
    Ok(settings)
}

fn add(item: &Item<'_>, settings: &mut DetectorSettings) -> Result<(), String> {
    if item.is_text() {
        return begin(item, item.text()?, settings);
    }
    item.knows(&[
        "type",
        "types",
        "names",
        "patterns",
        "terms",
        "allow",
        "min_score",
    ])?;
    let kind = item.get("type")?;
    let kind = kind.map(|kind| kind.text()).transpose()?.unwrap_or("regex");
    begin(item, kind, settings)?;
    for key in ["types", "names", "min_score"] {
        if let Some(of_built_ins) = item.get(key)?
            && kind != "regex"
        {
            return Err(of_built_ins.must_be("set for a detector of type regex"));
        }
    }
    if let Some(types) = item.get("types")? {
        for (key, is_on) in types.members()? {
            let switch = (is_on.built_in_of(key)?, is_on.boolean()?);
            settings.types.push(switch);
        }
    }
    if let Some(names) = item.get("names")? {
        let expected = || names.must_be("off, careful or eager");
        settings.names = Names::parse(names.text()?).ok_or_else(expected)?;
    }
    if let Some(score) = item.get("min_score")? {
        settings.min_score = Score::percent(score.percent()?);
    }
    if let Some(patterns) = item.get("patterns")? {
        for (key, pattern) in patterns.members()? {
            let entity = pattern.entity_of(key)?;
            settings.patterns.push((entity, pattern.text()?.to_owned()));
        }
    }
    if let Some(terms) = item.get("terms")? {
        for (key, words) in terms.members()? {
            let entity = words.entity_of(key)?;
            let words = words.list()?;
            let words = words.iter().map(|word| word.text().map(str::to_owned));
            settings
                .terms
                .push((entity, words.collect::<Result<_, _>>()?));
        }
    }
    if let Some(allow) = item.get("allow")? {
        for allowed in allow.list()? {
            settings.allow.push(read_allowed(&allowed)?);
        }
    }
    Ok(())
}

fn begin(item: &Item<'_>, kind: &str, settings: &mut DetectorSettings) -> Result<(), String> {
    match kind {
        "regex" if settings.built_in => Err(item.must_be("no second detector of type regex")),
        "regex" => {
            settings.built_in = true;
            Ok(())
        }
        "terms" => Ok(()),
        _ => Err("setting 'detector.type' must be regex or terms".to_owned()),
    }
}

fn read_allowed(item: &Item<'_>) -> Result<Allowed, String> {
    if item.is_text() {
        return Ok(Allowed {
            entity: None,
            values: AllowedValues::Exact(item.text()?.to_owned()),
        });
    }
    item.knows(&["type", "value", "pattern"])?;
    let text = |key| {
        item.get(key)?
            .map(|item| item.text().map(str::to_owned))
            .transpose()
    };
    let values = match (text("value")?, text("pattern")?) {
        (Some(value), None) => AllowedValues::Exact(value),
        (None, Some(pattern)) => AllowedValues::Pattern(pattern),
        _ => {
            let expected = "a text, or a mapping with 'value' or 'pattern', and 'type'";
            return Err(item.must_be(expected));
        }
    };
    let entity = item.get("type")?.map(|item| item.entity()).transpose()?;
    Ok(Allowed { entity, values })
}
