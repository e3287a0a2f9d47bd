//! The content of an event: the pieces of longer texts, its other strings, and which texts end.

use std::ops::RangeInclusive;

use super::calls::Call;
use super::named::Named;
use super::place::{Places, Unkeyed, text_at};
use super::span::{Channel, Except, Span};
use super::{Begun, is_filled, words};
use crate::json::Value;
use crate::schema::calls::Called;
use crate::schema::{Form, ReplyMap};

/// A string that is a part of a longer text.
#[derive(Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) channel: Channel,
    /// The first key on the way, which is that of its event where that has one, or else that of the last element.
    pub(crate) key: Option<u64>,
    /// Its place without the keys on the way, where it has any: they may count events instead of naming texts.
    pub(crate) unkeyed: Option<Unkeyed>,
    pub(crate) value: Value<'t>,
    pub(crate) form: Form,
    /// The format has texts in pieces there. At other places a string may also be whole.
    pub(crate) is_known: bool,
    /// It is in a member called `delta`.
    pub(crate) is_in_delta: bool,
    /// The text ends with it.
    pub(crate) ends: bool,
    /// The event that brings more of a text which another kind of event began.
    pub(crate) next: Option<Next>,
    /// The call that it is an argument of, once that was asked for.
    pub(crate) called: Option<Called>,
}

impl Piece<'_> {
    /// Whether it is delivered with all the others of its channel, when that ends.
    pub(crate) fn is_collected(&self) -> bool {
        self.is_known && matches!(self.form, Form::Arguments | Form::Input)
    }

    /// Whether it begins as JSON that holds all arguments of a call, of which more follows.
    pub(crate) fn begins_arguments(&self) -> bool {
        let is_all = |called: &Called| called.argument.is_none();
        self.is_in_delta
            && self.called.as_ref().is_some_and(is_all)
            && self.value.text().trim_start().starts_with(['{', '[', '"'])
    }

    /// Whether a signature of its whole text may follow.
    pub(crate) fn may_be_signed(&self) -> bool {
        self.is_known && self.form == Form::Signed
    }
}

/// An event with an empty string where its text belongs.
#[derive(Debug)]
pub(crate) struct Next {
    pub(crate) name: String,
    pub(crate) data: String,
    /// Where the string begins.
    pub(crate) piece: usize,
}

