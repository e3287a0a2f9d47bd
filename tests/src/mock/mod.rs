//! A scripted provider.
//!
//! On the paths of the three wire formats the model that a request names says how it is answered:
//! a [`Script`](script::Script), or the name of a [`Misbehaviour`]; `/n` behind it cuts texts into deltas of n
//! characters. [`generic`] paths say back what they were told; the others are the [`unrouted`] ones. `GET /_mock/requests` lists what came,
//! `DELETE /_mock/requests` forgets it.

mod agent;
mod gemini;
mod generic;
mod held;
mod misbehaviour;
mod record;
mod script;
mod tls;
mod unrouted;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::http1::{Ending, Reader};
pub use agent::{PAGE as AGENT_PAGE, READS as AGENT_READS, WRITES as AGENT_WRITES};
use held::Held;
pub use misbehaviour::Misbehaviour;
use record::Log;
pub use record::Recorded;
use script::Turn;
pub use wire::Schema;

/// How long a request may take to come on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long the stream of the model `drip` takes.
const DRIP: Duration = Duration::from_secs(8);

/// A running provider; it stops when dropped.
#[derive(Debug)]
pub struct Mock {
    address: SocketAddr,
    /// With TLS only.
    certificate: Option<String>,
    state: Arc<State>,
    tasks: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    log: Log,
    held: Held,
    connections: AtomicUsize,
    refused: AtomicBool,
}

impl Mock {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        Self::listen(0).await.expect("a free port")
    }

    /// Starts one on a port; 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let task = tokio::spawn(accept(listener, Arc::clone(&state)));
        Ok(Self {
            address,
            certificate: None,
            state,
            tasks: vec![task],
        })
    }

    /// Listens on one more port, as one with TLS does, and returns the certificate that a client
    /// must trust, in PEM.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn listen_tls(&mut self, port: u16) -> io::Result<String> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let (acceptor, certificate) = tls::identity();
        let state = Arc::clone(&self.state);
        self.tasks
            .push(tokio::spawn(tls::accept(listener, acceptor, state)));
        Ok(certificate)
    }

    /// Starts one that speaks HTTP/2 and HTTP/1.1 over TLS. It doesn't misbehave.
    pub async fn start_tls() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State::default());
        let (acceptor, certificate) = tls::identity();
        let task = tokio::spawn(tls::accept(listener, acceptor, Arc::clone(&state)));
        Self {
            address,
            certificate: Some(certificate),
            state,
            tasks: vec![task],
        }
    }

    /// Where it listens, as `http://host:port` or `https://localhost:port`.
    #[must_use]
    pub fn url(&self) -> String {
        match self.certificate {
            Some(_) => format!("https://localhost:{}", self.address.port()),
            None => format!("http://{}", self.address),
        }
    }

    /// The certificate that a client must trust, in PEM.
    #[must_use]
    pub fn certificate(&self) -> &str {
        self.certificate.as_deref().expect("a provider with TLS")
    }

    /// Every request that came whole, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.log.all()
    }

    /// Waits until that many requests came whole.
    pub async fn asked(&self, times: usize) {
        let begun = Instant::now();
        while self.requests().len() < times {
            assert!(begun.elapsed() < PATIENCE, "{:?}", self.requests());
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// The last request that came whole.
    #[must_use]
    pub fn last(&self) -> Recorded {
        self.requests()
            .pop()
            .expect("a request reached the provider")
    }

    /// The total number of opened connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        state.connections.fetch_add(1, Ordering::Relaxed);
        let state = Arc::clone(&state);
        tokio::spawn(async move { serve(stream, &state).await });
    }
}

