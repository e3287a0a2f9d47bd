//! A text that arrives in pieces.

use memchr::memrchr;

use crate::json::{Context, Edit, MAX_HELD_JSON, Nesting, decoded, spliced};
use crate::token::{CONTEXT, is_core_byte};

use super::text::{TextEdits, edits_of};
use super::tokens::{End, Found, Tokens};

/// What is kept of a text between its pieces: the tail that may still become a token.
#[derive(Debug, Clone)]
pub(crate) struct HeldText {
    /// The end of what was delivered, as the provider wrote it, followed by what is held.
    kept: String,
    /// Where in `kept` that begins which is held.
    held_from: usize,
    /// The end of what was delivered that may yet turn out to look like a token.
    begun: String,
    /// The JSON that the text may be, as far as it was delivered.
    nesting: Nesting,
    /// Something came.
    has_begun: bool,
}

impl Default for HeldText {
    fn default() -> Self {
        Self::new(Context::Plain)
    }
}

impl HeldText {
    pub(crate) fn new(context: Context) -> Self {
        Self {
            kept: String::new(),
            held_from: 0,
            begun: String::new(),
            nesting: Nesting::new(context, MAX_HELD_JSON),
            has_begun: false,
        }
    }

    /// Whether nothing has arrived yet.
    pub(crate) const fn is_new(&self) -> bool {
        !self.has_begun
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held_from == self.kept.len()
    }

