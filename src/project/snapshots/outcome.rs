//! Compares what was built with what was recorded.

use super::build;
use super::find::Home;
use super::units::{Opened, Unit};
use crate::compare::snapshot::{Lock, RestoredSnapshot, Snapshot, SnapshotDifference};
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::project::Compared;
use crate::project::Run;
use crate::project::advised;
use crate::prompt::Prompt;
use crate::world::{TracingWorld, World};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most differences of a map that are named.
const MOST_NAMED: usize = 20;

/// The result of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// As recorded.
    Ok,
    /// Another prompt, or another map.
    Differs,
    /// There is no snapshot.
    New,
    /// A snapshot without a scenario.
    Stale,
    /// A snapshot without a manifest.
    Orphaned,
    /// The snapshot cannot be used.
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
    pub(crate) const ALL: [Self; 9] = [
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

    pub(crate) fn word(self) -> &'static str {
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

    pub(crate) fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Accepted)
    }
}

/// The differences between a record and a build.
#[derive(Default)]
pub(crate) struct Difference {
    /// The message, if no picture shows it.
    pub(crate) words: Option<String>,
    /// Both prompts and their comparison, where there are two.
    pub(crate) compared: Option<Compared>,
    /// The first layer that differs.
    pub(crate) layer: Option<String>,
}

impl Difference {
    /// One sentence.
    pub(crate) fn words(words: impl Into<String>) -> Self {
        Self {
            words: Some(words.into()),
            ..Self::default()
        }
    }

    /// The comparison of a record and what is built now, of which `found` differs.
    fn of(found: &[SnapshotDifference], recorded: &RestoredSnapshot, prompt: &Prompt) -> Self {
        let compared = Compared::of((&recorded.prompt, recorded.text), (prompt, true));
        let (words, layer) = match &compared.diff.first {
            Some(broken) => (None, broken.layer.clone()),
            None => {
                let first = found.iter().find_map(|one| one.layer.clone());
                (Some(in_map(found)), first)
            }
        };
        Self {
            words,
            compared: Some(compared),
            layer,
        }
    }
}

/// What differs where the texts are the same, a line for each.
fn in_map(found: &[SnapshotDifference]) -> String {
    let lines = found.iter().take(MOST_NAMED).map(|one| one.words.clone());
    let more = match found.len().saturating_sub(MOST_NAMED) {
        0 => None,
        n => Some(format!("and {n} more")),
    };
    let first = "the text is the same, and its map differs:".to_owned();
    let all = [first].into_iter().chain(lines).chain(more);
    all.collect::<Vec<_>>().join("\n")
}

/// A reason that was written.
pub(crate) struct WrittenReason {
    /// Its file.
    pub(crate) file: PathBuf,
    /// The layer that broke, and its causes.
    pub(crate) what: String,
}

/// One record and what became of it.
pub(crate) struct Outcome {
    /// The manifest, there or gone.
    pub(crate) path: PathBuf,
    pub(crate) shown: String,
    pub(crate) scenario: String,
    /// The place among those of the manifest.
    pub(crate) rank: usize,
    pub(crate) status: Status,
    /// The difference, or why there is nothing to compare.
    pub(crate) difference: Difference,
    /// Why nothing could be built.
    pub(crate) errors: Diagnostics,
    /// Why the snapshot cannot be used.
    pub(crate) broken: Option<Box<Diagnostic>>,
    /// The new snapshot.
    pub(crate) now: Option<(Snapshot, Prompt)>,
    /// Why its breaks were accepted, as far as that was written now.
    pub(crate) accepted: Vec<WrittenReason>,
    /// The files of a stale or orphaned snapshot, besides a lock with other snapshots.
    pub(crate) files: Vec<PathBuf>,
}

