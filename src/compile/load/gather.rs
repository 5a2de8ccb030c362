//! Content nodes: sources are read, groups take the first or all of their members, budgets come last.

use super::tree::{Gathered, Tree};
use crate::compile::asked::Asked;
use crate::compile::bind::Bound;
use crate::compile::bound::{self, Bounds, Held};
use crate::compile::plan::{Kind, Layer, Node, Plan};
use crate::compile::record::Record;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported, suggest};
use crate::document::Document;
use crate::expr::Scope;
use crate::fact::FactValue;
use crate::manifest::{Budget, Limit, Lit, Missing, Program};
use crate::prompt::{Reason, UnusedReason};
use crate::source::place::{BoundRoot, Read};
use crate::source::wall::Obstacle;
use crate::source::{file, glob, walk};
use crate::span::{Literal, Span};
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
    looked: bool,
    /// A file or a fact was there.
    pub(super) found: bool,
    /// What was looked for, in words.
    wanted: Vec<String>,
    /// Inside a climbing group: the root and the folder that is tried.
    level: Option<(Arc<str>, String)>,
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
            (Reason::Empty, "what was found holds no text".to_owned())
        } else if self.looked && !self.wanted.is_empty() {
            let mut seen = BTreeSet::new();
            let wanted = self.wanted.iter().map(String::as_str).filter(|w| seen.insert(*w));
            let wanted = suggest::list(wanted);
            (Reason::Missing, format!("there is no {wanted}"))
        } else {
            (
                Reason::Condition,
                "every part of it is ruled out by a condition or a missing fact".to_owned(),
            )
        }
    }

    /// Asks a condition and writes down the question, the answer and the facts behind it.
    pub(super) fn condition(&mut self, expression: &Literal, scope: &Scope) -> Result<bool, Reported> {
        match self.plan.engine.evaluate(&expression.text, scope) {
            Ok(answer) => {
                let value = answer.is_true();
                self.record.ingredients.intern(crate::prompt::Ingredient::Condition {
                    expression: expression.text.to_string(),
                    value,
                });
                self.record.facts(&self.bound.values, &answer.facts);
                Ok(value)
            }
            Err(failure) => Err(self.report(failure.diagnostic(&Program::Inline(expression.clone())))),
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
            self.bound(&mut gathered.tree, budget, &mut held)?;
        }
        Ok(gathered)
    }

    /// A group, in each folder that it climbs until one yields text.
    fn group(&mut self, node: &Node) -> Result<Gathered, Reported> {
        if node.from.is_none() {
            return self.members(node);
        }
        let root = self.root(node)?;
        let outer = self.level.take();
        for level in self.levels(node, &root)? {
            self.level = Some((root.name.clone(), level));
            let gathered = self.members(node)?;
            if gathered.yielded {
                self.level = outer;
                return Ok(gathered);
            }
        }
        self.level = outer;
        Ok(Gathered::nothing())
    }

    fn members(&mut self, node: &Node) -> Result<Gathered, Reported> {
        match &node.kind {
            Kind::First(members) => {
                for (index, member) in members.iter().enumerate() {
                    let mut gathered = self.gather(member)?;
                    if gathered.yielded {
                        for later in &members[index + 1..] {
                            self.probe(later, UnusedReason::NotFirst);
                        }
                        self.relabel(node, &mut gathered.tree)?;
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
                        Tree::Group { members, .. } if matches!(member.kind, Kind::Glob { .. }) => {
                            trees.extend(members);
                        }
                        tree => trees.push(tree),
                    }
                }
                Ok(Gathered {
                    tree: Tree::Group {
                        label: self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
                        join: join.clone(),
                        members: trees,
                    },
                    yielded,
                })
            }
            _ => Ok(Gathered::nothing()),
        }
    }

    /// `label=` on a `first` names a group that it chose.
    fn relabel(&mut self, node: &Node, tree: &mut Tree) -> Result<(), Reported> {
        if let (Some(own), Tree::Group { label, .. }) = (self.label(node)?, tree) {
            *label = own;
        }
        Ok(())
    }

    fn source(&mut self, node: &Node) -> Result<Gathered, Reported> {
        let documents = match &node.kind {
            Kind::Text(literal) => self.literal(node, literal)?.into_iter().collect(),
            Kind::Fact(name) => self.fact(node, &name.value)?.into_iter().collect(),
            Kind::Template(key) => self.template(node, key)?.into_iter().collect(),
            _ => self.read(node)?,
        };
        let yielded = !documents.is_empty();
        let mut members: Vec<Tree> = documents.into_iter().map(|d| Tree::One(Box::new(d))).collect();
        let tree = match members.len() {
            0 => Tree::Empty,
            1 if !matches!(node.kind, Kind::Glob { .. }) => members.remove(0),
            _ => Tree::Group {
                label: self.label(node)?.unwrap_or_else(|| self.layer.name.clone()),
                join: self.tier_join(),
                members,
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

    /// The documents of a `file`, `json` or `glob`.
    fn read(&mut self, node: &Node) -> Result<Vec<Document>, Reported> {
        let root = self.root(node)?;
        let read = self.look(node, &root)?;
        self.looked = true;
        self.found |= !read.found.is_empty();
        for unused in &read.unused {
            if unused.reason == UnusedReason::Missing {
                self.wanted.push(unused.path.clone());
            }
            self.record.unused(&unused.root, &unused.path, unused.reason);
        }
        if read.found.is_empty() && node.missing == Missing::Error {
            let names: Vec<&str> = read.unused.iter().map(|u| u.path.as_str()).collect();
            let diagnostic = Diagnostic::error(
                codes::MISSING_FILE,
                format!("there is no {} in the root `{}`", suggest::list(names), root.name),
            )
            .at(node.span)
            .help("create it, or write missing=skip here");
            return Err(self.report(diagnostic));
        }
        let mut documents = Vec::new();
        for raw in read.found {
            documents.extend(self.document(node, &root, raw)?);
        }
        Ok(documents)
    }

    fn look(&mut self, node: &Node, root: &BoundRoot) -> Result<Read, Reported> {
        let read = match &node.kind {
            Kind::File(names) => {
                let levels = self.levels(node, root)?;
                let names = self.strings(names)?;
                file::read(self.world, root, &levels, &names)
            }
            Kind::Json(name) => {
                let levels = self.levels(node, root)?;
                let names = self.strings(std::slice::from_ref(name))?;
                file::read(self.world, root, &levels, &names)
            }
            Kind::Glob { patterns, exclude, .. } => {
                let patterns = self.strings(patterns)?;
                let exclude = self.strings(exclude)?;
                let levels = self.levels(node, root)?;
                self.look_up(&levels, |world, level| glob::read(world, root, level, &patterns, &exclude))
            }
            _ => Ok(Read::default()),
        };
        read.map_err(|obstacle| self.report(obstacle.diagnostic().at(node.span)))
    }

    /// The first level at which something is found.
    fn look_up(
        &self,
        levels: &[String],
        look: impl Fn(&dyn World, &str) -> Result<Read, Obstacle>,
    ) -> Result<Read, Obstacle> {
        let mut last = Read::default();
        for level in levels {
            last = look(self.world, level)?;
            if !last.found.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// The folders inside the root at which a node reads, nearest first.
    fn levels(&mut self, node: &Node, root: &BoundRoot) -> Result<Vec<String>, Reported> {
        let Some(from) = &node.from else {
            return Ok(vec![match &self.level {
                Some((climbed, level)) if *climbed == root.name => level.clone(),
                _ => String::new(),
            }]);
        };
        let disk = |root: Option<&BoundRoot>| {
            let first = root.and_then(|r| r.folders.first())?;
            first.is_disk().then(|| first.folder.clone())
        };
        match (disk(Some(root)), disk(self.bound.roots.get(&**from))) {
            (Some(top), Some(start)) => {
                walk::climb(self.world, &top, &start).map_err(|obstacle| self.report(obstacle.diagnostic().at(node.span)))
            }
            _ => Ok(vec![String::new()]),
        }
    }

    pub(super) fn root(&mut self, node: &Node) -> Result<BoundRoot, Reported> {
        let root = node.root.as_deref().and_then(|name| self.bound.roots.get(name));
        match root {
            Some(root) => Ok(root.clone()),
            // The plan gives every reading node a root that is declared.
            None => Err(self.report(
                Diagnostic::error(codes::UNKNOWN_ROOT, "this source has no root").at(node.span),
            )),
        }
    }

    /// Writes down the files of a node that is not read.
    fn probe(&mut self, node: &Node, reason: UnusedReason) {
        let members = match &node.kind {
            Kind::First(members) | Kind::All { members, .. } => members,
            Kind::File(_) | Kind::Json(_) | Kind::Glob { .. } => return self.probe_source(node, reason),
            _ => return,
        };
        for member in members {
            self.probe(member, reason);
        }
    }

    fn probe_source(&mut self, node: &Node, reason: UnusedReason) {
        let Some(root) = node.root.as_deref().and_then(|name| self.bound.roots.get(name)) else { return };
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
            Kind::Json(name) => file::existing(self.world, root, &level, &literal(std::slice::from_ref(name))),
            Kind::Glob { patterns, exclude, .. } => {
                glob::existing(self.world, root, &level, &literal(patterns), &literal(exclude))
            }
            _ => Vec::new(),
        };
        for path in paths {
            self.record.unused(&root.name, &path, reason);
        }
    }

    /// The strings that arguments stand for; a list stands for several, a missing fact for none.
    fn strings(&mut self, lits: &[Lit<String>]) -> Result<Vec<String>, Reported> {
        let mut out = Vec::new();
        for lit in lits {
            match lit {
                Lit::Value(v) => out.push(v.value.clone()),
                Lit::Fact(name) => {
                    let read = bound::lit_value(self.bound, &mut self.record, &name.value);
                    match read {
                        None => {}
                        Some(FactValue::List(items)) => {
                            for item in &items {
                                match item {
                                    serde_json::Value::String(s) => out.push(s.clone()),
                                    _ => return Err(self.unusable(&name.value, name.span, "a list of strings")),
                                }
                            }
                        }
                        Some(value) => match value.printed() {
                            Some(text) => out.push(text.to_string()),
                            None => return Err(self.unusable(&name.value, name.span, "a string or a list of strings")),
                        },
                    }
                }
            }
        }
        Ok(out)
    }

    /// `label=` or `about=`, if written and not missing.
    pub(super) fn string(&mut self, lit: Option<&Lit<String>>) -> Result<Option<Arc<str>>, Reported> {
        match lit {
            None => Ok(None),
            Some(Lit::Value(v)) => Ok(Some(v.value.as_str().into())),
            Some(Lit::Fact(name)) => match bound::lit_value(self.bound, &mut self.record, &name.value) {
                None => Ok(None),
                Some(value) => match value.printed() {
                    Some(text) => Ok(Some(text)),
                    None => Err(self.unusable(&name.value, name.span, "a string, number or date")),
                },
            },
        }
    }

    pub(super) fn label(&mut self, node: &Node) -> Result<Option<Arc<str>>, Reported> {
        self.string(node.label.as_ref())
    }

    fn unusable(&mut self, name: &str, span: Span, wanted: &str) -> Reported {
        self.report(
            Diagnostic::error(codes::FACT_NOT_USABLE, format!("`{name}` is not {wanted}, as is needed here")).at(span),
        )
    }

    /// Applies one budget of a node; `held` are those before it.
    fn bound(&mut self, tree: &mut Tree, budget: &Budget, held: &mut Vec<Held>) -> Result<(), Reported> {
        let asked = self.asked;
        let mut bounds = Bounds {
            plan: self.plan,
            bound: self.bound,
            asked,
            record: &mut self.record,
            diags: self.diags,
        };
        for held in held.iter_mut() {
            held.size = tree.size(held.unit, held.whole);
        }
        match &budget.limit {
            Limit::One(max) => {
                let Some(max) = bounds.size(max)? else { return Ok(()) };
                match tree {
                    Tree::Empty => {}
                    Tree::One(document) => _ = bounds.document(document, budget, max, held, None)?,
                    Tree::Group { label, .. } => {
                        let mut whole = bounds.as_one(label.clone(), tree.text());
                        let of_whole: Vec<Held> = held.iter().filter(|h| h.whole).cloned().collect();
                        bounds.document(&mut whole, budget, max, &of_whole, None)?;
                        if whole.truncated || whole.text.as_str().is_empty() {
                            // What bounded the documents bounds nothing any more.
                            *held = of_whole;
                            *tree = Tree::One(Box::new(whole));
                        }
                    }
                }
                held.extend(Held::one(budget, max));
            }
            Limit::Documents { each, total, floor } => {
                let label = match &*tree {
                    Tree::Group { label, .. } => label.clone(),
                    _ => self.layer.name.clone(),
                };
                let sizes = bounds.sizes(each.as_ref(), total.as_ref(), floor.as_ref())?;
                bounds.documents(tree.documents_mut(), budget, sizes, held, &label)?;
                held.extend(Held::documents(budget, sizes));
            }
        }
        Ok(())
    }
}
