//! The messages of a recording that has each of them once, where requests hold what was said so far.

use crate::request::whole::body::{BodyError, Sent};
use crate::request::whole::part::Breakpoint;
use crate::request::whole::said::Said;
use std::sync::Arc;

/// The conversation so far.
#[derive(Default)]
pub(super) struct Talk {
    said: Vec<Arc<Said>>,
    marks: Vec<Breakpoint>,
    /// Messages of one role, after these, that become one.
    run: Vec<Arc<Said>>,
    /// Whether one of them cannot be read.
    is_broken: bool,
}

impl Talk {
    /// Adds a message; none is one that cannot be read.
    pub(super) fn add(&mut self, said: Option<Arc<Said>>) {
        let Some(said) = said else {
            self.is_broken = true;
            return;
        };
        self.marks.extend(said.breakpoints(self.said.len()));
        self.said.push(said);
    }

    /// Adds a message for an API that takes those of one role in a row as one.
    pub(super) fn add_to_run(&mut self, said: Option<Arc<Said>>) {
        let goes_on = |(last, said): (&Arc<Said>, &Arc<Said>)| last.goes_on_in(said);
        if !self.run.last().zip(said.as_ref()).is_some_and(goes_on) {
            self.end_run();
        }
        match said {
            Some(said) => self.run.push(said),
            None => self.is_broken = true,
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if let Some(said) = Said::joined(&run) {
            self.add(Some(said));
        }
    }

    /// A request with these messages.
    pub(super) fn sent(&mut self, head: Result<Sent, BodyError>) -> Result<Sent, BodyError> {
        let mut sent = head?;
        if self.is_broken {
            return Err(BodyError::Shape);
        }
        sent.messages = self.said.clone();
        sent.breakpoints.extend(self.marks.iter().cloned());
        if let Some(said) = Said::joined(&self.run) {
            sent.breakpoints
                .extend(said.breakpoints(sent.messages.len()));
            sent.messages.push(said);
        }
        sent.lead();
        Ok(sent)
    }
}
