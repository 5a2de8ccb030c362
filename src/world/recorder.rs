//! A world that asks the one below it each question once, and has the record of all that it was asked.
//!
//! What a build asked of the world is read from this one record: an `Engine` asks whether the answers
//! have changed, `watch` follows the paths, and artifacts, snapshots and sessions keep the answers as a [`RecordedWorld`].

use super::places::written;
use super::recorded::{Content, RecordedWorld, noted};
use super::threads;
use super::{Entry, Kind, World, elsewhere, is_elsewhere, limited, sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The questions that can be repeated. Paths are compared as bytes: comparing them part by part is slow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Kind(OsString),
    KindOfName(OsString),
    Canonical(OsString),
    Read(OsString, u64),
    ReadFound(OsString, u64),
    List(OsString),
    Env(OsString),
    Home,
    Now,
}

impl Question {
    /// The path that it is about.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::Kind(at)
            | Self::KindOfName(at)
            | Self::Canonical(at)
            | Self::Read(at, _)
            | Self::ReadFound(at, _)
            | Self::List(at) => Some(Path::new(at)),
            Self::Env(_) | Self::Home | Self::Now => None,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Answer {
    Kind(Result<Kind, Failure>),
    Path(Result<PathBuf, Failure>),
    Bytes(Read),
    /// Sorted by name.
    Entries(Result<Vec<Entry>, Failure>),
    Variable(Option<OsString>),
    Home(Option<PathBuf>),
    Now(i64),
}

/// The content of a file as far as it was read.
type Read = Result<Arc<[u8]>, Failure>;

/// An error that can be given again.
#[derive(Debug, Clone, PartialEq)]
enum Failure {
    System(i32),
    Elsewhere,
    Other(io::ErrorKind, String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(number) => Self::System(number),
            None if is_elsewhere(&error) => Self::Elsewhere,
            None => Self::Other(error.kind(), error.to_string()),
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::System(number) => Self::from_raw_os_error(number),
            Failure::Elsewhere => elsewhere(),
            Failure::Other(kind, text) => Self::new(kind, text),
        }
    }
}

/// A question with its answer.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    question: Arc<Question>,
    answer: Arc<Answer>,
}

/// A world at one time, with the record of it: no question is asked twice, so that a build and a later one from its record
/// use the very same files, also if one of them changes in between.
pub struct Recorder<'w> {
    outside: Outside<'w>,
    known: Mutex<Known>,
    /// The most bytes of answers that are stored; questions whose answers do not fit are asked again each time.
    most: usize,
    /// Whether there was a question that cannot be repeated.
    once: AtomicBool,
    /// Its identity among recorders.
    id: u64,
    /// All contents of records by their hashes: the forks of a recorder have them once.
    contents: Arc<Mutex<BTreeMap<String, Content>>>,
}

/// What a recorder asks.
#[derive(Clone)]
enum Outside<'w> {
    World(&'w dyn World),
    Shared(Arc<dyn World + Send + Sync>),
    /// The recorder of a whole, of which this one is the record of a part.
    Recorder(&'w Recorder<'w>),
}

#[derive(Default, Clone)]
struct Known {
    answers: BTreeMap<Arc<Question>, Arc<Answer>>,
    /// About how many bytes they take.
    bytes: usize,
}

impl Known {
    /// The answer that was given before, or that follows from one: of a file that was read, a part of it, and any error.
    fn find(&self, question: &Question) -> Option<Arc<Answer>> {
        if let Some(answer) = self.answers.get(question) {
            return Some(answer.clone());
        }
        let (Question::Read(at, limit) | Question::ReadFound(at, limit)) = question else {
            return None;
        };
        let read = [Question::Read, Question::ReadFound].into_iter();
        let mut read = read.flat_map(|read| {
            let all = read(at.clone(), 0)..=read(at.clone(), u64::MAX);
            self.answers.range::<Question, _>(all)
        });
        read.find_map(|(before, answer)| {
            let (Question::Read(_, most) | Question::ReadFound(_, most)) = &**before else {
                return None;
            };
            match &**answer {
                Answer::Bytes(Ok(bytes)) if bytes.len() as u64 > *limit => {
                    let begin = limited(bytes, *limit).into();
                    Some(Arc::new(Answer::Bytes(Ok(begin))))
                }
                Answer::Bytes(Ok(bytes)) if bytes.len() as u64 > *most => None,
                _ => Some(answer.clone()),
            }
        })
    }
}

