//! A route that matches every path with a given ending.

use super::Route;
use super::path;

/// An ending, segment by segment, the last one first.
#[derive(Debug)]
pub(super) struct Pattern {
    segments: Vec<Segment>,
    pub(super) route: Route,
}

#[derive(Debug)]
enum Segment {
    /// `*`
    Any,
    /// `*:verb`, with its colon.
    Verb(Vec<u8>),
    /// `*:*`
    AnyVerb,
    /// `{account}`: 32 hex digits.
    Account,
    Literal(Vec<u8>),
}

impl Pattern {
    pub(super) fn new(route: Route) -> Self {
        let canonical = path::canonical(&route.path);
        let segments = canonical.rsplit(|byte| *byte == b'/');
        let segments = segments.filter(|segment| !segment.is_empty());
        Self {
            segments: segments.map(Segment::read).collect(),
            route,
        }
    }

    /// Whether a canonical path ends so. The root ends no other path.
    pub(super) fn holds(&self, canonical: &[u8]) -> bool {
        if self.segments.is_empty() {
            return canonical.is_empty();
        }
        let mut segments = canonical.rsplit(|byte| *byte == b'/');
        self.segments.iter().all(|segment| {
            let of_path = segments.next().unwrap_or_default();
            !of_path.is_empty() && segment.is(of_path)
        })
    }

    /// Lower for more specific patterns, the order in which they are tried: segment by segment from
    /// the end, where a name is more specific than `*`. So `/models/*/*` does not take
    /// `/chat/completions`.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        let segments = self.segments.iter().map(Segment::openness);
        segments.chain([Openness::Beyond]).collect::<Vec<_>>()
    }
}

/// How specific a pattern is about a segment, from most to least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Openness {
    Named,
    Account,
    Verb,
    AnyVerb,
    Any,
    Beyond,
}

impl Segment {
    fn read(text: &[u8]) -> Self {
        match text.strip_prefix(b"*") {
            Some(b"") => Self::Any,
            None if text == b"{account}" => Self::Account,
            Some(b":*") => Self::AnyVerb,
            Some(verb) if verb.starts_with(b":") => Self::Verb(verb.to_owned()),
            _ => Self::Literal(text.to_owned()),
        }
    }

    fn openness(&self) -> Openness {
        match self {
            Self::Literal(_) => Openness::Named,
            Self::Verb(_) => Openness::Verb,
            Self::Account => Openness::Account,
            Self::AnyVerb => Openness::AnyVerb,
            Self::Any => Openness::Any,
        }
    }

    fn is(&self, segment: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Verb(verb) => segment.ends_with(verb),
            Self::AnyVerb => segment.contains(&b':'),
            Self::Account => segment.len() == 32 && segment.iter().all(u8::is_ascii_hexdigit),
            Self::Literal(text) => segment == text,
        }
    }
}
