//! The storage of sessions: frozen prompts and delivered directory rules, across processes.
//!
//! A [`Store`] stores sessions, builds and contents. It does not know how a prompt is built. The trait assumes neither one
//! machine nor one file, so that a server can store the sessions of many machines.
//!
//! All times are seconds since 1970-01-01 UTC. A store takes any `i64`, also a negative one.

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

/// The largest difference between the clocks of two machines that is taken for normal, in seconds. RFC 4120, section 8.2,
/// recommends it for Kerberos.
pub const CLOCK_SKEW: i64 = 5 * 60;

/// The highest number of a build. Every reader of JSON reads all integers up to this one exactly: RFC 8259, section 6.
pub const LAST_NUMBER: u64 = (1 << 53) - 1;

/// Returns whether `noted` is more than [`CLOCK_SKEW`] seconds after `now`: one of the two clocks is wrong.
#[must_use]
pub fn is_ahead(noted: i64, now: i64) -> bool {
    noted.saturating_sub(now) > CLOCK_SKEW
}

/// The result of a method of a store.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A session with its newest build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// The time of its first build. It stays when that build is collected.
    pub created: i64,
    /// The time of its last use: a build, or a [touch](Store::touch).
    pub used: i64,
    /// Its newest build: the one with the highest number.
    pub build: Build,
    /// The last reminder of drift that was delivered since that build.
    pub delivered: Option<Delivered>,
}

/// A session that got directory rules. It may have no build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesSession {
    /// Its name.
    pub id: SessionId,
    /// The time of its last request for directory rules. It may be wrong by less than an hour, see [`Store::folder_rules`].
    pub used: i64,
    /// The number of folders whose directory rules it got; at least 1.
    pub folders: usize,
}

/// One frozen build of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Its unique ID, which the store creates when it freezes or adds the build. No other build of any store has it, nor has
    /// one of the same name and number in a session that was removed.
    pub id: String,
    /// Its number in its session, from 1 to [`LAST_NUMBER`]. A session does not use a number twice.
    pub number: u64,
    /// The time at which it was frozen.
    pub at: i64,
    /// The reason for which it was made.
    pub reason: Reason,
    /// The metadata of the build: a short text, which the store does not interpret.
    pub terms: String,
    /// The frozen text of each channel that has one.
    pub texts: BTreeMap<Deliver, Key>,
    /// The map of the frozen tiers.
    pub map: Key,
    /// The program that makes the rest of the prompt.
    pub plan: Key,
    /// The contents that the program names by their hashes.
    pub files: Vec<Key>,
    /// The inputs of the build that are not private.
    pub inputs: Key,
    /// The record from which the build can be repeated, then the contents that it names by their hashes; empty if there is none.
    pub record: Vec<Key>,
    /// Whether it came from an export, so that someone else may have made it. [`Store::import`] sets this, and no export can.
    pub imported: bool,
}

/// A delivered reminder of drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// The time of the delivery.
    pub at: i64,
    /// The prompt that a rebuild would have given at that time, as an artifact, then the contents that it names by their hashes.
    pub prompt: Vec<Key>,
}

/// The name of a content: `sha256:` and its SHA-256 hash in hex. Equal contents have the same key and are stored once.
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
    /// The keys of all contents that it refers to; a key may occur twice.
    #[must_use]
    pub fn contents(&self) -> Vec<Key> {
        [self.parts(), self.record.clone()].concat()
    }

    /// The keys of the contents that a restore may need: all but those of the record.
    #[must_use]
    pub fn parts(&self) -> Vec<Key> {
        let others = [&self.map, &self.plan, &self.inputs];
        let parts = self.texts.values().chain(others).chain(&self.files);
        parts.cloned().collect()
    }
}

/// A session, one of its builds, and contents of them, all read at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The session.
    pub session: Session,
    /// The requested build.
    pub build: Build,
    /// The requested contents.
    pub contents: BTreeMap<Key, String>,
}

impl Restored {
    /// Returns one of the requested contents.
    ///
    /// # Errors
    /// [`StoreError::Other`] if it was not requested.
    pub fn content(&self, key: &Key) -> Result<String> {
        let found = self.contents.get(key).cloned();
        found.ok_or_else(|| StoreError::Other("a content was not requested".to_owned()))
    }
}

/// Selects the contents to read with a session and one of its builds. It returns keys that these two refer to.
pub type Wanted<'a> = dyn Fn(&Session, &Build) -> Vec<Key> + 'a;

