//! A root that nothing reads.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Node, NodeKind, Reminder, Root, Source, TemplateRef};
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unused-root",
        exit: ExitClass::Nobody,
        summary: "a root is declared and nothing reads it",
        detail: "Whoever runs the manifest believes that the folder matters. Remove the root, or write `root=` where it was meant: a source without it reads `workspace`.",
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
    for node in &context.nodes {
        let reads = node.node.kind.reading().is_some();
        if reads {
            used.insert(node.root());
            let starts = node.way().filter_map(|n| n.settings.from.as_ref());
            used.extend(starts.map(|from| from.value.as_str()));
        }
        used.extend(programs(node.node).filter_map(root_of));
    }
    let hint = context.manifest().hint.as_ref();
    if let Some(hint) = hint {
        used.insert(hint.root.as_ref().map_or("workspace", |r| &r.value));
    }
    let tiers = context.manifest().tiers.iter();
    for tier in tiers.chain(hint.map(|h| &h.tier)) {
        used.extend((tier.transforms.templates()).filter_map(root_of));
        for layer in &tier.layers {
            let markers = layer.budgets.iter().filter_map(|b| b.marker.as_ref());
            let own = layer.template.iter().chain(markers);
            used.extend(own.chain(layer.transforms.templates()).filter_map(root_of));
        }
    }
    let reminder = (context.manifest().session.iter()).filter_map(|s| s.reminder.as_ref());
    used.extend(reminder.flat_map(Reminder::templates).filter_map(root_of));
    close(&context.manifest().roots, &mut used);
    used
}

/// The templates that a node names.
fn programs(node: &Node) -> impl Iterator<Item = &TemplateRef> {
    let own = match &node.kind {
        NodeKind::Source(Source::Template(template)) => Some(template),
        kind => kind
            .reading()
            .and_then(|reading| reading.choice.hide.as_ref()),
    };
    let markers = node.budgets.iter().filter_map(|b| b.marker.as_ref());
    own.into_iter()
        .chain(markers)
        .chain(node.transforms.templates())
}

fn root_of(template: &TemplateRef) -> Option<&str> {
    match template {
        TemplateRef::File { root, .. } => root.as_ref().map(|r| r.value.as_str()),
        TemplateRef::Inline(_) => None,
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
