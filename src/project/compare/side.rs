//! The inputs and the results of reading operands.

use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::manifest;
use crate::project::sessions::location::StoreOptions;
use crate::project::{BuildCall, Run};
use crate::prompt::{Deliver, Prompt};
use crate::session::store::SessionId;
use crate::session::{Inputs, SessionMeta};
use crate::world::World;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The options of a comparison of two prompts.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// The location of the store of sessions.
    pub store: StoreOptions,
    /// Reads what `git:REV` names from that revision's snapshots, and does not build its files.
    pub recorded: bool,
    /// The most builds that find the causes of one comparison; without it as many as are usual.
    pub max_builds: Option<NonZeroUsize>,
}

/// The inputs of reading operands.
#[derive(Clone)]
pub(crate) struct CompareCall {
    /// The manifest and what is given.
    pub(crate) build: BuildCall,
    /// How they are read and compared.
    pub(crate) options: CompareOptions,
}

impl CompareCall {
    /// The manifest's path; snapshots are of files only.
    pub(super) fn manifest(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<PathBuf, ErrorReported> {
        let named = self.build.project.name();
        if let Some(builtin) = named.filter(|n| n.starts_with(manifest::BUILT_IN)) {
            let message =
                format!("`{builtin}` has no snapshots: they are stored next to a manifest");
            return Err(run
                .diags
                .push(Diagnostic::error(codes::NOTHING_SELECTED, message).help(
                    "`promptc init` writes a manifest, and `promptc test --accept` its snapshots",
                )));
        }
        match named {
            Some(path) => Ok(PathBuf::from(path)),
            None => manifest::nearest(world, &mut run.diags),
        }
    }
}

/// One side of a comparison, with its name.
#[derive(Clone)]
pub(super) enum Side {
    /// A prompt with its map; whether its text is known.
    Artifact(String, Box<Prompt>, bool),
    /// Only a text.
    Text(String, String),
}

/// The prompt or text of an operand.
pub(super) enum Sides {
    /// One prompt.
    One(Box<Side>),
    /// Snapshots by the name of their scenario.
    Many(Vec<(String, Side)>),
    /// The frozen prompt of a session.
    Frozen(Box<Frozen>),
    /// A build now, which depends on what it is compared with.
    Now,
}

/// The frozen tiers of a build, and what was given to it.
pub(super) struct Frozen {
    pub(super) name: String,
    pub(super) prompt: Prompt,
    pub(super) inputs: Inputs,
    pub(super) id: SessionId,
    pub(super) terms: SessionMeta,
    /// The channels with tiers that are rebuilt for each call.
    pub(super) live: BTreeSet<Deliver>,
}
