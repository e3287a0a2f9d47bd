//! What maskproxy costs beside nginx as ratios, and whether it still costs what it did.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use bytes_of::{chunked, event_stream, whole};
use serde_json::json;
use tests::{Client, Proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::process::Process;
use crate::{Contender, batch, contenders, health};

/// The best of this many runs counts: other work makes a run slower, never faster.
const RUNS: u64 = 3;

/// How much more than in the table a measure may cost.
const TOLERANCE: f64 = 1.15;

const TURNS: u64 = 50;
const TURN_BYTES: usize = 8 << 10;

/// The same exchange, again and again.
struct Measure {
    name: &'static str,
    reply: Vec<u8>,
    /// The body of an exchange. No two runs have a number in common.
    body: Box<dyn Fn(u64) -> String>,
    concurrency: u64,
    exchanges: u64,
    /// This many consecutive exchanges make a conversation, of which only the last one is measured.
    conversation: u64,
}

impl Measure {
    fn new(name: &'static str, reply: Vec<u8>, exchanges: u64) -> Self {
        Self {
            name,
            reply,
            body: Box::new(|_| batch::request()),
            concurrency: 1,
            exchanges,
            conversation: 1,
        }
    }
}

/// What to do with the ratios besides printing them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing.
    Show,
    /// They are compared with the table.
    Check,
    /// The table is rewritten.
    Write,
}

/// Measures the rows whose name contains `word`, and prints the ratios.
pub(crate) async fn measure(then: Then, word: &str) -> ExitCode {
    println!("## Processor time of maskproxy as a multiple of nginx's (best of {RUNS})\n");
    println!("| an exchange | nginx µs | maskproxy µs | ratio | table |\n|---|---|---|---|---|");
    let table: BTreeMap<String, f64> = std::fs::read(table_path())
        .ok()
        .and_then(|table| serde_json::from_slice(&table).ok())
        .unwrap_or_default();
    let mut measured = BTreeMap::new();
    let mut is_worse = false;
    for measure in measures()
        .into_iter()
        .filter(|measure| measure.name.contains(word))
    {
        let [nginx, maskproxy] = costs(&measure).await;
        let ratio = maskproxy / nginx;
        let known = table.get(measure.name).copied();
        is_worse |= known.is_none_or(|known| ratio > known * TOLERANCE);
        let known = known.map_or("–".to_owned(), |known| format!("{known:.2}"));
        println!(
            "| {} | {nginx:.0} | {maskproxy:.0} | {ratio:.2} | {known} |",
            measure.name
        );
        measured.insert(measure.name, (ratio * 100.0).round() / 100.0);
    }
    if then == Then::Write {
        let table = serde_json::to_string_pretty(&measured).expect("numbers") + "\n";
        std::fs::write(table_path(), table).expect("the table is written");
    }
    if then == Then::Check && is_worse {
        println!("\nA ratio is more than 15 % above the table.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Carries out every exchange with maskproxy, which is stopped so that it can write what it counted.
pub(crate) async fn exercise() {
    for measure in measures() {
        let provider = start_provider(measure.reply.clone()).await;
        let maskproxy = Contender::maskproxy(Proxy::start(&provider).await);
        cost(&measure, &maskproxy, 0).await;
        maskproxy.stop().await;
    }
}

fn table_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("hop.json")
}

fn measures() -> Vec<Measure> {
    let events = |count| {
        event_stream((0..count).map(|number| match number % 10 {
            9 => "<MASK_EMAIL_1> ",
            _ => "word ",
        }))
    };
    let large = "word ".repeat((2 << 20) / 5);
    let large_reply = json!({"choices": [{"message": {"content": large}}]}).to_string();
    let history = agent_text(0, 400 << 10);
    vec![
        Measure {
            concurrency: 16,
            ..Measure::new("2 KB with three values", whole(&batch::reply()), 16_000)
        },
        Measure {
            concurrency: 16,
            ..Measure::new("a burst of 100 events", chunked(&events(100)), 4_000)
        },
        Measure::new("a burst of 20,000 events", chunked(&events(20_000)), 20),
        Measure::new(
            "one event of 2 MB",
            chunked(&event_stream([large.as_str()])),
            40,
        ),
        Measure::new("a batch reply of 2 MB", whole(&large_reply), 40),
        Measure {
            body: Box::new(move |number| conversation([history.clone(), agent_text(number, 100)])),
            ..Measure::new("a history of 400 KB and a new line", whole("{}"), 60)
        },
        Measure {
            body: Box::new(|number| {
                let (of, turn) = (number / TURNS, number % TURNS);
                conversation((0..=turn).map(|turn| agent_text(of * TURNS + turn + 1, TURN_BYTES)))
            }),
            conversation: TURNS,
            ..Measure::new("turn 50 of 50 with 8 KB each", whole("{}"), 5 * TURNS)
        },
        Measure {
            body: Box::new(|_| health::large_body()),
            ..Measure::new("a body of 12 MB", whole("{}"), 5)
        },
    ]
}

/// Text as agents send it, other for each number: code, paths, a value now and then.
fn agent_text(number: u64, bytes: usize) -> String {
    let mut text = String::new();
    for line in 0_u64.. {
        if text.len() >= bytes {
            break;
        }
        let id = number * 100_000 + line;
        text += &match line % 40 {
            17 => format!("    notify(\"user{id}@example.com\").await?;\n"),
            n if n % 5 == 0 => format!("\n/// Handles request {id} as `docs/handlers.md` says.\n"),
            n if n % 5 == 1 => format!("fn handle_{id}(request: &Request) -> Result<Reply> {{\n"),
            _ => format!("    let part_{id} = request.parts().nth({line}).unwrap_or_default();\n"),
        };
    }
    text
}

fn conversation(texts: impl IntoIterator<Item = String>) -> String {
    let message = |text| json!({"role": "user", "content": text});
    let messages: Vec<_> = texts.into_iter().map(message).collect();
    json!({"model": "gpt-5", "messages": messages}).to_string()
}

/// What an exchange costs nginx and maskproxy, in microseconds of processor time.
async fn costs(measure: &Measure) -> [f64; 2] {
    let provider = start_provider(measure.reply.clone()).await;
    let contenders = contenders(&provider).await;
    let mut best = [f64::INFINITY; 2];
    for run in 0..RUNS {
        for (best, contender) in best.iter_mut().zip(contenders.iter().skip(1)) {
            *best = best.min(cost(measure, contender, run).await);
        }
    }
    best
}

async fn cost(measure: &Measure, contender: &Contender, run: u64) -> f64 {
    let first = run * measure.exchanges;
    let mut clients = JoinSet::new();
    let mut spent = 0.0;
    let mut counted = 0_u32;
    if measure.concurrency == 1 {
        let mut client = Client::connect(&contender.url).await;
        for number in first..first + measure.exchanges {
            let body = (measure.body)(number);
            let before = processor_time(contender);
            exchange(&mut client, &body).await;
            if number % measure.conversation == measure.conversation - 1 {
                spent += processor_time(contender) - before;
                counted += 1;
            }
        }
        return spent / f64::from(counted);
    }
    let body = (measure.body)(first);
    let before = processor_time(contender);
    for _ in 0..measure.concurrency {
        let (url, body) = (contender.url.clone(), body.clone());
        let exchanges = measure.exchanges / measure.concurrency;
        clients.spawn(async move {
            let mut client = Client::connect(&url).await;
            for _ in 0..exchanges {
                exchange(&mut client, &body).await;
            }
        });
    }
    clients.join_all().await;
    let exchanges = u32::try_from(measure.exchanges).expect("not so many");
    (processor_time(contender) - before) / f64::from(exchanges)
}

async fn exchange(client: &mut Client, body: &str) {
    let reply = client
        .request("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

fn processor_time(contender: &Contender) -> f64 {
    let processes = contender.processes.iter();
    processes.map(|process| Process::run_time(*process)).sum()
}

/// A provider that gives every request the same reply.
async fn start_provider(reply: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, reply.clone()));
        }
    });
    url
}

