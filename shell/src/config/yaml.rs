//! Parses YAML into a tree whose scalars keep their text. The setting decides about the type, so a
//! key made of digits stays as it was written.

use std::collections::HashMap;

use engine::Sensitive;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::error::shown_key;

/// How deep a file may be nested. No setting is deeper than six levels.
const DEPTH: usize = 32;

/// How many nodes a file may grow to by its aliases. Word lists have some hundred thousand.
const NODES: usize = 4_000_000;

/// A part of a file. Its `Debug` shows no value.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// Empty, `null` or `~`.
    Unset,
    Text(Sensitive<String>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn of(text: impl Into<String>) -> Self {
        Self::Text(Sensitive::new(text.into()))
    }

    /// Whether there is a value. An empty text is not one.
    pub(super) fn is_set(&self) -> bool {
        match self {
            Self::Unset => false,
            Self::Text(text) => !text.expose().is_empty(),
            Self::List(_) | Self::Map(_) => true,
        }
    }
}

/// Where and why a text is invalid. The reason quotes no value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) reason: String,
}

impl SyntaxError {
    fn at(place: Marker, reason: impl Into<String>) -> Self {
        Self {
            line: place.line(),
            column: place.col() + 1,
            reason: reason.into(),
        }
    }
}

impl From<ScanError> for SyntaxError {
    fn from(error: ScanError) -> Self {
        Self::at(*error.marker(), in_words(error.info()))
    }
}

/// What a part of the parser's message means for the file. The first part that fits counts.
const MEANINGS: &[(&str, &str)] = &[
    (
        "unprintable",
        "this character must not be in a file; remove it",
    ),
    ("tab", "indent with spaces, not with tabs"),
    (
        "mapping values",
        "indent this less, add a colon to the line above, or put quotes around a value that contains ': '",
    ),
    ("expected key", "indent this line as the settings above it"),
    ("expected '-'", "indent this line as the list above it"),
    ("indent", "indent this line as the lines above it"),
    ("escape", BACKSLASH),
    ("hexadecimal", BACKSLASH),
    (
        "quoted scalar, found unexpected",
        "the quotation mark here is never closed",
    ),
    (
        "trailing content",
        "text follows the closing quotation mark; put quotes around the whole value",
    ),
    (
        "sequence entries",
        "put each item of a list on a line of its own",
    ),
    (
        "flow sequence",
        "a comma or the closing ']' is missing in a list",
    ),
    (
        "flow mapping",
        "a comma or the closing '}' is missing in a mapping",
    ),
    (
        "bracket",
        "this bracket closes nothing; remove it, or put quotes around the value",
    ),
    ("simple key", "this is not a setting; write `name: value`"),
    ("unexpected character", SIGN),
    ("anchor", SIGN),
    ("a tag", SIGN),
];

const BACKSLASH: &str = "write \\\\ for a backslash in double quotes, or use single quotes";
const SIGN: &str = "put quotes around a value that begins with a sign such as @, *, &, ! or %";

/// The parser's message as advice. It quotes nothing of the text but one sign.
fn in_words(message: &str) -> String {
    let fits = |(part, _): &&(&str, &str)| message.contains(part);
    match MEANINGS.iter().find(fits) {
        Some((_, meaning)) => (*meaning).to_owned(),
        None => format!("this is not valid YAML: {message}"),
    }
}

/// A line and a column, both counted from 1.
pub(super) type Place = (usize, usize);

/// The place of each key, and of each mapping in a list, by its path.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<String, Place>);

impl Places {
    /// The place of a setting: where it is written, or the innermost section around it that is.
    pub(super) fn of(&self, path: &str) -> Option<Place> {
        // `policy: [...]` is short for `policy: {rules: [...]}`.
        let short = path.replacen(".rules[", "[", 1);
        // What is further inside comes later.
        [path, &short]
            .into_iter()
            .filter_map(|path| self.innermost(path))
            .max()
    }

    fn innermost(&self, path: &str) -> Option<Place> {
        let inner = path.rmatch_indices(['.', '[']).map(|(end, _)| end);
        std::iter::once(path.len())
            .chain(inner)
            .filter_map(|end| path.get(..end))
            .find_map(|path| self.0.get(path).copied())
    }
}

/// Reads a text that holds one document, or none.
///
/// # Errors
/// The first place that is not YAML, or that is more than settings need: a second document, a key
/// given twice, a tag, a key that is no text.
pub(super) fn parse(text: &str) -> Result<(Node, Places), SyntaxError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut loader = Loader {
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
        nodes: 0,
        path: String::new(),
        places: Places::default(),
    };
    let mut root = None;
    while let Some((event, place)) = loader.next()? {
        match event {
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            Event::StreamEnd => break,
            _ if root.is_some() => {
                return Err(SyntaxError::at(
                    place,
                    "a second document begins here; remove the line ---",
                ));
            }
            event => root = Some(loader.node(event, place, 0)?),
        }
    }
    Ok((root.unwrap_or(Node::Unset), loader.places))
}

