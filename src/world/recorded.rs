//! The answers of a world as a record, and a world that replays them.
//!
//! Stages 1 and 2 of a build ask only for program files. Their answers are all that is needed to make the same plan again,
//! elsewhere and later, whatever has become of the files.

use super::places::{Places, is_placed, slashed, tidied, written};
use super::{Entry, Kind, World, limited, sha256};
use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The answers of a world, by path as it was asked for. Each content is stored once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedWorld {
    /// The answers about each path.
    #[serde(default, deserialize_with = "each_once")]
    pub(super) paths: BTreeMap<String, Answers>,
    /// The contents of files by their hashes.
    #[serde(default, deserialize_with = "each_once")]
    pub(super) contents: BTreeMap<String, Content>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub(super) env: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) home: Option<Option<String>>,
}

/// The answers about one path, to the questions that were asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answers {
    /// Its kind, links followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<Answer<Kind>>,
    /// Its kind, a link not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Answer<Kind>>,
    /// Its path without links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) canonical: Option<Answer<String>>,
    /// The hash of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Answer<String>>,
    /// The names in it, with their kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) list: Option<Answer<Vec<(String, Kind)>>>,
}

/// An answer, or the kind of error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Answer<T> {
    Fails { fails: Failure },
    Is(T),
}

/// The kinds of errors that a build distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Failure {
    NotFound,
    NotADirectory,
    IsADirectory,
    PermissionDenied,
    InvalidInput,
    InvalidFilename,
    Loop,
    Other,
}

/// The bytes of a file; nearly always they are text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenContent", into = "WrittenContent")]
#[schemars(with = "WrittenContent")]
pub(super) struct Content(pub(super) Arc<[u8]>);

/// The bytes of a file in JSON.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum WrittenContent {
    Text(String),
    Bytes { base64: String },
}

impl From<Content> for WrittenContent {
    fn from(content: Content) -> Self {
        match std::str::from_utf8(&content.0) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes {
                base64: BASE64.encode(&content.0),
            },
        }
    }
}

impl TryFrom<WrittenContent> for Content {
    type Error = data_encoding::DecodeError;

    fn try_from(written: WrittenContent) -> Result<Self, Self::Error> {
        Ok(Self(match written {
            WrittenContent::Text(text) => text.into_bytes().into(),
            WrittenContent::Bytes { base64 } => BASE64.decode(base64.as_bytes())?.into(),
        }))
    }
}

impl RecordedWorld {
    /// The program that these answers are of, wherever it was: the name and content of each file that was read.
    #[must_use]
    pub fn program(&self) -> BTreeSet<(&str, &[u8])> {
        let name = |path: &'_ str| path.rfind(['/', '\\']).map_or(0, |at| at + 1);
        let read = self.paths.iter().filter_map(|(path, answers)| {
            let bytes = self.content(answers.content.as_ref()?)?;
            Some((&path[name(path)..], bytes))
        });
        read.collect()
    }

    /// The bytes of a file that was read.
    pub(super) fn content(&self, answer: &Answer<String>) -> Option<&[u8]> {
        match answer {
            Answer::Is(hash) => self.contents.get(hash).map(|content| &*content.0),
            Answer::Fails { .. } => None,
        }
    }

    /// The same answers, with each path as `places` names it. Environment and home folder are left out, and so is what lies
    /// above the folders that have a name.
    #[must_use]
    pub fn placed(&self, mut places: Places) -> Self {
        while let Some(target) = self.elsewhere(&places) {
            places.add(Path::new(&target));
        }
        let mut placed = Self {
            contents: self.contents.clone(),
            ..Self::default()
        };
        for (path, answers) in &self.paths {
            let Some(path) = places.path(Path::new(path)).filter(|path| path != "/") else {
                continue;
            };
            let mut answers = answers.clone();
            if let Some(Answer::Is(target)) = &mut answers.canonical {
                *target = places.path(Path::new(target)).unwrap_or_default();
                let own = placed.paths.entry(target.clone()).or_default();
                own.canonical = Some(Answer::Is(target.clone()));
            }
            placed.paths.entry(path).or_default().add(answers);
        }
        let top = Answers {
            kind: Some(Answer::Is(Kind::Folder)),
            name: Some(Answer::Is(Kind::Folder)),
            canonical: Some(Answer::Is("/".to_owned())),
            ..Answers::default()
        };
        placed
            .paths
            .extend(["/", "."].map(|path| (path.to_owned(), top.clone())));
        placed
    }

    /// The bytes of the file at a path, if it was read.
    pub(crate) fn file(&self, path: &str) -> Option<&[u8]> {
        self.content(self.paths.get(path)?.content.as_ref()?)
    }

