//! `session`, slot by slot.

use super::{Merger, Names, set, slots};
use crate::diagnostic::Diagnostics;
use crate::manifest::model::Session;
use crate::manifest::statement::Patch;

impl Merger<'_> {
    pub(super) fn session(&mut self, patch: Patch<Session>) {
        self.once("session", patch.item.span);
        match &mut self.manifest.session {
            Some(session) => refine(session, patch, &self.names, self.found),
            None => {
                self.nothing_to_unset(&patch);
                self.manifest.session = Some(patch.item);
            }
        }
    }
}

/// Lays what an overlay says of sessions over what its base says: its `identity` and its `refresh` lines
/// stand for all of the base's.
fn refine(session: &mut Session, patch: Patch<Session>, names: &Names, found: &mut Diagnostics) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut session.slots, &unset, found) {
        match slot.name.as_str() {
            "identity" => session.identity.clear(),
            "refresh" => session.refresh.clear(),
            "reminder" => session.reminder = None,
            _ => {}
        }
    }
    if !item.identity.is_empty() {
        session.identity = item.identity;
    }
    if !item.refresh.is_empty() {
        session.refresh = item.refresh;
    }
    set(&mut session.reminder, item.reminder);
    session.waivers.extend(item.waivers);
    slots::replace(&mut session.slots, &[], item.slots, names);
}
