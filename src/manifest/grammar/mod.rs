//! The grammar of manifests as a table: a row for each node, and in it one for each argument and property. The reader,
//! its suggestions, the tables of `docs/language.md` and `promptc schema manifest` come from it.
//!
//! Modules are declared bottom-up.

mod row;
mod steps;
mod content;
mod top;
mod overlay;
mod json;

pub(crate) use content::{STAND_IN, content};
pub use json::to_json;
pub(crate) use overlay::{IN_OVERLAY, NEW_TIER, REFINE_TIER, REMOVE};
pub use row::{Argument, Overlay, Property, Row, Times, Type};
pub(crate) use steps::{LOCK, UNSET};
pub(crate) use top::{DIRECTORY_RULES, ENTRY, LAYER, NODES, PROMPTC, SOURCES, top};

use std::sync::LazyLock;

/// All rows of manifests, each once: those of the top level, then those in their braces, level by level.
#[must_use]
pub fn all() -> Vec<&'static Row> {
    let (every, overlays) = top_level();
    let mut out = [every, overlays].concat();
    let mut at = 0;
    while let Some(row) = out.get(at).copied() {
        for child in row.children() {
            if !out.iter().any(|known| known.id() == child.id()) {
                out.push(child);
            }
        }
        at += 1;
    }
    out
}

/// The nodes that may be at the top level: of every manifest, and in addition or instead of one with a base.
#[must_use]
pub fn top_level() -> (Vec<&'static Row>, Vec<&'static Row>) {
    let every = [&[&PROMPTC], NODES].concat();
    (every, [IN_OVERLAY, &[&NEW_TIER, &REFINE_TIER]].concat())
}

/// Where a node may be that is written after another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the same braces, or at the top level.
    Beside,
    /// In the braces of the other one.
    Inside,
}

/// Where a node called `word` may be after one of `row`; nowhere if there is no such node.
pub(crate) fn place_after(row: &Row, word: &str) -> Option<Place> {
    static ALL: LazyLock<Vec<&Row>> = LazyLock::new(all);
    if !ALL.iter().any(|known| known.name == word) {
        return None;
    }
    let both = |rows: &mut dyn Iterator<Item = &'static Row>| {
        let names: Vec<&str> = rows.map(|row| row.name).collect();
        names.contains(&row.name) && names.contains(&word)
    };
    let (every, overlays) = top_level();
    let beside = both(&mut every.into_iter().chain(overlays))
        || ALL.iter().any(|around| both(&mut around.children()));
    if beside {
        Some(Place::Beside)
    } else {
        row.child(word).map(|_| Place::Inside)
    }
}
