//! The messages and notes of a restore.

use crate::diagnostic::{self, Diagnostic, suggest};
use crate::project::Run;
use crate::prompt::{Deliver, Prompt};
use crate::session::SessionMeta;
use crate::session::store::{self, Session, Store, StoreError};

/// A misspelt event would be ignored silently.
pub(super) fn know_event(event: Option<&str>, terms: &SessionMeta, run: &mut Run) {
    let Some(event) = event else {
        return;
    };
    if terms.events.iter().any(|known| known == event) {
        return;
    }
    let message = format!("no event `{event}` lets this session be rebuilt");
    let found = Diagnostic::warning(diagnostic::UNKNOWN_EVENT, message);
    let names = || terms.events.iter().map(String::as_str);
    let help = match suggest::nearest(event, names()) {
        Some(near) => format!("there is an event `{near}`"),
        None if terms.events.is_empty() => {
            "`session { refresh event=NAME }` in the manifest declares events".to_owned()
        }
        None => format!("the events are {}", suggest::list(names())),
    };
    run.diags.push(found.help(help));
}

/// Notes the use at `now`. A store that cannot be written now can still be read.
pub(super) fn touch(
    store: &mut dyn Store,
    session: &Session,
    terms: &SessionMeta,
    now: i64,
    run: &mut Run,
) -> store::Result<()> {
    let error = match store.touch(&session.id, now) {
        Ok(_) => return Ok(()),
        // Then no caller relies on it.
        Err(StoreError::ReadOnly) if terms.idle.is_none() => return Ok(()),
        Err(error) => error,
    };
    let code = match error {
        StoreError::ReadOnly => diagnostic::STORE_READ_ONLY,
        StoreError::Full => diagnostic::STORE_FULL,
        StoreError::Busy(_) => diagnostic::STORE_BUSY,
        error => return Err(error),
    };
    let message = format!("the use of the session is not noted in its store: {error}");
    let found = Diagnostic::warning(code, message);
    let help = match (terms.idle, code == diagnostic::STORE_READ_ONLY) {
        (None, _) => "its stored text is printed anyway",
        (_, false) => "without a note, the time of `refresh idle=` runs on",
        (_, true) => "once the time of `refresh idle=` is over it must be rebuilt, and calls fail",
    };
    run.diags.push(found.help(help));
    Ok(())
}

/// Reports that most of a new session's tools and system text is not frozen. The tiers that go with the user's message
/// change at each call anyway.
pub(super) fn little_frozen(whole: &Prompt, frozen: &Prompt, live: Option<&str>, run: &mut Run) {
    let bytes = |prompt: &Prompt| {
        let channels = [Deliver::Tools, Deliver::System];
        channels
            .map(|channel| prompt.text(channel).len())
            .iter()
            .sum::<usize>()
    };
    let (whole, frozen) = (bytes(whole), bytes(frozen));
    let Some(live) = live.filter(|_| 2 * frozen < whole) else {
        return;
    };
    let message = format!(
        "{frozen} of {whole} bytes are frozen: the tier `{live}` has `changes=turn`, so it and what comes after it are built at each call"
    );
    let found = Diagnostic::note(diagnostic::LITTLE_FROZEN, message);
    run.diags
        .push(found.help(
            "put it last, or give it `deliver=user` so that it goes with the user's message",
        ));
}
