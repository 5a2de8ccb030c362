//! A world whose answers are recorded, and a world that replays them.
//!
//! Stages 1 and 2 of a build ask only for program files. Their answers are all that is needed to make the same plan again,
//! elsewhere and later, whatever has become of the files.

use super::{Entry, Kind, World};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The answers of a world, by path as it was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedWorld {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    kinds: BTreeMap<String, Answer<Stands>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<String, Answer<Stands>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    canonical: BTreeMap<String, Answer<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, Answer<Content>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    lists: BTreeMap<String, Answer<Vec<(String, Stands)>>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    home: Option<Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer<T> {
    Is(T),
    Fails(Failure),
}

/// The kinds of errors that a build distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Failure {
    NotFound,
    NotADirectory,
    IsADirectory,
    PermissionDenied,
    InvalidInput,
    InvalidFilename,
    Loop,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stands {
    File,
    Folder,
    Link,
    Other,
}

/// The bytes of a file; nearly always they are text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl RecordedWorld {
    /// The program that these answers are of, wherever it was: the name and content of each file that was read.
    #[must_use]
    pub fn program(&self) -> BTreeSet<(&str, &[u8])> {
        let read = self.files.iter().filter_map(|(path, answer)| match answer {
            Answer::Is(Content::Text(text)) => Some((path, text.as_bytes())),
            Answer::Is(Content::Bytes(bytes)) => Some((path, bytes.as_slice())),
            Answer::Fails(_) => None,
        });
        let name = |path: &'_ str| path.rfind(['/', '\\']).map_or(0, |at| at + 1);
        read.map(|(path, bytes)| (&path[name(path)..], bytes))
            .collect()
    }
}

/// A world whose answers are recorded. A repeated question gets the same answer, so that a build and a later restore use
/// the very same files, also if one of them changes in between.
pub struct Recorder<'a> {
    world: &'a dyn World,
    tape: Mutex<RecordedWorld>,
    /// The limit in bytes with which a file was read.
    limits: Mutex<BTreeMap<String, u64>>,
}

impl<'a> Recorder<'a> {
    /// A recorder of `world` without answers.
    #[must_use]
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            tape: Mutex::default(),
            limits: Mutex::default(),
        }
    }

    /// The answers.
    #[must_use]
    pub fn into_tape(self) -> RecordedWorld {
        let tape = self.tape.into_inner();
        tape.unwrap_or_else(PoisonError::into_inner)
    }

    fn tape(&self) -> MutexGuard<'_, RecordedWorld> {
        // Answers are whole when they are written down.
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The earlier content of a file, else the result of `read`.
    fn read_once(
        &self,
        path: &Path,
        limit: u64,
        read: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Vec<u8>> {
        if let Some(answer) = self.read_before(path, limit) {
            return answer;
        }
        let answer = read();
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.insert(written(path), limit);
        let noted = note(&answer, |bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Content::Text(text.to_owned()),
            Err(_) => Content::Bytes(bytes.clone()),
        });
        self.tape().files.insert(written(path), noted);
        answer
    }

    /// The content of a file, if it fits in `limit` bytes.
    fn read_before(&self, path: &Path, limit: u64) -> Option<io::Result<Vec<u8>>> {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *limits.get(&written(path))?;
        let mut answer = self.tape().read(path, limit);
        let bytes = answer.iter_mut().next();
        if let Some(bytes) = bytes {
            if bytes.len() as u64 > before && limit > before {
                return None;
            }
            bytes.truncate(usize::try_from(limit.saturating_add(1)).unwrap_or(usize::MAX));
        }
        Some(answer)
    }
}

