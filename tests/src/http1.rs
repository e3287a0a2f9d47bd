//! HTTP/1.1 on the wire, for both ends of a test, without repairing anything.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The head of a message, with its bytes as they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    /// Every byte, the empty line included.
    pub(crate) raw: Vec<u8>,
    /// The three words of the first line; the third may hold spaces.
    pub(crate) start: [String; 3],
    /// In order, repeats kept, names as written.
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    fn parse(raw: Vec<u8>) -> io::Result<Self> {
        let text = String::from_utf8_lossy(&raw).into_owned();
        let mut lines = text.split("\r\n").take_while(|line| !line.is_empty());
        let mut words = lines.next().unwrap_or_default().splitn(3, ' ');
        let start = [(); 3].map(|()| words.next().unwrap_or_default().to_owned());
        let headers = lines
            .map(|line| line.split_once(':').ok_or_else(|| malformed(line)))
            .map(|pair| pair.map(|(name, value)| (name.to_owned(), value.trim().to_owned())))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            raw,
            start,
            headers,
        })
    }

    /// The first header of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The framing of the following body. Only a reply may continue until the connection ends.
    pub(crate) fn framing(&self, reply: bool) -> Framing {
        let chunked = self
            .header("transfer-encoding")
            .is_some_and(|value| value.contains("chunked"));
        let length = self
            .header("content-length")
            .and_then(|value| value.parse().ok());
        match length {
            _ if chunked => Framing::Chunked,
            Some(length) => Framing::Length(length),
            None if reply => Framing::Close,
            None => Framing::Length(0),
        }
    }
}

/// How a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
    Close,
}

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As its framing promised.
    Clean,
    /// Before the promised end: closed or reset.
    Broken,
}

/// A body, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ending: Ending,
    pub(crate) trailers: Vec<(String, String)>,
}

/// Reads messages from a connection.
#[derive(Debug)]
pub(crate) struct Reader<S> {
    stream: S,
    buffer: Vec<u8>,
}

impl<S: AsyncRead + Unpin> Reader<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
        }
    }

    /// The connection, for writing.
    pub(crate) fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// The next head; none when the connection ended properly before it.
    pub(crate) async fn head(&mut self) -> io::Result<Option<Head>> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let rest = self.buffer.split_off(end + 4);
                return Head::parse(std::mem::replace(&mut self.buffer, rest)).map(Some);
            }
            if self.fill().await? == 0 {
                let clean = self.buffer.is_empty();
                return if clean {
                    Ok(None)
                } else {
                    Err(malformed("half a head"))
                };
            }
        }
    }

    /// Reads the whole body. A broken one yields what came.
    pub(crate) async fn body(&mut self, framing: Framing) -> Body {
        let mut body = Body {
            bytes: Vec::new(),
            ending: Ending::Clean,
            trailers: Vec::new(),
        };
        let mut left = Left::new(framing);
        loop {
            match self.piece(&mut left, &mut body.trailers).await {
                Ok(Some(piece)) => body.bytes.extend(piece),
                Ok(None) => return body,
                Err(_) => {
                    body.ending = Ending::Broken;
                    return body;
                }
            }
        }
    }

    /// The next bytes of a body as they arrive; none at its proper end.
    pub(crate) async fn piece(
        &mut self,
        left: &mut Left,
        trailers: &mut Vec<(String, String)>,
    ) -> io::Result<Option<Vec<u8>>> {
        loop {
            match left {
                Left::Nothing | Left::Bytes(0) => return Ok(None),
                Left::UntilClose => match self.some(usize::MAX).await {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                    piece => return piece.map(Some),
                },
                Left::ChunkSize => {
                    let line = self.line().await?;
                    let size = line.split(';').next().unwrap_or_default().trim();
                    let size = usize::from_str_radix(size, 16).map_err(|_| malformed(&line))?;
                    *left = if size == 0 {
                        Left::Trailers
                    } else {
                        Left::Chunk(size)
                    };
                }
                Left::Chunk(0) => {
                    self.line().await?;
                    *left = Left::ChunkSize;
                }
                Left::Bytes(count) | Left::Chunk(count) => {
                    let piece = self.some(*count).await?;
                    *count -= piece.len();
                    return Ok(Some(piece));
                }
                Left::Trailers => match self.line().await?.split_once(':') {
                    Some((name, value)) => {
                        trailers.push((name.to_owned(), value.trim().to_owned()));
                    }
                    None => *left = Left::Nothing,
                },
            }
        }
    }

    async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n") {
                let rest = self.buffer.split_off(end + 2);
                let line = std::mem::replace(&mut self.buffer, rest);
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            self.more().await?;
        }
    }

    async fn some(&mut self, at_most: usize) -> io::Result<Vec<u8>> {
        if self.buffer.is_empty() {
            self.more().await?;
        }
        let rest = self.buffer.split_off(at_most.min(self.buffer.len()));
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.fill().await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    async fn fill(&mut self) -> io::Result<usize> {
        self.buffer.reserve(16 * 1024);
        self.stream.read_buf(&mut self.buffer).await
    }
}

/// What is still to come of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    Bytes(usize),
    UntilClose,
    ChunkSize,
    Chunk(usize),
    Trailers,
}

impl Left {
    pub(crate) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Length(length) => Self::Bytes(length),
            Framing::Chunked => Self::ChunkSize,
            Framing::Close => Self::UntilClose,
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed: {what}"))
}
