//! From a line of a request to the file that has it.
//!
//! Evidence, the strongest first: a path that the agent printed above the text; lines around it that are in the file
//! too; a line that only one file has. Text that several files share has no origin.

use crate::request::whole::{Cause, Confidence, Part, Request, SourcePlace};
use crate::world::{Kind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most files that are read, and the most bytes of one: instructions are small, and a repository may be large.
const MOST_FILES: usize = 10_000;
const LARGEST: u64 = 1 << 20;

/// The folders that hold no instructions.
const PASSED: &[&str] = &[
    ".git",
    "node_modules",
    "target",
    ".venv",
    "__pycache__",
    ".promptc",
];

/// The fewest characters of a line that can lead to a file by itself.
const FEWEST: usize = 8;

/// The most lines on each side that are compared with the file.
const AROUND: usize = 3;

/// The words that agents print before the path of a file whose text follows, and after it.
///
/// Claude Code: pi-import's README; Gemini CLI: `memoryDiscovery.ts`; opencode: `session/instruction.ts`; Codex: `user_instructions.rs`.
const MARKERS: &[(&str, &[&str])] = &[
    ("Contents of ", &[" (", ":"]),
    ("--- Context from: ", &[" ---"]),
    ("Instructions from: ", &[]),
    ("# AGENTS.md instructions for ", &[]),
];

/// The lines of the files in a folder.
#[derive(Debug)]
pub(crate) struct Sources {
    files: Vec<(String, Vec<Arc<str>>)>,
    /// Where each line is: file and line, from 0.
    lines: BTreeMap<Arc<str>, Vec<(usize, usize)>>,
}

impl Sources {
    /// The paths of the files, inside the folder.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Reads the text files in a folder and below; links are not followed.
    pub(crate) fn read(world: &dyn World, folder: &Path) -> std::io::Result<Self> {
        let mut out = Self {
            files: Vec::new(),
            lines: BTreeMap::new(),
        };
        let mut open = BTreeSet::from([PathBuf::new()]);
        while let Some(inside) = open.pop_first() {
            let mut entries = match world.list(&folder.join(&inside)) {
                Ok(entries) => entries,
                Err(error) if inside.as_os_str().is_empty() => return Err(error),
                // A file that may not be read is no origin.
                Err(_) => continue,
            };
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            for entry in entries {
                let path = inside.join(&entry.name);
                match entry.kind {
                    Kind::Folder => {
                        let passed = PASSED.iter().any(|name| entry.name == *name);
                        if !passed {
                            open.insert(path);
                        }
                    }
                    Kind::File if out.files.len() < MOST_FILES => out.add(world, folder, &path),
                    Kind::File | Kind::Link | Kind::Other => {}
                }
            }
        }
        Ok(out)
    }

    fn add(&mut self, world: &dyn World, folder: &Path, path: &Path) {
        let bytes = world.read(&folder.join(path), LARGEST).unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else {
            return;
        };
        if text.is_empty() || text.len() as u64 > LARGEST || text.contains('\0') {
            return;
        }
        let number = self.files.len();
        let lines: Vec<Arc<str>> = text.lines().map(|line| line.trim_end().into()).collect();
        for (at, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            self.lines
                .entry(line.clone())
                .or_default()
                .push((number, at));
        }
        self.files
            .push((path.to_string_lossy().replace('\\', "/"), lines));
    }

    /// Where the changed line of a cause is: as it is now, else as it was.
    pub(crate) fn of(&self, cause: &Cause, before: &Request, now: &Request) -> Option<SourcePlace> {
        let sides = [(&cause.new, now), (&cause.old, before)];
        sides.into_iter().find_map(|(line, request)| {
            let line = line.as_deref()?.trim_end();
            self.find(line, &text(cause, request)?)
        })
    }

    fn find(&self, line: &str, text: &str) -> Option<SourcePlace> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let at = lines.iter().position(|l| *l == line)?;
        let marked = marker(&lines[..at]);
        let places = self.lines.get(line)?;
        let is_marked = |file: usize| {
            let name = &self.files[file].0;
            marked.as_ref().is_some_and(|path| {
                let path = path.replace('\\', "/");
                path == *name || path.ends_with(&format!("/{name}"))
            })
        };
        let score = |&(file, line): &(usize, usize)| {
            let of_file = &self.files[file].1;
            let same = |step: isize| {
                let (x, y) = (at.checked_add_signed(step), line.checked_add_signed(step));
                let pair = x
                    .and_then(|x| lines.get(x))
                    .zip(y.and_then(|y| of_file.get(y)));
                pair.is_some_and(|(x, y)| **x == **y && !x.is_empty())
            };
            let around = AROUND.cast_signed();
            let before = (1..=around).take_while(|step| same(-step)).count();
            let after = (1..=around).take_while(|step| same(*step)).count();
            (is_marked(file), before + after)
        };
        let best = places.iter().map(score).max()?;
        let mut of_best = places.iter().filter(|place| score(place) == best);
        let (file, number) = *of_best.next()?;
        if of_best.next().is_some() {
            return None;
        }
        let confidence = match best {
            (true, _) => Confidence::Marker,
            (false, 1..) => Confidence::Lines,
            (false, 0) if line.chars().count() >= FEWEST => Confidence::Line,
            (false, 0) => return None,
        };
        Some(SourcePlace {
            path: self.files[file].0.clone(),
            line: number + 1,
            confidence,
        })
    }
}

/// The path of the nearest marker above.
fn marker(above: &[&str]) -> Option<String> {
    above.iter().rev().find_map(|line| {
        MARKERS.iter().find_map(|(begin, ends)| {
            let rest = line.split_once(begin)?.1;
            let cut = ends.iter().filter_map(|end| rest.find(end)).min();
            Some(rest[..cut.unwrap_or(rest.len())].trim().to_owned())
        })
    })
}

/// The text of the part that a cause is about.
fn text(cause: &Cause, request: &Request) -> Option<String> {
    let (kind, rest) = cause.at.split_once('/')?;
    let index: usize = rest.parse().ok()?;
    let part = match kind {
        "system" => request.system.get(index),
        "messages" => {
            let message = request.messages.get(index)?;
            message.blocks.get(cause.block.unwrap_or_default())
        }
        _ => None,
    };
    part.map(Part::text)
}
