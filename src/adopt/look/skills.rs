//! The skills of a folder that are listed: each once, and none that cannot be read.

use super::LeftOut;
use super::ignored::Ignored;
use crate::source::exclude::Exclude;
use crate::source::skills;
use crate::source::walk::Hit;
use crate::source::wall::Folder;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The most folders that are skipped because something in them cannot be read.
const MOST_BARRED: usize = 100;

/// The skills that a source does not list, as its settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Except {
    /// Names of folders that are not entered.
    pub(super) folders: Vec<String>,
    /// Paths of documents in folders that have names of listed ones.
    pub(super) documents: Vec<String>,
}

/// The documents of the skills in a folder.
#[derive(Debug)]
pub(super) struct Skills {
    /// The folder.
    base: String,
    /// Those that can be reached: what is no link first, then by their paths.
    pub(super) hits: Vec<Hit>,
    /// Names of folders with something that cannot be read.
    barred: BTreeSet<String>,
    /// Those that are not listed, with the reason: paths of documents, or of what cannot be read.
    dropped: BTreeMap<String, String>,
}

impl Skills {
    /// Searches the folder `base` below `root`, whose canonical path is `top`.
    ///
    /// # Errors
    /// With the reason not to use the folder.
    pub(super) fn find(
        world: &dyn World,
        (root, top): (&Folder, &Path),
        ignored: &Ignored,
        base: &str,
    ) -> Result<Self, String> {
        let mut found = Self {
            base: base.to_owned(),
            hits: Vec::new(),
            barred: BTreeSet::new(),
            dropped: BTreeMap::new(),
        };
        loop {
            let exclude = Exclude {
                names: found.barred.iter().cloned().collect(),
                beside: None,
            };
            let obstacle = match skills::files(world, root, base, &[exclude]) {
                Ok(hits) => {
                    found.hits = hits;
                    break;
                }
                Err(obstacle) => obstacle,
            };
            let reason = obstacle.to_string();
            let path = obstacle.path().unwrap_or_default().to_owned();
            let own = path.strip_suffix(&format!("/{}", skills::FILE));
            let own = own.unwrap_or(&path).to_owned();
            let name = found.below(&own).next_back().map(str::to_owned);
            // With such a name excluded, nothing called so is entered; each round needs another one.
            match name.filter(|name| is_plain(name) && found.barred.len() < MOST_BARRED) {
                Some(name) if found.barred.insert(name.clone()) => {
                    found.dropped.insert(own, reason);
                }
                _ => return Err(reason),
            }
        }
        if found.hits.is_empty() {
            let reason = found.dropped.into_values().next();
            return Err(reason.unwrap_or_else(|| "it has no SKILL.md".to_owned()));
        }
        let is_link = |hit: &Hit| hit.file != top.join(&hit.path);
        found
            .hits
            .sort_by_cached_key(|hit| (is_link(hit), hit.path.clone()));
        for hit in found.hits.clone() {
            if ignored.any(&hit.path, false) {
                found.drop(&hit.path, "git ignores it".to_owned());
            }
        }
        Ok(found)
    }

    /// The names of the folders between the base and a path in it, which is the last.
    fn below<'p>(&self, path: &'p str) -> std::str::Split<'p, char> {
        let inner = path.strip_prefix(self.base.as_str()).unwrap_or_default();
        inner.trim_start_matches('/').split('/')
    }

    /// Lists a document no more.
    pub(super) fn drop(&mut self, path: &str, reason: String) {
        self.dropped.insert(path.to_owned(), reason);
    }

    /// Those that are listed.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Hit> {
        self.hits.iter().filter(|hit| self.lists(&hit.path))
    }

    /// Whether the document at a path is listed.
    pub(super) fn lists(&self, path: &str) -> bool {
        !self.dropped.contains_key(path)
    }

    /// The settings of a source that lists these.
    pub(super) fn except(&self) -> Except {
        let (mut above, mut names) = (BTreeSet::new(), BTreeSet::new());
        for hit in self.listed() {
            above.extend(hit.path.match_indices('/').map(|(at, _)| &hit.path[..at]));
            names.extend(self.below(folder(&hit.path)));
        }
        let (mut folders, mut documents) = (self.barred.clone(), Vec::new());
        for hit in self.hits.iter().filter(|hit| !self.lists(&hit.path)) {
            // The outermost folder without a listed skill, if no other folder has its name.
            let ends = hit.path.match_indices('/').map(|(at, _)| at);
            let mut outer = ends.filter(|at| *at > self.base.len());
            let name = outer.find_map(|end| {
                let name = self.below(&hit.path[..end]).next_back()?;
                let is_own = !above.contains(&hit.path[..end]) && !names.contains(name);
                (is_own && is_plain(name)).then(|| name.to_owned())
            });
            match name {
                Some(name) => _ = folders.insert(name),
                None => documents.push(hit.path.clone()),
            }
        }
        Except {
            folders: folders.into_iter().collect(),
            documents,
        }
    }

    /// What is not listed, with the reasons.
    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        let one = |(path, reason): (&String, &String)| LeftOut::new(folder(path), reason);
        self.dropped.iter().map(one).collect()
    }

    /// The reason not to use the folder, if nothing in it is listed; `others` are the folders that have its skills.
    pub(super) fn reason(&self, others: &BTreeSet<String>) -> Option<String> {
        if self.listed().next().is_some() {
            return None;
        }
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        match others[..] {
            [] => self.dropped.values().next().cloned(),
            _ => Some(format!("it has the same skills as {}", others.join(", "))),
        }
    }
}

/// The folder of a skill's document; of another path the path.
pub(super) fn folder(path: &str) -> &str {
    let own = path.strip_suffix(skills::FILE);
    own.and_then(|own| own.strip_suffix('/')).unwrap_or(path)
}

/// Whether a name is a pattern that only it matches.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['*', '?', '[', ']', '{', '}', '\\'])
        && !name.contains(char::is_control)
}
