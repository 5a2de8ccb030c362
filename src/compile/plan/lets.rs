//! What is behind a let.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is read with a fact or let: the facts and lets behind it, then itself. `lets` are those that each let reads.
pub(super) fn read_with(lets: &BTreeMap<String, Vec<Arc<str>>>, name: &str) -> Vec<Arc<str>> {
    let mut out = Vec::new();
    let mut met: BTreeSet<Arc<str>> = BTreeSet::new();
    // What is still to be read, and what is done once all in front of it is.
    let mut open: Vec<(Arc<str>, bool)> = vec![(name.into(), false)];
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
