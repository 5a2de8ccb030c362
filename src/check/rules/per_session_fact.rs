//! A fact named like something that no two conversations share.

use crate::check::{Context, FindingSet, Rule, RuleInput, names, prints};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "per-session-fact",
        exit: ExitClass::Nobody,
        summary: "a fact that no two conversations share is printed in a calm layer",
        detail: "Text that holds the id, folder or branch of one conversation is shared with no other: a provider's cache helps within it, and never from one to the next. Print it last, or leave it out; declare `changes=session` to say that it is known.",
    },
    severity: Severity::Note,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    // Once for each fact: the way out is the same for all places.
    for print in prints::named_like(context, names::is_per_session) {
        let name = print.path();
        let message = format!(
            "`{name}` differs in every conversation, by its name: no two share this text or what stands behind it"
        );
        found.push(print.finding(&RULE, message).help(
            "leave it out or print it last; declare changes=session to say that it is known",
        ));
    }
}
