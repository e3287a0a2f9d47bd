//! Recognizes prompts that are sent as the numbers of tokens or as embeddings: a provider can read them, and no
//! detector can.

use crate::json::{Kind, Value};

/// Members of a body that are prompts, as text or as numbers.
const PROMPTS: &[&str] = &["input", "prompt", "tokens"];
/// Members that are token ids or embeddings, at the top or in the requests of a list there.
const IDS: &[&str] = &[
    "prompt_token_ids",
    "input_ids",
    "token_ids",
    "prompt_embeds",
    "input_embeds",
    "inputs_embeds",
];

/// Whether a request holds such a prompt.
pub(crate) fn holds_token_ids(root: Value<'_>) -> bool {
    let prompts = || PROMPTS.iter().filter_map(|name| root.member(name));
    let listed = || root.members().map(|(_, member)| member);
    let mut requests = listed().flat_map(Value::elements);
    prompts().any(holds_numbers) || holds_ids(root) || requests.any(holds_ids)
}

fn holds_ids(object: Value<'_>) -> bool {
    let mut ids = IDS.iter().filter_map(|name| object.member(name));
    ids.any(|ids| ids.is_string() || holds_numbers(ids))
}

/// Whether a list holds numbers, or lists of them.
fn holds_numbers(list: Value<'_>) -> bool {
    let is_number = |value: Value<'_>| {
        value.kind() == Kind::Scalar
            && value
                .raw()
                .starts_with(|first: char| first.is_ascii_digit() || first == '-')
    };
    list.elements()
        .any(|element| is_number(element) || element.elements().any(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn a_list_of_numbers_in_the_place_of_a_prompt_is_one() {
        for (body, expected) in [
            (r#"{"model": "m", "input": [15339, 1917]}"#, true),
            (r#"{"input": [[15339], [1917]]}"#, true),
            (r#"{"prompt": ["see", 15339]}"#, true),
            (r#"{"tokens": [1]}"#, true),
            (r#"{"messages": [], "prompt_token_ids": [1]}"#, true),
            (r#"{"prompt_embeds": "AAAA"}"#, true),
            (r#"{"requests": [{"input_ids": [[1]]}]}"#, true),
            (r#"{"input": ["a", "b"], "dimensions": 3}"#, false),
            (r#"{"input": [{"role": "user", "content": "1"}]}"#, false),
            (r#"{"input": []}"#, false),
            (
                r#"{"prompt": "1", "stop_token_ids": [2], "logit_bias": {"1": 2}, "suppress_tokens": [1]}"#,
                false,
            ),
            (r#"{"context": [1, 2], "prompt": "go on"}"#, false),
        ] {
            let tape = Tape::scan(body, 64).unwrap();
            assert_eq!(holds_token_ids(tape.root(body)), expected, "{body}");
        }
    }
}