    /// Gives a path, and all below it, another name. `copy` is whether it keeps the name that it has, too.
    pub(crate) fn rename(&mut self, from: &str, to: &str, copy: bool) {
        let of = |path: &str| super::places::renamed(path, from, to);
        let paths = std::mem::take(&mut self.paths);
        for (path, answers) in paths {
            let mut moved = answers.clone();
            if let Some(Answer::Is(target)) = &mut moved.canonical {
                *target = of(target).unwrap_or_else(|| target.clone());
            }
            let renamed = of(&path);
            if copy || renamed.is_none() {
                let kept = if copy { answers } else { moved.clone() };
                self.paths.entry(path).or_default().add(kept);
            }
            if let Some(path) = renamed {
                self.paths.entry(path).or_default().add(moved);
            }
        }
    }

    /// The answers about each path, with the bytes if it is a file that was read.
    pub(crate) fn answered(&self) -> impl Iterator<Item = (&str, &Answers, Option<&[u8]>)> {
        self.paths.iter().map(|(path, answers)| {
            let content = answers.content.as_ref();
            let bytes = content.and_then(|content| self.content(content));
            (path.as_str(), answers, bytes)
        })
    }

    /// The world of these answers, with contents by their hashes.
    pub(crate) fn restored(
        paths: impl IntoIterator<Item = (String, Answers)>,
        contents: BTreeMap<String, Vec<u8>>,
    ) -> Self {
        let contents = contents.into_iter();
        Self {
            paths: paths.into_iter().collect(),
            contents: contents
                .map(|(hash, bytes)| (hash, Content(bytes.into())))
                .collect(),
            ..Self::default()
        }
    }

    /// Takes out the contents that are text, so that they can be stored once, by their hashes.
    pub fn take_texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        self.contents
            .retain(|_, content| match std::str::from_utf8(&content.0) {
                Ok(text) => {
                    texts.push(text.to_owned());
                    false
                }
                Err(_) => true,
            });
        texts
    }

    /// Puts back what [`Self::take_texts`] took out.
    pub fn put_texts(&mut self, texts: impl IntoIterator<Item = String>) {
        let texts = texts.into_iter().map(|text| (sha256(&text), text));
        let texts = texts.map(|(hash, text)| (hash, Content(text.into_bytes().into())));
        self.contents.extend(texts);
    }

    /// The bytes of all contents together.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.contents.values().map(|content| content.0.len()).sum()
    }

    /// The problem of the answers of a build, if they were changed by hand.
    #[must_use]
    pub(crate) fn fault(&self) -> Option<String> {
        for (hash, content) in &self.contents {
            if sha256(&content.0) != *hash {
                return Some(format!(
                    "the content {hash:?} of its inputs has another hash"
                ));
            }
        }
        let is_known = |path: &str| matches!(path, "/" | ".") || is_placed(path);
        let mut unused: BTreeSet<&String> = self.contents.keys().collect();
        for (path, answers) in &self.paths {
            let target = match &answers.canonical {
                Some(Answer::Is(target)) => target,
                _ => path,
            };
            if let Some(path) = [path, target].into_iter().find(|path| !is_known(path)) {
                return Some(format!("the path {path:?} of its inputs is in no place"));
            }
            if let Some(Answer::Is(hash)) = &answers.content {
                if !self.contents.contains_key(hash) {
                    return Some(format!("the content of `{path}` is missing in its inputs"));
                }
                unused.remove(hash);
            }
            if let Some(Answer::Is(names)) = &answers.list
                && let Some((name, _)) = names
                    .iter()
                    .find(|(name, _)| !is_placed(&format!("/{name}")) || name.contains('/'))
            {
                return Some(format!(
                    "the list of `{path}` in its inputs has the name {name:?}"
                ));
            }
        }
        let unused = unused
            .first()
            .map(|hash| format!("the content `{hash}` of its inputs belongs to no path"));
        unused.or_else(|| {
            (!self.env.is_empty() || self.home.is_some())
                .then(|| "its inputs name the environment".to_owned())
        })
    }

    /// The target of a link that is in no folder with a name: that of the first such link.
    fn elsewhere(&self, places: &Places) -> Option<String> {
        let links = self.paths.iter().filter_map(|(path, answers)| {
            let Some(Answer::Is(target)) = &answers.canonical else {
                return None;
            };
            let link = places.path(Path::new(path)).filter(|path| path != "/")?;
            let unnamed = places.path(Path::new(target)).is_none();
            unnamed.then(|| (link, target.clone()))
        });
        links.min().map(|(_, target)| target)
    }

    /// The answers about a path, to be completed.
    pub(super) fn answers(&mut self, path: impl AsRef<Path>) -> &mut Answers {
        self.paths.entry(written(path.as_ref())).or_default()
    }

    /// What is known about a path.
    fn known(&self, path: &Path) -> Option<&Answers> {
        let known = self.paths.get(&written(path));
        known.or_else(|| self.paths.get(&slashed(&tidied(path))))
    }

    /// A world that gives these answers.
    #[must_use]
    pub fn replayed(&self) -> ReplayedWorld<'_> {
        ReplayedWorld {
            record: self,
            refused: Mutex::default(),
        }
    }
}

