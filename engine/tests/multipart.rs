//! Forms of several parts: the texts are masked, every other byte stays.

use engine::{Engine, Error, MaskSummary, NoMemory, Schema, Session, Settings};

const EMAIL: &str = "alice@example.com";
const TOKEN: &str = "<MASK_EMAIL_1>";

fn mask(boundary: &str, body: &[u8]) -> Result<(Vec<u8>, MaskSummary), Error> {
    let content_type = format!("multipart/form-data; boundary={boundary}");
    let engine = Engine::new(Settings::default());
    let request = engine.request_of_type(Schema::Generic, Some(&content_type), body.to_vec())?;
    let masked = request.mask(&mut Session::new(), &NoMemory)?;
    Ok((masked.body.into_bytes(), masked.summary))
}

fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (head, content) in parts {
        body.extend_from_slice(format!("--b\r\n{head}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b--\r\n");
    body
}

const FIELD: &str = "Content-Disposition: form-data; name=\"prompt\"";
const FILE: &str =
    "Content-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: audio/wav";

/// The prompt beside an audio file was forwarded as it was, or refused.
#[test]
fn form_texts_are_masked_and_binary_files_left() {
    let audio: &[u8] = b"RIFF\xff\x00\r\n--c\r\nalice@example.com";
    let text = |email: &str| format!("Speakers: {email}\r\nand {email}, ü");
    let model = (
        "content-disposition:form-data;name=model",
        &b"whisper-1"[..],
    );
    let of = |email: &str| {
        form(&[
            (FILE, audio),
            model,
            (FIELD, text(email).as_bytes()),
            (FIELD, b""),
        ])
    };
    let (masked, summary) = mask("b", &of(EMAIL)).unwrap();
    assert_eq!(masked, of(TOKEN));
    assert_eq!((summary.transformations, summary.unread), (2, 1));
    let clean = of("nobody");
    assert_eq!(mask("\"b\"", &clean).unwrap().0, clean);
}

#[test]
fn text_files_are_masked_in_their_own_encoding() {
    let wide = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<_>>()
    };
    for (head, of) in [
        (
            "Content-Type: text/csv",
            &(|email: &str| format!("a;b\n1;{email}\n").into_bytes()) as &dyn Fn(&str) -> Vec<u8>,
        ),
        ("Content-Type: application/jsonl", &|email| {
            format!("{{\"a\": \"{email}\"}}\n{{\"a\": 1}}\n").into_bytes()
        }),
        ("Content-Type: application/octet-stream", &|email| {
            wide(&format!("a;b\r\n1;{email}\r\n"))
        }),
    ] {
        let head = format!("{FIELD}; filename=\"a.csv\"\r\n{head}");
        let masked = mask("b", &form(&[(&head, &of(EMAIL))])).unwrap();
        assert_eq!(masked.0, form(&[(&head, &of(TOKEN))]), "{head}");
    }
}

/// Whatever stands in the head of a part reaches the provider, too.
#[test]
fn part_headers_are_masked_and_content_lengths_corrected() {
    let of = |name: &str, email: &str, length: usize| {
        let head = format!(
            "Content-Length: {length}\r\nContent-Disposition: form-data; {name}; note=\"{email}\"\r\n\
             Content-Type: text/plain; owner={email}\r\nX-User: {email}"
        );
        form(&[(&head, format!("to {email}").as_bytes())])
    };
    for name in [format!("name=\"{EMAIL}\""), format!("name={EMAIL}")] {
        let masked = mask("b", &of(&name, EMAIL, 20)).unwrap().0;
        let expected = of(&format!("name=\"{TOKEN}\""), TOKEN, 17);
        assert_eq!(String::from_utf8(masked), String::from_utf8(expected));
    }
    let binary = |name: &str| {
        let head = format!(
            "{}\r\nContent-Type: image/png",
            FIELD.replace("prompt", name)
        );
        form(&[(&head, b"\x89PNG\r\n\x1a\n")])
    };
    assert_eq!(mask("b", &binary(EMAIL)).unwrap().0, binary(TOKEN));
}

