//! The parts of an overlay that would get into a locked layer.

use super::lock::Lock;
use super::programs::Programs;
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{self, locked};
use std::sync::Arc;

impl<'a> Programs<'a> {
    /// All later checks belong to this layer.
    pub(super) fn enter(&mut self, layer: &'a manifest::Layer) {
        let lock = Lock::of(layer.locked, self.manifest);
        self.locked = lock.map(|lock| (layer.name.value.as_str(), lock));
    }

    /// Reports a join of an overlay between the layers of a locked tier.
    pub(super) fn keeps_join(&mut self, tier: &manifest::Tier, join: &Literal) {
        let lock = Lock::of(tier.locked, self.manifest).filter(|_| tier.layers.len() > 1);
        // A built-in has no location.
        let lock = lock.filter(|_| join.span.end > 0);
        if let Some(lock) = lock.filter(|lock| lock.refuses(join.span.file, self.manifest)) {
            let name = &tier.name.value;
            let message =
                format!("this would be placed between the layers of the locked tier `{name}`");
            let help = "write `join=` on the tiers of the overlay";
            self.diags
                .push(locked(message, join.span, lock.span).help(help));
        }
    }

    /// Reports a fact or let that a locked layer reads and an overlay declares, and then each let that it reads.
    pub(super) fn keeps_name(&mut self, name: &str) {
        let Some((layer, lock)) = self.locked.filter(|(_, lock)| lock.level > 0) else {
            return;
        };
        let mut next: Vec<Arc<str>> = vec![name.into()];
        while let Some(name) = next.pop() {
            if !self.kept.insert((lock.level, name.clone())) {
                continue;
            }
            let fact = self.fact(&name).map(|fact| fact.name.span);
            let declared = fact.or_else(|| self.all_lets.get(&*name).copied());
            if let Some(at) = declared.filter(|at| lock.refuses(at.file, self.manifest)) {
                let message = format!(
                    "the locked layer `{layer}` reads `{name}`: this file would replace it"
                );
                self.refused(message, at, lock);
            }
            next.extend(self.lets.get(&*name).into_iter().flatten().cloned());
        }
    }

    /// Reports a template that a locked layer uses and that is next to an overlay.
    pub(super) fn keeps_template(&mut self, key: &str, at: Span) {
        let Some((layer, lock)) = self.locked else {
            return;
        };
        let Some(template) = self.templates.get(key) else {
            return;
        };
        if lock.refuses_found(template.found) && self.reported.insert((at, lock.span)) {
            let name = key.trim_start_matches("/root:");
            let found = lock.taken(layer, name, at);
            let place = template.program.span_of(0..0);
            self.diags
                .push(found.related(place, "this file takes precedence"));
        }
    }

    /// Reports that an overlay changes the rule set by which a locked layer is scanned.
    pub(super) fn keeps_scan(&mut self, set: &str) {
        let Some((layer, lock)) = self.locked else {
            return;
        };
        let manifest = self.manifest;
        let mut next = manifest.scans.iter().find(|s| s.name.value == set);
        while let Some(set) = next {
            let name = &set.name.value;
            // A set that it extends was checked with it; sets may extend each other in a circle.
            let of_set: Arc<str> = format!("scan {name}").into();
            if !self.kept.insert((lock.level, of_set)) {
                break;
            }
            let refined = manifest.refined.iter().filter(|r| r.value == *name);
            for at in refined.map(|r| r.span).chain([set.name.span]) {
                if lock.refuses(at.file, manifest) {
                    let message = format!("the locked layer `{layer}` is scanned by `{name}`");
                    self.refused(message, at, lock);
                }
            }
            let extends = set.extends.as_ref();
            next = extends.and_then(|e| manifest.scans.iter().find(|s| s.name.value == e.value));
        }
    }

    fn refused(&mut self, message: String, at: Span, lock: Lock) {
        if self.reported.insert((at, lock.span)) {
            let help = "give it another name, and use that in the layers of the overlay";
            self.diags.push(locked(message, at, lock.span).help(help));
        }
    }
}
