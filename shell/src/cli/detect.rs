//! `maskproxy detect`.

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use engine::{Detection, Policy};
use serde_json::{Value, json};

use super::looked::{Looked, Looking};
use super::{Failure, colours, printed, sources, switch};
use crate::config::Config;
use crate::reason;

/// The command.
pub(super) fn command() -> Command {
    Command::new("detect")
        .about("Shows what would be masked in a text")
        .arg(sources::config_file())
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .conflicts_with("stdin")
                .help("The text, where standard input is not read"),
        )
        .arg(switch("stdin", "Read the text from standard input"))
        .arg(switch("transform", "Also print the text with tokens"))
        .arg(switch(
            "why",
            "Also print the rule and the score of each detection",
        ))
        .arg(switch(
            "no-policy",
            "Show every detection, also those that the policy lets through",
        ))
        .arg(switch("json", "Print one JSON object"))
        .arg(
            switch(
                "jsonl",
                "Read {\"id\", \"text\"} lines from standard input, answer each with one line",
            )
            .conflicts_with_all(["text", "stdin", "transform", "why", "json"]),
        )
        .after_help(
            "Nothing is sent anywhere, but to detector services that the configuration names.\n\n\
             Examples:\n  \
             maskproxy detect --transform \"Write to alice@example.com\"\n  \
             git diff | maskproxy detect --stdin",
        )
}

/// Detects and prints.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let values = sources::values(matches, &[])?;
    let mut config = Config::resolve(&values)?;
    if matches.get_flag("no-policy") {
        config.engine.policy = Policy::Default;
    }
    let looking = Looking::new(config.engine, &config.waiting_detectors)?;
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    if matches.get_flag("jsonl") {
        let input = io::BufReader::with_capacity(1 << 20, io::stdin().lock());
        return printed(print_lines(&looking, input, out));
    }
    let text = text(matches)?;
    let view = View {
        looked: looking.look(&text)?,
        text: &text,
        transform: matches.get_flag("transform"),
        why: matches.get_flag("why"),
    };
    printed(if matches.get_flag("json") {
        view.print_json(out)
    } else {
        view.print_text(out)
    })
}

fn text(matches: &ArgMatches) -> Result<String, Failure> {
    if let Some(text) = matches.get_one::<String>("text") {
        return Ok(text.clone());
    }
    if !matches.get_flag("stdin") {
        return Err(Failure::new("no text given; pass one, or --stdin"));
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(reason::in_words(&error)))?;
    String::from_utf8(bytes).map_err(|_| Failure::new("the text is not UTF-8"))
}

/// What is shown of one text.
struct View<'a> {
    looked: Looked,
    text: &'a str,
    transform: bool,
    why: bool,
}

impl View<'_> {
    fn print_text(&self, mut out: impl Write) -> io::Result<()> {
        let detections = &self.looked.detections;
        if detections.is_empty() {
            writeln!(out, "No sensitive entities detected.")?;
        }
        let (bold, plain) = if colours() {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        let mut position = Position::new(self.text);
        for detection in detections {
            let (start, end) = (position.of(detection.start), position.of(detection.end));
            let value = self
                .text
                .get(detection.start..detection.end)
                .unwrap_or_default();
            write!(
                out,
                "{start}:{end}  {bold}{}{plain}  '{value}'",
                detection.entity
            )?;
            if self.why {
                write!(
                    out,
                    "  {}  {}%",
                    detection.rule,
                    detection.score.as_percent()
                )?;
            }
            writeln!(out)?;
        }
        if self.transform {
            writeln!(out, "\n{}", self.looked.masked(self.text)?)?;
        }
        out.flush()
    }

    fn print_json(&self, mut out: impl Write) -> io::Result<()> {
        let mut position = Position::new(self.text);
        let detections = &self.looked.detections;
        let detections: Vec<Value> = detections
            .iter()
            .map(|detection| {
                let mut shown = json!({
                    "start": position.of(detection.start),
                    "end": position.of(detection.end),
                    "type": detection.entity.as_str(),
                    "value": self.text.get(detection.start..detection.end),
                    "score": score(detection),
                });
                if self.why {
                    shown["rule"] = detection.rule.into();
                }
                shown
            })
            .collect();
        let mut shown = json!({"detections": detections});
        if self.transform {
            shown["text"] = self.looked.masked(self.text)?.into();
        }
        writeln!(out, "{shown}")?;
        out.flush()
    }
}

/// Answers each line of input with one line of output.
fn print_lines(looking: &Looking, mut input: impl BufRead, mut out: impl Write) -> io::Result<()> {
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
            print_entry(looking, &entry, &mut out)?;
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

fn print_entry(looking: &Looking, entry: &Entry<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"id\":{},\"detections\":[", entry.id)?;
    let mut position = Position::new(&entry.text);
    let looked = looking.look(&entry.text)?;
    for (index, detection) in looked.detections.iter().enumerate() {
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

/// The score from 0 to 1.
fn score(detection: &Detection) -> f64 {
    f64::from(detection.score.as_percent()) / 100.0
}

/// Turns byte offsets into offsets of Unicode characters, in one pass over ascending offsets.
struct Position<'a> {
    text: &'a str,
    byte: usize,
    characters: usize,
}

impl<'a> Position<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            characters: 0,
        }
    }

    fn of(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            *self = Self::new(self.text);
        }
        let passed = self.text.get(self.byte..byte).unwrap_or_default();
        self.characters += passed.chars().count();
        self.byte = byte;
        self.characters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looking() -> Looking {
        Looking::new(engine::Settings::default(), &[]).unwrap()
    }

    #[test]
    fn offsets_count_characters() {
        let mut position = Position::new("añb€c");
        assert_eq!([1, 3, 4, 7].map(|byte| position.of(byte)), [1, 2, 3, 4]);
        assert_eq!(position.of(3), 2);
    }

    #[test]
    fn bulk_lines_answer_each_line_with_its_id() {
        let input = "{\"id\": 7, \"text\": \"ñ alice@example.com\"}\n\n{\"text\":\"\\u0000\",\"id\":\"x\",\"more\":1}";
        let mut out = Vec::new();
        print_lines(&looking(), input.as_bytes(), &mut out).unwrap();
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
        let error = print_lines(&looking(), input.as_bytes(), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("line 2"));
        assert!(!error.to_string().contains("hunter2"));
    }
}
