//! Small words within names.

/// Whether a small word may be part of a name: `van`, `de la`, `von`.
pub(super) fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "van"
            | "von"
            | "vom"
            | "der"
            | "den"
            | "de"
            | "del"
            | "della"
            | "dei"
            | "di"
            | "da"
            | "do"
            | "dos"
            | "das"
            | "du"
            | "la"
            | "las"
            | "los"
            | "le"
            | "ter"
            | "ten"
            | "zu"
            | "zur"
            | "zum"
            | "af"
            | "av"
            | "bin"
            | "ibn"
            | "al"
            | "el"
            | "'t"
            | "’t"
            | "d'"
            | "d’"
    )
}
