//! Files of nodes that are not read: they are looked up, so that the map can say that they are there.

use super::gatherer::Gatherer;
use super::literal::{exclude, put_together};
use crate::compile::plan::{Kind, Node};
use crate::manifest::{self, FileName, Lit, Reading};
use crate::prompt::UnusedReason;
use crate::source::exclude::Exclude;
use crate::source::kind::ReadRequest;
use crate::source::place::{BoundRoot, Wanted};
use crate::template::fact::FactValue;
use crate::text::data::List;

impl Gatherer<'_> {
    /// Writes down the files of a node that is not read. Says whether there are any.
    pub(super) fn probe(&mut self, node: &Node, reason: UnusedReason) -> bool {
        let Some(root) = node
            .root
            .as_deref()
            .and_then(|name| self.bound.roots.get(name))
            .cloned()
        else {
            return self.probe_below(node, reason);
        };
        let Some(climb) = &node.climb else {
            return self.probe_at(node, &root, reason);
        };
        // As in reading: the nearest folder in which something is there, and no other, unless all count.
        let outer = self.level.take();
        let mut found = false;
        // A search that cannot be made is told only where it is.
        for level in self.climbed(&climb.from, &root).unwrap_or_default() {
            self.level = Some((root.name.clone(), level));
            found |= self.probe_at(node, &root, reason);
            if found && climb.every.is_none() {
                break;
            }
        }
        self.level = outer;
        found
    }

    fn probe_at(&mut self, node: &Node, root: &BoundRoot, reason: UnusedReason) -> bool {
        match node.kind.reading() {
            Some(reading) => self.probe_reading(reading, root, reason),
            None => self.probe_below(node, reason),
        }
    }

    fn probe_below(&mut self, node: &Node, reason: UnusedReason) -> bool {
        let (Kind::First(members) | Kind::All { members, .. }) = &node.kind else {
            return false;
        };
        let mut found = false;
        for member in members {
            found |= self.probe(member, reason);
        }
        found
    }

    fn probe_reading(&mut self, reading: &Reading, root: &BoundRoot, reason: UnusedReason) -> bool {
        let level = match &self.level {
            Some((climbed, level)) if *climbed == root.name => level.clone(),
            _ => String::new(),
        };
        let names: Vec<Wanted> = (reading.names.iter())
            .flat_map(|name| self.wanted(reading, name))
            .collect();
        let excluded = |e: &manifest::Exclude| {
            let names = e.names.iter().flat_map(|lit| self.values(lit));
            exclude(names.collect(), e)
        };
        let exclude: Vec<Exclude> = reading.choice.exclude.iter().map(excluded).collect();
        let paths = (reading.kind.existing)(&ReadRequest {
            world: self.world,
            root,
            level: &level,
            names: &names,
            exclude: &exclude,
        });
        for path in &paths {
            self.record.unused(&root.name, path, reason);
        }
        !paths.is_empty()
    }

    /// What a name of a source stands for. Nothing is written down, as below.
    fn wanted(&self, reading: &Reading, name: &FileName) -> Vec<Wanted> {
        match name {
            FileName::Fact(name) => {
                let names = self.values(&Lit::Fact(name.clone()));
                names.into_iter().map(Wanted::File).collect()
            }
            FileName::Written { written, parts } => {
                let value = |name: &str| self.bound.value(name)?.printed();
                vec![put_together(reading, &written.value, parts, value)]
            }
        }
    }

    /// The names that an argument stands for. Nothing is written down: what is not read depends on no fact. A value that
    /// does not fit is told where it is read.
    fn values(&self, lit: &Lit<String>) -> Vec<String> {
        let name = match lit {
            Lit::Value(v) => return vec![v.value.clone()],
            Lit::Fact(name) => name,
        };
        match self.bound.value(&name.value) {
            Some(FactValue::List(items)) => {
                let items = items.as_list().into_iter().flat_map(List::iter);
                items
                    .filter_map(|item| item.as_str().map(str::to_owned))
                    .collect()
            }
            Some(value) => value.printed().iter().map(ToString::to_string).collect(),
            None => Vec::new(),
        }
    }
}
