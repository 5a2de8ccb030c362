//! The program of a session: what its live tiers are made by, and what facts are checked by.

use super::{identity, now};
use crate::compile::{Frozen, GivenInputs, LayerMemo, Plan, Watched, prepare, resume_warm, watch};
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, Manifest};
use crate::project::BuildCall;
use crate::project::Run;
use crate::project::sessions::location::refuse;
use crate::prompt::Prompt;
use crate::session::store::{self, Key, Location, Restored};
use crate::session::{Inputs, program};
use crate::world::{RebasedWorld, RecordedWorld, Recorder, TracingWorld};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The plan of a session, and the inputs of its live tiers: the stored plan or, for an imported session, that of the
/// manifest which the call names.
pub(crate) struct Program {
    own: Arc<OwnProgram>,
    given: GivenInputs,
    folder: PathBuf,
    inputs: Inputs,
    /// The files that say what is given, and the program files that the call names.
    pub(crate) read: BTreeSet<PathBuf>,
    /// Why it may not make live tiers, if it may not.
    foreign: Option<Box<Diagnostic>>,
}

/// A program that was read.
struct OwnProgram {
    manifest: Arc<Manifest>,
    plan: Plan,
    files: Files,
    found: Diagnostics,
    memo: LayerMemo,
}

/// The programs of sessions that one process has read, the most recently used first.
#[derive(Default)]
pub(crate) struct Programs(Mutex<Vec<([Key; 2], Arc<OwnProgram>)>>);

/// The most programs that are cached.
const PROGRAMS: usize = 16;

impl Programs {
    /// The program that a session stores. The findings of reading it are added to `run`, which has read no file yet.
    fn open(
        &self,
        kept: &Restored,
        inputs: &Inputs,
        location: &Location,
        run: &mut Run,
    ) -> Result<Arc<OwnProgram>, ErrorReported> {
        let by = [kept.build.plan.clone(), kept.build.inputs.clone()];
        // Entries are whole when they are put in.
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().iter().find(|(of, _)| *of == by).cloned();
        if let Some((_, own)) = found.filter(|_| run.files.count() == 0) {
            run.files = own.files.clone();
            run.diags.extend(&own.found);
            return Ok(own);
        }
        let tape = tape(kept).map_err(|e| run.diags.push(refuse(&e, location)))?;
        let (first, mut found) = (run.files.count() == 0, Diagnostics::default());
        let own = OwnProgram::open(&tape, inputs, &mut run.files, &mut found);
        run.diags.extend(&found);
        let (manifest, plan) = own?;
        let own = Arc::new(OwnProgram {
            memo: LayerMemo::new(&plan),
            manifest,
            plan,
            files: run.files.clone(),
            found,
        });
        if first {
            let mut known = known();
            known.insert(0, (by, own.clone()));
            known.truncate(PROGRAMS);
        }
        Ok(own)
    }
}

impl OwnProgram {
    fn open(
        tape: &RecordedWorld,
        inputs: &Inputs,
        files: &mut Files,
        diags: &mut Diagnostics,
    ) -> Result<(Arc<Manifest>, Plan), ErrorReported> {
        let tape = tape.replayed();
        let manifest = manifest::open(&tape, inputs.manifest.as_deref(), files, diags)?;
        let mut before = GivenInputs {
            lenient: true,
            ..GivenInputs::default()
        };
        inputs.remind(&manifest, &mut before);
        let plan = prepare(&manifest, &before, &tape, files, diags)?;
        Ok((manifest, plan))
    }
}

/// The program files that a session stores.
fn tape(kept: &Restored) -> store::Result<RecordedWorld> {
    program(&mut |key: &Key| kept.content(key), &kept.build)
}

impl Program {
    /// The program of a session, with what this call and those before it give.
    pub(crate) fn open(
        kept: &Restored,
        location: &Location,
        (args, programs): (&BuildCall, &Programs),
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        let inputs = Inputs::of(&mut |key: &Key| kept.content(key), &kept.build);
        let inputs = inputs.map_err(|e| run.diags.push(refuse(&e, location)))?;
        let outside = args.project.world();
        let noted = TracingWorld::new(outside);
        let mut given = now::given(args, &noted, run)?;
        given.lenient = true;
        if inputs.imported {
            let tape = tape(kept).map_err(|e| run.diags.push(refuse(&e, location)))?;
            return Self::named(kept, &tape, inputs, given, noted, args, run);
        }
        let own = programs.open(kept, &inputs, location, run)?;
        inputs.remind(&own.manifest, &mut given);
        Ok(Self {
            own,
            given,
            folder: inputs.folder.clone(),
            inputs,
            read: noted.into_read(),
            foreign: None,
        })
    }

