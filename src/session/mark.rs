//! The session entry of an artifact.

use crate::prompt::{self, State};
use crate::session::store::{Build, Session};
use crate::text::time::rfc3339;

/// The entry about its session in the artifact of one of its builds.
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
