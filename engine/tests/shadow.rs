//! Shadow masking reports exactly what masking would do.

use std::fs;
use std::path::{Path, PathBuf};

use engine::{Engine, Error, Leaves, NoMemory, Schema, Session, Settings};

fn examples() -> Vec<(PathBuf, Schema)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/wire/examples");
    let mut examples = Vec::new();
    for (format, schema) in [
        ("chat", Schema::ChatStyle),
        ("messages", Schema::MessagesStyle),
        ("responses", Schema::Responses),
    ] {
        for file in fs::read_dir(folder.join(format)).expect("a folder") {
            let path = file.expect("a file").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_request = name.starts_with("req.") || name.starts_with("sink.request.");
            let is_json = path
                .extension()
                .is_some_and(|extension| extension == "json");
            if is_request && is_json && !name.contains(".expect.") {
                examples.push((path.clone(), schema));
            }
        }
    }
    assert!(examples.len() > 20);
    examples
}

#[test]
fn a_shadow_reports_what_masking_would_do() {
    let engine = Engine::new(Settings::default());
    for (path, schema) in examples() {
        let body = fs::read(&path).unwrap();
        let mut request = engine.request(schema, body).unwrap();
        request.know_history(true);
        let masked = request
            .mask(&mut Session::new(), &NoMemory)
            .unwrap()
            .summary;
        let shadow = request.shadow(None).unwrap();
        assert_eq!(shadow, masked, "{}", path.display());
        let seen: u64 = shadow.sightings.iter().map(|seen| seen.count).sum();
        assert_eq!(seen, shadow.transformations, "{}", path.display());
    }
}

/// A report names the place of a value, at least by the top-level member of the body.
#[test]
fn shadow_reports_name_the_field_of_nearly_all_values() {
    let engine = Engine::new(Settings::default());
    let (mut named, mut nameless) = (0, 0);
    for (path, schema) in examples() {
        let request = engine.request(schema, fs::read(&path).unwrap()).unwrap();
        for seen in request.shadow(None).unwrap().sightings {
            if seen.field.as_str().starts_with('*') {
                nameless += seen.count;
            } else {
                named += seen.count;
            }
        }
    }
    assert!(named > 20 * nameless, "{named} named, {nameless} not");
}

#[test]
fn a_shadow_of_another_request_fails() {
    let engine = Engine::new(Settings::default());
    let body = br#"{"messages": [{"role": "user", "content": "hello"}]}"#;
    let request = engine.request(Schema::ChatStyle, body.to_vec()).unwrap();
    assert_eq!(
        request.shadow(Some(&Leaves::default())),
        Err(Error::ScanFailed)
    );
}
