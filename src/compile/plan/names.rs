//! Facts, roots and scenarios: what is declared must make sense by itself.

use super::Fact;
use crate::compile::roots::{self, MANIFEST, TEXT};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::document::Document;
use crate::fact::{ClockError, FactValue};
use crate::manifest::{self, FactType, Manifest, NodeKind, Source};
use crate::span::{Span, Spanned};

/// The names of all roots, built-in ones last.
pub(in crate::compile) fn root_names(manifest: &Manifest) -> Vec<&str> {
    let mut names: Vec<&str> = manifest
        .roots
        .iter()
        .map(|r| r.name.value.as_str())
        .collect();
    for builtin in [MANIFEST, TEXT] {
        if !names.contains(&builtin) {
            names.push(builtin);
        }
    }
    names
}

/// Types the defaults and checks what can be known of a value before there is one.
pub(super) fn facts(manifest: &Manifest, diags: &mut Diagnostics) -> Vec<Fact> {
    manifest
        .facts
        .iter()
        .map(|written| one_fact(written, diags))
        .collect()
}

fn one_fact(written: &manifest::Fact, diags: &mut Diagnostics) -> Fact {
    let name = &written.name.value;
    let mut default = None;
    if let Some(value) = &written.default {
        match FactValue::from_written(written.kind.value, value) {
            Ok(value) => default = value,
            Err(mismatch) => {
                diags.push(
                    Diagnostic::error(
                        codes::WRONG_FACT_TYPE,
                        format!("the default of `{name}` is not {}", mismatch.expected),
                    )
                    .at(value.span)
                    .label(format!(
                        "`{name}` is declared as {}",
                        written.kind.value.name()
                    )),
                );
            }
        }
        if let Some(value) = &default {
            one_of(written, value, diags);
        }
    }
    if let Some(zone) = &written.clock
        && FactValue::from_clock(written.kind.value, 0, &zone.value) == Err(ClockError::UnknownZone)
    {
        diags.push(
            Diagnostic::error(
                codes::UNKNOWN_TIME_ZONE,
                format!("there is no time zone `{}`", zone.value),
            )
            .at(zone.span)
            .help("write `utc` or a name of the IANA database, such as `Europe/Zurich`"),
        );
    }
    possible(written, diags);
    Fact {
        written: written.clone(),
        default,
    }
}

fn one_of(written: &manifest::Fact, value: &FactValue, diags: &mut Diagnostics) {
    if !allows(written, value) {
        // An overlay may have written either of them.
        let default = written.default.as_ref().map_or(written.span, |d| d.span);
        let allowed = written.one_of.first().map_or(written.span, |v| v.span);
        diags.push(
            Diagnostic::error(
                codes::NOT_ONE_OF,
                format!(
                    "the default of `{}` is not one of the values that it allows",
                    written.name.value
                ),
            )
            .at(default)
            .related(allowed, "what it allows"),
        );
    }
}

/// Reports values of `one-of` that the fact could never have.
fn possible(written: &manifest::Fact, diags: &mut Diagnostics) {
    for allowed in &written.one_of {
        if let Err(mismatch) =
            FactValue::from_data(written.kind.value, &allowed.value.clone().into())
        {
            diags.push(
                Diagnostic::error(
                    codes::WRONG_FACT_TYPE,
                    format!(
                        "`{}` can never have this value: it is not {}",
                        written.name.value, mismatch.expected
                    ),
                )
                .at(allowed.span)
                .related(written.kind.span, "declared here"),
            );
        }
    }
}

/// Whether the `one-of` of a fact lets `value` through.
pub(in crate::compile) fn allows(written: &manifest::Fact, value: &FactValue) -> bool {
    written.one_of.is_empty()
        || written.one_of.iter().any(|allowed| {
            FactValue::from_data(written.kind.value, &allowed.value.clone().into())
                .is_ok_and(|v| v.as_ref() == Some(value))
        })
}

/// Derived roots lead to a root that is there, and not in a circle.
pub(super) fn roots(manifest: &Manifest, diags: &mut Diagnostics) {
    for root in &manifest.roots {
        let mut step = root;
        // As many steps as there are roots can only be needed in a circle.
        for count in 0..=manifest.roots.len() {
            let Some(next) = step.above.as_ref().or(step.within.as_ref()) else {
                break;
            };
            if !known_root(manifest, next, diags) {
                break;
            }
            let Some(declared) = roots::declared(manifest, &next.value) else {
                break;
            };
            if count == manifest.roots.len() {
                diags.push(
                    Diagnostic::error(
                        codes::ROOT_CYCLE,
                        format!("the root `{}` is derived from itself", root.name.value),
                    )
                    .at(root.name.span)
                    .help("`above=` and `in=` must end at a root with a folder of its own"),
                );
            }
            step = declared;
        }
    }
}

