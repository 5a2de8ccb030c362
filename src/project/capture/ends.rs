//! Where conversations end in recordings that are read one after the other.

use crate::request::whole::import::Ahead;
use std::collections::{BTreeMap, BTreeSet};

/// A place in recordings: which reading of a file, and a line of it.
pub(super) type LineOfFile = (usize, usize);

/// The conversations that end, by place.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The names in each file.
    names: Vec<BTreeSet<String>>,
    last: BTreeMap<String, LineOfFile>,
    at: BTreeMap<LineOfFile, BTreeSet<String>>,
}

impl Ends {
    /// The ends in files, in the order in which they are read.
    pub(super) fn of(files: &[Ahead]) -> Self {
        let mut all = Self::default();
        for (file, ahead) in files.iter().enumerate() {
            for (name, line) in &ahead.ends {
                all.set(name, (file, line.unwrap_or(usize::MAX)));
            }
            all.names.push(ahead.ends.keys().cloned().collect());
        }
        all
    }

    fn set(&mut self, name: &str, place: LineOfFile) {
        if let Some(before) = self.last.insert(name.to_owned(), place)
            && let Some(names) = self.at.get_mut(&before)
        {
            names.remove(name);
        }
        self.at.entry(place).or_default().insert(name.to_owned());
    }

    /// Notes that a file is read once more, after all others.
    pub(super) fn again(&mut self, file: usize) {
        let names = self.names.get(file).cloned().unwrap_or_default();
        let place = (self.names.len() + file, usize::MAX);
        names.iter().for_each(|name| self.set(name, place));
    }

    /// The next conversation that ended before a place.
    pub(super) fn next(&mut self, now: LineOfFile) -> Option<String> {
        loop {
            let mut first = self.at.first_entry().filter(|entry| *entry.key() < now)?;
            if let Some(name) = first.get_mut().pop_first() {
                self.last.remove(&name);
                return Some(name);
            }
            first.remove();
        }
    }
}
