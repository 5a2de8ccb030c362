//! The messages and notes of a restore.

use crate::compile::COMPACTION;
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::Run;
use crate::prompt::{Deliver, Prompt};
use crate::session::store::{self, Session, Store, StoreError};
use crate::session::{Call, SessionMeta};

/// Reports an event that rebuilds nothing. `terms` are those of the session's newest build, `today` the events of the manifest as
/// it is now, if it can be read.
///
/// # Errors
/// When neither names the event: a misspelt one would be ignored at each call.
pub(super) fn know_event(
    call: &Call,
    terms: &SessionMeta,
    today: impl FnOnce() -> Option<Vec<String>>,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let Some(event) = &call.event else {
        return Ok(());
    };
    if terms.events.contains(event) {
        return Ok(());
    }
    let today = today();
    let is_new = today.as_ref().is_some_and(|today| today.contains(event));
    let events = today.unwrap_or_else(|| terms.events.clone());
    let names = || events.iter().map(String::as_str);
    if is_new || event == COMPACTION {
        if !call.refresh {
            let message = format!("the event `{event}` does not rebuild this session");
            let found = Diagnostic::warning(diagnostic::UNKNOWN_EVENT, message);
            run.diags.push(if is_new {
                found.help("the manifest names it since this session was built; --refresh builds it with that manifest")
            } else if let Some(near) = suggest::nearest(event, names()) {
                found.help(format!("the manifest names the event `{near}`: did it mean `{event}`?"))
            } else {
                found.help("`session { refresh event=compaction }` in the manifest rebuilds it after a compaction")
            });
        }
        return Ok(());
    }
    let message = format!("there is no event `{event}`");
    let found = Diagnostic::error(diagnostic::UNKNOWN_EVENT, message);
    let usual = [COMPACTION]
        .into_iter()
        .filter(|usual| !names().any(|name| name == *usual));
    let all = suggest::choice(names().chain(usual));
    Err(run.diags.push(match suggest::nearest(event, names().chain([COMPACTION])) {
        Some(near) => found.help(format!("did you mean `{near}`? The app sends {all}")),
        None => found.help(format!(
            "the app sends {all}; `session {{ refresh event=NAME }}` in the manifest declares another"
        )),
    }))
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

/// Reports that most of a new session's tools and system prompt is not frozen. The tiers that go with the user's message
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