/// What a server could read in another way must not be forwarded.
#[test]
fn ambiguous_forms_are_refused() {
    let good = form(&[(FIELD, b"x")]);
    let part = |head: &str| form(&[(head, EMAIL.as_bytes())]);
    for body in [
        b"{}".to_vec(),
        [b"alice@example.com\r\n", &*good].concat(),
        [&*good, b"alice@example.com"].concat(),
        good[..good.len() - 4].to_vec(),
        String::from_utf8(good.clone())
            .unwrap()
            .replace("\r\n", "\n")
            .into_bytes(),
        b"--b\r\nalice@example.com\r\n--b--".to_vec(),
        form(&[(FIELD, b"x\r\n--bc\r\ny")]),
        part("Content-Disposition: attachment; name=\"a\""),
        part("Content-Disposition: form-data; name=\"a\"; name=\"b\""),
        part("Content-Disposition: form-data;\r\n name=\"a\""),
        part(&format!("{FIELD}\r\nContent-Transfer-Encoding: base64")),
        part(&format!(
            "{FIELD}\r\nContent-Type: multipart/mixed; boundary=c"
        )),
        part(&format!("{FIELD}\nX: y")),
    ] {
        let shown = String::from_utf8_lossy(&body);
        assert_eq!(mask("b", &body).err(), Some(Error::NotAForm), "{shown}");
    }
    for content in [&b"\xff"[..], b"a\0lice\0"] {
        let body = form(&[(FIELD, content)]);
        assert_eq!(mask("b", &body).err(), Some(Error::NotUtf8));
    }
    // A boundary is not guessed.
    for boundary in ["", "b; boundary=c", "c"] {
        assert!(mask(boundary, &good).is_err(), "{boundary}");
    }
    assert!(mask("b", b"--b--").is_ok());
    assert!(mask("b", b"\r\n--b--\r\n\r\n").is_ok());
}

/// They were forwarded as they were.
#[test]
fn file_names_are_masked() {
    let of = |parameter: &str| {
        let head = format!("{FIELD}; {parameter}\r\nContent-Type: image/png");
        form(&[(&head, b"\x89PNG\r\n\x1a\n\0\0")])
    };
    for (sent, expected) in [
        (
            "filename=\"alice@example.com.pdf\"",
            "filename=\"<MASK_EMAIL_1>.pdf\"",
        ),
        (
            "filename=alice@example.com.pdf",
            "filename=<MASK_EMAIL_1>.pdf",
        ),
        (
            "filename*=UTF-8''M%C3%BCller%20alice%40example.com.pdf",
            "filename*=UTF-8''M%C3%BCller%20%3CMASK%5FEMAIL%5F1%3E.pdf",
        ),
        (
            "filename*=iso-8859-1'de'M%FCller%20alice@example.com.pdf",
            "filename*=UTF-8''M%C3%BCller%20%3CMASK%5FEMAIL%5F1%3E.pdf",
        ),
        (
            "filename=\"a-2024-11-22.bin\"",
            "filename=\"a-2024-11-22.bin\"",
        ),
    ] {
        let masked = String::from_utf8_lossy(&mask("b", &of(sent)).unwrap().0).into_owned();
        assert_eq!(masked, String::from_utf8_lossy(&of(expected)), "{sent}");
    }
    assert_eq!(
        mask("b", &of("filename*=koi8-r''a%FF")).err(),
        Some(Error::NotUtf8)
    );
}

