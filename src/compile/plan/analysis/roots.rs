//! The roots that something reads.

use super::{PlanAnalysis, ProgramUse, Written};
use crate::manifest::{Root, TemplateRef};
use std::collections::{BTreeMap, BTreeSet};

impl PlanAnalysis<'_> {
    /// The roots that something reads, and those that these are derived from.
    #[must_use]
    pub fn used_roots(&self) -> BTreeSet<&str> {
        let manifest = &self.plan.manifest;
        let mut used: BTreeSet<&str> = self.plan.asked_roots().collect();
        for node in &self.nodes {
            let reads = node.node.kind.reading().is_some();
            if reads {
                used.insert(node.root());
                let starts = node.way().filter_map(|n| n.settings.from.as_ref());
                used.extend(starts.map(|from| from.value.as_str()));
            }
        }
        if let Some(directory_rules) = &manifest.directory_rules {
            used.insert(
                directory_rules
                    .root
                    .as_ref()
                    .map_or("workspace", |r| &r.value),
            );
        }
        used.extend(self.programs.iter().filter_map(root_of));
        close(&manifest.roots, &mut used);
        used
    }
}

/// The root that a template is read from.
fn root_of<'c>(used: &'c ProgramUse<'_>) -> Option<&'c str> {
    match used.written {
        Written::Template(TemplateRef::File { root, .. }) => Some(&root.as_ref()?.value),
        _ => None,
    }
}

/// Adds the roots that others are derived from or count from.
fn close<'c>(roots: &'c [Root], used: &mut BTreeSet<&'c str>) {
    let named = roots.iter().map(|root| (root.name.value.as_str(), root));
    let named: BTreeMap<&str, &Root> = named.collect();
    let mut open: Vec<&str> = used.iter().copied().collect();
    while let Some(root) = open.pop() {
        let root = named.get(root).into_iter();
        let behind = root.flat_map(|r| r.above.iter().chain(&r.within));
        open.extend((behind.map(|r| r.value.as_str())).filter(|name| used.insert(name)));
    }
}
