//! A maximum that can never decide anything. Only what follows from numbers that are written out.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{NodeUse, Site};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Budget, Layer, Limit, Lit, Node, NodeKind, Search, Tier, Unit};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unreachable-budget",
        exit: ExitClass::Success,
        summary: "a maximum can never decide anything, because another one is always tighter",
        detail: "Its reader believes that it limits something. Lower it below the possible maximum, raise the tighter one, or remove it. Checked only where all numbers are literals in one unit.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

/// A maximum that is written out.
#[derive(Clone, Copy)]
struct Max {
    value: u64,
    unit: Unit,
    span: Span,
}

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for node in &context.analysis.nodes {
        for budget in &node.node.budgets {
            spread(node, budget, found);
        }
        inside(context, node, found);
    }
    tiers(context, found);
}

fn literal(number: &Lit<u64>) -> Option<(u64, Span)> {
    match number {
        Lit::Value(value) => Some((value.value, value.span)),
        Lit::Fact(_) => None,
    }
}

fn max(number: &Lit<u64>, unit: Unit) -> Option<Max> {
    let (value, span) = literal(number)?;
    Some(Max { value, unit, span })
}

/// The limits of the one text of a node or layer; none for those whose marker does not count.
fn whole(budgets: &[Budget]) -> impl Iterator<Item = Max> {
    let counted = budgets.iter().filter(|b| !b.marker_outside);
    counted.filter_map(|budget| match &budget.limit {
        Limit::One(n) | Limit::Leading(n) => max(n, budget.unit),
        Limit::Entries(_) | Limit::Documents { .. } => None,
    })
}

/// The limits of a budget on one document below its node.
fn one_document(budget: &Budget) -> impl Iterator<Item = Max> {
    let numbers = match &budget.limit {
        _ if budget.marker_outside => [None, None],
        Limit::One(n) | Limit::Leading(n) => [Some(n), None],
        Limit::Documents { each, total, .. } => [each.as_ref(), total.as_ref()],
        Limit::Entries(_) => [None, None],
    };
    let unit = budget.unit;
    numbers
        .into_iter()
        .flatten()
        .filter_map(move |n| max(n, unit))
}

/// `each`, `total` and `floor` of one budget.
fn spread(node: &NodeUse<'_>, budget: &Budget, found: &mut FindingSet) {
    let Limit::Documents {
        each, total, floor, ..
    } = &budget.limit
    else {
        return;
    };
    let Some((total, total_at)) = total.as_ref().and_then(literal) else {
        return;
    };
    if let Some((floor, at)) = floor.as_ref().and_then(literal)
        && floor > total
    {
        let message = format!(
            "`floor={floor}` is more than `total={total}`, so that no document is ever cut"
        );
        found.push(
            Finding::new(&RULE, at, message)
                .within(&node.site)
                .related(total_at, "all documents together")
                .help("lower `floor`; `at=entry` says that documents stay whole or go"),
        );
    }
    let Some((each, each_at)) = each.as_ref().and_then(literal) else {
        return;
    };
    if each >= total {
        let message = format!(
            "`each={each}` never bounds a document: all together have no more than `total={total}`"
        );
        found.push(
            Finding::new(&RULE, each_at, message)
                .within(&node.site)
                .related(total_at, "tighter, or as tight")
                .help("lower `each` or remove it"),
        );
    } else if let Some(count) = most_documents(node)
        && each.saturating_mul(count) <= total
    {
        let documents = if count == 1 { "document" } else { "documents" };
        let message = format!(
            "`total={total}` is never reached: at most {count} {documents} of {each} are {}",
            each.saturating_mul(count)
        );
        found.push(
            Finding::new(&RULE, total_at, message)
                .within(&node.site)
                .related(each_at, "each has at most this")
                .help("lower `total` below that, or remove it"),
        );
    }
}

