//! What rules look at: every node and every program of a manifest, and where each stands.

use super::order::{self, Order};
use super::prints::{self, Print};
use super::sizes::Sizes;
use super::{Build, Options};
use crate::compile::{LayerPlan, Plan, TierPlan};
use crate::diagnostic::span::{Files, Literal, Span};
use crate::manifest::{
    Budget, Fact, Hint, Layer, Manifest, Node, NodeKind, Program, Scan, Source, TemplateRef, Tier,
    Transforms,
};
use crate::prompt::Changes;
use crate::request::cost::CostQuery;
use crate::template::Analysis;
use std::collections::BTreeMap;

/// Where something stands.
#[derive(Debug, Clone)]
pub struct Site<'a> {
    /// The tier; none for what stands at the top level.
    pub tier: Option<&'a Tier>,
    /// The layer, if it stands in one.
    pub layer: Option<&'a Layer>,
    /// How often the text there may change: what its tier promises.
    pub changes: Changes,
    /// The names of the nodes around it, innermost first.
    pub around: Vec<Span>,
    /// The conditions that hold wherever it is used, outermost first.
    pub conditions: Vec<&'a Literal>,
    /// The hint, if it stands in it and so is no part of the prompt.
    pub hint: Option<&'a Hint>,
}

/// What a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramKind {
    /// An expression that a name stands for.
    Let,
    /// `when`: whether a layer or node is there.
    When,
    /// `where`: which documents count.
    Where,
    /// The template of a layer or reminder, or as a member of a group.
    Template,
    /// `wrap` of a node or of imports.
    Wrap,
    /// What stands for a document that a scan replaced.
    Placeholder,
    /// Why a document is hidden.
    Hide,
    /// What stands where a text was cut.
    Marker,
}

impl ProgramKind {
    /// Whether it is an expression; else it is a template.
    #[must_use]
    pub fn is_expression(self) -> bool {
        matches!(self, Self::Let | Self::When | Self::Where)
    }
}

/// A program, and where it is used. A template that others include is used once for each of them.
#[derive(Debug, Clone)]
pub struct ProgramUse<'a> {
    /// What it is for.
    pub kind: ProgramKind,
    /// Its source.
    pub program: Program,
    /// What it uses and prints by itself.
    pub analysis: &'a Analysis,
    /// Where it is used.
    pub site: Site<'a>,
    /// Whether another template includes, extends or imports it, and so runs it.
    pub included: bool,
}

/// A content node, and where it stands.
#[derive(Debug, Clone)]
pub struct NodeUse<'a> {
    /// The node.
    pub node: &'a Node,
    /// The nodes around it, outermost first.
    pub parents: Vec<&'a Node>,
    /// Where it stands; `around` begins with the node itself.
    pub site: Site<'a>,
}

impl NodeUse<'_> {
    /// The root that it reads, as written on it, on a node around it or on the hint.
    #[must_use]
    pub fn root(&self) -> &str {
        let all = self.parents.iter().copied().chain([self.node]);
        let named = all.rev().find_map(|n| n.settings.root.as_ref());
        let of_hint = self.site.hint.and_then(|h| h.root.as_ref());
        named.or(of_hint).map_or("workspace", |r| r.value.as_str())
    }

    /// The nodes around it and itself, outermost first.
    pub fn way(&self) -> impl DoubleEndedIterator<Item = &'_ Node> {
        self.parents.iter().copied().chain([self.node])
    }
}

/// A plan, taken apart for rules.
#[derive(Debug)]
pub struct Context<'a> {
    /// What is judged.
    pub plan: &'a Plan,
    /// The text of its files.
    pub files: &'a Files,
    /// Prompts that were built from it; none without `--sources`.
    pub builds: &'a [Build],
    /// How much text each layer is, if that is known.
    pub sizes: Option<Sizes>,
    /// The least prefix that a provider keeps, in tokens.
    pub min_prefix: usize,
    /// The model that figures are for, if one is named.
    pub asked: Option<&'a CostQuery>,
    /// The base that was asked for and that the manifest does not stand on.
    pub missing_base: Option<&'a str>,
    /// The moves of tiers that keep most; none if nothing is to be moved.
    pub order: Option<Order>,
    /// The tiers, in order.
    pub tiers: Vec<TierPlan<'a>>,
    /// Every program, in order.
    pub programs: Vec<ProgramUse<'a>>,
    /// Every content node, in order, groups before their members.
    pub nodes: Vec<NodeUse<'a>>,
    /// Every place at which a fact is printed, in order.
    pub prints: Vec<Print<'a>>,
    /// The layers by name, by their tier and their place in it.
    layers: BTreeMap<&'a str, (usize, usize)>,
    /// What a waiver can stand in, by place.
    sites: BTreeMap<Span, SiteIndex>,
}

