//! The listed entries of a source, by the manifest, the facts and the entries so far.

use super::skill::Skill;
use crate::source::pattern::Name;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The settings of the entries of one source.
#[derive(Debug, Default)]
pub(super) struct Listing<'s> {
    /// The folders that it reads, inside the root.
    pub(super) bases: Vec<String>,
    /// The listed names; none if all are.
    pub(super) allow: Option<Names>,
    pub(super) deny: Names,
    /// The names that are listed so far, each with the folder of the root that has it first.
    pub(super) listed: BTreeMap<Arc<str>, usize>,
    /// The names of all entries that were found.
    pub(super) found: BTreeSet<Arc<str>>,
    /// In a listing of skills: all that were found, with their use.
    pub(super) skills: Option<&'s mut Vec<Skill>>,
}

/// Patterns of names. Most are plain names, of which there may be many.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) plain: BTreeSet<String>,
    pub(super) patterns: Vec<Name>,
}

impl Names {
    pub(super) fn have(&self, name: &str) -> bool {
        self.plain.contains(name) || self.patterns.iter().any(|pattern| pattern.matches(name))
    }
}
