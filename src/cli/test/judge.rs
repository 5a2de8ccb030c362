//! Compares what was built with what was recorded.

use super::{Opened, Unit, build, picture};
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::project::Run;
use crate::project::records;
use crate::prompt::Prompt;
use crate::record::{Lock, Record, Recorded};
use crate::world::World;
use picture::Picture;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// As recorded.
    Ok,
    /// Another prompt, or another map.
    Differs,
    /// There is no record.
    New,
    /// A record without a scenario.
    Stale,
    /// A record without a manifest.
    Orphaned,
    /// The record cannot be used.
    Broken,
    /// The scenario does not build.
    Failed,
    /// The second build was another one.
    Unstable,
    /// Written or removed by this run.
    Accepted,
}

impl Status {
    /// All, in the order of the summary.
    pub(super) const ALL: [Self; 9] = [
        Self::Ok,
        Self::Accepted,
        Self::Differs,
        Self::New,
        Self::Stale,
        Self::Orphaned,
        Self::Broken,
        Self::Failed,
        Self::Unstable,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Differs => "differs",
            Self::New => "new",
            Self::Stale => "stale",
            Self::Orphaned => "orphaned",
            Self::Broken => "broken",
            Self::Failed => "failed",
            Self::Unstable => "unstable",
            Self::Accepted => "accepted",
        }
    }

    pub(super) fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Accepted)
    }
}

/// One record and what became of it.
pub(super) struct Outcome {
    /// The manifest, there or gone.
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) scenario: String,
    /// The place among those of the manifest.
    pub(super) rank: usize,
    pub(super) status: Status,
    /// What is to be said about it.
    pub(super) picture: Picture,
    /// Why nothing could be built.
    pub(super) errors: Diagnostics,
    /// Why the record cannot be used.
    pub(super) broken: Option<Box<Diagnostic>>,
    /// What would be recorded.
    pub(super) now: Option<(Record, Prompt)>,
    /// Of a stale or orphaned record: its files, besides a lock with other records.
    pub(super) files: Vec<PathBuf>,
}

impl Outcome {
    /// A manifest that cannot be read, as a report for CI has it.
    pub(super) fn unread(path: &Path, errors: Diagnostics) -> Self {
        Self {
            path: path.to_owned(),
            shown: super::shown(path),
            scenario: "manifest".to_owned(),
            rank: 0,
            status: Status::Failed,
            picture: Picture::words("the manifest cannot be read"),
            errors,
            broken: None,
            now: None,
            files: Vec::new(),
        }
    }

    /// Whether the record can be accepted.
    pub(super) fn is_change(&self) -> bool {
        match self.status {
            Status::Differs | Status::New | Status::Stale | Status::Orphaned => true,
            Status::Broken => self.broken.as_deref().is_some_and(is_resolvable),
            Status::Ok | Status::Failed | Status::Unstable | Status::Accepted => false,
        }
    }
}

/// Whether writing the record anew is the way out. What a newer release wrote, or nobody may read, stays.
pub(super) fn is_resolvable(error: &Diagnostic) -> bool {
    let resolvable = [
        diagnostic::LOCK_CONFLICT,
        diagnostic::LOCK_MALFORMED,
        diagnostic::LOCK_OLDER,
        diagnostic::LOCK_OF_ANOTHER,
        diagnostic::SNAPSHOT_EDITED,
        diagnostic::SNAPSHOT_MISSING,
    ];
    resolvable.contains(&error.code)
}

/// The locks of all manifests, by the manifest's path; `None` where there is none.
pub(super) struct Records(BTreeMap<PathBuf, Result<Option<Lock>, Box<Diagnostic>>>);

impl Records {
    pub(super) fn read(world: &dyn World, opened: &[Opened]) -> Self {
        let read = |o: &Opened| (o.path.clone(), records::read_lock(world, &o.path));
        Self(opened.iter().map(read).collect())
    }

    /// The lock of a manifest, if there is one that can be used.
    pub(super) fn lock(&self, path: &Path) -> Option<&Lock> {
        self.0.get(path)?.as_ref().ok()?.as_ref()
    }

    /// Why the lock of a manifest cannot be used.
    pub(super) fn error(&self, path: &Path) -> Option<&Diagnostic> {
        self.0.get(path)?.as_ref().err().map(Box::as_ref)
    }

    /// Whether a manifest has a lock, of whatever kind.
    pub(super) fn any(&self, path: &Path) -> bool {
        self.lock(path).is_some() || self.error(path).is_some()
    }

    /// The record of a scenario with its prompt; `None` if there is none.
    fn find(
        &self,
        world: &dyn World,
        unit: &Unit<'_>,
    ) -> Result<Option<(&Record, Recorded)>, Box<Diagnostic>> {
        if let Some(error) = self.error(unit.path) {
            return Err(Box::new(error.clone()));
        }
        let lock = self.lock(unit.path);
        let Some(record) = lock.and_then(|lock| lock.records.get(&unit.scenario)) else {
            return Ok(None);
        };
        let recorded = records::restore(world, unit.path, &unit.scenario, record)?;
        Ok(Some((record, recorded)))
    }
}

/// Builds the units and compares each with its record.
pub(super) fn all(
    world: &dyn World,
    units: &[&Unit<'_>],
    records: &Records,
    run: &mut Run,
) -> Vec<Outcome> {
    let built = build::all(units, run);
    let judged = units.iter().zip(built).enumerate();
    judged
        .map(|(rank, (unit, prompt))| {
            let mut outcome = Outcome {
                path: unit.path.to_owned(),
                shown: unit.shown.to_owned(),
                scenario: unit.scenario.clone(),
                rank,
                status: Status::Failed,
                picture: Picture::words("the scenario does not build"),
                errors: Diagnostics::default(),
                broken: None,
                now: None,
                files: Vec::new(),
            };
            match prompt {
                Ok(prompt) => judge(world, unit, records, prompt, &mut outcome),
                Err(found) => outcome.errors = found,
            }
            outcome
        })
        .collect()
}

fn judge(
    world: &dyn World,
    unit: &Unit<'_>,
    records: &Records,
    prompt: Prompt,
    outcome: &mut Outcome,
) {
    let record = Record::of(&unit.scenario, unit.snapshot, unit.manifest, &prompt);
    match records.find(world, unit) {
        Err(error) => {
            outcome.status = Status::Broken;
            outcome.picture = Picture::words(&error.message);
            outcome.broken = Some(error);
        }
        Ok(None) => {
            outcome.status = Status::New;
            outcome.picture = Picture::words("there is no record");
        }
        Ok(Some((old, _))) if *old == record => outcome.status = Status::Ok,
        Ok(Some((old, recorded))) => {
            outcome.status = Status::Differs;
            outcome.picture = picture::picture(old, &recorded, &record, &prompt);
        }
    }
    outcome.now = Some((record, prompt));
}