impl Outcome {
    /// A manifest that cannot be read, as a report for CI has it.
    pub(crate) fn unread(path: &Path, errors: Diagnostics) -> Self {
        Self {
            path: path.to_owned(),
            shown: super::units::shown(path),
            scenario: "manifest".to_owned(),
            rank: 0,
            status: Status::Failed,
            difference: Difference::words("the manifest cannot be read"),
            errors,
            broken: None,
            now: None,
            accepted: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Whether the prompt is as recorded, and its snapshot has none of the inputs that the build has.
    pub(super) fn lacks_inputs(&self, snapshots: &Snapshots) -> bool {
        let now = self.now.as_ref();
        let has_inputs = now.is_some_and(|(_, prompt)| prompt.inputs.is_some());
        let lock = snapshots.lock(&self.path);
        let snapshot = lock.and_then(|lock| lock.snapshots.get(&self.scenario));
        self.status == Status::Ok
            && has_inputs
            && snapshot.is_some_and(|snapshot| snapshot.inputs().is_none())
    }

    /// Whether the snapshot can be accepted.
    pub(crate) fn is_change(&self) -> bool {
        match self.status {
            Status::Differs | Status::New | Status::Stale | Status::Orphaned => true,
            Status::Broken => self.broken.as_deref().is_some_and(is_resolvable),
            Status::Ok | Status::Failed | Status::Unstable | Status::Accepted => false,
        }
    }
}

/// Whether rewriting the snapshot is the fix. Snapshots of a newer release, and those that cannot be read, are left as they
/// are.
pub(crate) fn is_resolvable(error: &Diagnostic) -> bool {
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

/// The snapshots of all manifests.
pub(crate) struct Snapshots {
    pub(crate) home: Home,
    /// By the manifest's path; `None` where there is none.
    locks: BTreeMap<PathBuf, Result<Option<Lock>, Box<Diagnostic>>>,
}

impl Snapshots {
    pub(crate) fn read(world: &dyn World, home: Home, opened: &[Opened]) -> Self {
        let read = |o: &Opened| (o.path.clone(), super::read_lock(world, &home.of(&o.path)));
        Self {
            locks: opened.iter().map(read).collect(),
            home,
        }
    }

    /// The lock of a manifest, if there is one that can be used.
    pub(crate) fn lock(&self, path: &Path) -> Option<&Lock> {
        self.locks.get(path)?.as_ref().ok()?.as_ref()
    }

    /// Why the lock of a manifest cannot be used.
    pub(crate) fn error(&self, path: &Path) -> Option<&Diagnostic> {
        self.locks.get(path)?.as_ref().err().map(Box::as_ref)
    }

    /// Whether a manifest has a lock, of whatever kind.
    pub(crate) fn any(&self, path: &Path) -> bool {
        self.lock(path).is_some() || self.error(path).is_some()
    }

    /// The snapshot of a scenario with its prompt; `None` if there is none.
    pub(super) fn find(
        &self,
        world: &dyn World,
        unit: &Unit<'_>,
    ) -> Result<Option<(&Snapshot, RestoredSnapshot)>, Box<Diagnostic>> {
        if let Some(error) = self.error(unit.path) {
            return Err(Box::new(error.clone()));
        }
        let lock = self.lock(unit.path);
        let Some(snapshot) = lock.and_then(|lock| lock.snapshots.get(&unit.scenario)) else {
            return Ok(None);
        };
        let paths = self.home.of(unit.path);
        let recorded = super::restore(world, &paths, &unit.scenario, snapshot)?;
        Ok(Some((snapshot, recorded)))
    }
}

/// Builds the units and compares each with its snapshot.
pub(crate) fn all(
    world: &dyn World,
    units: &[&Unit<'_>],
    snapshots: &Snapshots,
    run: &mut Run,
) -> Vec<Outcome> {
    let built = build::all(units, run);
    let world = TracingWorld::new(world);
    let judged = units.iter().zip(built).enumerate();
    let outcomes = judged
        .map(|(rank, (unit, prompt))| {
            let mut outcome = Outcome {
                path: unit.path.to_owned(),
                shown: unit.shown.to_owned(),
                scenario: unit.scenario.clone(),
                rank,
                status: Status::Failed,
                difference: Difference::words("the scenario does not build"),
                errors: Diagnostics::default(),
                broken: None,
                now: None,
                accepted: Vec::new(),
                files: Vec::new(),
            };
            match prompt {
                Ok(prompt) => compare_with_snapshot(&world, unit, snapshots, prompt, &mut outcome),
                Err(found) => outcome.errors = found,
            }
            outcome
        })
        .collect();
    run.read.extend(world.into_read());
    outcomes
}

fn compare_with_snapshot(
    world: &dyn World,
    unit: &Unit<'_>,
    snapshots: &Snapshots,
    prompt: Prompt,
    outcome: &mut Outcome,
) {
    let snapshot = Snapshot::of(&unit.scenario, unit.snapshot, unit.manifest, &prompt);
    match snapshots.find(world, unit) {
        Err(error) => {
            outcome.status = Status::Broken;
            outcome.difference = Difference::words(&error.message);
            outcome.broken = Some(error);
        }
        Ok(None) => {
            outcome.status = Status::New;
            outcome.difference = Difference::words("there is no snapshot");
        }
        Ok(Some((old, mut recorded))) => {
            let found = old.differences(&snapshot);
            outcome.status = if found.is_empty() {
                Status::Ok
            } else {
                Status::Differs
            };
            if !found.is_empty() {
                recorded.prompt.inputs = super::inputs(world, unit.path, old);
                outcome.difference = Difference::of(&found, &recorded, &prompt);
            }
            if let Some(compared) = &mut outcome.difference.compared {
                advised::retain(compared);
            }
        }
    }
    outcome.now = Some((snapshot, prompt));
}
