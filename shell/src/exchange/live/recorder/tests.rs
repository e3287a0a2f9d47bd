use super::*;
use engine::{Engine, NoMemory, Schema, Settings};

/// Records an exchange with this request.
fn record(recorder: &Recorder, text: &str) -> Recording {
    let engine = Engine::new(Settings::default());
    let body = serde_json::json!({"messages": [{"role": "user", "content": text}]}).to_string();
    let request = engine
        .request(Schema::ChatStyle, body.into_bytes())
        .unwrap();
    let masked = request.mask(&mut Session::new(), &NoMemory).unwrap();
    recorder.begin(RequestId::random(), "/v1/chat/completions", &masked)
}

#[test]
fn an_exchange_has_both_sides_and_the_values_of_its_tokens() {
    let recorder = Recorder::keeping();
    let recording = record(&recorder, "to alice@example.com");
    recording.provider_wrote(b"<MASK_EMAIL_1>");
    recording.client_gets(b"alice@example.com", &RestoreSummary::default());
    let live = recorder.live().unwrap();
    live.with(|state| {
        let exchange = state.get(0).unwrap();
        assert!(
            exchange
                .to_provider
                .whole()
                .expose()
                .contains("to <MASK_EMAIL_1>")
        );
        assert_eq!(exchange.from_provider.whole().expose(), "<MASK_EMAIL_1>");
        assert_eq!(exchange.to_client.whole().expose(), "alice@example.com");
        assert_eq!(exchange.values[0].token, "<MASK_EMAIL_1>");
        assert_eq!(exchange.values[0].plain.expose(), "alice@example.com");
        assert!(!format!("{exchange:?}").contains("alice"), "{exchange:?}");
        assert!(!exchange.has_ended);
    });
    drop(recording);
    assert!(live.with(|state| state.get(0).unwrap().has_ended));
}

/// The values of a large session were held once more by each of its exchanges, and not counted.
#[test]
fn values_are_counted_as_texts_are() {
    let recorder = Recorder::keeping();
    let _recording = record(&recorder, "to alice@example.com");
    recorder.live().unwrap().with(|state| {
        let exchange = state.get(0).unwrap();
        let value = "<MASK_EMAIL_1>EMAILalice@example.com".len() + OF_VALUE;
        assert!(exchange.bytes() >= exchange.to_provider.bytes() + value);
        assert_eq!(state.bytes, exchange.bytes());
    });
}

#[test]
fn the_oldest_are_forgotten_by_count_and_by_bytes() {
    let recorder = Recorder::keeping();
    let recordings: Vec<_> = (0..MOST + 5).map(|_| record(&recorder, "hi")).collect();
    let live = recorder.live().unwrap();
    live.with(|state| {
        assert_eq!(state.exchanges.len(), MOST);
        assert!(state.get(4).is_none() && state.get(5).is_some());
    });
    let long = vec![b'x'; MOST_OF_TEXT + 1];
    for recording in &recordings {
        recording.provider_wrote(&long);
        recording.client_gets(&long, &RestoreSummary::default());
    }
    live.with(|state| {
        assert!(state.bytes <= MOST_BYTES);
        let bytes: usize = state.exchanges.iter().map(Exchange::bytes).sum();
        assert_eq!(state.bytes, bytes);
        let last = state.exchanges.back().unwrap();
        assert!(last.from_provider.is_cut && last.from_provider.length == MOST_OF_TEXT);
    });
}

/// The bytes of such a reply were counted, and not what each piece takes beside them.
#[test]
fn a_reply_in_tiny_pieces_is_counted_with_what_they_take() {
    let recorder = Recorder::keeping();
    let recordings: Vec<_> = (0..20).map(|_| record(&recorder, "hi")).collect();
    for recording in &recordings {
        for _ in 0..100_000 {
            recording.provider_wrote(b"x");
        }
    }
    recorder.live().unwrap().with(|state| {
        assert!(state.bytes <= MOST_BYTES && state.exchanges.len() < 20);
        let bytes: usize = state.exchanges.iter().map(Exchange::bytes).sum();
        assert_eq!(state.bytes, bytes);
    });
}

#[test]
fn nothing_is_kept_where_nobody_asked() {
    let recorder = Recorder::default();
    assert!(record(&recorder, "alice@example.com").0.is_none());
}

/// A text whose values are not told apart must not show them.
#[test]
fn what_the_client_got_in_an_exchange_with_too_many_values_is_not_kept() {
    let recorder = Recorder::keeping();
    let mails: Vec<_> = (0..=MOST_VALUES)
        .map(|number| format!("user{number}@example.com"))
        .collect();
    let recording = record(&recorder, &mails.join(" "));
    recording.provider_wrote(b"<MASK_EMAIL_1>");
    recording.client_gets(b"user0@example.com", &RestoreSummary::default());
    let live = recorder.live().unwrap();
    live.with(|state| {
        let exchange = state.get(0).unwrap();
        assert_eq!(exchange.note, Some(TOO_MANY));
        assert_eq!(exchange.to_client.whole().expose(), "");
        for text in [&exchange.to_provider, &exchange.from_provider] {
            assert!(text.whole().expose().contains("<MASK_EMAIL_1>"));
        }
    });
}

/// A surrogate is no token, and its value is behind a click, too.
#[test]
fn surrogates_are_shown_with_their_values() {
    let key = Sensitive::new(b"key".to_vec());
    let engine = Engine::new(Settings {
        operator: engine::Operator::Surrogate(engine::Surrogates::new(key)),
        ..Settings::default()
    });
    let mut session = Session::new();
    let masked = engine.mask_text("to alice@firma.de", &mut session);
    let values = Values::of(masked.as_bytes(), &session).masked;
    let [value] = values.as_slice() else {
        panic!("{} values", values.len());
    };
    assert_eq!(value.plain.expose(), "alice@firma.de");
    assert!(masked.contains(&value.token) && !value.token.contains("MASK"));
}

/// A value of an earlier request came back without a button.
#[test]
fn session_values_that_are_not_in_the_request_are_distinguished_too() {
    let engine = Engine::new(Settings::default());
    let mut session = Session::new();
    let _ = engine.mask_text("to alice@example.com", &mut session);
    let masked = engine.mask_text("to bob@example.com", &mut session);
    let values = Values::of(masked.as_bytes(), &session);
    let plain = |values: &[Value]| {
        let plain = values.iter().map(|value| value.plain.expose().clone());
        plain.collect::<Vec<_>>()
    };
    assert_eq!(plain(&values.masked), ["bob@example.com"]);
    assert_eq!(plain(&values.others), ["alice@example.com"]);
    for number in 0..MOST_VALUES {
        let _ = engine.mask_text(&format!("user{number}@example.com"), &mut session);
    }
    let values = Values::of(masked.as_bytes(), &session);
    assert_eq!((values.masked.len(), values.others.len()), (1, 0));
    assert_eq!(values.note, Some(TOO_MANY_KNOWN));
}
