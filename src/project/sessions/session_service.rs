//! One call for a session: it is restored, built, or rebuilt.

use super::call::{Answer, SessionCall};
use super::note::{self, know_event};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::project::Run;
use crate::project::sessions::location as store;
use crate::project::sessions::now::{self, Now};
use crate::project::sessions::place::ManifestLocation;
use crate::project::sessions::program::Program;
use crate::project::sessions::same;
use crate::prompt::{Deliver, State};
use crate::session::store::{
    Build, Freeze, Location, Reason, Restored, Session, SessionId, Store, StoreError,
};
use crate::session::{Call, Inputs, SessionMeta, frozen, mark};

/// One call on its way.
pub(super) struct SessionService<'a> {
    pub(super) asked: &'a SessionCall<'a>,
    pub(super) place: ManifestLocation,
    pub(super) location: Location,
    pub(super) call: Call,
    pub(super) store: &'a mut dyn Store,
    pub(super) run: &'a mut Run,
    /// How often other processes built the session since this call began, before it could.
    pub(super) overtaken: u32,
    /// The fact whose value differed from that in the other process.
    pub(super) contended: Option<String>,
}

/// Why there is no answer.
pub(super) enum Stop {
    /// A difference is reported.
    Told(ErrorReported),
    /// The session was removed or built by another process since it was read.
    Moved,
}

impl From<ErrorReported> for Stop {
    fn from(reported: ErrorReported) -> Self {
        Self::Told(reported)
    }
}

/// The part of a session that is rebuilt.
struct Before {
    /// Its newest build.
    build: Build,
    inputs: Inputs,
    /// The manifest of that build.
    manifest: Option<String>,
}

/// The action for an existing session.
enum Judged {
    /// It is rebuilt.
    Refresh(Reason),
    /// It is restored, with a program if this call gives or wants more than the frozen prompt.
    Keep(Option<Box<Program>>),
}