/// A build that is to be frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBuild {
    /// See [`Build::at`].
    pub at: i64,
    /// See [`Build::reason`].
    pub reason: Reason,
    /// See [`Build::terms`].
    pub terms: String,
    /// See [`Build::texts`].
    pub texts: BTreeMap<Deliver, String>,
    /// See [`Build::map`].
    pub map: String,
    /// See [`Build::plan`].
    pub plan: String,
    /// See [`Build::files`].
    pub files: Vec<String>,
    /// See [`Build::inputs`].
    pub inputs: String,
    /// See [`Build::record`].
    pub record: Vec<String>,
    /// See [`Build::imported`].
    pub imported: bool,
}

/// All data of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// See [`Session::created`].
    pub created: i64,
    /// See [`Session::used`].
    pub used: i64,
    /// Its builds with their numbers, oldest first.
    pub builds: Vec<(u64, NewBuild)>,
    /// The time and the prompt of [`Session::delivered`].
    pub delivered: Option<(i64, Vec<String>)>,
    /// [`RulesSession::used`], and the folders in byte order.
    pub directory_rules: Option<(i64, Vec<String>)>,
}

/// The outcome of freezing a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freeze {
    /// The build is now the newest of this session.
    Frozen(Session),
    /// Nothing was written, since the session has another newest build than the caller knew.
    Overtaken(Session),
    /// Nothing was written, since the session of which the caller knew a build does not exist.
    Gone,
}

/// The sessions and builds that a collection removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unwanted {
    /// Removes all sessions whose last use is before this time. The last use is the later of [`Session::used`] and
    /// [`RulesSession::used`], of those that the session has.
    pub unused_since: Option<i64>,
    /// Removes all builds of the other sessions but this many of the newest. The newest always stays, also with 0.
    pub builds_beyond: Option<u64>,
}

/// The items that a collection removed, or would remove if it is dry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Collected {
    /// The sessions that have a build, in byte order.
    pub sessions: Vec<SessionId>,
    /// The sessions that stay and lose old builds, in byte order.
    pub shortened: Vec<Shortened>,
    /// The number of builds, including those of removed sessions.
    pub builds: u64,
    /// The number of folders that were noted as given, in all removed sessions, including those that have no build.
    pub directory_rules: u64,
    /// The number of contents to which neither a build nor a reminder refers any more.
    pub contents: u64,
    /// The size of these contents in UTF-8, in bytes.
    pub bytes: u64,
}

/// A session that loses its oldest builds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shortened {
    /// Its ID.
    pub session: SessionId,
    /// The number of its builds that are removed.
    pub builds: u64,
}

/// Something in a store that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damage {
    /// The damaged thing, without contents.
    pub what: String,
    /// The sessions that are known to be affected, in byte order of their IDs; empty if they are unknown.
    /// `session rm` removes one of them, and the others stay.
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

/// The storage of sessions. [`Location`] creates and finds a store, which is not a part of this trait.
///
/// Each method is one atomic step: it happens as a whole or not at all, even if the process is killed. Any number of processes
/// may call methods at the same time. [`Store::remove`], [`Store::leave`] and [`Store::collect`] have an exception.
///
/// Two builds are the same if they have the same [ID](Build::id). "The newest build still is X" means that the session exists
/// and its newest build is the same as X.
///
/// A text may contain any character, even U+0000, and may be empty. A database that refuses some characters in its texts stores
/// bytes instead.
///
/// A store checks what it reads against a hash. If another program changed it, the method returns [`StoreError::Damaged`].
/// A session that may have been lost in this way is never reported as absent.
///
/// A content stays in the store while a build or a reminder refers to it, and after that until the next [`Store::collect`], or
/// until [`Store::remove`] removes the last session that referred to it.
///
/// # Errors
/// Each method returns a [`StoreError`] if the store cannot be read or written. Then it has changed nothing, with the exception
/// above.
pub trait Store {
    /// Returns a session; `None` if it has no build.
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>>;

    /// Returns all sessions that have a build, in byte order of their names.
    fn sessions(&mut self) -> Result<Vec<Session>>;

    /// Returns the builds of a session, oldest first, without those that were collected; empty if there is no such session.
    fn builds(&mut self, id: &SessionId) -> Result<Vec<Build>>;

    /// Returns a session, its build with this number (`None`: its newest), and the contents that `wanted` selects. All of it is
    /// read at the same time, whatever other processes build, remove or collect. Returns `None` if there is no such session or
    /// build.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a selected content is missing.
    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>>;

