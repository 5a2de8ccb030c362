//! A condition that goes the same way in every build.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{SettledCondition, Trials};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unreachable-condition",
        exit: ExitClass::Success,
        summary: "a condition always holds or never does",
        detail: "Text with a condition that cannot hold is never in a prompt, and a condition that always holds has no effect. The rule tries all values of the facts in a `when` if each is a `bool` or has a `one-of`, as far as the surrounding conditions allow them. Conditions on anything else, and tests in templates, are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for settled in Trials::new(&context.analysis).settled_conditions() {
        if context.manifest().is_own(settled.condition.span.file) {
            found.push(finding(&settled));
        }
    }
}

fn finding(settled: &SettledCondition<'_, '_>) -> Finding {
    let SettledCondition {
        condition, site, ..
    } = settled;
    let text = &condition.text;
    let is_short = text.chars().count() <= 60 && !text.contains('\n');
    let quoted = if is_short {
        format!("`{}`", text.trim())
    } else {
        "this condition".to_owned()
    };
    let (message, help) = if settled.truth {
        (
            format!("{quoted} always holds here"),
            "remove the test, or ask what was meant",
        )
    } else {
        (
            format!("{quoted} never holds here"),
            "remove its content, or correct the condition",
        )
    };
    let finding = Finding::new(&RULE, condition.span, message)
        .within(site)
        .help(help);
    match site.conditions.last() {
        Some(around) => finding.related(around.span, "holds around it"),
        None => finding,
    }
}
