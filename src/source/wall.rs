//! Reading inside a root: names that cannot leave it, links that do not, and what stands in the way.

use crate::diagnostic::{self, Code, Diagnostic};
use crate::world::{Kind, World, is_loop, is_missing};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A folder that sources read inside of.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Where it is; links on the way to it are nobody's business.
    path: PathBuf,
    /// Whether links may lead out of it.
    follow_links: bool,
    /// Its canonical path, once it was asked for and found. A folder serves one build, in which roots stand still.
    top: Arc<OnceLock<PathBuf>>,
    /// Folders in it, by canonical path, that were seen to tell upper from lower case.
    exact: Arc<Mutex<BTreeSet<OsString>>>,
}

impl Folder {
    /// The folder at `path`; `follow_links` says whether links may lead out of it.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, follow_links: bool) -> Self {
        Self {
            path: path.into(),
            follow_links,
            top: Arc::default(),
            exact: Arc::default(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether links may lead out of it.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        self.follow_links
    }

    /// Its canonical path, if something asked for it before and found it.
    pub(super) fn known_top(&self) -> Option<&Path> {
        self.top.get().map(PathBuf::as_path)
    }

    fn tells_case(&self, parent: &Path) -> bool {
        let exact = self.exact.lock().unwrap_or_else(PoisonError::into_inner);
        exact.contains(parent.as_os_str())
    }

    fn note_case(&self, parent: &Path) {
        let mut exact = self.exact.lock().unwrap_or_else(PoisonError::into_inner);
        exact.insert(parent.as_os_str().to_owned());
    }
}

/// The largest document that is read, in bytes.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// Why something inside a root cannot be had. All paths are inside the root, `.` is the root's folder itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// A name or pattern that does not stay inside by its mere form.
    Leaves {
        /// As written.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A symbolic link out of the root.
    Link {
        /// The path that leads through it.
        path: String,
    },
    /// Symbolic links in a circle.
    Loop {
        /// The path that leads into it.
        path: String,
    },
    /// Something is there and the system does not give it.
    Unreadable {
        /// Its path.
        path: String,
        /// What the system says, without numbers.
        why: String,
    },
    /// A name that is not UTF-8 or holds control characters.
    Name {
        /// The path, with what cannot be shown escaped or replaced.
        path: String,
    },
    /// A pattern finds too much.
    TooMany {
        /// The pattern.
        pattern: String,
        /// How much of what it may find.
        most: &'static str,
    },
    /// A document is larger than [`LARGEST`].
    TooLarge {
        /// Its path.
        path: String,
    },
    /// A pattern that is not well formed.
    Pattern {
        /// As written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// The root is something else than a folder.
    NotFolder,
    /// The root's folder is not there, and nothing is written where none is.
    NoFolder,
    /// What stands at a place where a document should be written cannot be replaced by one.
    Taken {
        /// Its path.
        path: String,
        /// What stands there.
        why: &'static str,
    },
    /// A search starts at a folder that is not inside the root.
    Outside,
}

impl Obstacle {
    /// What the system said about `path`, inside the root.
    pub(super) fn from_io(path: &str, error: &io::Error) -> Self {
        if is_loop(error) {
            return Self::Loop { path: shown(path) };
        }
        Self::Unreadable {
            path: shown(path),
            why: error.kind().to_string(),
        }
    }

    /// The same, found in a name that is written so.
    #[must_use]
    pub fn about(self, written: &str) -> Self {
        match self {
            Self::Leaves { why, .. } => Self::Leaves {
                path: written.to_owned(),
                why,
            },
            other => other,
        }
    }

    /// The kind of diagnostic that it is.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Leaves { .. } => diagnostic::PATH_LEAVES_ROOT,
            Self::Link { .. } => diagnostic::LINK_LEAVES_ROOT,
            Self::Loop { .. } => diagnostic::LINK_LOOP,
            Self::Unreadable { .. } => diagnostic::UNREADABLE_FILE,
            Self::Name { .. } => diagnostic::BAD_FILE_NAME,
            Self::TooMany { .. } => diagnostic::TOO_MANY_DOCUMENTS,
            Self::TooLarge { .. } => diagnostic::DOCUMENT_TOO_LARGE,
            Self::Pattern { .. } => diagnostic::INVALID_GLOB,
            Self::NotFolder => diagnostic::ROOT_NOT_FOLDER,
            Self::NoFolder => diagnostic::MEMORY_NOT_WRITABLE,
            Self::Taken { .. } => diagnostic::MEMORY_NOT_WRITABLE,
            Self::Outside => diagnostic::SEARCH_OUTSIDE_ROOT,
        }
    }

