//! Providers that misbehave, each named by what it does.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::script::Turn;
use super::{Content, Keep, Response, wire, write_chunk};

macro_rules! misbehaviours {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// A misbehaviour or rare behaviour of a provider. Its name is the model that requests it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Misbehaviour {
            $($(#[$doc])* $name),*
        }

        impl Misbehaviour {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The model that requests it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text),*
                }
            }
        }
    };
}

misbehaviours! {
    /// Half a reply, cut inside a token, then the connection closes without the promised end.
    HalfTokenThenClose = "half-token-then-close",
    /// The same with a reset.
    HalfTokenThenReset = "half-token-then-reset",
    /// A body shorter than its `Content-Length`.
    ShortBody = "short-body",
    /// The request is read, then the connection closes.
    CloseBeforeReply = "close-before-reply",
    /// The request is read, then the connection is reset.
    ResetBeforeReply = "reset-before-reply",
    /// A switch to another protocol that nobody requested.
    Switching = "switching",
    /// Bytes that are not HTTP.
    MalformedHead = "malformed-head",
    /// Half the head of a reply, then the connection closes.
    HalfHead = "half-head",
    /// An invalid chunk size, in mid-stream.
    MalformedChunk = "malformed-chunk",
    /// Claims gzip, sends none.
    BrokenGzip = "broken-gzip",
    /// Half a gzip body in a properly framed reply.
    HalfGzip = "half-gzip",
    /// Claims an unrequested, rare encoding.
    UnknownEncoding = "unknown-encoding",
    /// A whole reply, then the connection closes without a word.
    CloseAfterReply = "close-after-reply",
    /// Half a reply, then nothing as long as the connection lasts.
    Stall = "stall",
    /// Half a stream, cut inside a token, with a proper end of the HTTP body.
    HalfTokenThenEnd = "half-token-then-end",
    /// Compressed with gzip.
    Gzip = "gzip",
    /// Compressed with deflate (zlib).
    Deflate = "deflate",
    /// Compressed with brotli.
    Brotli = "brotli",
    /// Compressed with Zstandard.
    Zstd = "zstd",
    /// Lines end in CRLF.
    CrlfEvents = "crlf-events",
    /// Lines end in CR.
    CrEvents = "cr-events",
    /// A byte order mark in front.
    ByteOrderMark = "byte-order-mark",
    /// No blank line after the last event.
    NoLastEmptyLine = "no-last-empty-line",
    /// Comment lines and pings between all events.
    CommentsBetween = "comments-between",
    /// One byte a chunk, one chunk a write.
    ByteByByte = "byte-by-byte",
    /// No length, no chunks: the body ends with the connection.
    CloseDelimited = "close-delimited",
    /// The first byte comes late.
    SlowFirstByte = "slow-first-byte",
    /// An event stream with data that is not JSON.
    GarbageEvents = "garbage-events",
    /// A body that claims to be JSON, but is not.
    GarbageJson = "garbage-json",
    /// An error event in mid-stream that quotes the request.
    ErrorEvent = "error-event",
    /// Plain text.
    PlainText = "plain-text",
    /// `application/problem+json`.
    ProblemJson = "problem-json",
    /// A JSON array.
    JsonArray = "json-array",
    /// One JSON document a line.
    Ndjson = "ndjson",
    /// A batch reply though a stream was asked for.
    BatchThoughStream = "batch-though-stream",
    /// A stream though a batch reply was asked for.
    StreamThoughBatch = "stream-though-batch",
    /// An interim reply first.
    EarlyHints = "early-hints",
    /// Trailers after the body.
    Trailers = "trailers",
    /// Headers of 20 KB in all.
    LargeHead = "large-head",
    /// A redirect.
    Redirect = "redirect",
    /// An empty reply.
    NoContent = "no-content",
}

