//! Tiers, layers and content nodes: settings inherited, roots named, every program checked.

use super::fit::Bounded;
use super::names;
use super::programs::{Programs, Site};
use super::why::{Link, What, Why};
use super::{Climb, Kind, Layer, Node, Steps, Tier};
use crate::compile::merge;
use crate::compile::roots::WORKSPACE;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::expr::Engine;
use crate::manifest::{
    self, Budget, FactType, FileName, Invalid, Limit, Lit, Manifest, Missing, NamePart, NodeKind,
    Order, Search, Settings, Source, Transforms, Unit,
};
use crate::prompt::{Changes, Deliver, Ingredient, sha256};
use crate::source::pattern::{Name, Pattern};
use crate::source::wall;
use crate::span::{Literal, Spanned};
use crate::tokens::Tokenizer;
use std::sync::Arc;

/// Between tiers, and between layers of a tier that sets none, if the manifest says nothing.
const DEFAULT_JOIN: &str = "\n\n";

/// The key of the marker that a budget without `marker` uses.
pub(in crate::compile) fn default_marker(unit: Unit) -> String {
    format!("default-marker:{}", unit.word())
}

/// The markers of budgets that write none.
pub(super) fn add_default_markers(engine: &mut Engine) {
    let tokens = Unit::Tokens(Tokenizer::O200K);
    for unit in Unit::PLAIN.into_iter().chain([tokens]) {
        let source = format!(
            "\n\n[… {{{{ label }}}}: {{{{ omitted }}}} of {{{{ total }}}} {} left out …]\n\n",
            unit.word()
        );
        let ingredient = Ingredient::Template {
            file: default_marker(unit),
            line: None,
            sha256: sha256(&source),
        };
        // The source is a constant of this file; that it compiles is what every cut with a default marker tests.
        let _ = engine.add_template(&default_marker(unit), source, ingredient);
    }
}

/// The budgets of a node or layer. Tokens without a tokenizer count as those of the prompt's budget do, if it counts tokens.
fn counted(budgets: &[Budget], programs: &Programs<'_>) -> Vec<Budget> {
    let prompt = programs.manifest.budget.as_ref();
    let of_prompt = prompt.and_then(|p| Some(p.unit.as_ref()?.value));
    let mut out = budgets.to_vec();
    for budget in out.iter_mut().filter(|b| b.implied) {
        if let Some(unit @ Unit::Tokens(_)) = of_prompt {
            budget.unit = unit;
        }
    }
    out
}

/// What a node passes on to what stands below it.
#[derive(Clone)]
struct Inherited {
    root: Option<Spanned<String>>,
    missing: Option<Missing>,
    invalid: Invalid,
    changes: Option<Spanned<Changes>>,
    filters: Vec<Literal>,
    filter_why: Why,
    steps: Steps,
    import_why: Why,
    wrap_why: Why,
    join: Literal,
    /// `label=` of a `first`, for the member that it takes.
    label: Option<Lit<String>>,
    /// `about=` of a group, for all documents below.
    about: Option<Lit<String>>,
}

impl Inherited {
    fn with(
        &self,
        settings: &Settings,
        transforms: &Transforms,
        programs: &mut Programs<'_>,
    ) -> Self {
        let mut out = self.clone();
        out.root = settings.root.clone().or(out.root);
        out.missing = settings.missing.as_ref().map(|m| m.value).or(out.missing);
        out.invalid = settings.invalid.as_ref().map_or(out.invalid, |i| i.value);
        out.changes = settings.changes.clone().or(out.changes);
        if let Some(filter) = &settings.filter {
            let why = programs.expression_why(What::Filter, Some(filter), Site::Document);
            out.filter_why.add(why);
            out.filters.push(filter.clone());
        }
        out.transformed(transforms, programs);
        out
    }

