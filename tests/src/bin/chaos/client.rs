//! A client that knows what it must get, and says what it got instead.

use std::fmt;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tests::{Client, Ending, Reply, Schema, Values};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::random::Random;

/// No exchange takes longer, however the proxy is treated: five seconds for the vault, three for the
/// provider, and what the proxy lay paused.
const LONGEST: Duration = Duration::from_secs(40);

/// The numbers of values that each client has for itself.
const NUMBERS: usize = 1000;

/// What the provider does instead of an echo.
const FAULTS: [&str; 5] = [
    "close-before-reply",
    "reset-before-reply",
    "half-token-then-close",
    "half-token-then-reset",
    "stall",
];

/// How long the round goes on: until its end, or until anything is wrong.
#[derive(Debug)]
pub(crate) struct Watch {
    end: Instant,
    is_wrong: AtomicBool,
}

impl Watch {
    pub(crate) fn until(end: Instant) -> Self {
        let is_wrong = AtomicBool::new(false);
        Self { end, is_wrong }
    }

    pub(crate) fn goes_on(&self) -> bool {
        Instant::now() < self.end && !self.is_wrong.load(Ordering::Relaxed)
    }
}

/// What became of requests.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) answered: usize,
    refused: usize,
    broken: usize,
    left: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.answered += other.answered;
        self.refused += other.refused;
        self.broken += other.broken;
        self.left += other.left;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answered, {} refused, {} broken, {} left",
            self.answered, self.refused, self.broken, self.left
        )
    }
}

/// Asks again and again; what went wrong.
pub(crate) async fn run(
    number: usize,
    url: &str,
    mut random: Random,
    watch: &Watch,
) -> Result<Counts, String> {
    let asked = ask_on(number, url, &mut random, watch).await;
    if asked.is_err() {
        watch.is_wrong.store(true, Ordering::Relaxed);
    }
    asked
}

async fn ask_on(
    number: usize,
    url: &str,
    random: &mut Random,
    watch: &Watch,
) -> Result<Counts, String> {
    let mut counts = Counts::default();
    let mut connection = None;
    let mut turn = 0;
    while watch.goes_on() {
        let Some(mut client) = connected(&mut connection, url).await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        turn += 1;
        let asked = Asked::new(number, turn, random);
        asked.send(&mut client).await;
        if random.once_in(12) {
            // The client goes away, at any moment of the exchange.
            sleep(Duration::from_millis(random.between(0, 30))).await;
            counts.left += 1;
            continue;
        }
        let reply = timeout(LONGEST, client.reply("POST")).await;
        let reply = reply.map_err(|_| format!("client {number} waited for {LONGEST:?}"))?;
        asked.check(&reply)?;
        match reply.status {
            _ if reply.ending == Ending::Broken => counts.broken += 1,
            200 => counts.answered += 1,
            _ => counts.refused += 1,
        }
        if reply.ending == Ending::Clean && !random.once_in(10) {
            connection = Some(client);
        }
        sleep(Duration::from_millis(random.between(0, 25))).await;
    }
    Ok(counts)
}

async fn connected(kept: &mut Option<Client>, url: &str) -> Option<Client> {
    if let Some(kept) = kept.take() {
        return Some(kept);
    }
    let address = url.trim_start_matches("http://");
    let opened = timeout(LONGEST, TcpStream::connect(address)).await;
    Some(Client::over(opened.ok()?.ok()?, address))
}

/// A request, and what its reply may say.
struct Asked {
    number: usize,
    schema: Schema,
    model: &'static str,
    stream: bool,
    text: String,
    session: Option<String>,
}

impl Asked {
    fn new(number: usize, turn: usize, random: &mut Random) -> Self {
        let values = |turn| Values::of(number * NUMBERS + turn % NUMBERS);
        let model = if random.once_in(6) {
            random.of_these(&FAULTS)
        } else {
            random.of_these(&["echo", "echo/1", "echo/3", "slow-first-byte", "gzip"])
        };
        Self {
            number,
            schema: random.of_these(&Schema::ALL),
            model,
            stream: random.once_in(2),
            text: format!(
                "{} Before: {}",
                values(turn),
                values(turn.saturating_sub(7))
            ),
            session: (!random.once_in(3)).then(|| format!("chaos-{}", random.between(0, 2))),
        }
    }

    async fn send(&self, client: &mut Client) {
        let credential = format!("Bearer client-{}", self.number);
        let mut headers = vec![("authorization", &*credential)];
        if let Some(session) = &self.session {
            // Clients have names in common; the sessions are each one's own.
            headers.push(("x-mask-session", session));
        }
        let body = self.schema.request(self.model, &self.text, self.stream);
        let path = self.schema.path();
        client
            .send("POST", path, &headers, body.to_string().as_bytes())
            .await;
    }

    fn check(&self, reply: &Reply) -> Result<(), String> {
        let body = reply.text();
        let wrong = |what: &str| {
            let Self {
                number,
                model,
                stream,
                schema,
                ..
            } = self;
            let status = reply.status;
            format!(
                "client {number}, {schema:?} {model} stream {stream}: {what} ({status}): {body}"
            )
        };
        if !matches!(reply.status, 0 | 200 | 502..=504) {
            return Err(wrong("an answer that nothing explains"));
        }
        if let Some(other) = others_value(&body, self.number) {
            return Err(wrong(&format!("a value of client {other}")));
        }
        if body.contains("MASK_") {
            return Err(wrong("a token in place of a value"));
        }
        let is_whole = reply.status == 200 && reply.ending == Ending::Clean;
        if is_whole && self.schema.reply_text(&body) != self.text {
            return Err(wrong("not what was said"));
        }
        Ok(())
    }
}

/// The client whose value a text holds beside those of client `own`.
fn others_value(text: &str, own: usize) -> Option<usize> {
    let numbers = text
        .split("@corp")
        .skip(1)
        .chain(text.split("555-").skip(1));
    let numbers = numbers.filter_map(|rest| rest.get(..4)?.parse::<usize>().ok());
    numbers
        .map(|number| number / NUMBERS)
        .find(|owner| *owner != own)
}

/// Nothing that the provider got, and nothing that was written down, holds a value.
pub(crate) fn check_provider(text: &str) -> Result<(), String> {
    for part in ["@corp", "555-", "sk-proj-", "Tr0ub"] {
        let Some(at) = text.find(part) else { continue };
        let around = text.get(at.saturating_sub(80)..(at + 80).min(text.len()));
        return Err(format!("in the clear: {}", around.unwrap_or(part)));
    }
    Ok(())
}