impl World for Recorder<'_> {
    super::as_in!(self => self.world; stream now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        if self.tape().kinds.contains_key(&written(path)) {
            return self.tape().kind(path);
        }
        let answer = self.world.kind(path);
        let noted = note(&answer, |kind| Stands::from(*kind));
        self.tape().kinds.insert(written(path), noted);
        answer
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        if self.tape().names.contains_key(&written(path)) {
            return self.tape().kind_of_name(path);
        }
        let answer = self.world.kind_of_name(path);
        let noted = note(&answer, |kind| Stands::from(*kind));
        self.tape().names.insert(written(path), noted);
        answer
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        if self.tape().canonical.contains_key(&written(path)) {
            return self.tape().canonical(path);
        }
        let answer = self.world.canonical(path);
        let noted = note(&answer, |path| written(path));
        self.tape().canonical.insert(written(path), noted);
        answer
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.read_once(path, limit, || self.world.read(path, limit))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.read_once(path, limit, || self.world.read_found(path, limit))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        if self.tape().lists.contains_key(&written(path)) {
            return self.tape().list(path);
        }
        let answer = self.world.list(path);
        let noted = note(&answer, |entries| {
            let entries = entries.iter();
            let mut all: Vec<(String, Stands)> = entries
                .map(|e| (e.name.to_string_lossy().into_owned(), e.kind.into()))
                .collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        });
        self.tape().lists.insert(written(path), noted);
        answer
    }

    fn env(&self, name: &str) -> Option<OsString> {
        if self.tape().env.contains_key(name) {
            return self.tape().env(name);
        }
        let answer = self.world.env(name);
        let noted = answer.as_ref().map(|v| v.to_string_lossy().into_owned());
        self.tape().env.insert(name.to_owned(), noted);
        answer
    }

    fn home(&self) -> Option<PathBuf> {
        if self.tape().home.is_some() {
            return self.tape().home();
        }
        let answer = self.world.home();
        self.tape().home = Some(answer.as_deref().map(written));
        answer
    }
}

/// The record replaces the world; paths that were not asked for then are missing.
impl World for RecordedWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        play(self.kinds.get(&written(path)), |stands| (*stands).into())
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        play(self.names.get(&written(path)), |stands| (*stands).into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        play(self.canonical.get(&written(path)), |path| {
            PathBuf::from(path)
        })
    }

    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        play(self.files.get(&written(path)), |content| match content {
            Content::Text(text) => text.clone().into_bytes(),
            Content::Bytes(bytes) => bytes.clone(),
        })
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.read(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        play(self.lists.get(&written(path)), |entries| {
            let entries = entries.iter();
            let entry = |(name, kind): &(String, Stands)| Entry {
                name: name.into(),
                kind: (*kind).into(),
            };
            entries.map(entry).collect()
        })
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.env.get(name)?.as_ref().map(OsString::from)
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.as_ref()?.as_ref().map(PathBuf::from)
    }

    fn now(&self) -> i64 {
        0
    }

    fn stdin(&self, _: u64) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// A path as text. One that is not UTF-8 stays unique.
fn written(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("{path:?}"),
    }
}

fn note<T, N>(answer: &io::Result<T>, noted: impl FnOnce(&T) -> N) -> Answer<N> {
    match answer {
        Ok(value) => Answer::Is(noted(value)),
        Err(error) => Answer::Fails(error.into()),
    }
}

fn play<T, N>(answer: Option<&Answer<N>>, played: impl FnOnce(&N) -> T) -> io::Result<T> {
    match answer {
        Some(Answer::Is(value)) => Ok(played(value)),
        Some(Answer::Fails(failure)) => Err((*failure).into()),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

impl From<&io::Error> for Failure {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            _ if super::is_loop(error) => Self::Loop,
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            io::ErrorKind::IsADirectory => Self::IsADirectory,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::InvalidInput => Self::InvalidInput,
            io::ErrorKind::InvalidFilename => Self::InvalidFilename,
            _ => Self::Other,
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Loop => return super::too_many_links(),
            Failure::NotFound => io::ErrorKind::NotFound,
            Failure::NotADirectory => io::ErrorKind::NotADirectory,
            Failure::IsADirectory => io::ErrorKind::IsADirectory,
            Failure::PermissionDenied => io::ErrorKind::PermissionDenied,
            Failure::InvalidInput => io::ErrorKind::InvalidInput,
            Failure::InvalidFilename => io::ErrorKind::InvalidFilename,
            Failure::Other => io::ErrorKind::Other,
        }
        .into()
    }
}

impl From<Kind> for Stands {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Folder => Self::Folder,
            Kind::Link => Self::Link,
            Kind::Other => Self::Other,
        }
    }
}

impl From<Stands> for Kind {
    fn from(stands: Stands) -> Self {
        match stands {
            Stands::File => Self::File,
            Stands::Folder => Self::Folder,
            Stands::Link => Self::Link,
            Stands::Other => Self::Other,
        }
    }
}
