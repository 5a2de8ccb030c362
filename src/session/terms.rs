//! The metadata of a stored build.

use super::Identity;
use crate::prompt::Deliver;
use crate::session::store::{Reason, Session, is_ahead};
use crate::text::Json;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The data about a build that a restore needs first. It is read with each restore, so it is small.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionMeta {
    /// The manifest's `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The manifest of the build: an absolute path, or `builtin:NAME@N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The events that trigger a rebuild.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// The seconds without use after which it is rebuilt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<u64>,
    /// The facts whose change triggers a rebuild, with their values as JSON; null if missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, Json>,
    /// The identity of the session.
    #[serde(default, skip_serializing_if = "Identity::is_empty")]
    pub identity: Identity,
    /// Whether one of these facts is read from the environment or the clock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ambient: bool,
    /// The size of the frozen text of each channel, in bytes, so that sessions are listed without their texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bytes: BTreeMap<Deliver, usize>,
    /// The channels with tiers that are rebuilt for each call.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub live: BTreeSet<Deliver>,
}

/// The options of a call for a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The time, in seconds since 1970-01-01 UTC.
    pub now: i64,
    /// The reported event, such as a compaction.
    pub event: Option<String>,
    /// Whether to rebuild it in any case.
    pub refresh: bool,
}

impl SessionMeta {
    /// Why the session is built again whatever the facts are, if it is.
    #[must_use]
    pub fn occasion(&self, session: &Session, call: &Call) -> Option<Reason> {
        if call.refresh {
            return Some(Reason::Asked);
        }
        if let Some(event) = call.event.as_ref().filter(|e| self.events.contains(e)) {
            return Some(Reason::Event(event.clone()));
        }
        // A use that is still to come was noted by a clock that was wrong, so nothing is known of it.
        let since = if is_ahead(session.used, call.now) {
            session.build.at
        } else {
            session.used
        };
        let unused = u64::try_from(call.now.saturating_sub(since)).unwrap_or(0);
        self.idle
            .is_some_and(|idle| unused >= idle)
            .then_some(Reason::Idle(unused))
    }

    /// The fact of `refresh fact=` that has another value in `now`, as a reason to build the session again.
    #[must_use]
    pub fn changed(&self, now: &BTreeMap<String, Json>) -> Option<Reason> {
        let changed = |name: &String, was: &Json| now.get(name).is_some_and(|is| is != was);
        let mut facts = self.facts.iter();
        let changed = facts.find(|(name, was)| changed(name, was));
        changed.map(|(name, _)| Reason::Fact(name.clone()))
    }

    /// The names of the facts of which another value is a reason.
    #[must_use]
    pub fn watched(&self) -> Vec<String> {
        self.facts.keys().cloned().collect()
    }
}
