//! A fact or let that nothing reads.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::FactType;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unused-fact",
        exit: ExitClass::Success,
        summary: "a fact or let that nothing reads",
        detail: "A caller who gives it believes that it reaches the model, and snapshots contain a value without any effect. Remove it, or print it where it belongs. A fact that only an unused let reads is unused too.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    let read = context.analysis.read();
    for fact in manifest
        .facts
        .iter()
        .filter(|f| !read.contains(f.name.value.as_str()) && manifest.is_own(f.span.file))
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
        .filter(|l| !read.contains(l.name.value.as_str()) && manifest.is_own(l.name.span.file))
    {
        let name = &item.name;
        let message = format!("nothing reads the let `{}`", name.value);
        found.push(Finding::new(&RULE, name.span, message).help("remove it"));
    }
}
