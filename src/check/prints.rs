//! Which facts reach the text of a prompt, where, and on which way.

use super::{Context, Finding, ProgramKind, Rule, Site, when};
use crate::diagnostic::span::Span;
use crate::manifest::{Fact, FactType, NodeKind, Program, Source};
use crate::prompt::{Changes, Deliver};
use crate::template::analyse::{self, Flow, MOST_STEPS, StepKind};
use std::collections::{BTreeMap, BTreeSet};

/// One step on the way of a value, and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// Where.
    pub span: Span,
}

/// A place at which a fact is printed.
#[derive(Debug, Clone)]
pub struct Print<'a> {
    /// The fact.
    pub fact: &'a Fact,
    /// What is done to it, in order, also in lets.
    pub steps: Vec<Step>,
    /// Where the fact, or a let over it, stands in the program that prints it.
    pub span: Span,
    /// Where it stands.
    pub site: Site<'a>,
}

impl Print<'_> {
    /// The filters on the way that come behind nothing but filters, with the first text that each is given.
    pub fn filters(&self) -> impl Iterator<Item = (&str, Option<&str>, Span)> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Filter { name, argument } => {
                Some((name.as_str(), argument.as_deref(), step.span))
            }
            _ => None,
        })
    }

    /// Whether something is told of it instead of the value itself: how long it is.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.filters().any(|(name, ..)| {
            matches!(
                name,
                "length" | "count" | "percent" | "bool" | "sum" | "min" | "max"
            )
        })
    }

    /// What is printed, by name: the fact, or what is taken out of it, such as `git.status`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = self.fact.name.value.clone();
        for step in &self.steps {
            match &step.kind {
                StepKind::Item(Some(name)) => {
                    path.push('.');
                    path.push_str(name);
                }
                _ => break,
            }
        }
        path
    }

    /// A finding of `rule` here, with the place where the fact is declared; a waiver there counts too.
    pub(super) fn finding(&self, rule: &'static Rule, message: impl Into<String>) -> Finding {
        Finding::new(rule, self.span, message)
            .within(&self.site)
            .around(self.fact.span)
            .related(self.fact.name.span, "declared here")
    }

    /// How often the text around it changes, in words.
    #[must_use]
    pub fn pace(&self) -> String {
        match self.site.changes {
            Changes::Never => "never changes".to_owned(),
            changes => format!("changes {}", when(changes)),
        }
    }

    /// Whether the text stands where it should keep its bytes: in the system text or the tools, in a tier that changes
    /// less often than at every call.
    #[must_use]
    pub fn is_calm(&self) -> bool {
        let deliver = self.site.tier.and_then(|t| t.deliver.as_ref());
        self.site.tier.is_some()
            && deliver.is_none_or(|d| d.value != Deliver::User)
            && self.site.changes < Changes::Turn
    }
}

impl Context<'_> {
    /// How often a fact may change, as its author says; none if he does not.
    #[must_use]
    pub fn stated(fact: &Fact) -> Option<Changes> {
        fact.changes.as_ref().map(|c| c.value)
    }
}

/// What the value of each fact and let is made of: facts, with what is done to them.
type Values<'a> = BTreeMap<&'a str, Vec<Made<'a>>>;

/// A fact, and what is done to it, in order.
#[derive(Debug, Clone)]
struct Made<'a> {
    fact: &'a Fact,
    steps: Vec<Step>,
}

impl PartialEq for Made<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.fact, other.fact) && self.steps == other.steps
    }
}

