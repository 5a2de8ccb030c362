//! Searches upwards.

use super::spot::printable;
use crate::source::wall::{Folder, Obstacle, shown, top};
use crate::world::{World, is_missing};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The folders from `from` up to the top of `root`, nearest first, as paths inside the root; the last is `""`.
///
/// A `from` that does not exist still has a place. None if the root does not exist.
///
/// # Errors
/// [`Obstacle::Outside`] if `from` is not inside the root.
pub fn climb(world: &dyn World, root: &Folder, from: &Folder) -> Result<Vec<String>, Obstacle> {
    let Some(top) = top(world, root)? else {
        return Ok(Vec::new());
    };
    let from = match from.known_top() {
        Some(top) => top.to_owned(),
        None => place_of(world, from.path())?,
    };
    let inner = from.strip_prefix(&top).map_err(|_| Obstacle::Outside)?;
    let mut levels = vec![String::new()];
    let mut level = String::new();
    for name in inner.iter() {
        let lossy = name.to_string_lossy();
        if !level.is_empty() {
            level.push('/');
        }
        level.push_str(&lossy);
        if !printable(name) {
            return Err(Obstacle::Name {
                path: shown(&level),
            });
        }
        levels.push(level.clone());
    }
    levels.reverse();
    Ok(levels)
}

/// The canonical path; of one that does not exist, as much of it as does, and the rest by its form.
fn place_of(world: &dyn World, path: &Path) -> Result<PathBuf, Obstacle> {
    let mut rest: Vec<OsString> = Vec::new();
    let mut above = path.to_owned();
    loop {
        let asked = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &above
        };
        match world.canonical(asked) {
            Ok(mut place) => {
                while let Some(name) = rest.pop() {
                    if name == ".." {
                        place.pop();
                    } else {
                        place.push(name);
                    }
                }
                return Ok(place);
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(Obstacle::at(path, "", &error)),
        }
        match above.components().next_back() {
            Some(Component::Normal(name)) => rest.push(name.to_owned()),
            Some(Component::ParentDir) => rest.push("..".into()),
            Some(Component::CurDir) => {}
            _ => return Err(Obstacle::Outside),
        }
        above = above
            .components()
            .as_path()
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned();
    }
}
