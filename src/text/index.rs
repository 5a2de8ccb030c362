//! An index of a list: thousands of values are found without comparing each.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The positions of the values of a list, each with a hash of its key. It fits in few lines of a cache, where a set of
/// the values themselves would need one for each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index(BTreeSet<(u64, u32)>);

impl Index {
    /// The place of the value with that key which is the `wanted` one.
    pub(crate) fn find(&self, key: u64, wanted: impl Fn(usize) -> bool) -> Option<u32> {
        let mut alike = self.0.range((key, 0)..=(key, u32::MAX));
        let found = alike.find(|(_, at)| wanted(*at as usize));
        found.map(|(_, at)| *at)
    }

    /// Notes that a value with that key is at `at`.
    pub(crate) fn insert(&mut self, key: u64, at: usize) {
        self.0.insert((key, u32::try_from(at).unwrap_or(u32::MAX)));
    }

    /// The number of places that were noted.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The key of a value: a hash that is the same in every run.
pub(crate) fn key(parts: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}