impl Misbehaviour {
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.name() == name)
    }

    pub(super) async fn perform(self, stream: &mut TcpStream, turn: &Turn) -> io::Result<Keep> {
        match self {
            Self::HalfTokenThenClose => half(stream, turn).await.map(|()| Keep::Close),
            Self::HalfTokenThenReset => {
                half(stream, turn).await?;
                reset(stream)
            }
            Self::ShortBody => {
                let body = usual(turn).bytes();
                let head = usual(turn).head(&format!("content-length: {}\r\n", body.len()));
                let sent = &body[..cut_inside_token(&body)];
                stream.write_all(&[head.as_bytes(), sent].concat()).await?;
                Ok(Keep::Close)
            }
            Self::CloseBeforeReply => Ok(Keep::Close),
            Self::CloseAfterReply => usual(turn).write(stream).await.map(|_| Keep::Close),
            Self::ResetBeforeReply => reset(stream),
            Self::Switching => {
                let head = "HTTP/1.1 101 Mock\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";
                let body = usual(turn).bytes();
                stream.write_all(&[head.as_bytes(), &body].concat()).await?;
                Ok(Keep::Close)
            }
            Self::MalformedHead => {
                stream.write_all(b"HTTX/9 200 banana\r\n\r\n").await?;
                Ok(Keep::Close)
            }
            Self::HalfHead => {
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: app")
                    .await?;
                Ok(Keep::Close)
            }
            Self::MalformedChunk => {
                half(stream, turn).await?;
                stream.write_all(b"zz\r\nnonsense\r\n").await?;
                Ok(Keep::Close)
            }
            Self::Stall => {
                half(stream, turn).await?;
                sleep(Duration::from_mins(10)).await;
                Ok(Keep::Close)
            }
            Self::CloseDelimited => {
                let head = usual(turn).head("connection: close\r\n");
                stream
                    .write_all(&[head.into_bytes(), usual(turn).bytes()].concat())
                    .await?;
                Ok(Keep::Close)
            }
            Self::SlowFirstByte => {
                sleep(Duration::from_millis(1500)).await;
                usual(turn).write(stream).await
            }
            Self::EarlyHints => {
                stream
                    .write_all(b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n")
                    .await?;
                usual(turn).write(stream).await
            }
            Self::Trailers => {
                let head =
                    usual(turn).head("transfer-encoding: chunked\r\ntrailer: x-checksum\r\n");
                stream.write_all(head.as_bytes()).await?;
                write_chunk(stream, &usual(turn).bytes()).await?;
                stream.write_all(b"0\r\nx-checksum: 17\r\n\r\n").await?;
                Ok(Keep::Open)
            }
            _ => self.spoil(turn).write(stream).await,
        }
    }

    /// The misbehaviours that are proper HTTP.
    fn spoil(self, turn: &Turn) -> Response {
        let usual = usual(turn);
        let prompt = turn.prompt();
        let whole = |kind, body: String| Response::new(200, kind, Content::Whole(body.into()));
        let events = |events: &[String]| Response::events(events);
        match self {
            Self::BrokenGzip => usual.with("content-encoding", "gzip"),
            Self::UnknownEncoding => usual.with("content-encoding", "x-own"),
            Self::HalfGzip => {
                let body = gzip(&usual.bytes());
                encoded(usual, body[..body.len() / 2].to_vec(), "gzip")
            }
            Self::Gzip => encoded(usual.clone(), gzip(&usual.bytes()), "gzip"),
            Self::Deflate => encoded(usual.clone(), zlib(&usual.bytes()), "deflate"),
            Self::Brotli => encoded(usual.clone(), brotli(&usual.bytes()), "br"),
            Self::Zstd => {
                let body = zstd::encode_all(usual.bytes().as_slice(), 3).expect("in memory");
                encoded(usual, body, "zstd")
            }
            Self::HalfTokenThenEnd => {
                let body = usual.bytes();
                let cut = cut_inside_token(&body);
                Response {
                    body: Content::Whole(body[..cut].to_vec()),
                    ..usual
                }
            }
            Self::CrlfEvents => events(&line_ends(turn, "\r\n")),
            Self::CrEvents => events(&line_ends(turn, "\r")),
            Self::ByteOrderMark => {
                let mut marked = turn.echo_events();
                marked.insert(0, "\u{feff}".to_owned());
                events(&marked)
            }
            Self::NoLastEmptyLine => {
                let mut unended = turn.echo_events();
                let last = unended.pop().unwrap_or_default();
                unended.push(last.trim_end().to_owned() + "\n");
                events(&unended)
            }
            Self::CommentsBetween => {
                let commented = turn.echo_events().into_iter();
                events(
                    &commented
                        .map(|event| format!(": keep-alive\n\n{event}"))
                        .collect::<Vec<_>>(),
                )
            }
            Self::ByteByByte => {
                let bytes = usual.bytes().into_iter().map(|byte| vec![byte]).collect();
                Response {
                    body: Content::Pieces(bytes),
                    ..usual
                }
            }
            Self::GarbageEvents => {
                let (front, back) = prompt.split_at(cut_inside_token(prompt.as_bytes()));
                events(&[
                    format!("data: {front}"),
                    format!("{back}\n\ndata: [1, \"{prompt}\"]\n\n"),
                ])
            }
            Self::GarbageJson => whole("application/json", format!("{{\"oops\": \"{prompt}\", ")),
            Self::ErrorEvent => {
                let mut cut = turn.echo_events();
                cut.truncate(cut.len() / 2);
                let error = wire::error(500, &format!("cannot answer '{prompt}'"));
                cut.push(format!("event: error\ndata: {error}\n\n"));
                events(&cut)
            }
            Self::PlainText => whole("text/plain; charset=utf-8", prompt),
            Self::ProblemJson => whole(
                "application/problem+json",
                json!({"detail": prompt}).to_string(),
            ),
            Self::JsonArray => whole("application/json", json!([prompt, [prompt]]).to_string()),
            Self::Ndjson => {
                let line = json!({"said": prompt}).to_string();
                whole("application/x-ndjson", format!("{line}\n{line}\n"))
            }
            Self::BatchThoughStream => Response::json(200, &turn.echo_batch()),
            Self::StreamThoughBatch => events(&turn.echo_events()),
            Self::Redirect => {
                Response::json(307, &json!({})).with("location", "/v1/elsewhere?said=1")
            }
            Self::LargeHead => (0..20).fold(usual, |reply, _| {
                reply.with("set-cookie", &"c".repeat(1000))
            }),
            Self::NoContent => Response {
                status: 204,
                headers: Vec::new(),
                body: Content::Whole(Vec::new()),
            },
            _ => usual,
        }
    }
}

