//! A test that goes the same way in every build, and content that is never reached.

use crate::check::trials::Trials;
use crate::check::{Finding, FindingSet, NodeUse, ProgramKind, ProgramUse, Rule, RuleInput, Site};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{NodeKind, Program};
use crate::template::analyse::Outcome;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unreachable-condition",
        exit: ExitClass::Nobody,
        summary: "a condition always holds or never does",
        detail: "What stands behind a condition that cannot hold is never in a prompt, and a condition that always holds asks for nothing. Told from the values that `one-of` allows, from what is optional, and from the conditions around it; what hangs on anything else is left alone.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Trials(run)],
};

/// A test, and which ways it went wherever it is run.
struct Test<'a> {
    outcome: Outcome,
    text: String,
    site: Site<'a>,
}

fn run(trials: &Trials<'_>, found: &mut FindingSet) {
    let mut tests: BTreeMap<Span, Test<'_>> = BTreeMap::new();
    for group in trials.groups() {
        if let Some(first) = group.first()
            && group.iter().any(|used| asks(used))
        {
            collect(trials, group, first, &mut tests);
        }
    }
    for (span, test) in tests {
        if !trials.context.manifest().is_own(span.file) {
            continue;
        }
        if let Some(truth) = verdict(&test.outcome) {
            found.push(finding(span, &test, truth));
        }
    }
    for node in &trials.context.nodes {
        never_reached(trials, node, found);
    }
}

/// Whether a program asks anything.
fn asks(used: &ProgramUse<'_>) -> bool {
    match used.kind {
        ProgramKind::When | ProgramKind::Where => true,
        _ => used.program.text().contains("if"),
    }
}

fn collect<'a>(
    trials: &Trials<'a>,
    group: &'a [ProgramUse<'a>],
    first: &'a ProgramUse<'a>,
    tests: &mut BTreeMap<Span, Test<'a>>,
) {
    let Some(code) = Trials::code(first) else {
        return;
    };
    let compared = trials.compared(group, &first.site.conditions);
    for case in trials.cases(&compared) {
        let setting = trials.setting(case);
        let Some(setting) = trials.inside(&first.site.conditions, setting) else {
            continue;
        };
        let shown = setting.run(&code);
        let condition = matches!(first.kind, ProgramKind::When | ProgramKind::Where);
        if let (true, Program::Inline(literal)) = (condition, &first.program) {
            // A condition that fails ends the build: it goes neither way.
            if let Some(known) = setting.value(&code) {
                let test = entry(tests, literal.span, &literal.text, first);
                test.outcome.reached.insert(known.truth());
            }
        }
        for (place, outcome) in shown.tests {
            let span = trials.span(first, &place);
            let program = group.iter().find(|used| {
                used.program.text().get(place.range()).is_some()
                    && used.program.span_of(place.range()) == span
            });
            let text = program.map_or("", |used| &used.program.text()[place.range()]);
            let test = entry(tests, span, text, first);
            test.outcome.reached.extend(outcome.reached);
            test.outcome.passed_over.extend(outcome.passed_over);
            if shown.cut_short {
                test.outcome.reached.insert(None);
            }
        }
    }
}

fn entry<'t, 'a>(
    tests: &'t mut BTreeMap<Span, Test<'a>>,
    span: Span,
    text: &str,
    used: &ProgramUse<'a>,
) -> &'t mut Test<'a> {
    tests.entry(span).or_insert_with(|| Test {
        outcome: Outcome::default(),
        text: text.to_owned(),
        site: used.site.clone(),
    })
}

/// Which way a test always goes.
fn verdict(outcome: &Outcome) -> Option<bool> {
    let mut reached = outcome.reached.iter();
    let all = || outcome.reached.iter().chain(&outcome.passed_over);
    match reached.next() {
        Some(Some(false)) if outcome.reached.len() == 1 => Some(false),
        // The last test of a chain may say what is left, for whoever reads it.
        Some(Some(true)) if all().all(|way| *way == Some(true)) => Some(true),
        None if !outcome.passed_over.is_empty() && all().all(|way| *way == Some(false)) => {
            Some(false)
        }
        _ => None,
    }
}

fn finding(span: Span, test: &Test<'_>, truth: bool) -> Finding {
    let quoted = match test.text.chars().count() <= 60 && !test.text.contains('\n') {
        true => format!("`{}`", test.text.trim()),
        false => "this condition".to_owned(),
    };
    let (message, help) = match truth {
        true => (
            format!("{quoted} always holds here"),
            "remove the test, or ask what was meant",
        ),
        false => (
            format!("{quoted} never holds here"),
            "remove what stands behind it, or ask what was meant",
        ),
    };
    let finding = Finding::new(&RULE, span, message)
        .within(&test.site)
        .help(help);
    match test.site.conditions.last().filter(|c| c.span != span) {
        Some(around) => finding.related(around.span, "holds around it"),
        None => finding,
    }
}

/// How many members of a `first` are judged: each is held against all in front of it.
const MAX_MEMBERS: usize = 256;

/// Reports the first member of a `first` that stands behind one that always yields.
fn never_reached(trials: &Trials<'_>, node: &NodeUse<'_>, found: &mut FindingSet) {
    let Some(NodeKind::First(members)) = node.parents.last().map(|p| &p.kind) else {
        return;
    };
    if members.len() > MAX_MEMBERS {
        return;
    }
    let before: Vec<Span> = (members.iter().map(|m| m.span))
        .take_while(|span| *span != node.node.span)
        .collect();
    let mut told = node
        .parents
        .iter()
        .map(|p| p.span)
        .chain(before.iter().copied());
    if before.is_empty() || told.any(|span| found.has(RULE.code, span)) {
        return;
    }
    let mut reached = false;
    let mut possible = false;
    for case in trials.cases(&trials.compared_around(node)) {
        let Some(setting) = trials.inside(&node.site.conditions, trials.setting(case)) else {
            continue;
        };
        possible = true;
        reached |= !trials.is_behind(node, &setting);
    }
    if possible && !reached {
        let mut finding = Finding::new(&RULE, node.node.span, "this member is never reached")
            .within(&node.site)
            .help("put it in front of the member that always yields text, or remove it");
        if let Some(before) = before.last() {
            finding = finding.related(*before, "the members up to this one always yield");
        }
        found.push(finding);
    }
}
