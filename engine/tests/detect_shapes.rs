//! Unmistakable values are found whatever is next to them or around them.

use crate::support::found;

use found::{found, leaves};

/// Each text, and the one value in it, with its type.
#[track_caller]
fn finds(entity: &str, value: &str, texts: &[&str]) {
    let wrong: Vec<_> = texts
        .iter()
        .map(|text| text.replace('V', value))
        .filter(|text| found(text) != [(entity.to_owned(), value)])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Words around a value, and marks that enclose it.
#[rustfmt::skip]
const SURROUNDINGS: &[&str] = &[
    "V", "**V**", "*V*", "_V_", "__V__", "~~V~~", "`V`", "\"V\"", "'V'", "(V)", "[V]", "<V>", "{V}", "|V|", "=V;", "=V,", "/V ",
    "see V.", "V!", "V?", "V\n", "\\nV\\n", "\\tV", "„V“", "«V»", "値はVです", "地址V。", "サーバーVへ", "> V", "- V", "• V",
];

#[test]
fn a_grouped_card_is_found_next_to_any_word() {
    #[rustfmt::skip]
    let texts = [
        "I placed an order and paid with V", "order V", "invoice V", "Invoice no. V", "ref V", "ref: V", "tracking V", "tracking number: V",
        "serial V", "id V", "user_id: V", "timestamp V", "account no V", "my order id is 4711, paid by V", "IMEI V", "EAN V",
        "shipped by DHL, V", "upc V", "{\"order_id\": \"V\"}",
    ];
    for card in [
        "4539 1488 0343 6467",
        "4539-1488-0343-6467",
        "3714 496353 98431",
        "5500.0000.0000.0004",
    ] {
        finds("CREDIT_CARD", card, &texts);
    }
}

#[test]
fn a_card_after_an_address_is_found() {
    assert_eq!(
        found("x@my-orders.com 4539 1488 0343 6467"),
        [
            ("EMAIL".to_owned(), "x@my-orders.com"),
            ("CREDIT_CARD".to_owned(), "4539 1488 0343 6467"),
        ]
    );
}

#[test]
fn an_ungrouped_card_is_excluded_only_by_its_label() {
    #[rustfmt::skip]
    finds("CREDIT_CARD", "4539148803436467", &[
        "I placed an order and paid with V", "order 4711 paid with V", "the invoice was charged to V", "ref 12: V", "V",
        "tracking is free, pay by V", "-V", "  -V", "order V", "cancel that order. V", "for the first time V",
    ]);
    leaves(&[
        "order: 4539148803436467",
        "EAN 4072766519701",
        "order_id=4539148803436467",
        "{\"ref\": \"4539148803436467\"}",
        "{\"invoiceId\": 4539148803436467}",
        "mantissa -4386812962460287, base 2",
        "wrote 4539148803436467 bytes",
    ]);
}

#[test]
fn dashed_three_two_four_digits_are_an_ssn() {
    finds(
        "SSN",
        "943-43-3537",
        &[
            "V",
            "her number is V.",
            "name,V,city",
            "id V",
            "SSN V",
            "tell me if V is a partner's",
        ],
    );
    leaves(&["part no 943-43-3537", "order 943-43-3537", "000-12-3456"]);
}

#[test]
fn an_address_is_found_whatever_encloses_it() {
    finds("IP_ADDRESS", "10.1.2.3", SURROUNDINGS);
    finds("IP_ADDRESS", "2a02:8109:b6c0:1::2", SURROUNDINGS);
    finds("IP_ADDRESS", "2001:db8::1", SURROUNDINGS);
    finds("EMAIL", "alice@firma.de", SURROUNDINGS);
    finds(
        "API_KEY",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        SURROUNDINGS,
    );
}

#[test]
fn a_label_is_not_part_of_an_address() {
    #[rustfmt::skip]
    finds("IP_ADDRESS", "2a02:8109:b6c0:1::2", &[
        "source:V", "inet6:V", "from:V: connection reset", "addr=V", "src: V", "[V]:443", "peer:V,", "/log/V/x",
    ]);
    finds(
        "IP_ADDRESS",
        "10.1.2.3",
        &["ip:V", "ip-V", "host_V", "client:V:8080", "/V/24"],
    );
}

#[test]
fn quotes_are_not_part_of_an_address() {
    finds(
        "EMAIL",
        "a@b.com",
        &["N'V'", "(N'V', 1)", "b'V'", "u'V'", "f'V'", "rb'V'"],
    );
    finds("EMAIL", "o'brien@firma.de", &["V", "'V'"]);
}

#[test]
fn vector_graphics_numbers_are_not_personal_data() {
    leaves(&[
        "<path d=\"M.053 0 .057.001.11.003-.001.027 0 .052.001.097 0 .048-.055.74-.11\"/>",
        "c.36.5-.47 1.07-.5 1.64-.02.6.12 1.15.39 1.67.22.43.51.82.92 1.1.52.34 1.17.34 1.63.02",
        "9 1.24-.5 0-1.2.7-1.9 1.5a1 1 0 1 1 0 1.6.8.8 0 0 1 0-1.6zm5.212-5.18a1.069 1.069",
        "0 1-.5534.8148.3074.3074 0 0 0-.1691.2844v2.1522a.3113.3113 0 0",
        "-1.713m-1.525.854a2.193 2.193 0 002.666 2.107 2.139 2.139 0 00.701-3.937 2.207 2.207 0 00-3.367 1.83M22.96",
        "6-920a7372 7372 0 01-265-497 4370 4370 0 01-359-950 63 63 0 00-55-65 82 82 0 00-45 0l-12 7-17 10c-930 443-6440",
        "6.02 6.02 0 0 0 4.375-.003 6.006 6.006 0 0 0 3.657-6.945zM12 4.227c1.129 0 2.046.917",
        "329.1754 323.9356 l\nf\n340 325.2598 m\n342.1725 325.2598 L\n344.4279 325.2598",
    ]);
    finds(
        "IP_ADDRESS",
        "10.0.3.17",
        &["V 2h30m15s 1h10m5s", "V:9100 5m 10s 1.5 2.5", "V\t.5\t0.25"],
    );
    finds(
        "PHONE",
        "212-555-0187",
        &["call V, 0.5 h", "V\n", "1.25,V,7.5"],
    );
}

#[test]
fn releases_in_requirements_and_lock_files_are_not_addresses() {
    leaves(&[
        "    actionpack (= 8.1.3.1)\n",
        "  rails (8.1.3.1)\n    actioncable (= 8.1.3.1)\n",
        "    tzinfo (2.0.6)\n    actionpack (8.1.3.1)\n    zeitwerk (2.6.1)\n",
        "Specifier(\"== 1.2.3.0\")",
        "# dnf5 < 5.2.0.0",
        "gem 'x', '~> 1.2.3.4'",
        "slrn 0.9.8.0",
    ]);
    finds(
        "IP_ADDRESS",
        "23.22.39.1",
        &[
            "    web1 (V)\n    web2 (3)\n",
            "ip != \"V\"",
            "host (V)",
            "(\"<V>\")",
            "8.26.39.12.443 > V: ICMP echo",
        ],
    );
}

#[test]
fn sizes_dates_and_decimals_are_not_phone_numbers() {
    leaves(&[
        "impl ToUInt for Const<17179869183> {",
        "\"total_memory\": \"17179869184\",",
        "| Long date | P | 05/29/1453 |",
        "parse(\"+2016-11-01\", {})",
        "Decimal('+35236450.6')",
        "calls. [bug=1403524]",
        "// Prints: <Buffer 01 02 03 04 05>",
        " * 8B 05 04 00 00 00",
    ]);
    finds(
        "PHONE",
        "+49 30 901820",
        &["tel=V", "?phone=V", "phone[0]=V", "call V today", "V"],
    );
}

#[test]
fn encrypted_and_detached_jwts_are_found_completely() {
    let header = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0";
    let encrypted = format!(
        "{header}..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6ji.XFBoMYUZodetZdvTiFvSkQ"
    );
    assert_eq!(
        found(&format!("key {encrypted}.")),
        [("JWT".to_owned(), encrypted.as_str())]
    );
    let detached = format!("{header}..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY");
    assert_eq!(found(&detached), [("JWT".to_owned(), detached.as_str())]);
    leaves(&[&format!("{header}... and so on")]);
}

#[test]
fn a_jwt_ends_before_sentence_punctuation() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g";
    assert_eq!(
        found(&format!("{token}.Then we go on")),
        [("JWT".to_owned(), token)]
    );
}