/// The most documents that a node can yield; none if that is not written.
fn most_documents(node: &NodeUse<'_>) -> Option<u64> {
    let every_level = |n: &Node| {
        let search = n.settings.search.as_ref();
        search.is_some_and(|s| s.value == Search::EveryLevel)
    };
    if node.way().any(every_level) {
        None
    } else {
        count(node.node)
    }
}

fn count(node: &Node) -> Option<u64> {
    let search = node.settings.search.as_ref();
    if search.is_some_and(|s| s.value == Search::EveryLevel) {
        return None;
    }
    match &node.kind {
        kind if kind.reading().is_some_and(|reading| reading.kind.many) => None,
        NodeKind::Source(_) => Some(1),
        NodeKind::First(members) => members
            .iter()
            .map(count)
            .try_fold(0, |n, m| Some(n.max(m?))),
        NodeKind::All { members, .. } => members.iter().map(count).try_fold(0, |n, m| Some(n + m?)),
    }
}

/// The budgets of a node against those of the groups and the layer around it.
fn inside(context: &Context<'_>, node: &NodeUse<'_>, found: &mut FindingSet) {
    let around = node.parents().iter().flat_map(|n| n.budgets.iter());
    let around = around.flat_map(one_document);
    let layer = node
        .site
        .layer
        .filter(|layer| keeps_content(context, layer, node));
    let outer: Vec<Max> = around
        .chain(layer.into_iter().flat_map(|l| whole(&l.budgets)))
        .collect();
    let own = node.node.budgets.iter().filter(|b| !b.marker_outside);
    for budget in own {
        let number = match &budget.limit {
            Limit::One(n) | Limit::Leading(n) => n,
            Limit::Documents { total: Some(n), .. } | Limit::Documents { each: Some(n), .. } => n,
            Limit::Entries(_) | Limit::Documents { .. } => continue,
        };
        let Some(inner) = max(number, budget.unit) else {
            continue;
        };
        let tighter = outer
            .iter()
            .find(|o| o.unit == inner.unit && o.value <= inner.value);
        if let Some(outer) = tighter {
            let message = format!(
                "this maximum of {} never decides: around it there is room for {} {}",
                inner.value,
                outer.value,
                outer.unit.name()
            );
            found.push(
                Finding::new(&RULE, inner.span, message)
                    .within(&node.site)
                    .related(outer.span, "tighter, or as tight")
                    .help("lower it, raise the one around it, or remove one of them"),
            );
        }
    }
}

/// Whether all of a node's text is in the text that the budget of its layer counts.
fn keeps_content(context: &Context<'_>, layer: &Layer, node: &NodeUse<'_>) -> bool {
    let is = |n: &Node| std::ptr::eq(n, node.way().next().unwrap_or(node.node));
    if !layer.content.as_ref().is_some_and(is) {
        return false;
    }
    layer.template.as_ref().is_none_or(|template| {
        let programs = context.plan.template_with_included(template);
        programs.iter().any(|(program, _)| {
            let text = program.text();
            text.contains("{{ content }}") && !text.contains("{%")
        })
    })
}

/// The budgets of layers, tiers and the prompt against each other.
fn tiers(context: &Context<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    let unit_of_prompt = manifest
        .budget
        .as_ref()
        .map(|b| b.unit.as_ref().map_or(Unit::Chars, |u| u.value));
    let prompt = manifest
        .budget
        .as_ref()
        .and_then(|b| max(&b.max, unit_of_prompt?));
    let mut sum = Some(0_u64);
    for tier in &context.analysis.tiers {
        let written = tier.written;
        let system = tier.deliver == Deliver::System;
        let own = written.budget.as_ref().and_then(|budget| {
            let unit = unit_of_prompt.or(budget.unit.as_ref().map(|u| u.value));
            max(&budget.max, unit.unwrap_or(Unit::Chars))
        });
        let site = Site::of_tier(tier);
        if let (Some(own), Some(prompt), true) = (own, prompt, system)
            && own.value >= prompt.value
        {
            found.push(tighter(&site, own, prompt, "the prompt"));
        }
        let outer = own.or(prompt.filter(|_| system));
        for layer in &written.layers {
            above(&site, layer, outer, found);
        }
        let layers = outer.and_then(|outer| sum_of_layers(context, written, outer.unit));
        if let (Some(own), Some(layers)) = (own, layers)
            && own.value >= layers
        {
            found.push(never_reached(
                &site,
                own,
                layers,
                "its layers and the joins between them",
            ));
        }
        if system {
            let most = match (own, layers) {
                (Some(own), Some(layers)) => Some(own.value.min(layers)),
                (own, layers) => own.map(|o| o.value).or(layers),
            };
            sum = sum.zip(most).map(|(a, b)| a.saturating_add(b));
        }
    }
    if let (Some(prompt), Some(sum)) = (prompt, sum)
        && prompt.value >= sum
    {
        let top = Site::top(Changes::Never);
        found.push(never_reached(&top, prompt, sum, "its tiers"));
    }
}

