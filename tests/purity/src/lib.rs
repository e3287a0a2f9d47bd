//! The engine behind one function from bytes to bytes, natively and as a bare module: the tests call both
//! with the same input and compare.

use std::sync::Arc;

use engine::{
    Detectors, Engine, EntityType, Mapping, NoMemory, Schema, Sensitive, Session, Settings,
};

/// Separates the parts of an input and of an output.
pub const PART: char = '\u{1e}';
/// Separates the fields of a part.
pub const FIELD: char = '\u{1f}';

/// Runs one operation. Input parts:
///
/// * `detect`, text
/// * `exchange`, schema, request, reply's content type, reply, chunk size, then a part
///   `TYPE⟨FIELD⟩id⟨FIELD⟩value` for each token that the session has already
///
/// The output is every detection as a line, or the masked request, the restored reply and the counts.
/// An input of another form gives an empty output.
#[must_use]
pub fn run(input: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(input) else {
        return Vec::new();
    };
    let mut parts = text.split(PART);
    match (parts.next(), parts.next()) {
        (Some("detect"), Some(text)) => detect(text),
        (Some("exchange"), Some(schema)) => exchange(schema, parts).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn engine() -> Engine {
    Engine::new(Settings {
        detectors: Detectors::built_in(),
        ..Settings::default()
    })
}

fn detect(text: &str) -> Vec<u8> {
    let found = engine().detect(text);
    let lines = found.iter().map(|found| format!("{found:?}\n"));
    lines.collect::<String>().into_bytes()
}

fn exchange<'i>(schema: &str, mut parts: impl Iterator<Item = &'i str>) -> Option<Vec<u8>> {
    let schema: Schema = schema.parse().ok()?;
    let request = parts.next()?;
    let content_type = parts.next()?;
    let reply = parts.next()?.as_bytes();
    let chunk: usize = parts.next()?.parse().ok()?;
    let mut session = Session::new();
    for mapping in parts {
        session.adopt(Arc::new(read_mapping(mapping)?));
    }

    let masked = match engine()
        .request(schema, request.into())
        .and_then(|mut request| {
            request.know_history(true);
            request.mask(&mut session, &NoMemory)
        }) {
        Ok(masked) => masked,
        Err(error) => return Some(error.to_string().into_bytes()),
    };
    let mut out = masked.body.into_bytes();
    out.push(PART as u8);
    let mut restorer = masked.restoring.reply(Some(content_type));
    for piece in reply.chunks(chunk.max(1)) {
        restorer.push(piece, &mut out);
    }
    restorer.finish(&mut out);
    out.extend(format!("{PART}{:?} {:?}", masked.summary, restorer.summary()).bytes());
    Some(out)
}

fn read_mapping(part: &str) -> Option<Mapping> {
    let mut fields = part.split(FIELD);
    let entity = EntityType::parse(fields.next()?).ok()?;
    let id = fields.next()?;
    Some(Mapping::new(
        entity,
        id,
        Sensitive::new(fields.next()?.to_owned()),
    ))
}

/// What a host of the module calls.
#[cfg(target_arch = "wasm32")]
mod exports {
    /// Makes room for an input.
    #[unsafe(no_mangle)]
    extern "C" fn allocate(length: usize) -> *mut u8 {
        Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
    }

    /// Runs one operation on an input in memory from [`allocate`], and frees that memory. The
    /// output begins with its length, 4 bytes, little-endian; it stays until the module ends.
    #[unsafe(no_mangle)]
    extern "C" fn call(input: *mut u8, length: usize) -> *const u8 {
        // SAFETY: the pointer came from `allocate` with this length, and the host uses it once.
        let input = unsafe { Vec::from_raw_parts(input, length, length) };
        let output = super::run(&input);
        let length = u32::try_from(output.len()).unwrap_or_default();
        let framed = [length.to_le_bytes().as_slice(), &output].concat();
        Box::leak(framed.into_boxed_slice()).as_ptr()
    }
}