    /// How many bytes are held.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() - self.held_from
    }

    /// Whether what came before matters to what comes by what it ends with at most.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.is_empty() && self.begun.is_empty()
    }

    /// Adds the next piece. The edits turn it into what can be delivered now: what was held and is
    /// now decided is inserted at its start, and what is undecided is cut off its end.
    pub(crate) fn push(&mut self, tokens: &Tokens, piece: &str, end: End) -> TextEdits {
        let seam = self.kept.len();
        self.kept.push_str(piece);
        let found = tokens.find(&self.kept, self.held_from, end);
        self.has_begun |= !piece.is_empty();
        let edits = self.edits_of(&found);
        let joined = Joined {
            text: &self.kept,
            from: self.held_from,
            seam,
            hold_from: found.hold_from,
        };
        let edits = joined.edits_of_piece(edits);
        let unknown = self.deliver(tokens, found.hold_from, end != End::Open);
        TextEdits {
            edits,
            restored: found.tokens.len() as u64,
            unknown,
            withheld: found.withheld,
            ..TextEdits::default()
        }
    }

    /// Whether what is held becomes a token, or may still become one, with the next piece.
    pub(crate) fn goes_on(&self, tokens: &Tokens, piece: &str) -> bool {
        let joined = format!("{}{piece}", self.kept);
        let seam = self.kept.len();
        let found = tokens.find(&joined, self.held_from, End::Open);
        let straddles = found.tokens.iter().any(|token| token.range.start < seam);
        straddles || found.hold_from < seam
    }

    /// Whether what is held is a token unless a piece makes a longer one of it.
    pub(crate) fn is_token(&self, tokens: &Tokens) -> bool {
        let found = tokens.find(&self.kept, self.held_from, End::Whole);
        !found.tokens.is_empty()
    }

    /// How much of a piece makes a longer token of what is held, or may begin to.
    pub(crate) fn lengthened<'p>(&self, tokens: &Tokens, piece: &'p str) -> &'p str {
        let joined = format!("{}{piece}", self.kept);
        let seam = self.kept.len();
        let found = tokens.find(&joined, self.held_from, End::Open);
        if found.hold_from < seam {
            return piece;
        }
        let mut tokens = found.tokens.iter().map(|token| &token.range);
        let token = tokens.find(|range| range.start < seam && range.end > seam);
        let end = token.map_or(0, |range| range.end - seam);
        piece.get(..end).unwrap_or_default()
    }

    /// Whether what is held begins with a character that texts end with more often than begin a token with.
    pub(crate) fn ends_as_texts_do(&self) -> bool {
        let held = self.kept.as_bytes().get(self.held_from);
        matches!(held, Some(b'%' | b'&' | b'\\' | b'M'))
    }

    /// Whether what is held has no delimiter, so that any digit may end it.
    pub(crate) fn is_bare(&self) -> bool {
        let held = self.kept.as_bytes().get(self.held_from);
        held.is_some_and(|&byte| is_core_byte(byte))
    }

    /// Takes what is held as it is: the next piece shows that it begins no token. Says how much of it only looks like
    /// tokens, too.
    pub(crate) fn let_go(&mut self, tokens: &Tokens) -> (String, u64) {
        let held = self.kept.get(self.held_from..).unwrap_or_default();
        let held = held.to_owned();
        self.nesting.feed(&held);
        let unknown = self.deliver(tokens, self.kept.len(), false);
        (held, unknown)
    }

    /// Whether a piece without marks has no id either, and begins none.
    pub(crate) fn is_unaffected(&self, tokens: &Tokens, piece: &str) -> bool {
        let joined = format!("{}{piece}", self.kept);
        let found = tokens.find(&joined, self.held_from, End::Open);
        found.tokens.is_empty() && found.withheld == 0 && found.hold_from == joined.len()
    }

    /// Passes over a piece, as it is written in JSON with simple escapes only, that holds nothing.
    pub(crate) fn pass_over(&mut self, written: &str) {
        self.has_begun = true;
        if let Some(escape) = memrchr(b'\\', written.as_bytes()) {
            self.nesting.feed(&decoded(written));
            // Every simple escape stands for a character that does not belong to a word.
            self.kept.push(' ');
            self.kept
                .push_str(written.get(escape + 2..).unwrap_or_default());
        } else {
            self.nesting.feed(written);
            self.kept.push_str(written);
        }
        self.held_from = self.kept.len();
        self.forget();
    }

    /// Ends the text: what is still held, restored.
    pub(crate) fn finish(&mut self, tokens: &Tokens) -> (String, TextEdits) {
        let found = tokens.find(&self.kept, self.held_from, tokens.last_end());
        let mut edits = self.edits_of(&found);
        for edit in &mut edits {
            edit.start -= self.held_from;
            edit.end -= self.held_from;
        }
        let held = self.kept.get(self.held_from..).unwrap_or_default();
        let text = spliced(held, &edits);
        let unknown = tokens.count_unknown(&mut self.begun, held, true);
        self.held_from = self.kept.len();
        self.forget();
        let restored = found.tokens.len() as u64;
        let counts = TextEdits {
            edits,
            restored,
            unknown,
            withheld: found.withheld,
            ..TextEdits::default()
        };
        (text, counts)
    }

    /// The edits of what is decided now. Each value is escaped as its JSON needs.
    fn edits_of(&mut self, found: &Found) -> Vec<Edit> {
        let last = found.tokens.last();
        let read = last.map_or(self.held_from, |token| token.range.start);
        let edits = edits_of(found, &self.kept, self.held_from, &mut self.nesting);
        let rest = self.kept.get(read..found.hold_from);
        self.nesting.feed(rest.unwrap_or_default());
        edits
    }

    /// Keeps what is held from `hold_from` on, and returns how much of the rest only looks like
    /// tokens.
    fn deliver(&mut self, tokens: &Tokens, hold_from: usize, ended: bool) -> u64 {
        let delivered = self.kept.get(self.held_from..hold_from).unwrap_or_default();
        let unknown = tokens.count_unknown(&mut self.begun, delivered, ended);
        self.held_from = hold_from;
        self.forget();
        unknown
    }

    /// Forgets what was delivered, except for its end.
    fn forget(&mut self) {
        let mut from = self.held_from.saturating_sub(CONTEXT);
        while !self.kept.is_char_boundary(from) {
            from -= 1;
        }
        self.kept.drain(..from);
        self.held_from -= from;
    }
}

/// A piece and what was kept before it.
struct Joined<'t> {
    text: &'t str,
    /// Where what was held begins.
    from: usize,
    /// Where the piece begins.
    seam: usize,
    /// Where what is held now begins.
    hold_from: usize,
}

impl Joined<'_> {
    /// Turns edits of the text into edits of the piece.
    fn edits_of_piece(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let Self {
            text,
            from,
            seam,
            hold_from,
        } = *self;
        let (early, late): (Vec<_>, Vec<_>) = edits.into_iter().partition(|edit| edit.start < seam);
        let mut out = Vec::new();
        if from < seam {
            let straddled = early.last().map_or(seam, |edit| edit.end.max(seam));
            let decided = hold_from.min(straddled);
            let early = early.into_iter().map(|edit| moved(edit, from));
            let text = spliced(
                text.get(from..decided).unwrap_or_default(),
                &early.collect::<Vec<_>>(),
            );
            out.push(Edit {
                start: 0,
                end: decided.saturating_sub(seam),
                text,
            });
        }
        out.extend(late.into_iter().map(|edit| moved(edit, seam)));
        if hold_from < text.len() {
            out.push(Edit {
                start: hold_from.max(seam) - seam,
                end: text.len() - seam,
                text: String::new(),
            });
        }
        out
    }
}

