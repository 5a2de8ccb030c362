//! A layer in which a prefix family surely parts.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{FactTexts, LayerPlan, Site, Written};
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::manifest::{Expect, Fact, Scenario, TemplateRef};
use crate::prompt::Deliver;
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "split-family",
        exit: ExitClass::Success,
        summary: "a layer that a prefix family must share differs between its members",
        detail: "`through` sets how far the prompts of the members must be equal. A layer that depends only on facts is run with the facts of the scenarios. If its texts differ, the members share no cache after it. Layers that read files or ask for other layers, and `at-least`, are checked by `promptc test`, which builds the members.",
    },
    severity: Severity::Error,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

/// The most layers that are run, each once for each member of a family; of the other members nothing is known.
const MOST_RUN: usize = 20_000;

/// The most texts that are compared.
const MOST_COMPARED: usize = 1_000_000;

/// The texts that scenarios make of the layers that families must share.
struct Texts<'a> {
    of: BTreeMap<&'a str, (&'a Scenario, FactTexts<'a>)>,
    /// The layers with templates from files: a scenario that writes roots or variables may read others.
    of_files: BTreeSet<Span>,
}

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let mut left = MOST_COMPARED;
    let mut families: Vec<Family<'_, '_>> = Vec::new();
    for expect in &context.manifest().expects {
        let Some(through) = &expect.through else {
            continue;
        };
        let layers = shared(context, &through.value);
        let Some(rest) = left.checked_sub(layers.len() * expect.members.len()) else {
            break;
        };
        left = rest;
        families.push((expect, through, layers));
    }
    if families.is_empty() {
        return;
    }
    let texts = texts(context, &families);
    for family in &families {
        compare(context, family, &texts, found);
    }
}

/// A family, its end, and the layers up to there, each with its location.
type Family<'c, 'a> = (
    &'c Expect,
    &'c Spanned<String>,
    Vec<(&'c LayerPlan<'a>, &'c Site<'a>)>,
);

fn texts<'c>(context: &'c Context<'_>, families: &[Family<'c, '_>]) -> Texts<'c> {
    let layers = families.iter().flat_map(|(_, _, layers)| layers);
    let layers = layers.map(|(layer, _)| layer.written.name.value.as_str());
    let layers: BTreeSet<&str> = layers.collect();
    let members = families.iter().flat_map(|(expect, ..)| &expect.members);
    let members: BTreeSet<&str> = members.map(|member| member.value.as_str()).collect();
    let scenarios = context.manifest().scenarios.iter();
    let scenarios = scenarios.filter(|s| members.contains(s.name.value.as_str()));
    let most = MOST_RUN / layers.len().max(1);
    let of = scenarios.take(most).filter_map(|scenario| {
        let texts = context.plan.fact_texts(scenario, &layers)?;
        Some((scenario.name.value.as_str(), (scenario, texts)))
    });
    let files = context.analysis.programs.iter().filter(|used| {
        let inline = matches!(used.written, Written::Template(TemplateRef::Inline(_)));
        !inline && !used.is_expression()
    });
    Texts {
        of: of.collect(),
        of_files: files
            .filter_map(|used| Some(used.site.layer?.span))
            .collect(),
    }
}

/// A member and its texts of the layers to share.
type Member<'t, 'a> = &'t (&'a Scenario, FactTexts<'a>);

/// Reports each layer in which a member of a family surely leaves the first.
fn compare(
    context: &Context<'_>,
    (expect, through, layers): &Family<'_, '_>,
    texts: &Texts<'_>,
    found: &mut FindingSet,
) {
    let member = |name: &Spanned<String>| texts.of.get(name.value.as_str());
    let Some((first, others)) = expect.members.split_first() else {
        return;
    };
    let Some(first) = member(first) else {
        return;
    };
    for (layer, site) in layers {
        let of_files = texts.of_files.contains(&layer.written.span);
        let known = |(scenario, _): Member<'_, '_>| {
            !of_files || scenario.roots.is_empty() && scenario.env.is_empty()
        };
        let name = &layer.written.name.value;
        let mut others = others.iter().filter_map(member);
        let other =
            others.find(|other| known(first) && known(other) && first.1.differ(&other.1, name));
        if let Some(other) = other {
            let finding = finding(context, layer, [first, other], expect);
            let finding = finding.related(through.span, "all up to here must be shared");
            found.push(finding.within(site));
        }
    }
}

/// The layers up to the end of `through`, in the order of a request, each with its location.
fn shared<'c, 'a>(
    context: &'c Context<'a>,
    through: &str,
) -> Vec<(&'c LayerPlan<'a>, &'c Site<'a>)> {
    let Some((end, count)) = context.manifest().through(through) else {
        return Vec::new();
    };
    let channel = end.channel();
    let tiers = &context.analysis.tiers;
    let until = tiers.iter().position(|tier| tier.written.span == end.span);
    let until = until.unwrap_or(0);
    let of = |deliver: Deliver| {
        let all = tiers.iter().enumerate();
        let all = all.filter(move |(at, tier)| {
            tier.deliver == deliver && (deliver < channel || *at <= until)
        });
        all.flat_map(move |(at, tier)| {
            let is_end = deliver == channel && at == until;
            let count = if is_end { count } else { tier.layers.len() };
            tier.layers.iter().take(count)
        })
    };
    let channels = [Deliver::Tools, Deliver::System].into_iter();
    let channels = channels.filter(|deliver| *deliver <= channel);
    let layers = channels.flat_map(of);
    layers
        .filter_map(|layer| {
            let (layer, site) = context.analysis.layer(&layer.written.name.value)?;
            Some((layer, site))
        })
        .collect()
}

fn finding(
    context: &Context<'_>,
    layer: &LayerPlan<'_>,
    [first, other]: [Member<'_, '_>; 2],
    expect: &Expect,
) -> Finding {
    let name = &layer.written.name;
    let of_layer = context.plan.facts_of(&name.value);
    let facts = context.manifest().facts.iter().filter(|fact| {
        let name = fact.name.value.as_str();
        of_layer.contains(name) && first.1.has_other(&other.1, name)
    });
    let facts: Vec<&Fact> = facts.collect();
    let named = suggest::list(facts.iter().map(|fact| fact.name.value.as_str()));
    let [a, b] = [first, other].map(|(scenario, _)| scenario.name.value.as_str());
    let (word, verb) = match facts.len() {
        1 => ("fact", "is"),
        _ => ("facts", "are"),
    };
    let message = format!(
        "the prefix family `{}` does not share the layer `{}`: the {word} {named} {verb} not the same in `{a}` and `{b}`",
        expect.name.value, name.value
    );
    let mut finding = Finding::new(&RULE, name.span, message).label("its text differs");
    if let Some(fact) = facts.first() {
        let of_layer = layer.why.reasons.iter().find(|reason| {
            let mut links = reason.links.iter();
            links.any(|link| *link.name == *fact.name.value)
        });
        let place = of_layer.and_then(|reason| reason.links.iter().find_map(|link| link.place));
        if let Some(place) = place {
            finding = finding.related(place, "reads it");
        }
        for (scenario, _) in [first, other] {
            let set = scenario
                .sets
                .iter()
                .find(|(set, _)| set.value == fact.name.value);
            let place = set.map_or(scenario.name.span, |(set, _)| set.span);
            let label = match set {
                Some(_) => format!("its value in `{}`", scenario.name.value),
                None => format!("`{}` does not set it", scenario.name.value),
            };
            finding = finding.related(place, label);
        }
    }
    finding
        .around(expect.span)
        .help("move the layer after the shared part, or remove the text that differs")
}
