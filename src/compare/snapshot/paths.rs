//! The paths of snapshots: next to their manifest, or in a folder for those of many manifests.

use crate::prompt::Deliver;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The stem of the manifest that a folder usually has; its snapshots need no folder of their own.
const USUAL: &str = "promptc";

/// Whether a path stays below the folder that it counts from.
#[must_use]
pub fn leads_down(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
}

/// The files of a manifest's snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPaths {
    /// The folder that they are in or below. No link leads from it to one of them.
    pub base: PathBuf,
    /// The manifest as its lock names it.
    pub manifest: String,
    /// The lock.
    pub lock: PathBuf,
    /// The folder with the texts.
    pub folder: PathBuf,
}

impl SnapshotPaths {
    /// Next to the manifest: `promptc.lock` and `snapshots` for `promptc.kdl`, `x.lock` and `snapshots/x` for `x.kdl`.
    #[must_use]
    pub fn beside(manifest: &Path) -> Self {
        let all = manifest.with_file_name("snapshots");
        let name = manifest.file_name().unwrap_or_default();
        Self {
            base: manifest.parent().unwrap_or(Path::new("")).to_owned(),
            manifest: name.to_string_lossy().into_owned(),
            lock: manifest.with_extension("lock"),
            folder: match manifest.file_stem() {
                Some(other) if other != USUAL => all.join(other),
                _ => all,
            },
        }
    }

    /// In a folder for the snapshots of many manifests: `FOLDER/a/x.lock` and `FOLDER/a/x` for `a/x.kdl`, whose path leads
    /// [down](leads_down) from the current directory.
    #[must_use]
    pub fn below(folder: &Path, manifest: &Path) -> Self {
        let all = folder.join(manifest);
        // Each name has a slash, so such a lock differs from one next to its manifest.
        let names = [Path::new("."), manifest].into_iter().flatten();
        let names = names.map(OsStr::to_string_lossy);
        Self {
            base: if leads_down(folder) {
                PathBuf::new()
            } else {
                folder.to_owned()
            },
            manifest: names.collect::<Vec<_>>().join("/"),
            lock: all.with_extension("lock"),
            folder: all.with_extension(""),
        }
    }

    /// The text of a channel: `NAME.txt` for the system prompt, `NAME+tools.txt` and `NAME+user.txt` for the others (no
    /// name of a scenario has a `+`).
    #[must_use]
    pub fn text(&self, scenario: &str, deliver: Deliver) -> PathBuf {
        let name = match deliver {
            Deliver::System => format!("{scenario}.txt"),
            other => format!("{scenario}+{other}.txt"),
        };
        self.folder.join(name)
    }

    /// The folders that hold nothing but texts and locks, the innermost first.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        let all = self.folder.ancestors();
        all.take_while(|folder| *folder != self.base)
    }
}
