//! What a part of a manifest cannot do without: the facts and roots that it can reach.

use super::why::{What, Why};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts and roots by their names.
#[derive(Debug, Default)]
pub(in crate::compile) struct Needs {
    facts: BTreeSet<Arc<str>>,
    roots: BTreeSet<Arc<str>>,
}

impl Needs {
    /// Adds all that something depends on.
    pub(super) fn add(&mut self, why: &Why) {
        for link in why.chains.iter().flat_map(|chain| &chain.links) {
            match link.what {
                What::Fact => _ = self.facts.insert(link.name.clone()),
                What::Root => _ = self.roots.insert(link.name.clone()),
                _ => {}
            }
        }
    }

    pub(in crate::compile) fn fact(&self, name: &str) -> bool {
        self.facts.contains(name)
    }

    pub(in crate::compile) fn root(&self, name: &str) -> bool {
        self.roots.contains(name)
    }
}