/// The content of an event.
#[derive(Debug, Default)]
pub(crate) struct EventMap<'t> {
    /// What these channels hold is delivered before this event, in separate events.
    pub(crate) due: Vec<Span>,
    /// Channels that end with this event. What has no piece here goes out before.
    pub(crate) ends: Vec<Span>,
    /// In document order.
    pub(crate) pieces: Vec<Piece<'t>>,
    /// Every other string.
    pub(crate) reply: ReplyMap<'t>,
    /// Signatures of all that came on a channel, as the provider wrote it.
    pub(crate) signatures: Vec<(Channel, Value<'t>)>,
    /// The calls whose names may still grow, in document order.
    pub(super) growing: Vec<(Value<'t>, Call)>,
    /// The event states its kind.
    pub(crate) is_typed: bool,
    /// The event contains only collected pieces, and is dropped while they are collected.
    pub(crate) only_collected: bool,
}

impl<'t> EventMap<'t> {
    /// Whether a text ends before this event, if it is not excepted.
    pub(crate) fn ends_before(
        &self,
        channel: Channel,
        is_excepted: impl Fn(Except) -> bool,
    ) -> bool {
        let is_in =
            |span: &Span| (span.first..=span.last).contains(&channel) && !is_excepted(span.except);
        let is_here = || self.pieces.iter().any(|piece| piece.channel == channel);
        self.due.iter().any(is_in) || self.ends.iter().any(is_in) && !is_here()
    }

    /// Whether an answer ends with this event, and with it everything that its calls are named.
    pub(crate) fn ends_answer(&self, outer: u32) -> bool {
        self.ended_answers().any(|ended| ended.contains(&outer))
    }

    /// The answers of which that is so.
    pub(crate) fn ended_answers(&self) -> impl Iterator<Item = RangeInclusive<u32>> {
        let spans = self.due.iter().chain(&self.ends);
        let whole = spans.filter(|span| span.is_all_of(span.first.outer));
        whole.map(|span| span.first.outer..=span.last.outer)
    }

    /// Separates the strings that are pieces from the others, and notes which texts end.
    pub(super) fn read_pieces(
        &mut self,
        places: Places<'t, '_>,
        root: Value<'t>,
        is_format: bool,
        named: &mut Named,
    ) {
        self.take_pieces(&places, is_format, named);
        let has_key = |key| self.pieces.iter().any(|piece| piece.key == Some(key));
        for names in places.names {
            if has_key(names.key()) {
                named.add_text(names);
            }
        }
        for element in places.elements {
            if has_key(element) {
                named.add_element(element);
            }
        }
        self.growing = places.growing;
        self.due.extend(places.due);
        let signed = places.signatures.iter();
        let signed = signed.map(|(channel, _)| Span::only(*channel));
        self.due.extend(signed);
        self.signatures = places.signatures;
        let ends_all = places.enders.is_empty() || !named.names_texts();
        let except = if ends_all {
            Except::None
        } else {
            Except::Others
        };
        named.end_by(root, &places.enders);
        let ended = places.ended.iter();
        self.ends
            .extend(ended.map(|&outer| Span::outer(outer).except(except)));
        let reached = places.reached.iter();
        self.ends
            .extend(reached.map(|(&outer, &stage)| Span::before(outer, stage)));
    }

    fn take_pieces(&mut self, places: &Places<'t, '_>, is_format: bool, named: &Named) {
        let signed = &self.reply.signed;
        let is_signed = |text: Value<'_>| {
            signed
                .iter()
                .any(|signed| signed.text.start() == text.start())
        };
        let pieces = &mut self.pieces;
        self.reply.leaves.retain(|leaf| {
            let start = leaf.value.start();
            let Some(string) = places.at(start).filter(|_| is_filled(leaf.value)) else {
                return true;
            };
            if matches!(leaf.form, Form::Base64 | Form::Key) || is_signed(leaf.value) {
                return true;
            }
            pieces.push(Piece {
                channel: string.channel,
                key: string.key,
                unkeyed: string
                    .unkeyed
                    .filter(|unkeyed| !named.is_begun(unkeyed.key)),
                value: leaf.value,
                form: leaf.form,
                is_known: is_format && string.is_in_delta && leaf.form != Form::Text,
                is_in_delta: string.is_in_delta,
                ends: string.is_followed,
                next: None,
                called: None,
            });
            false
        });
    }

    /// Ends the pieces whose texts end with the event, or all if it says that it is the last.
    pub(super) fn end_pieces(&mut self, is_last: bool) {
        if is_last {
            self.ends = vec![Span::ALL];
        }
        self.ends.sort_by_key(|span| span.first);
        for piece in &mut self.pieces {
            let after = self
                .ends
                .partition_point(|span| span.first <= piece.channel);
            let before = self.ends.get(..after).unwrap_or_default();
            // Of one answer two spans at most begin at the same channel.
            let mut near = before.iter().rev().take(2);
            piece.ends |= near.any(|span| piece.channel <= span.last);
        }
    }

    /// Ends the texts that an event brings if it says that they are over, and others that it may be about.
    pub(super) fn end_others(&mut self, root: Value<'t>, named: &mut Named) {
        named.end(root);
        if words::is_final(root) {
            self.pieces.iter_mut().for_each(|piece| piece.ends = true);
        }
        self.ends.push(Span::ALL.except(Except::OthersAndTokens));
    }

    /// Adds the text that a block begins with: a piece like those that follow.
    pub(super) fn begin(&mut self, begun: Begun<'t>, outer: u32) {
        let Some((channel, piece)) = text_at(&begun.name, &begun.data, outer) else {
            return;
        };
        let Some(at) = self
            .reply
            .leaves
            .iter()
            .position(|leaf| leaf.value.start() == begun.text.start())
        else {
            return;
        };
        let leaf = self.reply.leaves.remove(at);
        self.pieces.push(Piece {
            channel,
            key: None,
            unkeyed: None,
            value: leaf.value,
            form: leaf.form,
            is_known: true,
            is_in_delta: false,
            ends: false,
            next: Some(Next {
                name: begun.name,
                data: begun.data,
                piece,
            }),
            called: None,
        });
    }
}