pub(super) fn collect<'a>(context: &Context<'a>) -> Vec<Print<'a>> {
    let manifest = context.manifest();
    let fact = |fact| Made {
        fact,
        steps: Vec::new(),
    };
    let facts = manifest.facts.iter();
    let mut values: Values<'_> = facts
        .map(|f| (f.name.value.as_str(), vec![fact(f)]))
        .collect();
    for item in &manifest.lets {
        let program = Program::Inline(item.expression.clone());
        let analysis = context.plan.analysis(&item.expression);
        let flows = analysis.iter().flat_map(|analysis| &analysis.printed);
        let made_of = flows.flat_map(|f| resolve(&values, f, &program));
        let made_of = made_of.map(|(fact, steps, _)| Made { fact, steps });
        let made_of = analyse::few(made_of, |made| &made.fact.name.value);
        values.insert(&item.name.value, made_of);
    }
    let mut out = Vec::new();
    for used in &context.programs {
        let is_of_prompt = used.site.hint.is_none();
        if !is_of_prompt || used.kind.is_expression() || used.kind == ProgramKind::Hide {
            continue;
        }
        for flow in &used.analysis.printed {
            for (fact, steps, span) in resolve(&values, flow, &used.program) {
                let site = used.site.clone();
                out.push(Print {
                    fact,
                    steps,
                    span,
                    site,
                });
            }
        }
    }
    for node in context.of_prompt() {
        if let NodeKind::Source(Source::Fact(name)) = &node.node.kind {
            let later = behind(context, node);
            for Made { fact, mut steps } in named(&values, &name.value) {
                extend(&mut steps, &later);
                let (span, site) = (name.span, node.site.clone());
                out.push(Print {
                    fact,
                    steps,
                    span,
                    site,
                });
            }
        }
    }
    out
}

/// What the template of a layer does to its text, if a source is all of it and it is printed once.
fn behind(context: &Context<'_>, node: &super::NodeUse<'_>) -> Vec<Step> {
    let Some(written @ crate::manifest::TemplateRef::Inline(template)) = (node.site.layer)
        .filter(|layer| {
            layer
                .content
                .as_ref()
                .is_some_and(|c| c.span == node.node.span)
        })
        .and_then(|layer| layer.template.as_ref())
    else {
        return Vec::new();
    };
    let analysis = context.plan.template_analysis(written);
    let flows = analysis.iter().flat_map(|analysis| &analysis.printed);
    let content: Vec<&Flow> = flows.filter(|f| f.name == "content").collect();
    match content.as_slice() {
        [one] => (one.steps.iter())
            .map(|step| Step {
                kind: step.kind.clone(),
                span: template.span_of(step.range.clone()),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn named<'a>(values: &Values<'a>, name: &str) -> Vec<Made<'a>> {
    values.get(name).cloned().unwrap_or_default()
}

fn resolve<'a>(
    values: &Values<'a>,
    flow: &Flow,
    program: &Program,
) -> Vec<(&'a Fact, Vec<Step>, Span)> {
    let span = program.span_of(flow.range.clone());
    let own = flow.steps.iter().map(|step| Step {
        kind: step.kind.clone(),
        span: program.span_of(step.range.clone()),
    });
    let own: Vec<Step> = own.collect();
    let behind = named(values, &flow.name);
    behind
        .into_iter()
        .map(|Made { fact, mut steps }| {
            extend(&mut steps, &own);
            (fact, steps, span)
        })
        .collect()
}

/// Adds steps, as long as they are not too many to be told apart.
fn extend(steps: &mut Vec<Step>, more: &[Step]) {
    let room = MOST_STEPS.saturating_sub(steps.len());
    steps.extend(more.iter().take(room).cloned());
    if more.len() > room
        && let Some(last) = steps.last_mut()
    {
        last.kind = StepKind::Into;
    }
}

/// Whether what is printed of a datetime or date says the time of day; none if that cannot be told.
#[must_use]
pub(super) fn says_time(print: &Print<'_>) -> Option<bool> {
    if print.fact.kind.value == FactType::Date {
        return Some(false);
    }
    let mut split = false;
    for step in &print.steps {
        match &step.kind {
            StepKind::Filter { name, argument } => match (name.as_str(), argument) {
                ("date", Some(format)) => return shows_time(format),
                ("split", Some(at)) if at == "T" => split = true,
                ("first", _) if split => return Some(false),
                ("last", _) if split => return Some(true),
                ("string" | "trim" | "sanitize" | "xml" | "upper" | "lower" | "json", _) => {}
                _ => return None,
            },
            StepKind::Slice {
                start: None | Some(0),
                stop: Some(stop @ 0..),
            } => {
                return Some(*stop > 10);
            }
            StepKind::Item(_) if split => return None,
            StepKind::Slice {
                start: Some(11..), ..
            } => return Some(true),
            _ => return None,
        }
    }
    Some(true)
}

/// Whether a format prints hours, minutes or seconds; none if it prints a zone and no time.
fn shows_time(format: &str) -> Option<bool> {
    let letters = conversions(format);
    match letters.iter().any(|c| "HIklMSpPTRrXcfsN".contains(*c)) {
        true => Some(true),
        false if letters.iter().any(|c| "QZz".contains(*c)) => None,
        false => Some(false),
    }
}

/// Whether all uses of a fact print it, or ask whether it is there, so that the printed text is all that it is for.
#[must_use]
pub(super) fn only_printed(context: &Context<'_>, fact: &Fact) -> bool {
    let mut names = BTreeSet::from([fact.name.value.clone()]);
    let beside = context.plan.read_beside_programs();
    let sources = context.nodes.iter().filter_map(|n| match &n.node.kind {
        NodeKind::Source(Source::Fact(name)) => Some(name.value.clone()),
        _ => None,
    });
    let sources: BTreeSet<String> = sources.collect();
    // Lets stand first, each behind those that it reads.
    for used in &context.programs {
        let analysis = used.analysis;
        let is_let = used.kind == ProgramKind::Let;
        let printed = |at| analysis.printed.iter().any(|f| f.range.start == at);
        for name in analysis.names.iter().filter(|n| names.contains(&n.name)) {
            let at = name.range.start;
            let prints = (is_let || !used.kind.is_expression()) && printed(at);
            if !prints && !analysis.asked.contains(&at) {
                return false;
            }
        }
        if is_let
            && analysis.printed.iter().any(|f| names.contains(&f.name))
            && let Program::Inline(literal) = &used.program
        {
            let lets = context.manifest().lets.iter();
            let own = lets.filter(|l| l.expression.span == literal.span);
            names.extend(own.map(|l| l.name.value.clone()));
        }
    }
    names
        .iter()
        .all(|n| !beside.contains(n) || sources.contains(n))
}

/// The letters of a format's conversions, without flags and widths.
#[must_use]
pub(super) fn conversions(format: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c == '%' {
            let flag = |c: &char| "-_0^#:.".contains(*c) || c.is_ascii_digit();
            out.extend(chars.by_ref().find(|c| !flag(c)));
        }
    }
    out
}

