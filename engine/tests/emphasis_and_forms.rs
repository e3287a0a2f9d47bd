//! Values and names that are emphasized in Markdown, or fields of a form.

use crate::support::found;

use found::found;

/// Checks that in every text exactly the part between `⟦` and `⟧` is found.
#[track_caller]
fn check(texts: &[&str]) {
    let marked = |text: &str| {
        let (mut marked, mut rest) = (String::new(), text);
        for (_, value) in found(text) {
            let (lead, behind) = rest.split_once(value).unwrap_or((rest, ""));
            marked = marked + lead + "⟦" + value + "⟧";
            rest = behind;
        }
        marked + rest
    };
    for text in texts {
        assert_eq!(*text, marked(&text.replace(['⟦', '⟧'], "")));
    }
}

/// Underscores once counted as letters of the word that they emphasize, and asterisks as signs of code.
#[test]
fn emphasized_values_are_found_without_emphasis_markers() {
    const TEXTS: &[&str] = &[
        "wrote to {}⟦Anna Schmidt⟧{}: hi",
        "The customer {}⟦Anna Schmidt⟧{} called",
        "{}⟦Adelaide Schmidt⟧{} said",
        "{}Mr. ⟦Peter Müller⟧{} said",
        "{}Customer ⟦Anna Schmidt⟧{} called",
        "IBAN {}⟦DE89 3704 0044 0532 0130 00⟧{}",
        "IBAN {}⟦DE89370400440532013000⟧{}.",
        "{}⟦+44 20 7946 1234⟧{}",
        "({}⟦4539 1488 0343 6467⟧{})",
        "{}⟦alice@firma.de⟧{}, {}⟦bob@firma.de⟧{}",
        "password: {}⟦hunter2-Kx9⟧{}",
        "password: {}⟦hunter2-Kx9⟧{}.",
        "{}password:{} ⟦hunter2-Kx9⟧",
        "{}Password{}: ⟦hunter2-Kx9⟧",
    ];
    let mut texts = Vec::new();
    for sign in ["_", "__", "~~", "**", "*", "***"] {
        texts.extend(TEXTS.iter().map(|text| text.replace("{}", sign)));
    }
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    check(&[
        "def __init__(self, _name_, **kwargs): pass",
        "DB_PASSWORD=⟦_Kx9-hunter2_⟧",
        "a * b, c_ _d, 2 ** 3 ** 4",
    ]);
}

/// A plus sign is a space there, and an ampersand ends a line.
#[test]
fn url_encoded_forms_are_decoded() {
    check(&[
        "curl -d \"name=⟦Anna+Schmidt⟧&card=⟦4539+1488+0343+6467⟧&iban=⟦DE89+3704+0044+0532+0130+00⟧&phone=⟦%2B49+171+2345678⟧\" https://x.de/pay",
        "curl -d 'name=⟦Anna%20Schmidt⟧&card=⟦4539%201488%200343%206467⟧'",
        "POST /pay?card_number=⟦4539+1488+0343+6467⟧&x=1 HTTP/1.1",
        "name=⟦J%C3%BCrgen+Krause⟧",
        "https://x.de/search?q=⟦Anna+Schmidt⟧&email=⟦anna%40firma.de⟧#top",
        "address=⟦Hauptstra%C3%9Fe+12%2C+10115+Berlin⟧&name=⟦Anna+Schmidt⟧",
        "user=anna&password=⟦correct+horse+battery+77⟧",
        "user=anna&password=⟦Tr0ub4dor+%263⟧&x=1",
        "{\"body\": \"name=⟦Anna+Schmidt⟧&card=⟦4539+1488+0343+6467⟧\"}",
        "f(a=4539+1488+0343+6467)",
    ]);
}