    fn transformed(&mut self, transforms: &Transforms, programs: &mut Programs<'_>) {
        let steps = &mut self.steps;
        steps.newlines = transforms.newlines.unwrap_or(steps.newlines);
        steps.bom = transforms.bom.unwrap_or(steps.bom);
        steps.trim = transforms.trim.unwrap_or(steps.trim);
        steps.frontmatter = transforms.frontmatter.or(steps.frontmatter);
        steps.comments = transforms.comments.unwrap_or(steps.comments);
        if let Some(imports) = &transforms.imports {
            steps.imports = Some(imports.clone());
            let wrap = imports.wrap.as_ref();
            self.import_why = programs.template_why(What::Imports, wrap, Site::Document);
        }
        if let Some(wrap) = &transforms.wrap {
            steps.wrap = Some(merge::key(wrap));
            self.wrap_why = programs.template_why(What::Wrap, Some(wrap), Site::Document);
        }
    }
}

pub(super) fn tiers(
    manifest: &Manifest,
    bounds: Vec<Bounded>,
    programs: &mut Programs<'_>,
) -> Vec<Tier> {
    let lead = manifest.join.clone().unwrap_or_else(|| {
        Literal::new(
            DEFAULT_JOIN,
            crate::span::Span::new(manifest.file, 0..0),
            Vec::new(),
        )
    });
    for shown in manifest.roots.iter().filter_map(|r| r.shown.as_ref()) {
        lit(shown, is_label, programs);
    }
    let mut class = Changes::Never;
    let mut out = Vec::new();
    for (tier, bounded) in manifest.tiers.iter().zip(bounds) {
        let join = tier.join.clone().unwrap_or_else(|| lead.clone());
        let mut inherited = Inherited {
            root: None,
            missing: None,
            invalid: Invalid::Error,
            changes: None,
            filters: Vec::new(),
            filter_why: Why::default(),
            steps: Steps {
                newlines: true,
                bom: true,
                trim: true,
                frontmatter: None,
                comments: false,
                imports: None,
                wrap: None,
            },
            import_why: Why::default(),
            wrap_why: Why::default(),
            join: join.clone(),
            label: None,
            about: None,
        };
        inherited.transformed(&tier.transforms, programs);
        let layers: Vec<Layer> = tier
            .layers
            .iter()
            .map(|l| {
                let mut layer = layer(l, &inherited, programs);
                // What gives way does not count as less loaded, so `loaded()` keeps the class without it.
                if l.required != Some(true) || l.min.is_some() {
                    layer.why.add(bounded.why.clone());
                }
                layer
            })
            .collect();
        // A tier stands on everything before it, whatever it contains itself.
        class = layers
            .iter()
            .map(|l| l.why.changes)
            .fold(class, Changes::max);
        out.push(Tier {
            name: tier.name.value.clone(),
            changes: tier.changes.as_ref().map_or(class, |c| c.value),
            inferred: class,
            deliver: tier.deliver.as_ref().map_or(Deliver::System, |d| d.value),
            join,
            lead: lead.clone(),
            bounded,
            layers,
            span: tier.span,
            definition: tier.definition.clone(),
        });
    }
    out
}

fn layer(layer: &manifest::Layer, tier: &Inherited, programs: &mut Programs<'_>) -> Layer {
    let mut inherited = tier.clone();
    inherited.transformed(&layer.transforms, programs);
    let mut why = programs.manifest_why(layer.span);
    why.add(programs.expression_why(What::Condition, layer.when.as_ref(), Site::Plain));
    let part_names: Vec<String> = layer.parts.iter().map(|p| p.name.value.clone()).collect();
    let content = layer
        .content
        .as_ref()
        .map(|n| node(n, &inherited, programs, &mut why));
    let parts = layer
        .parts
        .iter()
        .map(|p| {
            let part = node(&p.content, &inherited, programs, &mut why);
            (Arc::from(p.name.value.as_str()), part)
        })
        .collect();
    let site = Site::Layer {
        parts: &part_names,
        content: layer.content.is_some(),
    };
    why.add(programs.template_why(What::Template, layer.template.as_ref(), site));
    for budget in &layer.budgets {
        if let Limit::Documents { .. } = budget.limit {
            programs.diags.push(
                Diagnostic::error(
                    codes::CONFLICTING_SETTINGS,
                    "`each` and `total` bound documents, and a layer's budget bounds its finished text",
                )
                .at(budget.span)
                .help("write this budget on the content node, inside its braces"),
            );
        }
        if let Limit::Leading(_) | Limit::Entries(_) = budget.limit
            && layer.content.is_none()
        {
            programs.diags.push(
                Diagnostic::error(
                    codes::CONFLICTING_SETTINGS,
                    "a budget of entries leaves documents out, and a layer without content has none",
                )
                .at(budget.span)
                .help("give the layer content, or bound its text: `budget N`"),
            );
        }
        why.add(budget_why(budget, programs));
    }
    programs
        .layers
        .insert(layer.name.value.clone(), why.clone());
    Layer {
        name: layer.name.value.as_str().into(),
        span: layer.name.span,
        when: layer.when.clone(),
        required: layer.required == Some(true),
        priority: layer.priority.clone(),
        min: layer.min.clone(),
        content,
        parts,
        template: layer.template.as_ref().map(merge::key),
        budgets: counted(&layer.budgets, programs),
        trim: inherited.steps.trim,
        why,
        definition: layer.definition.clone(),
    }
}

