//! Values assigned to a secret-looking name, or near one.

mod accounts;
mod adverbs;
mod ahead;
mod announced;
mod assignment;
mod belonging;
mod between;
mod called;
mod codes;
mod column;
mod cookies;
mod edits;
mod escapes;
mod fallback;
mod fields;
mod flag;
mod lines;
mod list;
mod markup;
mod nearby;
mod one_time;
mod others;
mod phrase;
mod piped;
mod prose;
mod seed;
mod unnamed;
mod value_span;
mod wifi;
mod words;

use crate::EntityType;
use crate::detect::judge::{self, Candidate, Form, Judged, Place};
use crate::detect::lexicon::name::{Name, STEMS};
use crate::detect::lexicon::public;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score, bytes};
use assignment::Assignment;
pub(in crate::detect) use called::opening_quote;
use std::ops::Range;
pub(in crate::detect) use unnamed::{PHRASES, scan as scan_phrase, scan_after_email};
use value_span::Span;

/// How much of a value is judged, in bytes.
const JUDGED: usize = 256;
/// Shortest value that counts as a secret, in bytes.
const SHORTEST: usize = 4;
/// Shortest value of a list of values of one length that is like the others, in bytes.
const LONG_ALIKE: usize = 16;
const COOKIE: &str = "cookie";

/// Examines the name around a stem.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, stem: u16, at: usize) {
    let Some(stem) = STEMS.get(usize::from(stem)) else {
        return;
    };
    let is_wallet = seed::NAMES.contains(stem);
    let (is_cookie, lists_codes) = (*stem == COOKIE, codes::NAMES.contains(stem));
    let stem = Name::stem(stem, at);
    if stem.start < scanner.marks.public_until {
        return;
    }
    if is_cookie && cookies::scan(scanner, &stem) || lists_codes && scan_codes(scanner, &stem) {
        return;
    }
    if is_wallet && let Some(phrase) = seed::phrase(scanner.text, stem.end) {
        push(scanner, &phrase, Score::percent(90), "seed-phrase");
        return;
    }
    if is_decided(scanner, &stem) {
        return;
    }
    let Some(range) = nearby::find(scanner, &stem) else {
        return;
    };
    if scanner.marks.nearby_value == range || scanner.marks.rejected.contains(&range.start) {
        return;
    }
    let Some(name) = Name::ending(scanner.text, stem) else {
        return;
    };
    let span = Span {
        start: range.start,
        end: range.end,
        quoted: false,
        is_template: false,
    };
    let value = head(scanner.str(range.start, range.end));
    let candidate = candidate(scanner.text, &name, Form::Near, &span, value);
    let class = scanner.class(range.start, value);
    if let Some(score) = judged(&mut scanner.judged, &candidate, &class) {
        push(scanner, &range, score, "nearby-secret");
        scanner.marks.nearby_value = range;
    }
}

/// Examines the codes listed after a name; returns whether there are any.
fn scan_codes(scanner: &mut Scanner<'_, '_>, stem: &Range<usize>) -> bool {
    let Some(codes) = codes::codes(scanner.text, stem.end, scanner.marks.codes_until) else {
        return true;
    };
    if let Some(last) = codes.last() {
        scanner.marks.codes_until = last.end;
    }
    for code in &codes {
        push(scanner, code, Score::percent(80), "recovery-code");
    }
    !codes.is_empty()
}

/// Whether what is assigned to the name around a stem is decided.
fn is_decided(scanner: &mut Scanner<'_, '_>, stem: &Range<usize>) -> bool {
    let name = Name::extent(scanner.text, stem);
    if scanner.marks.last_name.range != name {
        scanner.marks.last_name = scanner
            .marks
            .last_name
            .followed_by(scanner.text, name.clone());
        scanner.marks.last_name.is_decided = scan_beside(scanner, &name);
    }
    scanner.marks.last_name.is_decided
}

/// The meaning of a name.
fn named(scanner: &Scanner<'_, '_>, name: Range<usize>) -> Option<Name> {
    let last = &scanner.marks.last_name;
    if last.range != name {
        return Name::of(scanner.text, name);
    }
    let judged = last.judged.get_or_init(|| Name::of(scanner.text, name));
    judged.clone()
}

/// Examines values below or beside a name; returns whether it is decided. Most names have no value,
/// which is found out before the name is judged.
fn scan_beside(scanner: &mut Scanner<'_, '_>, name: &Range<usize>) -> bool {
    if column::scan(scanner, name) {
        return true;
    }
    if let Some((name, assignment)) = piped::into_file(scanner.text, name)
        && decide(scanner, &name, &assignment)
    {
        return true;
    }
    if let Some(assignment) = assignment::assignment(scanner, name) {
        let is_decided = decide(scanner, name, &assignment);
        if let Some(other) = assignment::other(scanner.text, name, &assignment) {
            decide(scanner, name, &other);
        }
        return is_decided;
    }
    scan_list(scanner, name);
    false
}