/// What stands at a place: a tier, a layer of it, or a node, by their numbers.
#[derive(Debug, Clone, Copy)]
enum SiteIndex {
    Tier(usize),
    Layer(usize, usize),
    Node(usize),
}

impl<'a> Context<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        files: &'a Files,
        builds: &'a [Build],
        options: &'a Options,
    ) -> Self {
        let mut walk = Walk {
            plan,
            programs: Vec::new(),
            nodes: Vec::new(),
        };
        let tiers: Vec<TierPlan<'a>> = plan.tiers().collect();
        for item in &plan.manifest().lets {
            let site = Site {
                tier: None,
                layer: None,
                changes: Changes::Never,
                around: Vec::new(),
                conditions: Vec::new(),
                hint: None,
            };
            walk.expression(ProgramKind::Let, Some(&item.expression), &site);
        }
        for tier in &tiers {
            walk.tier(tier);
        }
        if let Some(hint) = &plan.manifest().hint {
            walk.hint(hint);
        }
        walk.session();
        let mut context = Self {
            plan,
            files,
            builds,
            sizes: Sizes::of(builds, options.asked.as_ref()).or_else(|| options.recorded.clone()),
            min_prefix: options.min_prefix,
            asked: options.asked.as_ref(),
            missing_base: options.missing_base.as_deref(),
            order: None,
            programs: walk.programs,
            nodes: walk.nodes,
            tiers,
            prints: Vec::new(),
            layers: BTreeMap::new(),
            sites: BTreeMap::new(),
        };
        context.index();
        context.order = order::order(&context);
        context.prints = prints::collect(&context);
        context
    }

    /// Of several of one name or place the first counts, tiers before nodes.
    fn index(&mut self) {
        for (at, node) in self.nodes.iter().enumerate().rev() {
            self.sites.insert(node.node.span, SiteIndex::Node(at));
        }
        for (number, tier) in self.tiers.iter().enumerate().rev() {
            for (at, layer) in tier.layers.iter().enumerate().rev() {
                self.sites
                    .insert(layer.written.span, SiteIndex::Layer(number, at));
                self.layers.insert(&layer.written.name.value, (number, at));
            }
            self.sites
                .insert(tier.written.span, SiteIndex::Tier(number));
        }
    }

    /// Where the tier, layer or source with that name's place stands.
    #[must_use]
    pub fn site_of(&self, span: Span) -> Option<Site<'a>> {
        match *self.sites.get(&span)? {
            SiteIndex::Layer(tier, at) => Some(self.layer_at(tier, at)?.1),
            SiteIndex::Node(at) => Some(self.nodes.get(at)?.site.clone()),
            SiteIndex::Tier(at) => {
                let tier = self.tiers.get(at)?;
                Some(Site {
                    tier: Some(tier.written),
                    layer: None,
                    changes: tier.changes,
                    around: vec![tier.written.span],
                    conditions: Vec::new(),
                    hint: None,
                })
            }
        }
    }

    /// The layer of that name, and where it stands.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<(LayerPlan<'a>, Site<'a>)> {
        let (tier, at) = *self.layers.get(name)?;
        self.layer_at(tier, at)
    }

    fn layer_at(&self, tier: usize, at: usize) -> Option<(LayerPlan<'a>, Site<'a>)> {
        let tier = self.tiers.get(tier)?;
        let layer = tier.layers.get(at)?;
        let site = Site {
            tier: Some(tier.written),
            layer: Some(layer.written),
            changes: tier.changes,
            around: vec![layer.written.span, tier.written.span],
            conditions: layer.written.when.iter().collect(),
            hint: None,
        };
        Some((*layer, site))
    }

    /// The content node at that place.
    #[must_use]
    pub fn node_of(&self, span: Span) -> Option<&NodeUse<'a>> {
        match *self.sites.get(&span)? {
            SiteIndex::Node(at) => self.nodes.get(at),
            SiteIndex::Tier(_) | SiteIndex::Layer(..) => None,
        }
    }

    /// The content nodes that are part of the prompt, in order.
    pub fn of_prompt(&self) -> impl Iterator<Item = &NodeUse<'a>> {
        self.nodes.iter().filter(|n| n.site.hint.is_none())
    }

    /// The manifest, with its bases.
    #[must_use]
    pub fn manifest(&self) -> &'a Manifest {
        self.plan.manifest()
    }

    /// Whether a fact is the time at which a session begins: from the clock, declared to change from session to session, in a
    /// manifest that says what a session is. A prompt that is built at each call has no such time.
    #[must_use]
    pub fn is_session_start(&self, fact: &Fact) -> bool {
        let declared = fact.changes.as_ref().map(|c| c.value);
        fact.clock.is_some()
            && declared == Some(Changes::Session)
            && self.manifest().session.is_some()
    }
}

struct Walk<'a> {
    plan: &'a Plan,
    programs: Vec<ProgramUse<'a>>,
    nodes: Vec<NodeUse<'a>>,
}

