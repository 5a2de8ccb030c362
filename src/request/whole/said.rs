//! Messages as they were sent, each worked on once, however many requests hold it.

use super::part::{Breakpoint, Mark, Message};
use super::turns::{SentPart, Turn};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A message as it was sent.
#[derive(Debug, Clone)]
pub struct Said {
    message: Message,
    /// The blocks after which the provider is asked to cache, with the fields of the breakpoint.
    marks: Vec<(usize, Mark)>,
    /// The message without the texts that must not be written.
    clean: OnceLock<Arc<Turn>>,
}

impl Said {
    /// A message with its breakpoints, each with its block.
    pub(super) fn new(message: Message, marks: Vec<(usize, Mark)>) -> Self {
        Self {
            message,
            marks,
            clean: OnceLock::new(),
        }
    }

    /// Messages of one role as one; none if there are none.
    pub(super) fn joined(run: &[Arc<Self>]) -> Option<Arc<Self>> {
        let (first, rest) = run.split_first()?;
        if rest.is_empty() {
            return Some(first.clone());
        }
        let (mut marks, mut after) = (first.marks.clone(), first.blocks.len());
        for said in rest {
            let more = said.marks.iter().cloned();
            marks.extend(more.map(|(block, mark)| (after + block, mark)));
            after += said.blocks.len();
        }
        let message = first.message.with(rest.iter().map(|said| &said.message));
        Some(Arc::new(Self::new(message, marks)))
    }

    /// Its breakpoints, if it is message `at` of a request.
    pub(super) fn breakpoints(&self, at: usize) -> impl Iterator<Item = Breakpoint> + '_ {
        self.marks.iter().map(move |(block, mark)| Breakpoint {
            at: format!("messages/{at}/{block}"),
            mark: mark.clone(),
        })
    }

    /// Its cleaned form; `clean` makes it if there is none.
    pub(super) fn clean(&self, clean: impl FnOnce(&Message) -> Option<Message>) -> Arc<Turn> {
        let turn = || {
            let cleaned = clean(&self.message);
            let message = cleaned.as_ref().unwrap_or(&self.message);
            Arc::new(Turn::new(message.map(|part| SentPart::from(part.clone()))))
        };
        self.clean.get_or_init(turn).clone()
    }
}

impl Deref for Said {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.message
    }
}

impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        (&self.message, &self.marks) == (&other.message, &other.marks)
    }
}