/// A layer's budget that is larger than what its tier may have.
fn above(tier: &Site<'_>, layer: &Layer, outer: Option<Max>, found: &mut FindingSet) {
    for own in whole(&layer.budgets) {
        if let Some(outer) = outer.filter(|o| o.unit == own.unit && o.value < own.value) {
            let finding = tighter(tier, own, outer, "the tier");
            let mut finding = finding.around(layer.span);
            finding.around.rotate_right(1);
            finding.layer = Some(layer.name.value.clone());
            found.push(finding);
        }
    }
}

fn tighter(site: &Site<'_>, own: Max, outer: Max, what: &str) -> Finding {
    let message = format!(
        "this maximum of {} never decides: {what} has room for {} {}",
        own.value,
        outer.value,
        outer.unit.name()
    );
    Finding::new(&RULE, own.span, message)
        .within(site)
        .related(outer.span, "tighter, or as tight")
        .help("lower it, raise the one around it, or remove one of them")
}

fn never_reached(site: &Site<'_>, own: Max, sum: u64, what: &str) -> Finding {
    let message = format!(
        "this maximum of {} is never reached: {what} have at most {sum} {}",
        own.value,
        own.unit.name()
    );
    Finding::new(&RULE, own.span, message)
        .within(site)
        .help("lower it below that, or remove it")
}

/// The most that the layers of a tier can have, with the joins before each; none if one is not bounded.
fn sum_of_layers(context: &Context<'_>, tier: &Tier, unit: Unit) -> Option<u64> {
    // Lines and tokens of a whole are not the sum of those of its parts.
    if !matches!(unit, Unit::Chars | Unit::Bytes) {
        return None;
    }
    let manifest = context.manifest();
    let lead = manifest.join.as_ref().map_or("\n\n", |j| &j.text);
    let join = tier.join.as_ref().map_or(lead, |j| &j.text);
    let size = |text: &str| match unit {
        Unit::Bytes => text.len() as u64,
        _ => text.chars().count() as u64,
    };
    let mut sum = 0_u64;
    for (index, layer) in tier.layers.iter().enumerate() {
        let outside = layer.budgets.iter().any(|b| b.marker_outside);
        let own = whole(&layer.budgets)
            .filter(|m| m.unit == unit)
            .map(|m| m.value)
            .min();
        let own = own.filter(|_| !outside)?;
        let front = match index {
            // Nothing comes before the first text of a channel.
            0 if is_first(context, tier) => "",
            0 => lead,
            _ => join,
        };
        sum = sum.saturating_add(own).saturating_add(size(front));
    }
    Some(sum)
}

/// Whether no tier comes before it in its channel.
fn is_first(context: &Context<'_>, tier: &Tier) -> bool {
    let own = context
        .analysis
        .tiers
        .iter()
        .position(|t| std::ptr::eq(t.written, tier));
    let deliver = own.map(|at| context.analysis.tiers[at].deliver);
    own == context
        .analysis
        .tiers
        .iter()
        .position(|t| Some(t.deliver) == deliver)
}
