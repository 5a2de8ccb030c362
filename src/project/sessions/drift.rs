//! The prompt and the reminders of a conversation, and the differences of a build now.

use super::now::Now;
use super::stored::Stored;
use crate::compare::diff;
use crate::diagnostic::ErrorReported;
use crate::project::{Compared, Run};
use crate::prompt::Prompt;
use crate::session::store::{Build, Key, Restored, Result, Session, SessionId, Store};
use crate::session::{Drift, Inputs, SessionMeta, drift, record, restore, told};

/// The store's data of a session.
pub(crate) struct Remembered {
    pub(crate) session: Session,
    pub(crate) terms: SessionMeta,
    pub(crate) inputs: Inputs,
    /// The frozen tiers of its newest build.
    pub(crate) frozen: Prompt,
    /// The state that was last reported to a conversation, and when.
    pub(crate) told: Option<(i64, Prompt)>,
}

/// The findings about a session.
pub struct DriftReport {
    /// The session.
    pub session: Session,
    /// When that was reported which is compared; none if it is the build itself.
    pub told: Option<i64>,
    /// The layers that differ.
    pub drift: Drift,
    /// The build and what would take its place.
    pub refresh: Compared,
}

/// Reads all stored data of a session.
pub(crate) fn read(
    id: &SessionId,
    stored: &mut Stored,
    run: &mut Run,
) -> std::result::Result<Remembered, ErrorReported> {
    let wanted = |session: &Session, build: &Build| {
        let told = session
            .delivered
            .iter()
            .flat_map(|told| told.prompt.clone());
        build.contents().into_iter().chain(told).collect()
    };
    let read = |store: &mut dyn Store| match store.restore(id, None, &wanted)? {
        Some(restored) => of(restored).map(Some),
        None => Ok(None),
    };
    match stored.step(None, read, run)? {
        Some(remembered) => Ok(remembered),
        None => Err(stored.unknown(id, run)),
    }
}

fn of(restored: Restored) -> Result<Remembered> {
    let mut contents = |key: &Key| restored.content(key);
    let (mut frozen, inputs) = restore(&mut contents, &restored.build)?;
    frozen.prompt.inputs = record(&mut contents, &restored.build)?;
    let told = match &restored.session.delivered {
        Some(delivered) => Some((delivered.at, told(&mut contents, delivered)?)),
        None => None,
    };
    Ok(Remembered {
        terms: SessionMeta::of(&restored.build)?,
        inputs,
        frozen: frozen.prompt,
        told,
        session: restored.session,
    })
}

/// Compares what is remembered with a build now.
pub(crate) fn compare(remembered: Remembered, now: &Now, since_frozen: bool) -> DriftReport {
    let Remembered {
        session,
        frozen,
        told,
        ..
    } = remembered;
    let made = &now.kept.made;
    let told = told.filter(|_| !since_frozen);
    let known = told.as_ref().map_or(&frozen, |(_, prompt)| prompt);
    let drift = drift(known, made);
    DriftReport {
        told: told.map(|(at, _)| at),
        drift,
        refresh: Compared {
            snapshot: None,
            a_name: format!("session:{}@{}", session.id, session.build.number),
            b_name: "a build now".to_owned(),
            diff: diff(&frozen, &made.frozen.prompt),
            a: frozen,
            b: made.frozen.prompt.clone(),
            b_known: true,
        },
        session,
    }
}
