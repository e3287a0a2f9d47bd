//! Restores whole texts, and JSON inside them.

use std::ops::Range;

use crate::Sensitive;
use crate::json::{
    Context, Edit, MAX_HELD_JSON, Nesting, Tape, Value, edits_in_string, escaped, held_json,
    held_or_quoted_json,
};
use crate::schema::encoded::{self, Content, Embedded};
use crate::schema::{Called, Form, argument_at};

use super::Reply;
use super::tokens::{End, Found, Restorable, Tokens};

/// The edits that restore a text.
#[derive(Debug, Default)]
pub(crate) struct TextEdits {
    /// In order, in the text's own coordinates.
    pub(crate) edits: Vec<Edit>,
    pub(crate) restored: u64,
    pub(crate) unknown: u64,
    /// Tokens that a rule kept.
    pub(crate) withheld: u64,
    /// How values are written if the text is a string of JSON, by where their edits begin.
    pub(crate) spelled: Vec<(usize, Sensitive<String>)>,
}

impl TextEdits {
    fn add_counts(&mut self, other: &Self) {
        self.restored += other.restored;
        self.unknown += other.unknown;
        self.withheld += other.withheld;
    }
}

/// Restores a whole text.
pub(crate) fn restore_text(tokens: &Tokens, text: &str, context: Context) -> TextEdits {
    restore_level(tokens, text, context, MAX_HELD_JSON, End::Whole)
}

/// Restores a text that the reply ends with.
pub(super) fn restore_last_text(tokens: &Tokens, text: &str, context: Context) -> TextEdits {
    restore_level(tokens, text, context, MAX_HELD_JSON, tokens.last_end())
}

/// Restores a whole string of a form. `called` is the call that it is an argument of.
pub(super) fn restore_string(
    reply: &Reply,
    text: &str,
    form: Form,
    called: Option<&Called>,
) -> TextEdits {
    restore_ended(reply, text, form, called, reply.end_of(form))
}

/// The same for a string that the reply may break off in.
pub(super) fn restore_last_string(
    reply: &Reply,
    text: &str,
    form: Form,
    called: Option<&Called>,
) -> TextEdits {
    restore_ended(reply, text, form, called, reply.tokens.last_end())
}

fn restore_ended(
    reply: &Reply,
    text: &str,
    form: Form,
    called: Option<&Called>,
    end: End,
) -> TextEdits {
    let (context, levels) = (reply.context(form), MAX_HELD_JSON);
    match called {
        _ if form == Form::Base64 => restore_file(&reply.tokens_for(called), text),
        Some(called) if is_text_of_arguments(called, form, text) => {
            let tokens = reply.tokens_for_text(called, text);
            restore_level(&tokens, text, context, levels, end)
        }
        Some(called) => restore_argument_level(reply, text, context, called, levels, end),
        None => restore_level(&reply.tokens, text, context, levels, end),
    }
}

/// Whether a string is all of a call's arguments, and no JSON.
fn is_text_of_arguments(called: &Called, form: Form, text: &str) -> bool {
    called.argument.is_none() && form != Form::Key && held_or_quoted_json(text).is_none()
}

/// Restores a whole text that is an argument of a call, or all of them, on a level of JSON in strings: the way to an argument goes on within.
fn restore_argument_level(
    reply: &Reply,
    text: &str,
    context: Context,
    called: &Called,
    levels: u32,
    end: End,
) -> TextEdits {
    if !may_be_restored(&reply.tokens, text) {
        return TextEdits::default();
    }
    let may_parse = levels > 0 && context != Context::Plain;
    if let Some(tape) = held_or_quoted_json(text).filter(|_| may_parse) {
        return restore_strings(text, &tape, context, |string, decoded| {
            let names = argument_at(tape.root(text), string.start());
            let called = called.at(&names);
            restore_argument_level(
                reply,
                decoded,
                Context::MayBeJson,
                &called,
                levels - 1,
                End::Whole,
            )
        });
    }
    let tokens = reply.tokens_in(called, text);
    restore_level(&tokens, text, context, levels, end)
}

/// Restores within a file in base64 that is text.
fn restore_file(tokens: &Tokens, source: &str) -> TextEdits {
    let Content::Text(file) = encoded::read(source) else {
        return TextEdits::default();
    };
    let inner = restore_text(tokens, file.text(), Context::MayBeJson);
    TextEdits {
        edits: file.restored(&inner.edits).into_iter().collect(),
        spelled: Vec::new(),
        ..inner
    }
}

fn restore_level(
    tokens: &Tokens,
    text: &str,
    context: Context,
    levels: u32,
    end: End,
) -> TextEdits {
    if !may_be_restored(tokens, text) {
        return TextEdits::default();
    }
    let may_parse = levels > 0 && context != Context::Plain;
    if let Some(tape) = held_json(text).filter(|_| may_parse) {
        return restore_strings(text, &tape, context, |_, decoded| {
            restore_level(tokens, decoded, Context::MayBeJson, levels - 1, End::Whole)
        });
    }
    let found = tokens.find(text, 0, end);
    let edits = edits_of(&found, text, 0, &mut Nesting::new(context, levels));
    let mut out = TextEdits {
        spelled: spelled(&found, &edits),
        edits,
        restored: found.tokens.len() as u64,
        unknown: found.unknown.unwrap_or_else(|| tokens.unknown_in(text)),
        withheld: found.withheld,
    };
    if context == Context::MayBeJson {
        restore_embedded(tokens, text, levels, |_| true, &mut out);
    }
    out
}

