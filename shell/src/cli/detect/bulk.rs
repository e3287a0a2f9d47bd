//! Many texts in one run, one JSON line each.

use std::io::{self, BufRead, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::position::Position;
use super::score;
use crate::cli::scanned::Scanner;

/// Fewer bytes than this are answered faster than a thread starts.
const WORTH_A_THREAD: usize = 16 << 10;

/// Answers each line of input with one line of output, in order, as soon as the lines that were read so far are scanned: on
/// every core.
pub(super) fn print_lines(
    scanner: &Scanner,
    mut input: impl BufRead,
    mut out: impl Write,
) -> io::Result<()> {
    let mut unanswered = Vec::new();
    let mut number = 0;
    loop {
        let read = input.fill_buf()?;
        let (length, is_last) = (read.len(), read.is_empty());
        let lines = memchr::memrchr(b'\n', read).map_or(0, |end| end + 1);
        let (lines, begun) = read.split_at(lines);
        if is_last || !lines.is_empty() {
            unanswered.extend_from_slice(lines);
            print_answers(scanner, &unanswered, &mut number, &mut out)?;
            out.flush()?;
            unanswered.clear();
        }
        unanswered.extend_from_slice(begun);
        input.consume(length);
        if is_last {
            return Ok(());
        }
    }
}

/// Answers whole lines. `number` is that of the line before them.
fn print_answers(
    scanner: &Scanner,
    lines: &[u8],
    number: &mut usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let before = *number;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(lines.len() / WORTH_A_THREAD);
    let lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    *number += lines.len();
    let answers: Vec<OnceLock<_>> = lines.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(line), Some(slot)) = (lines.get(at), answers.get(at)) else {
                return;
            };
            let _ = slot.set(answer(scanner, line, before + at + 1));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // What a thread that can't start would answer, the others answer.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    for answer in answers.into_iter().filter_map(OnceLock::into_inner) {
        out.write_all(&answer?)?;
    }
    Ok(())
}

fn answer(scanner: &Scanner, line: &[u8], number: usize) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    if line.trim_ascii().is_empty() {
        return Ok(out);
    }
    let entry: Entry<'_> = serde_json::from_slice(line).map_err(|_| {
        io::Error::other(format!(
            "line {number} is no object with \"id\" and \"text\""
        ))
    })?;
    print_entry(scanner, &entry, &mut out)?;
    Ok(out)
}

/// One line of bulk input.
#[derive(serde::Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    id: &'a serde_json::value::RawValue,
    #[serde(borrow)]
    text: std::borrow::Cow<'a, str>,
}

fn print_entry(scanner: &Scanner, entry: &Entry<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"id\":{},\"detections\":[", entry.id)?;
    let mut position = Position::new(&entry.text);
    let found = scanner.scan(&entry.text)?;
    for (index, detection) in found.detections.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        write!(
            out,
            "{separator}{{\"start\":{},\"end\":{},\"type\":\"{}\",\"score\":{}}}",
            position.of(detection.start),
            position.of(detection.end),
            detection.entity,
            score(detection),
        )?;
    }
    out.write_all(b"]}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn scanner() -> Scanner {
        Scanner::new(engine::Settings::default(), &[]).unwrap()
    }

    #[test]
    fn bulk_lines_answer_each_line_with_its_id() {
        let input = "{\"id\": 7, \"text\": \"ñ alice@example.com\"}\n\n{\"text\":\"\\u0000\",\"id\":\"x\",\"more\":1}";
        let mut out = Vec::new();
        print_lines(&scanner(), input.as_bytes(), &mut out).unwrap();
        let lines: Vec<Value> = out
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        assert_eq!(lines[0]["id"], 7);
        assert_eq!(lines[0]["detections"][0]["start"], 2);
        assert_eq!(lines[0]["detections"][0]["end"], 19);
        assert_eq!(lines[0]["detections"][0]["type"], "EMAIL");
        assert_eq!(lines[1], json!({"id": "x", "detections": []}));
    }

    #[test]
    fn lines_of_any_number_are_answered_in_order() {
        let lines = (0..3_000).map(|id| {
            let text = "nothing here ".repeat(id % 7);
            json!({"id": id, "text": format!("{text}u{id}@example.com")}).to_string() + "\n"
        });
        let input: String = lines.collect();
        // Reads end within lines.
        let input = io::BufReader::with_capacity(50_000, input.as_bytes());
        let mut out = Vec::new();
        print_lines(&scanner(), input, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.lines().count(), 3_000);
        for (id, line) in out.lines().enumerate() {
            let answer: Value = serde_json::from_str(line).unwrap();
            assert_eq!(answer["id"], id);
            assert_eq!(answer["detections"][0]["start"], 13 * (id % 7));
        }
    }

    #[test]
    fn a_bad_bulk_line_is_named_by_its_number_only() {
        let input = "{\"id\":1,\"text\":\"a\"}\nhunter2\n";
        let error = print_lines(&scanner(), input.as_bytes(), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("line 2"));
        assert!(!error.to_string().contains("hunter2"));
    }
}