/// An edit of the text that begins at `by`.
fn moved(edit: Edit, by: usize) -> Edit {
    Edit {
        start: edit.start - by,
        end: edit.end - by,
        text: edit.text,
    }
}
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::text::restore_last_text;
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
        let restored = restore_last_text(&tokens(), text, Context::Plain);
        let text = apply(text, &restored.edits);
        (text, restored.restored, restored.unknown)
    }

    fn in_pieces(pieces: &[&str]) -> (String, u64, u64) {
        let (tokens, mut held, mut out) = (tokens(), HeldText::new(Context::Plain), String::new());
        let (mut count, mut unknown) = (0, 0);
        for piece in pieces {
            let restored = held.push(&tokens, piece, End::Open);
            out += &apply(piece, &restored.edits);
            count += restored.restored;
            unknown += restored.unknown;
        }
        let (rest, restored) = held.finish(&tokens);
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
        // It may have been cut.
        ("MASK_EMAIL_1", "MASK_EMAIL_1"),
        ("MASK_EMAIL_12", "long \"quoted\"\n"),
        ("MASK_EMAIL_1.", "a@b.example."),
        (
            "xMASK_EMAIL_1 MASK_EMAIL_13 MASK_EMAIL_",
            "xMASK_EMAIL_1 MASK_EMAIL_13 MASK_EMAIL_",
        ),
        (
            "x<MASK_EMAIL_1>y éMASK_EMAIL_1 宛先 MASK_EMAIL_1です MASK_EMAIL_1２",
            "xa@b.exampley éa@b.example 宛先 a@b.exampleです MASK_EMAIL_1２",
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
            r"\<MASK\_EMAIL\_12\> MASK\_EMAIL\_1 \<MASK_EMAIL_1\> C:\<MASK_EMAIL_1>\x <MASK_EMAIL_1\>",
            "long \"quoted\"\n a@b.example a@b.example C:\\a@b.example\\x a@b.example",
        ),
        (
            "mailto:%3CMASK_EMAIL_1%3e ?q=%22MASK_EMAIL_12%22 50%",
            "mailto:a%40b.example ?q=%22long%20%22quoted%22%0A%22 50%",
        ),
        (
            r"\u004dASK\u005fEMAIL_1 \\u003c\\u004DASK_EMAIL_1\\u003e \nMASK_EMAIL_1\n \u0022MASK_EMAIL_1\u0022",
            r"a@b.example a@b.example \na@b.example\n \u0022a@b.example\u0022",
        ),
        (
            "**MASK_EMAIL_1** `MASK_EMAIL_1` _MASK_EMAIL_1_ ___MASK_EMAIL_1___ _MASK_EMAIL_1 x_MASK_EMAIL_1_",
            "**a@b.example** `a@b.example` _a@b.example_ ___a@b.example___ _MASK_EMAIL_1 x_MASK_EMAIL_1_",
        ),
        (
            r"_0A1B2C3D4E5F6071_ 番号0A1B2C3D4E5F6071。 \u00300A1B \u0030A1B2C3D4E5F6071 **0A1B2C3D4E5F6071**",
            r"_+1 555_ 番号+1 555。 \u00300A1B +1 555 **+1 555**",
        ),
        (
            "____MASK_EMAIL_1____ _MASK_EMAIL_1__ __MASK_EMAIL_12_ MASK_EMAIL_1_ __",
            "____MASK_EMAIL_1____ _MASK_EMAIL_1__ __MASK_EMAIL_12_ MASK_EMAIL_1_ __",
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
    fn only_recognized_token_forms_are_restored() {
        for (text, expected) in TEXTS {
            assert_eq!(whole(text).0, *expected);
        }
    }

    #[test]
    fn text_cut_into_three_restores_like_the_whole() {
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
    fn only_possible_issued_tokens_are_held_back() {
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
            let mut state = HeldText::new(Context::Plain);
            state.push(&tokens(), text, End::Open);
            assert_eq!(&state.kept[state.held_from..], held, "{text}");
        }
    }
}
