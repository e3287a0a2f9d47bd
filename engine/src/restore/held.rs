//! A text that arrives in pieces.

use crate::json::{Edit, spliced};

use super::text::{Context, TextEdits};
use super::tokens::Tokens;

/// What is kept of a text between its pieces: the tail that may still become a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldText {
    held: String,
    /// The character that stood before `held`, as the provider wrote it.
    before: Option<char>,
    /// The end of what was delivered that may yet turn out to look like a token.
    begun: String,
}

impl HeldText {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether nothing of what came before matters to what comes.
    pub(crate) fn is_settled(&self) -> bool {
        self.held.is_empty() && self.begun.is_empty()
    }

    /// Takes the next piece. The edits turn it into what can be delivered now: what was held before
    /// and is decided now goes in at its start, what is undecided is cut off its end.
    pub(crate) fn push(
        &mut self,
        tokens: &Tokens,
        piece: &str,
        context: Context,
        ended: bool,
    ) -> TextEdits {
        if self.held.is_empty() {
            let found = tokens.find(piece, self.before, ended);
            let hold_from = found.hold_from;
            let mut out = TextEdits::from_found(found, context);
            out.unknown = self.keep(tokens, piece, hold_from, ended);
            cut_tail(&mut out.edits, hold_from, piece.len());
            return out;
        }
        let mut joined = std::mem::take(&mut self.held);
        let seam = joined.len();
        joined.push_str(piece);
        let found = tokens.find(&joined, self.before, ended);
        let hold_from = found.hold_from;
        let mut out = TextEdits::from_found(found, context);
        out.edits = across_seam(&joined, seam, hold_from, out.edits);
        out.unknown = self.keep(tokens, &joined, hold_from, ended);
        out
    }

    /// Passes over a piece, as it is written in JSON with simple escapes only, that holds nothing.
    pub(crate) fn pass_over(&mut self, written: &str) {
        let escaped = written.as_bytes().iter().rev().nth(1) == Some(&b'\\');
        // Every simple escape stands for a character that is no part of a word.
        let last = if escaped {
            Some(' ')
        } else {
            written.chars().next_back()
        };
        self.before = last.or(self.before);
    }

    /// Ends the text: what is still held, restored.
    pub(crate) fn finish(&mut self, tokens: &Tokens, context: Context) -> (String, TextEdits) {
        let held = std::mem::take(&mut self.held);
        let found = tokens.find(&held, self.before, true);
        let mut out = TextEdits::from_found(found, context);
        out.unknown = tokens.count_unknown(&mut self.begun, &held, true);
        self.before = None;
        (spliced(&held, &out.edits), out)
    }

    /// Keeps the tail, and says how much of the rest only looks like tokens.
    fn keep(&mut self, tokens: &Tokens, text: &str, hold_from: usize, ended: bool) -> u64 {
        let (delivered, held) = text.split_at(hold_from);
        self.before = delivered.chars().next_back().or(self.before);
        self.held.push_str(held);
        tokens.count_unknown(&mut self.begun, delivered, ended)
    }
}

fn cut_tail(edits: &mut Vec<Edit>, hold_from: usize, end: usize) {
    if hold_from < end {
        edits.push(Edit {
            start: hold_from,
            end,
            text: String::new(),
        });
    }
}

