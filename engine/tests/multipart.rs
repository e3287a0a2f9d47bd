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
fn the_texts_of_a_form_are_masked_and_its_files_stay() {
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
fn names_of_fields_and_other_headers_are_masked_and_lengths_corrected() {
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
        form(&[(&head, b"\x89PNG")])
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
    for content in [&b"\xff"[..], b"a\0l\0"] {
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
