//! `locked=#true`: what overlays of a manifest may not change.

use super::Merger;
use super::piece::MergedNode;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Diagnostic, LOCKED};
use crate::manifest::grammar::{REFINE_TIER, UNSET};
use crate::manifest::parse::settings;
use crate::manifest::slot::slots;
use crate::syntax::Node;

/// The slots of a tier that reach into the texts of its layers, or say where they go.
const REACHING: [&str; 5] = ["newlines", "bom", "trim", "scan", "deliver"];

/// The error of a change or replacement at `at` that `lock` forbids.
pub(crate) fn locked(message: impl Into<String>, at: Span, lock: Span) -> Diagnostic {
    Diagnostic::error(LOCKED, message)
        .at(at)
        .related(lock, "locked here")
}

/// The error of an overlay that changes the budget of the prompt, or of a layer or tier.
pub(super) fn of_budget(of: &str, at: Span, lock: Span) -> Diagnostic {
    let help = "take this out: an overlay keeps what its base locks";
    locked(format!("the budget of the {of} is locked"), at, lock).help(help)
}

impl<'t> Merger<'t, '_> {
    /// Whether something is locked, which is then reported: `done` says how it would be changed.
    pub(super) fn is_locked(
        &mut self,
        kind: &str,
        name: &str,
        done: &str,
        at: Span,
        lock: Option<Span>,
    ) -> bool {
        let Some(lock) = lock else { return false };
        let message = format!("the {kind} `{name}` is locked, and cannot be {done}");
        let help = "take this out: an overlay keeps what its base locks";
        self.found.push(locked(message, at, lock).help(help));
        true
    }

    /// Whether the tier of the place `at` in a row of layers is locked, which is then reported.
    pub(super) fn in_locked_tier(&mut self, at: usize, by: Span) -> bool {
        let Some((tier, lock)) = self.rows.lock_of_row(at, by) else {
            return false;
        };
        let message = format!("the tier `{tier}` is locked, and takes no other layer");
        let help = "put the layer into another tier";
        self.found.push(locked(message, by, lock).help(help));
        true
    }

    /// Whether a setting of a tier would reach into a locked layer, which is then reported.
    pub(super) fn reaches_locked(&mut self, patch: Node<'t>, tier: usize) -> bool {
        let Some((layer, lock)) = self.rows.locked_layer(tier, patch.name().span()) else {
            return false;
        };
        let written = slots(patch, &REFINE_TIER);
        let written = (written.iter()).map(|slot| (slot.name.kind(), slot.place()));
        let unset = patch
            .below()
            .iter()
            .filter(|n| n.name().value() == UNSET.name);
        let unset: Vec<Spanned<String>> = unset.flat_map(settings::unset_names).collect();
        let unset = unset.iter().map(|name| (name.value.as_str(), name.span));
        // A `join` of an overlay is checked where it is written; without one, that of the prompt would apply.
        let join = unset.clone().find(|(name, _)| *name == "join");
        let mut reaching = written
            .chain(unset)
            .filter(|(name, _)| REACHING.contains(name));
        let reaching = reaching.next().or(join);
        let Some((name, at)) = reaching else {
            return false;
        };
        let message =
            format!("`{name}` of a tier reaches into its layers, and `{layer}` is locked");
        let help = "write it on the layers that it is meant for";
        self.found.push(locked(message, at, lock).help(help));
        true
    }
}

impl MergedNode<'_> {
    /// Whether the settings that `patch` writes or empties would change a locked budget: the location of the change,
    /// and that of the lock.
    pub(super) fn locked_budget(&self, patch: Node<'_>) -> Option<(Span, Span)> {
        let lock = self.budget_lock(patch.name().span())?;
        let of_patch = patch.below().iter();
        let written = of_patch.map(|child| {
            if child.name().value() == UNSET.name {
                settings::unset_names(child)
                    .into_iter()
                    .find(|name| name.value == "budget")
                    .map(|name| name.span)
            } else {
                (child.name().value() == "budget").then(|| child.name().span())
            }
        });
        Some((written.flatten().next()?, lock))
    }
}