/// Examines a value that a command assigns to the name in another of its arguments; returns whether
/// it is decided.
pub(in crate::detect) fn scan_pair(
    scanner: &mut Scanner<'_, '_>,
    name: Range<usize>,
    value: &Range<usize>,
) -> bool {
    let span = Span::quoted(value.clone());
    let form = Form::Pair;
    decide(scanner, &name, &Assignment { form, span })
}

/// Whether what a call or command is given in the place of a password is one, although it may be a word.
pub(in crate::detect) fn is_given(
    scanner: &mut Scanner<'_, '_>,
    range: &Range<usize>,
    form: Form,
) -> bool {
    const NAME: &str = "password";
    let Some(name) = Name::whole(NAME) else {
        return false;
    };
    let candidate = Candidate {
        name: &name,
        named: NAME.as_bytes(),
        form,
        value: head(scanner.str(range.start, range.end)),
        quoted: form == Form::Argument,
        is_template: false,
        place: Some(Place {
            text: scanner.text,
            name: range.start..range.start,
            value: range.clone(),
        }),
    };
    judged_alone(&mut scanner.judged, &candidate).is_some()
}

/// Examines a whole text that is assigned to `name`.
pub(in crate::detect) fn scan_whole(scanner: &mut Scanner<'_, '_>, named: &str, text: &str) {
    let Some(name) = Name::whole(named) else {
        return;
    };
    // A key that was read from a file ends with its line.
    let own = text.trim();
    let start = text.len() - text.trim_start().len();
    let value = head(own);
    let candidate = Candidate {
        named: named.as_bytes(),
        form: Form::Whole,
        value,
        quoted: true,
        is_template: false,
        place: None,
        name: &name,
    };
    if let Some(score) = judged_in_lines(&mut scanner.judged, &candidate, &Value::of(value)) {
        push(
            scanner,
            &(start..start + own.len()),
            score,
            "assigned-secret",
        );
    }
}

/// Examines the values of a list that is assigned to a name.
fn scan_list(scanner: &mut Scanner<'_, '_>, name: &Range<usize>) {
    let mut values = list::values(scanner.text, name.end);
    let of_users = values.is_empty();
    if of_users {
        values = list::of_users(scanner.text, name.end);
    }
    if values.is_empty() {
        return;
    }
    let Some(name) = Name::of_several(scanner.text, name.clone()) else {
        return;
    };
    // What else is kept by name may be anything.
    if of_users && !name.is_password {
        return;
    }
    let mut score = |value: &Span| {
        let text = head(scanner.str(value.start, value.end));
        let candidate = candidate(scanner.text, &name, Form::List, value, text);
        judged_alone(&mut scanner.judged, &candidate)
    };
    let scores: Vec<_> = values.iter().map(&mut score).collect();
    let known = scores.iter().flatten().count();
    // Among many generated values, some look less random than others.
    let lengths = || values.iter().map(|value| value.end - value.start);
    let are_alike = known * 2 > values.len()
        && lengths().min() == lengths().max()
        && lengths().min() >= Some(LONG_ALIKE);
    for (value, score) in values.iter().zip(scores) {
        if let Some(score) = score.or(are_alike.then_some(Score::percent(55))) {
            push(scanner, &(value.start..value.end), score, "assigned-secret");
        }
    }
}

/// Whether the value beside a name is decided: a secret, or for another detector.
fn decide(scanner: &mut Scanner<'_, '_>, name: &Range<usize>, assignment: &Assignment) -> bool {
    // The user of a URL; its password is found by itself.
    if bytes::slice(scanner.text, name.start.saturating_sub(3), name.start) == b"://" {
        return true;
    }
    let range = value_span::to_its_end(scanner.text, name, &assignment.span);
    let value = head(scanner.str(range.start, range.end));
    let is_again = !assignment.span.quoted && is_assigned_again(scanner.text, name, value);
    if value.len() < SHORTEST
        || is_again
        || is_constant(scanner.text, name, assignment, value)
        || others::is_one(scanner.text, name, assignment, value)
    {
        return false;
    }
    let Some(name) = named(scanner, name.clone()) else {
        return false;
    };
    let candidate = candidate(
        scanner.text,
        &name,
        assignment.form,
        &assignment.span,
        value,
    );
    let class = scanner.class(range.start, value);
    let Some(score) = judged_in_lines(&mut scanner.judged, &candidate, &class) else {
        scanner.marks.rejected = range;
        return false;
    };
    let is_public = public::is_in_resource_name(scanner.text, name.range.start)
        || value.len() == public::SUM && public::is_listed_sum(scanner.text, name.range.start);
    if is_public {
        return true;
    }
    let field = || assignment::with_words(scanner.text, &name.range, assignment);
    let phrase = phrase::whole(scanner.text, assignment.form, &range)
        .or_else(|| field().map(|whole| whole.span.start..whole.span.end));
    let phrase = phrase.filter(|_| name.is_password && !assignment.span.quoted);
    push(
        scanner,
        &phrase.unwrap_or_else(|| range.clone()),
        score,
        "assigned-secret",
    );
    if matches!(assignment.form, Form::Far | Form::BeforeName)
        && let Some(second) = prose::second(scanner.text, range.end)
    {
        push(
            scanner,
            &(second.start..second.end),
            score,
            "assigned-secret",
        );
    }
    true
}

