//! Files of nodes that are not read: they are looked up, so that the map can say that they are there.

use super::gather::Gatherer;
use crate::compile::plan::{Kind, Node};
use crate::manifest::Lit;
use crate::prompt::UnusedReason;
use crate::source::{file, glob};

impl Gatherer<'_> {
    /// Writes down the files of a node that is not read.
    pub(super) fn probe(&mut self, node: &Node, reason: UnusedReason) {
        let members = match &node.kind {
            Kind::First(members) | Kind::All { members, .. } => members,
            Kind::File(_) | Kind::Json(_) | Kind::Glob { .. } => {
                return self.probe_source(node, reason);
            }
            _ => return,
        };
        for member in members {
            self.probe(member, reason);
        }
    }

    fn probe_source(&mut self, node: &Node, reason: UnusedReason) {
        let Some(root) = node
            .root
            .as_deref()
            .and_then(|name| self.bound.roots.get(name))
        else {
            return;
        };
        let level = match &self.level {
            Some((climbed, level)) if *climbed == root.name => level.clone(),
            _ => String::new(),
        };
        let literal = |lits: &[Lit<String>]| -> Vec<String> {
            lits.iter()
                .filter_map(|l| match l {
                    Lit::Value(v) => Some(v.value.clone()),
                    Lit::Fact(_) => None,
                })
                .collect()
        };
        let paths = match &node.kind {
            Kind::File(names) => file::existing(self.world, root, &level, &literal(names)),
            Kind::Json(name) => file::existing(
                self.world,
                root,
                &level,
                &literal(std::slice::from_ref(name)),
            ),
            Kind::Glob {
                patterns, exclude, ..
            } => glob::existing(
                self.world,
                root,
                &level,
                &literal(patterns),
                &literal(exclude),
            ),
            _ => Vec::new(),
        };
        for path in paths {
            self.record.unused(&root.name, &path, reason);
        }
    }
}
