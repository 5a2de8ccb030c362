//! The breaks that are accepted with the snapshots.

use super::write::breaks;
use super::{read, write};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::snapshots::find::Home;
use crate::project::snapshots::inputs;
use crate::project::snapshots::outcome::{Outcome, Snapshots, Status, WrittenReason};
use crate::project::snapshots::units::{Opened, Unit};
use crate::project::{Compared, Run};
use crate::world::git::Revision;
use crate::world::{DiskWorld, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The accepted breaks of scenarios, each with the place of its outcome.
pub(crate) struct Reasons {
    breaks: Vec<(usize, Vec<super::AcceptedBreak>)>,
}

impl Reasons {
    /// The number of breaks.
    pub(crate) fn count(&self) -> usize {
        self.breaks.iter().map(|(_, breaks)| breaks.len()).sum()
    }

    /// Whether no scenario was compared.
    pub(crate) fn is_empty(&self) -> bool {
        self.breaks.is_empty()
    }

    /// The breaks between the snapshots and a build now, all for the reason `because`.
    pub(crate) fn here(outcomes: &[Outcome], because: &str) -> Self {
        let differs = outcomes.iter().enumerate();
        let differs = differs.filter(|(_, outcome)| outcome.status == Status::Differs);
        let breaks = differs.filter_map(|(at, outcome)| {
            let compared = outcome.difference.compared.as_ref()?;
            Some((at, breaks(&outcome.scenario, compared, because)))
        });
        Self {
            breaks: breaks.collect(),
        }
    }

    /// The breaks between the snapshots of a revision and a build now.
    ///
    /// # Errors
    /// When a snapshot of the revision cannot be used.
    pub(crate) fn since(
        revision: &Revision,
        (outcomes, opened, units): (&[Outcome], &[Opened], &[Unit<'_>]),
        because: &str,
        diags: &mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        let snapshots = Snapshots::read(revision, Home::Beside, opened);
        let mut out = Vec::new();
        for (at, outcome) in outcomes.iter().enumerate() {
            let is_of =
                |unit: &&Unit<'_>| unit.path == outcome.path && unit.scenario == outcome.scenario;
            let (Some((_, now)), Some(unit)) = (&outcome.now, units.iter().find(is_of)) else {
                continue;
            };
            match snapshots.find(revision, unit) {
                Ok(Some((snapshot, mut old))) => {
                    old.prompt.inputs = inputs(revision, unit.path, snapshot);
                    let compared = Compared::of((&old.prompt, old.text), (now, true));
                    out.push((at, breaks(&outcome.scenario, &compared, because)));
                }
                Ok(None) => {}
                Err(error) => _ = diags.push(*error),
            }
        }
        diags.check()?;
        Ok(Self { breaks: out })
    }

    /// Writes those that are not accepted yet, and notes the files at the outcomes. Breaks that a revision has were
    /// accepted before.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(crate) fn write(
        self,
        outcomes: &mut [Outcome],
        revision: Option<&Revision>,
        run: &mut Run,
    ) -> Result<(), ErrorReported> {
        for (at, breaks) in self.breaks {
            if breaks.is_empty() {
                continue;
            }
            let manifest: PathBuf = outcomes[at].path.clone();
            let mut all =
                |world: &dyn World| read(world, &manifest, &mut run.files, &mut run.diags);
            let there = all(&DiskWorld)?;
            // Without a revision, what another branch has of it is unknown: a new file says that it is accepted now.
            let before = match revision {
                Some(revision) => all(revision)?,
                None => there.clone(),
            };
            let written = write(&manifest, &breaks, &there, &before, run)?;
            let reasons = written.into_iter().map(|(file, accepted)| WrittenReason {
                what: accepted.what(),
                file,
            });
            outcomes[at].accepted = reasons.collect();
        }
        Ok(())
    }
}

/// The files that came since a revision and accept a text that their scenario has no longer. Those of the revision itself are
/// history.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn stale(
    revision: &Revision,
    outcomes: &[Outcome],
    run: &mut Run,
) -> Result<Vec<PathBuf>, ErrorReported> {
    let manifests: BTreeSet<&Path> = outcomes.iter().map(|o| o.path.as_path()).collect();
    let mut out = Vec::new();
    for manifest in manifests {
        let mut all = |world: &dyn World| read(world, manifest, &mut run.files, &mut run.diags);
        let (now, before) = (all(&DiskWorld)?, all(revision)?);
        for (file, accepted) in now
            .into_iter()
            .filter(|(file, is)| before.get(file) != Some(is))
        {
            let is_of = |o: &&Outcome| o.path == manifest && o.scenario == accepted.scenario;
            let built = outcomes.iter().find(is_of).and_then(|o| o.now.as_ref());
            if built.is_some_and(|(_, prompt)| !accepted.holds_in(prompt)) {
                out.push(file);
            }
        }
    }
    Ok(out)
}
