//! Drift as programs read it.

use crate::cli::session::clock::rfc3339;
use crate::compare::{Cost, Size};
use crate::compile::reminder::Reminder;
use crate::project::sessions::drift::DriftReport;
use crate::session::Drifted;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `session drift --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli::session) struct Report<'a> {
    /// The session's ID.
    session: &'a str,
    /// The number of its newest build, from 1.
    build: u64,
    /// When that build was made, RFC 3339.
    built: String,
    /// Whether a rebuild would freeze other bytes than the conversation knows.
    drift: bool,
    /// The state that the conversation knows: the frozen prompt, or the last delivered reminder.
    since: Since,
    /// The time of that reminder, RFC 3339; null if the frozen prompt counts.
    told: Option<String>,
    /// The layers that would change, in order.
    layers: &'a [Drifted],
    /// The part of its prefix that a rebuild would keep, whatever reminders it got.
    refresh: Refresh<'a>,
    /// The reminder for the conversation; empty if nothing changed, null if it was not requested.
    reminder: Option<&'a str>,
}

/// The state that counts as known.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Since {
    /// The frozen prompt.
    Frozen,
    /// The last delivered reminder.
    Told,
}

/// The effect on a prefix.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Refresh<'a> {
    /// The common beginning of the frozen system prompt and the new one.
    kept: &'a Size,
    /// The text after it in the new one, which would not be cached.
    lost: &'a Size,
    /// The size of the frozen system prompt, of which `kept` is a share.
    of: &'a Size,
    /// The cost of that text; null if no price is known.
    cost: Option<&'a Cost>,
}

impl<'a> Report<'a> {
    pub(super) fn of(found: &'a DriftReport, note: Option<&'a Reminder>) -> Self {
        let diff = &found.refresh.diff;
        Self {
            session: found.session.id.as_str(),
            build: found.session.build.number,
            built: rfc3339(found.session.build.at),
            drift: !found.drift.same,
            since: match found.told {
                None => Since::Frozen,
                Some(_) => Since::Told,
            },
            told: found.told.map(rfc3339),
            layers: &found.drift.layers,
            refresh: Refresh {
                kept: &diff.kept,
                lost: &diff.lost,
                of: &diff.of,
                cost: diff.cost.as_ref(),
            },
            reminder: note.map(|note| note.text.as_str()),
        }
    }
}
