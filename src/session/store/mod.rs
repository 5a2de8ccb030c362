//! The storage of sessions: frozen prompts and delivered hints, across processes.
//!
//! A [`Store`] knows sessions, builds and contents, and nothing of how a prompt is built. Each method is one atomic
//! step, even if the process is killed in the middle, and any number of processes may run steps at once. Nothing
//! here assumes one machine or one file, so that a server can store a fleet's sessions with the same trait.

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
    /// The last delivered reminder of drift since that build, if there is one.
    pub delivered: Option<Delivered>,
}

/// A session that got hints. It need not have a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintedSession {
    /// Its name.
    pub id: SessionId,
    /// When it asked for hints last, to the hour, in seconds since 1970-01-01 UTC.
    pub used: i64,
    /// The number of folders whose hints it got.
    pub folders: usize,
}

/// One frozen build of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Distinguishes it from every other build, also from one with the same number in a removed session. A
    /// store creates it when it freezes the build.
    pub id: String,
    /// Counts from 1 in each session, up to [`LAST_NUMBER`]; no number is used twice.
    pub number: u64,
    /// When it was frozen, in seconds since 1970-01-01 UTC.
    pub at: i64,
    /// Why it was made.
    pub reason: Reason,
    /// A short text that each restore needs: the metadata of the build. A store does not interpret it.
    pub terms: String,
    /// The frozen text of each channel that has some.
    pub texts: BTreeMap<Deliver, Key>,
    /// The map of the frozen tiers.
    pub map: Key,
    /// The program that the rest of the prompt is made by.
    pub plan: Key,
    /// The inputs of the build that are not private.
    pub inputs: Key,
    /// Whether someone else may have made it: it came from an export. Nothing of an export says so, the store does.
    pub imported: bool,
}

/// A delivered reminder of drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// When, in seconds since 1970-01-01 UTC.
    pub at: i64,
    /// The prompt that a rebuild would have given then, as an artifact.
    pub prompt: Key,
}

/// The name of a content: its hash, `sha256:` and hex. Equal contents are stored once.
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
        found.ok_or_else(|| StoreError::Other("a content was not requested".to_owned()))
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

/// A session with all its stored data, at one point in time.
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

/// The outcome of freezing a build.
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

/// The items that a collection removed, or would remove.
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
    /// The damaged thing, without contents.
    pub what: String,
    /// The sessions that are known to be affected, in byte order of their IDs: `session rm` removes one, and
    /// the others stay. Empty if they are unknown.
    #[serde(rename = "in")]
    pub sessions: Vec<Damaged>,
}

/// A session that damage concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damaged {
    /// Its ID.
    pub session: SessionId,
    /// The numbers of the builds, ascending; empty if other data is damaged, or if they are unknown.
    pub builds: Vec<u64>,
}

/// The storage of sessions. Creating and finding a store is not part of the trait: [`Location`] does it.
///
/// "Still is its newest build" means: the build with the same [id](Build::id). Invalid build numbers are
/// [`StoreError::Other`].
///
/// A content may have any character, even U+0000, which some databases refuse in their texts: there it is stored as
/// bytes.
///
/// All data that is read is checked against its hash. If another program changed it, the error is
/// [`StoreError::Damaged`], and a session that may have been lost this way is never reported as absent.
///
/// # Errors
/// Every method fails with [`StoreError`] if the store cannot be read or written, and has changed nothing then.
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

    /// Makes `build` the newest of a session if its newest still is `after` (`None`: if there is no such
    /// session), with the next number. It is durable: a power cut after the call loses nothing. The session
    /// counts as used at the time of the build, keeps its time of creation, and has no delivered reminder.
    fn freeze(&mut self, id: &SessionId, after: Option<&Build>, build: &NewBuild)
    -> Result<Freeze>;

    /// Notes that a session was asked for at `at`. An earlier time than the noted one changes nothing, unless that one
    /// [is ahead](is_ahead). It hardly waits for others, and a power cut may lose it. Whether there is such a session.
    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool>;

    /// Records a delivered reminder of drift, if `after` still is the newest build and `before` the last
    /// reminder; returns whether that was so. A reminder that another call recorded meanwhile is not
    /// overwritten.
    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &str,
    ) -> Result<bool>;

    /// Removes a session with its builds and hints, and with the contents that nothing else refers to, as far as that is known:
    /// where other data is damaged, or the disk is full, they are left to [`Store::collect`]. Whether there was one, or hints of
    /// that name.
    fn remove(&mut self, id: &SessionId) -> Result<bool>;

    /// Adds a session whose builds were exported elsewhere, oldest first with their numbers, unless there is
    /// one of that name; returns whether it was added. The builds are marked as [imported](Build::imported),
    /// whatever they say about it.
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

    /// A session with all its stored data; none if there is no such session.
    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>>;

    /// Removes a session with its builds and hints if `newest` still is its newest build, as `session move`
    /// does after its copy; returns whether that was so.
    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool>;

    /// Takes away what is not wanted, and contents that nothing refers to; with `dry`, only says what that would be. Where the
    /// disk is full it may go session by session, each with its oldest builds first, and so may [`Store::remove`] and
    /// [`Store::leave`]: then what went before an error is gone.
    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected>;

    /// Of `folders` those that were not hinted at in this session before, in order; from now on they were. There need not
    /// be a frozen session of that name. Notes also that the session was asked for at `at`, to the hour, unless nothing was
    /// ever hinted at; where no folder is new a store that cannot be written may leave that out.
    fn hint(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>>;

    /// Undoes the record that the hints of `folders` were delivered: no one read them.
    fn unhint(&mut self, id: &SessionId, folders: &[String]) -> Result<()>;

    /// All sessions that got hints, in byte order of their names.
    fn hinted_sessions(&mut self) -> Result<Vec<HintedSession>>;

    /// The folders that were hinted at, in byte order.
    fn hinted(&mut self, id: &SessionId) -> Result<Vec<String>>;

    /// Reads everything and says all that is damaged, in order; empty if nothing is.
    fn verify(&mut self) -> Result<Vec<Damage>>;
}
