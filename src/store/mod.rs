//! Where sessions are kept: frozen prompts, and which folders were hinted at, across processes.
//!
//! A [`Store`] knows sessions, builds and contents, and nothing of how a prompt is made. Each method is one step that
//! happens whole or not at all, also if the process is ended in the middle, and that any number of processes may take at
//! once. Nothing here assumes one machine or one file, so that a server can keep a fleet's sessions behind the same trait.

mod error;
mod id;
mod reason;
#[cfg(feature = "sqlite")]
pub mod sqlite;

pub use error::StoreError;
pub use id::{InvalidId, SessionId};
pub use reason::Reason;

use crate::prompt::Deliver;
use std::collections::BTreeMap;

/// The result of a step.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A session: the newest of its builds, and what has happened since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// When it was frozen first, in seconds since 1970-01-01 UTC.
    pub created: i64,
    /// When it was asked for last, in the same.
    pub used: i64,
    /// Its newest build.
    pub build: Build,
    /// What was told of drift since that build, if anything was.
    pub delivered: Option<Delivered>,
}

/// One frozen build of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Counts from 1 in each session; no number is used twice.
    pub number: u64,
    /// When it was frozen, in seconds since 1970-01-01 UTC.
    pub at: i64,
    /// Why it was made.
    pub reason: Reason,
    /// A short text that is wanted at each restore: under which terms the build is kept. A store does not look into it.
    pub terms: String,
    /// The frozen text of each channel that has some.
    pub texts: BTreeMap<Deliver, Key>,
    /// The map of the frozen tiers.
    pub map: Key,
    /// The program that the rest of the prompt is made by.
    pub plan: Key,
    /// What was given to the build and is not private.
    pub inputs: Key,
}

/// What was told of drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// When, in seconds since 1970-01-01 UTC.
    pub at: i64,
    /// The prompt that a rebuild would have given then, as an artifact.
    pub prompt: Key,
}

/// The name of a content: its hash, `sha256:` and hex. Equal contents are kept once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub(crate) String);

impl Key {
    /// The key of `content`.
    #[must_use]
    pub fn of(content: &str) -> Self {
        Self(crate::prompt::sha256(content))
    }

    /// The hash as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A build that is to be frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBuild {
    /// When, in seconds since 1970-01-01 UTC.
    pub at: i64,
    /// Why it was made.
    pub reason: Reason,
    /// See [`Build::terms`].
    pub terms: String,
    /// The frozen text of each channel that has some.
    pub texts: BTreeMap<Deliver, String>,
    /// See [`Build::map`].
    pub map: String,
    /// See [`Build::plan`].
    pub plan: String,
    /// See [`Build::inputs`].
    pub inputs: String,
}

/// What became of a build that was to be frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freeze {
    /// It is the session's newest build now.
    Frozen(Session),
    /// Another process was first: this is what it froze, and nothing was written.
    Overtaken(Session),
    /// The session was removed since it was read, and nothing was written.
    Gone,
}

/// Which builds and sessions are no longer wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unwanted {
    /// Sessions that were not asked for since this time, in seconds since 1970-01-01 UTC.
    pub unused_since: Option<i64>,
    /// Of each session all builds but this many of the newest; never the newest itself.
    pub builds_beyond: Option<u64>,
}

/// What a collection took away, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Sessions, in order.
    pub sessions: Vec<SessionId>,
    /// The other sessions of which old builds went, in order, and how many.
    pub shortened: Vec<(SessionId, u64)>,
    /// Builds, those of these sessions too.
    pub builds: u64,
    /// Contents that nothing refers to any more.
    pub contents: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Where sessions are kept.
///
/// Everything that is read is checked against the hash that was written with it: what was changed by something else is
/// [`StoreError::Damaged`], and a session that may have been lost so is never reported as absent.
///
/// # Errors
/// Every method fails with [`StoreError`] when the store cannot be read or written, and has changed nothing then.
pub trait Store {
    /// A session by its name.
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>>;

    /// All sessions, in byte order of their names.
    fn sessions(&mut self) -> Result<Vec<Session>>;

    /// All builds of a session that are still there, oldest first; none if there is no such session.
    fn builds(&mut self, id: &SessionId) -> Result<Vec<Build>>;

    /// A content. One that is referred to and not there is damage.
    fn content(&mut self, key: &Key) -> Result<String>;

    /// Makes `build` the newest of a session if its newest is number `after` (`None`: if there is no such session), with
    /// the next number. It lasts: a power cut afterwards loses nothing of it.
    fn freeze(&mut self, id: &SessionId, after: Option<u64>, build: &NewBuild) -> Result<Freeze>;

    /// Notes that a session was asked for at `at`; an earlier time than the noted one changes nothing. A power cut may lose
    /// it. Whether there is such a session.
    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool>;

    /// Notes what was told of drift, if build `number` is still the newest; whether it was.
    fn deliver(&mut self, id: &SessionId, number: u64, at: i64, prompt: &str) -> Result<bool>;

    /// Removes a session with its builds and hints; whether there was one.
    fn remove(&mut self, id: &SessionId) -> Result<bool>;

    /// Adds a session whose builds were exported elsewhere, oldest first with their numbers, unless there is one of that
    /// name; whether it was added. What was told of drift is not taken along.
    fn import(&mut self, id: &SessionId, used: i64, builds: &[(u64, NewBuild)]) -> Result<bool>;

    /// Takes away what is not wanted, and contents that nothing refers to; with `dry`, only says what that would be.
    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected>;

    /// Of `folders` those that were not hinted at in this session before, in order; from now on they were. There need not
    /// be a frozen session of that name.
    fn hint(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>>;

    /// The folders that were hinted at, in byte order.
    fn hinted(&mut self, id: &SessionId) -> Result<Vec<String>>;

    /// Reads everything and says all that is damaged, in order; empty if nothing is.
    fn verify(&mut self) -> Result<Vec<String>>;
}
