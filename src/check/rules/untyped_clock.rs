//! A clock that is given as text or as a number.

use crate::check::prints::says_time;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, names};
use crate::compile::Print;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::FactType;
use crate::prompt::Changes;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "untyped-clock",
        exit: ExitClass::Success,
        summary: "a string or number that is named like a clock is printed in a stable layer",
        detail: "Text is printed as it is given: with seconds, or in the giver's language and time zone, and nothing checks it. A fact of type `date` with `changes=day` is checked, is the same everywhere, and says how often it changes.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for fact in &context.manifest().facts {
        let name = fact.name.value.as_str();
        // `day` and `turn` say it all, and `never` and `deploy` that it is no clock.
        let stated = Context::stated(fact).is_some_and(|c| c != Changes::Session);
        // A number counts seconds.
        let text =
            matches!(fact.kind.value, FactType::String | FactType::Int) && fact.one_of.is_empty();
        if stated || !text || !names::is_clock(name) {
            continue;
        }
        let mut prints = context.analysis.prints.iter();
        let print = prints.find(|p| p.fact.name.value == name && p.is_stable() && !p.is_measured());
        if let Some(print) = print {
            let message = format!(
                "`{name}` is named like a clock and no date, and is printed in text that {}",
                print.pace()
            );
            found.push(
                Finding::new(&RULE, fact.name.span, message)
                    .within(&print.site)
                    .around(fact.span)
                    .related(print.span, "printed here")
                    .help(help(name, print)),
            );
        }
    }
}

/// The type that fits what is printed: only a time is lost with a date.
fn help(name: &str, print: &Print<'_>) -> String {
    let dated = print.filters().any(|(filter, ..)| filter == "date");
    let [date, datetime] = [
        format!("`fact {name} date changes=day`"),
        format!("`fact {name} datetime changes=turn`"),
    ];
    let declare = match says_time(print).filter(|_| dated) {
        Some(true) => datetime,
        Some(false) => date,
        None => format!("{date} if it is a day, {datetime} if it is a time"),
    };
    format!("declare {declare}, or say how often it differs: changes=")
}
