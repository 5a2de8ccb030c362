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
#[cfg(feature = "sqlite")]
mod location;
#[cfg(feature = "sqlite")]
mod later;

pub use error::StoreError;
pub use id::{InvalidId, SessionId};
#[cfg(feature = "sqlite")]
pub use location::{Location, UnknownKind};
pub use reason::Reason;

use crate::prompt::Deliver;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most seconds by which clocks of two machines are taken to differ: what RFC 4120, section 8.2, recommends to Kerberos.
pub const CLOCK_SKEW: i64 = 5 * 60;

/// The highest number that a build has. Every whole number up to this one is exact in all readers of JSON, RFC 8259,
/// section 6.
pub const LAST_NUMBER: u64 = (1 << 53) - 1;

/// Whether a time that was noted cannot have been yet at `now`, so that one of the two clocks is wrong.
#[must_use]
pub fn is_ahead(noted: i64, now: i64) -> bool {
    noted.saturating_sub(now) > CLOCK_SKEW
}

/// The result of a step.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A session: the newest of its builds, and what has happened since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// When it was frozen first, in seconds since 1970-01-01 UTC.
    pub created: i64,
    /// When it was built or asked for last, in the same.
    pub used: i64,
    /// Its newest build.
    pub build: Build,
    /// What was told of drift since that build, if anything was.
    pub delivered: Option<Delivered>,
}

/// A session that was told of folders. It need not have a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintedSession {
    /// Its name.
    pub id: SessionId,
    /// When it asked for hints last, to the hour, in seconds since 1970-01-01 UTC.
    pub used: i64,
    /// How many folders it was told of.
    pub folders: usize,
}

/// One frozen build of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Tells it apart from every other build, also from one of the same number in a session that was removed since. A store
    /// makes it when it freezes the build.
    pub id: String,
    /// Counts from 1 in each session, up to [`LAST_NUMBER`]; no number is used twice.
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
    /// Whether someone else may have made it: it came from an export. Nothing of an export says so, the store does.
    pub imported: bool,
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

impl Build {
    /// The names of all that it refers to.
    #[must_use]
    pub fn contents(&self) -> Vec<Key> {
        let others = [&self.map, &self.plan, &self.inputs];
        self.texts.values().chain(others).cloned().collect()
    }
}

/// A session, one of its builds, and contents, as they were at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The session.
    pub session: Session,
    /// The build that was asked for.
    pub build: Build,
    /// The contents that were wanted.
    pub contents: BTreeMap<Key, String>,
}

impl Restored {
    /// One of the contents.
    ///
    /// # Errors
    /// When it is none of those that were wanted.
    pub fn content(&self, key: &Key) -> Result<String> {
        let found = self.contents.get(key).cloned();
        found.ok_or_else(|| StoreError::Other("a content was not asked for".to_owned()))
    }
}

/// Which contents of a session and one of its builds are wanted.
pub type Wanted<'a> = dyn Fn(&Session, &Build) -> Vec<Key> + 'a;

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
    /// See [`Build::imported`].
    pub imported: bool,
}

/// A session with everything that a store keeps of it, as it was at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// See [`Session::created`].
    pub created: i64,
    /// See [`Session::used`].
    pub used: i64,
    /// Its builds with their numbers, oldest first.
    pub builds: Vec<(u64, NewBuild)>,
    /// When drift was reported since the newest build, in seconds since 1970-01-01 UTC, and the prompt as an artifact.
    pub delivered: Option<(i64, String)>,
    /// When hints were asked for last, in the same, and the folders.
    pub hinted: Option<(i64, Vec<String>)>,
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
    /// Sessions that were not asked for since this time, in seconds since 1970-01-01 UTC; to ask for hints is to ask for them.
    pub unused_since: Option<i64>,
    /// Of each session all builds but this many of the newest; never the newest itself.
    pub builds_beyond: Option<u64>,
}

/// What a collection took away, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Collected {
    /// The sessions, in byte order.
    pub sessions: Vec<SessionId>,
    /// The other sessions of which old builds go, in byte order.
    pub shortened: Vec<Shortened>,
    /// How many builds, those of these sessions too.
    pub builds: u64,
    /// How many notes of folders that sessions had asked hints of: those of these sessions, and of sessions that were never
    /// frozen.
    pub hints: u64,
    /// How many texts and other contents that nothing refers to any more.
    pub contents: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// A session that stays, without its oldest builds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shortened {
    /// Its ID.
    pub session: SessionId,
    /// How many builds go.
    pub builds: u64,
}

