//! One call for a session: what it keeps, or a build that it keeps from now on.

use super::desk::{self, Desk};
use crate::diagnostic::Reported;
use crate::project::BuildCall;
use crate::project::sessions::location::StoreOptions;
use crate::project::sessions::place::Place;
use crate::project::time;
use crate::project::{Run, output};
use crate::prompt::{self, Deliver, Prompt};
use crate::session::store::{SessionId, StoreError};
use crate::session::{Call, Terms};
use crate::world::DiskWorld;
use std::path::Path;

/// How often a session is read and built while others remove it or build it with facts of other values. In each round one
/// of them is done, so this is far more than the processes that meet in one session.
const TRIES: usize = 64;

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
    pub(super) fn is_live(&self, terms: &Terms) -> bool {
        match self.whole {
            true => !terms.live.is_empty(),
            false => terms.live.contains(&Deliver::System),
        }
    }

    /// Whether what is given has to be looked at: to see if it is a reason to build anew, or is wrong.
    pub(super) fn needs_facts(&self, terms: &Terms) -> bool {
        let declared = !terms.identity.is_empty();
        declared || self.given.inputs.gives_any() || (!terms.facts.is_empty() && terms.ambient)
    }

    /// Whether all that is needed is the system text as it is kept.
    pub(super) fn is_text(&self, terms: &Terms) -> bool {
        let needs_more = self.whole || self.output.is_some();
        !needs_more && !self.is_live(terms) && !self.needs_facts(terms)
    }
}

/// Restores the session, or builds it.
pub(crate) fn get_or_build(asked: &SessionCall<'_>, run: &mut Run) -> Result<Answer, Reported> {
    let project = &asked.given.project;
    let place = Place::of(project, asked.store.is_named(), &DiskWorld, &mut run.diags)?;
    let call = Call {
        now: time(asked.given.inputs.now.as_deref(), run)?,
        event: asked.event.map(str::to_owned),
        refresh: asked.refresh,
    };
    let location = asked.store.location(&place.folder, &mut run.diags)?;
    run.walls.add(&place.folder);
    if let Some(output) = asked.output {
        // Before the store is changed.
        output::check(output, run)?;
    }
    let mut opened = asked.store.open(&location, run)?;
    let mut desk = Desk {
        asked,
        place,
        location,
        call,
        store: opened.as_mut(),
        run,
        overtaken: 0,
        contended: None,
    };
    for _ in 0..TRIES {
        // What was found on the way to a build that is not kept is no news.
        let before = std::mem::take(&mut desk.run.diags);
        desk.contended = None;
        let answer = desk.step();
        let found = std::mem::replace(&mut desk.run.diags, before);
        if !matches!(answer, Ok(None)) {
            desk.run.diags.extend(&found);
        }
        if let Some(answer) = answer? {
            return Ok(answer);
        }
    }
    Err(match desk.contended.take() {
        Some(fact) => desk.run.diags.push(desk::contended(asked.id, &fact)),
        None => desk.refuse(&StoreError::Gone),
    })
}
