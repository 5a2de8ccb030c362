//! A fact named like something that differs at every call.

use crate::check::prints::Print;
use crate::check::{Context, Finding, Found, Look, Rule, names};
use crate::diagnostic::{Code, Fault, Severity};
use crate::manifest::FactType;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "volatile-fact-name",
        fault: Fault::Nobody,
        summary: "a fact that is named like something that differs at every call is printed in a calm layer",
        detail: "An id of the request, a nonce, a temporary folder or the state of a repository differs from call to call, and with it the prefix that a provider could keep. Leave it out, move it to a turn tier, or declare `changes=` if it is calmer than its name.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[Look::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut Found) {
    for fact in &context.manifest().facts {
        let plain = matches!(
            fact.kind.value,
            FactType::String | FactType::Int | FactType::List | FactType::Map
        );
        if fact.changes.is_some() || !fact.one_of.is_empty() || !plain {
            continue;
        }
        let of = |p: &&Print<'_>| p.fact.span == fact.span && p.is_calm() && !p.is_measured();
        let named = |p: &&Print<'_>| names::is_volatile(&p.path());
        // Once for each fact: the way out is the same for all places.
        if let Some(print) = context.prints.iter().filter(of).find(named) {
            let name = print.path();
            let message = format!(
                "`{name}` differs at nearly every call, by its name, and stands in text that {}",
                print.pace()
            );
            found.push(
                Finding::new(&RULE, print.span, message)
                    .within(&print.site)
                    .around(fact.span)
                    .related(fact.name.span, "declared here")
                    .help("leave it out, move it to a tier with changes=turn deliver=user, or declare how often it differs: changes="),
            );
        }
    }
}
