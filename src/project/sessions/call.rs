//! What is asked of a session, and what comes of it.

use super::location::StoreOptions;
use super::program::Programs;
use crate::project::BuildCall;
use crate::prompt::{self, Deliver, Prompt};
use crate::session::SessionMeta;
use crate::session::store::SessionId;
use std::path::Path;

/// What a call gets of a session.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The system text.
    pub text: String,
    /// The whole prompt, if it was wanted or had to be made.
    pub prompt: Option<Prompt>,
    /// What became of the session.
    pub mark: prompt::Session,
}

/// What is asked of a session.
pub(crate) struct SessionCall<'a> {
    /// The manifest and what is given.
    pub(crate) given: &'a BuildCall,
    /// The programs of sessions that were read before.
    pub(crate) programs: &'a Programs,
    /// Where sessions are kept.
    pub(crate) store: &'a StoreOptions,
    /// The session.
    pub(crate) id: &'a SessionId,
    /// What has happened to it, if anything.
    pub(crate) event: Option<&'a str>,
    /// Whether it is built again in any case.
    pub(crate) refresh: bool,
    /// Whether the whole prompt is wanted, or the system text only.
    pub(crate) whole: bool,
    /// The file that it is written to.
    pub(crate) output: Option<&'a Path>,
}

impl SessionCall<'_> {
    /// Whether tiers that the call wants are made anew for it.
    pub(super) fn is_live(&self, terms: &SessionMeta) -> bool {
        match self.whole {
            true => !terms.live.is_empty(),
            false => terms.live.contains(&Deliver::System),
        }
    }

    /// Whether what is given has to be looked at: to see if it is a reason to build anew, or is wrong.
    pub(super) fn needs_facts(&self, terms: &SessionMeta) -> bool {
        let declared = !terms.identity.is_empty();
        declared || self.given.inputs.gives_any() || (!terms.facts.is_empty() && terms.ambient)
    }

    /// Whether all that is needed is the system text as it is kept.
    pub(super) fn is_text(&self, terms: &SessionMeta) -> bool {
        let needs_more = self.whole || self.output.is_some();
        !needs_more && !self.is_live(terms) && !self.needs_facts(terms)
    }
}
