//! A fact named like something that no two conversations share.

use crate::check::{Context, FindingSet, Rule, RuleInput, names, prints};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "per-session-fact",
        exit: ExitClass::Success,
        summary: "a fact that differs in every conversation is printed in a stable layer",
        detail: "Text with the id, folder or branch of one conversation differs in all others: the prompt cache helps within the conversation, but not across conversations. Print it last, or leave it out. Declare `changes=session` if this is intended.",
    },
    severity: Severity::Note,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    // Once for each fact: the fix is the same for all places.
    for print in prints::named_like(context, names::is_per_session) {
        let name = print.path();
        let message = format!(
            "`{name}` differs in every conversation, by its name: no two share this text or the text after it"
        );
        found.push(print.finding(&RULE, message).help(
            "leave it out or print it last; declare changes=session to say that it is known",
        ));
    }
}
