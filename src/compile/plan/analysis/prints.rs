//! The facts that reach the text of a prompt: where, and through which lets.

use super::PlanAnalysis;
use super::site::{NodeUse, ProgramUse, Site, Walk};
use crate::compile::plan::{Plan, What};
use crate::diagnostic::span::Span;
use crate::manifest::{Fact, NodeKind, Program, Source, TemplateRef};
use crate::template::Analysis;
use crate::template::analyse::{self, Flow, MOST_STEPS, StepKind};
use std::collections::{BTreeMap, BTreeSet};

/// One step on the way of a value, and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The operation.
    pub kind: StepKind,
    /// Where.
    pub span: Span,
}

/// A place at which a fact is printed.
#[derive(Debug, Clone)]
pub struct Print<'p> {
    /// The fact.
    pub fact: &'p Fact,
    /// The operations on it, in order, also in lets.
    pub steps: Vec<Step>,
    /// The location of the fact, or of a let that reads it, in the program that prints it.
    pub span: Span,
    /// Its location.
    pub site: Site<'p>,
}

/// A fact, and what is done to it, in order.
#[derive(Debug, Clone)]
struct Made<'p> {
    fact: &'p Fact,
    steps: Vec<Step>,
}

impl PartialEq for Made<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.fact, other.fact) && self.steps == other.steps
    }
}

/// The sources of the value of each fact and let, by its name.
struct Values<'p>(BTreeMap<&'p str, Vec<Made<'p>>>);

impl<'p> Values<'p> {
    fn new(plan: &'p Plan) -> Self {
        let manifest = plan.manifest();
        let itself = |fact: &'p Fact| {
            let steps = Vec::new();
            (fact.name.value.as_str(), vec![Made { fact, steps }])
        };
        let mut values = Self(manifest.facts.iter().map(itself).collect());
        for item in &manifest.lets {
            let kept = plan.expressions.get(&item.expression.span).into_iter();
            let flows = kept.flat_map(|kept| kept.analysis.printed.iter().map(move |f| (f, kept)));
            let made_of = flows.flat_map(|(flow, kept)| values.of(flow, &kept.program));
            let made_of = analyse::few(made_of, |made| &made.fact.name.value);
            values.0.insert(&item.name.value, made_of);
        }
        values
    }

    /// The sources of a name, followed by these steps.
    fn through(&self, name: &str, more: &[Step]) -> Vec<Made<'p>> {
        let mut all = self.0.get(name).cloned().unwrap_or_default();
        all.iter_mut()
            .for_each(|made| extend(&mut made.steps, more));
        all
    }

    fn of(&self, flow: &Flow, program: &Program) -> Vec<Made<'p>> {
        self.through(&flow.name, &steps(flow, program))
    }
}

/// The places, those in programs first.
pub(super) fn prints<'p>(plan: &'p Plan, met: &Walk<'p>) -> Vec<Print<'p>> {
    let values = Values::new(plan);
    let mut out = Vec::new();
    let mut add = |made: Vec<Made<'p>>, span, site: &Site<'p>| {
        out.extend(made.into_iter().map(|Made { fact, steps }| Print {
            fact,
            steps,
            span,
            site: site.clone(),
        }));
    };
    let of_prompt = |used: &&ProgramUse<'p>| {
        used.site.directory_rules.is_none() && !used.is_expression() && used.what != What::Hide
    };
    for used in met.programs.iter().filter(of_prompt) {
        for flow in &used.analysis.printed {
            let span = used.program.span_of(flow.range.clone());
            add(values.of(flow, used.program), span, &used.site);
        }
    }
    for node in met
        .nodes
        .iter()
        .filter(|n| n.site.directory_rules.is_none())
    {
        if let NodeKind::Source(Source::Fact(name)) = &node.node.kind {
            let made = values.through(&name.value, &template_steps(plan, node));
            add(made, name.span, &node.site);
        }
    }
    out
}

fn steps(flow: &Flow, program: &Program) -> Vec<Step> {
    let steps = flow.steps.iter().map(|step| Step {
        kind: step.kind.clone(),
        span: program.span_of(step.range.clone()),
    });
    steps.collect()
}

/// The operations of a layer's template on its text, if a source gives all of it and it is printed once.
fn template_steps(plan: &Plan, node: &NodeUse<'_>) -> Vec<Step> {
    let layer = node.site.layer.filter(|layer| {
        let content = layer.content.as_ref();
        content.is_some_and(|c| c.span == node.node.span)
    });
    let template = layer.and_then(|layer| layer.template.as_ref());
    let inline = template.filter(|t| matches!(t, TemplateRef::Inline(_)));
    let Some((program, analysis)) = inline.and_then(|t| plan.kept(t)) else {
        return Vec::new();
    };
    let mut content = analysis.printed.iter().filter(|f| f.name == "content");
    match (content.next(), content.next()) {
        (Some(one), None) => steps(one, program),
        _ => Vec::new(),
    }
}

/// Adds steps, up to the number that can be distinguished.
fn extend(steps: &mut Vec<Step>, more: &[Step]) {
    let room = MOST_STEPS.saturating_sub(steps.len());
    steps.extend(more.iter().take(room).cloned());
    if more.len() > room
        && let Some(last) = steps.last_mut()
    {
        last.kind = StepKind::Into;
    }
}

impl PlanAnalysis<'_> {
    /// Whether all uses of a fact print it, or ask whether it is there, so that the printed text is all that it is for.
    #[must_use]
    pub fn is_only_printed(&self, fact: &Fact) -> bool {
        let mut names = BTreeSet::from([fact.name.value.as_str()]);
        let prints_only = |names: &BTreeSet<&str>, analysis: &Analysis, may_print: bool| {
            let mut uses = analysis.names.iter().filter(|n| names.contains(&*n.name));
            uses.all(|name| {
                let at = name.range.start;
                let printed = || analysis.printed.iter().any(|f| f.range.start == at);
                may_print && printed() || analysis.asked.contains(&at)
            })
        };
        // Each comes after those that it reads.
        for item in &self.plan.manifest().lets {
            let Some(kept) = self.plan.expressions.get(&item.expression.span) else {
                continue;
            };
            if !prints_only(&names, &kept.analysis, true) {
                return false;
            }
            if kept
                .analysis
                .printed
                .iter()
                .any(|f| names.contains(&*f.name))
            {
                names.insert(&item.name.value);
            }
        }
        let mut others = self.programs.iter().filter(|used| used.what != What::Let);
        let sources = self.nodes.iter().filter_map(|n| match &n.node.kind {
            NodeKind::Source(Source::Fact(name)) => Some(name.value.as_str()),
            _ => None,
        });
        let sources: BTreeSet<&str> = sources.collect();
        others.all(|used| prints_only(&names, used.analysis, !used.is_expression()))
            && (names.iter()).all(|n| !self.plan.read.contains(*n) || sources.contains(n))
    }
}
