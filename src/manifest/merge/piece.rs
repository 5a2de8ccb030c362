//! A declaration as it is merged.

use super::laid::MergedSlot;
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::suggest::{list, nearest};
use crate::manifest::grammar::{LOCK, Overlay, Row, UNSET};
use crate::manifest::parse::settings::{self, NOTHING_TO_EMPTY, no_slot};
use crate::manifest::slot::{Said, Slot, SlotName, first_text, slots};
use crate::syntax::{Builder, Entry, Node, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A node of the top level or a layer, with what overlays have laid over it.
pub(super) struct MergedNode<'t> {
    pub(super) node: Node<'t>,
    row: &'static Row,
    arguments: Vec<Entry<'t>>,
    laid: Vec<MergedSlot<'t>>,
    /// The row of its layers, for a tier.
    pub(super) below: Option<usize>,
}

impl<'t> MergedNode<'t> {
    /// A declaration as it is written.
    pub(super) fn new(node: Node<'t>, row: &'static Row) -> Self {
        let slots = if has_slots(row) {
            slots(node, row)
        } else {
            Vec::new()
        };
        Self {
            node,
            row,
            arguments: node.arguments().collect(),
            laid: slots.into_iter().map(MergedSlot::new).collect(),
            below: None,
        }
    }

    /// The location of `locked=#true` in it, for a change of another file at `by`. A file may change what it locks.
    pub(super) fn lock(&self, by: Span) -> Option<Span> {
        let properties = self.laid.iter().filter_map(|laid| match laid.slot.said {
            Said::Property(entry) => Some(entry),
            Said::Child(_) => None,
        });
        let lock = if has_slots(self.row) {
            lock(properties)
        } else {
            lock(self.node.entries())
        };
        lock.filter(|lock| lock.file != by.file)
    }

    /// The location of the lock on its budget.
    pub(super) fn budget_lock(&self, by: Span) -> Option<Span> {
        let mut budgets = self.laid.iter().filter_map(|laid| match laid.slot.said {
            Said::Child(node) if node.name().value() == "budget" => Some(node),
            Said::Child(_) | Said::Property(_) => None,
        });
        let lock = budgets.find_map(|budget| lock(budget.entries()));
        lock.filter(|lock| lock.file != by.file)
    }

    /// Its name; that of its node if there can be only one.
    pub(super) fn name(&self) -> &'t str {
        name(self.node, self.row).0
    }

    /// Where that is written.
    pub(super) fn place(&self) -> Span {
        name(self.node, self.row).1
    }

    /// Whether there can be several of its kind.
    pub(super) fn is_named(&self) -> bool {
        self.row.is_named()
    }

    /// Whether it has a slot of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        let name = SlotName::of(name);
        self.laid.iter().any(|laid| laid.slot.name == name)
    }

    /// Applies an overlay: `unset` empties slots, written ones replace them. Arguments after the name replace
    /// arguments.
    pub(super) fn lay(&mut self, patch: Node<'t>, row: &'static Row, found: &mut Diagnostics) {
        let mut written: Vec<_> = slots(patch, row).into_iter().map(MergedSlot::new).collect();
        // `base` means the old content, even if the same node empties its slot.
        let olds: BTreeMap<SlotName<'t>, &MergedSlot<'t>> = self
            .laid
            .iter()
            .rev()
            .map(|old| (old.slot.name, old))
            .collect();
        let mut fits = true;
        for laid in &mut written {
            fits &= laid.resolve_base(olds.get(&laid.slot.name).copied(), found);
        }
        if !fits {
            return;
        }
        unset(&mut self.laid, patch, found);
        for (at, argument) in patch.arguments().enumerate().skip(1) {
            match self.arguments.get_mut(at) {
                Some(old) => *old = argument,
                None => self.arguments.push(argument),
            }
        }
        let instead = instead_of(&written, row);
        self.laid
            .retain(|old| !instead.contains(&old.slot.name.kind()));
        replace(&mut self.laid, written);
    }

    /// Adds it to a tree, with the layers of a tier.
    pub(super) fn write<'p>(&self, layers: impl Iterator<Item = &'p Self>, out: &mut Builder)
    where
        't: 'p,
    {
        if !has_slots(self.row) {
            return out.copy(self.node);
        }
        self.open(out);
        for layer in layers {
            layer.open(out);
            out.close();
        }
        out.close();
    }

    fn open(&self, out: &mut Builder) {
        out.open(self.node);
        self.arguments.iter().for_each(|entry| out.entry(*entry));
        let (properties, children): (Vec<_>, Vec<_>) =
            self.laid.iter().partition(|laid| laid.slot.is_property());
        properties
            .iter()
            .chain(&children)
            .for_each(|laid| laid.write(out));
    }
}

/// The location of `locked=#true` among these.
fn lock<'t>(mut entries: impl Iterator<Item = Entry<'t>>) -> Option<Span> {
    let lock = entries.find(|entry| entry.name().is_some_and(|name| name.value() == LOCK.name))?;
    matches!(lock.value(), Scalar::Bool(true)).then(|| lock.span())
}

