//! The provider's other paths.

use std::io;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::record::Recorded;
use super::{Content, Keep, Response};

/// Where answers are fetched that were asked for before.
const FETCHED: [&str; 4] = [
    "/predictions/",
    "/batches/b-",
    "/async-result/",
    "/deferred-completion/",
];

/// | path | reply |
/// |---|---|
/// | `/mirror` | the request's body, as it came |
/// | `/status/<n>` | that status, no body |
/// | `/cookies` | two `Set-Cookie` headers |
/// | `/redirect` | 302 |
/// | `/gzip` | the request's body, said to be gzip |
/// | `/hang-up` | closes in mid-body |
/// | `…/predictions/<n>`, `…/batches/<n>` and other [`FETCHED`] ones | a result that holds the token of an address |
/// | others | what was asked, as JSON |
pub(super) async fn answer(stream: &mut TcpStream, request: &Recorded) -> io::Result<Keep> {
    let kind = request
        .header("content-type")
        .unwrap_or("application/octet-stream");
    let mirrored = || Response::new(200, kind, Content::Whole(request.body.clone()));
    let response = match request.path() {
        "/mirror" => mirrored(),
        "/gzip" => mirrored().with("content-encoding", "gzip"),
        "/cookies" => Response::json(200, &json!({}))
            .with("set-cookie", "a=1; Path=/")
            .with("set-cookie", "b=2; Path=/"),
        "/redirect" => {
            Response::json(302, &json!({})).with("location", "http://elsewhere.example/x")
        }
        "/hang-up" => {
            stream
                .write_all(b"HTTP/1.1 200 Mock\r\ncontent-length: 100\r\n\r\nhalf")
                .await?;
            return Ok(Keep::Close);
        }
        path if FETCHED.iter().any(|fetched| path.contains(fetched)) => Response::json(
            200,
            &json!({"status": "succeeded", "output": "to <MASK_EMAIL_1>"}),
        ),
        path => match path.strip_prefix("/status/").map(str::parse) {
            Some(Ok(status)) => Response::new(status, "text/plain", Content::Whole(Vec::new())),
            _ => Response::json(
                200,
                &json!({"method": request.method, "target": request.target}),
            ),
        },
    };
    if request.method == "HEAD" {
        let length = response.bytes().len();
        let head = response.head(&format!("content-length: {length}\r\n"));
        stream.write_all(head.as_bytes()).await?;
        return Ok(Keep::Open);
    }
    response.write(stream).await
}