/// The paths that were looked up, as they were written, whether or not they exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Paths that were looked up or read.
    pub names: BTreeSet<PathBuf>,
    /// Folders that were listed: a name that comes or goes in one of them may change the answer.
    pub lists: BTreeSet<PathBuf>,
}

/// About how many bytes a bounded recorder stores.
const MOST_BYTES: usize = 256 << 20;

/// From how many questions on several threads ask.
const MANY: usize = 64;

/// The size of an answer next to the bytes of a file.
const ANSWER_BYTES: usize = 256;

impl<'w> Recorder<'w> {
    /// A recorder of `world` without answers.
    #[must_use]
    pub fn new(world: &'w dyn World) -> Self {
        Self::asking(Outside::World(world))
    }

    /// One that stores no more than a part of the answers, for very many builds: it has no whole record.
    pub(crate) fn bounded(world: Arc<dyn World + Send + Sync>) -> Self {
        Self {
            most: MOST_BYTES,
            ..Self::asking(Outside::Shared(world))
        }
    }

    /// A recorder of what is asked of `whole` through it.
    pub(crate) fn over(whole: &'w Self) -> Self {
        Self::asking(Outside::Recorder(whole))
    }

    fn asking(outside: Outside<'w>) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            outside,
            known: Mutex::default(),
            most: usize::MAX,
            once: AtomicBool::new(false),
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            contents: Arc::default(),
        }
    }

    /// A recorder of the same world that begins with the answers so far.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            known: Mutex::new(self.known().clone()),
            contents: self.contents.clone(),
            ..Self::asking(self.outside.clone())
        }
    }

    /// The world that is asked.
    pub(crate) fn outside(&self) -> &dyn World {
        match &self.outside {
            Outside::World(world) => *world,
            Outside::Shared(world) => &**world,
            Outside::Recorder(whole) => whole.outside(),
        }
    }

    /// Its identity among the recorders of this process; never 0.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether all these questions have the answers that they had.
    pub(crate) fn are_still(&self, asked: &[Answered]) -> bool {
        let differs = AtomicBool::new(false);
        let look = |asked: &[Answered]| {
            let is_still = |before: &Answered| {
                let now = self.ask(before.question.clone(), Some(&before.answer));
                !differs.load(Ordering::Relaxed)
                    && (Arc::ptr_eq(&now, &before.answer) || now == before.answer)
            };
            if !asked.iter().all(is_still) {
                differs.store(true, Ordering::Relaxed);
            }
        };
        if asked.len() > MANY {
            _ = threads::map(&asked.chunks(MANY / 2).collect::<Vec<_>>(), |asked| {
                look(asked)
            })
        } else {
            look(asked)
        }
        !differs.into_inner()
    }

    /// The paths that were looked up.
    #[cfg(feature = "watch")]
    pub(crate) fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        for question in self.known().answers.keys() {
            let Some(path) = question.path() else {
                continue;
            };
            let all = match &**question {
                Question::List(_) => &mut looks.lists,
                _ => &mut looks.names,
            };
            all.insert(path.to_owned());
        }
        looks
    }

    /// The paths that were asked for, and that are UTF-8.
    pub(crate) fn paths(&self) -> BTreeSet<PathBuf> {
        let known = self.known();
        let paths = known.answers.keys().filter_map(|question| question.path());
        let paths = paths.filter(|path| path.to_str().is_some());
        paths.map(Path::to_owned).collect()
    }

    /// The questions, without those implied by the rest; none if one cannot be repeated.
    pub(crate) fn into_asked(self) -> Option<Vec<Answered>> {
        let known = self.known.into_inner();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let asked = known.answers.into_iter();
        let asked = asked.map(|(question, answer)| Answered { question, answer });
        (!self.once.into_inner()).then(|| needed(asked.collect()))
    }

    /// The answers so far. Those about a path that cannot be written, since it is not UTF-8, are left out.
    #[must_use]
    pub fn tape(&self) -> RecordedWorld {
        let known = self.known();
        let mut tape = RecordedWorld::default();
        let mut contents: BTreeMap<&OsString, &Read> = BTreeMap::new();
        for (question, answer) in &known.answers {
            if question.path().is_some_and(|path| path.to_str().is_none()) {
                continue;
            }
            match (&**question, &**answer) {
                (Question::Kind(at), Answer::Kind(kind)) => {
                    tape.answers(at).kind = noted(kind, |kind| Some(*kind));
                }
                (Question::KindOfName(at), Answer::Kind(kind)) => {
                    tape.answers(at).name = noted(kind, |kind| Some(*kind));
                }
                (Question::Canonical(at), Answer::Path(real)) => {
                    let text = |real: &PathBuf| real.to_str().map(str::to_owned);
                    tape.answers(at).canonical = noted(real, text);
                }
                (Question::List(at), Answer::Entries(entries)) => {
                    let name = |entry: &Entry| Some((entry.name.to_str()?.to_owned(), entry.kind));
                    let names = |entries: &Vec<Entry>| entries.iter().map(name).collect();
                    tape.answers(at).list = noted(entries, names);
                }
                (Question::Read(at, _) | Question::ReadFound(at, _), Answer::Bytes(read)) => {
                    // The longest is of a read for more of it.
                    let length = |read: &Read| read.as_ref().ok().map(|bytes| bytes.len());
                    let longest = contents.entry(at).or_insert(read);
                    if length(read) > length(longest) {
                        *longest = read;
                    }
                }
                (Question::Env(name), Answer::Variable(value)) => {
                    let value = value
                        .as_ref()
                        .map(|value| value.to_string_lossy().into_owned());
                    tape.env.insert(name.to_string_lossy().into_owned(), value);
                }
                (Question::Home, Answer::Home(home)) => {
                    tape.home = Some(home.as_deref().map(written));
                }
                _ => {}
            }
        }
        for (at, read) in contents {
            let content = noted(read, |bytes| {
                let hash = sha256(bytes);
                let mut all = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
                let content = all.entry(hash.clone());
                let content = content.or_insert_with(|| Content(bytes.clone()));
                tape.contents.insert(hash.clone(), content.clone());
                Some(hash)
            });
            tape.answers(at).content = content;
        }
        tape
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Answers are whole when they are written down.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, question: Question) -> Arc<Answer> {
        self.ask(Arc::new(question), None)
    }

    /// The answer; if it is that of `before`, then that very one.
    fn ask(&self, question: Arc<Question>, before: Option<&Arc<Answer>>) -> Arc<Answer> {
        if let Some(answer) = self.known().find(&question) {
            return answer;
        }
        let answer = match self.outside {
            Outside::Recorder(whole) => whole.ask(question.clone(), before),
            _ => Arc::new(answer(self.outside(), &question)),
        };
        let answer = before
            .filter(|before| **before == answer)
            .cloned()
            .unwrap_or(answer);
        let mut known = self.known();
        let bytes = match &*answer {
            Answer::Bytes(Ok(bytes)) => ANSWER_BYTES + bytes.len(),
            _ => ANSWER_BYTES,
        };
        if known.bytes + bytes > self.most {
            return answer;
        }
        known.bytes += bytes;
        // If two threads ask the same, the answer of the first is stored.
        let first = known.answers.entry(question).or_insert(answer);
        first.clone()
    }
}

