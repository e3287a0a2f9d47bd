//! Where text lives in JSON of no known format: in every string, but for those under structural keys.

use super::rule::{
    Object,
    Rule::{Id, Leave, Object as Of, Opaque, Signed, Unknown},
};

/// A request, and every object in it.
pub(super) static REQUEST: Object = Object {
    members: &[
        ("id", Id),
        ("type", Id),
        ("role", Id),
        ("object", Id),
        ("status", Id),
        ("model", Id),
        ("modelId", Id),
        ("engine", Id),
        ("url", Id),
        ("uri", Id),
        ("file_id", Id),
        ("format", Leave),
        ("encoding_format", Id),
        ("response_format", Leave),
        ("mimeType", Id),
        ("mime_type", Id),
        ("media_type", Id),
        ("b64_json", Opaque),
        ("thought_signature", Opaque),
        ("thoughtSignature", Opaque),
        ("thinking", Signed("signature")),
        ("signature", Opaque),
        ("inlineData", Unknown),
        ("inline_data", Unknown),
    ],
    types: &[],
    untyped: "",
    others: Of(&REQUEST),
    bare: Unknown,
};

/// A reply, and every object in it: every string is restored but for what can only be opaque.
pub(super) static REPLY: Object = Object {
    members: &[
        ("b64_json", Opaque),
        ("thought_signature", Opaque),
        ("thoughtSignature", Opaque),
        ("thinking", Signed("signature")),
        ("signature", Opaque),
    ],
    types: &[],
    untyped: "",
    others: Of(&REPLY),
    bare: Unknown,
};