    /// The way out, where there is one to name.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Leaves { path: written, .. }
            | Self::Pattern {
                pattern: written, ..
            } if written.is_empty() => Some("name one inside the root, or leave the argument out"),
            Self::Leaves { .. } => {
                Some("a source reads inside its root; give the file a root of its own")
            }
            Self::Link { .. } => {
                Some("write links=follow on the root if its links are to be trusted")
            }
            Self::Loop { .. } => Some("make one of the links lead to a file"),
            Self::Unreadable { .. } => {
                Some("let the user who runs this read it, with the folders above it")
            }
            Self::TooLarge { .. } => Some("split it, or name another"),
            Self::Name { .. } => Some("rename the file, or exclude its folder"),
            Self::TooMany { .. } => Some("narrow the pattern, or `exclude` folders"),
            Self::NoFolder => Some("make it, or name another with --root"),
            Self::Taken { .. } => Some("move it away, or name another file"),
            _ => None,
        }
    }

    /// It as an error; the caller adds the span.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let error = Diagnostic::error(self.code(), self.to_string());
        match self.help() {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaves { path: written, .. }
            | Self::Pattern {
                pattern: written, ..
            } if written.is_empty() => f.write_str("an empty text names no file"),
            Self::Leaves { path, why } => write!(f, "`{}` {why}", shown(path)),
            Self::Link { path } => write!(f, "`{path}` is a link that leads out of the root"),
            Self::Loop { path } => write!(f, "`{path}` is a link that leads in a circle"),
            Self::Unreadable { path, why } => write!(f, "`{path}` cannot be read: {why}"),
            Self::Name { path } => {
                write!(
                    f,
                    "the name `{path}` is not UTF-8 or holds control characters"
                )
            }
            Self::TooMany { pattern, most } => write!(f, "`{pattern}` finds more than {most}"),
            Self::TooLarge { path } => write!(f, "`{path}` is larger than 64 MiB"),
            Self::Pattern { pattern, why } => write!(f, "`{}` {why}", shown(pattern)),
            Self::NotFolder => f.write_str("the root is not a folder"),
            Self::NoFolder => f.write_str("the root's folder is not there"),
            Self::Taken { path, why } => write!(f, "`{path}` {why}"),
            Self::Outside => f.write_str("the search starts outside of the root that it climbs to"),
        }
    }
}

/// How a path inside the root, or a pattern, is shown: control characters escaped.
pub(super) fn shown(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        match c.is_control() {
            true => out.extend(c.escape_debug()),
            false => out.push(c),
        }
    }
    match path {
        "" => ".".to_owned(),
        _ => out,
    }
}

/// Checks that a name stays inside its root by its form alone: no `..`, not absolute, no empty component, and no
/// backslash or drive, which mean another place on other systems. `.` alone is the root's folder.
///
/// # Errors
/// [`Obstacle::Leaves`], and [`Obstacle::Name`] for control characters.
pub fn inside(relative: &str) -> Result<(), Obstacle> {
    if relative == "." {
        return Ok(());
    }
    if relative.contains(char::is_control) {
        return Err(Obstacle::Name {
            path: shown(relative),
        });
    }
    match leaves(relative) {
        None => Ok(()),
        Some(why) => Err(Obstacle::Leaves {
            path: relative.to_owned(),
            why,
        }),
    }
}