    /// The program that the call names: one that was imported never runs. It may make live tiers if it is the same.
    fn named(
        kept: &Restored,
        tape: &RecordedWorld,
        inputs: Inputs,
        mut given: GivenInputs,
        noted: TracingWorld<'_>,
        args: &BuildCall,
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        let name = now::named(args, run)?;
        let folder = now::here(run)?;
        let Run { files, diags, .. } = &mut *run;
        let recorder = Recorder::new(&noted);
        let manifest = manifest::open(&recorder, Some(name), files, diags)?;
        inputs.remind(&manifest, &mut given);
        let plan = prepare(&manifest, &given, &recorder, files, diags)?;
        let builtin = |name: &str| {
            name.starts_with(manifest::BUILT_IN)
                .then(|| name.to_owned())
        };
        let same = recorder.tape().program() == tape.program()
            && inputs.manifest.as_deref().and_then(builtin) == builtin(name);
        let id = &kept.session.id;
        Ok(Self {
            foreign: (!same).then(|| Box::new(other_plan(id.as_str(), name))),
            own: Arc::new(OwnProgram {
                memo: LayerMemo::new(&plan),
                manifest,
                plan,
                files: Files::default(),
                found: Diagnostics::default(),
            }),
            given,
            folder,
            inputs,
            read: noted.into_read(),
        })
    }

    /// Fails if its live tiers may not be made, since they are those of another plan than the session was built by.
    pub(crate) fn may_run(&self, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        match &self.foreign {
            Some(foreign) => Err(diags.push((**foreign).clone())),
            None => Ok(()),
        }
    }

    /// The values that facts have now. A call for someone else than the session is an error.
    pub(crate) fn watch(
        &self,
        args: &BuildCall,
        facts: &[String],
        diags: &mut Diagnostics,
    ) -> Result<Watched, ErrorReported> {
        let outside = args.project.world();
        let world = RebasedWorld {
            world: outside,
            folder: self.folder.clone(),
        };
        let who = self.inputs.identity.names();
        let facts: Vec<String> = facts.iter().chain(&who).cloned().collect();
        let watched = watch(&self.own.plan, &self.given, &facts, &world, diags)?;
        identity::check(&self.inputs, &watched.values, diags)?;
        Ok(watched)
    }

    /// Reports facts whose value in the call differs from that of the frozen text, if the difference has no effect.
    pub(crate) fn stale(&self, kept: &Prompt, args: &BuildCall, diags: &mut Diagnostics) {
        let steady = self.own.plan.steady_facts();
        // Errors of unneeded facts do not matter to this call.
        let Ok(now) = self.watch(args, &steady, &mut Diagnostics::default()) else {
            return;
        };
        let made_from = kept.made_from();
        let differs = |name: &&String| {
            let is = now.values.get(*name).filter(|is| !is.is_null());
            let was = made_from.get(name.as_str());
            now.called.contains(*name) && was.is_some_and(|was| *was != is)
        };
        for name in steady.iter().filter(differs) {
            let message = format!(
                "the session was frozen with another value of `{name}`, and this one has no effect"
            );
            let found = Diagnostic::warning(diagnostic::FROZEN_FACT, message);
            diags.push(found.help(format!(
                "`session {{ identity {name} }}` in the manifest makes it an error, `session {{ refresh fact={name} }}` builds the session again"
            )));
        }
    }

    /// Reports which private facts are missing to what is built again; `now` are those that have a value.
    pub(crate) fn miss(&self, now: &[String], diags: &mut Diagnostics) {
        let needed = self.own.plan.live_facts();
        let untold = self.inputs.untold(now).into_iter();
        for fact in untold.filter(|fact| needed.contains(*fact)) {
            diags.push(now::missing_warning(fact));
        }
    }

    /// The frozen text with the tiers that are rebuilt after it, and the files that were read for them.
    pub(crate) fn complete(
        self,
        front: Frozen,
        args: &BuildCall,
        run: &mut Run,
    ) -> Result<(Prompt, BTreeSet<PathBuf>), ErrorReported> {
        let noted = TracingWorld::new(args.project.world());
        let world = RebasedWorld {
            world: &noted,
            folder: self.folder,
        };
        let recorder = Recorder::new(&world);
        let OwnProgram { plan, memo, .. } = &*self.own;
        let (front, diags) = (Arc::new(front), &mut run.diags);
        let prompt = resume_warm(plan, front, &self.given, (&recorder, memo), diags)?;
        Ok((prompt, noted.into_read()))
    }
}

/// The error of a manifest that is not the one that an imported session was built by.
fn other_plan(id: &str, name: &str) -> Diagnostic {
    let message = format!(
        "the session `{id}` was imported, and `{name}` is not the manifest that it was built from, so its live tiers do not fit"
    );
    Diagnostic::error(diagnostic::IMPORTED_PLAN, message).help(format!(
        "name the manifest as it was when the session was exported, with all its files; --refresh builds the session again from `{name}`"
    ))
}
