//! A client that knows what it must get, and says what it got instead.

use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{Client, Ending, Reply, Schema};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::history::{self, Histories, Recalled};
use crate::random::Random;

/// No exchange takes longer, whatever happens to the proxy: five seconds for the vault, three for
/// the provider, and the time that the proxy was paused.
const LONGEST: Duration = Duration::from_secs(40);

/// How much of a wrong reply is shown.
const SHOWN: usize = 2000;

/// What the provider does instead of echoing.
const FAULTS: [&str; 5] = [
    "close-before-reply",
    "reset-before-reply",
    "half-token-then-close",
    "half-token-then-reset",
    "stall",
];

/// How long the round continues: until its end, or until something is wrong.
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
    pub(crate) recalled: Recalled,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.answered += other.answered;
        self.refused += other.refused;
        self.broken += other.broken;
        self.left += other.left;
        self.recalled += other.recalled;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answered, {} refused, {} broken, {} left; of histories {} values restored, {} left as tokens",
            self.answered,
            self.refused,
            self.broken,
            self.left,
            self.recalled.restored,
            self.recalled.left
        )
    }
}

/// One of the clients, and what it talks to.
pub(crate) struct Caller {
    pub(crate) number: usize,
    /// The instances of the proxy.
    pub(crate) urls: Vec<String>,
    pub(crate) random: Random,
    pub(crate) watch: Arc<Watch>,
    pub(crate) histories: Arc<Histories>,
}

impl Caller {
    /// Asks again and again; what went wrong.
    pub(crate) async fn run(mut self) -> Result<Counts, String> {
        let asked = self.ask_on().await;
        if asked.is_err() {
            self.watch.is_wrong.store(true, Ordering::Relaxed);
        }
        asked
    }

    async fn ask_on(&mut self) -> Result<Counts, String> {
        let mut counts = Counts::default();
        let mut connections: Vec<_> = self.urls.iter().map(|_| None).collect();
        let mut turn = 0;
        while self.watch.goes_on() {
            let instance = self.random.below(self.urls.len());
            let kept = &mut connections[instance];
            let Some(mut client) = connected(kept, &self.urls[instance]).await else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            turn += 1;
            let asked = self.next(turn);
            asked.send(&mut client).await;
            if self.random.once_in(12) {
                // The client goes away, at any moment of the exchange.
                sleep(Duration::from_millis(self.random.between(0, 30))).await;
                counts.left += 1;
                continue;
            }
            let reply = timeout(LONGEST, client.reply("POST")).await;
            let waited = |_| format!("client {} waited for {LONGEST:?}", self.number);
            let reply = reply.map_err(waited)?;
            counts.recalled += asked.check(&reply)?;
            if asked.history.is_some() {
                self.histories.remember(self.number, &reply.text());
            }
            match reply.status {
                _ if reply.ending == Ending::Broken => counts.broken += 1,
                200 => counts.answered += 1,
                _ => counts.refused += 1,
            }
            if reply.ending == Ending::Clean && !self.random.once_in(10) {
                connections[instance] = Some(client);
            }
            sleep(Duration::from_millis(self.random.between(0, 25))).await;
        }
        Ok(counts)
    }

    fn next(&mut self, turn: usize) -> Asked {
        let (number, random) = (self.number, &mut self.random);
        let recalls = random.once_in(2);
        let model = match recalls {
            _ if random.once_in(6) => random.of_these(&FAULTS),
            true => random.of_these(&["recalls", "recalls/1", "recalls/3"]),
            false => random.of_these(&["echo", "echo/1", "echo/3", "slow-first-byte", "gzip"]),
        };
        let values = |turn| history::values(number, turn);
        let before = values(turn.saturating_sub(7));
        let (schema, text, history) = if recalls {
            let history = self.histories.named(number, random);
            (
                Schema::Responses,
                history::line(number, turn),
                Some(history),
            )
        } else {
            let text = format!("{} Before: {before}", values(turn));
            (random.of_these(&Schema::ALL), text, None)
        };
        Asked {
            number,
            schema,
            model,
            stream: random.once_in(2),
            text,
            history,
            session: (!random.once_in(3)).then(|| format!("chaos-{}", random.between(0, 2))),
        }
    }
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
    /// The members that name history which the provider holds, of a turn that becomes part of one.
    history: Option<Value>,
    session: Option<String>,
}

