//! An optional fact, used where a missing one fails the build.

use crate::check::trials::{Trials, may_be_missing};
use crate::check::{Finding, FindingSet, ProgramKind, ProgramUse, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::Fact;
use crate::template::analyse::AbstractValue;
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unguarded-fact",
        exit: ExitClass::Nobody,
        summary: "an optional fact is used where a missing one fails the build",
        detail: "A fact declared `optional=#true` may be missing. It may then be asked for (`x is defined`, {% if x %}) and replaced (`x | default(…)`); printing it, comparing it and handing it to a filter fail. The build works until somebody leaves the fact out.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Trials(run)],
};

fn run(trials: &Trials<'_>, found: &mut FindingSet) {
    let facts = trials.context.manifest().facts.iter();
    let optional: Vec<&Fact> = facts.filter(|fact| may_be_missing(fact)).collect();
    if optional.is_empty() {
        return;
    }
    let groups: Vec<_> = trials
        .groups()
        .filter_map(|group| {
            let (first, code) = (group.first()?, Trials::code(group.first()?)?);
            Some((first, code, trials.compared(group, &first.site.conditions)))
        })
        .collect();
    for fact in optional {
        let name = fact.name.value.as_str();
        let facts = BTreeMap::from([(name, AbstractValue::missing())]);
        let (mut layers, mut places) = (BTreeSet::new(), BTreeSet::new());
        for (used, code, _) in groups.iter().filter(|(.., reads)| reads.contains_key(name)) {
            let place = used.site.around.first();
            let Some(shown) = trials.run(used, code, facts.clone()) else {
                continue;
            };
            // The first place of each layer is enough: the build ends there.
            let layer = used.site.layer.map(|l| l.span);
            let Some(failure) = shown.failures.first() else {
                continue;
            };
            let span = trials.span(used, failure);
            if layer.is_some_and(|layer| layers.contains(&layer)) || !places.insert(span) {
                continue;
            }
            layers.extend(layer);
            let finding = Finding::new(&RULE, span, message(fact, used)).within(&used.site);
            found.push(
                finding
                    .related(fact.name.span, "declared optional")
                    .around(place.copied().unwrap_or(fact.span))
                    .around(fact.span)
                    .help(help(name, used)),
            );
        }
    }
}

/// Whether it is told with what has changed, and so part of no build.
fn is_reminder(used: &ProgramUse<'_>) -> bool {
    used.site.tier.is_none() && used.kind != ProgramKind::Let
}

fn message(fact: &Fact, used: &ProgramUse<'_>) -> String {
    let what = match is_reminder(used) {
        true => "reminder",
        false => "build",
    };
    let name = &fact.name.value;
    format!("`{name}` may be missing, and the {what} fails here if it is")
}

fn help(name: &str, used: &ProgramUse<'_>) -> String {
    let default = format!("{name} | default(\"…\")");
    if used.kind.is_expression() {
        format!("ask first: `{name} is defined and …`, or write {default}")
    } else if is_reminder(used) {
        format!("write {{% if {name} is defined %}} or {default}")
    } else {
        format!(
            "write {{% if {name} is defined %}}, when=\"{name} is defined\" on what it stands in, or {default}"
        )
    }
}
