//! Events of unknown formats.

use super::place::names_of;
use super::{EventState, Except, Known, Span, is_set, number, words};
use crate::json::Value;
use crate::schema::generic::REPLY;

/// Reads an event of unknown format.
pub(super) fn read<'t>(kind: &str, root: Value<'t>, state: &mut EventState) -> Known<'t> {
    let index = number(root, "index").filter(|_| !words::counts_tokens(root));
    let index = index.or_else(|| number(root, "output_index"));
    let is_error = is_set(root.member("error"));
    let is_piece = words::is_piece(root);
    state.marks_pieces |= is_piece;
    let is_whole = is_error || words::is_whole_event(kind) || state.marks_pieces && !is_piece;
    let except = if !is_whole {
        Except::None
    } else if words::begins(kind) {
        state.named.begin(kind, root, names_of(root));
        Except::OthersAndBegunTokens
    } else {
        state.named.end(root);
        if !words::is_result(kind) && !words::is_of_part(kind) {
            Except::Others
        } else if words::is_result(kind) && !words::ends_something(root) {
            Except::OthersAndBegunTokens
        } else {
            Except::OthersAndTokens
        }
    };
    let due = match index {
        _ if is_error => Span::ALL,
        Some(index) => Span::outer(index),
        None => Span::ALL.except(except),
    };
    Known {
        table: &REPLY,
        outer: index.unwrap_or(u32::MAX),
        is_whole,
        due: is_whole.then_some(due),
        begun: None,
    }
}
