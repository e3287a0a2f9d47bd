//! Patients and their relatives in messages of hospitals (HL7 version 2): `PID|1||4711||Doe^Jane||19610615|F|…`.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// Longest field, in bytes.
const LONGEST: usize = 256;

/// A segment that names people: how it begins, and what its fields hold, by their number.
struct Segment {
    start: &'static str,
    fields: &'static [(usize, EntityType)],
}

/// Segments of patients, of relatives, and of those who pay.
const SEGMENTS: [Segment; 3] = [
    Segment {
        start: "PID|",
        fields: &[
            (2, EntityType::HEALTH_ID),
            (3, EntityType::HEALTH_ID),
            (4, EntityType::HEALTH_ID),
            (5, EntityType::PERSON),
            (6, EntityType::PERSON),
            (7, EntityType::DATE_OF_BIRTH),
            (9, EntityType::PERSON),
            (11, EntityType::ADDRESS),
            (13, EntityType::PHONE),
            (14, EntityType::PHONE),
            (18, EntityType::HEALTH_ID),
            (19, EntityType::NATIONAL_ID),
            (20, EntityType::DRIVER_LICENSE),
        ],
    },
    Segment {
        start: "NK1|",
        fields: &[
            (2, EntityType::PERSON),
            (4, EntityType::ADDRESS),
            (5, EntityType::PHONE),
            (6, EntityType::PHONE),
            (16, EntityType::DATE_OF_BIRTH),
        ],
    },
    Segment {
        start: "GT1|",
        fields: &[
            (3, EntityType::PERSON),
            (5, EntityType::ADDRESS),
            (6, EntityType::PHONE),
            (7, EntityType::PHONE),
            (8, EntityType::DATE_OF_BIRTH),
            (12, EntityType::NATIONAL_ID),
        ],
    },
];

/// The beginnings of the segments, which the scan searches for.
pub(in crate::detect) const STARTS: [&str; SEGMENTS.len()] =
    [SEGMENTS[0].start, SEGMENTS[1].start, SEGMENTS[2].start];

/// Reports the fields of the segment that begins at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let starts_so = |segment: &&Segment| {
        let own = bytes::slice(text, start, start + segment.start.len());
        own == segment.start.as_bytes()
    };
    let Some(segment) = SEGMENTS.iter().find(starts_so) else {
        return;
    };
    if bytes::is_word(before(text, start)) {
        return;
    }
    let mut from = start + segment.start.len();
    let last = segment.fields.last().map_or(0, |(number, _)| *number);
    for number in 1..=last {
        let length = bytes::run(text, from, LONGEST, |byte| !b"|\r\n".contains(&byte));
        let kinds = segment.fields.iter();
        for (_, entity) in kinds.filter(|(own, _)| *own == number) {
            if let Some(span) = value(text, from..from + length, entity) {
                scanner.push(Detection {
                    start: span.start,
                    end: span.end,
                    entity: entity.clone(),
                    score: Score::percent(90),
                    rule: "hl7",
                });
            }
        }
        from += length;
        if at(text, from) != b'|' {
            return;
        }
        from += 1;
    }
}

/// The part of a field that says something: all components of names and addresses, the first one of others.
fn value(text: &[u8], field: Range<usize>, entity: &EntityType) -> Option<Range<usize>> {
    let whole = bytes::slice(text, field.start, field.end);
    let is_whole = [EntityType::PERSON, EntityType::ADDRESS].contains(entity);
    let length = whole
        .iter()
        .position(|byte| *byte == b'~' || *byte == b'^' && !is_whole)
        .unwrap_or(whole.len());
    let value = bytes::slice(whole, 0, length);
    let fill = value.iter().rev();
    let length = length - fill.take_while(|byte| b"^ ".contains(byte)).count();
    let value = bytes::slice(whole, 0, length);
    let is_said = if *entity == EntityType::PERSON {
        value
            .iter()
            .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
    } else {
        value.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
    };
    is_said.then_some(field.start..field.start + length)
}