/// Turns edits of the joined text into edits of its last piece, which begins at `seam`.
fn across_seam(joined: &str, seam: usize, hold_from: usize, edits: Vec<Edit>) -> Vec<Edit> {
    let (early, late): (Vec<_>, Vec<_>) = edits.into_iter().partition(|edit| edit.start < seam);
    let straddled = early.last().map_or(seam, |edit| edit.end.max(seam));
    let decided = hold_from.min(straddled);
    let text = spliced(joined.get(..decided).unwrap_or_default(), &early);
    let mut out = vec![Edit {
        start: 0,
        end: decided.saturating_sub(seam),
        text,
    }];
    let shifted = late.into_iter().map(|edit| Edit {
        start: edit.start - seam,
        end: edit.end - seam,
        text: edit.text,
    });
    out.extend(shifted);
    cut_tail(&mut out, hold_from.max(seam) - seam, joined.len() - seam);
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::restore_text;
    use super::*;
    use crate::{EntityType, Mapping, Sensitive, Session};

    fn tokens() -> Tokens {
        let mut session = Session::new();
        for (entity, id, value) in [
            (EntityType::EMAIL, "1", "a@b.example"),
            (EntityType::EMAIL, "12", "long \"quoted\"\n"),
            (EntityType::SECRET, "2", "MASK_EMAIL_1 <MASK_EMAIL_12>"),
            (EntityType::PHONE, "0A1B2C3D4E5F6071", "+1 555"),
        ] {
            let value = Sensitive::new(value.to_owned());
            assert!(session.adopt(Arc::new(Mapping::new(entity, id, value))));
        }
        Tokens::new(session)
    }

    fn apply(text: &str, edits: &[Edit]) -> String {
        spliced(text, edits)
    }

    /// The restored text, and how many tokens are restored in it and unknown.
    fn whole(text: &str) -> (String, u64, u64) {
        let restored = restore_text(&tokens(), text, Context::Plain);
        let text = apply(text, &restored.edits);
        (text, restored.restored, restored.unknown)
    }

    fn in_pieces(pieces: &[&str]) -> (String, u64, u64) {
        let (tokens, mut held, mut out) = (tokens(), HeldText::default(), String::new());
        let (mut count, mut unknown) = (0, 0);
        for piece in pieces {
            let restored = held.push(&tokens, piece, Context::Plain, false);
            out += &apply(piece, &restored.edits);
            count += restored.restored;
            unknown += restored.unknown;
        }
        let (rest, restored) = held.finish(&tokens, Context::Plain);
        (
            out + &rest,
            count + restored.restored,
            unknown + restored.unknown,
        )
    }

    const TEXTS: &[(&str, &str)] = &[
        ("x <MASK_EMAIL_1> y", "x a@b.example y"),
        (
            "<MASK_EMAIL_1><MASK_EMAIL_12>",
            "a@b.examplelong \"quoted\"\n",
        ),
        ("MASK_EMAIL_1", "a@b.example"),
        ("MASK_EMAIL_1.", "a@b.example."),
        (
            "xMASK_EMAIL_1 MASK_EMAIL_13 MASK_EMAIL_",
            "xMASK_EMAIL_1 MASK_EMAIL_13 MASK_EMAIL_",
        ),
        (
            "x<MASK_EMAIL_1>y éMASK_EMAIL_1 MASK_EMAIL_1é",
            "xa@b.exampley éMASK_EMAIL_1 MASK_EMAIL_1é",
        ),
        (
            "&lt;MASK_EMAIL_1&gt; \\u003cMASK_EMAIL_1\\u003e!",
            "a@b.example a@b.example!",
        ),
        (
            "&#x3c;MASK_EMAIL_1&#x3E; &#x3C;MASK_EMAIL_1>",
            "a@b.example a@b.example",
        ),
        (
            "<MASK_EMAIL_1&gt <MASK_EMAIL_1\\u003",
            "<MASK_EMAIL_1&gt <MASK_EMAIL_1\\u003",
        ),
        (
            "<MASK_SECRET_2> <MASK_PHONE_2>",
            "MASK_EMAIL_1 <MASK_EMAIL_12> <MASK_PHONE_2>",
        ),
        (
            "id 0A1B2C3D4E5F6071, x0A1B2C3D4E5F6071",
            "id +1 555, x0A1B2C3D4E5F6071",
        ),
        (
            "MASK_PHONE_0A1B2C3D4E5F6071 0A1B2C3D4E5F607",
            "+1 555 0A1B2C3D4E5F607",
        ),
        (
            "<<MASK_EMAIL_1>> <M <MA <&l \\u00 M",
            "<a@b.example> <M <MA <&l \\u00 M",
        ),
        ("end <MASK_EMA", "end <MASK_EMA"),
        (
            "😀<MASK_EMAIL_1>😀MASK_EMAIL_1😀",
            "😀a@b.example😀a@b.example😀",
        ),
        (
            "< MASK_EMAIL_1 > <mask_email_1> <MASK_EMAIL_01>",
            "< a@b.example > <mask_email_1> <MASK_EMAIL_01>",
        ),
        (
            "<MASK_SSN_8> xMASK_A_1 MASK_A_MASK_B_2é",
            "<MASK_SSN_8> xMASK_A_1 MASK_A_MASK_B_2é",
        ),
    ];

    #[test]
    fn recognised_forms_are_restored_and_nothing_else() {
        for (text, expected) in TEXTS {
            assert_eq!(whole(text).0, *expected);
        }
    }

    #[test]
    fn any_cut_in_three_equals_the_whole() {
        for (text, _) in TEXTS {
            let cuts: Vec<_> = (0..=text.len())
                .filter(|&at| text.is_char_boundary(at))
                .collect();
            for &first in &cuts {
                for &second in cuts.iter().filter(|&&second| second >= first) {
                    let pieces = [&text[..first], &text[first..second], &text[second..]];
                    assert_eq!(in_pieces(&pieces), whole(text), "{pieces:?}");
                }
            }
            let single: Vec<_> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            assert_eq!(in_pieces(&single), whole(text), "{single:?}");
        }
    }

    #[test]
    fn only_what_may_become_an_issued_token_is_held() {
        for (text, held) in [
            ("a <MASK_EMAIL_1", "<MASK_EMAIL_1"),
            ("a <MASK_PERSON_1", ""),
            ("a <b", ""),
            ("a <", "<"),
            ("a M", "M"),
            ("aM", ""),
            ("x &gt", ""),
            ("x &l", "&l"),
            ("<MASK_EMAIL_1 ", ""),
            ("0A1", "0A1"),
            ("0B", ""),
        ] {
            let mut state = HeldText::default();
            state.push(&tokens(), text, Context::Plain, false);
            assert_eq!(state.held, held, "{text}");
        }
    }
}