fn answer(world: &dyn World, question: &Question) -> Answer {
    match question {
        Question::Kind(at) => Answer::Kind(failing(world.kind(Path::new(at)))),
        Question::KindOfName(at) => Answer::Kind(failing(world.kind_of_name(Path::new(at)))),
        Question::Canonical(at) => Answer::Path(failing(world.canonical(Path::new(at)))),
        Question::Read(at, limit) => {
            let read = world.read(Path::new(at), *limit);
            Answer::Bytes(failing(read).map(Arc::from))
        }
        Question::ReadFound(at, limit) => {
            let read = world.read_found(Path::new(at), *limit);
            Answer::Bytes(failing(read).map(Arc::from))
        }
        Question::List(at) => {
            let mut entries = failing(world.list(Path::new(at)));
            if let Ok(entries) = &mut entries {
                entries.sort_by(|a, b| a.name.cmp(&b.name));
            }
            Answer::Entries(entries)
        }
        Question::Env(name) => Answer::Variable(name.to_str().and_then(|name| world.env(name))),
        Question::Home => Answer::Home(world.home()),
        Question::Now => Answer::Now(world.now()),
    }
}

fn failing<T>(answer: io::Result<T>) -> Result<T, Failure> {
    answer.map_err(Failure::from)
}

/// Each question once, without those about the path of a file that was found: it and its folders are not links.
pub(crate) fn needed(mut asked: Vec<Answered>) -> Vec<Answered> {
    asked.sort_by(|a, b| a.question.cmp(&b.question));
    asked.dedup_by(|a, b| a.question == b.question);
    let found = asked.iter().filter_map(|asked| match &*asked.question {
        Question::ReadFound(at, _) => matches!(&*asked.answer, Answer::Bytes(Ok(_))).then_some(at),
        _ => None,
    });
    let mut says: BTreeMap<OsString, Kind> = BTreeMap::new();
    for file in found {
        says.insert(file.clone(), Kind::File);
        let mut folder = Path::new(file).parent();
        while let Some(path) = folder
            && says.insert(path.into(), Kind::Folder).is_none()
        {
            folder = path.parent();
        }
    }
    let follows = |asked: &Answered| match (&*asked.question, &*asked.answer) {
        (Question::Kind(at) | Question::KindOfName(at), Answer::Kind(Ok(kind))) => {
            says.get(at) == Some(kind)
        }
        _ => false,
    };
    asked.retain(|asked| !follows(asked));
    asked
}

