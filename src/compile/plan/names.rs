//! Facts, roots and scenarios: what is declared must make sense by itself.

use crate::compile::roots::{MANIFEST, TEXT};
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::manifest::{self, FactType, Manifest, Root, Scenario, locked};
use crate::template::fact::{ClockError, FactValue};
use crate::text::document::Document;
use std::collections::{BTreeMap, BTreeSet};

/// Over how many others a root may be derived. Why a layer changes names each way from it to one of them.
pub(super) const MOST_DERIVED: usize = 16;
/// The environment variables that are read without `env=`: `~` is in the first, the clock is the second.
const READ_BY_ITSELF: [&str; 2] = ["HOME", "SOURCE_DATE_EPOCH"];

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
pub(super) fn defaults(manifest: &Manifest, diags: &mut Diagnostics) -> Vec<Option<FactValue>> {
    manifest
        .facts
        .iter()
        .map(|written| default(written, diags))
        .collect()
}

fn default(written: &manifest::Fact, diags: &mut Diagnostics) -> Option<FactValue> {
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
    default
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
            FactValue::from_json(written.kind.value, &allowed.value.clone().into())
        {
            let message = format!(
                "`{}` can never have this value: it is not {}",
                written.name.value, mismatch.expected
            );
            let found = Diagnostic::error(codes::WRONG_FACT_TYPE, message)
                .at(allowed.span)
                .related(written.kind.span, "declared here");
            diags.push(match written.kind.value {
                FactType::List | FactType::Map => found.help(
                    "`one-of` names whole values, and cannot limit the items of a list or map: take it out",
                ),
                _ => found,
            });
        }
    }
}

/// Whether the `one-of` of a fact lets `value` through.
pub(in crate::compile) fn allows(written: &manifest::Fact, value: &FactValue) -> bool {
    written.one_of.is_empty()
        || written.one_of.iter().any(|allowed| {
            FactValue::from_json(written.kind.value, &allowed.value.clone().into())
                .is_ok_and(|v| v.as_ref() == Some(value))
        })
}

/// The roots of a manifest, by name.
pub(in crate::compile) struct Roots<'a> {
    manifest: &'a Manifest,
    declared: BTreeMap<&'a str, &'a Root>,
    /// The locks of roots: their own, or those of roots that count from them.
    locks: BTreeMap<&'a str, Span>,
}

impl<'a> Roots<'a> {
    pub(in crate::compile) fn new(manifest: &'a Manifest) -> Self {
        let declared = manifest.roots.iter().rev();
        let declared: BTreeMap<&str, &Root> =
            declared.map(|r| (r.name.value.as_str(), r)).collect();
        let mut locks = BTreeMap::new();
        for root in &manifest.roots {
            let Some(lock) = root.locked else { continue };
            let base = |at: &&Root| {
                let from = at.within.as_ref().or(at.above.as_ref())?;
                declared.get(from.value.as_str()).copied()
            };
            // Roots that count from each other in a circle are reported where they are checked.
            for at in std::iter::successors(Some(root), base).take(MOST_DERIVED) {
                locks.entry(at.name.value.as_str()).or_insert(lock);
            }
        }
        Self {
            manifest,
            declared,
            locks,
        }
    }

