//! A world that asks the one below it each question once, and can check whether the answers have changed.

#[cfg(feature = "watch")]
use super::Looks;
use super::threads;
use super::{Entry, Kind, World, elsewhere, is_elsewhere};
use std::collections::BTreeMap;
#[cfg(feature = "sqlite")]
use std::collections::BTreeSet;
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

#[derive(Debug, PartialEq)]
enum Answer {
    Kind(Result<Kind, Failure>),
    Path(Result<PathBuf, Failure>),
    Bytes(Result<Vec<u8>, Failure>),
    /// Sorted by name.
    Entries(Result<Vec<Entry>, Failure>),
    Variable(Option<OsString>),
    Home(Option<PathBuf>),
    Now(i64),
}

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

/// A world at one time: no question is asked twice.
pub(crate) struct MemoWorld {
    world: Arc<dyn World + Send + Sync>,
    known: Mutex<AnswerCache>,
    /// Its identity among snapshots.
    id: u64,
}

#[derive(Default)]
struct AnswerCache {
    answers: BTreeMap<Arc<Question>, Arc<Answer>>,
    /// About how many bytes they take.
    bytes: usize,
}

/// About how many bytes a memo_world stores; questions whose answers do not fit are asked again each time.
const MOST_BYTES: usize = 256 << 20;

/// From how many questions on several threads ask.
const MANY: usize = 64;

/// The size of an answer next to the bytes of a file.
const ANSWER_BYTES: usize = 256;

impl MemoWorld {
    /// A memo_world of `world` without answers.
    pub(crate) fn new(world: Arc<dyn World + Send + Sync>) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            world,
            known: Mutex::default(),
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    /// Its identity among the snapshots of this process; never 0.
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
        match asked.len() > MANY {
            // To start a thread takes longer than to look at a few files.
            true => {
                _ = threads::map(&asked.chunks(MANY / 2).collect::<Vec<_>>(), |asked| {
                    look(asked)
                })
            }
            false => look(asked),
        }
        !differs.into_inner()
    }

    /// The files that were read, as they were named.
    #[cfg(feature = "sqlite")]
    pub(crate) fn read(&self) -> BTreeSet<PathBuf> {
        let known = self.known();
        let read =
            known
                .answers
                .iter()
                .filter_map(|(question, answer)| match (&**question, &**answer) {
                    (Question::Read(at, _) | Question::ReadFound(at, _), Answer::Bytes(Ok(_))) => {
                        Some(PathBuf::from(at))
                    }
                    _ => None,
                });
        read.collect()
    }

    /// The paths that were looked up.
    #[cfg(feature = "watch")]
    pub(crate) fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        for question in self.known().answers.keys() {
            match &**question {
                Question::List(at) => _ = looks.lists.insert(at.into()),
                Question::Kind(at)
                | Question::KindOfName(at)
                | Question::Canonical(at)
                | Question::Read(at, _)
                | Question::ReadFound(at, _) => _ = looks.names.insert(at.into()),
                Question::Env(_) | Question::Home | Question::Now => {}
            }
        }
        looks
    }

    fn known(&self) -> MutexGuard<'_, AnswerCache> {
        // Answers are whole when they are written down.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer; if it is that of `before`, then that very one.
    fn ask(&self, question: Arc<Question>, before: Option<&Arc<Answer>>) -> Arc<Answer> {
        if let Some(answer) = self.known().answers.get(&question) {
            return answer.clone();
        }
        let answer = answer(&*self.world, &question);
        let answer = match before.filter(|before| ***before == answer) {
            Some(before) => before.clone(),
            None => Arc::new(answer),
        };
        let mut known = self.known();
        let bytes = match &*answer {
            Answer::Bytes(Ok(bytes)) => ANSWER_BYTES + bytes.len(),
            _ => ANSWER_BYTES,
        };
        if known.bytes + bytes > MOST_BYTES {
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
        Question::Read(at, limit) => Answer::Bytes(failing(world.read(Path::new(at), *limit))),
        Question::ReadFound(at, limit) => {
            Answer::Bytes(failing(world.read_found(Path::new(at), *limit)))
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

/// A memo_world, and the questions that it was asked.
pub(crate) struct Trace<'s> {
    memo_world: &'s MemoWorld,
    asked: Mutex<Vec<Answered>>,
    /// Whether there was a question that cannot be repeated.
    once: AtomicBool,
}

impl<'s> Trace<'s> {
    /// Through `memo_world`, nothing yet.
    pub(crate) fn new(memo_world: &'s MemoWorld) -> Self {
        Self {
            memo_world,
            asked: Mutex::default(),
            once: AtomicBool::new(false),
        }
    }

    /// The questions, without those implied by the rest; none if one cannot be repeated.
    pub(crate) fn into_asked(self) -> Option<Vec<Answered>> {
        let asked = self.asked.into_inner();
        let asked = asked.unwrap_or_else(PoisonError::into_inner);
        (!self.once.into_inner()).then(|| needed(asked))
    }

    fn ask(&self, question: Question) -> Arc<Answer> {
        let question = Arc::new(question);
        let answer = self.memo_world.ask(question.clone(), None);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(Answered {
            question,
            answer: answer.clone(),
        });
        answer
    }

    fn cannot_be_asked_again(&self) {
        self.once.store(true, Ordering::Relaxed);
    }
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

impl World for Trace<'_> {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        said!(self.ask(Question::Kind(path.into())), Kind)
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        said!(self.ask(Question::KindOfName(path.into())), Kind)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        said!(self.ask(Question::Canonical(path.into())), Path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        said!(self.ask(Question::Read(path.into(), limit)), Bytes)
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        said!(self.ask(Question::ReadFound(path.into(), limit)), Bytes)
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.cannot_be_asked_again();
        self.memo_world.world.stream(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        said!(self.ask(Question::List(path.into())), Entries)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        match &*self.ask(Question::Env(name.into())) {
            Answer::Variable(value) => value.clone(),
            _ => None,
        }
    }

    fn home(&self) -> Option<PathBuf> {
        match &*self.ask(Question::Home) {
            Answer::Home(home) => home.clone(),
            _ => None,
        }
    }

    fn now(&self) -> i64 {
        match &*self.ask(Question::Now) {
            Answer::Now(now) => *now,
            _ => self.memo_world.world.now(),
        }
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        self.cannot_be_asked_again();
        self.memo_world.world.stdin(limit)
    }
}
