//! The inputs and the results of reading operands.

use crate::project::BuildCall;
use crate::project::sessions::location::StoreOptions;
use crate::prompt::{Deliver, Prompt};
use crate::session::store::SessionId;
use crate::session::{Inputs, SessionMeta};
use std::collections::BTreeSet;

/// The inputs of reading operands.
#[derive(Clone)]
pub(crate) struct CompareCall {
    /// The manifest and what is given.
    pub(crate) build: BuildCall,
    /// The location of the store of sessions.
    pub(crate) store: StoreOptions,
    /// Whether `git:REV` is built from that revision's manifest and files, and not read from its snapshots.
    pub(crate) rebuild: bool,
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
