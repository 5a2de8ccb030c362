//! What a conversation was given and told.

use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::sessions::stored::Stored;
use crate::prompt::Prompt;
use crate::session::store::{Build, Key, Restored, Result, Session, SessionId, Store};
use crate::session::{Inputs, SessionMeta, thaw, told};

/// What a store has of a session.
pub(super) struct Remembered {
    pub(super) session: Session,
    pub(super) terms: SessionMeta,
    pub(super) inputs: Inputs,
    /// The frozen tiers of its newest build.
    pub(super) frozen: Prompt,
    /// The same as a conversation was told last that they are, and when.
    pub(super) told: Option<(i64, Prompt)>,
}

/// Reads all that is kept of a session.
pub(super) fn read(
    id: &SessionId,
    stored: &mut Stored,
    run: &mut Run,
) -> std::result::Result<Remembered, ErrorReported> {
    let wanted = |session: &Session, build: &Build| {
        let told = session.delivered.iter().map(|told| told.prompt.clone());
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
    let (frozen, inputs) = thaw(&mut contents, &restored.build)?;
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