fn usual(turn: &Turn) -> Response {
    if turn.streams() {
        Response::events(&turn.echo_events())
    } else {
        Response::json(200, &turn.echo_batch())
    }
}

/// Chunks up to the inside of a token, and no end.
async fn half(stream: &mut TcpStream, turn: &Turn) -> io::Result<()> {
    let body = usual(turn).bytes();
    let head = usual(turn).head("transfer-encoding: chunked\r\n");
    stream.write_all(head.as_bytes()).await?;
    write_chunk(stream, &body[..cut_inside_token(&body)]).await?;
    stream.flush().await?;
    // What was sent must arrive unchanged before the connection ends.
    sleep(Duration::from_millis(50)).await;
    Ok(())
}

fn reset(stream: &TcpStream) -> io::Result<Keep> {
    stream.set_zero_linger()?;
    Ok(Keep::Close)
}

/// A place inside the first token, or inside the second half of a body without one.
fn cut_inside_token(body: &[u8]) -> usize {
    let token = body.windows(6).position(|window| window == b"<MASK_");
    token.map_or(body.len() * 2 / 3, |start| start + 4)
}

fn line_ends(turn: &Turn, end: &str) -> Vec<String> {
    turn.echo_events()
        .iter()
        .map(|event| event.replace('\n', end))
        .collect()
}

fn encoded(response: Response, body: Vec<u8>, encoding: &str) -> Response {
    Response {
        body: Content::Whole(body),
        ..response.with("content-encoding", encoding)
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

/// Brotli without compression (RFC 7932, 9.2): a window of 64 KB, uncompressed blocks, the empty last block.
fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, block) in bytes.chunks(1 << 16).enumerate() {
        let length = u32::try_from(block.len() - 1).expect("at most 64 KB");
        // The first header has the bit of the window size in front.
        let shift = u32::from(number == 0);
        let header = (length << 3 | 1 << 19) << shift;
        out.extend_from_slice(&header.to_le_bytes()[..3]);
        out.extend_from_slice(block);
    }
    out.push(3);
    out
}