async fn serve(mut stream: TcpStream, reply: Vec<u8>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::new();
    loop {
        while left_to_read(&read) > 0 {
            if stream.read_buf(&mut read).await? == 0 {
                return Ok(());
            }
        }
        read.clear();
        stream.write_all(&reply).await?;
    }
}

/// How much of a request is missing, at least.
fn left_to_read(read: &[u8]) -> usize {
    let Some(end) = read
        .windows(4)
        .take(8192)
        .position(|end| end == b"\r\n\r\n")
    else {
        return 1;
    };
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let length = head.split("content-length:").nth(1).unwrap_or("0");
    let length: usize = length
        .lines()
        .next()
        .unwrap_or("0")
        .trim()
        .parse()
        .expect("a length");
    (end + 4 + length).saturating_sub(read.len())
}

/// Replies as bytes.
mod bytes_of {
    use serde_json::json;

    /// Events of a chat stream, each with a text.
    pub(super) fn event_stream<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        let event = |text| {
            let event = json!({
                "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_772_323_200, "model": "gpt-5",
                "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}],
            });
            format!("data: {event}\n\n")
        };
        let events = texts.into_iter().map(event);
        events.chain(["data: [DONE]\n\n".to_owned()]).collect()
    }

    /// Each event in its own chunk.
    pub(super) fn chunked(events: &[String]) -> Vec<u8> {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let chunks = events
            .iter()
            .map(|event| format!("{:x}\r\n{event}\r\n", event.len()));
        let body: String = chunks.collect();
        format!("{head}{body}0\r\n\r\n").into_bytes()
    }

    pub(super) fn whole(body: &str) -> Vec<u8> {
        let length = body.len();
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
    }
}
