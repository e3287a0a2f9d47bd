//! The cases of Polish names.

/// A case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `kogo? czego?`
    Genitive,
    /// `komu?`
    Dative,
    /// `kogo? co?`
    Accusative,
    /// `z kim?`
    Instrumental,
    /// `o kim?`
    Locative,
    /// `hej …!`
    Vocative,
}

/// All cases but the first.
pub const CASES: [Case; 6] = [
    Case::Genitive,
    Case::Dative,
    Case::Accusative,
    Case::Instrumental,
    Case::Locative,
    Case::Vocative,
];

/// The forms of a name in all cases.
pub fn forms(name: &str) -> impl Iterator<Item = String> + '_ {
    CASES.into_iter().map(|case| inflect(name, case))
}

/// Endings of a name, and of its six cases.
const ENDINGS: [(&str, [&str; 6]); 20] = [
    ("ski", ["skiego", "skiemu", "skiego", "skim", "skim", "ski"]),
    ("cki", ["ckiego", "ckiemu", "ckiego", "ckim", "ckim", "cki"]),
    (
        "dzki",
        ["dzkiego", "dzkiemu", "dzkiego", "dzkim", "dzkim", "dzki"],
    ),
    ("ska", ["skiej", "skiej", "ską", "ską", "skiej", "ska"]),
    ("cka", ["ckiej", "ckiej", "cką", "cką", "ckiej", "cka"]),
    (
        "dzka",
        ["dzkiej", "dzkiej", "dzką", "dzką", "dzkiej", "dzka"],
    ),
    ("ia", ["ii", "ii", "ię", "ią", "ii", "iu"]),
    ("ja", ["ji", "ji", "ję", "ją", "ji", "ju"]),
    ("ka", ["ki", "ce", "kę", "ką", "ce", "ko"]),
    ("ga", ["gi", "dze", "gę", "gą", "dze", "go"]),
    ("ra", ["ry", "rze", "rę", "rą", "rze", "ro"]),
    ("ła", ["ły", "le", "łę", "łą", "le", "ło"]),
    ("ta", ["ty", "cie", "tę", "tą", "cie", "to"]),
    ("da", ["dy", "dzie", "dę", "dą", "dzie", "do"]),
    ("a", ["y", "ie", "ę", "ą", "ie", "o"]),
    ("ek", ["ka", "kowi", "ka", "kiem", "ku", "ku"]),
    ("eł", ["ła", "łowi", "ła", "łem", "le", "le"]),
    ("k", ["ka", "kowi", "ka", "kiem", "ku", "ku"]),
    ("y", ["ego", "emu", "ego", "ym", "ym", "y"]),
    ("", ["a", "owi", "a", "em", "ie", "ie"]),
];

/// A name in a case, by the rule of its ending.
#[must_use]
pub fn inflect(name: &str, case: Case) -> String {
    for (ending, cases) in ENDINGS {
        if let Some(stem) = name.strip_suffix(ending) {
            return format!("{stem}{}", cases[case as usize]);
        }
    }
    name.to_owned()
}
