//! What a conversation was given and told.

use crate::cli::Context;
use crate::cli::session::stored::Stored;
use crate::diagnostic::Reported;
use crate::prompt::Prompt;
use crate::session::{Inputs, Terms, thaw, told};
use crate::store::{Result, Session, SessionId, Store};

/// What a store has of a session.
pub(super) struct Remembered {
    pub(super) session: Session,
    pub(super) terms: Terms,
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
    context: &mut Context,
) -> std::result::Result<Remembered, Reported> {
    let session = stored.session(id, context)?;
    match stored.step(None, |store| of(session, store).map(Some), context)? {
        Some(remembered) => Ok(remembered),
        None => Err(stored.unknown(id, context)),
    }
}

fn of(session: Session, store: &mut dyn Store) -> Result<Remembered> {
    let (frozen, inputs) = thaw(store, &session.build)?;
    let told = match &session.delivered {
        Some(delivered) => Some((delivered.at, told(store, delivered)?)),
        None => None,
    };
    Ok(Remembered {
        terms: Terms::of(&session.build)?,
        inputs,
        frozen: frozen.prompt,
        told,
        session,
    })
}
