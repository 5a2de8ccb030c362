//! What is behind a let.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is read with facts or lets: the facts and lets behind each, then itself; each once. `lets` are those that each let reads.
pub(super) fn read_with<'n>(
    lets: &BTreeMap<String, Vec<Arc<str>>>,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<Arc<str>> {
    let mut out = Vec::new();
    let mut met: BTreeSet<Arc<str>> = BTreeSet::new();
    // What is still to be read, and what is done once all in front of it is.
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
