//! An HTTP/1.1 client that sends exactly the given bytes and shows exactly what it receives.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http1::{Body, Ending, Framing, Head, Left, Reader};

/// No reply in a test takes longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// One connection.
#[derive(Debug)]
pub struct Client {
    reader: Reader<TcpStream>,
    authority: String,
}

impl Client {
    /// Connects to `http://host:port`.
    pub async fn connect(url: &str) -> Self {
        let authority = url.trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(&authority).await.expect("connect");
        stream.set_nodelay(true).expect("nodelay");
        Self {
            reader: Reader::new(stream),
            authority,
        }
    }

    /// Uses a connection that is open.
    #[must_use]
    pub fn over(stream: TcpStream, authority: &str) -> Self {
        Self {
            reader: Reader::new(stream),
            authority: authority.to_owned(),
        }
    }

    /// Posts a JSON body on its own connection.
    pub async fn post(url: &str, path: &str, body: &Value) -> Reply {
        let mut client = Self::connect(url).await;
        client
            .request("POST", path, &[], body.to_string().as_bytes())
            .await
    }

    /// Gets a path on its own connection.
    pub async fn get(url: &str, path: &str) -> Reply {
        Self::connect(url)
            .await
            .request("GET", path, &[], b"")
            .await
    }

    /// Sends a request and reads the whole reply. `headers` come after `Host` and `Content-Length`.
    pub async fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        self.send(method, target, headers, body).await;
        self.reply(method).await
    }

    /// Sends a request.
    pub async fn send(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) {
        let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: {}\r\n", self.authority);
        if !body.is_empty() || method == "POST" {
            bytes += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            bytes += &format!("{name}: {value}\r\n");
        }
        bytes += "\r\n";
        self.write(bytes.as_bytes()).await;
        self.write(body).await;
    }

    /// Writes raw bytes. A proxy that answers early may stop reading, which is not a failure.
    pub async fn write(&mut self, bytes: &[u8]) {
        let _ = self.reader.stream().write_all(bytes).await;
    }

    /// Reads one reply to its end, interim replies before it.
    pub async fn reply(&mut self, method: &str) -> Reply {
        timeout(PATIENCE, self.read_reply(method))
            .await
            .expect("a reply within a minute")
    }

    /// Reads the head of a reply; the body is then read by [`piece`](Self::piece).
    pub async fn head(&mut self) -> (u16, Streamed) {
        let head = timeout(PATIENCE, self.reader.head())
            .await
            .expect("a head within a minute");
        let head = head.expect("a head").expect("a reply");
        let left = Left::new(head.framing(true));
        (status(&head), Streamed { left })
    }

    /// The next bytes of a streamed body as they arrive; none at its proper end.
    ///
    /// # Errors
    /// When the connection broke before that.
    pub async fn piece(&mut self, streamed: &mut Streamed) -> io::Result<Option<Vec<u8>>> {
        let mut trailers = Vec::new();
        let piece = self.reader.piece(&mut streamed.left, &mut trailers);
        timeout(PATIENCE, piece)
            .await
            .expect("bytes within a minute")
    }

    async fn read_reply(&mut self, method: &str) -> Reply {
        let mut interim = Vec::new();
        let head = loop {
            match self.reader.head().await {
                Ok(Some(head)) if status(&head) / 100 == 1 && status(&head) != 101 => {
                    interim.push(status(&head));
                }
                Ok(Some(head)) => break head,
                Ok(None) | Err(_) => return Reply::none(),
            }
        };
        let bodiless = method == "HEAD" || matches!(status(&head), 204 | 304);
        let framing = if bodiless {
            Framing::Length(0)
        } else {
            head.framing(true)
        };
        let Body {
            bytes,
            ending,
            trailers,
        } = self.reader.body(framing).await;
        Reply {
            status: status(&head),
            interim,
            headers: head.headers,
            body: bytes,
            ending,
            trailers,
        }
    }
}

/// A reply whose body is still arriving.
#[derive(Debug)]
pub struct Streamed {
    left: Left,
}

fn status(head: &Head) -> u16 {
    head.start[1].parse().unwrap_or(0)
}

/// A whole reply.
#[derive(Debug, Clone)]
pub struct Reply {
    /// 0 when the connection ended without a reply.
    pub status: u16,
    /// The 1xx replies before it.
    pub interim: Vec<u16>,
    /// In order, repeats kept.
    pub headers: Vec<(String, String)>,
    /// The part that has arrived.
    pub body: Vec<u8>,
    /// Whether it came whole.
    pub ending: Ending,
    /// After a chunked body.
    pub trailers: Vec<(String, String)>,
}

impl Reply {
    fn none() -> Self {
        Self {
            status: 0,
            interim: Vec::new(),
            headers: Vec::new(),
            body: Vec::new(),
            ending: Ending::Broken,
            trailers: Vec::new(),
        }
    }

    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.header_all(name).first().copied()
    }

    /// Every header of that name.
    #[must_use]
    pub fn header_all(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, null if it is invalid.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The code of an error that the proxy itself answers.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        self.json()
            .pointer("/error/code")
            .and_then(Value::as_str)
            .map(str::to_owned)
    }

    /// Whether this is a failure that a client can't take for success: a coded error, or a
    /// connection that broke.
    #[must_use]
    pub fn failed_honestly(&self) -> bool {
        self.ending == Ending::Broken || (self.status >= 400 && self.code().is_some())
    }
}
