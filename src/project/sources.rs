//! From a line of a request to the file that has it.
//!
//! Evidence, the strongest first: a path that the agent printed above the text; lines around it that are in the file
//! too; a line that only one file has. Text that several files share has no origin.

use crate::request::whole::{
    Cause, Confidence, LoadedFile, Request, SourcePlace, changed_text, loaded_change, loaded_files,
};
use crate::world::{Kind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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

/// The fewest lines in a row that are a part of a file.
const FEWEST_LINES: usize = 3;

/// The most places of a line that a run of lines may begin with.
const MOST_PLACES: usize = 32;

/// The most lines on each side that are compared with the file.
const AROUND: usize = 3;

/// The lines of the files in a folder.
#[derive(Debug)]
pub(crate) struct Sources {
    files: Vec<(String, Vec<Arc<str>>)>,
    /// Where each line is: file and line, from 0.
    lines: BTreeMap<Arc<str>, Vec<(usize, usize)>>,
    /// The names of files whose path was printed.
    names: Mutex<BTreeMap<String, Option<String>>>,
}

impl Sources {
    /// The paths of the files, inside the folder.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// The files in a text, in order: those whose path is printed above, and what stands line by line in a file of the folder, in no other.
    /// They have their names in the folder.
    pub(crate) fn files(&self, text: &str) -> Vec<LoadedFile> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut files = loaded_files(text);
        let mut found = Vec::new();
        let mut from = 0;
        for file in &mut files {
            if let Some(name) = self.name(file, &lines) {
                file.path = name;
            }
            self.runs(&lines, from..file.start, &mut found);
            from = file.lines.end;
        }
        self.runs(&lines, from..lines.len(), &mut found);
        files.append(&mut found);
        files.sort_by_key(|file| file.start);
        files
    }

    /// The name in the folder of a file whose path is printed in these lines: the longest that its path ends with, if a line of it was in that file when it
    /// was met first.
    fn name(&self, file: &LoadedFile, lines: &[&str]) -> Option<String> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(&file.path) {
            return known.clone();
        }
        let printed = file.lines.clone().filter_map(|at| lines.get(at));
        let is_long = |line: &&str| line.chars().count() >= FEWEST;
        let mut printed = printed.copied().filter(is_long);
        let all = self.files.iter().enumerate();
        let inside = all.filter(|(_, (name, _))| is_inside(&file.path, name));
        let longest = inside.max_by_key(|(_, (name, _))| name.len());
        let found = longest.filter(|(number, _)| {
            let is_in = |line: &&str| {
                let places = self.lines.get(*line);
                places.is_some_and(|places| places.iter().any(|(of, _)| of == number))
            };
            printed.any(|line| is_in(&line))
        });
        let name = found.map(|(_, (name, _))| name.clone());
        names.insert(file.path.clone(), name.clone());
        name
    }

    /// Adds what stands line by line in a file of the folder, and nowhere else for so long: from [`FEWEST_LINES`] lines on.
    fn runs(&self, lines: &[&str], within: Range<usize>, found: &mut Vec<LoadedFile>) {
        let mut at = within.start;
        while at < within.end {
            let run = |&(file, line): &(usize, usize)| {
                let of_file = &self.files[file].1[line..];
                let same = of_file.iter().zip(&lines[at..within.end]);
                same.take_while(|(a, b)| &***a == **b).count()
            };
            let places = self.lines.get(lines[at]).map_or(&[][..], Vec::as_slice);
            // A line that is everywhere shows nothing.
            let places = if places.len() > MOST_PLACES {
                &[]
            } else {
                places
            };
            let longest = places.iter().map(run).max().unwrap_or(0);
            let mut of_longest = places.iter().filter(|place| run(place) == longest);
            match (of_longest.next(), of_longest.next()) {
                (Some((file, _)), None) if longest >= FEWEST_LINES => found.push(LoadedFile {
                    path: self.files[*file].0.clone(),
                    start: at,
                    lines: at..at + longest,
                }),
                _ => {}
            }
            at += longest.max(1);
        }
    }

    /// Reads the text files in a folder and below; links are not followed.
    pub(crate) fn read(world: &dyn World, folder: &Path) -> std::io::Result<Self> {
        let mut out = Self {
            files: Vec::new(),
            lines: BTreeMap::new(),
            names: Mutex::default(),
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
        let found = || {
            sides.into_iter().find_map(|(line, request)| {
                let line = line.as_deref()?.trim_end();
                self.find(line, &changed_text(cause, request)?)
            })
        };
        let Some((printed, name)) = self.printed(cause, before, now) else {
            return found();
        };
        // The file of the folder whose path it is; its line there, if that has it.
        let Some(path) = name else {
            return Some(printed);
        };
        let there = found().filter(|place| place.path == path);
        there.or(Some(SourcePlace { path, ..printed }))
    }

    /// The line of a file that is printed around a change, and its name in the folder.
    fn printed(
        &self,
        cause: &Cause,
        before: &Request,
        now: &Request,
    ) -> Option<(SourcePlace, Option<String>)> {
        let (place, file, text) = loaded_change(cause, before, now)?;
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Some((place, self.name(&file, &lines)))
    }

    fn find(&self, line: &str, text: &str) -> Option<SourcePlace> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let at = lines.iter().position(|l| *l == line)?;
        let printed = loaded_files(text);
        let printed = printed.iter().find(|file| file.lines.contains(&at));
        let places = self.lines.get(line)?;
        let is_marked = |file: usize| {
            let name = &self.files[file].0;
            printed.is_some_and(|file| is_inside(&file.path, name))
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

/// Whether a path that an agent printed is that of this file in the folder.
fn is_inside(path: &str, name: &str) -> bool {
    let path = path.replace('\\', "/");
    path == name
        || path
            .strip_suffix(name)
            .is_some_and(|front| front.ends_with('/'))
}