/// The content of an answer, or its error. The answer is of the kind that the question asks for.
macro_rules! said {
    ($answer:expr, $kind:ident) => {
        match &*$answer {
            Answer::$kind(said) => said.clone().map_err(io::Error::from),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    };
}

impl World for Recorder<'_> {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        said!(self.answer(Question::Kind(path.into())), Kind)
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        said!(self.answer(Question::KindOfName(path.into())), Kind)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        said!(self.answer(Question::Canonical(path.into())), Path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        said!(self.answer(Question::Read(path.into(), limit)), Bytes).map(|bytes| bytes.to_vec())
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        said!(self.answer(Question::ReadFound(path.into(), limit)), Bytes)
            .map(|bytes| bytes.to_vec())
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.once.store(true, Ordering::Relaxed);
        self.outside().stream(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        said!(self.answer(Question::List(path.into())), Entries)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        match &*self.answer(Question::Env(name.into())) {
            Answer::Variable(value) => value.clone(),
            _ => None,
        }
    }

    fn home(&self) -> Option<PathBuf> {
        match &*self.answer(Question::Home) {
            Answer::Home(home) => home.clone(),
            _ => None,
        }
    }

    fn now(&self) -> i64 {
        match &*self.answer(Question::Now) {
            Answer::Now(now) => *now,
            _ => self.outside().now(),
        }
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        self.once.store(true, Ordering::Relaxed);
        self.outside().stdin(limit)
    }
}
