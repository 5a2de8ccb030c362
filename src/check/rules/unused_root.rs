//! A root that nothing reads.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{ProgramUse, Written};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Root, TemplateRef};
use std::collections::{BTreeMap, BTreeSet};

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
    let used = used(context);
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

/// The roots that something reads, and those that these are derived from.
fn used<'c>(context: &'c Context<'_>) -> BTreeSet<&'c str> {
    let mut used: BTreeSet<&str> = context.plan.asked_roots().collect();
    for node in &context.analysis.nodes {
        let reads = node.node.kind.reading().is_some();
        if reads {
            used.insert(node.root());
            let starts = node.way().filter_map(|n| n.settings.from.as_ref());
            used.extend(starts.map(|from| from.value.as_str()));
        }
    }
    if let Some(hint) = &context.manifest().hint {
        used.insert(hint.root.as_ref().map_or("workspace", |r| &r.value));
    }
    used.extend(context.analysis.programs.iter().filter_map(root_of));
    close(&context.manifest().roots, &mut used);
    used
}

/// The root that a template is read from.
fn root_of<'c>(used: &'c ProgramUse<'_>) -> Option<&'c str> {
    match used.written {
        Written::Template(TemplateRef::File { root, .. }) => Some(&root.as_ref()?.value),
        _ => None,
    }
}

/// Adds the roots that others are derived from or count from.
fn close<'c>(roots: &'c [Root], used: &mut BTreeSet<&'c str>) {
    let named = roots.iter().map(|root| (root.name.value.as_str(), root));
    let named: BTreeMap<&str, &Root> = named.collect();
    let mut open: Vec<&str> = used.iter().copied().collect();
    while let Some(root) = open.pop() {
        let root = named.get(root).into_iter();
        let behind = root.flat_map(|r| r.above.iter().chain(&r.within));
        open.extend((behind.map(|r| r.value.as_str())).filter(|name| used.insert(name)));
    }
}