/// What makes a name or pattern leave its root, if anything does.
pub(super) fn leaves(relative: &str) -> Option<&'static str> {
    if relative.starts_with('/') {
        return Some("is an absolute path");
    }
    if relative.contains('\\') {
        return Some("holds a backslash; paths are written with `/`");
    }
    if matches!(relative.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return Some("begins with a drive");
    }
    relative.split('/').find_map(|name| match name {
        ".." => Some("climbs out with `..`"),
        "" => Some("holds an empty component"),
        "." => Some("holds a `.`, which says nothing"),
        _ => None,
    })
}

/// The canonical path of a root; none if it does not exist.
///
/// # Errors
/// When it is no folder, cannot be looked up, or lies behind a loop of links.
pub(super) fn top(world: &dyn World, folder: &Folder) -> Result<Option<PathBuf>, Obstacle> {
    if let Some(top) = folder.top.get() {
        return Ok(Some(top.clone()));
    }
    let found = world.canonical(&folder.path).and_then(|path| {
        let kind = world.kind(&path)?;
        Ok((path, kind))
    });
    match found {
        Ok((path, Kind::Folder)) => Ok(Some(folder.top.get_or_init(|| path).clone())),
        Ok(_) => Err(Obstacle::NotFolder),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io("", &error)),
    }
}

/// The regular file of that name in the folder: the canonical path to read it from.
///
/// None if nothing is there, or a folder, FIFO, socket, device or a link that leads nowhere. Names are compared byte for
/// byte, on every disk.
///
/// # Errors
/// When the name or a link leaves the root, links lead in a circle, or the system does not let us look.
pub fn find(
    world: &dyn World,
    folder: &Folder,
    relative: &str,
) -> Result<Option<PathBuf>, Obstacle> {
    inside(relative)?;
    let Some(top) = top(world, folder)? else {
        return Ok(None);
    };
    let file = resolve(world, folder, &top, relative)?;
    Ok(file
        .filter(|(_, kind)| *kind == Kind::File)
        .map(|(path, _)| path))
}

/// What stands at a checked name under the canonical `top`.
pub(super) fn resolve(
    world: &dyn World,
    folder: &Folder,
    top: &Path,
    relative: &str,
) -> Result<Option<(PathBuf, Kind)>, Obstacle> {
    let (path, kind) = match without_links(world, top, relative) {
        Ok(Some(found)) => found,
        Ok(None) => match behind_links(world, folder, top, relative)? {
            Some(found) => found,
            None => return Ok(None),
        },
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Obstacle::from_io(relative, &error)),
    };
    if !relative.contains('/') {
        return match relative == "."
            || spelt_so(world, folder, top, relative)
                .map_err(|error| Obstacle::from_io(relative, &error))?
        {
            true => Ok(Some((path, kind))),
            false => Ok(None),
        };
    }
    let mut parent = top.to_owned();
    let mut names = relative.split('/').filter(|name| *name != ".");
    let exact = names.try_fold(true, |exact, name| {
        let same = exact && spelt_so(world, folder, &parent, name)?;
        parent.push(name);
        Ok(same)
    });
    match exact {
        Ok(exact) => Ok(exact.then_some((path, kind))),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}

/// What stands at the name, and its path, if no component of it is a link; none if one is. Most names have no link, and a look at each
/// component costs less than the canonical path.
fn without_links(
    world: &dyn World,
    top: &Path,
    relative: &str,
) -> io::Result<Option<(PathBuf, Kind)>> {
    let mut path = with_room(top, relative.len());
    let mut kind = Kind::Folder;
    for name in relative.split('/').filter(|name| *name != ".") {
        path.push(name);
        kind = world.kind_of_name(&path)?;
        if kind == Kind::Link {
            return Ok(None);
        }
    }
    Ok(Some((path, kind)))
}

/// A copy of `folder` with room for so many bytes below it.
fn with_room(folder: &Path, below: usize) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + below);
    path.push(folder);
    path
}

/// The path of a name in a folder.
pub(super) fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let mut path = with_room(folder, name.len());
    path.push(name);
    path
}

