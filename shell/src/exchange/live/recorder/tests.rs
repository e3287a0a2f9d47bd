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
    recorder.begin(
        RequestId::random(),
        &"/v1/chat/completions".into(),
        &Outgoing::masked(masked.body),
        masked.summary,
        masked.restoring.session(),
    )
}

/// An exchange with this request and reply.
pub(in crate::exchange::live) fn exchange(request: &str, reply: &str, delivered: &str) -> Exchange {
    let recorder = Recorder::keeping();
    let recording = record(&recorder, request);
    recording.passed(reply.as_bytes(), delivered.as_bytes(), 1);
    let live = recorder.live().unwrap();
    live.with(|state| state.get(0).unwrap().clone())
}

fn text(shown: Shown<'_>) -> String {
    shown.text().expose().clone()
}

#[test]
fn an_exchange_has_both_sides_and_the_values_of_its_tokens() {
    let recorder = Recorder::keeping();
    let recording = record(&recorder, "to alice@example.com");
    recording.passed(b"<MASK_EMAIL_1>", b"alice@example.com", 1);
    let live = recorder.live().unwrap();
    live.with(|state| {
        let exchange = state.get(0).unwrap();
        let sent = text(Shown::of(&exchange.to_provider));
        assert!(sent.contains("to <MASK_EMAIL_1>"), "{sent}");
        assert_eq!(text(exchange.from_provider.shown()), "<MASK_EMAIL_1>");
        assert_eq!(text(exchange.to_client.shown()), "alice@example.com");
        let (values, masked) = values::of(exchange);
        assert_eq!((values.len(), masked), (1, 1));
        assert_eq!(values[0].token, "<MASK_EMAIL_1>");
        assert_eq!(values[0].plain().expose(), "alice@example.com");
        assert!(!format!("{exchange:?}").contains("alice"), "{exchange:?}");
        assert!(!exchange.has_ended);
    });
    drop(recording);
    assert!(live.with(|state| state.get(0).unwrap().has_ended));
}

/// The values of a large session were held once more by each of its exchanges, and not counted.
#[test]
fn values_count_towards_the_recorded_size() {
    let recorder = Recorder::keeping();
    let _recording = record(&recorder, "to alice@example.com");
    recorder.live().unwrap().with(|state| {
        let exchange = state.get(0).unwrap();
        let value = "MASK_EMAIL_1alice@example.com".len() + OF_VALUE;
        assert!(exchange.size() >= exchange.to_provider.len() + value);
        assert_eq!(state.bytes, exchange.size());
    });
}

#[test]
fn the_oldest_exchanges_are_evicted_by_count_and_by_bytes() {
    let recorder = Recorder::keeping();
    let recordings: Vec<_> = (0..MOST + 5).map(|_| record(&recorder, "hi")).collect();
    let live = recorder.live().unwrap();
    live.with(|state| {
        assert_eq!(state.exchanges.len(), MOST);
        assert!(state.get(4).is_none() && state.get(5).is_some());
    });
    let long = vec![b'x'; MOST_OF_TEXT + 1];
    for recording in &recordings {
        recording.passed(&long, &long, 0);
    }
    live.with(|state| {
        assert!(state.bytes <= MOST_BYTES);
        let bytes: usize = state.exchanges.iter().map(Exchange::size).sum();
        assert_eq!(state.bytes, bytes);
        let last = state.exchanges.back().unwrap();
        assert!(last.from_provider.is_cut && last.from_provider.size() == MOST_OF_TEXT);
    });
}

#[test]
fn nothing_is_recorded_unless_enabled() {
    let recorder = Recorder::default();
    assert!(record(&recorder, "alice@example.com").0.is_none());
}