impl Answers {
    /// The hash of the content, if it is a file that was read.
    pub(crate) fn content(&self) -> Option<&str> {
        match self.content.as_ref()? {
            Answer::Is(hash) => Some(hash),
            Answer::Fails { .. } => None,
        }
    }

    /// Adds the answers to other questions; a new one stands in the place of an earlier one.
    pub(super) fn add(&mut self, other: Self) {
        let Self {
            kind,
            name,
            canonical,
            content,
            list,
        } = other;
        self.kind = kind.or_else(|| self.kind.take());
        self.name = name.or_else(|| self.name.take());
        self.canonical = canonical.or_else(|| self.canonical.take());
        self.content = content.or_else(|| self.content.take());
        self.list = list.or_else(|| self.list.take());
    }
}

/// Reads a map, and refuses one that has a key twice.
fn each_once<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct EachOnce<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for EachOnce<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut out = BTreeMap::new();
            while let Some((key, value)) = map.next_entry()? {
                if out.contains_key(&key) {
                    return Err(A::Error::custom(format!("{key:?} is there twice")));
                }
                out.insert(key, value);
            }
            Ok(out)
        }
    }

    deserializer.deserialize_map(EachOnce(PhantomData))
}

fn listed(entries: Vec<(String, Kind)>) -> Vec<Entry> {
    let entry = |(name, kind): (String, Kind)| Entry {
        name: name.into(),
        kind,
    };
    entries.into_iter().map(entry).collect()
}

/// A world that gives recorded answers, and refuses all other questions.
pub struct ReplayedWorld<'a> {
    record: &'a RecordedWorld,
    /// The first question without an answer.
    refused: Mutex<Option<String>>,
}

impl ReplayedWorld<'_> {
    /// The first question that was refused.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.clone()
    }

    fn refuse(&self, question: String) -> io::Error {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.get_or_insert_with(|| question.clone());
        io::Error::other(Unrecorded(question))
    }

    fn answer<'s, T>(
        &'s self,
        path: &Path,
        asked: &str,
        answer: impl FnOnce(&'s Answers) -> Option<&'s Answer<T>>,
    ) -> io::Result<&'s T> {
        match self.record.known(path).and_then(answer) {
            Some(Answer::Is(value)) => Ok(value),
            Some(Answer::Fails { fails }) => Err((*fails).into()),
            None => Err(self.refuse(format!("{asked} of `{}`", path.display()))),
        }
    }
}

/// A question that was not asked when the answers were recorded.
#[derive(Debug)]
struct Unrecorded(String);

impl fmt::Display for Unrecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} was not recorded", self.0)
    }
}

impl std::error::Error for Unrecorded {}

impl World for ReplayedWorld<'_> {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.answer(path, "kind", |answers| answers.kind.as_ref())
            .copied()
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.answer(path, "kind", |answers| answers.name.as_ref())
            .copied()
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let real = self.answer(path, "real path", |answers| answers.canonical.as_ref());
        real.map(PathBuf::from)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let hash = self.answer(path, "content", |answers| answers.content.as_ref())?;
        let content = self.record.contents.get(hash);
        let content = content.map(|content| limited(&content.0, limit));
        content.ok_or_else(|| self.refuse(format!("content of `{}`", path.display())))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.read(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let entries = self.answer(path, "list", |answers| answers.list.as_ref())?;
        Ok(listed(entries.clone()))
    }

    fn env(&self, name: &str) -> Option<OsString> {
        match self.record.env.get(name) {
            Some(value) => value.as_ref().map(OsString::from),
            None => {
                self.refuse(format!("environment variable `{name}`"));
                None
            }
        }
    }

    fn home(&self) -> Option<PathBuf> {
        match &self.record.home {
            Some(home) => home.as_ref().map(PathBuf::from),
            None => {
                self.refuse("home folder".to_owned());
                None
            }
        }
    }

    fn now(&self) -> i64 {
        self.refuse("time".to_owned());
        0
    }

    fn stdin(&self, _: u64) -> io::Result<Vec<u8>> {
        Err(self.refuse("standard input".to_owned()))
    }
}

/// An answer as it is recorded; none if it cannot be written.
pub(super) fn noted<T, N, E: Clone + Into<io::Error>>(
    answer: &Result<T, E>,
    written: impl FnOnce(&T) -> Option<N>,
) -> Option<Answer<N>> {
    match answer {
        Ok(value) => written(value).map(Answer::Is),
        Err(error) => Some(Answer::Fails {
            fails: (&error.clone().into()).into(),
        }),
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