/// What stands at a name that leads through links, and where.
fn behind_links(
    world: &dyn World,
    folder: &Folder,
    top: &Path,
    relative: &str,
) -> Result<Option<(PathBuf, Kind)>, Obstacle> {
    let found = world.canonical(&top.join(relative)).and_then(|path| {
        let kind = world.kind(&path)?;
        Ok((path, kind))
    });
    match found {
        Ok((path, _)) if !folder.follow_links && !path.starts_with(top) => Err(Obstacle::Link {
            path: shown(relative),
        }),
        Ok(found) => Ok(Some(found)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}

/// Whether a name that the system finds in `parent`, which lies in `folder`, is spelt so there, byte for byte.
///
/// Disks that fold case or Unicode forms find more than that. Where the same name with its case swapped finds nothing,
/// `parent` does not fold (some disks say so folder by folder), and listing it is spared, now and for its other names.
pub(super) fn spelt_so(
    world: &dyn World,
    folder: &Folder,
    parent: &Path,
    name: &str,
) -> io::Result<bool> {
    if name.is_ascii() {
        if folder.tells_case(parent) {
            return Ok(true);
        }
        let swapped: String = name.chars().map(swap_case).collect();
        if swapped == name {
            return Ok(true);
        }
        match world.kind_of_name(&joined(parent, swapped.as_ref())) {
            Err(error) if is_missing(&error) => {
                folder.note_case(parent);
                return Ok(true);
            }
            _ => {}
        }
    }
    let entries = world.list(parent)?;
    Ok(entries.iter().any(|entry| entry.name == name))
}

fn swap_case(c: char) -> char {
    match c.is_ascii_lowercase() {
        true => c.to_ascii_uppercase(),
        false => c.to_ascii_lowercase(),
    }
}

/// The bytes of a file that a walk gave, as [`read`] does; none if it went away since.
///
/// # Errors
/// As for [`read`], and when the name cannot be that of a document.
pub(super) fn read_hit(
    world: &dyn World,
    file: &Path,
    relative: &str,
) -> Result<Option<Vec<u8>>, Obstacle> {
    inside(relative)?;
    match world.read(file, LARGEST) {
        Err(error) if is_missing(&error) => Ok(None),
        read => bounded(read, relative).map(Some),
    }
}

/// The bytes of a file that [`find`] gave; `relative` is what messages call it.
///
/// # Errors
/// When the system does not give it or it is larger than [`LARGEST`].
pub fn read(world: &dyn World, file: &Path, relative: &str) -> Result<Vec<u8>, Obstacle> {
    bounded(world.read(file, LARGEST), relative)
}

fn bounded(read: io::Result<Vec<u8>>, relative: &str) -> Result<Vec<u8>, Obstacle> {
    match read {
        Ok(bytes) if bytes.len() as u64 > LARGEST => Err(Obstacle::TooLarge {
            path: shown(relative),
        }),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Entry, MapWorld};
    use std::ffi::OsString;

    fn root(path: &str) -> Folder {
        Folder::new(path, false)
    }

    fn found(world: &dyn World, relative: &str) -> Result<Option<PathBuf>, Obstacle> {
        find(world, &root("/r"), relative)
    }

    #[test]
    fn names_that_leave() {
        for name in [
            "/a", "..", "../a", "a/../b", "a//b", "a/", "", "./a", "a/.", "a\\b", "\\\\host", "C:",
            "c:a",
        ] {
            let error = inside(name).unwrap_err();
            assert_eq!(error.code(), diagnostic::PATH_LEAVES_ROOT, "{name:?}");
        }
        for name in [".", "a", ".a", "..a", "a..b/...", "a b/é.md", "ab:c"] {
            assert_eq!(inside(name), Ok(()), "{name:?}");
        }
        for name in ["a\0b", "a\nb"] {
            assert_eq!(inside(name).unwrap_err().code(), diagnostic::BAD_FILE_NAME);
        }
    }

    #[test]
    fn only_regular_files_are_found() {
        let world = MapWorld::new()
            .file("/r/a.md", "")
            .file("/r/sub/b.md", "")
            .folder("/r/c.md")
            .other("/r/pipe")
            .link("/r/lost", "nowhere")
            .link("/r/in", "sub/b.md");
        assert_eq!(found(&world, "a.md"), Ok(Some("/r/a.md".into())));
        assert_eq!(found(&world, "in"), Ok(Some("/r/sub/b.md".into())));
        for name in [
            "c.md",
            "pipe",
            "lost",
            "A.md",
            "a.md/x",
            "sub",
            ".",
            "none/none",
        ] {
            assert_eq!(found(&world, name), Ok(None), "{name}");
        }
        assert_eq!(find(&world, &root("/none"), "a.md"), Ok(None));
        assert_eq!(
            find(&world, &root("/r/a.md"), "a.md"),
            Err(Obstacle::NotFolder)
        );
    }

    #[test]
    fn links_that_leave() {
        let world = MapWorld::new()
            .file("/out/secret", "")
            .file("/r/a.md", "")
            .link("/r/file", "../out/secret")
            .link("/r/folder", "/out")
            .link("/out/back", "/r")
            .link("/r/x", "y")
            .link("/r/y", "x")
            .link("/other", "/r");
        for name in ["file", "folder/secret", "folder"] {
            let link = Obstacle::Link {
                path: name.to_owned(),
            };
            assert_eq!(found(&world, name), Err(link), "{name}");
        }
        // Out and in again is inside.
        assert_eq!(
            found(&world, "folder/back/a.md"),
            Ok(Some("/r/a.md".into()))
        );
        assert_eq!(
            found(&world, "x"),
            Err(Obstacle::Loop {
                path: "x".to_owned()
            })
        );
        // A name that only begins like the root is outside.
        let near = MapWorld::new().file("/r2/a", "").link("/r/a", "/r2/a");
        assert!(found(&near, "a").is_err());
        let open = Folder::new("/r", true);
        assert_eq!(find(&world, &open, "file"), Ok(Some("/out/secret".into())));
        assert_eq!(
            find(&world, &root("/other"), "a.md"),
            Ok(Some("/r/a.md".into()))
        );
    }

    #[test]
    fn what_is_locked_is_not_missing() {
        let world = MapWorld::new()
            .file("/r/locked/a.md", "")
            .unreadable("/r/locked")
            .file("/r/b.md", "text")
            .unreadable("/r/b.md");
        let error = found(&world, "locked/a.md").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`locked/a.md` cannot be read: permission denied"
        );
        let file = found(&world, "b.md").unwrap().unwrap();
        let error = read(&world, &file, "b.md").unwrap_err();
        assert_eq!(error.code(), diagnostic::UNREADABLE_FILE);
    }

    /// A disk that finds names whatever their case; what it holds is written in lower case.
    struct Folding(MapWorld);

    impl Folding {
        fn fold(path: &Path) -> PathBuf {
            path.to_string_lossy().to_lowercase().into()
        }
    }

    impl World for Folding {
        fn kind(&self, path: &Path) -> io::Result<Kind> {
            self.0.kind(&Self::fold(path))
        }
        fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
            self.0.kind_of_name(&Self::fold(path))
        }
        fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
            // Some systems give the name as asked.
            self.0.canonical(&Self::fold(path)).map(|_| path.to_owned())
        }
        fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
            self.0.read(&Self::fold(path), limit)
        }
        fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
            self.0.list(&Self::fold(path))
        }
        fn env(&self, _: &str) -> Option<OsString> {
            None
        }
        fn home(&self) -> Option<PathBuf> {
            None
        }
        fn now(&self) -> i64 {
            0
        }
        fn stdin(&self, _: u64) -> io::Result<Vec<u8>> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn names_are_compared_byte_for_byte_on_every_disk() {
        let world = Folding(
            MapWorld::new()
                .file("/r/sub/agents.md", "")
                .file("/r/é", ""),
        );
        assert_eq!(
            found(&world, "sub/agents.md"),
            Ok(Some("/r/sub/agents.md".into()))
        );
        assert_eq!(found(&world, "sub/AGENTS.md"), Ok(None));
        assert_eq!(found(&world, "Sub/agents.md"), Ok(None));
        assert_eq!(found(&world, "é"), Ok(Some("/r/é".into())));
        assert_eq!(found(&world, "É"), Ok(None));
    }
}
