//! `session`, slot by slot.

use super::{Merger, Names, slots};
use crate::diagnostic::Diagnostics;
use crate::manifest::model::Session;
use crate::manifest::statement::Patch;

impl Merger<'_> {
    pub(super) fn session(&mut self, patch: Patch<Session>) {
        self.once("session", patch.item.span);
        match &mut self.manifest.session {
            Some(session) => refine(session, patch, self.found),
            None => {
                self.nothing_to_unset(&patch);
                self.manifest.session = Some(patch.item);
            }
        }
    }
}

/// Lays what an overlay says of sessions over what its base says: its `refresh` lines stand for all of the base's.
fn refine(session: &mut Session, patch: Patch<Session>, found: &mut Diagnostics) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut session.slots, &unset, found) {
        if slot.name == "refresh" {
            session.refresh.clear();
        }
    }
    if !item.refresh.is_empty() {
        session.refresh = item.refresh;
    }
    slots::replace(&mut session.slots, &[], item.slots, &Names::new());
}
