//! The only door to the outside: files, environment, clock.

mod anchored;
mod tape;

pub use anchored::Anchored;
pub use tape::{Recorder, Tape};

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link (only where links are not followed).
    Link,
    /// A FIFO, socket or device.
    Other,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, without its folder.
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: Kind,
}

/// The world outside. All of promptc's library reads it through here and nowhere else.
///
/// Relative paths count from the current directory of the process.
pub trait World {
    /// What stands at `path`, links followed.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn kind(&self, path: &Path) -> io::Result<Kind>;

    /// What stands at `path` itself, a link not followed.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind>;

    /// The absolute path without links, `.` and `..`.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// The content of a regular file, at most `limit` bytes and one more: a longer answer means that the file is larger.
    ///
    /// # Errors
    /// As the system says.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// What comes out of a FIFO or device, at most `limit` bytes and one more. It waits for whoever writes there, so
    /// documents are never read so.
    ///
    /// # Errors
    /// As the system says.
    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let _ = (path, limit);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What a folder holds, in no particular order.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;

    /// An environment variable.
    fn env(&self, name: &str) -> Option<OsString>;

    /// The home folder of the user, for `~`.
    fn home(&self) -> Option<PathBuf>;

    /// Seconds since 1970-01-01 UTC.
    fn now(&self) -> i64;

    /// Standard input, at most `limit` bytes and one more: a longer answer means that there is more.
    ///
    /// # Errors
    /// As the system says.
    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>>;
}

/// Methods of [`World`] that ask another world: `as_in!(self => self.world; kind canonical …);`.
macro_rules! as_in {
    ($self:ident => $inner:expr; $($method:ident)*) => {
        $(crate::world::as_in!(@ $method $self $inner);)*
    };
    (@ kind $self:ident $inner:expr) => {
        fn kind(&$self, path: &std::path::Path) -> std::io::Result<crate::world::Kind> {
            $inner.kind(path)
        }
    };
    (@ kind_of_name $self:ident $inner:expr) => {
        fn kind_of_name(&$self, path: &std::path::Path) -> std::io::Result<crate::world::Kind> {
            $inner.kind_of_name(path)
        }
    };
    (@ canonical $self:ident $inner:expr) => {
        fn canonical(&$self, path: &std::path::Path) -> std::io::Result<std::path::PathBuf> {
            $inner.canonical(path)
        }
    };
    (@ read $self:ident $inner:expr) => {
        fn read(&$self, path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.read(path, limit)
        }
    };
    (@ stream $self:ident $inner:expr) => {
        fn stream(&$self, path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.stream(path, limit)
        }
    };
    (@ list $self:ident $inner:expr) => {
        fn list(&$self, path: &std::path::Path) -> std::io::Result<Vec<crate::world::Entry>> {
            $inner.list(path)
        }
    };
    (@ env $self:ident $inner:expr) => {
        fn env(&$self, name: &str) -> Option<std::ffi::OsString> {
            $inner.env(name)
        }
    };
    (@ home $self:ident $inner:expr) => {
        fn home(&$self) -> Option<std::path::PathBuf> {
            $inner.home()
        }
    };
    (@ now $self:ident $inner:expr) => {
        fn now(&$self) -> i64 {
            $inner.now()
        }
    };
    (@ stdin $self:ident $inner:expr) => {
        fn stdin(&$self, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.stdin(limit)
        }
    };
}
pub(crate) use as_in;

impl<W: World + ?Sized> World for &W {
    as_in!(self => (**self); kind kind_of_name canonical read stream list env home now stdin);
}

/// Whether an error says that symbolic links lead in a circle.
#[must_use]
pub fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LOOP)
}

/// The error of a path that leads through too many symbolic links.
#[must_use]
pub fn too_many_links() -> io::Error {
    io::Error::from_raw_os_error(LOOP)
}

/// Whether an error says that nothing stands at a path, or that nothing can.
#[must_use]
pub fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// The system's number for a loop of links: the kind of error for it is not stable yet.
const LOOP: i32 = if cfg!(windows) {
    1921
} else if cfg!(any(target_os = "linux", target_os = "android")) {
    40
} else {
    62
};

/// The world as it is: the only code of the library that touches files, environment and clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskWorld;

