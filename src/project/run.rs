//! What one call gathers on its way.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::{Manifest, Origin};
use crate::world::write::Walls;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What one call gathers: the program files that it read, what it found, and what its writers have to know.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The program files read so far.
    pub(crate) files: Files,
    /// The files that prompts were made from or found in, as they were named: no output may take their place.
    pub(crate) read: BTreeSet<PathBuf>,
    /// Where no writer follows a link.
    pub(crate) walls: Walls,
    /// What was found so far.
    pub(crate) diags: Diagnostics,
    /// Whether something was written, although there may be errors.
    pub(crate) wrote: bool,
    /// What is worth a line and is no finding.
    pub(crate) notes: Vec<String>,
}

impl Run {
    /// No writer follows a link in the folder of this manifest.
    pub(crate) fn add_walls(&mut self, manifest: &Manifest) {
        if let Origin::Disk { folder } = &manifest.origin {
            self.walls.add(folder);
        }
    }
}
