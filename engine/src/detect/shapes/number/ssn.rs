//! US social security numbers.

use super::{Cluster, Gap};
use crate::EntityType;
use crate::detect::shapes::context::{self, Words};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};

#[rustfmt::skip]
static CONTEXT: Words = Words::of(&[
    "ssn", "social", "soc sec", "soc. sec", "seguro social", "itin", "tin", "taxpayer", "tax id",
    "sozialversicherung", "us_ssn", "ss#", "ss #", "ssid",
]);
/// Words before a number of another kind with the same dashes.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "order", "invoice", "part", "sku", "model", "serial", "catalog", "ref", "ticket", "tracking", "isbn", "phone", "tel",
    "telephone", "fax", "mobile", "cell", "product", "version", "stock", "item",
];
/// From here on numbers have the areas that only taxpayer numbers are issued in.
const TAXPAYERS: u32 = 900_000_000;
/// How far above a table's header may be, in bytes.
const TABLE: usize = 600;

/// Reports the number at a group; returns the number of its groups.
pub(super) fn find(
    scanner: &mut Scanner<'_, '_>,
    cluster: &Cluster<'_>,
    index: usize,
) -> Option<usize> {
    let count = shape(cluster, index)?;
    if !cluster.starts_free(index) || !cluster.ends_free(index + count - 1) {
        return None;
    }
    let mut digits = [0; 9];
    for (to, digit) in digits.iter_mut().zip(cluster.values(index, count)) {
        *to = digit;
    }
    let number = digits
        .iter()
        .fold(0u32, |number, &digit| number * 10 + u32::from(digit));
    let (start, end) = (
        cluster.group(index).start,
        cluster.group(index + count - 1).end,
    );
    let near = cluster.follows(start, context::BACK, &CONTEXT);
    let dashed = count == 3 && cluster.gap(index) == Gap::Dash;
    let named = || near || dashed && context::above(cluster.text, start, TABLE, &CONTEXT);
    // What has the dashes of such a number is one. From 900 on the areas are those of taxpayers, and words may deny it.
    let written =
        || dashed && (number < TAXPAYERS || !context::is_labelled(cluster.text, start, OTHERS));
    let accepted = is_possible(number) && (written() || named());
    if !accepted {
        return None;
    }
    scanner.push(Detection {
        start,
        end,
        entity: EntityType::SSN,
        score: Score::percent(if near { 95 } else { 80 }),
        rule: if dashed { "ssn" } else { "ssn-undashed" },
    });
    Some(count)
}

/// `123-45-6789`, `123 45 6789`, `123.45.6789` or nine digits.
fn shape(cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    match cluster.group(index).len() {
        9 => return Some(1),
        3 => {}
        _ => return None,
    }
    let joined = |gap| cluster.joined(index, 3, gap);
    (cluster.is_shaped(index, 3, [3, 2, 4])
        && [Gap::Dash, Gap::Space, Gap::Dot].into_iter().any(joined))
    .then_some(3)
}

/// Neither an area, a group nor a serial is all zeros, and the area is not 666.
const fn is_possible(number: u32) -> bool {
    let (area, group, serial) = (number / 1_000_000, number / 10_000 % 100, number % 10_000);
    area != 0 && area != 666 && group != 0 && serial != 0
}
