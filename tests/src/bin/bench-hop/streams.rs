//! Event streams of 100 deltas a second each.

use std::io;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Client, Streamed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::batch::request;
use crate::process::cell;
use crate::{Contender, contenders, percentile};

/// Between two deltas of a stream.
const PACE: Duration = Duration::from_millis(10);
/// Numbers of streams that are tried, one after the other.
const STEPS: [usize; 9] = [25, 50, 100, 200, 300, 400, 600, 800, 1200];
/// A number of streams counts as carried while 99 of 100 deltas come within this.
const IN_TIME: f64 = 50.0;
/// The number of streams at which delays are compared.
const COMPARED: usize = 50;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The delays of the deltas of one run.
struct Run {
    p50: f64,
    p99: f64,
    /// How many of the deltas that were due came.
    delivered: f64,
    /// Of the contender, in microseconds a delta.
    processor_time: f64,
}

pub(crate) async fn measure(span: Duration) {
    let provider = start_provider().await;
    println!("## Event streams of 100 deltas/s each, a token in every twentieth\n");
    println!(
        "| | streams carried (p99 under {IN_TIME} ms) | delay p50 ms at {COMPARED} | p99 ms | processor µs a delta |"
    );
    println!("|---|---|---|---|---|");
    for contender in contenders(&provider).await {
        let compared = run(&contender, COMPARED, span).await;
        let mut carried = 0;
        for streams in STEPS {
            let run = run(&contender, streams, span).await;
            if run.p99 > IN_TIME || run.delivered < 0.95 {
                break;
            }
            carried = streams;
        }
        println!(
            "| {} | {carried} | {:.2} | {:.2} | {} |",
            contender.name,
            compared.p50,
            compared.p99,
            cell(compared.processor_time)
        );
    }
    println!();
}

/// A stream that was asked for and has begun.
pub(crate) async fn open(url: &str) -> (Client, Streamed) {
    let mut client = Client::connect(url).await;
    let body = request().replacen('{', "{\"stream\":true,", 1);
    client
        .send("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    let (status, streamed) = client.head().await;
    assert_eq!(status, 200);
    (client, streamed)
}

async fn run(contender: &Contender, streams: usize, span: Duration) -> Run {
    let spent = || {
        contender
            .processes
            .iter()
            .map(|process| process.processor_time())
            .sum::<f64>()
    };
    let before = spent();
    let mut running = JoinSet::new();
    for _ in 0..streams {
        let (client, streamed) = open(&contender.url).await;
        running.spawn(read_stream(client, streamed, span));
    }
    let mut delays = Vec::new();
    while let Some(of_one) = running.join_next().await {
        delays.extend(of_one.expect("a stream"));
    }
    let spent = spent() - before;
    delays.sort_by(f64::total_cmp);
    let due = span.as_secs_f64() / PACE.as_secs_f64() * to_float(streams);
    Run {
        p50: percentile(&delays, 50),
        p99: percentile(&delays, 99),
        delivered: to_float(delays.len()) / due,
        processor_time: spent / to_float(delays.len()),
    }
}

/// The delays of a stream's deltas, in milliseconds.
async fn read_stream(mut client: Client, mut streamed: Streamed, span: Duration) -> Vec<f64> {
    let mut delays = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < span {
        let Ok(Ok(Some(piece))) = timeout(span, client.piece(&mut streamed)).await else {
            break;
        };
        let now = microseconds();
        for sent in sent_times(&piece) {
            delays.push((now - sent) / 1000.0);
        }
    }
    delays
}

/// The times in the ids of the events of a piece.
fn sent_times(piece: &[u8]) -> Vec<f64> {
    let text = String::from_utf8_lossy(piece);
    let ids = text.split("\"sent-").skip(1);
    ids.filter_map(|rest| rest.split('"').next()?.parse().ok())
        .collect()
}

/// A lean provider of endless streams.
pub(crate) async fn start_provider() -> String {
    start_provider_with(PACE).await
}

/// The same at another pace.
pub(crate) async fn start_provider_with(pace: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, pace));
        }
    });
    url
}

async fn serve(mut stream: TcpStream, pace: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = vec![0; 16 * 1024];
    // A request of 2 KB arrives in one or two pieces; its content does not matter.
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut pace = interval(pace);
    pace.set_missed_tick_behavior(MissedTickBehavior::Skip);
    for number in 0_u64.. {
        pace.tick().await;
        let content = match number % 20 {
            18 => "to <MASK_EM",
            19 => "AIL_1> and",
            _ => " word",
        };
        let event = json!({
            "id": format!("sent-{:.0}", microseconds()), "object": "chat.completion.chunk",
            "created": 1_772_323_200, "model": "gpt-5",
            "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": null}],
        });
        let event = format!("data: {event}\n\n");
        let chunk = format!("{:x}\r\n{event}\r\n", event.len());
        stream.write_all(chunk.as_bytes()).await?;
    }
    Ok(())
}

fn microseconds() -> f64 {
    BEGIN.elapsed().as_secs_f64() * 1e6
}

fn to_float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
