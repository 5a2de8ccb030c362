//! A time of day in text that should keep its bytes.

use crate::check::prints::says_time;
use crate::check::{Context, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::FactType;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "time-of-day",
        exit: ExitClass::Success,
        summary: "a time of day is printed in a layer that should keep its bytes",
        detail: "A minute later the text differs, and a provider reuses neither it nor the text after it. Print the date alone, or move the layer to a turn tier. Two kinds are not reported: a given datetime declared `changes=session` (the start of the conversation), and one from the clock with `changes=session` in a manifest with `session { … }`.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for print in context.analysis.prints.iter().filter(|p| p.is_stable()) {
        let fact = print.fact;
        let dated = print.filters().any(|(name, ..)| name == "date");
        let timed = match fact.kind.value {
            FactType::DateTime => true,
            FactType::String => dated,
            _ => false,
        };
        // What its author says of a value that is given is taken at its word; a clock shows another time at each build.
        let stated =
            fact.changes.is_some() && fact.clock.is_none() || context.is_session_start(fact);
        if !timed || stated || says_time(print) != Some(true) {
            continue;
        }
        let message = format!(
            "the time of day of `{}` is printed in text that {}",
            fact.name.value,
            print.pace()
        );
        found.push(
            print.finding(&RULE, message)
                .help("print the date alone, as `date` does with '%Y-%m-%d', or move it to a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes"),
        );
    }
}