/// The spellings of values that were written as they are.
fn spelled(found: &Found, edits: &[Edit]) -> Vec<(usize, Sensitive<String>)> {
    let tokens = found.tokens.iter().zip(edits);
    let spelled = tokens.filter_map(|(token, edit)| {
        let is_plain = edit.text == *token.mapping.value().expose();
        let spelled = token.spelled.as_ref().filter(|_| is_plain)?;
        Some((edit.start, spelled.written.clone()))
    });
    spelled.collect()
}

/// Restores within the files that stand whole in a piece of a text. One at its edge may go on in another piece, unless
/// the text `begins` or `ended` there; what is held from `held` on is not decided.
pub(super) fn restore_files_of_piece(
    tokens: &Tokens,
    piece: &str,
    begins: bool,
    ended: bool,
    held: usize,
    out: &mut TextEdits,
) {
    if !encoded::may_embed_token(piece.as_bytes()) {
        return;
    }
    let is_whole = |file: &Range<usize>| {
        let behind = piece.get(file.end..).unwrap_or_default();
        let has_end = ended || !behind.trim_start_matches(['\r', '\n']).is_empty();
        let own = piece.get(file.clone()).unwrap_or_default();
        (begins || file.start > 0) && (has_end || own.ends_with('=')) && file.end <= held
    };
    restore_embedded(tokens, piece, MAX_HELD_JSON, is_whole, out);
}

/// Restores within those files that stand in a text.
fn restore_embedded(
    tokens: &Tokens,
    text: &str,
    levels: u32,
    is_whole: impl Fn(&Range<usize>) -> bool,
    out: &mut TextEdits,
) {
    let mut of_files = Vec::new();
    let files = encoded::embedded_with_tokens(text).into_iter();
    for Embedded { start, file } in files.filter(|found| is_whole(&found.range())) {
        let inner = restore_level(tokens, file.text(), Context::MayBeJson, levels, End::Whole);
        out.add_counts(&inner);
        of_files.extend(file.restored(&inner.edits).map(|edit| edit.moved_by(start)));
    }
    out.edits = encoded::merged(std::mem::take(&mut out.edits), of_files);
}

/// Whether a text may hold a token, as it is or in base64.
pub(super) fn may_be_restored(tokens: &Tokens, text: &str) -> bool {
    tokens.may_occur_in(text.as_bytes()) || encoded::may_embed_token(text.as_bytes())
}

/// Restores the strings of JSON that a text holds.
fn restore_strings(
    text: &str,
    tape: &Tape,
    context: Context,
    restore: impl Fn(Value<'_>, &str) -> TextEdits,
) -> TextEdits {
    let mut out = TextEdits::default();
    for string in tape.strings(text) {
        let inner = restore(string, &string.text());
        out.add_counts(&inner);
        let (first, start) = (out.edits.len(), string.start() + 1);
        let starts: Vec<_> = inner.edits.iter().map(|edit| edit.start).collect();
        edits_in_string(string.raw_content(), start, inner.edits, &mut out.edits);
        // The strings of arguments are texts themselves.
        if context != Context::Json {
            let edits = out.edits.iter_mut().skip(first).zip(starts);
            spell(edits, &inner.spelled);
        }
    }
    out
}

/// Writes values as they are spelled in JSON, each with where it begins in the text of its string.
fn spell<'e>(
    edits: impl Iterator<Item = (&'e mut Edit, usize)>,
    spelled: &[(usize, Sensitive<String>)],
) {
    for (edit, start) in edits {
        if let Ok(at) = spelled.binary_search_by_key(&start, |(start, _)| *start)
            && let Some((_, written)) = spelled.get(at)
        {
            written.expose().clone_into(&mut edit.text);
        }
    }
}

/// The edits that put values in place of tokens. `nesting` has come to `read`, and goes on to the last token.
pub(super) fn edits_of(
    found: &Found,
    text: &str,
    mut read: usize,
    nesting: &mut Nesting,
) -> Vec<Edit> {
    let edits = found.tokens.iter().map(|token| {
        let Range { start, end } = token.range;
        nesting.feed(text.get(read..start).unwrap_or_default());
        read = start;
        let text = written(token, nesting);
        Edit { start, end, text }
    });
    edits.collect()
}

/// A value as it is written where it lands.
fn written(token: &Restorable, nesting: &Nesting) -> String {
    let escaped = |value: String, escapes| (0..escapes).fold(value, |value, _| escaped(value));
    if let Some(spelled) = &token.spelled {
        let open = nesting.escapes_in_open_string();
        let open = open.filter(|_| spelled.begins);
        if let Some(escapes) = open.or_else(|| nesting.escapes_in_string()) {
            return escaped(spelled.written.expose().clone(), escapes);
        }
    }
    let mut value = token.shape.apply(token.mapping.value().expose());
    if token.is_percent_encoded {
        value = percent_encoded(&value);
    }
    escaped(value, nesting.escapes())
}

/// A text as it is written in any part of a URL (RFC 3986, section 2).
fn percent_encoded(text: &str) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or('0');
    let mut out = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}