/// Texts in Latin-1 were left as files, and so was JSON with a stray byte.
#[test]
fn texts_in_other_encodings_are_masked_or_refused() {
    let latin = |email: &str| [b"M\xfcller, ", email.as_bytes(), b", \x80 5"].concat();
    let wide = |email: &str| -> Vec<u8> {
        let text = format!("Müller, {email}");
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    for (head, of) in [
        (
            "text/plain; charset=ISO-8859-1",
            &latin as &dyn Fn(&str) -> Vec<u8>,
        ),
        ("text/csv;charset=\"windows-1252\"", &latin),
        ("text/csv", &latin),
        ("application/pdf", &latin),
        ("text/plain; charset=utf-16le", &wide),
    ] {
        let head = format!("{FIELD}; filename=\"a\"\r\nContent-Type: {head}");
        let masked = mask("b", &form(&[(&head, &of(EMAIL))])).unwrap().0;
        assert_eq!(masked, form(&[(&head, &of(TOKEN))]), "{head}");
    }
    for (head, content) in [
        ("text/plain; charset=utf-8", &b"alice@example.com \xff"[..]),
        ("text/plain; charset=koi8-r", b"alice@example.com \xff"),
        (
            "application/pdf",
            "{\"ü\": \"alice@example.com \u{fc}\"}".as_bytes(),
        ),
    ] {
        let stray = [content, b"\xff"].concat();
        let head = format!("{FIELD}; filename=\"a\"\r\nContent-Type: {head}");
        assert_eq!(
            mask("b", &form(&[(&head, &stray)])).err(),
            Some(Error::NotUtf8),
            "{head}"
        );
    }
}

/// A text in a Cyrillic or Japanese encoding was left as a file if its type named no encoding, or read as Latin-1, in which
/// its names are no names. UTF-16 without a mark was left, too, and in a file that breaks off.
#[test]
fn text_in_unusual_encodings_is_never_left_unmasked() {
    const HEAD: &str =
        "Content-Disposition: form-data; name=\"f\"; filename=\"a.csv\"\r\nContent-Type: text/csv";
    let sent = |content: &[u8]| mask("b", &form(&[(HEAD, content)]));
    let cyrillic = b"\xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2;";
    let ascii = b"2026-11-24 10:00:01 INFO 127.0.0.1 GET /index.html 200 1532\n".repeat(9);
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for refused in [
        [&cyrillic.repeat(9)[..], EMAIL.as_bytes()].concat(),
        [&ascii[..], cyrillic, EMAIL.as_bytes()].concat(),
        [
            b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd ",
            EMAIL.as_bytes(),
        ]
        .concat(),
        [wide("\u{feff}Иван; "), wide(EMAIL), vec![b'a']].concat(),
        [wide("id; "), wide(EMAIL), vec![0x3d, 0xd8]].concat(),
    ] {
        assert_eq!(sent(&refused).err(), Some(Error::NotUtf8), "{refused:?}");
    }
    let western = |email: &str| {
        let letters = b"[A-Z\xc4\xd6\xdc\xe4\xf6\xfc\xdf] \x97\x97\x97\x97 ";
        let words = b"f\xfcr die T\xfcren ist es gr\xf6\xdfer, sch\xf6n, \xfcber ";
        [&letters[..], &words.repeat(9), email.as_bytes()].concat()
    };
    let unmarked = |email: &str| wide(&format!("id; größe, 5 €; {email}"));
    for of in [&western as &dyn Fn(&str) -> Vec<u8>, &unmarked] {
        let masked = sent(&of(EMAIL)).unwrap().0;
        assert_eq!(masked, form(&[(HEAD, &of(TOKEN))]));
    }
}

/// A body that says that it is a file was left if it had a stray byte, on every path.
#[test]
fn bytes_not_content_type_decide_if_a_body_is_binary() {
    let engine = Engine::new(Settings::default());
    let read =
        |schema, media, body: &[u8]| engine.request_of_type(schema, Some(media), body.to_vec());
    let json = b"{\"messages\": [{\"role\": \"user\", \"content\": \"alice@example.com\"}]}";
    let stray = [&json[..], b"\xff"].concat();
    let file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xd8";
    for media in ["application/pdf", "image/png", "audio/wav"] {
        let request = read(Schema::Generic, media, json).unwrap();
        assert!(!request.is_file());
        let masked = request.mask(&mut Session::new(), &NoMemory).unwrap();
        assert_eq!(masked.summary.transformations, 1);
        let request = read(Schema::Generic, media, file).unwrap();
        assert!(request.is_file());
        let masked = request.mask(&mut Session::new(), &NoMemory).unwrap();
        assert_eq!(
            (masked.summary.unread, masked.body.as_bytes()),
            (1, &file[..])
        );
        for schema in [
            Schema::ChatStyle,
            Schema::MessagesStyle,
            Schema::Responses,
            Schema::Generic,
        ] {
            assert_eq!(
                read(schema, media, &stray).err(),
                Some(Error::NotUtf8),
                "{media}"
            );
            let is_refused = read(schema, media, file).is_err();
            assert_eq!(is_refused, schema != Schema::Generic, "{media}");
        }
    }
}
