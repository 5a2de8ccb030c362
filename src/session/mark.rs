//! What an artifact says of its session.

use crate::prompt::{self, State};
use crate::session::store::{Build, Session};
use crate::text::time::rfc3339;

/// What the artifact of one of a session's builds says of that session.
#[must_use]
pub fn mark(session: &Session, build: &Build, state: State) -> prompt::Session {
    prompt::Session {
        id: session.id.to_string(),
        state,
        number: build.number,
        reason: build.reason.to_string(),
        at: rfc3339(build.at),
    }
}