#[test]
fn private_keys_with_four_dashes_or_truncated_are_found() {
    let body =
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACC5";
    for block in [
        format!(
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa-key\"\n{body}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
        ),
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}"),
        format!(
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n{body}\n-----END PGP PRIVATE KEY BLOCK-----"
        ),
        format!("-----BEGIN ANY PRIVATE KEY-----\n{body}\n-----END ANY PRIVATE KEY-----"),
    ] {
        assert_eq!(found(&block), [("PRIVATE_KEY".to_owned(), block.as_str())]);
    }
}

#[test]
fn public_ids_of_vendors_are_left() {
    leaves(&[
        "\"customer\": \"cus_NffrFeUfNV2Hib\", \"subscription\": \"sub_1MowQVLkdIwHu7ixeRlqHVzs\"",
        "price_1MoBy5LkdIwHu7ixZhnattbh",
        "pi_3MtwBwLkdIwHu7ix28a3tqPa",
        "pk_live_51MxK2LkdIwHu7ixq8fZ",
        "sb_publishable_V4t8Qz2LmN6pRs9TwXyZ3b",
        "/resourceGroups/rg/providers/Microsoft.KeyVault/vaults/kv/secrets/db-password/5d41402abc4b2a76b9719d911017c592",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
        "\"secretVersionId\": \"8f4a2c1e-9d3b-4e5f-a6b7-c8d9e0f1a2b3\"",
    ]);
}
