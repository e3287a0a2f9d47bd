//! Any reply: no panic, and the chunking does not matter.
#![no_main]

use std::borrow::Cow;

use fuzz::{SCHEMAS, mask, restore, session};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|reply: &[u8]| {
    // The chunk sizes are taken from the end of the reply.
    let ends = reply.iter().rev().take(4);
    let sizes: Vec<usize> = ends.map(|&byte| usize::from(byte % 32) + 1).collect();
    for schema in SCHEMAS {
        let restoring = mask(schema, b"{}", &mut session())
            .expect("an empty request is fine")
            .restoring;
        for content_type in ["text/event-stream", "application/json", "text/plain"] {
            let whole = restore(&restoring, content_type, reply, &[usize::MAX]);
            let chunked = restore(&restoring, content_type, reply, &sizes);
            let shown = parting(&whole, &chunked);
            assert!(
                whole == chunked,
                "{schema:?} {content_type} in chunks of {sizes:?}: {shown:?}"
            );
        }
    }
});

/// What both outputs say from a little before they part.
fn parting<'o>(whole: &'o [u8], chunked: &'o [u8]) -> [Cow<'o, str>; 2] {
    let alike = whole
        .iter()
        .zip(chunked)
        .take_while(|(one, other)| one == other)
        .count();
    [whole, chunked].map(|output| {
        let end = output.len().min(alike + 100);
        String::from_utf8_lossy(&output[alike.saturating_sub(100)..end])
    })
}
