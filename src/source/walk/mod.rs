//! Walking inside a root: patterns downwards, searches upwards.

mod spot;
mod climb;
#[cfg(test)]
mod tests;

pub use climb::climb;
pub use spot::Hit;

use super::exclude::{Here, Rules};
use super::pattern::{Part, Pattern};
use super::wall::{Folder, Obstacle};
use crate::world::{Entry, Kind, World};
use spot::{Spot, entry, follow, is_file, list, start, stays};
use std::path::{Path, PathBuf};

/// The target of a walk.
pub(super) struct Search<'a> {
    /// The paths.
    pub(super) pattern: &'a Pattern,
    /// The description of the target in messages.
    pub(super) shown: &'a str,
    /// Whether `**` enters hidden folders.
    pub(super) hidden: bool,
    /// A name that is easily written in another case or with a slip: such files are noted.
    pub(super) exact: Option<&'a str>,
    /// Files that it may find.
    pub(super) files: Most,
    /// The most folders that it may enter through links: without cycles, links can still make exponentially many paths.
    pub(super) linked: Most,
}

/// A limit, and its name in messages.
#[derive(Clone, Copy)]
pub(super) struct Most(pub(super) usize, pub(super) &'static str);

/// The regular files that match, in byte order of their paths inside the root.
///
/// The pattern counts from `base`, a folder inside the root (`""` for its top). A hidden name is matched only by a pattern
/// component that begins with a dot, and `**` does not enter hidden folders. Folders that `exclude` names are not
/// entered. Only folders that the pattern can lead to are listed. Links are followed inside the root; `**` does
/// not follow one back to a folder above.
///
/// # Errors
/// When a link that could be a hit or a way to one leaves the root, a hit's path cannot be a name in a prompt, a folder
/// cannot be read, or there is too much to find.
pub fn glob(
    world: &dyn World,
    folder: &Folder,
    pattern: &Pattern,
    exclude: &Rules,
    base: &str,
) -> Result<Vec<Hit>, Obstacle> {
    let search = Search {
        pattern,
        shown: pattern.as_str(),
        hidden: false,
        exact: None,
        files: Most(2_000, "2,000 files"),
        linked: Most(20_000, "20,000 folders reached by links"),
    };
    Ok(find(world, folder, &search, exclude, base)?.hits)
}

/// What a walk finds.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files, in byte order of their paths inside the root.
    pub(super) hits: Vec<Hit>,
    /// The paths of files that would be hits but for the case of their names.
    pub(super) other_case: Vec<String>,
}

/// As [`glob`], with limits and hidden folders as `search` says.
///
/// # Errors
/// The errors of [`glob`].
pub(super) fn find(
    world: &dyn World,
    folder: &Folder,
    search: &Search<'_>,
    exclude: &Rules,
    base: &str,
) -> Result<Walked, Obstacle> {
    let base = if base == "." { "" } else { base };
    let Some((top, spot)) = start(world, folder, base)? else {
        return Ok(Walked::default());
    };
    let mut walk = Walk {
        world,
        folder,
        top: &top,
        search,
        exclude,
        found: Walked::default(),
        linked: 0,
        todo: Vec::new(),
    };
    walk.todo.push(PendingFolder {
        spot,
        states: walk.closure(vec![0]),
        jumps: Vec::new(),
    });
    while let Some(place) = walk.todo.pop() {
        walk.visit(&place)?;
    }
    walk.found.hits.sort_unstable();
    walk.found.other_case.sort_unstable();
    Ok(walk.found)
}

/// A walk under way. Folders wait in a list of their own, so that no depth of folders exhausts the stack.
struct Walk<'a> {
    world: &'a dyn World,
    folder: &'a Folder,
    top: &'a Path,
    search: &'a Search<'a>,
    exclude: &'a Rules,
    found: Walked,
    linked: usize,
    todo: Vec<PendingFolder>,
}

/// A folder to look into.
struct PendingFolder {
    spot: Spot,
    /// Positions in the pattern that its entries are compared with, ascending.
    states: Vec<usize>,
    /// The canonical folders that links were taken from on the way here.
    jumps: Vec<PathBuf>,
}

