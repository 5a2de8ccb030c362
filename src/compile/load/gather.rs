//! Content nodes: sources are read, groups take the first or all of their members, budgets come last.

use super::Level;
use super::loader::{ContentLoader, Position};
use super::tree::{Gathered, Tree};
use crate::compile::budget::{AppliedLimit, called};
use crate::compile::plan::{Kind, Node};
use crate::diagnostic::ErrorReported;
use crate::diagnostic::span::Literal;
use crate::manifest::{Budget, Limit, Order, locked};
use crate::prompt::UnusedReason;
use crate::text::document::Document;
use std::sync::Arc;

impl ContentLoader<'_> {
    /// The content of a node.
    pub(super) fn gather(
        &mut self,
        node: &Node,
        at: Position<'_>,
    ) -> Result<Gathered, ErrorReported> {
        if let Some(when) = &node.when {
            let scope = self.scope();
            if !self.condition(when, &scope, self.record.node_at(node.span))? {
                self.probe(node, at, UnusedReason::Condition);
                return Ok(Gathered::default());
            }
        }
        let mut gathered = match &node.kind {
            Kind::First(_) | Kind::All { .. } => self.group(node, at)?,
            _ => self.source(node, at)?,
        };
        let mut held = Vec::new();
        for budget in &node.budgets {
            self.bound(&mut gathered, node, budget, &mut held)?;
        }
        Ok(gathered)
    }

    /// A group, in each folder that it climbs until one yields text.
    fn group(&mut self, node: &Node, at: Position<'_>) -> Result<Gathered, ErrorReported> {
        match &node.climb {
            None => return self.members(node, at),
            Some(climb) => {
                if let Some(order) = climb.every {
                    return self.at_every_level(node, order, at);
                }
            }
        }
        let root = self.root(node)?;
        let mut levels = self.levels(node, root, at)?.into_iter().peekable();
        while let Some(folder) = levels.next() {
            let level = Level::of(root, folder);
            let here = Position {
                higher: levels.peek().is_some(),
                every: false,
                ..at.inside(&level)
            };
            let found = self.members(node, here)?;
            if found.yielded {
                return Ok(found);
            }
        }
        Ok(Gathered::default())
    }

    /// A group, in each folder that it climbs; together they are one group.
    fn at_every_level(
        &mut self,
        node: &Node,
        order: Order,
        at: Position<'_>,
    ) -> Result<Gathered, ErrorReported> {
        let root = self.root(node)?;
        let mut out = Gathered::default();
        let mut trees = Vec::new();
        for folder in self.levels_in(node, root, order, at)? {
            let level = Level::of(root, folder);
            let here = Position {
                higher: false,
                every: true,
                ..at.inside(&level)
            };
            let found = self.members(node, here)?;
            match out.add(found) {
                Tree::Empty => {}
                // The documents of an `all` at one level are members of the whole, and so are those of a glob.
                Tree::Group { members, loose, .. }
                    if loose || matches!(node.kind, Kind::All { .. }) =>
                {
                    trees.extend(members);
                }
                tree => trees.push(tree),
            }
        }
        let levels = std::mem::take(&mut out.levels);
        for (span, missed) in levels.missed {
            if !levels.met.contains(&span) {
                self.missing(span, &missed)?;
            }
        }
        let (join, loose) = match &node.kind {
            Kind::All { join, .. } => (join.clone(), false),
            _ => (self.join_here(at), true),
        };
        out.tree = self.group_of(node, join, trees, loose)?;
        Ok(out)
    }

    fn members(&mut self, node: &Node, at: Position<'_>) -> Result<Gathered, ErrorReported> {
        let mut out = Gathered::default();
        match &node.kind {
            Kind::First(members) => {
                for (index, member) in members.iter().enumerate() {
                    let gathered = self.gather(member, at)?;
                    if gathered.yielded {
                        let others = members.iter().enumerate().filter(|(at, _)| *at != index);
                        for node in others.flat_map(|(_, other)| other.descendants()) {
                            self.record.missing.replace(node.span);
                        }
                        for later in &members[index + 1..] {
                            self.probe(later, at, UnusedReason::NotFirst);
                        }
                        out.tree = out.add(gathered);
                        break;
                    }
                    out.add(gathered);
                }
            }
            Kind::All { join, members } => {
                let mut trees = Vec::new();
                let inside = Position {
                    join: Some(join),
                    ..at
                };
                for member in members {
                    let gathered = self.gather(member, inside)?;
                    match out.add(gathered) {
                        Tree::Empty => {}
                        // The documents of a glob are members of the group that it is in.
                        Tree::Group {
                            members,
                            loose: true,
                            ..
                        } => trees.extend(members),
                        tree => trees.push(tree),
                    }
                }
                out.tree = self.group_of(node, join.clone(), trees, false)?;
            }
            _ => {}
        }
        Ok(out)
    }

    fn group_of(
        &mut self,
        node: &Node,
        join: Literal,
        members: Vec<Tree>,
        loose: bool,
    ) -> Result<Tree, ErrorReported> {
        self.keeps_join(&join, members.len())?;
        Ok(Tree::Group {
            label: self.label_of(node)?,
            join,
            members,
            loose,
        })
    }

    fn source(&mut self, node: &Node, at: Position<'_>) -> Result<Gathered, ErrorReported> {
        let mut out = Gathered::default();
        let documents = match &node.kind {
            Kind::Text(literal) => self.literal(node, literal)?.into_iter().collect(),
            Kind::Fact(name) => self.fact(node, &name.value)?.into_iter().collect(),
            Kind::Template(key) => self.template(node, key)?.into_iter().collect(),
            Kind::Reading { reading, .. } => self.read(node, reading, at, None, &mut out)?,
            Kind::First(_) | Kind::All { .. } => Vec::new(),
        };
        out.yielded = !documents.is_empty();
        let many = node.kind.reading().is_some_and(|reading| reading.kind.many)
            || node.climb.as_ref().is_some_and(|c| c.every.is_some());
        let mut members: Vec<Tree> = documents.into_iter().map(Tree::One).collect();
        out.tree = match members.len() {
            0 => Tree::Empty,
            1 if !many => members.remove(0),
            _ => self.several(node, members, many, at)?,
        };
        Ok(out)
    }

    /// The documents of a source, or its entries, which stay together.
    fn several(
        &mut self,
        node: &Node,
        members: Vec<Tree>,
        many: bool,
        at: Position<'_>,
    ) -> Result<Tree, ErrorReported> {
        let reading = node.kind.reading();
        let (join, loose) = match reading.and_then(|reading| reading.between.as_ref()) {
            Some(between) => (between.clone(), false),
            None => (self.join_here(at), many),
        };
        self.keeps_join(&join, members.len())?;
        let entries = reading.is_some_and(|reading| reading.kind.entries().is_some());
        let label = match members.first() {
            // Together they are the file.
            Some(Tree::One(entry)) if entries => entry.label.clone(),
            _ => self.label_of(node)?,
        };
        Ok(Tree::Group {
            label,
            join,
            members,
            loose,
        })
    }

    /// Reports that an overlay's `join` would be inserted between the documents of a locked layer.
    fn keeps_join(&mut self, join: &Literal, members: usize) -> Result<(), ErrorReported> {
        let manifest = &self.context.plan.manifest;
        // A built-in has no location.
        let written = join.span.end > 0 && members > 1;
        let lock = self.context.layer.lock.filter(|_| written);
        let lock = lock.filter(|lock| lock.refuses(join.span.file, manifest));
        let Some(lock) = lock else { return Ok(()) };
        let layer = &self.context.layer.name;
        let message = format!("this would be placed inside the locked layer `{layer}`");
        let help = "write `join=` on the tiers of the overlay";
        Err(self.report(locked(message, join.span, lock.span).help(help)))
    }

    /// The text between documents that are joined here: the join of their group, else that of the tier.
    fn join_here(&self, at: Position<'_>) -> Literal {
        if let Some(join) = at.join {
            return join.clone();
        }
        let tier = self
            .context
            .plan
            .tiers
            .iter()
            .find(|t| t.layers.iter().any(|l| l.name == self.context.layer.name));
        match tier {
            Some(tier) => tier.join.clone(),
            None => Literal::new("", self.context.layer.span, Vec::new()),
        }
    }

    /// Applies one budget of a node; `held` are those before it.
    fn bound(
        &mut self,
        gathered: &mut Gathered,
        node: &Node,
        budget: &Budget,
        held: &mut Vec<AppliedLimit>,
    ) -> Result<(), ErrorReported> {
        let Gathered { tree, left_out, .. } = gathered;
        let about = match tree {
            Tree::Group { .. } => self.written(node.about.as_ref())?,
            _ => None,
        };
        let layer = self.context.layer;
        let mut bounds = self.bounds();
        for held in held.iter_mut() {
            held.size = tree.size(held.unit, held.whole);
        }
        match &budget.limit {
            Limit::One(max) => {
                let Some(max) = bounds.size(max)? else {
                    return Ok(());
                };
                match tree {
                    Tree::Empty => {}
                    Tree::One(document) => {
                        _ = bounds.document(Arc::make_mut(document), budget, max, held, None)?
                    }
                    Tree::Group { label, .. } => {
                        let mut whole = Document {
                            about: about.unwrap_or_default(),
                            ..Document::unfiled(label.clone(), tree.text())
                        };
                        let of_whole: Vec<AppliedLimit> =
                            held.iter().filter(|h| h.whole).cloned().collect();
                        bounds.document(&mut whole, budget, max, &of_whole, None)?;
                        if whole.truncated || whole.text.as_str().is_empty() {
                            // The bound of the documents no longer applies.
                            *held = of_whole;
                            *tree = Tree::One(Arc::new(whole));
                        }
                    }
                }
                held.extend(AppliedLimit::one(budget, max));
            }
            Limit::Leading(_) | Limit::Entries(_) => {
                let Some(leading) = bounds.leading(budget)? else {
                    return Ok(());
                };
                let label = match &*tree {
                    Tree::One(document) => called(document).into(),
                    _ => tree.label(&layer.name),
                };
                let (text, ends) = tree.joined();
                let documents = tree.documents_mut();
                *left_out += bounds.first_documents(documents, &leading, &label, (&text, &ends));
                held.extend(leading.held());
            }
            Limit::Documents {
                each,
                total,
                floor,
                whole,
            } => {
                let label = tree.label(&layer.name);
                let sizes = bounds.sizes(each.as_ref(), total.as_ref(), floor.as_ref())?;
                bounds.documents(tree.documents_mut(), budget, sizes, held, (&label, *whole))?;
                held.extend(AppliedLimit::documents(budget, sizes));
            }
        }
        Ok(())
    }
}