    /// The declared root called `name`.
    pub(super) fn declared(&self, name: &str) -> Option<&'a Root> {
        self.declared.get(name).copied()
    }

    /// The lock of a root: its own, or that of one that counts from it.
    pub(in crate::compile) fn lock(&self, name: &str) -> Option<Span> {
        self.locks.get(name).copied()
    }

    /// The settings of another file for a root that a locked root is derived from.
    fn check_locks(&self, diags: &mut Diagnostics) {
        for root in &self.manifest.roots {
            let Some(lock) = self
                .lock(&root.name.value)
                .filter(|_| root.locked.is_none())
            else {
                continue;
            };
            let defaults = root.default.iter().map(|d| d.span);
            let others = [&root.env, &root.within, &root.above];
            let said = defaults.chain(others.into_iter().flatten().map(|s| s.span));
            let level = |at: Span| self.manifest.level_of(at.file);
            if let Some(at) = said.into_iter().find(|at| level(*at) < level(lock)) {
                let message = format!("a locked root counts from `{}`", root.name.value);
                let help = "take this out: an overlay keeps what its base locks";
                diags.push(locked(message, at, lock).help(help));
            }
        }
    }

    /// Whether there is a root of that name; reports it if there is none.
    pub(super) fn known(&self, name: &Spanned<String>, diags: &mut Diagnostics) -> bool {
        let written = name.value.as_str();
        if self.declared.contains_key(written) || [MANIFEST, TEXT].contains(&written) {
            return true;
        }
        let message = format!("there is no root `{written}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_ROOT, message).at(name.span);
        diags.push_with(diagnostic, |mut diagnostic| {
            if let Some(at) = self.manifest.removal("root", written) {
                diagnostic = diagnostic.related(at, "removed here");
            }
            let names = root_names(self.manifest);
            match suggest::nearest(written, names.iter().copied()) {
                Some(near) => diagnostic
                    .help(format!("there is a root `{near}`"))
                    .suggest(name.span, near),
                None => diagnostic.help(format!("the roots are {}", suggest::list(names))),
            }
        });
        false
    }

    /// Derived roots lead to a root that is there, over few others, and not in a circle.
    pub(super) fn check(&self, diags: &mut Diagnostics) {
        self.check_locks(diags);
        // Over how many others each is derived; without end in a circle, and while that is being found out.
        let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
        for root in &self.manifest.roots {
            let mut way = Vec::new();
            let mut step = root;
            let mut level = loop {
                let name = step.name.value.as_str();
                match levels.get(name) {
                    Some(level) => break level.saturating_add(1),
                    None => drop(levels.insert(name, usize::MAX)),
                }
                way.push(step);
                let next = step.above.as_ref().or(step.within.as_ref());
                let next = next.filter(|next| self.known(next, diags));
                match next.and_then(|next| self.declared(&next.value)) {
                    Some(next) => step = next,
                    None => break 0,
                }
            };
            for root in way.into_iter().rev() {
                levels.insert(&root.name.value, level);
                // The roots that it is derived from are not reported.
                if level == MOST_DERIVED + 1 {
                    too_far(root, diags);
                }
                level = level.saturating_add(1);
            }
            if levels.get(root.name.value.as_str()) == Some(&usize::MAX) {
                diags.push(
                    Diagnostic::error(
                        codes::ROOT_CYCLE,
                        format!("the root `{}` is derived from itself", root.name.value),
                    )
                    .at(root.name.span)
                    .help("`above=` and `in=` must end at a root with a folder of its own"),
                );
            }
        }
    }
}

fn too_far(root: &Root, diags: &mut Diagnostics) {
    let name = &root.name.value;
    let message = format!("the root `{name}` is derived over more than {MOST_DERIVED} others");
    diags.push(
        Diagnostic::error(codes::TOO_MANY_ROOTS, message)
            .at(root.name.span)
            .help("derive it from a root that is nearer to one with a folder of its own"),
    );
}

/// Where skills are read, templates know what entries are called by; elsewhere these names are free.
pub(super) fn entries(manifest: &Manifest, diags: &mut Diagnostics) {
    let of_directory_rules = || manifest.directory_rules.iter().map(|h| &h.tier);
    let tiers = || manifest.tiers.iter().chain(of_directory_rules());
    let layers = || tiers().flat_map(|t| &t.layers);
    let mut nodes = layers().flat_map(manifest::Layer::nodes);
    let listed = |node: &&manifest::Node| node.kind.reading().is_some_and(|r| r.kind.is_listed());
    let Some(skills) = nodes.find(listed) else {
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
                    .related(skills.span, "the skills are read here")
                    .help(format!("choose another name, such as `{}_`", name.value)),
            );
        }
    }
}

