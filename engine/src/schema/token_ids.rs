//! Recognizes prompts that are sent as the numbers of tokens or as embeddings: a provider can read them, and no
//! detector can.

use crate::json::{Kind, Value};

/// Whether a request holds such a prompt: at the top, in one of several requests, or as a tensor.
pub(crate) fn holds_token_ids(root: Value<'_>) -> bool {
    root.members().any(|(key, member)| {
        let name = &*key.text();
        let is_whole = is_prompt(name) && holds_numbers(member, is_whole_number);
        is_whole || is_request(name) && holds_ids(member) || are_ids(name, member)
    })
}

/// Whether a member is a prompt, which is text elsewhere. Lists of other numbers are embeddings to search for.
fn is_prompt(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "content", "input", "input_prefix", "input_suffix", "inputs", "prompt", "prompts", "text", "texts", "tokens",
    ];
    NAMES.contains(&name)
}

/// Whether a member is a request, or several.
fn is_request(name: &str) -> bool {
    matches!(name, "input" | "inputs" | "instances" | "requests")
}

fn holds_ids(request: Value<'_>) -> bool {
    let of_one = |request: Value<'_>| {
        let mut members = request.members();
        members.any(|(key, member)| are_ids(&key.text(), member)) || is_tensor(request)
    };
    of_one(request) || request.elements().any(of_one)
}

/// A tensor of the Open Inference Protocol: `{"name": "input_ids", "data": […]}`.
fn is_tensor(object: Value<'_>) -> bool {
    let name = object.member("name").filter(|name| name.is_string());
    let data = object.member("data");
    name.zip(data)
        .is_some_and(|(name, data)| are_ids(&name.text(), data))
}

/// Whether a member is token ids or embeddings, whatever else the body is.
fn are_ids(name: &str, member: Value<'_>) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "prompt_token_ids", "input_ids", "token_ids", "prompt_embeds", "input_embeds", "inputs_embeds",
    ];
    NAMES.contains(&name) && (member.is_string() || holds_numbers(member, is_number))
}

/// Whether a list holds such numbers, or lists of them.
fn holds_numbers(list: Value<'_>, is_one: fn(Value<'_>) -> bool) -> bool {
    list.elements()
        .any(|element| is_one(element) || element.elements().any(is_one))
}

fn is_number(value: Value<'_>) -> bool {
    value.kind() == Kind::Scalar
        && value
            .raw()
            .starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

fn is_whole_number(value: Value<'_>) -> bool {
    value.kind() == Kind::Scalar && value.raw().bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn prompts_sent_as_token_ids_are_recognized() {
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
            (r#"{"inputs": [109, 97]}"#, true),
            (r#"{"inputs": {"input_ids": [[1]]}}"#, true),
            (
                r#"{"inputs": [{"name": "input_ids", "shape": [1, 2], "data": [1, 2]}]}"#,
                true,
            ),
            (r#"{"input": {"prompt_token_ids": [1]}}"#, true),
            (r#"{"content": [109], "input_prefix": [1]}"#, true),
            (
                r#"{"inputs": [{"name": "image", "shape": [1, 2], "data": [1, 2]}]}"#,
                false,
            ),
            (
                r#"{"inputs": ["a"], "query": [1], "input": [[0.25, 1.5]]}"#,
                false,
            ),
            (r#"{"content": [{"type": "text", "text": "1"}]}"#, false),
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
