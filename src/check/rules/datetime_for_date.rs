//! A datetime of which only the date is ever printed.

use crate::check::prints::says_time;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Fact, FactType};
use crate::prompt::Changes;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "datetime-for-date",
        exit: ExitClass::Success,
        summary: "a datetime is declared, and only its date is printed",
        detail: "A datetime differs at every build, so text that depends on it counts as changing at every build. A `date` changes at midnight only, and may be in a tier with `changes=day`.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let facts = context.manifest().facts.iter();
    for fact in facts.filter(|f| f.kind.value == FactType::DateTime) {
        let name = fact.name.value.as_str();
        // A fixed day that is given once has no reason to be another type.
        let fixed = (fact.clock.is_none() || context.is_session_start(fact))
            && fact
                .changes
                .as_ref()
                .is_some_and(|c| c.value < Changes::Day);
        let prints = context
            .analysis
            .prints
            .iter()
            .filter(|p| p.fact.name.value == name);
        let prints: Vec<_> = prints.collect();
        let dates = !prints.is_empty() && prints.iter().all(|p| says_time(p) == Some(false));
        if fixed || !dates || !context.analysis.is_only_printed(fact) {
            continue;
        }
        let message = format!("`{name}` is a datetime, and only its date is printed");
        let mut finding = Finding::new(&RULE, fact.kind.span, message)
            .around(fact.span)
            .help(help(fact));
        if let Some(print) = prints.first() {
            finding = finding.related(print.span, "printed here");
        }
        found.push(finding);
    }
}

fn help(fact: &Fact) -> String {
    let clock = match &fact.clock {
        Some(zone) => format!(" clock=\"{}\"", zone.value),
        None => String::new(),
    };
    format!("declare `fact {} date{clock} changes=day`", fact.name.value)
}