    /// Returns a content.
    ///
    /// # Errors
    /// If the content is missing: [`StoreError::Damaged`] if a build or a reminder refers to it, else [`StoreError::Gone`].
    fn content(&mut self, key: &Key) -> Result<String>;

    /// Makes `build` the newest build of a session, if the newest build still is `after`, or if `after` is `None` and there is
    /// no such session. Otherwise it writes nothing: it returns [`Freeze::Overtaken`] if the session exists, else
    /// [`Freeze::Gone`].
    ///
    /// The number of the build is one more than that of `after`, or 1. The last use of the session becomes the time of the build,
    /// even if that is earlier. The session keeps its time of creation and loses its delivered reminder. Once the method
    /// has returned, a power cut loses nothing of this.
    ///
    /// # Errors
    /// [`StoreError::Other`] if the number of `after` is [`LAST_NUMBER`].
    fn freeze(&mut self, id: &SessionId, after: Option<&Build>, build: &NewBuild)
    -> Result<Freeze>;

    /// Records that a session was used at `at`, and returns whether there is a session with a build. An earlier time than the
    /// recorded one changes nothing, unless the recorded time [is ahead](is_ahead) of `at`. The method hardly waits for other
    /// processes, and a power cut may lose the record.
    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool>;

    /// Records a delivered reminder of drift, if the newest build still is `after` and the last reminder equals `before`.
    /// Returns whether it was recorded. So a reminder that another process recorded meanwhile is not overwritten.
    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &[String],
    ) -> Result<bool>;

    /// Removes a session with its builds and directory rules, and with the contents to which only it refers. Returns whether there
    /// were builds or directory rules. If other data is damaged, or the disk is full, the contents may stay until [`Store::collect`].
    ///
    /// # Errors
    /// If the disk is full, older builds may have been removed before the error.
    fn remove(&mut self, id: &SessionId) -> Result<bool>;

    /// Adds a session from an export, as [`Store::add`] does, and marks its builds as [imported](Build::imported), whatever they
    /// say. The time of creation is that of the oldest build.
    ///
    /// # Errors
    /// As [`Store::add`].
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
            directory_rules: None,
        };
        self.add(id, &whole)
    }

    /// Adds a session with all its data, unless it has a build already. Returns whether it was added. DirectoryRulesReader are added to those
    /// that the session has, as by [`Store::folder_rules`].
    ///
    /// # Errors
    /// [`StoreError::Other`] if there is no build, or if the numbers of the builds do not increase from 1 at the lowest to
    /// [`LAST_NUMBER`] at the highest; also if the session exists.
    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool>;

    /// Returns a session with all its data, all read at the same time; `None` if it has no build.
    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>>;

    /// Removes a session with its builds and directory rules, if the newest build still is `newest`. Returns whether it was removed.
    /// `session move` calls it after it has copied the session.
    ///
    /// # Errors
    /// If the disk is full, older builds may have been removed before the error.
    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool>;

    /// Removes unwanted sessions with their directory rules, unwanted builds, and all contents to which nothing refers any more. Returns
    /// what it removed. If `dry`, it changes nothing and returns what it would remove.
    ///
    /// # Errors
    /// If the disk is full, some sessions, or the oldest builds of one, may have been removed before the error.
    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected>;

    /// Records that a session gets the directory rules of `folders`. Returns those that were not recorded before, each once, in the order
    /// of `folders`. The session may have no build.
    ///
    /// The first record of a session also records the time `at`. Every later request, even with no folder, replaces that time if
    /// it is an hour or more before or after `at`. A request with no folder for a session without directory rules records nothing. If the
    /// store cannot be written and no folder is new, the time may be left out without an error.
    fn folder_rules(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>>;

    /// Deletes the records that a session got the directory rules of `folders`, because they were not delivered. The time of the last
    /// request stays until the last folder is deleted.
    fn forget_directory_rules(&mut self, id: &SessionId, folders: &[String]) -> Result<()>;

    /// Returns all sessions that got directory rules, in byte order of their names.
    fn rules_sessions(&mut self) -> Result<Vec<RulesSession>>;

    /// Returns the folders whose directory rules a session got, in byte order.
    fn directory_rules(&mut self, id: &SessionId) -> Result<Vec<String>>;

    /// Reads the whole store and returns all damage; empty if there is none. The same damage has the same order each time.
    fn verify(&mut self) -> Result<Vec<Damage>>;
}
