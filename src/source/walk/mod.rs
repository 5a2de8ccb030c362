//! Walking inside a root: patterns downwards, searches upwards.

mod climb;
mod spot;
#[cfg(test)]
mod tests;

pub use climb::climb;
pub use spot::Hit;
pub(super) use spot::{Spot, behind, holds, list, start, stays};

use super::exclude::{Here, Rules};
use super::pattern::{Part, Pattern};
use super::wall::{Folder, Obstacle};
use crate::world::{Entry, Kind, World};
use spot::entry;
use std::path::{Path, PathBuf};

/// Files that one pattern may find.
const MOST_HITS: usize = 2_000;
/// Folders that one pattern may enter behind links: without cycles, links can still make exponentially many paths.
const MOST_LINKED: usize = 20_000;

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
    let base = if base == "." { "" } else { base };
    let Some((top, spot)) = start(world, folder, base)? else {
        return Ok(Vec::new());
    };
    let mut walk = Walk {
        world,
        folder,
        top: &top,
        pattern,
        exclude,
        hits: Vec::new(),
        linked: 0,
        todo: Vec::new(),
    };
    walk.todo.push(Place {
        spot,
        states: walk.closure(vec![0]),
        jumps: Vec::new(),
    });
    while let Some(place) = walk.todo.pop() {
        walk.visit(&place)?;
    }
    walk.hits.sort_unstable();
    Ok(walk.hits)
}

/// A walk under way. Folders wait in a list of their own, so that no depth of folders exhausts the stack.
struct Walk<'a> {
    world: &'a dyn World,
    folder: &'a Folder,
    top: &'a Path,
    pattern: &'a Pattern,
    exclude: &'a Rules,
    hits: Vec<Hit>,
    linked: usize,
    todo: Vec<Place>,
}

/// A folder to look into.
struct Place {
    spot: Spot,
    /// Places in the pattern that its entries are held against, ascending.
    states: Vec<usize>,
    /// The canonical folders that links were taken from on the way here.
    jumps: Vec<PathBuf>,
}

impl Place {
    /// Whether `path` is this folder or one above it.
    fn is_below(&self, path: &Path) -> bool {
        self.spot.path.starts_with(path) || self.jumps.iter().any(|jump| jump.starts_with(path))
    }
}

/// What the pattern makes of a name.
struct Match {
    /// It could be a hit, if it is a file.
    hit: bool,
    /// Where the pattern goes on, if it is a folder: reached by a component of its own.
    named: Vec<usize>,
    /// The same, reached by a `**` that goes on.
    deep: Vec<usize>,
}

impl Walk<'_> {
    /// The states with those that are reached because `**` may stand for nothing, ascending.
    fn closure(&self, mut states: Vec<usize>) -> Vec<usize> {
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            if self.pattern.parts.get(state) == Some(&Part::Deep) && !states.contains(&(state + 1))
            {
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
            let matches = match &self.pattern.parts[state] {
                Part::Deep => {
                    if !name.starts_with('.') {
                        found.deep.push(state);
                    }
                    false
                }
                Part::Literal(own) => own == name,
                Part::Name(own) => own.matches_visible(name),
            };
            if matches && state + 1 == self.pattern.parts.len() {
                found.hit = true;
            } else if matches {
                found.named.push(state + 1);
            }
        }
        found
    }

    fn visit(&mut self, place: &Place) -> Result<(), Obstacle> {
        let below = self.todo.len();
        let mut exclude = self.exclude.here();
        for entry in self.entries(place)? {
            self.step(place, &entry, &mut exclude)?;
        }
        // The last in the list is taken next: turned round, folders are visited in order.
        self.todo[below..].reverse();
        Ok(())
    }

    /// The entries that the pattern can be about, in byte order.
    fn entries(&self, place: &Place) -> Result<Vec<Entry>, Obstacle> {
        let names: Option<Vec<&String>> = (place.states.iter())
            .map(|state| match &self.pattern.parts[*state] {
                Part::Literal(name) => Some(name),
                Part::Deep | Part::Name(_) => None,
            })
            .collect();
        if let Some(mut names) = names {
            names.sort_unstable();
            names.dedup();
            let one = |name: &String| entry(self.world, self.folder, &place.spot, name);
            let entries = names.into_iter().map(one);
            return entries.filter_map(Result::transpose).collect();
        }
        list(self.world, &place.spot)
    }

    fn step(
        &mut self,
        place: &Place,
        entry: &Entry,
        exclude: &mut Here<'_>,
    ) -> Result<(), Obstacle> {
        let name = entry.name.to_string_lossy();
        let mut found = self.meet(&place.states, &name);
        let goes_on = !found.named.is_empty() || !found.deep.is_empty();
        let has = |file: &str| holds(self.world, self.folder, (self.top, &place.spot), file);
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
        if self.hits.len() == MOST_HITS {
            return Err(self.too_many("2,000 files"));
        }
        self.hits.push(hit);
        Ok(())
    }

    /// Follows a link, if the pattern has a use for what it leads to.
    fn link(&mut self, place: &Place, mut spot: Spot, found: Match) -> Result<(), Obstacle> {
        let wanted = found.hit || !found.named.is_empty();
        if !wanted && found.deep.is_empty() {
            return Ok(());
        }
        let kind = match behind(self.world, &mut spot) {
            Ok(Some(kind)) => kind,
            Ok(None) => return Ok(()),
            // Nothing that `**` could enter is behind it.
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
            if self.linked > MOST_LINKED {
                return Err(self.too_many("20,000 folders behind links"));
            }
        }
        let states = self.closure(states);
        self.todo.push(Place {
            spot,
            states,
            jumps,
        });
        Ok(())
    }

    fn too_many(&self, most: &'static str) -> Obstacle {
        Obstacle::TooMany {
            pattern: self.pattern.as_str().to_owned(),
            most,
        }
    }
}
