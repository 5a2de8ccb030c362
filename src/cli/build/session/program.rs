//! The program that a session keeps: what its other tiers are made by.

use crate::cli::Context;
use crate::cli::given::GivenArgs;
use crate::cli::session::now;
use crate::compile::{Frozen, Given, Plan, Watched, prepare, resume, watch};
use crate::diagnostic::{Diagnostics, Reported};
use crate::manifest;
use crate::prompt::Prompt;
use crate::session::{Inputs, program};
use crate::store::{self, Key, Restored};
use crate::world::{Anchored, Noted, Tape};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// A plan that a session keeps, and what its tiers are made from.
pub(super) struct Program {
    plan: Plan,
    given: Given,
    folder: PathBuf,
    inputs: Inputs,
    /// The files that say what is given.
    pub(super) read: BTreeSet<PathBuf>,
}

/// The program files that a session keeps, and what was given to it.
pub(super) fn parts(kept: &Restored) -> store::Result<(Tape, Inputs)> {
    let mut contents = |key: &Key| kept.content(key);
    let tape = program(&mut contents, &kept.build)?;
    Ok((tape, Inputs::of(&mut contents, &kept.build)?))
}

impl Program {
    /// The plan of these files, with what this call and those before it give.
    pub(super) fn open(
        tape: &Tape,
        inputs: Inputs,
        args: &GivenArgs,
        context: &mut Context,
    ) -> Result<Self, Reported> {
        let outside = args.world();
        let noted = Noted::new(outside.as_ref());
        let mut given = now::given(args, &noted, context)?;
        given.lenient = true;
        let Context { files, diags, .. } = context;
        let manifest = manifest::open(tape, inputs.manifest.as_deref(), files, diags)?;
        let mut before = Given::default();
        inputs.remind(&manifest, &mut before);
        inputs.remind(&manifest, &mut given);
        Ok(Self {
            plan: prepare(&manifest, &before, tape, files, diags)?,
            given,
            folder: inputs.folder.clone(),
            inputs,
            read: noted.into_read(),
        })
    }

    /// What the facts are now of which another value is a reason to build anew.
    pub(super) fn watch(
        &self,
        args: &GivenArgs,
        facts: &[String],
        diags: &mut Diagnostics,
    ) -> Result<Watched, Reported> {
        let outside = args.world();
        let world = Anchored {
            world: outside.as_ref(),
            folder: self.folder.clone(),
        };
        watch(&self.plan, &self.given, facts, &world, diags)
    }

    /// Tells which private facts are missing to what is made anew; `now` are those that have a value.
    pub(super) fn miss(&self, now: &[String], diags: &mut Diagnostics) {
        let needed = self.plan.live_facts();
        let untold = self.inputs.untold(now).into_iter();
        for fact in untold.filter(|fact| needed.contains(*fact)) {
            diags.push(now::untold_warning(fact));
        }
    }

    /// What is kept with what is made anew behind it, and the files that were read for that.
    pub(super) fn behind(
        self,
        front: Frozen,
        args: &GivenArgs,
        context: &mut Context,
    ) -> Result<(Prompt, BTreeSet<PathBuf>), Reported> {
        let outside = args.world();
        let noted = Noted::new(outside.as_ref());
        let world = Anchored {
            world: &noted,
            folder: self.folder,
        };
        let diags = &mut context.diags;
        let prompt = resume(&self.plan, Arc::new(front), &self.given, &world, diags)?;
        Ok((prompt, noted.into_read()))
    }
}