/// The values of scenarios must exist and have the right type. What an overlay changes may not suit a scenario of its base,
/// which is reported where the scenario is built.
pub(super) fn scenarios(manifest: &Manifest, roots: &Roots<'_>, diags: &mut Diagnostics) {
    let own = manifest.scenarios.iter();
    let own = own.filter(|scenario| manifest.is_own(scenario.span.file));
    check_scenarios(manifest, own.clone(), roots, diags);
    let facts = manifest.facts.iter();
    let of_facts = facts.flat_map(|fact| fact.env.iter().chain(&fact.env_set));
    let of_roots = manifest.roots.iter().flat_map(|root| &root.env);
    let read = of_facts.chain(of_roots).map(|name| name.value.as_str());
    let read: BTreeSet<&str> = read.chain(READ_BY_ITSELF).collect();
    for (scenario, (name, _)) in own.flat_map(|s| s.env.iter().map(move |env| (s, env))) {
        if read.contains(name.value.as_str()) {
            continue;
        }
        let message = format!(
            "the scenario `{}` gives `{}`, and nothing reads that environment variable",
            scenario.name.value, name.value
        );
        let found = Diagnostic::warning(codes::UNUSED_INPUT, message).at(name.span);
        diags.push(match suggest::nearest(&name.value, read.iter().copied()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => {
                found.help("remove it, or write `env=` at the fact or root that should read it")
            }
        });
    }
}

/// Reports what one of the scenarios gives and the manifest cannot take. A scenario of a base may give what an overlay removed.
pub(in crate::compile) fn check_scenarios<'s>(
    manifest: &Manifest,
    scenarios: impl Iterator<Item = &'s Scenario>,
    roots: &Roots<'_>,
    diags: &mut Diagnostics,
) {
    let facts = manifest.facts.iter().rev();
    let facts: BTreeMap<&str, &manifest::Fact> =
        facts.map(|f| (f.name.value.as_str(), f)).collect();
    for scenario in scenarios {
        let level = manifest.level_of(scenario.span.file);
        let removed = |kind, name: &Spanned<String>| {
            manifest.is_removed_above(kind, &name.value, scenario.span.file)
        };
        for (name, _) in &scenario.roots {
            let root = roots.declared(&name.value);
            if removed("root", name) {
                continue;
            }
            roots.known(name, diags);
            let lock = root.and_then(|root| roots.lock(&root.name.value));
            // What an overlay locks is locked for those above it.
            let above = |lock: &Span| manifest.level_of(lock.file) >= level;
            if let Some(lock) = lock.filter(|lock| lock.file != name.span.file && above(lock)) {
                let message = format!("the root `{}` is locked", name.value);
                let found = locked(message, name.span, lock);
                diags.push(found.help("take this out: an overlay keeps what its base locks"));
            }
        }
        for (name, value) in &scenario.sets {
            let Some(fact) = facts.get(name.value.as_str()) else {
                if !removed("fact", name) {
                    unknown_fact(manifest, name, "string", diags);
                }
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

/// Reports an unknown fact; `kind` is a type that it may have.
pub(super) fn unknown_fact(
    manifest: &Manifest,
    name: &Spanned<String>,
    kind: &str,
    diags: &mut Diagnostics,
) {
    let message = format!("there is no fact `{}`", name.value);
    let diagnostic = Diagnostic::error(codes::UNKNOWN_FACT, message).at(name.span);
    diags.push_with(diagnostic, |mut diagnostic| {
        if let Some(at) = manifest.removed_names().get(&name.value) {
            diagnostic = diagnostic.related(*at, "removed here");
        }
        let names = manifest.facts.iter().map(|f| f.name.value.as_str());
        match suggest::nearest(&name.value, names) {
            Some(near) => diagnostic
                .help(format!("there is a fact `{near}`"))
                .suggest(name.span, near),
            None => diagnostic.help(format!("declare it: fact {} {kind}", name.value)),
        }
    });
}

/// The types that can be text.
pub(super) fn is_text(kind: FactType) -> bool {
    matches!(
        kind,
        FactType::String | FactType::Int | FactType::Float | FactType::Date | FactType::DateTime
    )
}