#[expect(
    clippy::disallowed_methods,
    reason = "this is the door that the others have to use"
)]
impl World for DiskWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::metadata(path)?.file_type()))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::symlink_metadata(path)?.file_type()))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        // Opening alone can block (a FIFO) where it cannot be asked not to. What was opened is asked in any case, since
        // another file may have taken the name in between.
        if cfg!(not(unix)) {
            regular(std::fs::metadata(path)?.file_type())?;
        }
        let file = open(path)?;
        let metadata = file.metadata()?;
        regular(metadata.file_type())?;
        let most = limit.saturating_add(1);
        let mut bytes =
            Vec::with_capacity(usize::try_from(metadata.len().min(most)).unwrap_or(0) + 1);
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        std::fs::read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry {
                    name: entry.file_name(),
                    kind: kind_of(entry.file_type()?),
                })
            })
            .collect()
    }

    fn env(&self, name: &str) -> Option<OsString> {
        // The system's function panics on names that no variable can have.
        let possible = !name.is_empty() && !name.contains(['=', '\0']);
        possible.then(|| std::env::var_os(name)).flatten()
    }

    fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = std::env::var_os(name).filter(|home| !home.is_empty());
        home.map(PathBuf::from)
    }

    fn now(&self) -> i64 {
        let seconds = |d: Duration| i64::try_from(d.as_secs()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => seconds(since),
            Err(before) => -seconds(before.duration()),
        }
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = limit.saturating_add(1);
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn kind_of(kind: std::fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn regular(kind: std::fs::FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let kind = if kind.is_dir() {
        io::ErrorKind::IsADirectory
    } else {
        io::ErrorKind::InvalidInput
    };
    Err(kind.into())
}

/// Opens for reading, without waiting for the other end of a FIFO.
fn open(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // O_NONBLOCK
        options.custom_flags(if cfg!(target_vendor = "apple") {
            0x4
        } else {
            0o4000
        });
    }
    options.open(path)
}

/// A world in memory, for tests: what it does not hold does not exist.
///
/// Relative paths count from `/`. Folders above what is added come into being with it.
#[derive(Debug, Clone, Default)]
pub struct MapWorld {
    nodes: BTreeMap<PathBuf, Thing>,
    locked: BTreeSet<PathBuf>,
    env: BTreeMap<String, OsString>,
    home: Option<PathBuf>,
    now: i64,
    stdin: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Thing {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Other,
}

impl MapWorld {
    /// A world with nothing but the folder `/`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a regular file.
    #[must_use]
    pub fn file(self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(path.as_ref(), Thing::File(bytes.into()))
    }

    /// Adds an empty folder.
    #[must_use]
    pub fn folder(self, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Thing::Folder)
    }

    /// Adds a symbolic link; a relative target counts from the link's folder.
    #[must_use]
    pub fn link(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.with(path.as_ref(), Thing::Link(target.into()))
    }

    /// Adds something that is neither file nor folder, such as a FIFO.
    #[must_use]
    pub fn other(self, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Thing::Other)
    }

    /// Denies reading a file, or listing and entering a folder.
    #[must_use]
    pub fn unreadable(mut self, path: impl AsRef<Path>) -> Self {
        self.locked.insert(Path::new("/").join(path));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets the home folder.
    #[must_use]
    pub fn home_at(mut self, path: impl Into<PathBuf>) -> Self {
        self.home = Some(path.into());
        self
    }

    /// Sets the clock, in seconds since 1970.
    #[must_use]
    pub fn clock(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// Sets what stands in standard input.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    fn with(mut self, path: &Path, thing: Thing) -> Self {
        let path = Path::new("/").join(path);
        for above in path.ancestors().skip(1) {
            self.nodes.entry(above.to_owned()).or_insert(Thing::Folder);
        }
        self.nodes.insert(path, thing);
        self
    }

    /// The path of what stands at `path`, without links, `.` and `..`; the last name's link only if `follow`.
    fn resolve(&self, path: &Path, follow: bool) -> io::Result<PathBuf> {
        let mut hops = 0;
        let mut at = PathBuf::from("/");
        let mut todo: Vec<OsString> = names(path);
        while let Some(name) = todo.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            self.enter(&at)?;
            let next = at.join(&name);
            match self.nodes.get(&next) {
                None => return Err(io::ErrorKind::NotFound.into()),
                Some(Thing::Link(target)) if follow || !todo.is_empty() => {
                    hops += 1;
                    if hops > 40 {
                        return Err(too_many_links());
                    }
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    todo.extend(names(target));
                }
                Some(_) => at = next,
            }
        }
        Ok(at)
    }

    /// Fails unless names in `folder` may be looked up.
    fn enter(&self, folder: &Path) -> io::Result<()> {
        match self.nodes.get(folder) {
            Some(Thing::Folder) if self.locked.contains(folder) => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Some(Thing::Folder) => Ok(()),
            // The top is there even in an empty world.
            None if folder == Path::new("/") => Ok(()),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn kind_at(&self, path: &Path) -> Kind {
        match self.nodes.get(path) {
            Some(Thing::File(_)) => Kind::File,
            Some(Thing::Link(_)) => Kind::Link,
            Some(Thing::Other) => Kind::Other,
            Some(Thing::Folder) | None => Kind::Folder,
        }
    }
}

/// The names of a path, last first.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    names.collect()
}

impl World for MapWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(self.kind_at(&self.resolve(path, true)?))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        Ok(self.kind_at(&self.resolve(path, false)?))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.resolve(path, true)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let path = self.resolve(path, true)?;
        match self.nodes.get(&path) {
            Some(Thing::File(_)) if self.locked.contains(&path) => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Some(Thing::File(bytes)) => {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                Ok(bytes[..bytes.len().min(limit.saturating_add(1))].to_vec())
            }
            Some(Thing::Other | Thing::Link(_)) => Err(io::ErrorKind::InvalidInput.into()),
            Some(Thing::Folder) | None => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let path = self.resolve(path, true)?;
        self.enter(&path)?;
        let below = self.nodes.range::<PathBuf, _>((Excluded(&path), Unbounded));
        let below = below.take_while(|(other, _)| other.starts_with(&path));
        let entries = below.filter_map(|(other, _)| {
            let name = other
                .file_name()
                .filter(|_| other.parent() == Some(&*path))?;
            Some(Entry {
                name: name.to_owned(),
                kind: self.kind_at(other),
            })
        });
        Ok(entries.collect())
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.env.get(name).cloned()
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        let most = usize::try_from(limit.saturating_add(1)).unwrap_or(usize::MAX);
        Ok(self.stdin[..self.stdin.len().min(most)].to_vec())
    }
}

