//! Country calling codes and the lengths of national numbers.
//!
//! Source: ITU-T E.164 assigned codes, and lengths from national numbering plans, widened for
//! service numbers.

/// Calling code, shortest and longest national number in digits.
const COUNTRIES: &[(u16, u8, u8)] = &[
    (1, 10, 10),
    (7, 10, 10),
    (20, 8, 10),
    (27, 9, 9),
    (30, 10, 10),
    (31, 8, 11),
    (32, 8, 9),
    (33, 9, 9),
    (34, 9, 9),
    (36, 8, 9),
    (39, 6, 12),
    (40, 9, 9),
    (41, 9, 12),
    (43, 5, 13),
    (44, 9, 10),
    (45, 8, 8),
    (46, 7, 10),
    (47, 8, 8),
    (48, 9, 9),
    (49, 6, 13),
    (51, 8, 9),
    (52, 10, 11),
    (53, 6, 8),
    (54, 10, 11),
    (55, 10, 11),
    (56, 9, 9),
    (57, 8, 11),
    (58, 10, 10),
    (60, 8, 10),
    (61, 9, 10),
    (62, 7, 12),
    (63, 8, 11),
    (64, 8, 10),
    (65, 8, 11),
    (66, 8, 9),
    (81, 9, 10),
    (82, 8, 10),
    (84, 9, 10),
    (86, 9, 12),
    (90, 10, 10),
    (91, 10, 10),
    (92, 8, 10),
    (93, 9, 9),
    (94, 9, 9),
    (95, 7, 10),
    (98, 8, 10),
    (211, 9, 9),
    (212, 9, 9),
    (213, 8, 9),
    (216, 8, 8),
    (218, 8, 9),
    (220, 7, 7),
    (221, 9, 9),
    (222, 8, 8),
    (223, 8, 8),
    (224, 8, 9),
    (225, 8, 10),
    (226, 8, 8),
    (227, 8, 8),
    (228, 8, 8),
    (229, 8, 10),
    (230, 7, 8),
    (231, 7, 9),
    (232, 8, 8),
    (233, 8, 9),
    (234, 8, 10),
    (235, 8, 8),
    (236, 8, 8),
    (237, 8, 9),
    (238, 7, 7),
    (239, 7, 7),
    (240, 9, 9),
    (241, 7, 8),
    (242, 9, 9),
    (243, 7, 9),
    (244, 9, 9),
    (245, 7, 9),
    (246, 7, 7),
    (247, 4, 6),
    (248, 7, 7),
    (249, 9, 9),
    (250, 8, 9),
    (251, 9, 9),
    (252, 7, 9),
    (253, 8, 8),
    (254, 7, 10),
    (255, 9, 9),
    (256, 9, 9),
    (257, 8, 8),
    (258, 8, 9),
    (260, 9, 9),
    (261, 9, 9),
    (262, 9, 9),
    (263, 8, 10),
    (264, 8, 9),
    (265, 7, 9),
    (266, 8, 8),
    (267, 7, 8),
    (268, 8, 8),
    (269, 7, 7),
    (290, 4, 5),
    (291, 7, 7),
    (297, 7, 7),
    (298, 6, 6),
    (299, 6, 6),
    (350, 8, 8),
    (351, 9, 9),
    (352, 4, 11),
    (353, 7, 10),
    (354, 7, 9),
    (355, 8, 9),
    (356, 8, 8),
    (357, 8, 8),
    (358, 5, 12),
    (359, 7, 9),
    (370, 8, 8),
    (371, 8, 8),
    (372, 7, 8),
    (373, 8, 8),
    (374, 8, 8),
    (375, 9, 10),
    (376, 6, 9),
    (377, 8, 9),
    (378, 6, 10),
    (380, 9, 9),
    (381, 6, 12),
    (382, 8, 9),
    (383, 8, 9),
    (385, 8, 9),
    (386, 8, 8),
    (387, 8, 9),
    (389, 8, 8),
    (420, 9, 9),
    (421, 9, 9),
    (423, 7, 9),
    (500, 5, 5),
    (501, 7, 7),
    (502, 8, 8),
    (503, 8, 8),
    (504, 8, 8),
    (505, 8, 8),
    (506, 8, 8),
    (507, 7, 8),
    (508, 6, 9),
    (509, 8, 8),
    (590, 9, 9),
    (591, 8, 8),
    (592, 7, 7),
    (593, 8, 9),
    (594, 9, 9),
    (595, 7, 9),
    (596, 9, 9),
    (597, 6, 7),
    (598, 7, 8),
    (599, 7, 8),
    (670, 7, 8),
    (672, 5, 6),
    (673, 7, 7),
    (674, 7, 7),
    (675, 7, 8),
    (676, 5, 7),
    (677, 5, 7),
    (678, 5, 7),
    (679, 7, 7),
    (680, 7, 7),
    (681, 6, 6),
    (682, 5, 5),
    (683, 4, 7),
    (685, 5, 7),
    (686, 5, 8),
    (687, 6, 6),
    (688, 5, 7),
    (689, 6, 8),
    (690, 4, 7),
    (691, 7, 7),
    (692, 7, 7),
    (800, 8, 8),
    (808, 8, 8),
    (850, 8, 10),
    (852, 8, 8),
    (853, 8, 8),
    (855, 8, 9),
    (856, 8, 10),
    (870, 9, 9),
    (878, 10, 12),
    (880, 8, 10),
    (881, 9, 9),
    (882, 7, 12),
    (883, 9, 12),
    (886, 8, 10),
    (888, 11, 11),
    (960, 7, 7),
    (961, 7, 8),
    (962, 8, 9),
    (963, 8, 9),
    (964, 8, 10),
    (965, 7, 8),
    (966, 9, 9),
    (967, 7, 9),
    (968, 8, 8),
    (970, 8, 9),
    (971, 8, 9),
    (972, 8, 9),
    (973, 8, 8),
    (974, 7, 8),
    (975, 7, 8),
    (976, 8, 8),
    (977, 8, 10),
    (979, 9, 9),
    (992, 9, 9),
    (993, 8, 8),
    (994, 9, 9),
    (995, 9, 9),
    (996, 9, 9),
    (998, 9, 9),
];