/// `password=password=x`: the same or another name follows, and has the value.
fn is_assigned_again(text: &[u8], name: &Range<usize>, value: &str) -> bool {
    const LONGEST: usize = 64;
    let own = bytes::slice(text, name.start, name.end);
    let value = value.as_bytes();
    let rest = value.strip_prefix(own).unwrap_or_default();
    if matches!(rest, [b'=' | b':', _, ..]) {
        return true;
    }
    // A run of this length is the value of the last of many names.
    let other = bytes::run(value, 0, LONGEST, |byte| {
        bytes::is_word(byte) || byte == b'-'
    });
    value.len() == JUDGED && bytes::at(value, other) == b'=' && Name::of(value, 0..other).is_some()
}

/// `ERROR_INVALID_KEY: u32 = 2150858820`, `DW_AT_pass = 0x2227`, `= CODE(3i32)`: a number as code defines it.
fn is_constant(text: &[u8], name: &Range<usize>, assignment: &Assignment, value: &str) -> bool {
    let Assignment { form, span } = *assignment;
    let of_type = value
        .strip_suffix(')')
        .and_then(|call| call.split_once('('));
    let number = of_type.map_or(value, |(_, number)| number);
    let between = || bytes::slice(text, name.end, span.start).trim_ascii_end();
    form == Form::Spaced
        && !span.quoted
        && (public::is_literal(number) || public::is_integer_type(between()))
}

fn candidate<'t>(
    text: &'t [u8],
    name: &'t Name,
    form: Form,
    span: &Span,
    value: &'t str,
) -> Candidate<'t> {
    Candidate {
        named: bytes::slice(text, name.range.start, name.range.end),
        name,
        form,
        value,
        quoted: span.quoted,
        is_template: span.is_template,
        place: Some(Place {
            text,
            name: name.range.clone(),
            value: span.start..span.end,
        }),
    }
}

/// The score of a candidate whose value nothing is known of yet.
fn judged_alone(sink: &mut Option<Vec<Judged>>, candidate: &Candidate<'_>) -> Option<Score> {
    judged(sink, candidate, &Value::of(candidate.value))
}

/// The score of a candidate, whose value has this class; keeps the verdict if it is needed later.
fn judged(
    sink: &mut Option<Vec<Judged>>,
    candidate: &Candidate<'_>,
    class: &Value<'_>,
) -> Option<Score> {
    if let Some(sink) = sink {
        let judged = judge::explain(candidate, class);
        let score = judged.score();
        sink.push(judged);
        return score;
    }
    judge::judge(candidate, class)
}

/// The same where a value has several lines or fields: as a whole, or by one of its words if it consists of nothing
/// else. Prose is judged by its first line.
fn judged_in_lines(
    sink: &mut Option<Vec<Judged>>,
    whole: &Candidate<'_>,
    class: &Value<'_>,
) -> Option<Score> {
    let score = judged(sink, whole, class);
    if score.is_some() {
        return score;
    }
    if let Some(value) = escapes::unescaped(whole) {
        let value = &*value;
        return judged_in_lines(
            sink,
            &Candidate {
                value,
                ..whole.clone()
            },
            &Value::of(value),
        );
    }
    if !whole.value.contains(['\n', '\r', '\t']) {
        return None;
    }
    let lines = whole.value.split(['\n', '\r', '\t']).map(str::trim);
    let lines = || lines.clone().filter(|line| !line.is_empty());
    let are_words = lines().all(|line| !line.contains(' '));
    let first = lines().take(if are_words { usize::MAX } else { 1 });
    let of_line = |value| {
        judged_alone(
            sink,
            &Candidate {
                value,
                ..whole.clone()
            },
        )
    };
    first.filter_map(of_line).max()
}

/// As much of a value as is needed to judge it.
fn head(value: &str) -> &str {
    value
        .get(..value.floor_char_boundary(JUDGED))
        .unwrap_or(value)
}

fn push(scanner: &mut Scanner<'_, '_>, range: &Range<usize>, score: Score, rule: &'static str) {
    scanner.push(Detection {
        start: range.start,
        end: range.end,
        entity: EntityType::SECRET,
        score,
        rule,
    });
}
