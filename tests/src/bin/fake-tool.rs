//! A tool for `maskproxy run` to run. Prints its arguments and environment as one line of JSON; then, when
//! `FAKE_TOOL_POST` names a path, posts its standard input there, to the loopback address that it was given, and
//! prints the reply.

use std::env;
use std::io::{Read, stdin};

use serde_json::{Map, Value, json};
use tests::Client;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let environment: Map<String, Value> = env::vars()
        .map(|(name, value)| (name, value.into()))
        .collect();
    let seen = json!({"arguments": arguments, "environment": environment}).to_string();
    println!("{seen}");
    let Ok(path) = env::var("FAKE_TOOL_POST") else {
        return;
    };
    let mut body = String::new();
    stdin().read_to_string(&mut body).expect("standard input");
    let mut client = Client::connect(&address(&seen)).await;
    let key = [("authorization", "Bearer sk-of-the-tool")];
    let reply = client.request("POST", &path, &key, body.as_bytes()).await;
    println!("{}", reply.text());
}

/// The first address on loopback in a text, as `http://host:port`.
fn address(seen: &str) -> String {
    let found = ["http://127.0.0.1:", "http://[::1]:"]
        .into_iter()
        .find_map(|front| seen.split_once(front).map(|(_, rest)| (front, rest)));
    let (front, rest) = found.expect("an address");
    let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
    front.to_owned() + &port
}
