//! Names that must differ.

use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{DUPLICATE_NAME, Diagnostic, Diagnostics};
use crate::manifest::{Manifest, Part};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Reports names that are given twice.
pub(in crate::manifest) fn check(manifest: &Manifest, found: &mut Diagnostics) {
    let mut variables = Names::default();
    let facts = manifest.facts.iter().map(|f| ("fact", &f.name));
    let lets = manifest.lets.iter().map(|l| ("let", &l.name));
    let mut both: Vec<_> = facts.chain(lets).collect();
    // A base is read after the manifest that extends it.
    both.sort_by_key(|(_, name)| (Reverse(name.span.file), name.span));
    for (kind, name) in both {
        variables.add(found, kind, name);
    }
    let mut roots = Names::default();
    for root in &manifest.roots {
        if root.name.value == "manifest" {
            found.push(
                Diagnostic::error(DUPLICATE_NAME, "the root `manifest` is built in")
                    .at(root.name.span)
                    .help("it is the manifest's own folder; choose another name"),
            );
        } else {
            let folder = [&root.env, &root.within, &root.above].into_iter().flatten();
            let mut folder = folder.chain(&root.default).chain(&root.holding);
            if let Some(folder) = folder.next().filter(|_| root.name.value == "text") {
                found.push(
                    Diagnostic::error(DUPLICATE_NAME, "the folder of the root `text` is built in")
                        .at(folder.span)
                        .help("leave this out, or choose another name for the root"),
                );
            }
            roots.add(found, "root", &root.name);
        }
    }
    let mut scans = Names::default();
    for set in &manifest.scans {
        scans.add(found, "scan", &set.name);
        let mut rules = Names::default();
        for rule in &set.rules {
            rules.add(found, "rule", &rule.id);
        }
    }
    let (mut tiers, mut layers) = (Names::default(), Names::default());
    for tier in &manifest.tiers {
        tiers.add(found, "tier", &tier.name);
        for layer in &tier.layers {
            layers.add(found, "layer", &layer.name);
            check_parts(found, &layer.parts, &variables);
        }
    }
    let of_directory_rules = manifest.directory_rules.iter().flat_map(|h| &h.tier.layers);
    of_directory_rules.for_each(|layer| check_parts(found, &layer.parts, &variables));
    let mut scenarios = Names::default();
    for scenario in &manifest.scenarios {
        scenarios.add(found, "scenario", &scenario.name);
    }
    let mut expects = Names::default();
    for expect in &manifest.expects {
        expects.add(found, "expect", &expect.name);
    }
}

/// Parts differ from each other, and from the facts and lets that the same template sees.
fn check_parts(found: &mut Diagnostics, parts: &[Part], variables: &Names) {
    let mut names = Names::default();
    for part in parts {
        names.add(found, "part", &part.name);
        if let Some((kind, first)) = variables.0.get(part.name.value.as_str()) {
            let message = format!("the part `{}` is called like a {kind}", part.name.value);
            report(found, message, part.name.span, kind, *first);
        }
    }
}

/// The name of a kind of node in messages: singular and plural.
pub(super) fn called(kind: &str) -> [String; 2] {
    match kind {
        "expect" => ["prefix family", "prefix families"].map(str::to_owned),
        kind => [kind.to_owned(), format!("{kind}s")],
    }
}

/// Names of one kind, what has them and where they were first given.
#[derive(Default)]
struct Names<'a>(BTreeMap<&'a str, (&'static str, Span)>);

impl<'a> Names<'a> {
    fn add(&mut self, found: &mut Diagnostics, kind: &'static str, name: &'a Spanned<String>) {
        if let Some((first_kind, first)) = self.0.get(name.value.as_str()) {
            let message = if kind == *first_kind {
                format!("there are two {} `{}`", called(kind)[1], name.value)
            } else {
                format!("the {kind} `{}` is called like a {first_kind}", name.value)
            };
            report(found, message, name.span, first_kind, *first);
        } else {
            self.0.insert(&name.value, (kind, name.span));
        }
    }
}

fn report(found: &mut Diagnostics, message: String, at: Span, first_kind: &str, first: Span) {
    found.push(
        Diagnostic::error(DUPLICATE_NAME, message)
            .at(at)
            .related(first, format!("the {} of that name", called(first_kind)[0]))
            .help("give one of them another name"),
    );
}
