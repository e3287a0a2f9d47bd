//! Operator `surrogate`: plausible values go out, and the real values come back.

use engine::{
    Engine, EntityType, NoMemory, Operator, RestoreRules, Restoring, Schema, Scope, Sensitive,
    Session, Settings, Surrogates,
};
use serde_json::json;

use crate::support;

use support::random::Random;

fn engine() -> Engine {
    let key = Sensitive::new(b"surrogates of a test".to_vec());
    Engine::new(Settings {
        operator: Operator::Surrogate(Surrogates::new(key)),
        ..Settings::default()
    })
}

fn masked(session: &mut Session, text: &str) -> String {
    engine().mask_text(text, session)
}

/// What a text becomes, with the session that brings it back.
fn fresh(text: &str) -> (Session, String) {
    let mut session = Session::new();
    let masked = masked(&mut session, text);
    (session, masked)
}

fn restored(session: &Session, text: &str) -> String {
    session.restore_text(text).0
}

/// The surrogate of a value that the session holds.
fn surrogate(session: &Session, value: &str) -> String {
    let mapping = session.mappings().find(|it| it.value().expose() == value);
    let id = mapping.expect("a known value").id();
    id.strip_prefix('=').expect("a surrogate").to_owned()
}

const LETTER: &str = "Dear Anna Schmidt, please pay 20 EUR to DE89 3704 0044 0532 0130 00, \
    call +44 20 7946 1234 or write to anna.schmidt@firma.de. Yours, Peter Kowalski";

#[test]
fn a_letter_with_surrogates_reads_naturally_and_restores() {
    let (session, sent) = fresh(LETTER);
    for real in ["Anna", "Schmidt", "Kowalski", "3704", "1234", "firma"] {
        assert!(!sent.contains(real), "{real} in {sent}");
    }
    assert!(!sent.contains("MASK"), "{sent}");
    assert!(sent.contains("@example."), "{sent}");
    assert_eq!(restored(&session, &sent), LETTER);
    assert_eq!(fresh(LETTER).1, sent, "the same request, the same bytes");
}

#[test]
fn secrets_stay_tokens() {
    let text = "Anna Schmidt uses password = \"hunter2-Kx9-tr0ub\" and AKIAIOSFODNN7EXAMPLF";
    let (session, sent) = fresh(text);
    assert!(sent.contains("<MASK_"), "{sent}");
    assert!(
        !sent.contains("hunter2") && !sent.contains("Anna"),
        "{sent}"
    );
    assert_eq!(restored(&session, &sent), text);
}

#[test]
fn short_and_inflected_names_restore_in_the_same_form() {
    let (session, _) = fresh("Dear Anna Schmidt, welcome!");
    let (first, last) = (surrogate(&session, "Anna"), surrogate(&session, "Schmidt"));
    let upper = last.to_uppercase();
    let answer = format!(
        "{first} and Ms {last}: {last}'s, {last}’s, {first}s Haus, {upper}, *{first}*, \
         {last}-{last}, ({first}), 宛先{first}です, {last}, {first}, {first}_1; not {first}x, {last}er or x{first}"
    );
    let expected = "Anna and Ms Schmidt: Schmidt's, Schmidt’s, Annas Haus, SCHMIDT, *Anna*, \
         Schmidt-Schmidt, (Anna), 宛先Annaです, Schmidt, Anna, Anna_1; not "
        .to_owned()
        + &format!("{first}x, {last}er or x{first}");
    assert_eq!(restored(&session, &answer), expected);
}

/// A value restored in a reply is masked in the next request, so that the provider reads the same
/// as it wrote.
#[test]
fn a_restored_reply_masks_to_the_same_text_again() {
    let mut session = Session::new();
    masked(&mut session, "Dear Anna Schmidt, welcome!");
    let (first, last) = (surrogate(&session, "Anna"), surrogate(&session, "Schmidt"));
    let reply = format!(
        "I wrote to {first}. Ms {last} agreed; {last}'s answer, {} and {first}s car.",
        last.to_uppercase()
    );
    let shown = restored(&session, &reply);
    assert!(!shown.contains(&first) && !shown.contains(&last), "{shown}");
    assert_eq!(masked(&mut session, &shown), reply);
}

