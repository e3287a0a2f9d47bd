//! Any reply: no panic, and it doesn't matter how it is cut into chunks.
#![no_main]

use fuzz::{SCHEMAS, mask, restore, session};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|reply: &[u8]| {
    // The sizes of the chunks are made of the reply's own end.
    let ends = reply.iter().rev().take(4);
    let sizes: Vec<usize> = ends.map(|&byte| usize::from(byte % 32) + 1).collect();
    for schema in SCHEMAS {
        let restoring = mask(schema, b"{}", &mut session())
            .expect("an empty request is fine")
            .restoring;
        for content_type in ["text/event-stream", "application/json", "text/plain"] {
            let whole = restore(&restoring, content_type, reply, &[usize::MAX]);
            let chunked = restore(&restoring, content_type, reply, &sizes);
            let shown = (
                String::from_utf8_lossy(&whole),
                String::from_utf8_lossy(&chunked),
            );
            assert!(
                whole == chunked,
                "{schema:?} {content_type} in chunks of {sizes:?}: {shown:?}"
            );
        }
    }
});
