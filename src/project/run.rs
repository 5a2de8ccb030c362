//! The state that one call collects.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::{Manifest, Origin};
use crate::project::input::Streams;
use crate::world::write::Walls;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The state that one call collects: the program files that it read, its findings, and the rules for its writers.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The program files read so far.
    pub(crate) files: Files,
    /// The files that prompts were made from or found in, as they were named: no output may take their place.
    pub(crate) read: BTreeSet<PathBuf>,
    /// Where no writer follows a link.
    pub(crate) walls: Walls,
    /// The findings so far.
    pub(crate) diags: Diagnostics,
    /// Whether something was written, although there may be errors.
    pub(crate) wrote: bool,
    /// The streams that were read, for a call that reads its inputs more than once; without it each is read once, and not held.
    pub(crate) held: Option<Arc<Streams>>,
    /// A line for the user that is not a finding.
    pub(crate) notes: Vec<String>,
}

impl Run {
    /// From now on streams are held.
    pub(crate) fn hold_streams(&mut self) {
        self.held.get_or_insert_default();
    }

    /// A run that reads the same streams, and whose findings are its own.
    pub(crate) fn beside(&self) -> Self {
        Self {
            held: self.held.clone(),
            ..Self::default()
        }
    }

    /// No writer follows a link in the folder of this manifest.
    pub(crate) fn add_walls(&mut self, manifest: &Manifest) {
        if let Origin::Disk { folder } = &manifest.origin {
            self.walls.add(folder);
        }
    }
}