struct Loader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    /// Of the node that is read, as messages show it.
    path: String,
    places: Places,
}

impl<'a> Loader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Marker)>, SyntaxError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok(Some((event, span.start))),
            Some(Err(error)) => Err(error.into()),
            None => Ok(None),
        }
    }

    /// The node that an event begins.
    fn node(&mut self, event: Event<'a>, place: Marker, depth: usize) -> Result<Node, SyntaxError> {
        self.nodes += 1;
        if depth > DEPTH {
            return Err(SyntaxError::at(place, "this is nested too deeply"));
        }
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                refuse_tag(tag.as_deref(), place)?;
                (scalar(&text, style), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), place)?;
                (self.list(depth)?, anchor)
            }
            Event::MappingStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), place)?;
                (self.map(depth)?, anchor)
            }
            Event::Alias(anchor) => (self.aliased(anchor, place)?, 0),
            _ => return Err(SyntaxError::at(place, "a value is missing")),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        let mut list = Vec::new();
        let above = self.path.len();
        while let Some((event, place)) = self.next()? {
            if event == Event::SequenceEnd {
                break;
            }
            // Long lists are lists of words, whose places nobody asks for.
            if !matches!(event, Event::Scalar(..)) {
                self.enter(&format!("[{}]", list.len()), place);
            }
            list.push(self.node(event, place, depth + 1)?);
            self.path.truncate(above);
        }
        Ok(Node::List(list))
    }

    fn map(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        let mut map: Vec<(String, Node)> = Vec::new();
        let above = self.path.len();
        while let Some((event, place)) = self.next()? {
            let key = match event {
                Event::MappingEnd => break,
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err(SyntaxError::at(place, "a key must be a text")),
            };
            if map.iter().any(|(other, _)| *other == key) {
                let reason = format!("the key '{}' is given twice", shown_key(&key));
                return Err(SyntaxError::at(place, reason));
            }
            let dot = if above == 0 { "" } else { "." };
            self.enter(&format!("{dot}{}", shown_key(&key)), place);
            let Some((event, place)) = self.next()? else {
                break;
            };
            map.push((key, self.node(event, place, depth + 1)?));
            self.path.truncate(above);
        }
        Ok(Node::Map(map))
    }

    fn enter(&mut self, step: &str, place: Marker) {
        self.path += step;
        let at = (place.line(), place.col() + 1);
        self.places.0.insert(self.path.clone(), at);
    }

    fn aliased(&mut self, anchor: usize, place: Marker) -> Result<Node, SyntaxError> {
        let node = self
            .anchors
            .get(&anchor)
            .ok_or_else(|| SyntaxError::at(place, "an alias without an anchor"))?;
        self.nodes += size(node);
        if self.nodes > NODES {
            return Err(SyntaxError::at(place, "aliases make this too large"));
        }
        Ok(node.clone())
    }
}

/// Tags other than YAML's own would ask for something that is not done, such as reading another file.
fn refuse_tag(tag: Option<&Tag>, place: Marker) -> Result<(), SyntaxError> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => Err(SyntaxError::at(
            place,
            "tags are not supported; put quotes around a value that begins with '!'",
        )),
        _ => Ok(()),
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Node {
    let plain = style == ScalarStyle::Plain;
    if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Node::Unset;
    }
    Node::of(text)
}

