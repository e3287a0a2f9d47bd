//! Values in sentences that come before their names.

use super::prose::{MAX_WORDS, is_value, with};
use super::syntax::Assignment;
use super::value_span::Span;
use super::words::is_word;
use crate::detect::bytes::{self, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;

/// `use "x" as the password`, `x is my password`, `type x at the password prompt`: the value before its name.
pub(super) fn value_before(text: &Text<'_>, name: usize) -> Option<Assignment> {
    const LONGEST: usize = 96;
    if before(text, name) != b' ' {
        return None;
    }
    let line = name - bytes::line_back(text, name, LONGEST);
    let lead = bytes::slice(text, line, name - 1);
    let value = phrase_before(lead)?;
    let end = value.len();
    let quote = value
        .last()
        .copied()
        .filter(|quote| matches!(quote, b'"' | b'\'' | b'`'));
    let (start, end) = match quote {
        Some(quote) => {
            let inner = bytes::slice(value, 0, end - 1);
            (memchr::memrchr(quote, inner)? + 1, end - 1)
        }
        None => (
            end - bytes::run_back(value, end, end, |byte| byte.is_ascii_graphic()),
            end,
        ),
    };
    let range = line + start..line + end;
    let span = Span {
        quoted: quote.is_some(),
        ..Span::quoted(range)
    };
    let is_whole = start < end && (start > 0 || line == 0 || before(text, line) == b'\n');
    if is_whole && is_value(text, &span) {
        return Some(with(Form::Far, span));
    }
    // What follows is no part of what is said of the value.
    let is_entered = is_whole && is_asked_for(lead) && is_word(text, &span);
    is_entered.then_some(with(Form::Account, span))
}

/// `enter x when it asks for the`
fn is_asked_for(lead: &[u8]) -> bool {
    bytes::holds(lead, b" asks for ") || bytes::holds(lead, b" asked for ")
}

/// What precedes the link and the article before a name, and ends with a value.
fn phrase_before(lead: &[u8]) -> Option<&[u8]> {
    const LINKS: &[&[u8]] = &[b" as", b" is"];
    /// These need no article.
    const AS: &[&[u8]] = &[b" as", b" als", b" comme", b" como", b" come", b" jako"];
    const PROMPTS: &[&[u8]] = &[b" at", b" asks for", b" asked for", b" prompted for"];
    const CONJUNCTIONS: &[&[u8]] = &[
        b" when it",
        b" if it",
        b" when",
        b" if",
        b" when you are",
        b"",
    ];
    #[rustfmt::skip]
    const ARTICLES: &[&[u8]] = &[b"the", b"my", b"a", b"your", b"our", b"their", b"new", b"an", b"its"];
    let stripped = |text: &'_ [u8], endings: &[&[u8]]| {
        let ending = endings.iter().find(|ending| text.ends_with(ending))?;
        Some(text.len() - ending.len())
    };
    if let Some(end) = stripped(lead, AS) {
        return lead.get(..end);
    }
    let mut article = lead.len();
    let has_article = lead
        .rsplit(|&byte| byte == b' ')
        .take(MAX_WORDS)
        .any(|word| {
            article = article.saturating_sub(word.len() + 1);
            ARTICLES.contains(&word)
        });
    let phrase = bytes::slice(lead, 0, article);
    if !has_article {
        return None;
    }
    if let Some(end) = stripped(phrase, LINKS) {
        return phrase.get(..end);
    }
    let prompt = phrase.get(..stripped(phrase, PROMPTS)?)?;
    let entered = prompt.get(..stripped(prompt, CONJUNCTIONS)?)?;
    is_entered(entered).then_some(entered)
}

/// `type x`, `enter "x"`: whether a verb precedes the last word.
fn is_entered(phrase: &[u8]) -> bool {
    const VERBS: &[&[u8]] = &[
        b"type", b"enter", b"use", b"try", b"give", b"put", b"typed", b"entered",
    ];
    let mut words = phrase.rsplit(|&byte| byte == b' ');
    let verb = words.nth(1).unwrap_or_default();
    VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb))
}
