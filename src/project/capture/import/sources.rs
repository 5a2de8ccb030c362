//! The files of an import: those that are named, and those of folders.

use super::imported::Imported;
use super::{name, opened, place};
use crate::diagnostic::{Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::capture::files::RECORDED;
use crate::project::input::{self, Input};
use crate::request::whole::import::claude_code_bodies::{
    self as raw, INDEX, REQUEST, RESPONSE, Stored,
};
use crate::request::whole::import::{Format, Verdicts};
use crate::request::whole::log::Exchange;
use crate::text::normalise;
use crate::world::{DiskWorld, Kind, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is imported.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// The file of its answer.
    pub(super) answer: Option<PathBuf>,
    /// Its format, if its name says it.
    pub(super) format: Option<Format>,
    /// The data about its request in the files next to it.
    pub(super) known: Exchange,
}

/// The files that are named, and those of folders.
pub(super) fn sources(
    paths: &[PathBuf],
    run: &mut Run,
) -> Result<(Vec<Source>, Imported), ErrorReported> {
    let mut files = Vec::new();
    let mut imported = Imported {
        searched: paths.to_vec(),
        ..Imported::default()
    };
    let mut verdicts = Verdicts::default();
    for path in paths {
        match DiskWorld.kind(path) {
            Ok(Kind::Folder) => in_folder(path, &mut files, &mut imported, run)?,
            _ if has_verdicts(path, &mut verdicts, &mut imported, run) => {
                run.read.insert(path.clone());
            }
            _ => files.push(Source {
                path: path.clone(),
                ..Source::default()
            }),
        }
    }
    imported.verdicts = Arc::new(verdicts);
    for file in &files {
        run.read.insert(file.path.clone());
        run.read.extend(file.answer.clone());
    }
    Ok((files, imported))
}

/// Whether a file has objects of Claude Code's status line, whose verdicts are noted.
fn has_verdicts(
    path: &Path,
    verdicts: &mut Verdicts,
    imported: &mut Imported,
    run: &mut Run,
) -> bool {
    let held = run.held.clone();
    if !input::is_repeatable(path, held.as_deref()) {
        return false;
    }
    // An error shows when it is read as a recording.
    let opened = opened(path, held.as_deref()).ok();
    let Some((shown, recording)) = opened.filter(|(_, recording)| recording.is_status) else {
        return false;
    };
    let mut passed = |line, reason| imported.pass(reason, place(&name(path), line));
    if let Err(error) = recording.verdicts(verdicts, &mut passed) {
        run.diags.push(RECORDED.unread(&shown, &error));
    }
    true
}

/// Leaves out files that are named a second time.
pub(super) fn each_once(
    (mut files, mut imported): (Vec<Source>, Imported),
) -> (Vec<Source>, Imported) {
    let mut met = BTreeSet::new();
    files.retain(|file| {
        let is_new = input::is_new(&file.path, &mut met);
        if !is_new {
            imported.pass(
                "a file that is named twice",
                file.path.display().to_string(),
            );
        }
        is_new
    });
    (files, imported)
}

/// The recordings of a folder, by name, and those of the folders below it.
fn in_folder(
    path: &Path,
    files: &mut Vec<Source>,
    imported: &mut Imported,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let listed = DiskWorld.list(path).map_err(|error| {
        let name = path.display().to_string();
        run.diags.push(RECORDED.unread(&name, &error))
    })?;
    let mut names = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for entry in listed {
        match (entry.kind, entry.name.into_string()) {
            (Kind::File, Ok(name)) => names.insert(name),
            (Kind::Folder, Ok(name)) if !name.starts_with('.') => folders.insert(name),
            _ => false,
        };
    }
    bodies(path, &names, files, imported, run);
    const BESIDE: &[&str] = &[REQUEST, RESPONSE, ".meta.json"];
    let is_recording = |name: &&String| {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        ends(&[".json", ".jsonl", ".jsonl.zst"]) && !ends(BESIDE) && *name != INDEX
    };
    let recordings = names.iter().filter(is_recording).map(|name| Source {
        path: path.join(name),
        ..Source::default()
    });
    files.extend(recordings);
    for folder in folders {
        in_folder(&path.join(folder), files, imported, run)?;
    }
    Ok(())
}

/// The bodies of a folder, with their answers and what else is said of them there.
fn bodies(
    folder: &Path,
    names: &BTreeSet<String>,
    files: &mut Vec<Source>,
    imported: &mut Imported,
    run: &mut Run,
) {
    let mut left: BTreeSet<&String> = names.iter().filter(|n| n.ends_with(REQUEST)).collect();
    let mut stored = Vec::new();
    let index = !left.is_empty() && names.contains(INDEX);
    let index = index.then(|| {
        run.read.insert(folder.join(INDEX));
        told(&folder.join(INDEX), run)
    });
    for (number, line) in raw::index(&index.flatten().unwrap_or_default()) {
        match line {
            Ok(body) if left.remove(&body.request) => stored.push(body),
            Ok(_) => imported.pass("a body that is not here", place(INDEX, number)),
            Err(reason) => imported.pass(reason, place(INDEX, number)),
        }
    }
    // The order of an index is that of its requests, unless a body is in none.
    if !left.is_empty() {
        let mut bodies = raw::Bodies::default();
        let listed = stored.into_iter().map(|body| (body, true));
        let others = left.into_iter().map(|name| {
            let request = name.clone();
            (
                Stored {
                    request,
                    ..Stored::default()
                },
                false,
            )
        });
        for (body, is_listed) in listed.chain(others) {
            let text = told(&folder.join(&body.request), run);
            bodies.add(body, is_listed, &text.unwrap_or_default());
        }
        stored = bodies.finish();
    }
    files.extend(stored.into_iter().map(|body| {
        let stem = body.request.trim_end_matches(REQUEST);
        let by_name = Some(format!("{stem}{RESPONSE}"));
        let answers = [body.response, by_name].into_iter().flatten();
        // Only what is in the folder itself is read, whatever an index names.
        let answer = answers.into_iter().find(|name| names.contains(name));
        Source {
            path: folder.join(&body.request),
            answer: answer.map(|name| folder.join(name)),
            format: Some(Format::ClaudeCodeBodies),
            known: body.exchange,
        }
    }));
}

/// The text of a small file.
pub(super) fn text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let Input { bytes, .. } = input::read(&DiskWorld, path, &RECORDED)?;
    let text = String::from_utf8(bytes);
    let text = text.unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Ok(if normalise::bom(&text).len() == text.len() {
        text
    } else {
        normalise::bom(&text).to_owned()
    })
}

/// The text of a small file; an error is reported.
fn told(path: &Path, run: &mut Run) -> Option<String> {
    text(path).map_err(|problem| run.diags.push(*problem)).ok()
}