/// A world whose folders are listed in another order, for tests of law 1.
#[derive(Debug, Clone)]
pub struct Shuffled<W> {
    /// The world behind it.
    pub world: W,
    /// Which order; the same seed gives the same one.
    pub seed: u64,
}

impl<W: World> World for Shuffled<W> {
    as_in!(self => self.world; kind kind_of_name canonical read stream env home now stdin);

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = self.world.list(path)?;
        let mut state = self.seed;
        for last in (1..entries.len()).rev() {
            // A step of a 64-bit congruential generator; its high bits are good enough to shuffle with.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from(state >> 33).unwrap_or(0) % (last + 1);
            entries.swap(last, other);
        }
        Ok(entries)
    }
}

/// A world that remembers which files were read, so that an output does not take the place of one of them.
pub struct Noted<'a> {
    world: &'a dyn World,
    read: Mutex<BTreeSet<PathBuf>>,
}

impl<'a> Noted<'a> {
    /// `world`, of which nothing was read yet.
    #[must_use]
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            read: Mutex::default(),
        }
    }

    /// The files that were read, as they were named.
    #[must_use]
    pub fn into_read(self) -> BTreeSet<PathBuf> {
        // A list of names has no state that a panic could leave half done.
        self.read
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &Path, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        if bytes.is_ok() {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.insert(path.to_owned());
        }
        bytes
    }
}

impl World for Noted<'_> {
    as_in!(self => self.world; kind kind_of_name canonical stream list env home now stdin);

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.note(path, self.world.read(path, limit))
    }
}

/// A world without environment and home folder, as scenarios have it.
#[derive(Debug, Clone)]
pub struct Hermetic<W> {
    /// The world behind it.
    pub world: W,
}

impl<W: World> World for Hermetic<W> {
    as_in!(self => self.world; kind kind_of_name canonical read list now stdin);

