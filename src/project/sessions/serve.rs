//! One call for a session: its frozen prompt, or a build that is frozen from now on.

use super::call::{Answer, SessionCall};
use super::session_service::{SessionService, contended};
use crate::diagnostic::{self, Diagnostic, ErrorReported, Severity};
use crate::project::sessions::place::ManifestLocation;
use crate::project::time;
use crate::project::{Run, output};
use crate::session::Call;
use crate::session::store::{SessionId, StoreError};
use crate::world::DiskWorld;

/// How often a session is read and built while others remove it or build it with facts of other values. In each round one
/// of them is done, so this is far more than the processes that meet in one session.
const TRIES: usize = 64;

/// Restores the session, or builds it.
pub(crate) fn get_or_build(
    asked: &SessionCall<'_>,
    run: &mut Run,
) -> Result<Answer, ErrorReported> {
    if let Some(layer) = asked.given.inputs.without.first() {
        let message =
            format!("--without {layer} builds a variant, and a session stores the prompt");
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err((run.diags).push(found.help("build the variant without --session")));
    }
    let project = &asked.given.project;
    let place = ManifestLocation::of(project, asked.store.is_named(), &DiskWorld, &mut run.diags)?;
    let call = Call {
        now: time(asked.given.inputs.now.as_deref(), run)?,
        event: asked.event.map(str::to_owned),
        refresh: asked.refresh,
    };
    let location = asked.store.location(&place.folder, &mut run.diags)?;
    run.walls.add(&place.folder);
    if let Some(output) = asked.output {
        // Before the store is changed.
        output::check(output, run)?;
    }
    let mut opened = asked.store.open(&location, run)?;
    let mut service = SessionService {
        asked,
        place,
        location,
        call,
        store: opened.as_mut(),
        run,
        overtaken: 0,
        contended: None,
    };
    for _ in 0..TRIES {
        // Findings of a build that is not stored are not reported.
        let before = std::mem::take(&mut service.run.diags);
        service.contended = None;
        let answer = service.step();
        let found = std::mem::replace(&mut service.run.diags, before);
        if !matches!(answer, Ok(None)) {
            service
                .run
                .diags
                .extend(&found.map(|warning| of(asked.id, warning)));
        }
        if let Some(answer) = answer? {
            return Ok(answer);
        }
    }
    Err(match service.contended.take() {
        Some(fact) => service.run.diags.push(contended(asked.id, &fact)),
        None => service.refuse(&StoreError::Gone),
    })
}

/// A warning that says which session it is about: an app has one log for many.
fn of(id: &SessionId, found: Diagnostic) -> Diagnostic {
    match found.severity {
        Severity::Error => found,
        Severity::Warning | Severity::Note => Diagnostic {
            message: format!("session `{id}`: {}", found.message),
            ..found
        },
    }
}