fn node(
    node: &manifest::Node,
    around: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Node {
    let mut inherited = around.with(&node.settings, &node.transforms, programs);
    let label = node.settings.label.clone().or(inherited.label.take());
    let about = node.settings.about.clone().or(inherited.about.take());
    inherited.about.clone_from(&about);
    if let NodeKind::First(_) = node.kind {
        inherited.label.clone_from(&label);
    }
    let condition = node.settings.when.as_ref();
    why.add(programs.expression_why(What::Condition, condition, Site::Plain));
    for text in node.settings.label.iter().chain(&node.settings.about) {
        let link = Link::new(What::Label, "", text.span());
        why.through(&link, lit(text, is_label, programs));
    }
    for budget in &node.budgets {
        why.add(budget_why(budget, programs));
    }
    let from = node
        .settings
        .from
        .as_ref()
        .filter(|_| node.settings.search.is_some());
    if let Some(from) = from {
        names::known_root(programs.manifest, from, programs.diags);
        why.add(programs.root_why(&from.value, from.span));
    }
    let reads_root = from.is_some()
        || matches!(
            node.kind,
            NodeKind::Source(Source::File(_) | Source::Json(_) | Source::Glob { .. })
        );
    let root = if reads_root {
        root(node, &inherited, programs)
    } else {
        None
    };
    if let Some(root) = &root {
        let link = Link::new(What::Source, node.kind.word(), node.span);
        why.through(&link, shown_why(root, programs));
        let read = match &inherited.changes {
            Some(changes) => Why::one(
                changes.value,
                Link::new(What::Root, root.clone(), node.span),
                Some(changes.span),
            ),
            None => programs.root_why(root, node.span),
        };
        why.through(&link, read);
    }
    let kind = kind(node, &inherited, programs, why);
    let declared = root
        .as_deref()
        .and_then(|r| crate::compile::roots::declared(programs.manifest, r));
    let missing = inherited
        .missing
        .or(declared.and_then(|r| r.missing.as_ref()).map(|m| m.value))
        .unwrap_or(Missing::Skip);
    Node {
        kind,
        when: node.settings.when.clone(),
        filters: inherited.filters,
        missing,
        invalid: inherited.invalid,
        label,
        about,
        root,
        climb: from.map(|from| climb(&node.settings, from)),
        steps: inherited.steps,
        budgets: counted(&node.budgets, programs),
        span: node.span,
    }
}

fn climb(settings: &Settings, from: &Spanned<String>) -> Climb {
    let every = matches!(&settings.search, Some(s) if s.value == Search::EveryLevel);
    let order = settings
        .order
        .as_ref()
        .map_or(Order::OuterFirst, |o| o.value);
    Climb {
        from: from.value.as_str().into(),
        every: every.then_some(order),
    }
}

fn root(
    node: &manifest::Node,
    inherited: &Inherited,
    programs: &mut Programs<'_>,
) -> Option<Arc<str>> {
    if let Some(root) = &inherited.root {
        return names::known_root(programs.manifest, root, programs.diags)
            .then(|| root.value.as_str().into());
    }
    if crate::compile::roots::declared(programs.manifest, WORKSPACE).is_some() {
        return Some(WORKSPACE.into());
    }
    programs.diags.push(
        Diagnostic::error(
            codes::NO_WORKSPACE_ROOT,
            "this source says no root, and there is no root `workspace`",
        )
        .at(node.span)
        .help("declare `root workspace default=\".\"`, or write `root=NAME` here"),
    );
    None
}

fn kind(
    node: &manifest::Node,
    inherited: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Kind {
    let source = match &node.kind {
        NodeKind::First(members) => return Kind::First(below(members, inherited, programs, why)),
        NodeKind::All { join, members } => {
            return Kind::All {
                join: join.clone().unwrap_or_else(|| inherited.join.clone()),
                members: below(members, inherited, programs, why),
            };
        }
        NodeKind::Source(source) => source,
        // What merging has left in place of it is nothing.
        NodeKind::Base { .. } => {
            return Kind::All {
                join: inherited.join.clone(),
                members: Vec::new(),
            };
        }
    };
    // Only documents are filtered and wrapped, so these programs count where there are some.
    why.add(inherited.filter_why.clone());
    why.add(inherited.import_why.clone());
    why.add(inherited.wrap_why.clone());
    let link = Link::new(What::Source, node.kind.word(), node.span);
    match source {
        Source::Text(text) => Kind::Text(text.clone()),
        Source::Fact(name) => {
            text_fact(name, programs);
            why.through(&link, programs.name_why(&name.value, name.span));
            Kind::Fact(name.clone())
        }
        Source::Json(file) => {
            why.through(&link, file_name(file, programs));
            Kind::Json(file.clone())
        }
        Source::File(files) => {
            for file in files {
                why.through(&link, file_name(file, programs));
            }
            Kind::File(files.clone())
        }
        Source::Glob {
            patterns,
            exclude,
            hide,
        } => {
            for text in patterns.iter().chain(exclude) {
                why.through(&link, lit(text, is_path, programs));
            }
            check_globs(patterns, exclude, programs);
            why.add(programs.template_why(What::Hide, hide.as_ref(), Site::Document));
            Kind::Glob {
                patterns: patterns.clone(),
                exclude: exclude.clone(),
                hide: hide.as_ref().map(merge::key),
            }
        }
        Source::Template(template) => {
            why.add(programs.template_why(What::Template, Some(template), Site::Plain));
            Kind::Template(merge::key(template))
        }
    }
}

fn below(
    members: &[manifest::Node],
    inherited: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Vec<Node> {
    members
        .iter()
        .map(|m| node(m, inherited, programs, why))
        .collect()
}

/// Checks the name of a file and tells which facts are in it.
fn file_name(name: &FileName, programs: &mut Programs<'_>) -> Why {
    let (written, parts) = match name {
        FileName::Fact(name) => return lit::<()>(&Lit::Fact(name.clone()), is_path, programs),
        FileName::Written { written, parts } => (written, parts),
    };
    // A value is one plain component, so that any stands for all.
    let example: String = parts
        .iter()
        .map(|part| match part {
            NamePart::Text(text) => text.as_str(),
            NamePart::Fact(_) => "x",
        })
        .collect();
    if let Err(obstacle) = wall::inside(&example) {
        let obstacle = obstacle.about(&written.value);
        programs.diags.push(obstacle.diagnostic().at(written.span));
    }
    let facts = parts.iter().filter_map(|part| match part {
        NamePart::Text(_) => None,
        NamePart::Fact(name) => Some(Lit::<()>::Fact(name.clone())),
    });
    facts.fold(Why::default(), |mut why, fact| {
        why.add(lit(&fact, is_label, programs));
        why
    })
}

fn check_globs(patterns: &[Lit<String>], exclude: &[Lit<String>], programs: &mut Programs<'_>) {
    for pattern in patterns {
        if let Lit::Value(pattern) = pattern
            && let Err(obstacle) = Pattern::parse(&pattern.value)
        {
            programs.diags.push(obstacle.diagnostic().at(pattern.span));
        }
    }
    for name in exclude {
        if let Lit::Value(name) = name
            && let Err(obstacle) = Name::parse(&name.value)
        {
            programs.diags.push(obstacle.diagnostic().at(name.span));
        }
    }
}

fn text_fact(name: &Spanned<String>, programs: &mut Programs<'_>) {
    match programs.fact(&name.value) {
        Some(fact) if !names::is_text(fact.kind.value) => {
            let kind = fact.kind.value.name();
            programs.diags.push(
                Diagnostic::error(
                    codes::FACT_NOT_USABLE,
                    format!(
                        "`{}` is a {kind}, and only a string, number or date can stand as text",
                        name.value
                    ),
                )
                .at(name.span)
                .related(fact.kind.span, "declared here")
                .help("print it with a template, such as {{ x | join(', ') }} or {{ x | json }}"),
            );
        }
        Some(_) => {}
        None if programs.is_let(&name.value) => {}
        None => names::unknown_fact(programs.manifest, name, programs.diags),
    }
}

fn is_label(kind: FactType) -> bool {
    names::is_text(kind)
}

fn is_path(kind: FactType) -> bool {
    matches!(kind, FactType::String | FactType::List)
}

pub(super) fn is_size(kind: FactType) -> bool {
    kind == FactType::Int
}

fn is_fraction(kind: FactType) -> bool {
    matches!(kind, FactType::Int | FactType::Float)
}

/// Checks a `(fact)NAME` and tells what it depends on. Of a let no type is known before it is computed.
pub(super) fn lit<T>(lit: &Lit<T>, fits: fn(FactType) -> bool, programs: &mut Programs<'_>) -> Why {
    let Lit::Fact(name) = lit else {
        return Why::default();
    };
    match programs.fact(&name.value) {
        Some(fact) if !fits(fact.kind.value) => {
            programs.diags.push(
                Diagnostic::error(
                    codes::FACT_NOT_USABLE,
                    format!(
                        "`{}` is a {}, which cannot stand here",
                        name.value,
                        fact.kind.value.name()
                    ),
                )
                .at(name.span)
                .related(fact.kind.span, "declared here"),
            );
        }
        Some(_) => {}
        None if programs.is_let(&name.value) => {}
        None => names::unknown_fact(programs.manifest, name, programs.diags),
    }
    if programs.is_private(&name.value) {
        programs.diags.push(
            Diagnostic::error(
                codes::FACT_NOT_USABLE,
                format!(
                    "`{}` is private, and what stands here is shown in maps and messages",
                    name.value
                ),
            )
            .at(name.span)
            .help("a private value may be tested and printed, and nothing else"),
        );
    }
    programs.name_why(&name.value, name.span)
}

/// The fact that says how the paths of a root are written.
fn shown_why(root: &str, programs: &Programs<'_>) -> Why {
    let declared = crate::compile::roots::declared(programs.manifest, root);
    match declared.and_then(|r| r.shown.as_ref()) {
        Some(Lit::Fact(name)) => programs.name_why(&name.value, name.span),
        _ => Why::default(),
    }
}

fn budget_why(budget: &Budget, programs: &mut Programs<'_>) -> Why {
    let sizes: Vec<&Lit<u64>> = match &budget.limit {
        Limit::One(max) | Limit::Leading(max) | Limit::Entries(max) => vec![max],
        Limit::Documents {
            each, total, floor, ..
        } => each.iter().chain(total).chain(floor).collect(),
    };
    let sizes = sizes.into_iter().chain(&budget.step);
    let marker = budget.marker.as_ref();
    let mut why = programs.template_why(What::Marker, marker, Site::Marker);
    let link = Link::new(What::Budget, "", budget.span);
    for size in sizes {
        why.through(&link, lit(size, is_size, programs));
    }
    for fraction in budget.head.iter().chain(&budget.tail) {
        why.through(&link, lit(fraction, is_fraction, programs));
    }
    why
}
