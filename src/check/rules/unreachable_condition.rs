//! A test that goes the same way in every build, and content that is never reached.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{SettledTest, UnreachedMember};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unreachable-condition",
        exit: ExitClass::Success,
        summary: "a condition always holds or never does",
        detail: "Text with a condition that cannot hold is never in a prompt, and a condition that always holds has no effect. The rule uses the values of `one-of`, `optional` and the surrounding conditions. Conditions on anything else are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for test in context.analysis.settled_tests() {
        if context.manifest().is_own(test.span.file) {
            found.push(finding(&test));
        }
    }
    for UnreachedMember { node, before } in context.analysis.unreached_members() {
        found.push(
            Finding::new(&RULE, node.node.span, "this member is never reached")
                .within(&node.site)
                .related(before, "the members up to this one always yield")
                .help("put it before the member that always has text, or remove it"),
        );
    }
}

fn finding(test: &SettledTest<'_, '_>) -> Finding {
    let quoted = match test.text.chars().count() <= 60 && !test.text.contains('\n') {
        true => format!("`{}`", test.text.trim()),
        false => "this condition".to_owned(),
    };
    let (message, help) = match test.truth {
        true => (
            format!("{quoted} always holds here"),
            "remove the test, or ask what was meant",
        ),
        false => (
            format!("{quoted} never holds here"),
            "remove its content, or correct the condition",
        ),
    };
    let finding = Finding::new(&RULE, test.span, message)
        .within(test.site)
        .help(help);
    match test.site.conditions.last().filter(|c| c.span != test.span) {
        Some(around) => finding.related(around.span, "holds around it"),
        None => finding,
    }
}
