//! Links the ids of a reply to its session while the reply is delivered.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use engine::HistoryName;
use tokio::task::JoinHandle;

use super::context::Shared;
use crate::session::ReplyLinks;

/// The ids of a reply on their way into the vault.
///
/// The first ones, usually an id at the beginning of the reply, are linked in the background.
/// Events with later ids wait until those are linked, because a client with the end of a reply may
/// refer to it at once. The work is not lost when the client leaves.
pub(super) struct Links {
    shared: Arc<Shared>,
    new: Vec<HistoryName>,
    state: State,
    /// Whether only the first ids are in progress.
    is_first: bool,
}

enum State {
    Idle(Box<ReplyLinks>),
    Busy(JoinHandle<Box<ReplyLinks>>),
    /// The work broke off: the history will not be known, which is safe.
    Lost,
}

impl Links {
    pub(super) fn new(shared: Arc<Shared>, reply_links: ReplyLinks) -> Self {
        Self {
            shared,
            new: Vec::new(),
            state: State::Idle(Box::new(reply_links)),
            is_first: true,
        }
    }

    /// Adds ids of a reply.
    pub(super) fn add(&mut self, names: Vec<HistoryName>) {
        self.new.extend(names);
    }

    /// Whether what was restored so far need not wait.
    pub(super) fn let_pass(&self) -> bool {
        self.is_first && self.new.is_empty()
    }

    /// Waits until every name is linked, or can't be.
    pub(super) fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let State::Busy(work) = &mut self.state {
                self.is_first &= self.new.is_empty();
                let done = ready!(Pin::new(work).poll(cx));
                self.state = done.map_or(State::Lost, State::Idle);
                self.is_first = false;
            }
            if self.new.is_empty() {
                return Poll::Ready(());
            }
            let names = std::mem::take(&mut self.new);
            match std::mem::replace(&mut self.state, State::Lost) {
                State::Idle(reply_links) => self.begin(reply_links, names),
                state => {
                    self.state = state;
                    return Poll::Ready(());
                }
            }
        }
    }

    fn begin(&mut self, mut reply_links: Box<ReplyLinks>, names: Vec<HistoryName>) {
        let shared = Arc::clone(&self.shared);
        self.state = State::Busy(tokio::spawn(async move {
            reply_links.keep(&shared.sessions, &names).await;
            reply_links
        }));
    }
}
