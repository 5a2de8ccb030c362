//! Rule sets of scans, refined rule by rule.

use super::{set, slots};
use crate::diagnostic::Diagnostics;
use crate::manifest::model::ScanSet;
use crate::manifest::statement::Patch;

/// Lays what an overlay says of a rule set over it: a rule of a known id takes the place of that one, others come behind.
pub(super) fn refine(base: &mut ScanSet, patch: Patch<ScanSet>, found: &mut Diagnostics) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut base.slots, &unset, found) {
        match slot.name.as_str() {
            "extends" => base.extends = None,
            "normalize" => base.nfkc = None,
            "window" => base.window = None,
            "scopes" => base.scopes.clear(),
            "invisible-unicode" => base.invisible = None,
            other => {
                let rule = other.strip_prefix("rule ");
                base.rules.retain(|r| rule != Some(r.id.value.as_str()));
            }
        }
    }
    set(&mut base.extends, item.extends);
    set(&mut base.nfkc, item.nfkc);
    set(&mut base.window, item.window);
    set(&mut base.invisible, item.invisible);
    if !item.scopes.is_empty() {
        base.scopes = item.scopes;
    }
    // What the overlay itself writes twice is told later, so only rules of the base are replaced.
    let there = base.rules.len();
    for rule in item.rules {
        let mut old = base.rules[..there].iter_mut();
        match old.find(|old| old.id.value == rule.id.value && old.id.span.file != rule.id.span.file)
        {
            Some(old) => *old = rule,
            None => base.rules.push(rule),
        }
    }
    base.waivers.extend(item.waivers);
    slots::replace(&mut base.slots, &[], item.slots, &super::Names::new());
}