/// Of each fact of which nothing says how often it differs, the first place in a calm layer that prints it, or a part of it, under
/// a name that `named` knows.
pub(super) fn named_like<'c>(
    context: &'c Context<'_>,
    named: fn(&str) -> bool,
) -> impl Iterator<Item = &'c Print<'c>> {
    let says_nothing = |fact: &&Fact| {
        let kind = fact.kind.value;
        let plain = matches!(
            kind,
            FactType::String | FactType::Int | FactType::List | FactType::Map
        );
        fact.changes.is_none() && fact.one_of.is_empty() && plain
    };
    let mut first: BTreeMap<Span, &Print<'_>> = BTreeMap::new();
    for print in &context.prints {
        if print.is_calm() && !print.is_measured() && named(&print.path()) {
            first.entry(print.fact.span).or_insert(print);
        }
    }
    let facts = context.manifest().facts.iter().filter(says_nothing);
    facts.filter_map(move |fact| first.get(&fact.span).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_told_from_text() {
        assert_eq!(
            conversions("%A, %-d %B %Y at 100 %% %H"),
            ['A', 'd', 'B', 'Y', '%', 'H']
        );
        assert_eq!(shows_time("%Y-%m-%d %H:%M"), Some(true));
        assert_eq!(shows_time("%Y-%m-%d %Z"), None);
        assert_eq!(shows_time("HIM %Y"), Some(false));
    }
}
