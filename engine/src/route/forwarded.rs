//! Bodies that are forwarded unmasked: their kind, and when the log names their paths.

use std::collections::BTreeMap;
use std::time::Duration;

use super::path;

/// The kind of an unmasked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// JSON: probably a prompt.
    Json,
    /// An upload, a form, or anything else.
    Other,
}

impl Content {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Json, Self::Other];

    /// The name in audit and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Other => "other",
        }
    }

    /// By the content type, and by how the body begins as far as that is known.
    #[must_use]
    pub fn of(content_type: Option<&str>, start: &[u8]) -> Self {
        let essence = essence(content_type);
        let is_declared =
            essence.is_empty() || essence == "application/json" || essence.ends_with("+json");
        if is_declared || matches!(start.trim_ascii_start().first(), Some(b'{' | b'[')) {
            Self::Json
        } else {
            Self::Other
        }
    }
}

/// Whether a body is an upload, by its content type: forms, texts and unspecified bodies are none, as many clients send
/// JSON as one of these. A body of two types is an upload by both.
#[must_use]
pub fn is_upload(path: &str, content_type: Option<&str>) -> bool {
    let mut types = content_type.unwrap_or_default().split(',');
    types.all(is_file) || is_upload_form(path, content_type)
}

/// Whether a body is a form at a path where files are uploaded. At others a part of it may be a prompt.
#[must_use]
pub fn is_upload_form(path: &str, content_type: Option<&str>) -> bool {
    let mut types = content_type.unwrap_or_default().split(',');
    types.all(is_multipart) && takes_files(path)
}

/// Whether a content type is that of an image, a sound, or another file that is no text.
pub(crate) fn is_file(media: &str) -> bool {
    const KINDS: [&str; 4] = ["image", "audio", "video", "font"];
    const APPLICATIONS: [&str; 3] = ["pdf", "zip", "gzip"];
    match essence(Some(media)).split_once('/') {
        Some((_, kind)) if kind.ends_with("+xml") || kind.ends_with("json") => false,
        Some(("application", kind)) => APPLICATIONS.contains(&kind),
        Some((kind, _)) => KINDS.contains(&kind),
        None => false,
    }
}

fn is_multipart(media: &str) -> bool {
    essence(Some(media)).starts_with("multipart/")
}

/// Whether files are uploaded at a path: `/v1/files`, `/v1/uploads/U/parts`.
fn takes_files(path: &str) -> bool {
    let path = path::canonical(path);
    let mut segments = path.rsplit(|byte| *byte == b'/');
    match segments.next() {
        Some(b"files") => true,
        Some(b"parts") => segments.nth(1) == Some(b"uploads"),
        _ => false,
    }
}

/// The media type without its parameters, in lower case.
fn essence(content_type: Option<&str>) -> String {
    let media = content_type.unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// How long a path is not named again.
const PAUSE: Duration = Duration::from_mins(1);

/// How many paths are logged separately in that time; the others are logged together.
const MAX_PATHS: usize = 64;

/// Stands for all other paths.
const OTHERS: &str = "(other paths)";

/// How much of a path is shown, in bytes.
const MAX_SHOWN: usize = 200;

/// The paths that were named within the last minute, in bounded memory.
#[derive(Debug, Default)]
pub struct NamedPaths(BTreeMap<String, Duration>);

impl NamedPaths {
    /// The path as it is to be named now, in time since any fixed moment; none when it was named within
    /// the last minute.
    pub fn due<'a>(&mut self, path: &'a str, now: Duration) -> Option<&'a str> {
        let path = path.get(..path.floor_char_boundary(MAX_SHOWN))?;
        let named = &mut self.0;
        named.retain(|_, at| now.saturating_sub(*at) < PAUSE);
        let is_room = named.len() < MAX_PATHS;
        let path = if is_room || named.contains_key(path) {
            path
        } else {
            OTHERS
        };
        if named.contains_key(path) {
            return None;
        }
        named.insert(path.to_owned(), now);
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_reported_once_a_minute() {
        let mut paths = NamedPaths::default();
        let now = Duration::from_hours(1);
        assert_eq!(paths.due("/a", now), Some("/a"));
        assert_eq!(paths.due("/a", now + Duration::from_secs(59)), None);
        assert_eq!(paths.due("/b", now), Some("/b"));
        assert_eq!(paths.due("/a", now + PAUSE), Some("/a"));
    }

    #[test]
    fn many_paths_are_reported_together_in_bounded_memory() {
        let mut paths = NamedPaths::default();
        let named = (0..10_000).filter_map(|number| {
            let path = format!("/{number}/{}", "x".repeat(10_000));
            paths.due(&path, PAUSE).map(str::to_owned)
        });
        let named: Vec<_> = named.collect();
        assert_eq!(named.len(), MAX_PATHS + 1);
        assert_eq!(named.last().map(String::as_str), Some(OTHERS));
        assert!(named.iter().all(|path| path.len() <= MAX_SHOWN));
    }

    #[test]
    fn file_uploads_are_distinguished_from_possible_prompts() {
        for (path, upload) in [
            ("/v1/Files", "multipart/form-data; boundary=x"),
            ("/v1/uploads/u/parts", "multipart/form-data; boundary=x"),
            ("/v9/ask", "Image/PNG"),
        ] {
            assert!(is_upload(path, Some(upload)), "{upload}");
            let is_form = upload.starts_with("multipart");
            assert_eq!(is_upload_form(path, Some(upload)), is_form, "{upload}");
            assert_eq!(Content::of(Some(upload), b"x"), Content::Other);
        }
        // Their prompts were forwarded unread under `mask`.
        for path in [
            "/v1/audio/transcriptions",
            "/v9/ask",
            "/v1/files/../ask",
            "/parts",
        ] {
            assert!(!is_upload(path, Some("multipart/form-data")), "{path}");
        }
        for other in [
            None,
            Some("application/json"),
            Some("application/x+json"),
            Some(""),
        ] {
            assert!(!is_upload("/v1/files", other), "{other:?}");
            assert_eq!(Content::of(other, b"x"), Content::Json);
        }
        // Under `mask` forms and raw bytes were forwarded unread.
        for unread in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/octet-stream",
            "application/sdp",
            "image/svg+xml",
            "audio/json",
            "image/png, application/json",
        ] {
            assert!(!is_upload("/v1/files", Some(unread)), "{unread}");
        }
        assert_eq!(Content::of(Some("text/plain"), b" [1]"), Content::Json);
    }
}
