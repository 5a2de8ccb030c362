//! The recently seen items.

use std::collections::BTreeMap;

/// Values by key; those that were not used for a while are forgotten.
#[derive(Debug)]
pub(in crate::request) struct Recent<K, V> {
    young: BTreeMap<K, (V, usize)>,
    old: BTreeMap<K, (V, usize)>,
    /// The weight of the young.
    weight: usize,
    /// The weight at which the young become old, and the old are forgotten.
    most: usize,
}

impl<K: Ord, V: Clone> Recent<K, V> {
    /// An empty cache of at most twice this weight.
    pub(in crate::request) fn new(most: usize) -> Self {
        Self {
            young: BTreeMap::new(),
            old: BTreeMap::new(),
            weight: 0,
            most,
        }
    }

    /// A value that was met.
    pub(in crate::request) fn get(&mut self, key: K) -> Option<V> {
        if let Some((value, _)) = self.young.get(&key) {
            return Some(value.clone());
        }
        let (value, weight) = self.old.remove(&key)?;
        self.insert(key, value.clone(), weight);
        Some(value)
    }

    /// Notes a value with its weight, such as its size in bytes.
    pub(in crate::request) fn insert(&mut self, key: K, value: V, weight: usize) {
        if self.weight + weight > self.most {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(key, (value, weight));
    }
}
