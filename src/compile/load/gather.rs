//! Content nodes: sources are read, groups take the first or all of their members, budgets come last.

use super::gatherer::{Gatherer, Levels};
use super::tree::{Gathered, Tree};
use crate::compile::bound::{AppliedLimit, BudgetTracker, called};
use crate::compile::plan::{Kind, Node};
use crate::diagnostic::ErrorReported;
use crate::diagnostic::span::Literal;
use crate::manifest::{Budget, Limit, Order};
use crate::prompt::UnusedReason;
use crate::text::document::Document;
use std::sync::Arc;

impl Gatherer<'_> {
    /// What a node yields.
    pub(super) fn gather(&mut self, node: &Node) -> Result<Gathered, ErrorReported> {
        if let Some(when) = &node.when {
            let scope = self.scope();
            if !self.condition(when, &scope, self.record.node_at(node.span))? {
                self.probe(node, UnusedReason::Condition);
                return Ok(Gathered::nothing());
            }
        }
        let mut gathered = match &node.kind {
            Kind::First(_) | Kind::All { .. } => self.group(node)?,
            _ => self.source(node)?,
        };
        let mut held = Vec::new();
        for budget in &node.budgets {
            self.bound(&mut gathered.tree, node, budget, &mut held)?;
        }
        Ok(gathered)
    }

    /// A group, in each folder that it climbs until one yields text.
    fn group(&mut self, node: &Node) -> Result<Gathered, ErrorReported> {
        match &node.climb {
            None => return self.members(node),
            Some(climb) => {
                if let Some(order) = climb.every {
                    return self.at_every_level(node, order);
                }
            }
        }
        let root = self.root(node)?;
        let outer = (self.level.take(), self.higher, self.every.take());
        let levels = self.levels(node, root)?;
        let last = levels.len().saturating_sub(1);
        let mut found = Gathered::nothing();
        for (at, level) in levels.into_iter().enumerate() {
            self.level = Some((root.name.clone(), level));
            self.higher = at < last;
            found = self.members(node)?;
            if found.yielded {
                break;
            }
        }
        (self.level, self.higher, self.every) = outer;
        Ok(if found.yielded {
            found
        } else {
            Gathered::nothing()
        })
    }

    /// A group, in each folder that it climbs; together they are one group.
    fn at_every_level(&mut self, node: &Node, order: Order) -> Result<Gathered, ErrorReported> {
        let root = self.root(node)?;
        let levels = self.levels_in(node, root, order)?;
        let outer = (self.level.take(), self.higher, self.every.take());
        (self.higher, self.every) = (false, Some(Levels::default()));
        let mut yielded = false;
        let mut trees = Vec::new();
        for level in levels {
            self.level = Some((root.name.clone(), level));
            let found = self.members(node)?;
            yielded |= found.yielded;
            match found.tree {
                Tree::Empty => {}
                // What an `all` yields at one level are members of the whole, and so are the documents of a glob.
                Tree::Group { members, loose, .. }
                    if loose || matches!(node.kind, Kind::All { .. }) =>
                {
                    trees.extend(members);
                }
                tree => trees.push(tree),
            }
        }
        let levels = self.every.take().unwrap_or_default();
        (self.level, self.higher, self.every) = outer;
        for (span, missed) in levels.missed {
            if !levels.met.contains(&span) {
                self.missing(span, &missed)?;
            }
        }
        let (join, loose) = match &node.kind {
            Kind::All { join, .. } => (join.clone(), false),
            _ => (self.join_here(), true),
        };
        Ok(Gathered {
            tree: Tree::Group {
                label: self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
                join,
                members: trees,
                loose,
            },
            yielded,
        })
    }

    fn members(&mut self, node: &Node) -> Result<Gathered, ErrorReported> {
        match &node.kind {
            Kind::First(members) => {
                for (index, member) in members.iter().enumerate() {
                    let gathered = self.gather(member)?;
                    if gathered.yielded {
                        for later in &members[index + 1..] {
                            self.probe(later, UnusedReason::NotFirst);
                        }
                        return Ok(gathered);
                    }
                }
                Ok(Gathered::nothing())
            }
            Kind::All { join, members } => {
                let mut trees = Vec::new();
                let mut yielded = false;
                let outer = self.join.replace(join.clone());
                for member in members {
                    let gathered = self.gather(member)?;
                    yielded |= gathered.yielded;
                    match gathered.tree {
                        Tree::Empty => {}
                        // The documents of a glob are members of the group that it stands in.
                        Tree::Group {
                            members,
                            loose: true,
                            ..
                        } => trees.extend(members),
                        tree => trees.push(tree),
                    }
                }
                self.join = outer;
                Ok(Gathered {
                    tree: Tree::Group {
                        label: self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
                        join: join.clone(),
                        members: trees,
                        loose: false,
                    },
                    yielded,
                })
            }
            _ => Ok(Gathered::nothing()),
        }
    }

    fn source(&mut self, node: &Node) -> Result<Gathered, ErrorReported> {
        let documents = match &node.kind {
            Kind::Text(literal) => self.literal(node, literal)?.into_iter().collect(),
            Kind::Fact(name) => self.fact(node, &name.value)?.into_iter().collect(),
            Kind::Template(key) => self.template(node, key)?.into_iter().collect(),
            Kind::Reading { reading, .. } => self.read(node, reading)?,
            Kind::First(_) | Kind::All { .. } => Vec::new(),
        };
        let yielded = !documents.is_empty();
        let many = node.kind.reading().is_some_and(|reading| reading.kind.many)
            || node.climb.as_ref().is_some_and(|c| c.every.is_some());
        let mut members: Vec<Tree> = documents.into_iter().map(Tree::One).collect();
        let tree = match members.len() {
            0 => Tree::Empty,
            1 if !many => members.remove(0),
            _ => self.several(node, members, many)?,
        };
        Ok(Gathered { tree, yielded })
    }

    /// The documents of a source, or its entries, which stay together.
    fn several(
        &mut self,
        node: &Node,
        members: Vec<Tree>,
        many: bool,
    ) -> Result<Tree, ErrorReported> {
        let reading = node.kind.reading();
        let (join, loose) = match reading.and_then(|reading| reading.between.as_ref()) {
            Some(between) => (between.clone(), false),
            None => (self.join_here(), many),
        };
        let entries = reading.is_some_and(|reading| reading.kind.entries().is_some());
        let label = match members.first() {
            // Together they are the file.
            Some(Tree::One(entry)) if entries => entry.label.clone(),
            _ => self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
        };
        Ok(Tree::Group {
            label,
            join,
            members,
            loose,
        })
    }

    /// What stands between documents that are joined here: the join of the group that they become members of, else that of
    /// the tier.
    fn join_here(&self) -> Literal {
        if let Some(join) = &self.join {
            return join.clone();
        }
        let tier = self
            .plan
            .tiers
            .iter()
            .find(|t| t.layers.iter().any(|l| l.name == self.layer.name));
        match tier {
            Some(tier) => tier.join.clone(),
            None => Literal::new("", self.layer.span, Vec::new()),
        }
    }

    /// Applies one budget of a node; `held` are those before it.
    fn bound(
        &mut self,
        tree: &mut Tree,
        node: &Node,
        budget: &Budget,
        held: &mut Vec<AppliedLimit>,
    ) -> Result<(), ErrorReported> {
        let asked = self.asked;
        let about = match tree {
            Tree::Group { .. } => self.written(node.about.as_ref())?,
            _ => None,
        };
        let mut bounds = BudgetTracker {
            plan: self.plan,
            bound: self.bound,
            asked,
            record: &mut self.record,
            diags: self.diags,
            by: None,
        };
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
                            // What bounded the documents bounds nothing any more.
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
                    _ => tree.label(&self.layer.name),
                };
                let (text, ends) = (tree.text(), tree.ends());
                let documents = tree.documents_mut();
                self.left_out +=
                    bounds.first_documents(documents, &leading, &label, (&text, &ends));
                held.extend(leading.held());
            }
            Limit::Documents {
                each,
                total,
                floor,
                whole,
            } => {
                let label = tree.label(&self.layer.name);
                let sizes = bounds.sizes(each.as_ref(), total.as_ref(), floor.as_ref())?;
                bounds.documents(tree.documents_mut(), budget, sizes, held, (&label, *whole))?;
                held.extend(AppliedLimit::documents(budget, sizes));
            }
        }
        Ok(())
    }
}
