//! A fact or let that nothing reads.

use crate::check::{Context, Finding, FindingSet, ProgramKind, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::FactType;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unused-fact",
        exit: ExitClass::Nobody,
        summary: "a fact or let that nothing reads",
        detail: "Whoever gives it believes that it says something to the model, and a record keeps a value that no byte came from. Remove it, or print it where it belongs. What only an unused let reads is unused too.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    let read = read(context);
    for fact in manifest
        .facts
        .iter()
        .filter(|f| !read.contains(&f.name.value) && manifest.is_own(f.span.file))
    {
        let name = &fact.name;
        let finding = Finding::new(
            &RULE,
            name.span,
            format!("nothing reads the fact `{}`", name.value),
        );
        let help = match fact.kind.value {
            FactType::Bool => format!("remove it, or ask it: when=\"{}\"", name.value),
            FactType::List | FactType::Map => {
                format!("remove it, or print it: {{{{ {} | json }}}}", name.value)
            }
            _ => format!("remove it, or print it: {{{{ {} }}}}", name.value),
        };
        found.push(finding.help(help).around(fact.span));
    }
    for item in manifest
        .lets
        .iter()
        .filter(|l| !read.contains(&l.name.value) && manifest.is_own(l.name.span.file))
    {
        let name = &item.name;
        let message = format!("nothing reads the let `{}`", name.value);
        found.push(Finding::new(&RULE, name.span, message).help("remove it"));
    }
}

/// All facts and lets that something besides a `let` reads, sessions too, and those that these lets read.
fn read(context: &Context<'_>) -> BTreeSet<String> {
    let mut open = context.plan.read_beside_programs().clone();
    open.extend(context.plan.refresh().facts.iter().map(|f| f.value.clone()));
    for used in &context.programs {
        if used.kind != ProgramKind::Let {
            open.extend(used.analysis.names.iter().map(|n| n.name.clone()));
        }
    }
    let mut read = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        let behind = context.plan.let_reads(&name).iter();
        open.extend(
            behind
                .filter(|n| !read.contains(&***n))
                .map(|n| n.to_string()),
        );
        read.insert(name);
    }
    read
}
