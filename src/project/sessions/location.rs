//! The location of the store of sessions, and the error if it does not answer.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::{Run, output};
use crate::session::store::{self, Location, Store, StoreError};
use crate::world::write::{self, link_in};
use crate::world::{DiskWorld, Kind, World as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The environment variable that names a store.
const NAMED_BY: &str = "PROMPTC_STORE";

/// The location of a store next to its manifest.
const USUAL: &str = ".promptc/store.db";

/// The location of the store of sessions, as a call gives it.
#[derive(Debug, Clone, Default)]
pub struct StoreOptions {
    /// The name of the store, as `--store` takes it. Without it `PROMPTC_STORE` names the store, else it is
    /// `.promptc/store.db` next to the manifest.
    pub location: Option<PathBuf>,
    /// The longest wait for others that hold the store, in seconds; 10 without it.
    pub wait: Option<u64>,
}

/// The default wait for other processes, in seconds.
const USUAL_WAIT: u64 = 10;

impl StoreOptions {
    /// Where the store of a manifest in `folder` is; the empty path is the current directory.
    pub(crate) fn location(
        &self,
        folder: &Path,
        diags: &mut Diagnostics,
    ) -> Result<Location, ErrorReported> {
        let variable = || DiskWorld.env(NAMED_BY).filter(|name| !name.is_empty());
        let given = self
            .location
            .clone()
            .or_else(|| variable().map(PathBuf::from));
        let Some(name) = given else {
            return Ok(beside(folder));
        };
        named(name, diags)
    }

    /// The store that the call itself names.
    pub(crate) fn given(&self) -> Option<&Path> {
        self.location.as_deref()
    }

    /// The part of this that the call itself sets, which needs a session: the option, and its purpose.
    pub(crate) fn stray(&self) -> Option<&'static str> {
        let wait = self
            .wait
            .map(|_| "--wait says how long to wait for a store of sessions");
        let store = self.location.as_ref();
        store
            .map(|_| "--store names where sessions are kept")
            .or(wait)
    }

    /// Whether the call itself names a store.
    pub(crate) fn is_given(&self) -> bool {
        self.location.is_some()
    }

    /// Whether a store is named by the call or the environment.
    pub(crate) fn is_named(&self) -> bool {
        let named = DiskWorld.env(NAMED_BY);
        self.is_given() || named.is_some_and(|name| !name.is_empty())
    }

    /// Opens the store; a missing one is created with its first session.
    pub(crate) fn open(
        &self,
        location: &Location,
        run: &mut Run,
    ) -> Result<Box<dyn Store>, ErrorReported> {
        let opened = self.try_open(location, run)?;
        opened.map_err(|error| run.diags.push(refuse(&error, location)))
    }

    /// [`Self::open`] that leaves errors of the store to the caller. A link on the way that others may have created is an
    /// error.
    pub(crate) fn try_open(
        &self,
        location: &Location,
        run: &mut Run,
    ) -> Result<store::Result<Box<dyn Store>>, ErrorReported> {
        let path = walled(location, run);
        let found = match run.walls.target(path) {
            Ok(target) => Location::Found(target.path().to_owned()),
            Err(error) => match link_in(&error) {
                None => location.clone(),
                Some(link) => return Err(run.diags.push(is_linked(location, link))),
            },
        };
        if !found.exists() {
            run.diags.extend(&not_ignored(location));
        }
        Ok(found.open_later(self.wait.unwrap_or(USUAL_WAIT)))
    }
}

/// The most bytes of a `.gitignore` that is looked into.
const MOST_IGNORED: u64 = 1 << 16;

