//! The nodes that overlays removed.

use super::Manifest;
use crate::diagnostic::span::{FileId, Span};
use std::collections::BTreeMap;

/// Something that an overlay took away, and where it says so.
#[derive(Debug, Clone)]
pub struct Removed {
    /// Its kind: `layer`, `tier`, `fact`.
    pub(in crate::manifest) kind: &'static str,
    /// The kind of thing that the overlay named: it, or its tier.
    pub(in crate::manifest) by: &'static str,
    /// Its name.
    pub(in crate::manifest) name: String,
    /// Where it was removed.
    pub(in crate::manifest) span: Span,
}

impl Manifest {
    /// Where an overlay took away the thing of this kind and name, if one did.
    #[must_use]
    pub fn removal(&self, kind: &str, name: &str) -> Option<Span> {
        let removed = self.removed.iter().rev();
        let mut those = removed.filter(|r| r.kind == kind && r.name == name);
        those.next().map(|r| r.span)
    }

    /// Whether a fact or root that `file` gives a value to is gone, since an overlay of that file took it away.
    #[must_use]
    pub(crate) fn is_removed_above(&self, kind: &str, name: &str, file: FileId) -> bool {
        let is_there = match kind {
            "fact" => self.facts.iter().any(|fact| fact.name.value == name),
            _ => self.roots.iter().any(|root| root.name.value == name),
        };
        let removal = self.removal(kind, name).filter(|_| !is_there);
        removal.is_some_and(|by| self.level_of(by.file) < self.level_of(file))
    }

    /// The facts and lets that overlays took away, and where.
    #[must_use]
    pub fn removed_names(&self) -> BTreeMap<String, Span> {
        let variables = ["fact", "let"];
        let those = self.removed.iter().filter(|r| variables.contains(&r.kind));
        those.map(|r| (r.name.clone(), r.span)).collect()
    }
}
