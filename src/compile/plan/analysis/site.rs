//! The location of every tier, node and program of a plan: the one walk over a manifest for checks.

use crate::compile::plan::{Plan, TierPlan, What};
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{
    Budget, DirectoryRules, Layer, Node, NodeKind, Program, Scan, Source, TemplateRef,
};
use crate::manifest::{Tier, Transforms};
use crate::prompt::Changes;
use crate::template::Analysis;

/// The location of a part of a plan.
#[derive(Debug, Clone)]
pub struct Site<'p> {
    /// The tier; none at the top level.
    pub tier: Option<&'p Tier>,
    /// The layer, if it is in one.
    pub layer: Option<&'p Layer>,
    /// The content nodes that it is in, outermost first.
    pub nodes: Vec<&'p Node>,
    /// How often the text there may change: what its tier promises.
    pub changes: Changes,
    /// The names of the nodes around it, innermost first.
    pub around: Vec<Span>,
    /// The conditions that hold wherever it is used, outermost first.
    pub conditions: Vec<&'p Literal>,
    /// The directory rules, if it is in one and so is no part of the prompt.
    pub directory_rules: Option<&'p DirectoryRules>,
}

impl<'p> Site<'p> {
    /// The top level; its text changes so often.
    #[must_use]
    pub fn top(changes: Changes) -> Self {
        Self {
            tier: None,
            layer: None,
            nodes: Vec::new(),
            changes,
            around: Vec::new(),
            conditions: Vec::new(),
            directory_rules: None,
        }
    }

    /// A tier.
    #[must_use]
    pub fn of_tier(tier: &TierPlan<'p>) -> Self {
        Self {
            tier: Some(tier.written),
            around: vec![tier.written.span],
            ..Self::top(tier.changes)
        }
    }

    /// A layer in it. Whether it is present is not evaluated yet.
    fn of_layer(&self, layer: &'p Layer) -> Self {
        let mut site = self.clone();
        site.layer = Some(layer);
        site.around.insert(0, layer.span);
        site
    }

    /// A node in it. Whether it is present is not evaluated yet.
    fn of_node(&self, node: &'p Node) -> Self {
        let mut site = self.clone();
        site.nodes.push(node);
        site.around.insert(0, node.span);
        site
    }
}

/// The name of a program where it is used.
#[derive(Debug, Clone, Copy)]
pub enum Written<'p> {
    /// An expression.
    Expression(&'p Literal),
    /// A template of the manifest.
    Template(&'p TemplateRef),
    /// A template that the one before it includes, extends or imports, and so runs.
    Included,
}

/// A program, and where it is used. A template that others include is used once for each of them.
#[derive(Debug, Clone)]
pub struct ProgramUse<'p> {
    /// Its purpose.
    pub what: What,
    /// Its name there.
    pub written: Written<'p>,
    /// Its source.
    pub program: &'p Program,
    /// The names that it uses and prints by itself.
    pub analysis: &'p Analysis,
    /// Where it is used.
    pub site: Site<'p>,
}

impl ProgramUse<'_> {
    /// Whether a place is in its text.
    pub(in crate::compile) fn covers(&self, place: Span) -> bool {
        let whole = self.program.span_of(0..self.program.text().len());
        whole.file == place.file && whole.start <= place.start && place.end <= whole.end
    }

    /// Whether it is an expression; else it is a template.
    #[must_use]
    pub fn is_expression(&self) -> bool {
        matches!(self.written, Written::Expression(_))
    }
}

/// A content node and its location.
#[derive(Debug, Clone)]
pub struct NodeUse<'p> {
    /// The node.
    pub node: &'p Node,
    /// Its location: inside itself.
    pub site: Site<'p>,
}

impl<'p> NodeUse<'p> {
    /// The root that it reads, as written on it, on a node around it or on the directory rules.
    #[must_use]
    pub fn root(&self) -> &'p str {
        let named = self.way().rev().find_map(|n| n.settings.root.as_ref());
        let of_directory_rules = self.site.directory_rules.and_then(|h| h.root.as_ref());
        named
            .or(of_directory_rules)
            .map_or("workspace", |r| r.value.as_str())
    }

    /// The nodes around it, outermost first.
    #[must_use]
    pub fn parents(&self) -> &[&'p Node] {
        self.site
            .nodes
            .split_last()
            .map_or(&[], |(_, around)| around)
    }

    /// The nodes around it and itself, outermost first.
    pub fn way(&self) -> impl DoubleEndedIterator<Item = &'p Node> {
        self.site.nodes.iter().copied()
    }
}

