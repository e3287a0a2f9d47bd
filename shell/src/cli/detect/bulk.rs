//! Many texts in one run, one JSON line each.

use std::io::{self, BufRead, Write};

use super::position::Position;
use super::score;
use crate::cli::scanned::Scanner;

/// Answers each line of input with one line of output.
pub(super) fn print_lines(
    scanner: &Scanner,
    mut input: impl BufRead,
    mut out: impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0_u64;
    while input.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        if !line.trim_ascii().is_empty() {
            let entry: Entry<'_> = serde_json::from_slice(&line).map_err(|_| {
                io::Error::other(format!(
                    "line {number} is no object with \"id\" and \"text\""
                ))
            })?;
            print_entry(scanner, &entry, &mut out)?;
        }
        line.clear();
    }
    out.flush()
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
    fn a_bad_bulk_line_is_named_by_its_number_only() {
        let input = "{\"id\":1,\"text\":\"a\"}\nhunter2\n";
        let error = print_lines(&scanner(), input.as_bytes(), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("line 2"));
        assert!(!error.to_string().contains("hunter2"));
    }
}
