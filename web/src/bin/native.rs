//! The playground without a browser, for comparison with the page.
//!
//! Reads a JSON list of exchanges from standard input, and writes what the page must show.

use std::io::{self, Read as _, Write as _};

use serde::{Deserialize, Serialize};
use web::{Finding, Form, Playground, Reply, read};

#[derive(Deserialize)]
struct Exchange {
    controls: serde_json::Value,
    form: String,
    input: String,
    reply: String,
    /// In bytes.
    chunk: usize,
}

#[derive(Serialize)]
struct Shown {
    findings: Vec<Finding>,
    masked: String,
    restored: String,
}

/// The tests give the page's engine the same.
const HISTORY_KEY: [u8; 32] = [7; 32];

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let exchanges: Vec<Exchange> = serde_json::from_str(&input)?;
    let shown = exchanges
        .iter()
        .map(show)
        .collect::<Result<Vec<_>, _>>()
        .map_err(io::Error::other)?;
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &shown)?;
    out.flush()
}

fn show(exchange: &Exchange) -> Result<Shown, Box<dyn std::error::Error + Send + Sync>> {
    let settings = read(&exchange.controls.to_string());
    let settings = settings.map_err(|errors| format!("{errors:?}"))?;
    let playground = Playground::new(settings, HISTORY_KEY);
    let form = Form::parse(&exchange.form).ok_or("no such format")?;
    let (outcome, restoring) = playground.mask(form, &exchange.input)?;
    let mut reply = Reply::new(restoring);
    let mut restored = Vec::new();
    for chunk in exchange.reply.as_bytes().chunks(exchange.chunk.max(1)) {
        restored.extend(reply.push(chunk));
    }
    restored.extend(reply.finish());
    Ok(Shown {
        findings: outcome.findings,
        masked: outcome.masked,
        restored: String::from_utf8(restored)?,
    })
}
