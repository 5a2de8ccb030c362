//! `--fix` and `--diff`: the edits that are safe, made in the manifest that was named and in no other file.

use super::check::{CheckCall, Checked, Fixes, Made, check, path_of};
use super::{Run, output};
use crate::check::{Finding, same_layers};
use crate::compare::changed_text;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, ExitClass, UNREADABLE_PROGRAM};
use crate::world::{EditedWorld, World};
use std::path::Path;

/// The most times that a manifest is checked again. Each round makes at least one edit, and few edits depend on another.
const MOST_ROUNDS: usize = 1000;

/// Makes the edits of `first`, and checks the manifest again after each round. If `write`, it is written once its layers are known
/// to be unchanged, and the result is what the last check found; else that of the file as it is.
pub(crate) fn fix(
    first: Checked,
    write: bool,
    call: &CheckCall<'_>,
    world: &dyn World,
    run: &mut Run,
) -> Result<(Checked, Fixes), ErrorReported> {
    let file = run.files.get(first.manifest.file);
    let old = file.text.to_string();
    let mut fixes = Fixes {
        file: file.name.to_string(),
        made: Vec::new(),
        elsewhere: 0,
        refused: None,
        written: false,
        shown: [old.clone(), old.clone()],
    };
    let Some(path) = path_of(&first.manifest, run) else {
        fixes.elsewhere = fixable(&first);
        return Ok((first, fixes));
    };
    let before = (run.files.clone(), run.diags.clone());
    let mut last: Option<Checked> = None;
    let mut text = old.clone();
    for _ in 0..MOST_ROUNDS {
        let now = last.as_ref().unwrap_or(&first);
        let fixed = crate::check::fix(&text, now.manifest.file, &now.report.findings);
        fixes.elsewhere = fixed.elsewhere.len();
        if fixed.made.is_empty() {
            break;
        }
        for at in fixed.made {
            fixes.made.extend(made(&now.report.findings[at]));
        }
        text = fixed.text;
        match again(&text, &path, call, world, run) {
            Ok(checked) => last = Some(checked),
            Err(Unchecked::Edits(why)) => {
                return Ok(refused(first, fixes, why, before, run));
            }
            Err(Unchecked::World(reported)) => return Err(reported),
        }
    }
    let Some(last) = last else {
        return Ok((first, fixes));
    };
    if let Err(layer) = same(&first, &last) {
        let why = format!("the layer `{layer}` would be another one");
        return Ok(refused(first, fixes, why, before, run));
    }
    fixes.shown[1].clone_from(&text);
    if !write {
        // The file has its findings still.
        (run.files, run.diags) = before;
        return Ok((first, fixes));
    }
    output::replace_manifest(&path, &old, &text, run)?;
    fixes.written = true;
    Ok((last, fixes))
}

fn made(finding: &Finding) -> Option<Made> {
    let message = finding.bare.as_ref().unwrap_or(&finding.diagnostic.message);
    Some(Made {
        code: finding.rule.code.name,
        what: finding.fix.as_ref()?.what.clone(),
        message: message.clone(),
    })
}

/// Why an edited manifest is not checked.
enum Unchecked {
    /// The edits lead to an error.
    Edits(String),
    /// Reading failed, which is no fault of the edits.
    World(ErrorReported),
}

/// Checks the manifest as if this were its text.
fn again(
    text: &str,
    path: &Path,
    call: &CheckCall<'_>,
    world: &dyn World,
    run: &mut Run,
) -> Result<Checked, Unchecked> {
    let edited = EditedWorld::new(world, path, text).map_err(|error| {
        let why = output::reason(&error);
        let message = format!("manifest `{}` cannot be read again: {why}", path.display());
        let found = Diagnostic::error(UNREADABLE_PROGRAM, message);
        let help = "see that it and the folders above it may be read";
        Unchecked::World(run.diags.push(found.help(help)))
    })?;
    // Places in the old text mean nothing in the new one.
    run.files = crate::diagnostic::span::Files::default();
    run.diags = Diagnostics::default();
    check(call, &edited, run).map_err(|reported| {
        if run.diags.exit_class() == Some(ExitClass::World) {
            return Unchecked::World(reported);
        }
        let problem = run.diags.iter().next();
        Unchecked::Edits(problem.map_or_else(String::new, |d| d.message.clone()))
    })
}

/// Everything as it was, with the reason.
fn refused(
    first: Checked,
    mut fixes: Fixes,
    why: String,
    before: (crate::diagnostic::span::Files, Diagnostics),
    run: &mut Run,
) -> (Checked, Fixes) {
    (run.files, run.diags) = before;
    fixes.made.clear();
    fixes.refused = Some(why);
    (first, fixes)
}

fn fixable(checked: &Checked) -> usize {
    let findings = checked.report.findings.iter();
    findings.filter(|f| f.fix.is_some()).count()
}

/// Whether both have the same layers; of what was built also with the same texts. The error is the first that differs.
fn same(before: &Checked, after: &Checked) -> Result<(), String> {
    same_layers(&before.plan, &after.plan)?;
    let mut pairs = before.builds.iter().zip(&after.builds);
    let changed = pairs.find_map(|(a, b)| changed_text(&a.prompt, &b.prompt));
    changed.map_or(Ok(()), |layer| Err(layer.to_owned()))
}