impl SessionService<'_> {
    pub(super) fn refuse(&mut self, error: &StoreError) -> ErrorReported {
        self.run.diags.push(store::refuse(error, &self.location))
    }

    pub(super) fn told<T>(
        &mut self,
        result: crate::session::store::Result<T>,
    ) -> Result<T, ErrorReported> {
        result.map_err(|error| self.refuse(&error))
    }

    /// The session with what this call needs of it.
    fn read(&mut self) -> Result<Option<Restored>, ErrorReported> {
        let (asked, call, overtaken) = (self.asked, &self.call, self.overtaken);
        let wanted = |session: &Session, build: &Build| match SessionMeta::of(build) {
            Ok(terms) if asked.is_text(&terms) => {
                if occasion(&terms, session, call, overtaken).is_some() {
                    build.parts()
                } else {
                    build
                        .texts
                        .get(&Deliver::System)
                        .cloned()
                        .into_iter()
                        .collect()
                }
            }
            _ => build.parts(),
        };
        let found = self.store.restore(asked.id, None, &wanted);
        self.told(found)
    }

    /// The answer; none if the session was removed or built by another process since it was read.
    pub(super) fn step(&mut self) -> Result<Option<Answer>, ErrorReported> {
        let answer = match self.read()? {
            None => self.build(None, Reason::First),
            Some(kept) => self.restore(&kept),
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Stop::Moved) => Ok(None),
            Err(Stop::Told(reported)) => Err(reported),
        }
    }

    /// Rebuilds an existing session.
    fn refresh(
        &mut self,
        kept: &Restored,
        terms: &SessionMeta,
        reason: Reason,
    ) -> Result<Answer, Stop> {
        let inputs = Inputs::of(&mut |key| kept.content(key), &kept.build);
        let before = Before {
            build: kept.build.clone(),
            inputs: self.told(inputs)?,
            manifest: terms.manifest.clone(),
        };
        self.build(Some(&before), reason)
    }

    /// Builds and stores it, unless another process was faster: the other build may be for other facts.
    fn build(&mut self, before: Option<&Before>, reason: Reason) -> Result<Answer, Stop> {
        let here = self.place.manifest.clone();
        let identity = here.or_else(|| before.and_then(|b| b.manifest.clone()));
        let inputs = before.map(|b| &b.inputs);
        let Now {
            kept, plan, read, ..
        } = now::build(self.asked.given, inputs, identity, self.run)?;
        if before.is_none() {
            know_event(&self.call, &kept.terms, || None, self.run)?;
        }
        self.ensure_not_input(read)?;
        let new = kept.build(self.call.now, reason);
        let new = new.map_err(|_| self.run.diags.push(not_utf8()))?;
        let after = before.map(|b| &b.build);
        let frozen = self.store.freeze(self.asked.id, after, &new);
        let (state, session) = match self.told(frozen)? {
            Freeze::Frozen(session) if before.is_some() => (State::Refreshed, session),
            Freeze::Frozen(session) => (State::Built, session),
            Freeze::Overtaken(_) => {
                self.overtaken += 1;
                return Err(Stop::Moved);
            }
            Freeze::Gone => return Err(Stop::Moved),
        };
        let mark = mark(&session, &session.build, state);
        let mut prompt = kept.made.prompt;
        if state == State::Built {
            note::little_frozen(
                &prompt,
                &kept.made.frozen.prompt,
                plan.first_live(),
                self.run,
            );
        }
        prompt.session = Some(mark.clone());
        Ok(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            mark,
        })
    }

    /// The frozen prompt of a session with the rest rebuilt; or, if there is a reason, a new build.
    fn restore(&mut self, kept: &Restored) -> Result<Answer, Stop> {
        let session = &kept.session;
        let terms = self.told(SessionMeta::of(&kept.build))?;
        let here = self.place.manifest.as_deref();
        let same = same::check(self.asked.given, here, (&session.id, &terms), self.run)?;
        let project = &self.asked.given.project;
        know_event(&self.call, &terms, || now::events(project), self.run)?;
        let mut program = match self.judged(kept, &terms)? {
            Judged::Refresh(reason) => {
                same.check_rebuild(self.run)?;
                return self.refresh(kept, &terms, reason);
            }
            Judged::Keep(program) => program.map(|program| *program),
        };
        // Files that this call names must exist, whether or not a tier is rebuilt from them.
        let given = program.as_ref().map(|p| p.read.clone());
        self.spare_kept(kept, given.unwrap_or_default())?;
        if let Some(program) = program.as_ref().filter(|_| self.asked.given.inputs.gives()) {
            let prompt = frozen(&mut |key| kept.content(key), &kept.build);
            let prompt = self.told(prompt)?;
            program.stale(&prompt, self.asked.given, &mut self.run.diags);
        }
        program = program.filter(|_| self.asked.is_live(&terms));
        let answer = self.restored(kept, program)?;
        same.given(self.run);
        let noted = note::touch(self.store, session, &terms, self.call.now, self.run);
        noted.map_err(|error| self.refuse(&error))?;
        Ok(answer)
    }

    /// Whether the session is built again; else what is needed to build its other tiers.
    fn judged(&mut self, kept: &Restored, terms: &SessionMeta) -> Result<Judged, Stop> {
        // Before facts are compared with the stored plan: they may be meant for the plan that replaces it.
        if let Some(reason) = occasion(terms, &kept.session, &self.call, self.overtaken) {
            return Ok(Judged::Refresh(reason));
        }
        let (asked, live) = (self.asked, self.asked.is_live(terms));
        if !live && !asked.needs_facts(terms) {
            return Ok(Judged::Keep(None));
        }
        let program = Program::open(
            kept,
            &self.location,
            (asked.given, asked.programs),
            self.run,
        )?;
        let mut diags = Diagnostics::default();
        let watched = program.watch(asked.given, &terms.watched(), &mut diags);
        let values = watched.as_ref().ok().map(|watched| &watched.values);
        if let Some(reason) = values.and_then(|values| terms.changed(values)) {
            if let (true, Reason::Fact(fact)) = (self.overtaken > 0, &reason) {
                self.contended = Some(fact.clone());
            }
            return Ok(Judged::Refresh(reason));
        }
        self.run.diags.extend(&diags);
        let watched = watched?;
        if live {
            program.may_run(&mut self.run.diags)?;
            program.miss(&watched.private, &mut self.run.diags);
        }
        Ok(Judged::Keep(Some(Box::new(program))))
    }
}

/// Why a session is rebuilt whatever facts are given. Events before this call that triggered other builds count for
/// those, too. But such a build may have begun before the call, and `--refresh` asks for a later one; the next build
/// that overtakes this call began after that one was stored.
fn occasion(terms: &SessionMeta, session: &Session, call: &Call, overtaken: u32) -> Option<Reason> {
    let reason = terms.occasion(session, call)?;
    let enough = if reason == Reason::Asked { 2 } else { 1 };
    (overtaken < enough).then_some(reason)
}

/// The error of a session that others removed or built each time that this call tried.
pub(super) fn contended(id: &SessionId, fact: &str) -> Diagnostic {
    let message = format!(
        "others build the session `{id}` with another value of `{fact}` each time it is built"
    );
    Diagnostic::error(diagnostic::STORE_BUSY, message).help(format!(
        "nothing is printed; give each value of `{fact}` a session ID of its own"
    ))
}

/// The error of a current directory that cannot be remembered. Other folders are as text in what is given already.
fn not_utf8() -> Diagnostic {
    let message =
        "the current directory has a name that is not UTF-8, and a session remembers it as text";
    Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
        .help("nothing is kept; rename the folder, or call from another one")
}
