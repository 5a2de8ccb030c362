//! The paths of records, next to their manifest.

use crate::prompt::Deliver;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The stem of the manifest that a folder usually has; its snapshots need no folder of their own.
const USUAL: &str = "promptc";

/// The name of a manifest or lock without its ending.
#[must_use]
pub fn stem(file: &Path) -> &OsStr {
    file.file_stem().unwrap_or_default()
}

/// The lock of a manifest: `promptc.lock` for `promptc.kdl`.
#[must_use]
pub fn lock_path(manifest: &Path) -> PathBuf {
    manifest.with_extension("lock")
}

/// The manifest of a lock.
#[must_use]
pub fn owner_of_lock(lock: &Path) -> PathBuf {
    lock.with_extension("kdl")
}

/// The folder with the snapshots of a manifest: `snapshots`, or `snapshots/x` for `x.kdl`.
#[must_use]
pub fn snapshot_folder(manifest: &Path) -> PathBuf {
    let all = manifest.with_file_name("snapshots");
    match stem(manifest) {
        usual if usual == USUAL => all,
        other => all.join(other),
    }
}

/// The snapshot of a channel: `NAME.txt` for the system text, `NAME+tools.txt` and `NAME+user.txt` for the others (no
/// name of a scenario has a `+`).
#[must_use]
pub fn snapshot_path(manifest: &Path, scenario: &str, deliver: Deliver) -> PathBuf {
    let name = match deliver {
        Deliver::System => format!("{scenario}.txt"),
        other => format!("{scenario}+{other}.txt"),
    };
    snapshot_folder(manifest).join(name)
}
