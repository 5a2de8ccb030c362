//! Files of nodes that are not read: they are looked up, so that the map can say that they are there.

use super::Level;
use super::literal::{exclude, put_together};
use super::loader::{ContentLoader, Position};
use crate::compile::plan::Node;
use crate::manifest::{self, FileName, Lit, Reading};
use crate::prompt::UnusedReason;
use crate::source::exclude::Exclude;
use crate::source::kind::ReadRequest;
use crate::source::place::{BoundRoot, Wanted};
use crate::template::fact::FactValue;
use crate::text::Json;

impl ContentLoader<'_> {
    /// Writes down the files of a node that is not read. Says whether there are any.
    pub(super) fn probe(&mut self, node: &Node, at: Position<'_>, reason: UnusedReason) -> bool {
        let Some(root) = node
            .root
            .as_deref()
            .and_then(|name| self.context.bound.roots.get(name))
            .cloned()
        else {
            return self.probe_below(node, at, reason);
        };
        let Some(climb) = &node.climb else {
            return self.probe_at(node, &root, at, reason);
        };
        // As in reading: the nearest folder in which something is there, and no other, unless all count.
        let mut found = false;
        // An impossible search is reported only where the source is read.
        for folder in self.climbed(&climb.from, &root).unwrap_or_default() {
            let level = Level::of(&root, folder);
            found |= self.probe_at(node, &root, at.inside(&level), reason);
            if found && climb.every.is_none() {
                break;
            }
        }
        found
    }

    fn probe_at(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        at: Position<'_>,
        reason: UnusedReason,
    ) -> bool {
        match node.kind.reading() {
            Some(reading) => self.probe_reading(reading, root, at, reason),
            None => self.probe_below(node, at, reason),
        }
    }

    fn probe_below(&mut self, node: &Node, at: Position<'_>, reason: UnusedReason) -> bool {
        let members = node.kind.members().iter();
        // Each of them, also after one that is there.
        members.fold(false, |found, member| {
            self.probe(member, at, reason) | found
        })
    }

    fn probe_reading(
        &mut self,
        reading: &Reading,
        root: &BoundRoot,
        at: Position<'_>,
        reason: UnusedReason,
    ) -> bool {
        let names: Vec<Wanted> = (reading.names.iter())
            .flat_map(|name| self.wanted(reading, name))
            .collect();
        let excluded = |e: &manifest::Exclude| {
            let names = e.names.iter().flat_map(|lit| self.values(lit));
            exclude(names.collect(), e)
        };
        let exclude: Vec<Exclude> = reading.choice.exclude.iter().map(excluded).collect();
        let paths = (reading.kind.existing)(&ReadRequest {
            world: self.context.world,
            root,
            level: &at.folder_in(root),
            names: &names,
            exclude: &exclude,
        });
        for path in &paths {
            self.record.unused(&root.name, path, reason);
        }
        !paths.is_empty()
    }

    /// The value of a name of a source. Nothing is recorded, as below.
    fn wanted(&self, reading: &Reading, name: &FileName) -> Vec<Wanted> {
        match name {
            FileName::Fact(name) => {
                let names = self.values(&Lit::Fact(name.clone()));
                names.into_iter().map(Wanted::File).collect()
            }
            FileName::Written { written, parts } => {
                let value = |name: &str| self.context.bound.value(name)?.printed();
                vec![put_together(reading, &written.value, parts, value)]
            }
        }
    }

    /// The names that an argument gives. Nothing is recorded: text that is not read depends on no fact. An unsuitable
    /// value is reported where it is read.
    fn values(&self, lit: &Lit<String>) -> Vec<String> {
        let name = match lit {
            Lit::Value(v) => return vec![v.value.clone()],
            Lit::Fact(name) => name,
        };
        match self.context.bound.value(&name.value) {
            Some(FactValue::List(items)) => {
                let texts = items.items().iter().filter_map(Json::as_text);
                texts.map(str::to_owned).collect()
            }
            Some(value) => value.printed().iter().map(ToString::to_string).collect(),
            None => Vec::new(),
        }
    }
}
