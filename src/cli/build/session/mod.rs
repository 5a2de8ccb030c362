//! `promptc build --session ID`: what the session keeps, or a build that it keeps from now on.

mod note;
mod desk;
mod answer;

use crate::cli::given::GivenArgs;
use crate::cli::session::clock::time;
use crate::cli::session::place::Place;
use crate::cli::store::{self, StoreArgs};
use crate::cli::{Context, output};
use crate::diagnostic::Reported;
use crate::prompt::{self, Deliver, Prompt};
use crate::session::store::{SessionId, StoreError};
use crate::session::{Call, Terms};
use crate::world::DiskWorld;
use desk::Desk;
use std::path::Path;

/// How often a session is read and built while others remove it or build it with facts of other values. In each round one
/// of them is done, so this is far more than the processes that meet in one session.
const TRIES: usize = 64;

/// What the help puts these options under.
const SESSION: &str = "Session";

#[derive(Debug, clap::Args)]
pub(super) struct SessionArgs {
    /// Restore what this session keeps; build and keep it if there is none
    #[arg(help_heading = SESSION, long, value_name = "ID", value_parser = store::id, conflicts_with = "batch")]
    pub(super) session: Option<SessionId>,
    /// What has happened to the session; it is built anew if its manifest has `refresh event=NAME`
    #[arg(help_heading = SESSION, long, value_name = "NAME", requires = "session")]
    event: Option<String>,
    /// Build the session anew in any case
    #[arg(help_heading = SESSION, long, requires = "session")]
    refresh: bool,
    #[command(flatten)]
    store: StoreArgs,
}

impl SessionArgs {
    /// What the call says of a store, which only a session has a use for. The environment is there for other calls too.
    pub(super) fn stray(&self) -> Option<&'static str> {
        self.store.stray()
    }
}

/// What is to be written.
pub(super) struct Answer {
    /// The system text.
    pub(super) text: String,
    /// The whole prompt, if it was wanted or had to be made.
    pub(super) prompt: Option<Prompt>,
    /// What became of the session.
    pub(super) mark: prompt::Session,
}

/// What the command is about.
pub(super) struct Asked<'a> {
    pub(super) given: &'a GivenArgs,
    pub(super) session: &'a SessionArgs,
    pub(super) id: &'a SessionId,
    /// Whether the whole prompt is wanted, or the system text only.
    pub(super) whole: bool,
    /// The file that it is written to.
    pub(super) output: Option<&'a Path>,
}

impl Asked<'_> {
    /// Whether tiers that the call wants are made anew for it.
    fn is_live(&self, terms: &Terms) -> bool {
        match self.whole {
            true => !terms.live.is_empty(),
            false => terms.live.contains(&Deliver::System),
        }
    }

    /// Whether what is given has to be looked at: to see if it is a reason to build anew, or is wrong.
    fn needs_facts(&self, terms: &Terms) -> bool {
        let declared = !terms.identity.is_empty();
        declared || self.given.gives_any() || (!terms.facts.is_empty() && terms.ambient)
    }

    /// Whether all that is needed is the system text as it is kept.
    fn is_text(&self, terms: &Terms) -> bool {
        let needs_more = self.whole || self.output.is_some();
        !needs_more && !self.is_live(terms) && !self.needs_facts(terms)
    }
}

/// Restores the session, or builds it.
pub(super) fn run(asked: &Asked<'_>, context: &mut Context) -> Result<Answer, Reported> {
    let args = &asked.session.store;
    let place = Place::of(
        asked.given.source(),
        args.is_named(),
        &DiskWorld,
        &mut context.run.diags,
    )?;
    let call = Call {
        now: time(asked.given.now(), &mut context.run)?,
        event: asked.session.event.clone(),
        refresh: asked.session.refresh,
    };
    let location = args.location(&place.folder, &mut context.run.diags)?;
    context.run.walls.add(&place.folder);
    if let Some(output) = asked.output {
        // Before the store is changed.
        output::check(output, &mut context.run)?;
    }
    let mut opened = args.open(&location, &mut context.run)?;
    let mut desk = Desk {
        asked,
        place,
        location,
        call,
        store: opened.as_mut(),
        run: &mut context.run,
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
