//! The records that there should be: one for each scenario of each manifest.

use super::find::Found;
use super::outcome::{Outcome, Records};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, Reported};
use crate::manifest::{self, Manifest, Origin, Sheet};
use crate::project::Run;
use crate::record::DEFAULT;
use crate::world::git::Revision;
use crate::world::{DiskWorld, World as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which records are meant, and what their builds take as now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Only records with this in the manifest's path or the scenario's name.
    pub(crate) filter: Option<&'a str>,
    /// What facts with a clock take as now in manifests without scenarios, RFC 3339.
    pub(crate) now: Option<&'a str>,
}

/// A manifest that was found.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    /// The path as reports have it.
    pub(crate) shown: String,
    pub(crate) manifest: Arc<Manifest>,
    /// Whether another one extends it.
    pub(crate) extended: bool,
}

/// One record that there should be.
pub(crate) struct Unit<'a> {
    pub(crate) path: &'a Path,
    pub(crate) shown: &'a str,
    pub(crate) manifest: &'a Arc<Manifest>,
    pub(crate) scenario: String,
    /// Whether the manifest declares the scenario; else it declares none at all.
    pub(crate) declared: bool,
    /// Whether its plan is that of the manifest's other scenarios: it writes neither roots nor variables, which may lead to
    /// other templates.
    pub(crate) shares_plan: bool,
    /// Whether the record keeps the texts.
    pub(crate) snapshot: bool,
    pub(crate) now: Option<String>,
    /// Whether the filter takes it.
    pub(crate) selected: bool,
}

/// Reads the manifests. One that is broken is an error, unless the filter leaves it out or another one includes it: then it
/// is a part of that one.
pub(crate) fn open(
    found: &Found,
    wanted: Wanted<'_>,
    run: &mut Run,
) -> (Vec<Opened>, Vec<Outcome>) {
    let mut out = Vec::new();
    let mut broken = Vec::new();
    let (mut parts, mut bases) = (BTreeSet::new(), BTreeSet::new());
    for path in &found.manifests {
        let mut diags = Diagnostics::default();
        let name = path.to_string_lossy();
        match manifest::open(&DiskWorld, Some(&name), &mut run.files, &mut diags) {
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
                    extended: false,
                });
            }
            Err(_) => broken.push((path, diags)),
        }
    }
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

/// Where a file of a manifest stands, links resolved; a built-in stands nowhere.
pub(crate) fn place(sheet: &Sheet, files: &Files) -> Option<PathBuf> {
    let Origin::Disk { folder } = &sheet.origin else {
        return None;
    };
    let name = Path::new(&*files.get(sheet.file).name).file_name()?;
    DiskWorld.canonical(&folder.join(name)).ok()
}

/// A path as reports have it, the same on every system.
pub(crate) fn shown(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect();
    parts.join("/").replacen("//", "/", 1)
}

/// Every record that there should be, in the order of the manifests.
pub(crate) fn units<'a>(opened: &'a [Opened], wanted: Wanted<'_>) -> Vec<Unit<'a>> {
    let mut out = Vec::new();
    for Opened {
        path,
        shown,
        manifest,
        extended,
    } in opened
    {
        let unit = |scenario: &str, declared, shares_plan, snapshot| Unit {
            path,
            shown,
            manifest,
            scenario: scenario.to_owned(),
            declared,
            shares_plan,
            snapshot,
            now: wanted.now.map(str::to_owned),
            selected: selects(wanted, shown, scenario),
        };
        // A base without scenarios is there to be extended, and tested with what extends it.
        if manifest.scenarios.is_empty() && !extended {
            out.push(unit(DEFAULT, false, false, true));
        }
        let scenarios = manifest.scenarios.iter();
        out.extend(scenarios.map(|s| {
            let shares = s.roots.is_empty() && s.env.is_empty();
            unit(&s.name.value, true, shares, s.snapshot)
        }));
    }
    out
}

pub(crate) fn selected<'a>(units: &'a [Unit<'a>]) -> Vec<&'a Unit<'a>> {
    units.iter().filter(|unit| unit.selected).collect()
}

pub(crate) fn selects(wanted: Wanted<'_>, shown: &str, scenario: &str) -> bool {
    let filter = wanted.filter.unwrap_or_default();
    shown.contains(filter) || scenario.contains(filter)
}

/// Fails if the revision has no lock at all: then there is nothing to compare with.
pub(crate) fn some_record(
    units: &[Unit<'_>],
    records: &Records,
    revision: &Revision,
    name: &str,
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    let mut selected = units.iter().filter(|unit| unit.selected).peekable();
    let Some(first) = selected.peek().map(|unit| unit.path) else {
        return Ok(());
    };
    if selected.any(|unit| records.any(unit.path)) {
        return Ok(());
    }
    match revision.read_at(&crate::record::lock_path(first), 0) {
        Ok(_) => Ok(()),
        Err(error) => Err(diags.push(error.help(format!(
            "`{name}` has no records to compare with; `promptc test --accept` writes records, and a commit keeps them"
        )))),
    }
}
