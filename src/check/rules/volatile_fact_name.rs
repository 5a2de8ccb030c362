//! A fact named like something that differs at every call.

use crate::check::{Context, FindingSet, Rule, RuleInput, names, prints};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "volatile-fact-name",
        exit: ExitClass::Success,
        summary: "a fact whose name suggests a new value at every call is printed in a stable layer",
        detail: "The id of a request, a nonce, a temporary folder or the state of a repository differs from call to call, and breaks the prefix each time. Leave it out, move it to a turn tier, or declare `changes=` if it is more stable than its name suggests.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    // Once for each fact: the fix is the same for all places.
    for print in prints::named_like(context, names::is_volatile) {
        let name = print.path();
        let message = format!(
            "`{name}` differs at nearly every call, by its name, and is printed in text that {}",
            print.pace()
        );
        found.push(
                print.finding(&RULE, message)
                    .help("leave it out, move it to a tier with changes=turn deliver=user (`promptc build --channel user` writes it), or declare how often it differs: changes="),
            );
    }
}
