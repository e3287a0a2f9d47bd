//! Public values next to names of secrets, which agents need: ids, public keys, page tokens, form
//! labels. And secrets in similar places.

use crate::support::found;

use found::{found, leaves};

/// Each text, and the part of it that is masked.
#[track_caller]
fn masks(texts: &[(&str, &str)]) {
    let wrong: Vec<_> = texts
        .iter()
        .map(|(text, value)| {
            let found: Vec<_> = found(text).into_iter().map(|(_, value)| value).collect();
            (text, value, found)
        })
        .filter(|(_, value, found)| found != &[**value])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_image_in_base64_that_holds_the_beginning_of_a_token_stays() {
    let token =
        "EAAW4yMxVVvk7vM3lkDPIitj40reKMbxoBqyl91irjbtE8pDXBc9K50zYCmekRYPcFBTSqQ2YIHxgsSnhmaf5I";
    let image = "Zm9vYmFyL2Jhei9xdXV4K2NvcmdlL2dyYXVsdC9nYXJwbHkvd2FsZG8vZnJlZC9wbHVnaA".repeat(3);
    leaves(&[&format!(
        "src=\"data:image/png;base64,{image}/{token}+{image}\""
    )]);
    masks(&[
        (&format!("https://graph.example.com/v12/me/{token}"), token),
        (&format!("{image} {token}"), token),
    ]);
}

#[test]
fn a_checksum_that_holds_what_looks_like_a_key_stays() {
    let key = "AKIAQYLPMN5HHHFPZQX2";
    leaves(&[
        &format!("\"integrity\": \"sha512-8/{key}/g0Pt6lqAit4==\""),
        &format!("golang.org/x/net v0.1.0 h1:lqAit4+{key}+g0Pt6="),
    ]);
    for text in ["h1:", "path1:qAit4/", "sha512-8/ ", "see h1: "] {
        masks(&[(&format!("{text}{key}"), key)]);
    }
}