/// The items of the walk, in order; groups before their members.
pub(super) struct Walk<'p> {
    plan: &'p Plan,
    pub(super) programs: Vec<ProgramUse<'p>>,
    pub(super) nodes: Vec<NodeUse<'p>>,
    /// The location of each layer of the prompt.
    pub(super) layers: Vec<Site<'p>>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(plan: &'p Plan, tiers: &[TierPlan<'p>]) -> Self {
        let mut walk = Self {
            plan,
            programs: Vec::new(),
            nodes: Vec::new(),
            layers: Vec::new(),
        };
        let manifest = plan.manifest();
        for item in &manifest.lets {
            let site = Site::top(Changes::Never);
            walk.expression(What::Let, Some(&item.expression), &site);
        }
        for tier in tiers {
            let site = Site::of_tier(tier);
            walk.transforms(&tier.written.transforms, &site);
            for layer in &tier.written.layers {
                let layer = walk.layer(layer, &site);
                walk.layers.push(layer);
            }
        }
        if let Some(directory_rules) = &manifest.directory_rules {
            walk.directory_rules(directory_rules);
        }
        let session = manifest.session.as_ref();
        if let Some((session, reminder)) = session.and_then(|s| Some((s, s.reminder.as_ref()?))) {
            // A reminder comes after all tiers, and does not change once it is sent.
            let mut site = Site::top(Changes::Turn);
            site.around.push(session.span);
            walk.template(What::Template, reminder.template.as_ref(), &site);
            walk.markers(&reminder.budgets, &site);
        }
        walk
    }

    /// Directory rules come after the prompt, so that it may change at any turn.
    fn directory_rules(&mut self, directory_rules: &'p DirectoryRules) {
        let site = Site {
            tier: Some(&directory_rules.tier),
            around: vec![directory_rules.span],
            directory_rules: Some(directory_rules),
            ..Site::top(Changes::Turn)
        };
        for layer in &directory_rules.tier.layers {
            self.layer(layer, &site);
        }
    }

    /// The location of the layer.
    fn layer(&mut self, layer: &'p Layer, tier: &Site<'p>) -> Site<'p> {
        let mut site = tier.of_layer(layer);
        self.expression(What::Condition, layer.when.as_ref(), &site);
        site.conditions.extend(&layer.when);
        self.transforms(&layer.transforms, &site);
        layer.contents().for_each(|node| self.node(node, &site));
        self.template(What::Template, layer.template.as_ref(), &site);
        self.markers(&layer.budgets, &site);
        site
    }

    fn node(&mut self, node: &'p Node, outer: &Site<'p>) {
        let mut site = outer.of_node(node);
        self.expression(What::Condition, node.settings.when.as_ref(), &site);
        site.conditions.extend(&node.settings.when);
        self.expression(What::Filter, node.settings.filter.as_ref(), &site);
        self.transforms(&node.transforms, &site);
        self.markers(&node.budgets, &site);
        match &node.kind {
            NodeKind::Source(Source::Template(template)) => {
                self.template(What::Template, Some(template), &site);
            }
            kind => {
                let hide = kind.reading().and_then(|r| r.choice.hide.as_ref());
                self.template(What::Hide, hide, &site);
            }
        }
        self.nodes.push(NodeUse {
            node,
            site: site.clone(),
        });
        for member in node.kind.members() {
            self.node(member, &site);
        }
    }

    fn transforms(&mut self, transforms: &'p Transforms, site: &Site<'p>) {
        self.template(What::Wrap, transforms.wrap.as_ref(), site);
        let imports = transforms.imports.as_ref();
        let imported = imports.and_then(|i| i.wrap.as_ref());
        self.template(What::Wrap, imported, site);
        let scan = transforms.scan.as_ref().and_then(Scan::used);
        let placeholder = scan.and_then(|s| s.placeholder.as_ref());
        self.template(What::Placeholder, placeholder, site);
    }

    fn markers(&mut self, budgets: &'p [Budget], site: &Site<'p>) {
        for budget in budgets {
            self.template(What::Marker, budget.marker.as_ref(), site);
        }
    }

    fn expression(&mut self, what: What, written: Option<&'p Literal>, site: &Site<'p>) {
        if let Some(literal) = written
            && let Some(kept) = self.plan.expressions.get(&literal.span)
        {
            self.programs.push(ProgramUse {
                what,
                written: Written::Expression(literal),
                program: &kept.program,
                analysis: &kept.analysis,
                site: site.clone(),
            });
        }
    }

    /// A template and all that it includes, each once.
    fn template(&mut self, what: What, written: Option<&'p TemplateRef>, site: &Site<'p>) {
        let Some(template) = written else {
            return;
        };
        let mut written = Written::Template(template);
        for (program, analysis) in self.plan.template_with_included(template) {
            self.programs.push(ProgramUse {
                what,
                written: std::mem::replace(&mut written, Written::Included),
                program,
                analysis,
                site: site.clone(),
            });
        }
    }
}
