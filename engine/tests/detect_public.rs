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
fn a_base64_image_containing_a_key_prefix_is_left() {
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
fn a_checksum_containing_a_key_lookalike_is_left() {
    let key = "AKIAQYLPMN5HHHFPZQX2";
    leaves(&[
        &format!("\"integrity\": \"sha512-8/{key}/g0Pt6lqAit4==\""),
        &format!("golang.org/x/net v0.1.0 h1:lqAit4+{key}+g0Pt6="),
    ]);
    for text in ["h1:", "path1:qAit4/", "sha512-8/ ", "see h1: "] {
        masks(&[(&format!("{text}{key}"), key)]);
    }
}

/// `Password policy`, as a title, hid its second word.
#[test]
fn words_after_password_in_a_title_are_left() {
    leaves(&[
        "Password policy",
        "password manager",
        "password combination.",
        "password hygiene\n\nUse a manager.",
        "Contents\n\nPassword rotation\nPassword storage\nAccounts",
        "{\"title\": \"Password guidelines\"}",
    ]);
    masks(&[
        ("password Tr0ub4dor", "Tr0ub4dor"),
        ("login bob\npassword dragonfly\n", "dragonfly"),
        ("port 6379\nrequirepass dragonfly", "dragonfly"),
        ("line vty 0 4\n password cisco\n login", "cisco"),
        ("Use password dragonfly7 here", "dragonfly7"),
    ]);
}

#[test]
fn a_package_file_name_is_not_a_token() {
    leaves(&[
        "notes = \"Maven - io.jsonwebtoken:jjwt-jackson-0.11.2\"",
        "io.jsonwebtoken:jjwt-impl-0.12.0",
    ]);
    masks(&[("my.token:k4jd-9fkQ-0fz8-1a2b", "k4jd-9fkQ-0fz8-1a2b")]);
}

/// Only English words were known for those of a help text.
#[test]
fn command_help_text_contains_no_password() {
    leaves(&[
        "  -W, --password           fuerza un prompt para la contraseña\n",
        "       --ftp-password=WACHTWRD  het WACHTWRD voor FTP\n",
        "   --no-role-passwords          Rollenpasswörter nicht mit ausgeben\n",
    ]);
    masks(&[
        ("  --password   Tr0ub4dor&3\n", "Tr0ub4dor&3"),
        ("mysql --password  dragonfly\n", "dragonfly"),
        (
            "run \\\n  --password=dragonfly  \\\n  --user=bob",
            "dragonfly",
        ),
    ]);
}

/// Only English ones were known.
#[test]
fn sentences_about_a_password_are_not_passwords() {
    leaves(&[
        "Das Passwort ist abgelaufen.",
        "Mein Kennwort ist leider falsch",
        "Le mot de passe est oublié.",
        "La contraseña es incorrecta",
        "La password è scaduta.",
        "Het wachtwoord is onjuist.",
        "Hasło jest nieprawidłowe.",
        "A senha está vencida",
        "The password is correct, but the login fails.",
        "Passwort: unbekannt",
        "Contraseña: pendiente",
    ]);
    masks(&[
        ("Das Passwort ist Sonnenblume", "Sonnenblume"),
        ("the password is dragonfly", "dragonfly"),
        ("La contraseña es girasol7", "girasol7"),
    ]);
}
