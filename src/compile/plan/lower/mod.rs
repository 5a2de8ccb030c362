//! Tiers, layers and content nodes: settings inherited, roots named, every program checked.

mod budget;
mod scan;
mod inherited;
mod path;
mod root;
mod node;
mod directory_rules;

pub(super) use budget::{budget_why, counted};
pub(super) use directory_rules::directory_rules;

use super::fit::Bounded;
use super::lit::{is_label, lit};
use super::programs::Programs;
use super::visible::Visible;
use super::why::What;
use super::{Layer, Tier};
use crate::compile::merge;
use crate::diagnostic::span::Literal;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{self, Limit, Manifest, Scan};
use crate::prompt::{Changes, Deliver};
use inherited::Inherited;
use node::node;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Between tiers, and between layers of a tier that sets none, if the manifest says nothing.
const DEFAULT_JOIN: &str = "\n\n";

pub(super) fn tiers<'a>(
    manifest: &'a Manifest,
    bounds: Vec<Bounded>,
    programs: &mut Programs<'a>,
) -> Vec<Tier> {
    let lead = lead(manifest);
    for shown in manifest.roots.iter().filter_map(|r| r.shown.as_ref()) {
        lit(shown, is_label, programs);
    }
    let mut class = Changes::Never;
    let mut live = BTreeSet::new();
    let mut out = Vec::new();
    for (tier, bounded) in manifest.tiers.iter().zip(bounds) {
        let inherited = Inherited::new(tier.join.clone().unwrap_or_else(|| lead.clone()));
        let mut lowered = self::tier(tier, bounded, (&lead, inherited), class, programs);
        class = lowered.inferred;
        if lowered.changes == Changes::Turn {
            live.insert(lowered.deliver);
        }
        lowered.frozen = !live.contains(&lowered.deliver);
        out.push(lowered);
    }
    out
}

/// Between tiers.
fn lead(manifest: &Manifest) -> Literal {
    let default = || {
        let nowhere = crate::diagnostic::span::Span::new(manifest.file, 0..0);
        Literal::new(DEFAULT_JOIN, nowhere, Vec::new())
    };
    manifest.join.clone().unwrap_or_else(default)
}

/// A tier after others, `before` being their highest volatility; its settings apply inside of `around`.
fn tier<'a>(
    tier: &'a manifest::Tier,
    bounded: Bounded,
    (lead, mut around): (&Literal, Inherited),
    before: Changes,
    programs: &mut Programs<'a>,
) -> Tier {
    around.transformed(&tier.transforms, programs);
    programs.keeps_join(tier, &around.join);
    let layers: Vec<Layer> = tier
        .layers
        .iter()
        .map(|l| {
            programs.enter(l);
            let scan = tier.transforms.scan.as_ref();
            if let Some(used) = scan
                .filter(|_| l.transforms.scan.is_none())
                .and_then(Scan::used)
            {
                programs.keeps_scan(&used.set.value);
            }
            let mut layer = layer(l, &around, programs);
            // Dropping a layer does not make it less loaded, so `loaded()` keeps the volatility without the budget.
            if l.required != Some(true) || l.min.is_some() {
                layer.why.add(bounded.why.clone());
            }
            layer
        })
        .collect();
    programs.locked = None;
    // A tier is rendered even if its own text is empty, like everything before it.
    let class = layers
        .iter()
        .map(|l| l.why.changes)
        .fold(before, Changes::max);
    Tier {
        name: tier.name.value.clone(),
        changes: tier.changes.as_ref().map_or(class, |c| c.value),
        inferred: class,
        deliver: tier.deliver.as_ref().map_or(Deliver::System, |d| d.value),
        frozen: true,
        join: around.join,
        lead: lead.clone(),
        bounded,
        layers,
        span: tier.span,
        definition: tier.definition.clone(),
    }
}

fn layer(layer: &manifest::Layer, tier: &Inherited, programs: &mut Programs<'_>) -> Layer {
    let mut inherited = tier.clone();
    inherited.transformed(&layer.transforms, programs);
    let mut why = programs.manifest_why(layer.span);
    why.add(programs.expression_why(What::Condition, layer.when.as_ref(), Visible::Plain));
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
    let loading = why.reasons.len();
    let nodes = layer.content.iter().flat_map(manifest::Node::descendants);
    let mut memories = nodes.filter_map(|node| node.kind.reading());
    let site = Visible::Layer {
        parts: &part_names,
        content: layer.content.is_some(),
        capacity: memories.any(|memory| memory.capacity.is_some()),
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
        why.add(budget_why(budget, Visible::Marker, programs));
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
        lock: programs.locked.map(|(_, lock)| lock),
        manifest: programs.homes_at(layer.name.span).key(),
        content,
        parts,
        template: layer.template.as_ref().map(merge::key),
        budgets: counted(&layer.budgets, programs),
        trim: inherited.steps.trim,
        why,
        loading,
        definition: layer.definition.clone(),
        nodes: Arc::new(layer.places.iter().copied().zip(0..).collect()),
    }
}
