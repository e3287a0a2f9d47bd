//! A provider inside this process that echoes and records requests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use engine::Schema;

use super::wire;

/// How long either side of a connection may be silent.
const SILENCE: Duration = Duration::from_secs(10);

/// The largest body that a check sends.
const BODY: u64 = 1 << 16;

/// The provider's address, and the bodies that it got.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) url: String,
    pub(super) bodies: Receiver<String>,
}

impl Provider {
    /// Starts one on a free local port. It lives as long as this process.
    pub(super) fn start(schema: Schema) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let (seen, bodies) = channel();
        thread::Builder::new()
            .name("provider".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    let seen = seen.clone();
                    // A connection may stay open without a request.
                    let served = thread::Builder::new().spawn(move || {
                        // What went wrong shows in what the proxy answers.
                        let _ = serve(&stream, schema, &seen);
                    });
                    if served.is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self { url, bodies })
    }
}

/// Answers one request.
fn serve(mut stream: &TcpStream, schema: Schema, seen: &Sender<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    let mut reader = BufReader::new(stream);
    let length = read_head(&mut reader)?;
    let mut body = String::new();
    reader.take(length.min(BODY)).read_to_string(&mut body)?;
    let text = wire::text_of(&body);
    let (kind, reply) = if wire::asks_for_stream(&body) {
        ("text/event-stream", wire::stream(schema, &text))
    } else {
        ("application/json", wire::reply(schema, &text))
    };
    // Nobody is listening any more when the check is over.
    let _ = seen.send(body);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
        reply.len()
    )
}

/// Reads a head and returns the length of the body.
fn read_head(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    Ok(length)
}
