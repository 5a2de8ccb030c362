//! A root that nothing reads.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unused-root",
        exit: ExitClass::Success,
        summary: "a root is declared and nothing reads it",
        detail: "A user of the manifest believes that the folder matters. Remove the root, or write `root=` on the source that should read it. A source without `root=` reads `workspace`.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    let used = context.analysis.used_roots();
    for root in &manifest.roots {
        let name = &root.name;
        if used.contains(name.value.as_str()) || !manifest.is_own(name.span.file) {
            continue;
        }
        let message = format!("nothing reads the root `{}`", name.value);
        found.push(
            Finding::new(&RULE, name.span, message)
                .around(root.span)
                .help("remove it, or write `root=` on the source that should read it"),
        );
    }
}