/// The number of digits of the calling code at the start of `digits`, if the rest has a valid
/// length. A trunk zero in parentheses or by habit (`+44 020 …`) is allowed.
pub(super) fn calling_code(digits: &[u8]) -> Option<usize> {
    (1..=3).find(|&length| {
        let Some((code, national)) = digits.split_at_checked(length) else {
            return false;
        };
        let code = code
            .iter()
            .fold(0u16, |number, &digit| number * 10 + u16::from(digit));
        let trunk = usize::from(national.first() == Some(&0));
        lengths(code).is_some_and(|(shortest, longest)| {
            (shortest..=longest + trunk).contains(&national.len())
        })
    })
}

/// The minimum and maximum length of a national number after a calling code.
fn lengths(code: u16) -> Option<(usize, usize)> {
    let index = COUNTRIES.binary_search_by_key(&code, |(own, ..)| *own);
    let (_, shortest, longest) = COUNTRIES.get(index.ok()?)?;
    Some((usize::from(*shortest), usize::from(*longest)))
}

/// Whether `digits` begin with a calling code, whatever follows.
pub(super) fn is_assigned(digits: &[u8]) -> bool {
    (1..=3).any(|length| {
        let Some((code, _)) = digits.split_at_checked(length) else {
            return false;
        };
        let code = code
            .iter()
            .fold(0u16, |number, &digit| number * 10 + u16::from(digit));
        lengths(code).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_no_code_is_a_prefix_of_another() {
        for (index, (code, shortest, longest)) in COUNTRIES.iter().enumerate() {
            assert!(shortest <= longest);
            for (other, ..) in &COUNTRIES[index + 1..] {
                assert!(code < other);
                assert!(
                    !other.to_string().starts_with(&code.to_string()),
                    "{code} {other}"
                );
            }
        }
    }
}
