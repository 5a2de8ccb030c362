//! Prefix families: what they name is there, and they expect something.

use crate::diagnostic::span::Spanned;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::manifest::{Expect, Manifest};
use crate::prompt::Deliver;
use std::collections::BTreeSet;

/// Reports what is wrong with families.
pub(super) fn check(manifest: &Manifest, diags: &mut Diagnostics) {
    if manifest.expects.is_empty() {
        return;
    }
    let scenarios = manifest.scenarios.iter();
    let scenarios: BTreeSet<&str> = scenarios.map(|s| s.name.value.as_str()).collect();
    for expect in &manifest.expects {
        members(expect, manifest, &scenarios, diags);
        if let Some(name) = &expect.through {
            through(name, manifest, diags);
        }
        if expect.through.is_none() && expect.at_least.is_none() {
            let message = format!("`{}` expects nothing of its members", expect.name.value);
            diags.push(
                Diagnostic::error(codes::MISSING_ARGUMENT, message)
                    .at(expect.span)
                    .help("write `through TIER`, `at-least N tokens` or both in its braces"),
            );
        }
    }
}

fn members(
    expect: &Expect,
    manifest: &Manifest,
    scenarios: &BTreeSet<&str>,
    diags: &mut Diagnostics,
) {
    let [first, rest @ ..] = expect.members.as_slice() else {
        let message = format!("`{}` lacks its members", expect.name.value);
        diags.push(
            Diagnostic::error(codes::MISSING_ARGUMENT, message)
                .at(expect.span)
                .help("write `members SCENARIO SCENARIO …` in its braces"),
        );
        return;
    };
    if rest.is_empty() {
        let message = format!(
            "`{}` has only one member, and a family needs two",
            expect.name.value
        );
        diags.push(
            Diagnostic::error(codes::MISSING_ARGUMENT, message)
                .at(first.span)
                .help("name another scenario after it"),
        );
    }
    for name in &expect.members {
        if scenarios.contains(name.value.as_str()) {
            continue;
        }
        let message = format!("there is no scenario `{}`", name.value);
        let found = Diagnostic::error(codes::UNKNOWN_SCENARIO, message).at(name.span);
        diags.push_with(found, |mut found| {
            if let Some(at) = manifest.removal("scenario", &name.value) {
                found = found.related(at, "removed here");
            }
            match suggest::nearest(&name.value, scenarios.iter().copied()) {
                Some(near) => found
                    .help(format!("there is a scenario `{near}`"))
                    .suggest(name.span, near),
                None if scenarios.is_empty() => found.help(
                    "neither this manifest nor a base declares a scenario: write `scenario NAME` for each member",
                ),
                None => found.help(format!(
                    "the scenarios are {}",
                    suggest::list(scenarios.iter().copied())
                )),
            }
        });
    }
}

/// The tier or layer exists, and is in the prefix.
fn through(name: &Spanned<String>, manifest: &Manifest, diags: &mut Diagnostics) {
    match manifest.through(&name.value) {
        None => unknown(name, manifest, diags),
        Some((tier, _)) if tier.channel() == Deliver::User => {
            let message = format!(
                "`{}` is delivered with the user's message, which comes after the prefix",
                name.value
            );
            let found = Diagnostic::error(codes::CONFLICTING_SETTINGS, message).at(name.span);
            let at = tier.deliver.as_ref().map_or(tier.span, |d| d.span);
            let found = found.related(at, "said here");
            diags.push(found.help("name a tier or layer of the tools or of the system prompt"));
        }
        Some(_) => {}
    }
}

fn unknown(name: &Spanned<String>, manifest: &Manifest, diags: &mut Diagnostics) {
    let message = format!("there is no tier or layer `{}`", name.value);
    let found = Diagnostic::error(codes::UNKNOWN_TIER, message).at(name.span);
    diags.push_with(found, |mut found| {
        let removal = |kind| manifest.removal(kind, &name.value);
        if let Some(at) = removal("tier").or_else(|| removal("layer")) {
            found = found.related(at, "removed here");
        }
        let tiers = || manifest.tiers.iter().map(|t| t.name.value.as_str());
        let layers = manifest.tiers.iter().flat_map(|t| &t.layers);
        let names = tiers().chain(layers.map(|l| l.name.value.as_str()));
        match suggest::nearest(&name.value, names) {
            Some(near) => {
                let kind = if tiers().any(|tier| tier == near) {
                    "tier"
                } else {
                    "layer"
                };
                found
                    .help(format!("there is a {kind} `{near}`"))
                    .suggest(name.span, near)
            }
            None => found.help(format!("the tiers are {}", suggest::list(tiers()))),
        }
    });
}
