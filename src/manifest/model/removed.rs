//! What overlays have taken away.

use super::Manifest;
use crate::diagnostic::span::Span;
use std::collections::BTreeMap;

/// Something that an overlay took away, and where it says so.
#[derive(Debug, Clone)]
pub struct Removed {
    /// What it was.
    pub(in crate::manifest) target: Target,
    /// Its name.
    pub(in crate::manifest) name: String,
    /// Where it was removed.
    pub(in crate::manifest) span: Span,
}

/// What can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::manifest) enum Target {
    /// A layer.
    Layer,
    /// A tier with its layers.
    Tier,
    /// A fact.
    Fact,
    /// A let.
    Let,
    /// A root.
    Root,
    /// A rule set of scans.
    Scan,
    /// A scenario.
    Scenario,
}

impl Target {
    /// All of them.
    pub(in crate::manifest) const ALL: [Self; 7] = [
        Self::Layer,
        Self::Tier,
        Self::Fact,
        Self::Let,
        Self::Root,
        Self::Scan,
        Self::Scenario,
    ];

    /// The property of `remove`.
    pub(in crate::manifest) fn name(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Tier => "tier",
            Self::Fact => "fact",
            Self::Let => "let",
            Self::Root => "root",
            Self::Scan => "scan",
            Self::Scenario => "scenario",
        }
    }
}

impl Manifest {
    /// Where an overlay took away the thing of this kind and name, if one did.
    #[must_use]
    pub fn removal(&self, kind: &str, name: &str) -> Option<Span> {
        let removed = self.removed.iter().rev();
        let mut those = removed.filter(|r| r.target.name() == kind && r.name == name);
        those.next().map(|r| r.span)
    }

    /// The facts and lets that overlays took away, and where.
    #[must_use]
    pub fn removed_names(&self) -> BTreeMap<String, Span> {
        let variables = [Target::Fact, Target::Let];
        let those = self
            .removed
            .iter()
            .filter(|r| variables.contains(&r.target));
        those.map(|r| (r.name.clone(), r.span)).collect()
    }
}