/// Answers one request after the other; an error only means that the other side went away.
async fn serve(stream: TcpStream, state: &State) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = Reader::new(stream);
    while let Some(head) = reader.head().await? {
        if head.header("expect").is_some() {
            reader
                .stream()
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await?;
        }
        let body = reader.body(head.framing(false)).await;
        if body.ending == Ending::Broken {
            return Ok(());
        }
        let request = Recorded::new(head, body.bytes);
        let keep = answer(reader.stream(), request, state).await?;
        if keep == Keep::Close {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether a connection serves another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Open,
    Close,
}

async fn answer(stream: &mut TcpStream, request: Recorded, state: &State) -> io::Result<Keep> {
    if request.path() == "/_mock/requests" {
        let listed = state.log.control(&request.method);
        return Response::json(200, &listed).write(stream).await;
    }
    state.log.add(request.clone());
    let Some(schema) = Schema::of_path(request.path()) else {
        return match generic::answer(&request) {
            Some(response) => response.write(stream).await,
            None => unrouted::answer(stream, &request).await,
        };
    };
    let Some(turn) = Turn::read(schema, &request, &state.held) else {
        return Response::json(400, &wire::error(400, "the body is not JSON"))
            .write(stream)
            .await;
    };
    match Misbehaviour::named(turn.script_name()) {
        Some(misbehaviour) => misbehaviour.perform(stream, &turn).await,
        None if turn.script_name() == "drip" => turn.respond().drip(stream).await,
        None => turn.respond().write(stream).await,
    }
}

/// A well-formed reply.
#[derive(Debug, Clone)]
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Whole(Vec<u8>),
    /// Pieces of a chunked body, each written on its own.
    Pieces(Vec<Vec<u8>>),
}

impl Response {
    fn new(status: u16, content_type: &str, body: Content) -> Self {
        let headers = [
            ("content-type", content_type),
            ("request-id", "req_of_the_provider"),
            ("x-ratelimit-remaining-requests", "41"),
        ];
        Self {
            status,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            body,
        }
    }

    fn json(status: u16, body: &Value) -> Self {
        Self::new(
            status,
            "application/json",
            Content::Whole(body.to_string().into()),
        )
    }

    fn events(events: &[String]) -> Self {
        let pieces = events
            .iter()
            .map(|event| event.clone().into_bytes())
            .collect();
        Self::new(
            200,
            "text/event-stream; charset=utf-8",
            Content::Pieces(pieces),
        )
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        match &self.body {
            Content::Whole(bytes) => bytes.clone(),
            Content::Pieces(pieces) => pieces.concat(),
        }
    }

    fn head(&self, framing: &str) -> String {
        let mut head = format!("HTTP/1.1 {} Mock\r\n{framing}", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }

    /// Writes a stream over eight seconds.
    async fn drip(&self, stream: &mut TcpStream) -> io::Result<Keep> {
        let Content::Pieces(pieces) = &self.body else {
            return self.write(stream).await;
        };
        let head = self.head("transfer-encoding: chunked\r\n");
        stream.write_all(head.as_bytes()).await?;
        let pause = DRIP / u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        for piece in pieces {
            sleep(pause).await;
            write_chunk(stream, piece).await?;
        }
        stream.write_all(b"0\r\n\r\n").await?;
        Ok(Keep::Open)
    }

    async fn write<S: AsyncWrite + Unpin>(&self, stream: &mut S) -> io::Result<Keep> {
        match &self.body {
            Content::Whole(bytes) => {
                let head = self.head(&format!("content-length: {}\r\n", bytes.len()));
                stream.write_all(&[head.as_bytes(), bytes].concat()).await?;
            }
            Content::Pieces(pieces) => {
                let head = self.head("transfer-encoding: chunked\r\n");
                stream.write_all(head.as_bytes()).await?;
                for piece in pieces {
                    write_chunk(stream, piece).await?;
                }
                stream.write_all(b"0\r\n\r\n").await?;
            }
        }
        Ok(Keep::Open)
    }
}

async fn write_chunk<S: AsyncWrite + Unpin>(stream: &mut S, piece: &[u8]) -> io::Result<()> {
    let size = format!("{:x}\r\n", piece.len());
    stream
        .write_all(&[size.as_bytes(), piece, b"\r\n"].concat())
        .await
}