fn size(node: &Node) -> usize {
    match node {
        Node::Unset | Node::Text(_) => 1,
        Node::List(list) => 1 + list.iter().map(size).sum::<usize>(),
        Node::Map(map) => 1 + map.iter().map(|(_, node)| size(node)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in one line, with its texts.
    fn shown(node: &Node) -> String {
        match node {
            Node::Unset => "-".to_owned(),
            Node::Text(text) => text.expose().clone(),
            Node::List(list) => {
                format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
            Node::Map(map) => {
                let entries = map
                    .iter()
                    .map(|(key, node)| format!("{key}={}", shown(node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn parsed(text: &str) -> String {
        match parse(text) {
            Ok((node, _)) => shown(&node),
            Err(error) => format!("{}:{} {}", error.line, error.column, error.reason),
        }
    }

    #[test]
    fn scalars_keep_their_text() {
        let text = "\u{feff}a: 0123\nb: 1.10\nc: yes\nd: ~\ne:\nf: \"\"\ng: 'null'\nh: ${VAR}\n";
        assert_eq!(
            parsed(text),
            "{a=0123 b=1.10 c=yes d=- e=- f= g=null h=${VAR}}"
        );
    }

    #[test]
    fn lists_blocks_and_aliases_are_read() {
        let text = "a: &x [1, two]\nb: *x\nc: |\n  one\n  two\nd: {e: f}\n";
        assert_eq!(parsed(text), "{a=[1 two] b=[1 two] c=one\ntwo\n d={e=f}}");
        assert_eq!(parsed(""), "-");
        assert_eq!(parsed("# nothing\n"), "-");
        assert_eq!(parsed("---\na: b\n...\n"), "{a=b}");
    }

    #[test]
    fn unsupported_yaml_is_refused_with_its_position() {
        for (text, reason) in [
            ("a: 1\na: 2\n", "2:1 the key 'a' is given twice"),
            (
                "a: 1\n---\nb: 2\n",
                "3:1 a second document begins here; remove the line ---",
            ),
            (
                "a: !include b.yaml\n",
                "1:4 tags are not supported; put quotes around a value that begins with '!'",
            ),
            ("? [a]\n: b\n", "1:3 a key must be a text"),
            ("a: &x [*x]\n", "1:8 an alias without an anchor"),
        ] {
            assert_eq!(parsed(text), reason, "{text}");
        }
    }

    #[test]
    fn every_setting_has_its_line_and_column() {
        let text = "port: 8000\n\npolicy:\n  - name: a\n  - {name: b,\n     routes: x}\nvault: sqlite\n'a b': 1\n";
        let (_, places) = parse(text).unwrap();
        for (path, place) in [
            ("port", (1, 1)),
            ("policy", (3, 1)),
            ("policy.rules[0].name", (4, 5)),
            ("policy.rules[1]", (5, 5)),
            ("policy.rules[1].routes", (6, 6)),
            ("policy.rules[1].routes.zzz[0]", (6, 6)),
            ("vault.type", (7, 1)),
            ("…", (8, 1)),
        ] {
            assert_eq!(places.of(path), Some(place), "{path}");
        }
        assert_eq!(places.of("proxy.upstream"), None);
    }

    #[test]
    fn no_error_quotes_the_text() {
        for text in [
            "key: hunter2: x",
            "key: \"hunter2",
            "key: 'hunter2",
            "key: [hunter2",
            "key: {hunter2",
            "key: *hunter2",
            "key: \"hunter2\\q\"",
            "key:\n\thunter2: x",
            "key: &hunter2\n  *hunter2",
            "key: !hunter2!x y",
            "key: hunter2\n- x",
        ] {
            match parse(text) {
                Err(error) => assert!(!error.reason.contains("hunter2"), "{error:?}"),
                Ok(_) => panic!("{text} is taken"),
            }
        }
    }

    /// Messages were once the parser's own, such as "did not find expected key".
    #[test]
    fn errors_say_what_to_do() {
        for (text, advice) in [
            ("a:\n\tb: c", "indent with spaces, not with tabs"),
            ("a\n  b: c", "add a colon to the line above"),
            ("a: b: c", "put quotes around a value that contains ': '"),
            (
                "a:\n  b: c\n d: e",
                "indent this line as the settings above it",
            ),
            ("a: \"\\d\"", "or use single quotes"),
            ("a: 'b", "the quotation mark here is never closed"),
            ("a: \"b\" c", "put quotes around the whole value"),
            ("a: - b", "put each item of a list on a line of its own"),
            ("a: [b, c", "the closing ']' is missing"),
            ("a: {b: c", "the closing '}' is missing"),
            ("a: b\n}", "this bracket closes nothing"),
            ("a: b\n<<<<<<< HEAD\nc: d", "this is not a setting"),
            ("a: @b", SIGN),
            ("a: *b", SIGN),
            ("a: %b", SIGN),
        ] {
            let shown = parsed(text);
            assert!(shown.contains(advice), "{text:?}: {shown}");
        }
    }

    /// The parser is a dependency, so this test checks that it never panics.
    #[test]
    fn damaged_files_are_refused_without_crashing() {
        let pieces: &[&str] = &[
            "a", ": ", ":", "- ", "-", "\n", "\n  ", "[", "]", "{", "}", ",", "'", "\"", "\\", "|",
            ">", "&x ", "*x", "!", "!!str ", "#", "%", "@", "`", "?", "? ", "~", "---", "...",
            "\t", "\r", "é", "\u{feff}", "\u{2028}", "\0", "|2-\n", ">+\n", "<<", "\\x4", "\\u00",
            "=", "--- |\n",
        ];
        let mut state = 1_u64;
        for _ in 0..60_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let pick = usize::try_from(state >> 33).unwrap() % pieces.len();
                text += pieces[pick];
            }
            let _ = parse(&text);
        }
    }

    #[test]
    fn aliases_cannot_fill_the_memory() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let alias = format!("*a{}, ", level - 1).repeat(10);
            bomb.extend([format!("a{level}: &a{level} [{alias}]\n")]);
        }
        assert_eq!(
            parse(&bomb).unwrap_err().reason,
            "aliases make this too large"
        );
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&format!("a: {}", "{a: ".repeat(1000))).is_err());
    }
}
