//! Which texts of a stream belong together, and which of them end together.

/// What joins the pieces of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Channel {
    /// The choice, block or output item.
    pub(super) outer: u32,
    pub(super) stage: Stage,
    /// What is counted inside of it: the tool call, content part, summary or command.
    pub(super) inner: u32,
    pub(super) place: u64,
}

impl Channel {
    /// The choice, block or output item that it belongs to.
    pub(crate) const fn outer(self) -> u32 {
        self.outer
    }
}

/// What comes after what in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Stage {
    Thought,
    Answer,
    Call,
    #[default]
    Other,
}

/// Channels that end together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) first: Channel,
    pub(crate) last: Channel,
    pub(crate) except: Except,
}

/// The channels that do not end with the others of a span: they may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Except {
    None,
    /// Those that end with the beginning of a token.
    BegunTokens,
    /// Those whose end may still become a token, or whose arguments are no whole JSON.
    Unfinished,
    /// Those that the event is not about.
    Others,
    /// The same, and, unless the event is about them, those that end with the beginning of a token that is more than a
    /// character or two which could begin one.
    OthersAndTokens,
    /// The same, and those that end with the beginning of a token.
    OthersAndBegunTokens,
}

impl Span {
    pub(crate) const ALL: Self =
        Self::between((0, Stage::Thought, 0), (u32::MAX, Stage::Other, u32::MAX));

    const fn between(first: (u32, Stage, u32), last: (u32, Stage, u32)) -> Self {
        const fn channel((outer, stage, inner): (u32, Stage, u32), place: u64) -> Channel {
            Channel {
                outer,
                stage,
                inner,
                place,
            }
        }
        Self {
            first: channel(first, 0),
            last: channel(last, u64::MAX),
            except: Except::None,
        }
    }

    /// All of one answer, block or item.
    pub(super) const fn outer(outer: u32) -> Self {
        Self::between((outer, Stage::Thought, 0), (outer, Stage::Other, u32::MAX))
    }

    /// Whether all of an answer is in it.
    pub(crate) fn is_all_of(&self, outer: u32) -> bool {
        let all = Self::outer(outer);
        self.except == Except::None && self.first <= all.first && all.last <= self.last
    }

    /// All of one call or part.
    pub(super) const fn inner(outer: u32, stage: Stage, inner: u32) -> Self {
        Self::between((outer, stage, inner), (outer, stage, inner))
    }

    /// What comes before a call, or before the answer: clients take it as complete there. Behind a call the answer may go on.
    pub(super) const fn before(outer: u32, stage: Stage) -> Self {
        let (last, except) = match stage {
            Stage::Call => (Stage::Answer, Except::BegunTokens),
            _ => (Stage::Thought, Except::None),
        };
        Self::between((outer, Stage::Thought, 0), (outer, last, u32::MAX)).except(except)
    }

    pub(super) const fn except(self, except: Except) -> Self {
        Self { except, ..self }
    }

    pub(super) const fn only(channel: Channel) -> Self {
        Self {
            first: channel,
            last: channel,
            except: Except::None,
        }
    }
}
