//! Content nodes: sources are read, groups take the first or all of their members, budgets come last.

use super::tree::{Gathered, Tree};
use crate::compile::asked::Asked;
use crate::compile::bind::Bound;
use crate::compile::bound::{Bounds, Held, called};
use crate::compile::plan::{Kind, Layer, Node, Plan};
use crate::compile::record::Record;
use crate::diagnostic::{Diagnostic, Diagnostics, Reported, suggest};
use crate::document::Document;
use crate::expr::Scope;
use crate::manifest::{Budget, Limit, Program};
use crate::prompt::{Reason, UnusedReason};
use crate::span::Literal;
use crate::world::World;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Gathers the content of one layer.
pub(super) struct Gatherer<'a> {
    pub(super) plan: &'a Plan,
    pub(super) bound: &'a Bound,
    pub(super) world: &'a dyn World,
    pub(super) asked: &'a Asked,
    pub(super) layer: &'a Layer,
    pub(super) record: Record,
    diags: &'a mut Diagnostics,
    /// A file was looked for.
    pub(super) looked: bool,
    /// A file or a fact was there.
    pub(super) found: bool,
    /// What was looked for, in words.
    pub(super) wanted: Vec<String>,
    /// Inside a climbing group: the root and the folder that is tried.
    pub(super) level: Option<(Arc<str>, String)>,
    /// Whether a climbing group may still find something further up, so that what is missing here is not yet missing.
    pub(super) higher: bool,
    /// How many entries budgets left out.
    pub(super) left_out: usize,
}

impl<'a> Gatherer<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        bound: &'a Bound,
        world: &'a dyn World,
        asked: &'a Asked,
        layer: &'a Layer,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self {
            plan,
            bound,
            world,
            asked,
            layer,
            record: Record::new(&layer.name),
            diags,
            looked: false,
            found: false,
            wanted: Vec::new(),
            level: None,
            higher: false,
            left_out: 0,
        }
    }

    pub(super) fn finish(self) -> Record {
        self.record
    }

    pub(super) fn scope(&self) -> Scope {
        self.asked.scope(&self.bound.values)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diags.push(diagnostic)
    }

    /// Why a content that yields nothing does so. `yielded` if it did before a budget dropped it.
    pub(super) fn why_nothing(&self, yielded: bool) -> (Reason, String) {
        if yielded {
            (Reason::Dropped, "a budget left nothing of it".to_owned())
        } else if self.found {
            (Reason::Empty, self.record.why_empty())
        } else if self.looked && !self.wanted.is_empty() {
            let mut seen = BTreeSet::new();
            let wanted = self
                .wanted
                .iter()
                .map(String::as_str)
                .filter(|w| seen.insert(*w));
            let wanted = suggest::choice(wanted);
            (Reason::Missing, format!("there is no {wanted}"))
        } else {
            (
                Reason::Condition,
                "every part of it is ruled out by a condition or a missing fact".to_owned(),
            )
        }
    }

    /// Asks a condition and writes down the question, the answer and the facts behind it.
    pub(super) fn condition(
        &mut self,
        expression: &Literal,
        scope: &Scope,
    ) -> Result<bool, Reported> {
        match self.plan.engine.evaluate(&expression.text, scope) {
            Ok(answer) => {
                let value = answer.is_true();
                self.record
                    .ingredients
                    .intern(crate::prompt::Ingredient::Condition {
                        expression: expression.text.to_string(),
                        value,
                    });
                self.record.facts(&self.bound.values, &answer.facts);
                for question in answer.asked {
                    self.record.ingredients.intern(question);
                }
                Ok(value)
            }
            Err(failure) => {
                Err(self.report(failure.diagnostic(&Program::Inline(expression.clone()))))
            }
        }
    }

    /// What a node yields.
    pub(super) fn gather(&mut self, node: &Node) -> Result<Gathered, Reported> {
        if let Some(when) = &node.when {
            let scope = self.scope();
            if !self.condition(when, &scope)? {
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
    fn group(&mut self, node: &Node) -> Result<Gathered, Reported> {
        if node.from.is_none() {
            return self.members(node);
        }
        let root = self.root(node)?;
        let outer = (self.level.take(), self.higher);
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
        (self.level, self.higher) = outer;
        Ok(if found.yielded {
            found
        } else {
            Gathered::nothing()
        })
    }

    fn members(&mut self, node: &Node) -> Result<Gathered, Reported> {
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

    fn source(&mut self, node: &Node) -> Result<Gathered, Reported> {
        let documents = match &node.kind {
            Kind::Text(literal) => self.literal(node, literal)?.into_iter().collect(),
            Kind::Fact(name) => self.fact(node, &name.value)?.into_iter().collect(),
            Kind::Template(key) => self.template(node, key)?.into_iter().collect(),
            _ => self.read(node)?,
        };
        let yielded = !documents.is_empty();
        let mut members: Vec<Tree> = documents.into_iter().map(Tree::One).collect();
        let tree = match members.len() {
            0 => Tree::Empty,
            1 if !matches!(node.kind, Kind::Glob { .. }) => members.remove(0),
            _ => Tree::Group {
                label: self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
                join: self.tier_join(),
                members,
                loose: matches!(node.kind, Kind::Glob { .. }),
            },
        };
        Ok(Gathered { tree, yielded })
    }

    fn tier_join(&self) -> Literal {
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
        held: &mut Vec<Held>,
    ) -> Result<(), Reported> {
        let asked = self.asked;
        let about = match tree {
            Tree::Group { .. } => self.written(node.about.as_ref())?,
            _ => None,
        };
        let mut bounds = Bounds {
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
                        let of_whole: Vec<Held> =
                            held.iter().filter(|h| h.whole).cloned().collect();
                        bounds.document(&mut whole, budget, max, &of_whole, None)?;
                        if whole.truncated || whole.text.as_str().is_empty() {
                            // What bounded the documents bounds nothing any more.
                            *held = of_whole;
                            *tree = Tree::One(Arc::new(whole));
                        }
                    }
                }
                held.extend(Held::one(budget, max));
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
                held.extend(Held::documents(budget, sizes));
            }
        }
        Ok(())
    }
}
