//! Surrogates for dates of birth: another day, up to some years off, in the same format.

use super::KeyedSequence;

/// The maximum difference in years.
const YEARS: usize = 3;

pub(super) fn drawn(draw: &mut KeyedSequence, value: &str) -> Option<String> {
    let groups: Vec<&str> = value
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .collect();
    let is_year = |group: &&str| {
        let year = group.parse().unwrap_or(0_usize);
        group.len() == 4 && (1900..2100).contains(&year)
    };
    let mut years = groups.iter().copied().filter(is_year);
    let (year, other_year) = (years.next()?.parse::<usize>().ok()?, years.next());
    let days: Vec<&str> = groups
        .iter()
        .copied()
        .filter(|group| !is_year(group))
        .collect();
    let are_days = days.iter().all(|day| {
        let number = day.parse().unwrap_or(0_usize);
        day.len() <= 2 && (1..=31).contains(&number)
    });
    if other_year.is_some() || !are_days || !(1..=2).contains(&days.len()) {
        return None;
    }
    let is_padded = days.iter().all(|day| day.len() == 2);
    let mut drawn = groups.iter().map(|group| {
        if is_year(group) {
            return (year - YEARS + draw.below(2 * YEARS + 1)).to_string();
        }
        day(draw, group, days.len() == 1, is_padded)
    });
    let mut out = String::with_capacity(value.len());
    let mut was_digit = false;
    for c in value.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !was_digit {
            out.push_str(&drawn.next()?);
        }
        was_digit = c.is_ascii_digit();
    }
    Some(out)
}

/// A day, or a month, with the same number of digits. The order of both is as ambiguous as before.
fn day(draw: &mut KeyedSequence, group: &str, is_alone: bool, is_padded: bool) -> String {
    let number = group.parse().unwrap_or(1_usize);
    let last = if is_alone { 28 } else { 12 };
    match group.len() {
        1 => draw.between(1, 9).to_string(),
        _ if number > 12 && !is_alone => draw.between(13, 28).to_string(),
        _ if is_padded && (!is_alone || number < 10) => {
            format!(
                "{:02}",
                draw.between(1, last.min(if is_alone { 9 } else { 12 }))
            )
        }
        _ => draw.between(10, last).to_string(),
    }
}