/// Whether an overlay lays what it says over such a node setting by setting; any other node it replaces as a whole.
fn has_slots(row: &Row) -> bool {
    matches!(row.overlay, Overlay::Refines | Overlay::IsNew)
}

/// The name of a declaration, and its place: the node's name if there can be only one.
pub(super) fn name<'t>(node: Node<'t>, row: &'static Row) -> (&'t str, Span) {
    let own = (node.name().value(), node.name().span());
    if row.is_named() {
        first_text(node).unwrap_or(own)
    } else {
        own
    }
}

/// The properties of the base that those which are written take the place of.
fn instead_of(written: &[MergedSlot<'_>], row: &'static Row) -> Vec<&'static str> {
    let of = |slot: &Slot<'_>| {
        let mut properties = row.properties();
        let property = properties.find(|p| slot.is_property() && p.name == slot.name.kind());
        property.map_or(&[] as &[_], |property| property.instead_of)
    };
    written
        .iter()
        .flat_map(|laid| of(&laid.slot))
        .copied()
        .collect()
}

/// Takes out the slots that `unset` in `patch` names.
fn unset(laid: &mut Vec<MergedSlot<'_>>, patch: Node<'_>, found: &mut Diagnostics) {
    let unsets = patch
        .below()
        .iter()
        .filter(|n| n.name().value() == UNSET.name);
    let names: Vec<_> = unsets.flat_map(settings::unset_names).collect();
    if names.is_empty() {
        return;
    }
    let slots = laid.iter().map(|l| l.slot);
    let slots = slots.filter(|slot| slot.overlay != Overlay::Adds);
    let mut left: BTreeSet<SlotName<'_>> = slots.map(|slot| slot.name).collect();
    let all = left.clone();
    for name in &names {
        if !left.remove(&SlotName::of(&name.value)) {
            let there = laid.iter().map(|l| l.slot.name);
            unknown(name, there.filter(|name| left.contains(name)), found);
        }
    }
    laid.retain(|l| left.contains(&l.slot.name) || !all.contains(&l.slot.name));
}

/// Reports what something new would empty: of that there is nothing.
pub(super) fn nothing_to_unset(patch: Node<'_>, found: &mut Diagnostics) {
    unset(&mut Vec::new(), patch, found);
}

/// Reports a missing slot that should be emptied; `known` are those that are.
fn unknown<'t>(
    slot: &Spanned<String>,
    known: impl Iterator<Item = SlotName<'t>>,
    found: &mut Diagnostics,
) {
    found.push_with(no_slot(slot), |diagnostic| {
        let mut known: Vec<String> = known.map(|name| name.to_string()).collect();
        // Several `budget` or `refresh` are one slot, and follow each other.
        known.dedup();
        let names = || known.iter().map(String::as_str);
        let kind = |name| SlotName::of(name).named().map(|(kind, _)| kind);
        match nearest(&slot.value, names()) {
            Some(near) => {
                let diagnostic = diagnostic.help(format!("it writes `{near}`"));
                // A part is named as part=NAME.
                let meant = SlotName::of(near).named();
                if meant.map(|(kind, _)| kind) == kind(&slot.value) {
                    diagnostic.suggest(slot.span, meant.map_or(near, |(_, name)| name))
                } else {
                    diagnostic
                }
            }
            None if known.is_empty() => diagnostic.help(NOTHING_TO_EMPTY),
            None => diagnostic.help(format!("what it writes: {}", list(names()))),
        }
    });
}

/// Lays slots over those of the base: each at the place of the one that it replaces, else last; new content comes first.
fn replace<'t>(base: &mut Vec<MergedSlot<'t>>, patch: Vec<MergedSlot<'t>>) {
    let mut order = Vec::new();
    let mut written: BTreeMap<SlotName<'t>, Vec<MergedSlot<'t>>> = BTreeMap::new();
    for laid in patch {
        let name = laid.slot.name;
        let all = written.entry(name).or_insert_with(|| {
            order.push(name);
            Vec::new()
        });
        all.push(laid);
    }
    let mut out: Vec<MergedSlot<'t>> = Vec::with_capacity(base.len() + order.len());
    let mut replaced = BTreeSet::new();
    let mut added = Vec::new();
    for laid in std::mem::take(base) {
        let name = laid.slot.name;
        if laid.slot.overlay == Overlay::Adds {
            out.push(laid);
        } else if let Some(new) = written.remove(&name) {
            replaced.insert(name);
            out.extend(new);
        } else if !replaced.contains(&name) {
            out.push(laid);
        }
    }
    for name in order {
        for laid in written.remove(&name).unwrap_or_default() {
            match laid.slot.overlay {
                Overlay::ReplacesContent => out.insert(0, laid),
                Overlay::Adds => added.push(laid),
                _ => out.push(laid),
            }
        }
    }
    let last = out.iter().rposition(|l| l.slot.overlay == Overlay::Adds);
    let at = last.map_or(out.len(), |at| at + 1);
    out.splice(at..at, added);
    *base = out;
}
