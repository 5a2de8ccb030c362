//! A fact from the clock that ticks more often than declared.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, when};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::FactType;
use crate::prompt::Changes;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "understated-clock",
        exit: ExitClass::Success,
        summary: "a fact from the clock changes more often than it is declared to",
        detail: "A date from the clock is another one at midnight, and a point in time at every call. Without `changes` a fact counts as one that changes from conversation to conversation, and tiers promise what does not hold. The time at which a session begins is `changes=session` in a manifest with `session { … }`, and no finding.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for fact in &context.manifest().facts {
        let Some(clock) = &fact.clock else {
            continue;
        };
        let ticks = match fact.kind.value {
            FactType::Date => Changes::Day,
            _ => Changes::Turn,
        };
        // What is not declared counts as this.
        let counts = fact.changes.as_ref().map_or(Changes::Session, |c| c.value);
        if counts >= ticks || context.is_session_start(fact) {
            continue;
        }
        let name = &fact.name;
        let how = match &fact.changes {
            Some(_) => "is declared",
            None => "without `changes` counts as",
        };
        let message = format!(
            "the fact `{}` is read from the clock and changes {}, and {how} `{counts}`",
            name.value,
            when(ticks)
        );
        let finding = Finding::new(&RULE, name.span, message).around(fact.span);
        let finding = match &fact.changes {
            Some(declared) => {
                let help = match declared.value {
                    Changes::Session => format!(
                        "write `changes={ticks}`; if it is the time at which a session begins, say when a session is built again: `session {{ refresh event=compaction }}`"
                    ),
                    _ => format!("write `changes={ticks}`"),
                };
                finding
                    .related(declared.span, "declared here")
                    .help(help)
                    .suggest(declared.span, ticks.name())
            }
            None => {
                let end = clock.span.range().end;
                let behind = Span::new(clock.span.file, end..end);
                finding
                    .help(format!("add `changes={ticks}`"))
                    .suggest(behind, format!(" changes={ticks}"))
            }
        };
        found.push(finding);
    }
}