/// Where skills are read, templates know what entries are called by; elsewhere these names are free.
pub(super) fn entries(manifest: &Manifest, diags: &mut Diagnostics) {
    let of_hint = || manifest.hint.iter().map(|h| &h.tier);
    let tiers = || manifest.tiers.iter().chain(of_hint());
    let layers = || tiers().flat_map(|t| &t.layers);
    let contents = layers().flat_map(|l| {
        let parts = l.parts.iter().map(|p| &p.content);
        l.content.iter().chain(parts)
    });
    let Some(skills) = contents.filter_map(skills).next() else {
        return;
    };
    let facts = manifest.facts.iter().map(|f| &f.name);
    let lets = manifest.lets.iter().map(|l| &l.name);
    let parts = layers().flat_map(|l| l.parts.iter().map(|p| &p.name));
    for name in facts.chain(lets).chain(parts) {
        if Document::OF_ENTRIES.contains(&name.value.as_str()) {
            let message = format!(
                "`{}` is what templates call a part of each skill",
                name.value
            );
            diags.push(
                Diagnostic::error(codes::RESERVED_NAME, message)
                    .at(name.span)
                    .related(skills, "the skills are read here")
                    .help(format!("choose another name, such as `{}_`", name.value)),
            );
        }
    }
}

/// The first source of skills in a node.
fn skills(node: &manifest::Node) -> Option<Span> {
    match &node.kind {
        NodeKind::Source(Source::Reading(reading)) if reading.kind.is_listed() => Some(node.span),
        NodeKind::First(members) | NodeKind::All { members, .. } => members.iter().find_map(skills),
        _ => None,
    }
}

/// Reports a root that is not there.
pub(super) fn known_root(
    manifest: &Manifest,
    name: &Spanned<String>,
    diags: &mut Diagnostics,
) -> bool {
    let names = root_names(manifest);
    if names.contains(&name.value.as_str()) {
        return true;
    }
    let mut diagnostic = Diagnostic::error(
        codes::UNKNOWN_ROOT,
        format!("there is no root `{}`", name.value),
    )
    .at(name.span);
    if let Some(at) = manifest.removal("root", &name.value) {
        diagnostic = diagnostic.related(at, "removed here");
    }
    diagnostic = match suggest::nearest(&name.value, names.iter().copied()) {
        Some(near) => diagnostic
            .help(format!("there is a root `{near}`"))
            .suggest(name.span, near),
        None => diagnostic.help(format!("the roots are {}", suggest::list(names))),
    };
    diags.push(diagnostic);
    false
}

/// What scenarios set must be there, and of the right type.
pub(super) fn scenarios(manifest: &Manifest, diags: &mut Diagnostics) {
    for scenario in &manifest.scenarios {
        for (name, _) in &scenario.roots {
            known_root(manifest, name, diags);
        }
        for (name, value) in &scenario.sets {
            let Some(fact) = manifest.facts.iter().find(|f| f.name.value == name.value) else {
                unknown_fact(manifest, name, diags);
                continue;
            };
            match FactValue::from_written(fact.kind.value, value) {
                Err(mismatch) => {
                    diags.push(
                        Diagnostic::error(
                            codes::WRONG_FACT_TYPE,
                            format!(
                                "the value for `{}` is not {}",
                                name.value, mismatch.expected
                            ),
                        )
                        .at(value.span)
                        .related(fact.kind.span, "declared here"),
                    );
                }
                Ok(Some(value)) if !allows(fact, &value) => {
                    diags.push(
                        Diagnostic::error(
                            codes::NOT_ONE_OF,
                            format!(
                                "the value for `{}` is not one of those that it allows",
                                name.value
                            ),
                        )
                        .at(name.span)
                        .related(fact.span, "declared here"),
                    );
                }
                Ok(_) => {}
            }
        }
    }
}

/// Reports a fact that is not there.
pub(super) fn unknown_fact(manifest: &Manifest, name: &Spanned<String>, diags: &mut Diagnostics) {
    let names = manifest.facts.iter().map(|f| f.name.value.as_str());
    let mut diagnostic = Diagnostic::error(
        codes::UNKNOWN_FACT,
        format!("there is no fact `{}`", name.value),
    )
    .at(name.span);
    if let Some(at) = manifest.removed_names().get(&name.value) {
        diagnostic = diagnostic.related(*at, "removed here");
    }
    if let Some(near) = suggest::nearest(&name.value, names) {
        diagnostic = diagnostic
            .help(format!("there is a fact `{near}`"))
            .suggest(name.span, near);
    } else {
        diagnostic = diagnostic.help(format!("declare it: fact {} string", name.value));
    }
    diags.push(diagnostic);
}

/// The types that can stand as text.
pub(super) fn is_text(kind: FactType) -> bool {
    matches!(
        kind,
        FactType::String | FactType::Int | FactType::Float | FactType::Date | FactType::DateTime
    )
}
