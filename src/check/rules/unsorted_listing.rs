//! A list that is printed in the order in which it is given.

use crate::check::{Context, FindingSet, Rule, RuleInput};
use crate::compile::Print;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Fact, FactType};
use crate::prompt::Changes;
use crate::template::analyse::StepKind;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unsorted-listing",
        exit: ExitClass::Success,
        summary: "a list is printed in the order in which it is given, in a stable layer",
        detail: "Tools, skills and servers come in another order after a reconnect or from another machine, and a reordered line breaks the prefix like a new one. `sort` gives the same text for the same items. A list with a default of its own, or declared `changes=never` or `deploy`, has an intended order and is not reported. Maps print in the order of their keys.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let prints = context.analysis.prints.iter();
    for print in prints.filter(|p| p.is_stable() && is_given(p.fact) && shows_order(p)) {
        let name = &print.fact.name;
        let message = format!(
            "`{}` is printed in the order in which it is given",
            name.value
        );
        found.push(
            print.finding(&RULE, message)
                .help(format!(
                    "write `{} | sort` (sort(attribute='name') for maps); if the order means something, declare changes=deploy or waive it",
                    name.value
                )),
        );
    }
}

/// Whether its order is that of the caller.
fn is_given(fact: &Fact) -> bool {
    let ordered = fact.default.as_ref().is_some_and(|d| !d.args.is_empty());
    let settled = fact
        .changes
        .as_ref()
        .is_some_and(|c| c.value <= Changes::Deploy);
    fact.kind.value == FactType::List && !ordered && !settled && fact.one_of.is_empty()
}

fn shows_order(print: &Print<'_>) -> bool {
    for step in &print.steps {
        match &step.kind {
            StepKind::Each => return true,
            StepKind::Filter { name, .. } => match name.as_str() {
                "join" | "bullet" | "json" => return true,
                "list" | "map" | "select" | "reject" | "selectattr" | "rejectattr" | "reverse"
                | "unique" => {}
                _ => return false,
            },
            StepKind::Slice { .. } => {}
            StepKind::Item(_) | StepKind::Into => return false,
        }
    }
    false
}
