//! A scripted service for external detectors.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::http1::{Ending, Reader};
use crate::mock::Recorded;

type Script = dyn Fn(&Value) -> Answer + Send + Sync;

/// A running service; it stops when dropped.
#[derive(Debug)]
pub struct Service {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Recorded>>>,
    task: JoinHandle<()>,
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
    delay: Duration,
}

impl Answer {
    /// A JSON body.
    #[must_use]
    pub fn json(body: &Value) -> Self {
        Self {
            status: 200,
            kind: "application/json",
            body: body.to_string(),
            delay: Duration::ZERO,
        }
    }

    /// An event stream, each event with its type.
    #[must_use]
    pub fn events(events: &[Value]) -> Self {
        let events = events.iter().map(|event| {
            let name = event["type"].as_str().unwrap_or("message");
            format!("event: {name}\ndata: {event}\n\n")
        });
        Self {
            kind: "text/event-stream",
            body: events.collect(),
            ..Self::json(&Value::Null)
        }
    }

    /// The model's text, in a form that works for chat and messages.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::json(&json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
        }))
    }

    /// With another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Only after a while.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

impl Service {
    /// Starts one on a free port that answers each request by its JSON body.
    pub async fn start(script: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let log = Arc::<Mutex<Vec<Recorded>>>::default();
        let seen = Arc::clone(&log);
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                tokio::spawn(async move { serve(stream, &seen, &*script).await });
            }
        });
        Self { address, log, task }
    }

    /// Where it listens, as `http://host:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every question that came, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Recorded> {
        self.log.lock().expect("unpoisoned").clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request after the other; an error only means that the other side went away.
async fn serve(stream: TcpStream, log: &Mutex<Vec<Recorded>>, script: &Script) -> io::Result<()> {
    let mut reader = Reader::new(stream);
    while let Some(head) = reader.head().await? {
        let body = reader.body(head.framing(false)).await;
        if body.ending == Ending::Broken {
            return Ok(());
        }
        let request = Recorded::new(head, body.bytes);
        let Answer {
            status,
            kind,
            body,
            delay,
        } = script(&request.json());
        log.lock().expect("unpoisoned").push(request);
        sleep(delay).await;
        let head = format!(
            "HTTP/1.1 {status} Service\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let reply = head + &body;
        reader.stream().write_all(reply.as_bytes()).await?;
    }
    Ok(())
}
