//! Files as tools show them to a model: with the number of each line before it.

use engine::Detectors;
use engine::detect::merge;

fn found(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, None, &mut found);
    let values = merge(found)
        .into_iter()
        .map(|detection| text[detection.start..detection.end].to_owned());
    values.collect()
}

#[test]
fn a_password_in_a_numbered_line_is_found_as_in_the_file_itself() {
    for line in [
        "db_password: hunter2x",
        "password=hunter2x",
        "  smtp_password: hunter2x",
    ] {
        for number in [
            "",
            "     4\t",
            "     4→",
            "4: ",
            "    12 | ",
            "config/app.yaml:12:",
            "1234567→",
        ] {
            let text = format!("{number}{line}\n");
            assert_eq!(found(&text), ["hunter2x"], "{text:?}");
        }
    }
}
