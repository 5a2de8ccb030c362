//! Whether a call is made for the identity of a session.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::session::{Inputs, KEY, value_at};
use crate::text::Json;
use std::collections::BTreeMap;

/// Fails if the facts of a call are not those of the session; no value is shown, since it may be private.
pub(crate) fn check(
    session: &Inputs,
    now: &BTreeMap<String, Json>,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let differing = session.identity.differing(now);
    if differing.is_empty() {
        return Ok(());
    }
    let missing = |path: &&&str| value_at(now, path).is_none();
    let message = match differing.iter().find(missing) {
        Some(name) => format!("the session belongs to another `{name}`, and this call gives none"),
        None => format!(
            "the session belongs to another {}",
            suggest::list(differing.iter().copied())
        ),
    };
    let found = Diagnostic::error(diagnostic::SESSION_MISMATCH, message);
    Err(diags.push(found.help(format!(
        "give {} at each call as when the session was built; another caller needs a session ID of its own",
        suggest::list(session.identity.facts().into_keys())
    ))))
}

/// A key for the hashes of private facts.
pub(crate) fn key(diags: &mut Diagnostics) -> Result<[u8; KEY], ErrorReported> {
    let mut key = [0; KEY];
    getrandom::fill(&mut key).map_err(|error| {
        let message = format!("the system gives no random numbers: {error}");
        let found = Diagnostic::error(diagnostic::STORE_UNUSABLE, message);
        diags.push(found.help("nothing is kept; try again"))
    })?;
    Ok(key)
}
