//! Values with placeholders that are filled at run time.

use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::value_class::Value;

/// `%s`, `${name}`, `{{ name }}`, `{name}` or a tag anywhere in a value.
pub(super) fn is_template(class: &Value<'_>) -> bool {
    class.holds_any(b"%${<") && holds_hole(class.bytes())
}

fn holds_hole(value: &[u8]) -> bool {
    is_tag(value)
        || memchr::memchr3_iter(b'%', b'$', b'{', value).any(|index| {
            let hole = (at(value, index), at(value, index + 1));
            let ends = !at(value, index + 2).is_ascii_alphanumeric();
            matches!(hole, (b'%', b's' | b'd' | b'v') if ends)
                || matches!(hole, (b'%', b'(') | (b'$', b'{' | b'(') | (b'{', b'{'))
                || at(value, index) == b'{' && before(value, index) == b'#'
        })
        || value.contains(&b'{') && value.contains(&b'}')
}

/// `<name>`, `<td class=`, also when it is cut off.
fn is_tag(value: &[u8]) -> bool {
    let word = bytes::run(value, 1, value.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'/' | b':')
    });
    at(value, 0) == b'<' && matches!(at(value, 1 + word), b'>' | b' ' | 0)
}
