//! The README's picture shows an exchange as it happened. `just picture` draws it again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy};

const EMAIL: &str = "alice@example.com";
const KEY: &str = "ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S";

/// One line of an exchange, as both sides saw it.
struct Row {
    title: &'static str,
    client: String,
    provider: String,
}

#[tokio::test]
async fn the_picture_in_the_readme_is_a_real_exchange() {
    let picture = picture(&exchange().await);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/exchange.svg");
    if std::env::var_os("DRAW").is_some() {
        fs::write(&path, &picture).expect("a writable file");
    }
    let drawn = fs::read_to_string(&path).expect("the picture");
    assert!(drawn == picture, "run `just picture`:\n{picture}");
}

/// Sends a request through the proxy, and returns what each side saw.
async fn exchange() -> [Row; 2] {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let asked = format!("Tell {EMAIL} that the server\nis back. Its key is now\n{KEY}");
    let answered = "I wrote to <MASK_EMAIL_1>. The file\n.env now has the key\n<MASK_API_KEY_2>";
    let body = json!({"model": format!("says/{answered}"), "messages": [{"role": "user", "content": asked}]});
    let reply = Client::post(&proxy.url(), "/v1/messages", &body).await;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let restored = text(&reply.json()["content"][0]["text"]);
    let masked = text(&mock.last().json()["messages"][0]["content"]);
    for value in [EMAIL, KEY] {
        assert!(!masked.contains(value) && restored.contains(value));
    }
    let request = Row {
        title: "request",
        client: asked,
        provider: masked,
    };
    let reply = Row {
        title: "reply",
        client: restored,
        provider: answered.to_owned(),
    };
    [request, reply]
}

fn picture(rows: &[Row]) -> String {
    let mut svg = String::from(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 290" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">
<rect width="880" height="290" rx="8" fill="#f6f8fa"/>
<g font-weight="bold" fill="#24292f"><text x="24" y="30">Your tool</text><text x="504" y="30">The provider</text></g>
"##,
    );
    for (at, row) in rows.iter().enumerate() {
        let top = 44 + 120 * at;
        let arrow = if at == 0 { "→" } else { "←" };
        side(&mut svg, 24, top, &row.client);
        side(&mut svg, 504, top, &row.provider);
        let (title, middle) = (row.title, top + 46);
        let below = middle + 24;
        // Writing to a string can't fail.
        let _ = writeln!(
            svg,
            r##"<g text-anchor="middle" fill="#57606a"><text x="440" y="{middle}">{title}</text><text x="440" y="{below}" font-size="24">{arrow}</text></g>"##
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A box with a text, its values and tokens marked.
fn side(svg: &mut String, left: usize, top: usize, text: &str) {
    let _ = writeln!(
        svg,
        r##"<rect x="{left}" y="{top}" width="352" height="104" rx="6" fill="#fff" stroke="#d0d7de"/>"##
    );
    for (at, line) in text.lines().enumerate() {
        let (x, y) = (left + 16, top + 32 + 24 * at);
        let line = marked(line);
        let _ = writeln!(
            svg,
            r##"<text x="{x}" y="{y}" fill="#24292f">{line}</text>"##
        );
    }
}

fn marked(line: &str) -> String {
    let mut line = line.replace('<', "&lt;").replace('>', "&gt;");
    for value in [EMAIL, KEY] {
        line = line.replace(value, &colored("#cf222e", value));
    }
    for token in ["&lt;MASK_EMAIL_1&gt;", "&lt;MASK_API_KEY_2&gt;"] {
        line = line.replace(token, &colored("#1a7f37", token));
    }
    line
}

fn colored(color: &str, text: &str) -> String {
    format!(r#"<tspan font-weight="bold" fill="{color}">{text}</tspan>"#)
}