/// A warning if a new store would be made in a folder `.promptc` whose `.gitignore` was there before and does not ignore
/// everything. It may be someone's intention, so the file stays; but it may also come with a repository that is not trusted.
fn not_ignored(location: &Location) -> Diagnostics {
    let mut found = Diagnostics::default();
    let (Location::File(path) | Location::Found(path)) = location;
    let folder = path.parent().filter(|folder| folder.ends_with(".promptc"));
    let Some(file) = folder.map(|folder| folder.join(".gitignore")) else {
        return found;
    };
    let Ok(kind) = DiskWorld.kind_of_name(&file) else {
        return found;
    };
    // Git follows no link here.
    let text = match kind {
        Kind::File => DiskWorld.read(&file, MOST_IGNORED).unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut lines = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let ignores =
        lines.clone().any(|line| line == b"*") && !lines.any(|line| line.starts_with(b"!"));
    if !ignores {
        let shown = manifest::shown(&DiskWorld, &file);
        let message =
            format!("git may take the store of sessions: `{shown}` does not ignore all files");
        let help = "write `*` as its only line, or name a store elsewhere with --store FILE";
        found.push(Diagnostic::warning(diagnostic::STORE_NOT_IGNORED, message).help(help));
    }
    found
}

/// The store of a name that the call or the environment gives.
pub(crate) fn named(name: PathBuf, diags: &mut Diagnostics) -> Result<Location, ErrorReported> {
    Location::named(name).map_err(|unknown| {
        let found = Diagnostic::error(diagnostic::UNKNOWN_STORE_KIND, unknown.to_string());
        diags.push(found.help(
            "a store is a file: --store and PROMPTC_STORE take its path, and `./` before a name makes it a path",
        ))
    })
}

/// Removes what writers that were killed have left in the folder of a store, which need not be there.
pub(crate) fn sweep(location: &Location, run: &mut Run) {
    let path = walled(location, run);
    // A link on the way leads to what others have.
    if let Ok(target) = run.walls.target(path)
        && let Ok(folder) = target.folder()
    {
        write::sweep(folder);
        location.sweep();
    }
}

/// The file of a store; the folder of its manifest is a wall.
fn walled<'a>(location: &'a Location, run: &mut Run) -> &'a Path {
    let (Location::File(path) | Location::Found(path)) = location;
    if path.ends_with(USUAL) {
        let folder = path.ancestors().nth(2);
        folder.into_iter().for_each(|f| run.walls.add(f));
    }
    path
}

/// The store next to a manifest in `folder`, whatever the call and the environment name.
pub(crate) fn beside(folder: &Path) -> Location {
    Location::File(folder.join(USUAL))
}

/// The name of a store in messages.
pub(crate) fn shown(location: &Location) -> String {
    match location {
        Location::File(path) | Location::Found(path) => manifest::shown(&DiskWorld, path),
    }
}

/// The error of a store that has a link in its way.
fn is_linked(location: &Location, link: &Path) -> Diagnostic {
    let what = format!("the store `{}` is not opened", shown(location));
    output::is_linked(&what, link)
}

/// The error of a store whose operation failed.
pub(crate) fn refuse(error: &StoreError, location: &Location) -> Diagnostic {
    let (code, help) = match error {
        StoreError::Linked(file) => {
            return is_linked(location, Path::new(&manifest::shown(&DiskWorld, file)));
        }
        StoreError::Busy(_) => (
            diagnostic::STORE_BUSY,
            "try again, or wait longer with --wait SECONDS",
        ),
        StoreError::ReadOnly => (
            diagnostic::STORE_READ_ONLY,
            "let its file and folder be written, or name another store with --store FILE",
        ),
        StoreError::Full => (
            diagnostic::STORE_FULL,
            "make room, or name a store elsewhere with --store FILE",
        ),
        StoreError::Damaged(_) => (
            diagnostic::STORE_DAMAGED,
            "nothing was repaired or rebuilt; `promptc session verify` names the sessions that are damaged, and `promptc session rm ID` removes one, so that the others work; else put a backup in its place, or move it away to begin with an empty one",
        ),
        StoreError::Newer { .. } => (
            diagnostic::STORE_TOO_NEW,
            "use the release that wrote it or a later one, or name another store with --store FILE",
        ),
        StoreError::OtherRelease(_) => (
            diagnostic::SESSION_OF_ANOTHER_RELEASE,
            "its text is restored as it is; `promptc build --session ID --refresh` builds it again, and `promptc session gc --keep 1` removes earlier builds",
        ),
        StoreError::NotAStore => (
            diagnostic::NOT_A_STORE,
            "name another file; where there is none a store is created",
        ),
        StoreError::Gone => (diagnostic::STORE_BUSY, "try again"),
        StoreError::Io(_) | StoreError::Other(_) => (
            diagnostic::STORE_UNUSABLE,
            "name another store with --store FILE",
        ),
    };
    let why = match error {
        // SQLite's words for a failure that the system did not name.
        StoreError::Io(error) if error.kind() == ErrorKind::Other => error.to_string(),
        StoreError::Io(error) => output::reason(error),
        other => other.to_string(),
    };
    let name = shown(location);
    let what = match error {
        StoreError::OtherRelease(_) => "keeps a build of another release",
        _ => "cannot be used",
    };
    Diagnostic::error(code, format!("the store `{name}` {what}: {why}")).help(help)
}
