//! Merges overlapping detections into one span.

use crate::EntityType;
use crate::detect::Detection;

/// Sorts detections and joins those that overlap.
///
/// The joined span covers both; type, score and rule are the longest one's. `SECRET` and
/// `URL_CREDENTIAL` say least about a value, so a more specific type wins over them from half the length on; of equally long
/// ones the more specific wins.
///
/// ```
/// use engine::{Detectors, detect};
///
/// let mut found = Vec::new();
/// Detectors::built_in().detect("mail alice@example.com", None, &mut found);
/// let merged = detect::merge(found);
/// assert_eq!((merged[0].start, merged[0].end), (5, 22));
/// ```
#[must_use]
pub fn merge(mut detections: Vec<Detection>) -> Vec<Detection> {
    detections.sort_by_key(|detection| (detection.start, std::cmp::Reverse(detection.end)));
    let mut merged: Vec<(Detection, usize)> = Vec::with_capacity(detections.len());
    for next in detections {
        match merged.last_mut() {
            Some((last, weight)) if next.start < last.end => join(last, weight, next),
            _ => {
                let weight = next.end - next.start;
                merged.push((next, weight));
            }
        }
    }
    merged.into_iter().map(|(detection, _)| detection).collect()
}

/// Extends `last`, whose type was decided by a span of `weight` bytes.
fn join(last: &mut Detection, weight: &mut usize, next: Detection) {
    let length = next.end - next.start;
    let end = last.end.max(next.end);
    let (own, other) = (rank(&last.entity), rank(&next.entity));
    let wins = match (own, other) {
        (own, other) if own == other => (length, next.score) > (*weight, last.score),
        (SECRET..=VAGUE, SPECIFIC..) => length * 2 >= *weight,
        (SPECIFIC.., SECRET..=VAGUE) => length > *weight * 2,
        (own, other) => (length, other) > (*weight, own),
    };
    if wins {
        *weight = length;
        let start = last.start;
        *last = next;
        last.start = start;
    }
    last.end = end;
}

/// The ranks of types that say least about a value, and the lowest of those that say more. Names come before them: of
/// what they overlap, the longest wins.
const SECRET: u8 = 1;
const VAGUE: u8 = 2;
const SPECIFIC: u8 = 3;

/// How much a type says about a value.
fn rank(entity: &EntityType) -> u8 {
    match entity.as_str() {
        "PERSON" | "LOCATION" | "ORGANIZATION" => 0,
        "SECRET" => SECRET,
        "URL_CREDENTIAL" => VAGUE,
        // A number of sixteen digits looks like an id as well.
        "LITERAL" => SPECIFIC,
        "PHONE" | "ADDRESS" => 4,
        "AUTH_TOKEN" | "BANK_ACCOUNT" | "NATIONAL_ID" | "PASSPORT" | "DRIVER_LICENSE"
        | "TAX_ID" | "HEALTH_ID" | "DATE_OF_BIRTH" | "LICENSE_PLATE" => 5,
        "EMAIL" | "IP_ADDRESS" | "SSN" | "CREDIT_CARD" => 6,
        "API_KEY" => 7,
        "JWT" | "PRIVATE_KEY" => 8,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    fn detection(start: usize, end: usize, entity: EntityType) -> Detection {
        Detection {
            start,
            end,
            entity,
            score: Score::MAX,
            rule: "test",
        }
    }

    fn merged(detections: &[Detection]) -> Vec<(usize, usize, EntityType)> {
        merge(detections.to_vec())
            .into_iter()
            .map(|detection| (detection.start, detection.end, detection.entity))
            .collect()
    }

    #[test]
    fn overlapping_detections_merge_into_the_type_of_the_longest() {
        let found = [
            detection(3, 8, EntityType::PHONE),
            detection(0, 5, EntityType::EMAIL),
            detection(4, 20, EntityType::IP_ADDRESS),
        ];
        assert_eq!(merged(&found), [(0, 20, EntityType::IP_ADDRESS)]);
    }

    #[test]
    fn adjacent_detections_stay_separate_and_duplicates_merge() {
        let found = [
            detection(5, 9, EntityType::EMAIL),
            detection(0, 5, EntityType::EMAIL),
            detection(0, 5, EntityType::EMAIL),
        ];
        assert_eq!(
            merged(&found),
            [(0, 5, EntityType::EMAIL), (5, 9, EntityType::EMAIL)]
        );
    }

    #[test]
    fn a_name_inside_a_value_keeps_the_values_type() {
        for entity in [EntityType::SECRET, EntityType::EMAIL] {
            let found = [
                detection(0, 10, entity.clone()),
                detection(1, 9, EntityType::PERSON),
            ];
            assert_eq!(merged(&found), [(0, 10, entity)]);
        }
    }

    #[test]
    fn a_specific_type_wins_over_a_general_one() {
        for (general, specific) in [
            (EntityType::SECRET, EntityType::API_KEY),
            (EntityType::URL_CREDENTIAL, EntityType::API_KEY),
            (EntityType::PHONE, EntityType::CREDIT_CARD),
            (EntityType::AUTH_TOKEN, EntityType::JWT),
            (EntityType::LITERAL, EntityType::CREDIT_CARD),
        ] {
            for order in [[&general, &specific], [&specific, &general]] {
                let found = order.map(|entity| detection(2, 9, entity.clone()));
                assert_eq!(merged(&found), [(2, 9, specific.clone())]);
            }
        }
    }
}