impl Asked {
    async fn send(&self, client: &mut Client) {
        let credential = format!("Bearer client-{}", self.number);
        let mut headers = vec![("authorization", &*credential)];
        if let Some(session) = &self.session {
            // Clients have names in common; the sessions are each one's own.
            headers.push(("x-mask-session", session));
        }
        let mut body = self.schema.request(self.model, &self.text, self.stream);
        for (name, value) in self.history.iter().filter_map(Value::as_object).flatten() {
            body[name] = value.clone();
        }
        let path = self.schema.path();
        client
            .send("POST", path, &headers, body.to_string().as_bytes())
            .await;
    }

    fn check(&self, reply: &Reply) -> Result<Recalled, String> {
        let body = reply.text();
        let text = self.schema.reply_text(&body);
        let wrong = |what: &str| {
            let Self {
                number,
                model,
                stream,
                schema,
                history,
                session,
                ..
            } = self;
            let status = reply.status;
            let body: String = body.chars().take(SHOWN).collect();
            format!(
                "client {number}, {schema:?} {model} stream {stream} {history:?} {session:?}: {what} ({status}): {text} in {body}"
            )
        };
        if !matches!(reply.status, 0 | 200 | 502..=504) {
            return Err(wrong("an answer that nothing explains"));
        }
        if let Some(other) = others_value(&body, self.number) {
            return Err(wrong(&format!("a value of client {other}")));
        }
        let is_whole = reply.status == 200 && reply.ending == Ending::Clean;
        let recalled = self.model.starts_with("recalls");
        if is_whole && recalled {
            // Its own text comes last, and whole.
            let before = text.strip_suffix(&self.text);
            let before = before.ok_or_else(|| wrong("not what was said"))?;
            return history::check(before, self.number).map_err(|error| wrong(&error));
        }
        if !recalled && body.contains("MASK_") && !self.ends_with_cut_token(reply, &text) {
            return Err(wrong("a token in place of a value"));
        }
        if is_whole && text != self.text {
            return Err(wrong("not what was said"));
        }
        Ok(Recalled::default())
    }

    /// Whether a reply broke off within its only token, and everything before it is right.
    fn ends_with_cut_token(&self, reply: &Reply, text: &str) -> bool {
        let body = reply.text();
        let (before, cut) = text.rsplit_once("MASK_").unwrap_or((text, ""));
        let before = before.strip_suffix('<').unwrap_or(before);
        reply.ending == Ending::Broken
            && body.matches("MASK_").count() == 1
            && self.text.starts_with(before)
            && !cut.contains(|c: char| c == '>' || c.is_whitespace())
    }
}

/// The client whose value a text contains next to those of client `own`.
fn others_value(text: &str, own: usize) -> Option<usize> {
    let numbers = text
        .split("@corp")
        .skip(1)
        .chain(text.split("555-").skip(1));
    let numbers = numbers.filter_map(|rest| rest.get(..4)?.parse::<usize>().ok());
    numbers.map(history::owner).find(|owner| *owner != own)
}

/// Nothing that the provider got, and nothing that was written, contains a value.
pub(crate) fn check_provider(text: &str) -> Result<(), String> {
    for part in ["@corp", "555-", "sk-proj-", "Tr0ub"] {
        let Some(at) = text.find(part) else { continue };
        let around = text.get(at.saturating_sub(80)..(at + 80).min(text.len()));
        return Err(format!("in the clear: {}", around.unwrap_or(part)));
    }
    Ok(())
}
