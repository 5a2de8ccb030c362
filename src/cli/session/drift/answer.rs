//! Drift as programs read it.

use crate::cli::session::clock::rfc3339;
use crate::compare::{Cost, Size};
use crate::compile::reminder::Reminder;
use crate::project::sessions::drift::DriftReport;
use crate::session::Drifted;
use schemars::JsonSchema;
use serde::Serialize;

/// What `session drift --format json` writes.
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
    /// What the conversation knows: what was frozen, or what it was told since.
    since: Since,
    /// When it was told that, RFC 3339; null if what was frozen counts.
    told: Option<String>,
    /// The layers that would change, in order.
    layers: &'a [Drifted],
    /// What building the session anew would keep of its prefix, whatever was told.
    refresh: Refresh<'a>,
    /// The note for the conversation; empty if there is nothing to tell, null if it was not asked for.
    reminder: Option<&'a str>,
}

/// What counts as known.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Since {
    /// What was frozen.
    Frozen,
    /// What was told last.
    Told,
}

/// What becomes of a prefix.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Refresh<'a> {
    /// What the frozen system text and the new one have in common at their start.
    kept: &'a Size,
    /// What stands behind it in the new one: it would have to be read anew.
    lost: &'a Size,
    /// The size of the frozen system text, of which `kept` is a share.
    of: &'a Size,
    /// What reading that anew would cost; null while no price is known.
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
