//! The manifests that were found, read.

use super::find::FoundSnapshots;
use super::outcome::{Outcome, Snapshots};
use super::units::{Opened, Unit, Wanted, shown};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::{self, ManifestFile, Origin};
use crate::project::Run;
use crate::world::git::Revision;
use crate::world::{DiskWorld, TracingWorld, World as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reads the manifests. One that is broken is an error, unless the filter leaves it out or another one includes it: then it
/// is a part of that one.
pub(crate) fn open(
    found: &FoundSnapshots,
    wanted: Wanted<'_>,
    run: &mut Run,
) -> (Vec<Opened>, Vec<Outcome>) {
    let mut out = Vec::new();
    let mut broken = Vec::new();
    let (mut parts, mut bases) = (BTreeSet::new(), BTreeSet::new());
    let disk = TracingWorld::new(&DiskWorld);
    for path in &found.manifests {
        let mut diags = Diagnostics::default();
        let name = path.to_string_lossy();
        match manifest::open(&disk, Some(&name), &mut run.files, &mut diags) {
            Ok(manifest) => {
                for sheet in manifest.sheets.iter().skip(1) {
                    let below = if sheet.included {
                        &mut parts
                    } else {
                        &mut bases
                    };
                    below.extend(place(sheet, &run.files));
                }
                out.push(Opened {
                    path: path.clone(),
                    shown: shown(path),
                    manifest,
                    found: diags,
                    extended: false,
                });
            }
            Err(_) => broken.push((path, diags)),
        }
    }
    run.read.extend(disk.into_read());
    let is_in = |places: &BTreeSet<PathBuf>, path: &Path| {
        DiskWorld
            .canonical(path)
            .is_ok_and(|real| places.contains(&real))
    };
    let mut unread = Vec::new();
    for (path, diags) in broken {
        let left_out = wanted.filter.is_some_and(|f| !shown(path).contains(f));
        if !left_out && !is_in(&parts, path) {
            run.diags.extend(&diags);
            unread.push(Outcome::unread(path, diags));
        }
    }
    out.retain(|opened| !is_in(&parts, &opened.path));
    for opened in &mut out {
        opened.extended = is_in(&bases, &opened.path);
    }
    (out, unread)
}

/// The location of a file of a manifest, with links resolved; none for a built-in.
pub(crate) fn place(sheet: &ManifestFile, files: &Files) -> Option<PathBuf> {
    let Origin::Disk { folder } = &sheet.origin else {
        return None;
    };
    let name = Path::new(&*files.get(sheet.file).name).file_name()?;
    DiskWorld.canonical(&folder.join(name)).ok()
}

/// Fails if the revision has no lock at all: then there is nothing to compare with.
pub(crate) fn some_snapshot(
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    revision: &Revision,
    name: &str,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let mut selected = units.iter().filter(|unit| unit.selected).peekable();
    let Some(first) = selected.peek().map(|unit| unit.path) else {
        return Ok(());
    };
    if selected.any(|unit| snapshots.any(unit.path)) {
        return Ok(());
    }
    match revision.read_at(&snapshots.home.of(first).lock, 0) {
        Ok(_) => Ok(()),
        Err(error) => Err(diags.push(error.help(format!(
            "`{name}` has no snapshots to compare with; `promptc test --accept` writes snapshots, and a commit keeps them"
        )))),
    }
}