#[test]
fn parts_of_names_are_distinguished_and_recombined() {
    let text = "Anna Schmidt met Anna Kowalski and Peter Schmidt.";
    let (session, sent) = fresh(text);
    let parts: Vec<_> = ["Anna", "Schmidt", "Kowalski", "Peter"]
        .iter()
        .map(|part| surrogate(&session, part))
        .collect();
    let [anna, schmidt, kowalski, peter] = parts.as_slice() else {
        return;
    };
    assert_eq!(
        sent,
        format!("{anna} {schmidt} met {anna} {kowalski} and {peter} {schmidt}.")
    );
    let answer = format!("{schmidt}, {peter}");
    assert_eq!(restored(&session, &answer), "Schmidt, Peter");
}

#[test]
fn a_surrogate_follows_the_letter_case_of_a_name() {
    let text = "Dear Anna Schmidt,\nTicket of ANNA SCHMIDT\nRonald McDonald called.";
    let (session, sent) = fresh(text);
    let (first, last) = (surrogate(&session, "Anna"), surrogate(&session, "Schmidt"));
    let upper = format!("{first} {last}").to_uppercase();
    assert!(sent.contains(&format!("Ticket of {upper}\n")), "{sent}");
    assert_eq!(restored(&session, &sent), text);
}

/// No surrogate is a word of the request, or a value of the session.
#[test]
fn a_name_in_the_request_is_not_used_as_surrogate() {
    let mut text = "Dear Anna Schmidt, welcome! ".to_owned();
    let mut seen = Vec::new();
    for _ in 0..8 {
        let (session, sent) = fresh(&text);
        let last = surrogate(&session, "Schmidt");
        assert!(!seen.contains(&last), "{last} in {text}");
        assert_eq!(restored(&session, &sent), text);
        text = format!("{text}The {last} project is late. ");
        seen.push(last);
    }
}

#[test]
fn a_surrogate_written_by_the_user_comes_back_unchanged() {
    let mut session = Session::new();
    masked(&mut session, "Dear Anna Schmidt, write to anna@firma.de!");
    let last = surrogate(&session, "Schmidt");
    let address = surrogate(&session, "anna@firma.de");
    let text = format!(
        "the {last} valve, {}, and {last}'s <{address}>",
        last.to_uppercase()
    );
    let sent = masked(&mut session, &text);
    assert!(!sent.contains(&last) && !sent.contains(&address), "{sent}");
    assert_eq!(restored(&session, &sent), text);
    assert_eq!(restored(&session, &last), "Schmidt");
}

/// A later request names a tool like a surrogate, which nothing masks there: the tool's name came back as the value.
#[test]
fn unmasked_text_of_a_request_is_never_restored_as_a_value() {
    let mut session = Session::new();
    masked(&mut session, "Dear Anna Schmidt, welcome!");
    let (first, last) = (surrogate(&session, "Anna"), surrogate(&session, "Schmidt"));
    let tool = json!({"type": "function", "function": {"name": last, "parameters": {}}});
    let turns = json!([{"role": "user", "content": "Anna, ask Schmidt"}]);
    let body = json!({"model": "m", "messages": turns, "tools": [tool]}).to_string();
    let request = engine().request(Schema::ChatStyle, body.into_bytes());
    let masked = request.expect("a request").mask(&mut session, &NoMemory);
    let masked = masked.expect("masked");
    let sent = String::from_utf8(masked.body.into_bytes()).expect("text");
    assert!(!sent.contains("Schmidt"), "{sent}");
    assert_eq!(sent.matches(&last).count(), 1, "{sent}");
    assert!(
        sent.contains(&format!("{first}, ask <MASK_PERSON_")),
        "{sent}"
    );
    let answer = sent
        .split("ask ")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let answer = format!("{first} calls {last} for {}", answer.expect("a token"));
    assert_eq!(
        restored(&session, &answer),
        format!("Anna calls {last} for Schmidt")
    );
}