/// Something in a store that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damage {
    /// What, without contents.
    pub what: String,
    /// The sessions that are known to be concerned, in byte order of their IDs: `session rm` takes one away, and the others
    /// stay. Empty if that cannot be told.
    #[serde(rename = "in")]
    pub sessions: Vec<Damaged>,
}

/// A session that damage concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damaged {
    /// Its ID.
    pub session: SessionId,
    /// The numbers of the builds, rising; empty if it is something beside them, or that cannot be told.
    pub builds: Vec<u64>,
}

/// Where sessions are kept. Making and finding a store is not of the trait: [`Location`] does it.
///
/// "Still is its newest build" means: the build with the same [id](Build::id). Numbers that are no numbers of builds are
/// [`StoreError::Other`].
///
/// A content may hold any character, U+0000 too, which some databases refuse in their texts: it is kept as bytes there.
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

    /// A session with one of its builds, the newest if no number says which, and the contents that `wanted` names: all as it
    /// was at one time, whatever others build, remove or collect meanwhile. None if there is no such session or build.
    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>>;

    /// A content. One that is referred to and not there is damage; one that nothing refers to is [`StoreError::Gone`].
    fn content(&mut self, key: &Key) -> Result<String>;

    /// Makes `build` the newest of a session if its newest still is `after` (`None`: if there is no such session), with the
    /// next number. It lasts: a power cut afterwards loses nothing of it. The session counts as asked for at the time of the build, was made
    /// when it was, and nothing was told of its drift.
    fn freeze(&mut self, id: &SessionId, after: Option<&Build>, build: &NewBuild)
    -> Result<Freeze>;

    /// Notes that a session was asked for at `at`. An earlier time than the noted one changes nothing, unless that one
    /// [is ahead](is_ahead). It hardly waits for others, and a power cut may lose it. Whether there is such a session.
    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool>;

    /// Notes what was told of drift, if `after` still is the newest build and `before` what was told last; whether that was
    /// so. What somebody else told meanwhile is not written over.
    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &str,
    ) -> Result<bool>;

    /// Removes a session with its builds and hints; whether there was one, or hints of that name.
    fn remove(&mut self, id: &SessionId) -> Result<bool>;

    /// Adds a session whose builds were exported elsewhere, oldest first with their numbers, unless there is one of that
    /// name; whether it was added. The builds are marked as [imported](Build::imported), whatever they say of that.
    fn import(&mut self, id: &SessionId, used: i64, builds: &[(u64, NewBuild)]) -> Result<bool> {
        let marked = builds.iter().map(|(number, build)| {
            let imported = true;
            let build = build.clone();
            (*number, NewBuild { imported, ..build })
        });
        let whole = Whole {
            created: builds.first().map_or(used, |(_, first)| first.at),
            used,
            builds: marked.collect(),
            delivered: None,
            hinted: None,
        };
        self.add(id, &whole)
    }

    /// Adds a session as it is, unless there is one of that name; whether it was added. The numbers of its builds rise, from
    /// 1 at the lowest to [`LAST_NUMBER`] at the highest.
    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool>;

    /// A session with everything that is kept of it; none if there is no such session.
    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>>;

    /// Removes a session with its builds and hints if `newest` still is its newest build, as `session move` does behind its copy; whether
    /// that was so.
    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool>;

    /// Takes away what is not wanted, and contents that nothing refers to; with `dry`, only says what that would be. Where the
    /// disk is full it may go session by session, each with its oldest builds first, and so may [`Store::remove`] and
    /// [`Store::leave`]: then what went before an error is gone.
    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected>;

    /// Of `folders` those that were not hinted at in this session before, in order; from now on they were. There need not
    /// be a frozen session of that name. Notes also that the session was asked for at `at`, to the hour, unless nothing was
    /// ever hinted at; where no folder is new a store that cannot be written may leave that out.
    fn hint(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>>;

    /// Takes back that `folders` were hinted at: nobody has heard of it.
    fn unhint(&mut self, id: &SessionId, folders: &[String]) -> Result<()>;

    /// All sessions that were told of folders, in byte order of their names.
    fn hinted_sessions(&mut self) -> Result<Vec<HintedSession>>;

    /// The folders that were hinted at, in byte order.
    fn hinted(&mut self, id: &SessionId) -> Result<Vec<String>>;

    /// Reads everything and says all that is damaged, in order; empty if nothing is.
    fn verify(&mut self) -> Result<Vec<Damage>>;
}
