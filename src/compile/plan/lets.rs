//! The dependencies of a let.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The dependencies of facts or lets: the facts and lets that each reads, then itself; each once. `lets` are those that
/// each let reads.
pub(in crate::compile) fn read_with<'n>(
    lets: &BTreeMap<String, Vec<Arc<str>>>,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<Arc<str>> {
    let mut out = Vec::new();
    let mut met: BTreeSet<Arc<str>> = BTreeSet::new();
    // The names to be read, and the action once all before them are read.
    let mut open: Vec<(Arc<str>, bool)> =
        names.into_iter().map(|name| (name.into(), false)).collect();
    while let Some((name, read)) = open.pop() {
        if read {
            out.push(name);
        } else if met.insert(name.clone()) {
            let reads = lets.get(&*name).into_iter().flatten().rev();
            open.push((name, true));
            open.extend(reads.map(|name| (name.clone(), false)));
        }
    }
    out
}