/// Markdown's emphasis kept the surrogate visible.
#[test]
fn values_in_emphasis_are_restored() {
    let (session, _) = fresh("Dear Anna Schmidt, write to anna@firma.de");
    let (first, last) = (surrogate(&session, "Anna"), surrogate(&session, "Schmidt"));
    let address = surrogate(&session, "anna@firma.de");
    for (answer, shown) in [
        (format!("_{first} {last}_"), "_Anna Schmidt_"),
        (
            format!("___{last}'s___ __{last}s__"),
            "___Schmidt's___ __Schmidts__",
        ),
        (
            format!("_{address}_ __{address}__."),
            "_anna@firma.de_ __anna@firma.de__.",
        ),
        (format!("____{last}____"), "____Schmidt____"),
        // As in the names of files and accounts.
        (
            format!("{first}_{last} x_{last}").to_lowercase(),
            "anna_schmidt x_schmidt",
        ),
    ] {
        assert_eq!(restored(&session, &answer), shown);
    }
    let joined = format!("{address}_.net x_{address}");
    assert_eq!(restored(&session, &joined), joined);
}

#[test]
fn two_values_never_share_a_surrogate() {
    let firsts = [
        "Anna", "Laura", "Peter", "Thomas", "Julia", "Robert", "Sarah", "Michael",
    ];
    let lasts = [
        "Schmidt", "Kowalski", "Miller", "Dubois", "Rossi", "Hansen", "Weber", "Novak",
    ];
    let pairs = firsts
        .iter()
        .flat_map(|first| lasts.map(|last| (*first, last)));
    let lines = pairs.enumerate().map(|(number, (first, last))| {
        format!(
            "Dear {first} {last}, the server is 10.0.{number}.7, mail {first}.{last}@firma.de\n"
        )
    });
    let text: String = lines.collect();
    let (session, sent) = fresh(&text);
    assert_eq!(restored(&session, &sent), text);
    let mut ids: Vec<_> = session
        .mappings()
        .map(|it| it.id().to_lowercase())
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn values_next_to_letters_get_tokens() {
    let mut session = Session::new();
    masked(&mut session, "Dear Anna Schmidt, write to anna@firma.de");
    for text in ["_anna@firma.de_", "x-anna@firma.de-x", "Dear Anna_Schmidt,"] {
        let sent = masked(&mut session, text);
        assert_eq!(restored(&session, &sent), text, "{sent}");
    }
}

/// The provider may hold history in which a surrogate stands for another value.
#[test]
fn unknown_history_gets_tokens_instead_of_surrogates() {
    let body = json!({"model": "m", "previous_response_id": "resp_1", "input": LETTER}).to_string();
    let ask = |session: &mut Session| {
        let request = engine().request(Schema::Responses, body.clone().into_bytes());
        let masked = request.expect("a request").mask(session, &NoMemory)?;
        Ok::<_, engine::Error>(String::from_utf8(masked.body.into_bytes()).expect("text"))
    };
    assert!(
        ask(&mut Session::new()).is_err(),
        "its session must be derived"
    );
    let mut session = Session::derived(Sensitive::new([7; 32]));
    let sent = ask(&mut session).expect("masked");
    assert!(sent.contains("<MASK_PERSON_"), "{sent}");
    assert!(!sent.contains("example."), "{sent}");
    let again = ask(&mut Session::derived(Sensitive::new([7; 32]))).expect("masked");
    assert_eq!(sent, again);
}

#[test]
fn a_guessed_session_restores_only_surrogates_from_its_request() {
    let mut session = Session::new();
    masked(&mut session, "Dear Anna Schmidt, welcome!");
    let alien = surrogate(&session, "Schmidt");
    let body = json!({"messages": [{"role": "user", "content": "Dear Peter Kowalski, hello"}]});
    let request = engine().request(Schema::ChatStyle, body.to_string().into_bytes());
    let request = request.expect("a request").with_scope(Scope::OwnTokens);
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    let own = surrogate(&session, "Kowalski");
    let mut restorer = masked.restoring.reply(Some("text/plain"));
    let mut out = Vec::new();
    restorer.push(format!("{own}, {alien}").as_bytes(), &mut out);
    restorer.finish(&mut out);
    let shown = String::from_utf8(out).expect("text");
    assert_eq!(shown, format!("Kowalski, {alien}"));
}

#[test]
fn a_session_loaded_from_a_vault_keeps_its_surrogates() {
    let (session, sent) = fresh(LETTER);
    let mut again = Session::new();
    for mapping in session.mappings() {
        let (entity, id) = (mapping.entity().clone(), mapping.id());
        assert!(engine::Mapping::is_id(id));
        let value = Sensitive::new(mapping.value().expose().clone());
        assert!(again.adopt(std::sync::Arc::new(engine::Mapping::new(entity, id, value))));
    }
    assert_eq!(restored(&again, &sent), LETTER);
    assert_eq!(masked(&mut again, LETTER), sent);
}

fn restoring(session: &mut Session) -> Restoring {
    restoring_of(session, LETTER)
}

fn restoring_of(session: &mut Session, text: &str) -> Restoring {
    let body = json!({"messages": [{"role": "user", "content": text}], "stream": true});
    let request = engine().request(Schema::ChatStyle, body.to_string().into_bytes());
    let masked = request.expect("a request").mask(session, &NoMemory);
    masked.expect("masked").restoring
}

fn streamed(restoring: &Restoring, pieces: &[&str]) -> String {
    let mut restorer = restoring.reply(Some("text/event-stream"));
    let mut out = Vec::new();
    for piece in pieces {
        let event = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
        restorer.push(format!("data: {event}\n\n").as_bytes(), &mut out);
    }
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    restorer.push(
        format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes(),
        &mut out,
    );
    restorer.finish(&mut out);
    let out = String::from_utf8(out).expect("text");
    let events = out.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.filter_map(|data| serde_json::from_str::<serde_json::Value>(data).ok());
    let texts = events.filter_map(|event| {
        let text = event.pointer("/choices/0/delta/content")?;
        text.as_str().map(str::to_owned)
    });
    texts.collect()
}

/// Texts of surrogates, parts of them, and what is often next to them.
fn sayings(session: &Session, count: usize) -> Vec<String> {
    let mut parts: Vec<_> = session
        .mappings()
        .map(|it| it.id()[1..].to_owned())
        .collect();
    let more: Vec<_> = parts.iter().map(|part| part.to_uppercase()).collect();
    parts.extend(more);
    let signs = [
        " ", "s", "'s", ".", ". ", "-", ",", "_", "___", "x", "@", "é", "\\n", "%40", "<", "MASK_",
        "です", "s.",
    ];
    let mut random = Random::new(5);
    let mut answer = |_| {
        let mut text = String::new();
        for _ in 0..6 {
            let part = &parts[random.below(parts.len())];
            let end = if random.below(4) == 0 {
                random.below(part.len())
            } else {
                part.len()
            };
            text += &part[..end];
            text += signs[random.below(signs.len())];
        }
        text
    };
    (0..count).map(&mut answer).collect()
}

#[test]
fn a_stream_restores_alike_however_chunked() {
    let (mut session, _) = fresh(LETTER);
    let reply = restoring(&mut session);
    for text in sayings(&session, 40) {
        let whole = restored(&session, &text);
        let cuts: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        for cut in cuts {
            let (one, other) = text.split_at(cut);
            assert_eq!(streamed(&reply, &[one, other]), whole, "{one}|{other}");
        }
        let letters: Vec<_> = text.chars().map(String::from).collect();
        let letters: Vec<_> = letters.iter().map(String::as_str).collect();
        assert_eq!(streamed(&reply, &letters), whole, "{text}");
    }
}

#[test]
fn only_possible_surrogates_are_held_back() {
    let (session, _) = fresh("Dear Anna Schmidt, welcome!");
    let first = surrogate(&session, "Anna");
    for (text, held) in [
        (format!("so {first}"), first.len()),
        (format!("so {}", &first[..2]), 2),
        (format!("so {first} "), 0),
        (format!("so {first}."), 0),
        ("so nothing".to_owned(), 0),
        (format!("x{first}"), 0),
    ] {
        let expected = if held == first.len() {
            "Anna".len()
        } else {
            held
        };
        assert_eq!(session.restore_so_far(&text).1, expected, "{text}");
    }
}

#[test]
fn generated_texts_round_trip() {
    let names = [
        "Anna Schmidt",
        "anna",
        "SCHMIDT",
        "Jean-Luc Moreau",
        "Dr. J. K. O'Neil",
        "María del Carmen Gómez",
        "李伟",
    ];
    let values = [
        "anna@firma.de",
        "+49 171 1234567",
        "(212) 736-5000",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "10.1.2.3",
        "2a02:8071:1::17",
        "born on 12.03.1980",
        "SSN 123-45-6788",
    ];
    let words = [
        "Dear ",
        "Mr ",
        " wrote: ",
        "\n",
        ", ",
        "'s ",
        " (",
        ") ",
        "\"",
        "s ",
        " und ",
        "{\"name\": \"",
        "\"}",
        "_",
        "-",
        "\\",
        "\\\\",
        "\\_",
        "\\u00",
        "%",
        "%5F",
        "%40",
        "&",
        "&lt;",
    ];
    let mut random = Random::new(17);
    let mut session = Session::new();
    for _ in 0..600 {
        let mut text = String::new();
        for _ in 0..8 {
            let pool: &[&str] = match random.below(4) {
                0 => &values,
                1 => &names,
                _ => &words,
            };
            text += pool[random.below(pool.len())];
        }
        let (alone, sent) = fresh(&text);
        assert_eq!(restored(&alone, &sent), text, "{sent}");
        let sent = masked(&mut session, &text);
        assert_eq!(restored(&session, &sent), text, "{sent}");
    }
    let values: Vec<_> = session
        .mappings()
        .map(|it| it.value().expose().to_lowercase())
        .collect();
    for mapping in session.mappings() {
        let surrogate = mapping.id().trim_start_matches('=').to_lowercase();
        assert!(!values.contains(&surrogate), "{surrogate}");
    }
}

/// Digits of escapes took part in the surrogate, which the reply then showed.
#[test]
fn encoded_values_get_tokens() {
    for text in [
        "the card 4539%201488%200343%206467 is mine",
        "IBAN DE89%203704%200044%200532%200130%2000 is mine",
        "password: \"'4539 1488 0343 6467'\"",
        "please ask Anna&nbsp;Schmidt about it",
    ] {
        let (session, sent) = fresh(text);
        assert_eq!(restored(&session, &sent), text, "{sent}");
        assert!(sent.contains("<MASK_") || sent == text, "{sent}");
    }
}

/// A backslash or `%` before a surrogate and its first letters were read as an escape (`\b`, `%20`), and the reply showed it.
#[test]
fn a_value_after_a_possible_escape_is_restored() {
    let firsts = [
        "peter", "anna", "ulla", "rosa", "xaver", "nora", "tom", "fred",
    ];
    for first in firsts {
        for text in [
            format!("login CORP\\{first}.huber@firma.de please"),
            format!("copy \\\\srv\\{first}.huber@firma.de\\a to {first}.huber@firma.de"),
            format!(
                "Dear {first} Huber, write to {first}.huber@firma.de%5Fb or a%40{first}@firma.de"
            ),
        ] {
            let (session, sent) = fresh(&text);
            assert!(!sent.contains("firma"), "{sent}");
            assert_eq!(restored(&session, &sent), text, "{sent}");
        }
    }
    for host in 1..30 {
        let text = format!("ping %81.2.69.{host} and 81.2.69.{host}");
        let (session, sent) = fresh(&text);
        assert_eq!(restored(&session, &sent), text, "{sent}");
    }
}

#[test]
fn excluded_types_keep_tokens() {
    let key = Sensitive::new(b"k".to_vec());
    let surrogates = Surrogates::new(key).only(vec![EntityType::EMAIL]);
    let engine = Engine::new(Settings {
        operator: Operator::Surrogate(surrogates.expect("e-mail has surrogates")),
        ..Settings::default()
    });
    let mut session = Session::new();
    let sent = engine.mask_text("Dear Anna Schmidt, write to anna@firma.de", &mut session);
    assert!(
        sent.contains("<MASK_PERSON_") && sent.contains("@example."),
        "{sent}"
    );
}

/// A surrogate stays one where a rule keeps the value of it, in full or in part, in any spelling.
#[test]
fn restore_rules_apply_to_surrogates_as_to_tokens() {
    let key = Sensitive::new(b"surrogates of a test".to_vec());
    let engine = Engine::new(Settings {
        operator: Operator::Surrogate(Surrogates::new(key)),
        restore: RestoreRules::guard().into(),
        ..Settings::default()
    });
    let mut session = Session::new();
    let mut turn = |messages: serde_json::Value| {
        let body = json!({ "messages": messages }).to_string();
        let request = engine.request(Schema::ChatStyle, body.into_bytes());
        let masked = request.expect("a request").mask(&mut session, &NoMemory);
        let restoring = masked.expect("masked").restoring;
        let surrogates: Vec<_> = ["Anna Schmidt", "carol@firma.de", "alice@firma.de"]
            .iter()
            .map(|value| surrogate(&session, value))
            .collect();
        let answer = surrogates.join(" ");
        let call = |name: &str| json!({"function": {"name": name, "arguments": json!({"text": answer}).to_string()}});
        let reply = json!({"choices": [{"message": {"content": answer, "tool_calls": [call("web_fetch"), call("edit")]}}]});
        let mut restorer = restoring.reply(None);
        let mut out = Vec::new();
        restorer.push(reply.to_string().as_bytes(), &mut out);
        restorer.finish(&mut out);
        let reply: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let message = reply["choices"][0]["message"].clone();
        let given = |at: usize| {
            let arguments = &message["tool_calls"][at]["function"]["arguments"];
            arguments.as_str().expect("a text").to_owned()
        };
        (given(0), given(1), message["content"].to_string())
    };
    let of_tool = json!({"role": "tool", "tool_call_id": "c", "content": "Anna Schmidt wrote from carol@firma.de"});
    let of_user = json!({"role": "user", "content": "I am alice@firma.de"});
    let (sent, edited, answer) = turn(json!([of_user, of_tool]));
    assert!(sent.contains("alice@firma.de"), "{sent}");
    assert!(
        !["Anna", "Schmidt", "carol"]
            .iter()
            .any(|real| sent.contains(real)),
        "{sent}"
    );
    for text in [edited, answer] {
        assert!(
            text.contains("Anna Schmidt") && text.contains("carol@firma.de"),
            "{text}"
        );
    }
    // Once the user says it, it is the user's.
    let of_user = json!({"role": "user", "content": "It was Anna Schmidt, carol@firma.de"});
    let (sent, ..) = turn(json!([of_user]));
    assert!(
        sent.contains("Anna Schmidt") && sent.contains("carol@firma.de"),
        "{sent}"
    );
}

/// A reply that a limit cut gave the host of a longer address.
#[test]
fn no_surrogate_is_a_prefix_of_another() {
    let mut session = Session::new();
    for host in 1..200 {
        masked(&mut session, &format!("ping 81.2.69.{host} now"));
    }
    let all: Vec<_> = (1..200)
        .filter_map(|host| {
            let value = format!("81.2.69.{host}");
            let mut held = session.mappings();
            let mapping = held.find(|it| it.value().expose() == &value)?;
            mapping.id().strip_prefix('=').map(str::to_owned)
        })
        .collect();
    assert!(all.len() > 50, "{}", all.len());
    for one in &all {
        let others = all.iter().filter(|other| *other != one);
        assert!(
            others.clone().all(|other| !other.starts_with(one.as_str())),
            "{one}"
        );
    }
}

/// In links and names of files it was taken for a token's id, or its surrogate was not known again.
#[test]
fn a_card_restores_without_grouping_and_next_to_letters() {
    let cards = [
        "4111 1111 1111 1111",
        "2223-0031-2200-3222",
        "3714 496353 98431",
    ];
    for card in cards {
        let plain: String = card.chars().filter(char::is_ascii_digit).collect();
        let text = format!(
            "my card is {card}, see https://shop.example/pay?card={plain}&a=1, card_{plain}.pdf, x{plain}y and {plain}."
        );
        let (session, sent) = fresh(&text);
        assert!(!sent.contains("MASK") && !sent.contains(&plain), "{sent}");
        assert_eq!(restored(&session, &sent), text, "{sent}");
        let (session, _) = fresh(&format!("my card is {card}"));
        let number = surrogate(&session, card);
        let drawn: String = number.chars().filter(char::is_ascii_digit).collect();
        let answer = |digits: &str, card: &str| {
            format!(
                "https://shop.example/{digits}?a, card{digits}x.pdf, card_{digits}.pdf and {card}; not 1{digits}, {digits}-1"
            )
        };
        let whole = restored(&session, &answer(&drawn, &number));
        let expected = answer(&plain, card);
        let (expected, _) = expected.split_once("; not").expect("an end");
        assert_eq!(whole, format!("{expected}; not 1{drawn}, {drawn}-1"));
    }
}

/// Each way to group a number had other digits.
#[test]
fn a_number_has_one_surrogate_however_it_is_grouped() {
    for (number, other) in [
        ("card 4111 1111 1111 1111", "card 4111-1111-1111-1111"),
        (
            "IBAN DE89 3704 0044 0532 0130 00",
            "IBAN DE89370400440532013000",
        ),
        ("call +44 20 7946 1234", "call +442079461234"),
    ] {
        let (mut session, sent) = fresh(number);
        let signs = |text: &str| {
            let signs = text.chars().filter(char::is_ascii_alphanumeric);
            signs.collect::<String>()
        };
        let other_sent = masked(&mut session, other);
        assert_eq!(signs(&sent), signs(&other_sent));
        assert_eq!(restored(&session, &other_sent), other);
    }
}

/// `G. Haselberger` for the surrogate `Georg Haselberger` of `Peter Müller` came back as `G. Müller`, who is somebody else.
#[test]
fn an_initial_restores_to_the_same_person() {
    let names = [
        "Peter Müller",
        "Anna Schmidt",
        "Xaver Quast",
        "Yvonne Ibsen",
        "Ugo Zanetti",
        "John O'Neil",
    ];
    for name in names {
        let (session, sent) = fresh(&format!("Dear {name}, welcome!"));
        let sent = sent
            .strip_prefix("Dear ")
            .and_then(|sent| sent.strip_suffix(", welcome!"));
        let (sent, shown) = (sent.expect("a name"), name);
        let initials = |name: &str| -> Vec<char> {
            name.split([' ', '\''])
                .filter_map(|part| part.chars().next())
                .collect()
        };
        assert_eq!(initials(sent), initials(shown), "{sent}");
        let short = |name: &str| {
            let (first, last) = name.split_once(' ').expect("two parts");
            format!("{}. {last}", first.get(..1).expect("an initial"))
        };
        assert_eq!(restored(&session, &short(sent)), short(shown));
    }
}

/// An address in other capitals, and numbers in other groups, stayed visible.
#[test]
fn addresses_and_numbers_restore_however_they_are_written() {
    let text = "Pay DE89 3704 0044 0532 0130 00, card 4539 1488 0343 6467, call +49 30 901820 or (030) 901821, \
        write to anna.schmidt@firma.de";
    let (mut session, sent) = fresh(text);
    assert!(!sent.contains("MASK"), "{sent}");
    let title = |text: &str| -> String {
        let mut begins = true;
        let letters = text.chars().map(|c| {
            let written = if begins { c.to_ascii_uppercase() } else { c };
            begins = !c.is_alphanumeric();
            written
        });
        letters.collect()
    };
    let address = surrogate(&session, "anna.schmidt@firma.de");
    let iban = surrogate(&session, "DE89 3704 0044 0532 0130 00");
    let card = surrogate(&session, "4539 1488 0343 6467");
    let phone = surrogate(&session, "+49 30 901820");
    let answers = [
        (title(&address), "anna.schmidt@firma.de"),
        (address.to_uppercase(), "anna.schmidt@firma.de"),
        (iban.replace(' ', "-"), "DE89 3704 0044 0532 0130 00"),
        (iban.replace(' ', ""), "DE89370400440532013000"),
        (card.replace(' ', "-"), "4539 1488 0343 6467"),
        (card.replace(' ', "."), "4539 1488 0343 6467"),
        (
            phone
                .replacen(' ', " (", 1)
                .replace(" 30 ", " (30) ")
                .replace("(30 ", "(30) "),
            "+49 30 901820",
        ),
        (phone.replace(' ', "-"), "+49 30 901820"),
    ];
    let restoring = restoring_of(&mut session, text);
    for (answer, value) in &answers {
        let answer = format!("It is {answer}, ({answer}) or {answer}.");
        let shown = format!("It is {value}, ({value}) or {value}.");
        assert_eq!(restored(&session, &answer), shown);
        let pieces: Vec<_> = answer
            .char_indices()
            .map(|(at, c)| &answer[at..at + c.len_utf8()])
            .collect();
        assert_eq!(streamed(&restoring, &pieces), shown);
    }
    let longer = iban.replace(' ', "-") + "-1234";
    assert_eq!(restored(&session, &longer), longer);
}
