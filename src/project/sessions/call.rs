//! A call for a session, and its result.

use super::location::StoreOptions;
use super::program::Programs;
use crate::project::BuildCall;
use crate::prompt::{self, Deliver, Prompt};
use crate::session::SessionMeta;
use crate::session::store::SessionId;
use std::path::Path;

/// The result of a call for a session.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The system prompt.
    pub text: String,
    /// The whole prompt, if it was wanted or had to be made.
    pub prompt: Option<Prompt>,
    /// The state of the session after the call.
    pub mark: prompt::Session,
}

/// A call for a session, which may build and store it.
pub(crate) struct SessionCall<'a> {
    /// The manifest and what is given.
    pub(crate) given: &'a BuildCall,
    /// The programs of sessions that were read before.
    pub(crate) programs: &'a Programs,
    /// The location of the store of sessions.
    pub(crate) store: &'a StoreOptions,
    /// The session.
    pub(crate) id: &'a SessionId,
    /// The event that the caller reports, if any.
    pub(crate) event: Option<&'a str>,
    /// Whether it is built again in any case.
    pub(crate) refresh: bool,
    /// Whether the whole prompt is wanted, or the system prompt only.
    pub(crate) whole: bool,
    /// The file that it is written to.
    pub(crate) output: Option<&'a Path>,
}

impl SessionCall<'_> {
    /// Whether tiers that the call wants are rebuilt for it.
    pub(super) fn is_live(&self, terms: &SessionMeta) -> bool {
        if self.whole {
            !terms.live.is_empty()
        } else {
            terms.live.contains(&Deliver::System)
        }
    }

    /// Whether the inputs must be checked: they may be a reason to rebuild, or invalid.
    pub(super) fn needs_facts(&self, terms: &SessionMeta) -> bool {
        let declared = !terms.identity.is_empty();
        declared || self.given.inputs.gives_any() || (!terms.facts.is_empty() && terms.ambient)
    }

    /// Whether only the frozen system prompt is needed.
    pub(super) fn is_text(&self, terms: &SessionMeta) -> bool {
        let needs_more = self.whole || self.output.is_some();
        !needs_more && !self.is_live(terms) && !self.needs_facts(terms)
    }
}