    fn env(&self, _: &str) -> Option<OsString> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
        result.err().map(|e| e.kind())
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_that_say_they_are_empty_are_read() {
        let read = |limit| DiskWorld.read(Path::new("/proc/self/status"), limit);
        assert!(read(1 << 20).unwrap().starts_with(b"Name:"));
        assert_eq!(read(3).unwrap(), b"Name");
    }

    #[test]
    fn map_world_follows_links() {
        let world = MapWorld::new()
            .file("/r/a/b.md", "text")
            .link("/r/up", "a/../a")
            .link("/r/abs", "/r/a/b.md")
            .link("/r/x", "y")
            .link("/r/y", "x")
            .link("/r/lost", "nowhere")
            .other("/r/pipe")
            .file("/r/locked/c", "c")
            .unreadable("/r/locked");
        assert_eq!(world.read(Path::new("r/up/b.md"), 2).unwrap(), b"tex");
        assert_eq!(
            world.canonical(Path::new("/r/up/./b.md")).unwrap(),
            Path::new("/r/a/b.md")
        );
        assert_eq!(world.kind_of_name(Path::new("/r/abs")).unwrap(), Kind::Link);
        assert_eq!(world.kind(Path::new("/r/abs")).unwrap(), Kind::File);
        assert!(is_loop(&world.kind(Path::new("/r/x")).unwrap_err()));
        assert!(is_missing(&world.kind(Path::new("/r/lost")).unwrap_err()));
        assert!(is_missing(
            &world.kind(Path::new("/r/abs/more")).unwrap_err()
        ));
        let denied = Some(io::ErrorKind::PermissionDenied);
        assert_eq!(kind(world.list(Path::new("/r/locked"))), denied);
        assert_eq!(kind(world.kind(Path::new("/r/locked/c"))), denied);
        let listed = world.list(Path::new("/r")).unwrap();
        let listed: Vec<_> = listed.iter().filter_map(|e| e.name.to_str()).collect();
        assert_eq!(
            listed,
            ["a", "abs", "locked", "lost", "pipe", "up", "x", "y"]
        );
        assert_eq!(world.list(Path::new("/")).unwrap().len(), 1);
        assert!(MapWorld::new().list(Path::new("/")).unwrap().is_empty());
    }

    #[test]
    fn shuffled_is_another_order_and_always_the_same() {
        let world = (0..20).fold(MapWorld::new(), |w, i| w.file(format!("/{i:02}"), ""));
        let list = |seed| {
            let world = world.clone();
            Shuffled { world, seed }.list(Path::new("/")).unwrap()
        };
        assert_eq!(list(7), list(7));
        assert_ne!(list(7), list(8));
        let mut sorted = list(7);
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(sorted, world.list(Path::new("/")).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn disk_never_waits_for_a_fifo() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(DiskWorld.kind(&pipe).unwrap(), Kind::Other);
        assert_eq!(
            kind(DiskWorld.read(&pipe, 9)),
            Some(io::ErrorKind::InvalidInput)
        );
        // Even if the FIFO takes a file's place behind our back.
        drop(open(&pipe).unwrap());
        assert_eq!(
            kind(DiskWorld.read(folder.path(), 9)),
            Some(io::ErrorKind::IsADirectory)
        );
    }

    #[cfg(unix)]
    #[test]
    fn disk_reads_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        #[expect(clippy::disallowed_methods, reason = "a test makes its own disk")]
        std::fs::write(&file, "0123456789").unwrap();
        assert_eq!(DiskWorld.read(&file, 3).unwrap(), b"0123");
        assert_eq!(DiskWorld.read(&file, u64::MAX).unwrap().len(), 10);
        std::os::unix::fs::symlink("b", folder.path().join("c")).unwrap();
        std::os::unix::fs::symlink("c", folder.path().join("b")).unwrap();
        assert!(is_loop(
            &DiskWorld.kind(&folder.path().join("b")).unwrap_err()
        ));
        assert!(is_missing(&DiskWorld.kind(&file.join("x")).unwrap_err()));
        assert!(is_missing(
            &DiskWorld
                .kind(&folder.path().join("x".repeat(300)))
                .unwrap_err()
        ));
        assert_eq!(
            DiskWorld.kind_of_name(&folder.path().join("c")).unwrap(),
            Kind::Link
        );
        assert_eq!(DiskWorld.env("A=B"), None);
    }
}