impl PendingFolder {
    /// Whether `path` is this folder or one above it.
    fn is_below(&self, path: &Path) -> bool {
        self.spot.path.starts_with(path) || self.jumps.iter().any(|jump| jump.starts_with(path))
    }
}

/// The result of matching a name.
struct Match {
    /// It could be a hit, if it is a file.
    hit: bool,
    /// Where the pattern goes on, if it is a folder: reached by a component of its own.
    named: Vec<usize>,
    /// As `named`, reached by a `**` that continues.
    deep: Vec<usize>,
}

impl Walk<'_> {
    /// The states with those that are reached because `**` may match nothing, ascending.
    fn closure(&self, mut states: Vec<usize>) -> Vec<usize> {
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            let part = self.search.pattern.parts.get(state);
            if part == Some(&Part::Deep) && !states.contains(&(state + 1)) {
                states.push(state + 1);
            }
            at += 1;
        }
        states.sort_unstable();
        states.dedup();
        states
    }

    fn meet(&self, states: &[usize], name: &str) -> Match {
        let mut found = Match {
            hit: false,
            named: Vec::new(),
            deep: Vec::new(),
        };
        for &state in states {
            let matches = match &self.search.pattern.parts[state] {
                Part::Deep => {
                    if self.search.hidden || !name.starts_with('.') {
                        found.deep.push(state);
                    }
                    false
                }
                Part::Literal(own) => own == name,
                Part::Name(own) => own.matches_visible(name),
            };
            if matches && state + 1 == self.search.pattern.parts.len() {
                found.hit = true;
            } else if matches {
                found.named.push(state + 1);
            }
        }
        found
    }

    fn visit(&mut self, place: &PendingFolder) -> Result<(), Obstacle> {
        let below = self.todo.len();
        let mut exclude = self.exclude.here();
        let (entries, all) = self.entries(place)?;
        let listed = all.then_some(entries.as_slice());
        if let Some(exact) = self.search.exact {
            self.note_other_case(place, &entries, exact);
        }
        for entry in &entries {
            self.step(place, entry, listed, &mut exclude)?;
        }
        // The last in the list is taken next: turned round, folders are visited in order.
        self.todo[below..].reverse();
        Ok(())
    }

    /// Notes a file whose name is `exact` in another case or with a slip, if none has that name. Next to other folders
    /// `skills.md` may be an index.
    fn note_other_case(&mut self, place: &PendingFolder, entries: &[Entry], exact: &str) {
        let is_above = entries.iter().any(|entry| entry.kind == Kind::Folder);
        let is_slip = |name: &str| {
            let (name, exact) = (name.to_lowercase(), exact.to_lowercase());
            let short = name.len().abs_diff(exact.len()) <= 1;
            short && strsim::damerau_levenshtein(&name, &exact) <= 1
        };
        let is_near = |entry: &&Entry| {
            let other_case = || entry.name.eq_ignore_ascii_case(exact);
            let slip = || !is_above && entry.name.to_str().is_some_and(is_slip);
            entry.kind == Kind::File && (other_case() || slip())
        };
        let near: Vec<&Entry> = entries.iter().filter(is_near).collect();
        if near.iter().any(|entry| entry.name == exact) {
            return;
        }
        let paths = near
            .iter()
            .filter_map(|entry| place.spot.child(&entry.name).hit().ok());
        self.found.other_case.extend(paths.map(|hit| hit.path));
    }

    /// The entries that the pattern can be about, in byte order, and whether these are all that there are.
    fn entries(&self, place: &PendingFolder) -> Result<(Vec<Entry>, bool), Obstacle> {
        let names: Option<Vec<&String>> = (place.states.iter())
            .map(|state| match &self.search.pattern.parts[*state] {
                Part::Literal(name) => Some(name),
                Part::Deep | Part::Name(_) => None,
            })
            .collect();
        let Some(mut names) = names else {
            return Ok((list(self.world, &place.spot)?, true));
        };
        names.sort_unstable();
        names.dedup();
        let one = |name: &String| entry(self.world, self.folder, &place.spot, name);
        let entries = names.into_iter().map(one);
        let entries: Result<_, _> = entries.filter_map(Result::transpose).collect();
        Ok((entries?, false))
    }

    /// Whether a folder has a regular file of that name; all of its entries are known, or none.
    ///
    /// # Errors
    /// When it is a link that leaves the root or leads to itself, or it cannot be looked up.
    fn holds(&self, spot: &Spot, listed: Option<&[Entry]>, name: &str) -> Result<bool, Obstacle> {
        let is_file = |entry: &Entry| is_file(self.world, self.folder, (self.top, spot), entry);
        match listed {
            Some(entries) => {
                let mut named = entries.iter().filter(|entry| entry.name == name);
                named.next().map_or(Ok(false), is_file)
            }
            None => {
                let named = entry(self.world, self.folder, spot, name)?;
                named.as_ref().map_or(Ok(false), is_file)
            }
        }
    }

    fn step(
        &mut self,
        place: &PendingFolder,
        entry: &Entry,
        listed: Option<&[Entry]>,
        exclude: &mut Here<'_>,
    ) -> Result<(), Obstacle> {
        let name = entry.name.to_string_lossy();
        let mut found = self.meet(&place.states, &name);
        let goes_on = !found.named.is_empty() || !found.deep.is_empty();
        let has = |file: &str| self.holds(&place.spot, listed, file);
        if goes_on
            && !matches!(entry.kind, Kind::File | Kind::Other)
            && exclude.keep_out(&name, has)?
        {
            found.named.clear();
            found.deep.clear();
        }
        match entry.kind {
            Kind::File if found.hit => self.hit(place.spot.child(&entry.name)),
            Kind::Folder => {
                found.named.append(&mut found.deep);
                let spot = place.spot.child(&entry.name);
                self.enter(spot, found.named, place.jumps.clone())
            }
            Kind::Link => self.link(place, place.spot.child(&entry.name), found),
            Kind::File | Kind::Other => Ok(()),
        }
    }

    fn hit(&mut self, spot: Spot) -> Result<(), Obstacle> {
        let hit = spot.hit()?;
        if self.found.hits.len() == self.search.files.0 {
            return Err(self.more_than(self.search.files));
        }
        self.found.hits.push(hit);
        Ok(())
    }

    /// Follows a link, if the pattern has a use for what it leads to.
    fn link(
        &mut self,
        place: &PendingFolder,
        mut spot: Spot,
        found: Match,
    ) -> Result<(), Obstacle> {
        let wanted = found.hit || !found.named.is_empty();
        if !wanted && found.deep.is_empty() {
            return Ok(());
        }
        let kind = match follow(self.world, &mut spot) {
            Ok(Some(kind)) => kind,
            Ok(None) => return Ok(()),
            // `**` has nothing left to enter after it.
            Err(Obstacle::Loop { .. }) if !wanted => return Ok(()),
            Err(obstacle) => return Err(obstacle),
        };
        match kind {
            Kind::File if found.hit => {}
            Kind::Folder if !found.named.is_empty() || !found.deep.is_empty() => {}
            _ => return Ok(()),
        }
        stays(self.folder, self.top, &spot)?;
        if kind == Kind::File {
            return self.hit(spot);
        }
        let mut states = found.named;
        if !place.is_below(&spot.path) {
            states.extend(found.deep);
        }
        let mut jumps = place.jumps.clone();
        jumps.push(place.spot.path.clone());
        self.enter(spot, states, jumps)
    }

    /// Puts a folder on the list, if the pattern goes on in it.
    fn enter(
        &mut self,
        spot: Spot,
        states: Vec<usize>,
        jumps: Vec<PathBuf>,
    ) -> Result<(), Obstacle> {
        if states.is_empty() {
            return Ok(());
        }
        if !jumps.is_empty() {
            self.linked += 1;
            if self.linked > self.search.linked.0 {
                return Err(self.more_than(self.search.linked));
            }
        }
        let states = self.closure(states);
        self.todo.push(PendingFolder {
            spot,
            states,
            jumps,
        });
        Ok(())
    }

    fn more_than(&self, most: Most) -> Obstacle {
        Obstacle::TooMany {
            pattern: self.search.shown.to_owned(),
            most: most.1,
        }
    }
}
