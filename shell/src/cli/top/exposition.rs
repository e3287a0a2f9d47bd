//! Parses the Prometheus text format, as far as needed.

use std::borrow::Cow;

/// One value: `name{label="text"} value`.
#[derive(Debug, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    labels: Vec<(&'a str, Cow<'a, str>)>,
    pub(super) value: f64,
}

impl Sample<'_> {
    /// The text of a label; empty if it is missing, which the format treats as equal.
    pub(super) fn label(&self, name: &str) -> &str {
        let label = self.labels.iter().find(|(known, _)| *known == name);
        label.map_or("", |(_, text)| text)
    }
}

/// All values of a page. Comments and invalid lines are skipped.
pub(super) fn samples(page: &str) -> impl Iterator<Item = Sample<'_>> {
    page.lines().filter_map(sample)
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim();
    let end = line.find(|c: char| c == '{' || c.is_whitespace())?;
    let (name, rest) = line.split_at(end);
    if name.is_empty() || name.starts_with('#') {
        return None;
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    // A time may follow.
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Sample {
        name,
        labels,
        value,
    })
}

type Labels<'a> = Vec<(&'a str, Cow<'a, str>)>;

/// The labels up to the closing brace, and the rest.
fn labels(mut rest: &str) -> Option<(Labels<'_>, &str)> {
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, behind) = rest.split_once('=')?;
        let (text, behind) = quoted(behind.trim_start().strip_prefix('"')?)?;
        labels.push((name.trim(), text));
        rest = behind;
    }
}

/// A text up to its closing quotation mark, and the rest.
fn quoted(rest: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut is_escaped = false;
    let end = rest.find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    let (text, behind) = rest.split_at(end);
    Some((unescaped(text), behind.strip_prefix('"')?))
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            escaped => plain.extend(escaped),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Sample<'_> {
        sample(line).unwrap()
    }

    fn value(line: &str) -> String {
        one(line).value.to_string()
    }

    #[test]
    fn a_line_is_a_name_labels_and_a_value() {
        assert_eq!(value("up 1"), "1");
        assert_eq!(value("a\t2 1700000000"), "2");
        let bucket = one(r#"h_bucket{ le="+Inf" , x="a b" , } +Inf"#);
        assert_eq!(
            (bucket.name, bucket.label("le"), bucket.label("x")),
            ("h_bucket", "+Inf", "a b")
        );
        assert!(bucket.value.is_infinite());
        assert_eq!(bucket.label("none"), "");
        assert!(one("n NaN").value.is_nan());
    }

    #[test]
    fn escaped_quotes_and_braces_do_not_end_a_label() {
        let line = r#"f{field="a[\"}\"],\\n\\",rule="x\ny"} 3"#;
        let sample = one(line);
        assert_eq!(sample.label("field"), r#"a["}"],\n\"#);
        assert_eq!(sample.label("rule"), "x\ny");
        assert_eq!(value(line), "3");
    }

    #[test]
    fn lines_that_are_not_samples_are_skipped() {
        let page = "# HELP a b\n# TYPE a counter\n\na 1\nb\nc{ 1\nd{x=\"} 2\ne one\n{x=\"\"} 1\nf 2\n<html>\n";
        let names: Vec<_> = samples(page).map(|sample| sample.name).collect();
        assert_eq!(names, ["a", "f"]);
    }
}
