//! Lookalikes of addresses, cards and phone numbers, and rarer spellings of real ones.

use crate::support::found;

use found::{found, leaves};

/// Each text, and what is masked in it, types included.
#[track_caller]
fn masks(texts: &[(&str, &[&str])]) {
    let shown = |(entity, value): (String, &str)| format!("{entity} {value}");
    let wrong: Vec<_> = texts
        .iter()
        .map(|(text, values)| {
            let found: Vec<_> = found(text).into_iter().map(shown).collect();
            (text, values, found)
        })
        .filter(|(_, values, found)| found != *values)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn releases_sections_and_counts_are_not_ip_addresses() {
    leaves(&[
        "Newtonsoft 17.20.10.4 -> 19.12.7.15",
        "foo==2.4.18.11",
        "opencv-python==4.8.0.76",
        "pip install \"foo ~= 1.4.5.0\"",
        "/* 3.7.2.1. Input Terminal */",
        "see [27.8.1.1] for it",
        "$Id: x.c,v 1.8.6.2 2001/03/04 Exp $",
        "subjectAltName '2.5.29.17'",
        "§ 4.3.2.1",
        "Table 10.2.3.1",
        "(see 3.1.2.2)",
        "1.2.3.4 Introduction",
        "    // 4.2.6.5\n    requests = all()\n",
        "// HTTP-network fetch step 12.1.1.3\n",
        "// Client workflow 5.4.3.1: check for rollback",
        "Git 1.7.3.5 Release Notes\n",
        "// id-ce-deltaCRLIndicator 2.5.29.27 - RFC 5280",
        "Chrome 131.0.162.61",
        "listen [::]:80",
        "use b2::b3; E1::A",
        "zip(attrs[0::2], line.strip()[::-1], data[10::20])",
        "ratio 16:9:4:3:2:1:1:1 and 1::2",
    ]);
    masks(&[
        (
            "17.20.10.4 -> 98.46.235.25",
            &["IP_ADDRESS 17.20.10.4", "IP_ADDRESS 98.46.235.25"],
        ),
        (
            "1.1.1.1 -> 8.8.8.8",
            &["IP_ADDRESS 1.1.1.1", "IP_ADDRESS 8.8.8.8"],
        ),
        ("[1.1.1.1] answered", &["IP_ADDRESS 1.1.1.1"]),
        ("# 1.1.1.1 Cloudflare", &["IP_ADDRESS 1.1.1.1"]),
        ("// 10.1.2.3\n", &["IP_ADDRESS 10.1.2.3"]),
        ("// 93.184.216.34\n", &["IP_ADDRESS 93.184.216.34"]),
        ("// 8.8.8.8\n", &["IP_ADDRESS 8.8.8.8"]),
        ("see 10.1.2.3", &["IP_ADDRESS 10.1.2.3"]),
        ("if target == 93.184.216.34:", &["IP_ADDRESS 93.184.216.34"]),
        ("origin==23.22.39.1", &["IP_ADDRESS 23.22.39.1"]),
        ("visitor==93.184.216.34", &["IP_ADDRESS 93.184.216.34"]),
        ("accepted [27.8.13.4] connection", &["IP_ADDRESS 27.8.13.4"]),
        ("1.3.6.22 - - [GET /]", &["IP_ADDRESS 1.3.6.22"]),
        ("user 2.5.4.77 logged in", &["IP_ADDRESS 2.5.4.77"]),
        (
            "23.22.39.1 -> 8.26.39.12",
            &["IP_ADDRESS 23.22.39.1", "IP_ADDRESS 8.26.39.12"],
        ),
        (
            "TCP 23.22.39.1 -> 24.26.39.12",
            &["IP_ADDRESS 23.22.39.1", "IP_ADDRESS 24.26.39.12"],
        ),
        ("9.8.7.6 GET /index", &["IP_ADDRESS 9.8.7.6"]),
        ("fe80::1%eth0.", &["IP_ADDRESS fe80::1%eth0"]),
        ("ip.src==10.1.2.3", &["IP_ADDRESS 10.1.2.3"]),
        ("if host == 10.1.2.3", &["IP_ADDRESS 10.1.2.3"]),
        ("ip 1::2", &["IP_ADDRESS 1::2"]),
    ]);
}

#[test]
fn ip_addresses_in_ranges_and_after_a_version_are_found() {
    masks(&[
        ("version 2.3 at 98.46.235.25", &["IP_ADDRESS 98.46.235.25"]),
        ("peer version 4 at 10.1.2.3", &["IP_ADDRESS 10.1.2.3"]),
        (
            "10.1.2.3-10.1.2.9",
            &["IP_ADDRESS 10.1.2.3", "IP_ADDRESS 10.1.2.9"],
        ),
        (
            "98.46.235.25-219.220.30.48",
            &["IP_ADDRESS 98.46.235.25", "IP_ADDRESS 219.220.30.48"],
        ),
        ("192.168.1.10-20", &["IP_ADDRESS 192.168.1.10"]),
    ]);
    leaves(&["foo-1.2.3.4-1", "libc 1.2.3.4-10"]);
}

#[test]
fn accounts_article_numbers_dumps_and_ids_are_not_cards() {
    masks(&[
        (
            "PL08 2388 4645 4096 1219 1804 9165",
            &["IBAN PL08 2388 4645 4096 1219 1804 9165"],
        ),
        (
            "to SE35 5000 0000 0549 1000 0003 today",
            &["IBAN SE35 5000 0000 0549 1000 0003"],
        ),
    ]);
    leaves(&[
        "7734 4111 1111 1111 1111 0078",
        "4111 1111 1111 1111 0078 1204 7734",
        "code 4006381333931",
        "project 36111111111111",
        "{\"id\": \"4111111111111111\", \"n\": 1}",
        "{\"userId\": 4111111111111111}",
    ]);
    masks(&[
        (
            "user paid with 4111 1111 1111 1111",
            &["CREDIT_CARD 4111 1111 1111 1111"],
        ),
        (
            "user 4012888888881881 paid",
            &["CREDIT_CARD 4012888888881881"],
        ),
        (
            "4012 8888 8888 1881 9999",
            &["CREDIT_CARD 4012 8888 8888 1881"],
        ),
        (
            "and 7734 4012 8888 8888 1881",
            &["CREDIT_CARD 4012 8888 8888 1881"],
        ),
        (
            "4111 1111 1111 1111 1228",
            &["CREDIT_CARD 4111 1111 1111 1111"],
        ),
        (
            "4111 1111 1111 1111 5500 0000 0000 0004",
            &[
                "CREDIT_CARD 4111 1111 1111 1111",
                "CREDIT_CARD 5500 0000 0000 0004",
            ],
        ),
        ("'4979917794407'", &["CREDIT_CARD 4979917794407"]),
        ("+4915123895364", &["PHONE +4915123895364"]),
        ("+4111111111111111", &["CREDIT_CARD 4111111111111111"]),
    ]);
}

#[test]
fn cards_in_rarer_spellings_are_found() {
    masks(&[
        (
            "4111  1111  1111  1111",
            &["CREDIT_CARD 4111  1111  1111  1111"],
        ),
        ("4111.1111.1111.1111", &["CREDIT_CARD 4111.1111.1111.1111"]),
        (
            "4242 4242 4242 4242 123",
            &["CREDIT_CARD 4242 4242 4242 4242"],
        ),
        (
            "card 4242-4242-4242-4242-12/28",
            &["CREDIT_CARD 4242-4242-4242-4242"],
        ),
        (
            "card 4539148803436467:12/27:123",
            &["CREDIT_CARD 4539148803436467"],
        ),
        (
            "card number 4539 1488 0343 6467/12/28",
            &["CREDIT_CARD 4539 1488 0343 6467"],
        ),
        (
            "my card 4539-1488-0343-6467.Then nothing",
            &["CREDIT_CARD 4539-1488-0343-6467"],
        ),
        (
            "the card 4539 1488 0343 6467-x",
            &["CREDIT_CARD 4539 1488 0343 6467"],
        ),
        (
            "card 4539148803436467_old",
            &["CREDIT_CARD 4539148803436467"],
        ),
        ("4111/1111/1111/1111", &["CREDIT_CARD 4111/1111/1111/1111"]),
        ("3743.210987.70256", &["CREDIT_CARD 3743.210987.70256"]),
        (
            "Kreditkarte 6371 7726 5183 3255",
            &["CREDIT_CARD 6371 7726 5183 3255"],
        ),
        ("411111 1111111111", &["CREDIT_CARD 411111 1111111111"]),
        (
            "%B4242424242424242^DOE/JANE^2812",
            &["CREDIT_CARD 4242424242424242"],
        ),
    ]);
}

#[test]
fn codes_quantities_and_years_are_not_phone_numbers() {
    leaves(&[
        "code 0292453331",
        "step 03711 / 19935",
        "Bestellnummer 0205644051",
        "FedEx 050624881481",
        "CEP 01310-178, 01310-178",
        "012.345.678-09",
        "012/345/67890",
        "DFARS 252.227-7013",
        "JIS 0208-1983",
        "18 021 727 925",
        "[*0328.0020.0004]",
        "[0655-2324-7201]",
        "{\"id\": 13676872961}",
        "called 10000000 times",
        "ring buffer 1048576 bytes",
        "reach 1000000 users",
        "sms count 1000000",
        "registered at 1700000000",
        "mobile breakpoint 1024 768",
        "office hours 0900 1700",
        "contact us 2024 2025 2026",
        "numbers 1024-1535",
        "arn:aws:iam::012345678910:role/tasks",
        "arn:aws:ssm-contacts:*:111122223333:contact/akuam",
        "write(b\"012345678910\")",
        "let image = b\"P1 6 2\\n011011101101\";",
        "ring = floor((number % 1000) / 100)",
        "53 71 d3 09 19 73 42 94\n f8 68 e3 be",
    ]);
    masks(&[
        ("tel: 5550000000", &["PHONE 5550000000"]),
        ("call 5550104477 today", &["PHONE 5550104477"]),
        ("reach me at 5550104477", &["PHONE 5550104477"]),
        ("office hours: 020 7946 0958", &["PHONE 020 7946 0958"]),
        (
            "numbers: 030 1234567, 040 2345678",
            &["PHONE 030 1234567", "PHONE 040 2345678"],
        ),
        ("phone  555-010-9981  1  2", &["PHONE 555-010-9981"]),
        ("tel: 0110101001", &["PHONE 0110101001"]),
        (
            "arn:aws:sns:eu-west-1:123456789012:sms/+491711234567",
            &["PHONE +491711234567"],
        ),
    ]);
}

#[test]
fn phone_numbers_in_rarer_spellings_are_found() {
    masks(&[
        ("0151 23532892", &["PHONE 0151 23532892"]),
        ("0812-3456-7890", &["PHONE 0812-3456-7890"]),
        ("(011) 15-4122-3590", &["PHONE (011) 15-4122-3590"]),
        ("138-1223-8409", &["PHONE 138-1223-8409"]),
        ("+33.6.12.66.86.29", &["PHONE +33.6.12.66.86.29"]),
        ("https://wa.me/4915123456789", &["PHONE 4915123456789"]),
        ("my cel. 55 4482 0937", &["PHONE 55 4482 0937"]),
        ("Cep: 0532 448 20 93", &["PHONE 0532 448 20 93"]),
        ("sími 448 2093", &["PHONE 448 2093"]),
        ("PIX: chave 11944820937", &["PHONE 11944820937"]),
        ("Żona: 22 448 20 93", &["PHONE 22 448 20 93"]),
        ("su hijo (956 44 82 09)", &["PHONE 956 44 82 09"]),
    ]);
}

/// The account or the address was taken for the rest of a dump.
#[test]
fn a_card_beside_an_account_or_an_address_is_found() {
    const CARD: &str = "CREDIT_CARD 4242 4242 4242 4242";
    masks(&[
        (
            "4242 4242 4242 4242\nDE89 3704 0044 0532 0130 00",
            &[CARD, "IBAN DE89 3704 0044 0532 0130 00"],
        ),
        (
            "BE68 5390 0754 7034 4242 4242 4242 4242",
            &["IBAN BE68 5390 0754 7034", CARD],
        ),
        (
            "4242 4242 4242 4242 / 2a02:8071:b783:1::5",
            &[CARD, "IP_ADDRESS 2a02:8071:b783:1::5"],
        ),
    ]);
    leaves(&["4242 4242 4242 4242 de89 3704 0044 0532"]);
}

#[test]
fn sql_wildcards_do_not_hide_values() {
    masks(&[
        (
            "card LIKE '%4111 1111 1111 1111%'",
            &["CREDIT_CARD 4111 1111 1111 1111"],
        ),
        ("ssn LIKE '536-22-8726%'", &["SSN 536-22-8726"]),
        ("phone LIKE '%+1 415 555 2671%'", &["PHONE +1 415 555 2671"]),
        ("phone LIKE '+14155552671%'", &["PHONE +14155552671"]),
        (
            "iban LIKE '%DE89 3704 0044 0532 0130 00%'",
            &["IBAN DE89 3704 0044 0532 0130 00"],
        ),
        (
            "name LIKE '%Martina Kowalska%'",
            &["PERSON Martina Kowalska"],
        ),
        (
            "grep '^4111111111111111'",
            &["CREDIT_CARD 4111111111111111"],
        ),
    ]);
    leaves(&["grew 12.5%", "2^4111111111111111", "tel: 1,234,567%"]);
}

#[test]
fn fullwidth_and_invisible_characters_do_not_hide_values() {
    masks(&[
        ("電話 090－1234－5678", &["PHONE 090－1234－5678"]),
        (
            "4111－1111－1111－1111",
            &["CREDIT_CARD 4111－1111－1111－1111"],
        ),
        ("生年月日 1984／03／12", &["DATE_OF_BIRTH 1984／03／12"]),
        ("jose@corp－x.com", &["EMAIL jose@corp－x.com"]),
        ("password＝Purpl3garden!9", &["SECRET Purpl3garden!9"]),
        ("jose@cor\u{61c}p-x.com", &["EMAIL jose@cor\u{61c}p-x.com"]),
        (
            "4111 1\u{180e}111 1111 1111",
            &["CREDIT_CARD 4111 1\u{180e}111 1111 1111"],
        ),
    ]);
}

/// The French word was taken for a port.
#[test]
fn french_portable_labels_a_phone_and_port_does_not() {
    masks(&[
        ("Mon portable : 06 43 54 55 26", &["PHONE 06 43 54 55 26"]),
        ("kom. 606052318", &["PHONE 606052318"]),
        ("My number is 9130298881, thanks", &["PHONE 9130298881"]),
        ("Mój numer to 607758929", &["PHONE 607758929"]),
    ]);
    leaves(&[
        "listens on port 5550104477",
        "ports: 030 1234567",
        "my number of rows is 42 and 7",
    ]);
}

#[test]
fn algorithms_are_not_email_addresses() {
    leaves(&[
        "cipher: chacha20-poly1305@openssh.com MAC: hmac-sha2-256-etm@openssh.com compression: zlib@openssh.com",
        "kex: curve25519-sha256@libssh.org",
    ]);
    masks(&[("djm@openssh.com", &["EMAIL djm@openssh.com"])]);
}

#[test]
fn an_ascii_address_in_a_sentence_without_spaces_is_found_alone() {
    masks(&[
        ("发邮件到zhang.wei@acme.cn吧", &["EMAIL zhang.wei@acme.cn"]),
        ("連絡先はtaro@acme.co.jpです", &["EMAIL taro@acme.co.jp"]),
        ("张伟88@example.com", &["EMAIL 张伟88@example.com"]),
    ]);
}

/// Found in the source of packages: bytes, constants, characters by their codes, and revisions.
#[test]
fn dumps_constants_and_revisions_are_not_national_ids() {
    leaves(&[
        "test(&hex!(\"0c 04 31 32 33 34\"), &hex!(\"03 03 01 00 01\"))",
        "bytes: 02 ff 00 01 02 03 04 05 06 07 08 09 0a",
        "    18122464886584070891,\n    4044404959645932768,\n    3801320885861987401,\n",
        "5406 5407 5408 5409\n540A 540B 540C 540D 540E 540F 5410 5411 5412 5413\n5414 5415 5416 5417 20BBF 20BC0",
        "* \\[[`0299767508`](https://github.com/nodejs/node/commit/0299767508)\\] test\n",
        "   (merge 0220461071 jc/missing-ref-store-fix later to maint).\n",
        "date!(+10000-01-01), \"+100000-01-01\"",
        "p(\"%Y%m%d\", @\"0999-07-30\")",
        "upgraded redis from 5.7.8.99 to 5.8.1.2",
        "match self { IpAddr :: V4 (ip) => ip . is_private () }",
    ]);
    masks(&[
        ("le 01 31 32 33 34 de midi", &["PHONE 01 31 32 33 34"]),
        ("ligne 01 31 32 33 34", &["PHONE 01 31 32 33 34"]),
        (
            "paid with 4242 4242 4242 4242 today",
            &["CREDIT_CARD 4242 4242 4242 4242"],
        ),
        (
            "connect from 5.7.8.99 to 5.8.1.2",
            &["IP_ADDRESS 5.7.8.99", "IP_ADDRESS 5.8.1.2"],
        ),
    ]);
}

/// Lists of accounts separate their fields with colons, and times their parts.
#[test]
fn a_colon_ends_a_number() {
    masks(&[
        ("+491712345678:x", &["PHONE +491712345678"]),
        ("phone: +49 171 2345678:x", &["PHONE +49 171 2345678"]),
        ("555-123-4567:home", &["PHONE 555-123-4567"]),
        ("4539148803436467:x", &["CREDIT_CARD 4539148803436467"]),
        (
            "4539148803436467:12:25:123",
            &["CREDIT_CARD 4539148803436467"],
        ),
        ("ssn 123-45-6789:x", &["SSN 123-45-6789"]),
        ("DE89370400440532013000:x", &["IBAN DE89370400440532013000"]),
    ]);
    leaves(&["12:30:45", "20240101:12", "from 2024-01-01 12:30:45 on"]);
}
