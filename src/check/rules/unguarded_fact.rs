//! An optional fact, used where a missing one fails the build.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{FailsWithout, ProgramUse, Trials, What};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::Fact;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unguarded-fact",
        exit: ExitClass::Success,
        summary: "an optional fact is used where a missing one fails the build",
        detail: "A fact declared `optional=#true` may be missing. It may be tested (`x is defined`, {% if x %}) and replaced (`x | default(…)`). Printing it, comparing it and passing it to a filter fail. The build works until a caller leaves the fact out.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let trials = Trials::new(&context.analysis);
    for FailsWithout { fact, used, span } in trials.fails_without() {
        let place = used.site.around.first();
        let finding = Finding::new(&RULE, span, message(fact, used)).within(&used.site);
        found.push(
            finding
                .related(fact.name.span, "declared optional")
                .around(place.copied().unwrap_or(fact.span))
                .around(fact.span)
                .help(help(&fact.name.value, used)),
        );
    }
}

/// Whether it is used in a reminder, and so in no build.
fn is_reminder(used: &ProgramUse<'_>) -> bool {
    used.site.tier.is_none() && used.what != What::Let
}

fn message(fact: &Fact, used: &ProgramUse<'_>) -> String {
    let what = if is_reminder(used) {
        "reminder"
    } else {
        "build"
    };
    let name = &fact.name.value;
    format!("`{name}` may be missing, and the {what} fails here if it is")
}

fn help(name: &str, used: &ProgramUse<'_>) -> String {
    let default = format!("{name} | default(\"…\")");
    if used.is_expression() {
        format!("ask first: `{name} is defined and …`, or write {default}")
    } else if is_reminder(used) {
        format!("write {{% if {name} is defined %}} or {default}")
    } else {
        format!(
            "write {{% if {name} is defined %}}, when=\"{name} is defined\" on the surrounding node, or {default}"
        )
    }
}
