//! Facts and roots: refined property by property, then held against what goes together.

use super::{set, slots};
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{CONFLICTING_SETTINGS, Diagnostic, Diagnostics, MISSING_ARGUMENT};
use crate::manifest::model::{Fact, FactType, Manifest, Root, Slot};
use crate::manifest::statement::Patch;

/// The properties that say where a fact's value comes from by itself; one of them replaces the others.
const SOURCES: [&str; 3] = ["env", "env-set", "clock"];

/// Lays what an overlay says of a root over it.
pub(super) fn refine_root(root: &mut Root, patch: Patch<Root>, found: &mut Diagnostics) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut root.slots, &unset, found) {
        match slot.name.as_str() {
            "env" => root.env = None,
            "default" => root.default.clear(),
            "in" => root.within = None,
            "above" => root.above = None,
            "holding" => root.holding.clear(),
            "many" => root.many = None,
            "as" => root.shown = None,
            "links" => root.links = None,
            "changes" => root.changes = None,
            "missing" => root.missing = None,
            _ => {}
        }
    }
    set(&mut root.env, item.env);
    set(&mut root.within, item.within);
    set(&mut root.above, item.above);
    set(&mut root.many, item.many);
    set(&mut root.shown, item.shown);
    set(&mut root.links, item.links);
    set(&mut root.changes, item.changes);
    set(&mut root.missing, item.missing);
    if !item.default.is_empty() {
        root.default = item.default;
    }
    if !item.holding.is_empty() {
        root.holding = item.holding;
    }
    root.waivers.extend(item.waivers);
    slots::replace(&mut root.slots, &[], item.slots, &super::Names::new());
}

/// Lays what an overlay says of a fact over it.
pub(super) fn refine_fact(
    fact: &mut Fact,
    patch: Patch<Fact<Option<Spanned<FactType>>>>,
    found: &mut Diagnostics,
) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut fact.slots, &unset, found) {
        match slot.name.as_str() {
            "default" => fact.default = None,
            "one-of" => fact.one_of.clear(),
            "optional" => fact.optional = None,
            "env" => fact.env = None,
            "env-set" => fact.env_set = None,
            "clock" => fact.clock = None,
            "private" => fact.private = None,
            "changes" => fact.changes = None,
            _ => {}
        }
    }
    if item.env.is_some() || item.env_set.is_some() || item.clock.is_some() {
        (fact.env, fact.env_set, fact.clock) = (item.env, item.env_set, item.clock);
        fact.slots.retain(|s| !SOURCES.contains(&s.name.as_str()));
    }
    if let Some(kind) = item.kind {
        fact.kind = kind;
    }
    set(&mut fact.default, item.default);
    set(&mut fact.optional, item.optional);
    set(&mut fact.private, item.private);
    set(&mut fact.changes, item.changes);
    if !item.one_of.is_empty() {
        fact.one_of = item.one_of;
    }
    fact.waivers.extend(item.waivers);
    slots::replace(&mut fact.slots, &[], item.slots, &super::Names::new());
}

/// Reports properties that do not go together, or not without each other.
pub(super) fn check(manifest: &Manifest, found: &mut Diagnostics) {
    for root in &manifest.roots {
        check_derived(root, found);
        check_defaults(root, found);
    }
    for fact in &manifest.facts {
        check_sources(fact, found);
    }
}

fn place(slots: &[Slot], name: &str) -> Option<Span> {
    slots.iter().find(|s| s.name == name).map(|s| s.place)
}

fn missing(at: Span, message: &str, help: &str, found: &mut Diagnostics) {
    found.push(
        Diagnostic::error(MISSING_ARGUMENT, message)
            .at(at)
            .help(help),
    );
}

fn conflict(
    at: Span,
    message: impl Into<String>,
    help: impl Into<String>,
    found: &mut Diagnostics,
) {
    found.push(
        Diagnostic::error(CONFLICTING_SETTINGS, message)
            .at(at)
            .help(help),
    );
}

/// A root that is found from another one has both `above=` and `holding=`, and no folder of its own.
fn check_derived(root: &Root, found: &mut Diagnostics) {
    let slot = |name: &str| place(&root.slots, name);
    match (slot("above"), slot("holding")) {
        (None, None) => return,
        (Some(above), None) => missing(
            above,
            "`above=` lacks what to look for",
            "add holding=\"NAME\", the file or folder that marks the place",
            found,
        ),
        (None, Some(holding)) => missing(
            holding,
            "`holding` lacks where to start",
            "add above=ROOT, the root to climb up from",
            found,
        ),
        (Some(_), Some(_)) => {}
    }
    for name in ["default", "in", "env", "many"] {
        if let Some(at) = slot(name).filter(|_| name != "many" || root.is_many()) {
            let message =
                format!("a root that is found by `above=` and `holding=` takes no `{name}`");
            conflict(at, message, "keep one or the other", found);
        }
    }
}

fn check_defaults(root: &Root, found: &mut Diagnostics) {
    if let (Some(within), None) = (&root.within, place(&root.slots, "default")) {
        missing(
            within.span,
            "`in=` lacks its folder",
            "add default=\"DIR\", the folder inside that root",
            found,
        );
    }
    if let (Some(second), false) = (root.default.get(1), root.is_many()) {
        conflict(
            second.span,
            "several folders need a root that takes many",
            "add many=#true, or keep one folder",
            found,
        );
    }
}

/// Where a fact's value comes from by itself must fit its type, and is one place.
fn check_sources(fact: &Fact, found: &mut Diagnostics) {
    let kind = fact.kind.value;
    let mut first: Option<&str> = None;
    for name in SOURCES {
        let Some(at) = place(&fact.slots, name) else {
            continue;
        };
        if let Some(first) = first {
            let message = format!("`{name}=` and `{first}=` both give the value");
            conflict(at, message, "keep one of them", found);
        }
        first = first.or(Some(name));
        let (fits, wanted) = match name {
            "clock" => (
                matches!(kind, FactType::Date | FactType::DateTime),
                "`date` or `datetime`",
            ),
            "env-set" => (kind == FactType::Bool, "`bool`"),
            _ => (true, ""),
        };
        if !fits {
            let message = format!("`{name}=` does not go with the type `{}`", kind.name());
            conflict(at, message, format!("it gives a {wanted}"), found);
        }
    }
}
