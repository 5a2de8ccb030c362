//! Finds and reads the manifest of a run.

use super::chain::{self, Opened};
use super::file::{BUILT_IN, FILE_NAME, read_builtin, read_disk, read_program, shown};
use super::merge::{self, Merged};
use super::model::{Manifest, Origin, Removed};
use super::parse;
use crate::diagnostic::span::{Files, Span, Spanned};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::prompt::{Line, Moved, MovedTo, Notice, Overlays};
use crate::world::{self, Kind, World};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most folders above the current directory that may be missing from a revision.
const MOST_LEVELS: usize = 256;

/// The most folders with a manifest that are named to a caller without one.
const MOST_NAMED: usize = 5;

/// Reads the manifest that `reference` names, with all that it extends and includes: `builtin:NAME@N`, a path, or, if there is none, the nearest
/// `promptc.kdl` in the current directory or above.
///
/// # Errors
/// When there is no such manifest, or it cannot be read or parsed.
pub fn open(
    world: &dyn World,
    reference: Option<&str>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Arc<Manifest>, ErrorReported> {
    let (file, origin) = match reference {
        None => read_disk(world, &nearest(world, diags)?, files, diags)?,
        Some(reference) => match reference.strip_prefix(BUILT_IN) {
            Some(name) => read_builtin(name, None, files, diags)?,
            None => read_disk(world, Path::new(reference), files, diags)?,
        },
    };
    let (levels, whole) = chain::read(world, file, origin, files, diags);
    let all: Vec<_> = levels.iter().flat_map(Opened::all).collect();
    let sheets = all.iter().map(|opened| opened.sheet.clone()).collect();
    let mut manifest = Manifest::empty(sheets, file);
    let read = if all.len() == 1 && all[0].extends.is_none() {
        let mut levels = levels;
        let only = levels.pop().map(|opened| opened.document);
        only.map_or(Ok(()), |only| only.read(files, &mut manifest, diags))
    } else {
        // With only a part of several files, an error would be a guess.
        let own = |opened: &&&Opened| matches!(opened.sheet.origin, Origin::Disk { .. });
        // Tests check the built-in files.
        let checked = all.iter().filter(own).fold(whole, |whole, opened| {
            let included = opened.sheet.included;
            let checked = opened.document.check(files, included, diags);
            whole.and(checked)
        });
        checked?;
        let levels: Vec<_> = levels.iter().map(Opened::nodes).collect();
        let mut found = Diagnostics::default();
        let merged = merge::merge(&levels, &mut found);
        manifest.overlays = Arc::new(overlays(&merged, &manifest, files));
        manifest.removed = merged.removed;
        manifest.refined = merged.refined;
        diags.extend(&found);
        let read = parse::merged(merged.tree, files, &mut manifest, diags);
        found.check().and(read)
    };
    let mut found = Diagnostics::default();
    merge::check(&manifest, &mut found);
    diags.extend(&found);
    whole.and(read).and(found.check())?;
    Ok(Arc::new(manifest))
}

/// The layers that were moved and removed, with the lines that say so.
fn overlays(merged: &Merged, manifest: &Manifest, files: &Files) -> Overlays {
    let names: BTreeMap<_, _> = (manifest.sheets.iter())
        .map(|sheet| (sheet.file, &sheet.name))
        .collect();
    let line = |at: Span, says: String| {
        Some(Line {
            path: Arc::clone(names.get(&at.file)?),
            line: files.get(at.file).lines.line(at.start as usize),
            says,
        })
    };
    let moved = |(name, to): &(Spanned<String>, MovedTo)| {
        let says = format!("move {} {to}", name.value);
        let to = to.clone();
        let by = line(name.span, says)?;
        Some((name.value.clone(), Moved { to, by }))
    };
    let gone = |removed: &Removed| {
        let at = removed.span;
        let named = &files.get(at.file).text[at.range()];
        let says = format!("remove {}={named}", removed.by);
        Some((removed.name.clone(), line(at, says)?))
    };
    let removed = merged.removed.iter().filter(|r| r.kind == "layer");
    Overlays {
        moved: merged.moved.iter().filter_map(moved).collect(),
        removed: removed.filter_map(gone).collect(),
    }
}

/// The note about a build from a built-in: the location of its folders.
#[must_use]
pub fn notice(manifest: &Manifest) -> Option<Notice> {
    let Origin::BuiltIn { name } = &manifest.origin else {
        return None;
    };
    manifest
        .roots
        .iter()
        .any(|r| !r.default.is_empty())
        .then(|| Notice {
            code: "builtin-roots".to_owned(),
            layer: None,
            message: format!(
                "the default folders of builtin:{name} count from the current directory"
            ),
        })
}

/// Fails if no manifest of a name exists. It is for callers that do not read it: a built-in, or a path that is no folder.
///
/// # Errors
/// When there is none.
pub fn must_exist(
    world: &dyn World,
    reference: &str,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    if let Some(name) = reference.strip_prefix(BUILT_IN) {
        return read_builtin(name, None, &mut Files::default(), diags).map(drop);
    }
    let path = Path::new(reference);
    match world.kind(path) {
        Ok(Kind::File | Kind::Link | Kind::Other) => Ok(()),
        Ok(Kind::Folder) | Err(_) => {
            read_program(world, path, &shown(world, path), "manifest", diags).map(drop)
        }
    }
}

/// Whether a `promptc.kdl` is here or above.
pub fn exists_above(world: &dyn World) -> bool {
    nearest(world, &mut Diagnostics::default()).is_ok()
}

/// The nearest `promptc.kdl`, as a path from the current directory.
///
/// # Errors
/// When there is none.
pub fn nearest(world: &dyn World, diags: &mut Diagnostics) -> Result<PathBuf, ErrorReported> {
    let levels = levels(world);
    let mut folder = PathBuf::new();
    for _ in 0..levels {
        let path = folder.join(FILE_NAME);
        // A folder of that name is skipped; anything else of that name is used.
        match world.kind(&path) {
            Ok(Kind::Folder) => {}
            Err(error) if world::is_missing(&error) => {}
            _ => return Ok(path),
        }
        folder.push("..");
    }
    let message = format!("there is no `{FILE_NAME}` here or in a folder above");
    let found = Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message);
    let below = below(world);
    Err(diags.push(match below.first() {
        None => found.help(
            "`promptc init` writes one; -m names another file, a folder or a built-in, such as -m builtin:minimal@1",
        ),
        Some(first) => found.help(format!(
            "there is one in {}: -m {first}; `promptc check -m .` and `promptc test` take all that are below",
            suggest::list(below.iter().map(String::as_str))
        )),
    }))
}

/// The folders in the current one that have a manifest.
fn below(world: &dyn World) -> Vec<String> {
    let entries = world.list(Path::new(".")).unwrap_or_default();
    let folders = entries.into_iter().filter(|e| e.kind == Kind::Folder);
    let names = folders.filter_map(|folder| folder.name.into_string().ok());
    let has_one = |name: &String| {
        let inside = Path::new(name).join(FILE_NAME);
        matches!(world.kind(&inside), Ok(Kind::File))
    };
    names.filter(has_one).take(MOST_NAMED).collect()
}

/// The number of folders from here to the top. A revision need not have the current directory, nor those above it.
fn levels(world: &dyn World) -> usize {
    let mut folder = PathBuf::from(".");
    for below in 0..MOST_LEVELS {
        if let Ok(here) = world.canonical(&folder) {
            return below + here.ancestors().count();
        }
        folder.push("..");
    }
    1
}
