//! Any request: no panic; a body with nothing to mask stays the same; masking it again gives the
//! same.
#![no_main]

use engine::Session;
use fuzz::{SCHEMAS, mask};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|request: &[u8]| {
    for schema in SCHEMAS {
        let mut session = Session::new();
        let Some(first) = mask(schema, request, &mut session) else {
            return;
        };
        let untouched = first.summary.transformations == 0;
        let first = first.body.into_bytes();
        assert!(
            !untouched || first == request,
            "a body with nothing to mask changed"
        );
        let again = mask(schema, request, &mut session).expect("masked before");
        assert_eq!(
            first,
            again.body.into_bytes(),
            "the same request was masked in two ways"
        );
    }
});
