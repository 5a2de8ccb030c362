//! The possible outcomes of tests, and the members of a `first` that are reached.

use super::{NodeUse, PlanAnalysis, ProgramUse, Site, Written};
use crate::compile::plan::What;
use crate::diagnostic::span::Span;
use crate::manifest::NodeKind;
use crate::template::analyse::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// The most members of a `first` that are checked: each is compared with all before it.
const MAX_MEMBERS: usize = 256;

/// A test that goes the same way in every build.
#[derive(Debug)]
pub struct SettledTest<'a, 'p> {
    /// Its location.
    pub span: Span,
    /// As written.
    pub text: &'a str,
    /// The location of the first program with the test.
    pub site: &'a Site<'p>,
    /// Whether it always holds; else it never does.
    pub truth: bool,
}

/// A member of a `first` that no build reaches: those before it always yield.
#[derive(Debug)]
pub struct UnreachedMember<'a, 'p> {
    /// The member.
    pub node: &'a NodeUse<'p>,
    /// The name of the one before it.
    pub before: Span,
}

/// Which ways a test went wherever it is run, its text, and where it was met first.
type Test<'a, 'p> = (Outcome, &'a str, &'a Site<'p>);

impl<'p> PlanAnalysis<'p> {
    /// The tests that go the same way in every build, by place.
    #[must_use]
    pub fn settled_tests(&self) -> Vec<SettledTest<'_, 'p>> {
        let mut tests = BTreeMap::new();
        for group in self.groups() {
            if let Some(first) = group.first()
                && group.iter().any(asks)
            {
                self.test(group, first, &mut tests);
            }
        }
        let settled = tests
            .into_iter()
            .filter_map(|(span, (outcome, text, site))| {
                let truth = verdict(&outcome)?;
                Some(SettledTest {
                    span,
                    text,
                    site,
                    truth,
                })
            });
        settled.collect()
    }

    /// Notes which ways the tests of a program go, and of those that it includes.
    fn test<'a>(
        &'a self,
        group: &'a [ProgramUse<'p>],
        first: &'a ProgramUse<'p>,
        tests: &mut BTreeMap<Span, Test<'a, 'p>>,
    ) {
        let runs = self.runs();
        let site = &first.site;
        let mut note = |(span, text), went: Outcome| {
            let new = || (Outcome::default(), text, site);
            let (all, ..) = tests.entry(span).or_insert_with(new);
            all.reached.extend(went.reached);
            all.passed_over.extend(went.passed_over);
        };
        let compared = self.cases.compared(group, &site.conditions);
        for setting in self.settings(&compared, &site.conditions) {
            let Some(shown) = runs.run(first, &setting) else {
                continue;
            };
            // A condition that fails ends the build: it goes neither way.
            if let (true, Written::Expression(literal)) = (is_condition(first), first.written)
                && let Some(truth) = runs.truth(literal, &setting)
            {
                let mut went = Outcome::default();
                went.reached.insert(truth);
                note((literal.span, &*literal.text), went);
            }
            for (place, mut went) in shown.tests {
                went.reached.extend(shown.cut_short.then_some(None));
                note(runs.place(first, &place), went);
            }
        }
    }

    /// For each `first`, the first member after one that always yields.
    #[must_use]
    pub fn unreached_members(&self) -> Vec<UnreachedMember<'_, 'p>> {
        let mut reported = BTreeSet::new();
        let mut out = Vec::new();
        for node in &self.nodes {
            let parents = node.parents();
            let Some(NodeKind::First(members)) = parents.last().map(|p| &p.kind) else {
                continue;
            };
            if members.len() > MAX_MEMBERS {
                continue;
            }
            let before = members.iter().map(|m| m.span);
            let before = before.take_while(|span| *span != node.node.span);
            let mut reported_around = (parents.iter().map(|p| p.span).chain(before.clone()))
                .filter(|span| reported.contains(span));
            if let Some(before) = before.last()
                && reported_around.next().is_none()
                && self.is_never_reached(node)
            {
                reported.insert(node.node.span);
                out.push(UnreachedMember { node, before });
            }
        }
        out
    }

    fn is_never_reached(&self, node: &NodeUse<'p>) -> bool {
        let compared = self.cases.compared_around(node);
        let mut settings = self.settings(&compared, &node.site.conditions).peekable();
        settings.peek().is_some()
            && settings.all(|setting| self.runs().follows_yielding(&node.site, &setting))
    }
}

/// Whether a program tests anything.
fn asks(used: &ProgramUse<'_>) -> bool {
    is_condition(used) || used.program.text().contains("if")
}

fn is_condition(used: &ProgramUse<'_>) -> bool {
    matches!(used.what, What::Condition | What::Filter)
}

/// The only outcome of a test.
fn verdict(outcome: &Outcome) -> Option<bool> {
    let mut reached = outcome.reached.iter();
    let all = || outcome.reached.iter().chain(&outcome.passed_over);
    match reached.next() {
        Some(Some(false)) if outcome.reached.len() == 1 => Some(false),
        // The last test of a chain may be redundant, for the sake of readers.
        Some(Some(true)) if all().all(|way| *way == Some(true)) => Some(true),
        None if !outcome.passed_over.is_empty() && all().all(|way| *way == Some(false)) => {
            Some(false)
        }
        _ => None,
    }
}
