//! The location for writing a document: inside its root, through links as in reading.

use super::wall::{Folder, Obstacle, inside, resolve, shown, top};
use crate::world::{Kind, World, is_missing};
use std::path::{Path, PathBuf};

/// The location of an existing or new document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteTarget {
    /// The file itself: links are followed.
    pub file: PathBuf,
    /// Whether it is there.
    pub is_there: bool,
    /// The nearest folder above it that is there.
    pub folder: PathBuf,
}

/// The place of the document `relative` in a folder.
///
/// # Errors
/// When the name or a link leaves the root, the root's folder is missing, another kind of file is at the place, or the
/// system denies access.
pub fn place(world: &dyn World, folder: &Folder, relative: &str) -> Result<WriteTarget, Obstacle> {
    inside(relative)?;
    let Some(top) = top(world, folder)? else {
        return Err(Obstacle::NoFolder);
    };
    match resolve(world, folder, &top, relative)? {
        Some((file, Kind::File)) => {
            let folder = file.parent().unwrap_or(&top).to_owned();
            return Ok(WriteTarget {
                file,
                is_there: true,
                folder,
            });
        }
        Some(_) => return Err(taken(relative, "is not a regular file")),
        None => {}
    }
    let names: Vec<&str> = relative.split('/').collect();
    let (above, there) = nearest(world, folder, &top, &names)?;
    let rest = &names[there..];
    let at = names[..=there].join("/");
    // Nothing was found under the first of these names; a file that is made there must not take another one's place.
    match world.kind_of_name(&above.join(rest[0])) {
        Ok(Kind::Link) => return Err(taken(&at, "is a link that leads nowhere")),
        Ok(_) => return Err(taken(&at, "is there in another spelling")),
        Err(error) if is_missing(&error) => {}
        Err(error) => return Err(Obstacle::from_io(&at, &error)),
    }
    Ok(WriteTarget {
        file: rest
            .iter()
            .fold(above.clone(), |path, name| path.join(name)),
        is_there: false,
        folder: above,
    })
}

/// The nearest folder above a name that is there, and how many components lead to it.
fn nearest(
    world: &dyn World,
    folder: &Folder,
    top: &Path,
    names: &[&str],
) -> Result<(PathBuf, usize), Obstacle> {
    for there in (1..names.len()).rev() {
        let above = names[..there].join("/");
        match resolve(world, folder, top, &above)? {
            Some((path, Kind::Folder)) => return Ok((path, there)),
            Some(_) => return Err(taken(&above, "is not a folder")),
            None => {}
        }
    }
    Ok((top.to_owned(), 0))
}

fn taken(relative: &str, why: &'static str) -> Obstacle {
    Obstacle::Taken {
        path: shown(relative),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{self, Code};
    use crate::world::MapWorld;

    fn at(world: &MapWorld, relative: &str) -> Result<(String, bool, String), Code> {
        let found = place(world, &Folder::new("/r", false), relative);
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        found
            .map(|p| (text(p.file), p.is_there, text(p.folder)))
            .map_err(|obstacle| obstacle.code())
    }

    fn place_of(file: &str, is_there: bool, folder: &str) -> Result<(String, bool, String), Code> {
        Ok((file.to_owned(), is_there, folder.to_owned()))
    }

    #[test]
    fn a_place_is_reached_by_links_and_inside_the_root() {
        let world = MapWorld::new()
            .file("/r/a/notes.md", "")
            .link("/r/link.md", "a/notes.md")
            .link("/r/near", "a")
            .link("/r/far", "/elsewhere")
            .link("/r/far.md", "/elsewhere/notes.md")
            .file("/elsewhere/notes.md", "");
        let there = place_of("/r/a/notes.md", true, "/r/a");
        assert_eq!(at(&world, "a/notes.md"), there);
        assert_eq!(at(&world, "link.md"), there);
        assert_eq!(at(&world, "near/notes.md"), there);
        assert_eq!(
            at(&world, "near/x/new.md"),
            place_of("/r/a/x/new.md", false, "/r/a")
        );
        assert_eq!(at(&world, "new.md"), place_of("/r/new.md", false, "/r"));
        for out in ["far.md", "far/notes.md", "far/new.md", "far/x/new.md"] {
            assert_eq!(at(&world, out), Err(diagnostic::LINK_LEAVES_ROOT), "{out}");
        }
        for out in ["../notes.md", "/notes.md", "a//b"] {
            assert_eq!(at(&world, out), Err(diagnostic::PATH_LEAVES_ROOT), "{out}");
        }
    }

    #[test]
    fn another_entry_at_the_place_is_not_replaced() {
        let world = MapWorld::new()
            .file("/r/file", "")
            .folder("/r/folder")
            .other("/r/pipe")
            .link("/r/lost", "nowhere")
            .link("/r/a", "b")
            .link("/r/b", "a");
        for taken in [".", "file/x.md", "folder", "pipe", "lost", "lost/x.md"] {
            assert_eq!(
                at(&world, taken),
                Err(diagnostic::MEMORY_NOT_WRITABLE),
                "{taken}"
            );
        }
        assert_eq!(at(&world, "a"), Err(diagnostic::LINK_LOOP));
        let none = at(&MapWorld::new(), "notes.md");
        assert_eq!(none, Err(diagnostic::MEMORY_NOT_WRITABLE));
        let none = at(&MapWorld::new().file("/r", ""), "notes.md");
        assert_eq!(none, Err(diagnostic::ROOT_NOT_FOLDER));
    }
}