impl<'a> Walk<'a> {
    fn tier(&mut self, plan: &TierPlan<'a>) {
        let tier = plan.written;
        let site = Site {
            tier: Some(tier),
            layer: None,
            changes: plan.changes,
            around: vec![tier.span],
            conditions: Vec::new(),
            hint: None,
        };
        self.transforms(&tier.transforms, &site);
        for layer in &tier.layers {
            self.layer(layer, &site);
        }
    }

    /// What is told of a folder is told behind the prompt, so that it may change at any turn.
    fn hint(&mut self, hint: &'a Hint) {
        let site = Site {
            tier: Some(&hint.tier),
            layer: None,
            changes: Changes::Turn,
            around: vec![hint.span],
            conditions: Vec::new(),
            hint: Some(hint),
        };
        for layer in &hint.tier.layers {
            self.layer(layer, &site);
        }
    }

    /// What is told of changes stands behind all tiers, and once it is told nothing of it changes.
    fn session(&mut self) {
        let Some(session) = &self.plan.manifest().session else {
            return;
        };
        let site = Site {
            tier: None,
            layer: None,
            changes: Changes::Turn,
            around: vec![session.span],
            conditions: Vec::new(),
            hint: None,
        };
        if let Some(reminder) = &session.reminder {
            self.template(ProgramKind::Template, reminder.template.as_ref(), &site);
            self.budgets(&reminder.budgets, &site);
        }
    }

    fn layer(&mut self, layer: &'a Layer, tier: &Site<'a>) {
        let mut site = tier.clone();
        site.layer = Some(layer);
        site.around.insert(0, layer.span);
        self.expression(ProgramKind::When, layer.when.as_ref(), &site);
        site.conditions.extend(&layer.when);
        self.transforms(&layer.transforms, &site);
        let parts = layer.parts.iter().map(|p| &p.content);
        for node in layer.content.iter().chain(parts) {
            self.node(node, &[], &site);
        }
        self.template(ProgramKind::Template, layer.template.as_ref(), &site);
        self.budgets(&layer.budgets, &site);
    }

    fn node(&mut self, node: &'a Node, parents: &[&'a Node], outer: &Site<'a>) {
        let mut site = outer.clone();
        site.around.insert(0, node.span);
        self.expression(ProgramKind::When, node.settings.when.as_ref(), &site);
        site.conditions.extend(&node.settings.when);
        self.expression(ProgramKind::Where, node.settings.filter.as_ref(), &site);
        self.transforms(&node.transforms, &site);
        self.budgets(&node.budgets, &site);
        self.nodes.push(NodeUse {
            node,
            parents: parents.to_vec(),
            site: site.clone(),
        });
        match &node.kind {
            NodeKind::First(members) | NodeKind::All { members, .. } => {
                let parents = [parents, &[node]].concat();
                for member in members {
                    self.node(member, &parents, &site);
                }
            }
            NodeKind::Source(Source::Template(template)) => {
                self.template(ProgramKind::Template, Some(template), &site);
            }
            NodeKind::Source(source) => {
                let hide = source
                    .reading()
                    .and_then(|reading| reading.choice.hide.as_ref());
                self.template(ProgramKind::Hide, hide, &site);
            }
        }
    }

    fn transforms(&mut self, transforms: &'a Transforms, site: &Site<'a>) {
        self.template(ProgramKind::Wrap, transforms.wrap.as_ref(), site);
        let imports = transforms.imports.as_ref();
        self.template(
            ProgramKind::Wrap,
            imports.and_then(|i| i.wrap.as_ref()),
            site,
        );
        let scan = transforms.scan.as_ref().and_then(Scan::used);
        let placeholder = scan.and_then(|s| s.placeholder.as_ref());
        self.template(ProgramKind::Placeholder, placeholder, site);
    }

    fn budgets(&mut self, budgets: &'a [Budget], site: &Site<'a>) {
        for budget in budgets {
            self.template(ProgramKind::Marker, budget.marker.as_ref(), site);
        }
    }

    fn expression(&mut self, kind: ProgramKind, literal: Option<&'a Literal>, site: &Site<'a>) {
        if let Some(literal) = literal
            && let Some(analysis) = self.plan.analysis(literal)
        {
            self.programs.push(ProgramUse {
                kind,
                program: Program::Inline(literal.clone()),
                analysis,
                site: site.clone(),
                included: false,
            });
        }
    }

    /// A template and all that it includes, each once.
    fn template(&mut self, kind: ProgramKind, template: Option<&'a TemplateRef>, site: &Site<'a>) {
        let Some(template) = template else {
            return;
        };
        let programs = self.plan.template_with_included(template);
        for (index, (program, analysis)) in programs.into_iter().enumerate() {
            self.programs.push(ProgramUse {
                kind,
                program: program.clone(),
                analysis,
                site: site.clone(),
                included: index > 0,
            });
        }
    }
}
