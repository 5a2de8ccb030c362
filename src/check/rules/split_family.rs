//! A layer in which a prefix family surely parts.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{FactTexts, LayerPlan, Site, Written};
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::manifest::{Expect, Fact, Scenario, TemplateRef};
use crate::prompt::Deliver;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "split-family",
        exit: ExitClass::Nobody,
        summary: "a layer that a prefix family must share differs between its members",
        detail: "`through` says how far the prompts of the members must be the same. A layer that only facts decide is run with what the scenarios give them; if its texts differ, no cache of one member serves the other behind it. Nothing is said of a layer that reads files or asks for other layers, nor of `at-least`: `promptc test` builds the members and holds both.",
    },
    severity: Severity::Error,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

/// What a member makes of the layers that are to be shared.
struct Member<'a> {
    scenario: &'a Scenario,
    texts: FactTexts<'a>,
}

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for expect in &context.manifest().expects {
        if let Some(through) = &expect.through {
            family(context, expect, through, found);
        }
    }
}

fn family(
    context: &Context<'_>,
    expect: &Expect,
    through: &Spanned<String>,
    found: &mut FindingSet,
) {
    let layers = shared(context, &through.value);
    let names = layers
        .iter()
        .map(|(layer, _)| layer.written.name.value.as_str());
    let names: BTreeSet<&str> = names.collect();
    let scenario = |name: &Spanned<String>| {
        let mut scenarios = context.manifest().scenarios.iter();
        scenarios.find(|s| s.name.value == name.value)
    };
    let members = expect.members.iter().filter_map(scenario);
    let members = members.filter_map(|scenario| {
        let texts = context.plan.fact_texts(scenario, &names)?;
        Some(Member { scenario, texts })
    });
    let members: Vec<Member<'_>> = members.collect();
    let Some((first, others)) = members.split_first() else {
        return;
    };
    for (layer, site) in layers {
        let name = &layer.written.name.value;
        let other = others.iter().find(|other| {
            let known = [first, other].map(|m| is_known(context, m.scenario, site));
            known == [true; 2] && first.texts.differ(&other.texts, name)
        });
        if let Some(other) = other {
            let finding = finding(context, layer, [first, other], expect);
            let finding = finding.related(through.span, "all up to here must be shared");
            found.push(finding.within(site));
        }
    }
}

/// The layers up to the end of `through`, in the order of a request, each with where it stands.
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

/// Whether a scenario runs the programs that the plan has for a layer: one that writes roots or variables may read other template
/// files.
fn is_known(context: &Context<'_>, scenario: &Scenario, site: &Site<'_>) -> bool {
    let here = |span: Option<Span>| span.is_some() && span == site.layer.map(|l| l.span);
    let mut programs = context.analysis.programs.iter();
    scenario.roots.is_empty() && scenario.env.is_empty()
        || programs.all(|used| {
            let of_file = match used.written {
                Written::Expression(_) | Written::Template(TemplateRef::Inline(_)) => false,
                Written::Template(TemplateRef::File { .. }) | Written::Included => true,
            };
            !of_file || !here(used.site.layer.map(|l| l.span))
        })
}

fn finding(
    context: &Context<'_>,
    layer: &LayerPlan<'_>,
    [first, other]: [&Member<'_>; 2],
    expect: &Expect,
) -> Finding {
    let name = &layer.written.name;
    let of_layer = context.plan.facts_of(&name.value);
    let facts = context.manifest().facts.iter().filter(|fact| {
        let name = fact.name.value.as_str();
        of_layer.contains(name) && first.texts.has_other(&other.texts, name)
    });
    let facts: Vec<&Fact> = facts.collect();
    let named = suggest::list(facts.iter().map(|fact| fact.name.value.as_str()));
    let [a, b] = [first, other].map(|member| member.scenario.name.value.as_str());
    let (word, verb) = match facts.len() {
        1 => ("fact", "is"),
        _ => ("facts", "are"),
    };
    let message = format!(
        "`{a}` and `{b}` do not share the layer `{}`: the {word} {named} {verb} not the same in them",
        name.value
    );
    let mut finding = Finding::new(&RULE, name.span, message)
        .label(format!("`{}` expects the same text", expect.name.value));
    if let Some(fact) = facts.first() {
        let of_layer = layer.why.chains.iter().find(|chain| {
            let mut links = chain.links.iter();
            links.any(|link| *link.name == *fact.name.value)
        });
        let place = of_layer.and_then(|chain| chain.links.iter().find_map(|link| link.place));
        if let Some(place) = place {
            finding = finding.related(place, "reads it");
        }
        for scenario in [first.scenario, other.scenario] {
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
        .help("move the layer behind what must be shared, or take out what differs")
}
