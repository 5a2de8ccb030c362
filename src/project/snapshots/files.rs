//! Snapshots as files: read through a [`World`], so from the disk or from a revision alike.

use crate::compare::snapshot::{
    Lock, RestoredSnapshot, Snapshot, SnapshotMismatch, SnapshotPaths, Texts,
};
use crate::diagnostic::{self, Diagnostic};
use crate::manifest;
use crate::project::{input, output};
use crate::prompt::Deliver;
use crate::world::{self, Kind, World};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The largest lock or snapshot, in bytes.
const MAX_RECORD: u64 = 64 * 1024 * 1024;

/// The command that rewrites a snapshot.
const ACCEPT: &str = "`promptc test --accept` rewrites it from what the manifest builds now";

/// The lock of a manifest; `None` if there is none.
pub(crate) fn read_lock(
    world: &dyn World,
    paths: &SnapshotPaths,
) -> Result<Option<Lock>, Box<Diagnostic>> {
    let name = manifest::shown(world, &paths.lock);
    let Some(bytes) = read(world, &paths.base, &paths.lock, &name, "lock")? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let after = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..after]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let message = format!("line {line} of `{name}` is not UTF-8");
        Diagnostic::error(diagnostic::LOCK_MALFORMED, message).help(ACCEPT)
    })?;
    Lock::read(&name, &text, &paths.manifest).map(Some)
}

/// The system prompts of a lock of an earlier release, by scenario: those whose snapshots exist.
pub(crate) fn older_texts(
    world: &dyn World,
    paths: &SnapshotPaths,
) -> Result<BTreeMap<String, String>, Box<Diagnostic>> {
    let name = manifest::shown(world, &paths.lock);
    let lock = read(world, &paths.base, &paths.lock, &name, "lock")?.unwrap_or_default();
    let mut out = BTreeMap::new();
    for scenario in Lock::scenarios_of_older(&String::from_utf8_lossy(&lock)) {
        let path = paths.text(&scenario, Deliver::System);
        let name = manifest::shown(world, &path);
        if let Some(bytes) = read(world, &paths.base, &path, &name, "snapshot")? {
            out.insert(scenario, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(out)
}

/// The prompt of a snapshot, with the texts of its files.
pub(crate) fn restore(
    world: &dyn World,
    paths: &SnapshotPaths,
    scenario: &str,
    snapshot: &Snapshot,
) -> Result<RestoredSnapshot, Box<Diagnostic>> {
    let mut texts = Texts::new();
    for deliver in snapshot.kept() {
        let path = paths.text(scenario, deliver);
        let name = manifest::shown(world, &path);
        let bytes = read(world, &paths.base, &path, &name, "snapshot")?.ok_or_else(|| {
            let message = format!("there is no snapshot `{name}`, and the lock describes its text");
            Diagnostic::error(diagnostic::SNAPSHOT_MISSING, message).help(ACCEPT)
        })?;
        // A text that is not UTF-8 was not written by a build; its layer differs then.
        texts.insert(deliver, String::from_utf8_lossy(&bytes).into_owned());
    }
    snapshot.restore(&texts).map_err(|unlike| {
        let path = paths.text(scenario, unlike.deliver);
        let name = manifest::shown(world, &path);
        Box::new(edited(&name, &unlike, snapshot, &texts))
    })
}

fn edited(name: &str, unlike: &SnapshotMismatch, snapshot: &Snapshot, texts: &Texts) -> Diagnostic {
    let message = match &unlike.layer {
        Some(layer) => {
            format!("`{name}` is not what was recorded: it differs first in the layer `{layer}`")
        }
        None => format!("`{name}` is not what was recorded: there is more after its last layer"),
    };
    let text = texts.get(&unlike.deliver).map_or("", String::as_str);
    let conflict = text.lines().any(|line| line.starts_with("<<<<<<< "));
    let count_newlines: Texts = texts
        .iter()
        .map(|(deliver, text)| (*deliver, text.replace("\r\n", "\n")))
        .collect();
    let help = if conflict {
        "it holds the marks of a merge conflict; `promptc test --accept` resolves it"
    } else if text.contains("\r\n") && snapshot.restore(&count_newlines).is_ok() {
        "its line ends were changed, most often by git: write `snapshots/** -text` into .gitattributes, then `promptc test --accept`"
    } else {
        ACCEPT
    };
    Diagnostic::error(diagnostic::SNAPSHOT_EDITED, message).help(help)
}

/// Where a file of the snapshots in `folder` is. Neither it nor a folder on the way to it may be a link: a repository could lead to
/// any text of the machine.
pub(crate) fn place(
    world: &dyn World,
    folder: &Path,
    path: &Path,
) -> Result<PathBuf, Box<Diagnostic>> {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let here = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    let mut at = folder.to_owned();
    for name in below {
        at.push(name);
        if matches!(world.kind_of_name(&at), Ok(Kind::Link)) {
            let shown = manifest::shown(world, path);
            let what = format!("the snapshot `{shown}` is not read");
            return Err(Box::new(output::is_linked(&what, &at)));
        }
    }
    let real = world.canonical(here).map(|folder| folder.join(below));
    Ok(real.unwrap_or_else(|_| path.to_owned()))
}

/// The bytes of a file; `None` if there is none.
fn read(
    world: &dyn World,
    folder: &Path,
    path: &Path,
    name: &str,
    what: &str,
) -> Result<Option<Vec<u8>>, Box<Diagnostic>> {
    let unreadable = |why: String, help: &str| {
        let message = format!("{what} `{name}` cannot be read: {why}");
        let found = Diagnostic::error(diagnostic::UNREADABLE_SNAPSHOT, message);
        Box::new(found.help(help))
    };
    match world.read_found(&place(world, folder, path)?, MAX_RECORD) {
        Ok(bytes) if bytes.len() as u64 <= MAX_RECORD => Ok(Some(bytes)),
        Ok(_) => Err(unreadable("it is larger than 64 MiB".to_owned(), ACCEPT)),
        Err(error) if world::is_missing(&error) => Ok(None),
        Err(error) => {
            let (why, help) = input::failed(&error);
            Err(unreadable(
                why,
                match error.kind() {
                    ErrorKind::IsADirectory | ErrorKind::InvalidInput => {
                        "move the existing file away; `promptc test --accept` writes it again"
                    }
                    _ => help,
                },
            ))
        }
    }
}
