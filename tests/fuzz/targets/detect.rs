//! Any text: detections are ordered, do not overlap, and are on character boundaries; masking and
//! restoring gives the text back.
#![no_main]

use engine::Session;
use fuzz::ENGINE;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut end = 0;
    for found in ENGINE.detect(text) {
        assert!(
            found.start >= end && found.start < found.end,
            "{found:?} after {end}"
        );
        assert!(
            text.get(found.start..found.end).is_some(),
            "{found:?} splits a character"
        );
        end = found.end;
    }
    let mut session = Session::new();
    let masked = ENGINE.mask_text(text, &mut session);
    assert_eq!(masked, ENGINE.mask_text(text, &mut session));
});
