//! Lays overlays over their bases: base first, then what each file says, in its order.

mod slots;
mod check;
mod names;
mod layer;
mod scan;
mod session;
mod shelf;
mod unknown;

use super::model::{
    Fact, Layer, Let, Manifest, ManifestFile, Removed, Root, ScanSet, Target, Tier,
};
use super::statement::{Destination, Level, Patch, Place, Statement};
use crate::diagnostic::span::{FileId, Files, Span, Spanned};
use crate::diagnostic::suggest::{choice, nearest};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use shelf::{ROW, Shelf};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the map names each file.
type Names = BTreeMap<FileId, Arc<str>>;

/// Merges a manifest (first) with its bases.
///
/// # Errors
/// When a file speaks of something that is not there, or declares what is there already.
pub(super) fn merge(
    levels: Vec<Level>,
    files: &Files,
    diags: &mut Diagnostics,
) -> Result<Manifest, ErrorReported> {
    let sheets: Vec<ManifestFile> = levels.iter().flat_map(|l| l.sheets.clone()).collect();
    let names = sheets.iter().map(|s| (s.file, s.name.clone())).collect();
    let mut found = Diagnostics::default();
    let mut merger = Merger {
        manifest: empty(sheets),
        names,
        roots: Shelf::with_row(),
        facts: Shelf::with_row(),
        lets: Shelf::with_row(),
        tiers: Shelf::with_row(),
        layers: Shelf::new(),
        declared: BTreeMap::new(),
        once: BTreeMap::new(),
        base: false,
        found: &mut found,
    };
    for level in levels.into_iter().rev() {
        merger.level(level);
    }
    let (mut manifest, names) = merger.finish();
    slots::define(&mut manifest, &names, files);
    names::check(&manifest, &mut found);
    // What a property says together with another one is no reason to leave out the rest.
    let graver = found.check();
    check::check(&manifest, &mut found);
    diags.extend(&found);
    graver.map(|()| manifest)
}

/// Lays a property that an overlay writes over that of its base.
fn set<T>(slot: &mut Option<T>, written: Option<T>) {
    if written.is_some() {
        *slot = written;
    }
}

fn empty(sheets: Vec<ManifestFile>) -> Manifest {
    let first = &sheets[0];
    Manifest {
        file: first.file,
        origin: first.origin.clone(),
        sheets,
        name: None,
        join: None,
        budget: None,
        slots: Vec::new(),
        roots: Vec::new(),
        facts: Vec::new(),
        lets: Vec::new(),
        scans: Vec::new(),
        tiers: Vec::new(),
        hint: None,
        session: None,
        scenarios: Vec::new(),
        waivers: Vec::new(),
        removed: Vec::new(),
    }
}

struct Merger<'d> {
    manifest: Manifest,
    names: Names,
    roots: Shelf<Root>,
    facts: Shelf<Fact>,
    lets: Shelf<Let>,
    tiers: Shelf<Standing>,
    /// The layers, a row for each tier.
    layers: Shelf<Layer>,
    /// What the level that is being laid declares, so that what it says twice is told and not merged.
    declared: BTreeMap<(Target, String), Span>,
    /// What it may say once, and where it did.
    once: BTreeMap<&'static str, Span>,
    /// Whether something stands below that level.
    base: bool,
    found: &'d mut Diagnostics,
}

/// A tier, and the row of its layers.
struct Standing {
    tier: Tier,
    row: usize,
}

impl Merger<'_> {
    /// The manifest with all that stands in it.
    fn finish(mut self) -> (Manifest, Names) {
        self.manifest.roots = self.roots.take_row(ROW, |r| &r.name.value);
        self.manifest.facts = self.facts.take_row(ROW, |f| &f.name.value);
        self.manifest.lets = self.lets.take_row(ROW, |l| &l.name.value);
        for Standing { mut tier, row } in self.tiers.take_row(ROW, |s| &s.tier.name.value) {
            tier.layers = self.layers.take_row(row, |l| &l.name.value);
            self.manifest.tiers.push(tier);
        }
        (self.manifest, self.names)
    }

    fn level(&mut self, level: Level) {
        self.declared.clear();
        self.once.clear();
        // Scenarios stand for the manifest that writes them.
        self.manifest.scenarios.clear();
        for statement in level.statements {
            self.statement(statement);
        }
        self.base = true;
    }

    fn statement(&mut self, statement: Statement) {
        match statement {
            Statement::Name(name) => {
                self.once("name", name.span);
                self.manifest.name = Some(name);
            }
            Statement::Join(join, slot) => {
                self.once("join", slot.place);
                self.manifest.join = Some(join);
                slots::replace(&mut self.manifest.slots, &[], vec![slot], &self.names);
            }
            Statement::Budget(budget, slot) => {
                self.once("budget", slot.place);
                self.manifest.budget = Some(budget);
                slots::replace(&mut self.manifest.slots, &[], vec![slot], &self.names);
            }
            Statement::Root(root) => self.root(root),
            Statement::Fact(fact) => self.fact(fact),
            Statement::Let(item) => self.binding(item),
            Statement::Scan(set) => self.scan(set),
            Statement::Tier(tier, place) => self.tier(tier, place.as_ref()),
            Statement::Layer(layer, place) => {
                if let Some(at) = self.layer_at(place.beside()) {
                    let goal = place.goal(at, &self.layers);
                    self.add_layer(layer, goal);
                }
            }
            Statement::RefineLayer(patch) => self.refine_layer(patch),
            Statement::RefineTier(patch) => self.refine_tier(patch),
            Statement::Remove(target, name) => self.remove(target, &name),
            Statement::Move(name, to) => self.r#move(&name, &to),
            Statement::Hint(hint, at) => {
                self.once("hint", at);
                self.manifest.hint = hint.map(|hint| *hint);
            }
            Statement::Session(session) => self.session(session),
            Statement::Scenario(scenario) => self.manifest.scenarios.push(scenario),
            Statement::Waive(waive) => self.manifest.waivers.push(waive),
        }
    }

    /// Reports what a file and one that it includes both say; within a file it was told already.
    fn once(&mut self, kind: &'static str, at: Span) {
        let first = *self.once.entry(kind).or_insert(at);
        if first.file != at.file {
            self.found.push(
                Diagnostic::error(codes::DUPLICATE_NODE, format!("`{kind}` stands twice"))
                    .at(at)
                    .related(first, "first here")
                    .help("remove one of them"),
            );
        }
    }

    /// Whether the thing may be one of the base: there is one, and this level declares it for the first time.
    fn of_base(&mut self, target: Target, name: &Spanned<String>) -> bool {
        let key = (target, name.value.clone());
        self.base && *self.declared.entry(key).or_insert(name.span) == name.span
    }

    /// Reports a fact or root of the base that this level refines for a second time; `there` is its name in the base.
    fn refined_twice(&mut self, target: Target, name: &Spanned<String>, there: Span) -> bool {
        let first = self.declared.get(&(target, name.value.clone())).copied();
        let Some(first) = first.filter(|first| *first != there && *first != name.span) else {
            return false;
        };
        let message = format!("the {} `{}` is refined twice", target.name(), name.value);
        self.found.push(
            Diagnostic::error(codes::DUPLICATE_NAME, message)
                .at(name.span)
                .related(first, "first here")
                .help("write all that the overlay changes in one place"),
        );
        true
    }

    fn root(&mut self, patch: Patch<Root>) {
        let of_base = self.of_base(Target::Root, &patch.item.name);
        let name = &patch.item.name.value;
        let there = self.roots.find(name);
        let there = there.and_then(|at| self.roots.get_mut(at));
        match there {
            Some(root) if of_base => check::refine_root(root, patch, self.found),
            there => {
                let there = there.map(|root| root.name.span);
                if there.is_some_and(|at| self.refined_twice(Target::Root, &patch.item.name, at)) {
                    return;
                }
                self.nothing_to_unset(&patch);
                let name = patch.item.name.value.clone();
                self.roots.put(&name, patch.item, ROW);
            }
        }
    }

    fn scan(&mut self, patch: Patch<ScanSet>) {
        let of_base = self.of_base(Target::Scan, &patch.item.name);
        let same = |s: &ScanSet| s.name.value == patch.item.name.value;
        let scans = &mut self.manifest.scans;
        match of_base.then(|| scans.iter().position(same)).flatten() {
            Some(at) => scan::refine(&mut scans[at], patch, self.found),
            None => {
                let there = scans.iter().find(|s| same(s)).map(|s| s.name.span);
                if there.is_some_and(|at| self.refined_twice(Target::Scan, &patch.item.name, at)) {
                    return;
                }
                self.nothing_to_unset(&patch);
                self.manifest.scans.push(patch.item);
            }
        }
    }

    fn fact(&mut self, patch: Patch<Fact<Option<Spanned<super::FactType>>>>) {
        let of_base = self.of_base(Target::Fact, &patch.item.name);
        let there = self.facts.find(&patch.item.name.value);
        let there = there.and_then(|at| self.facts.get_mut(at));
        let there = match there {
            Some(fact) if of_base => return check::refine_fact(fact, patch, self.found),
            there => there.map(|fact| (fact.name.span, fact.kind.clone())),
        };
        if let Some((at, _)) = there
            && self.refined_twice(Target::Fact, &patch.item.name, at)
        {
            return;
        }
        self.nothing_to_unset(&patch);
        // Of two new ones the second is told as such, with a type or without.
        match patch.item.kind.clone().or(there.map(|(_, kind)| kind)) {
            Some(kind) => {
                let name = patch.item.name.value.clone();
                self.facts.put(&name, patch.item.of_kind(kind), ROW);
            }
            None => self.without_type(&patch.item),
        }
    }

    fn without_type(&mut self, fact: &Fact<Option<Spanned<super::FactType>>>) {
        let name = &fact.name;
        let known = self.facts.iter(ROW).map(|f| f.name.value.as_str());
        let near = nearest(&name.value, known).filter(|_| self.base);
        let found = Diagnostic::error(codes::MISSING_ARGUMENT, "`fact` lacks its type");
        self.found.push(match near {
            Some(near) => found
                .at(name.span)
                .help(format!(
                    "the base has a fact `{near}`; a new one needs a type"
                ))
                .suggest(name.span, near),
            None => {
                let types = choice(super::FactType::ALL.map(super::FactType::name));
                found
                    .at(fact.span)
                    .help(format!("write one behind the name: {types}"))
            }
        });
    }

    /// Of something new there is no slot to empty.
    fn nothing_to_unset<T>(&mut self, patch: &Patch<T>) {
        for slot in &patch.unset {
            slots::unknown(slot, &[], self.found);
        }
    }

    fn binding(&mut self, item: Let) {
        let of_base = self.of_base(Target::Let, &item.name);
        let name = item.name.value.clone();
        let there = self.lets.find(&name).filter(|_| of_base);
        match there.and_then(|at| self.lets.get_mut(at)) {
            Some(there) => *there = item,
            None => self.lets.put(&name, item, ROW),
        }
    }

    fn tier(&mut self, mut tier: Tier, place: Option<&Place>) {
        let goal = match place {
            None => ROW,
            Some(place) => match self.tier_at(place.beside()) {
                Some(at) => place.goal(at, &self.tiers),
                None => return,
            },
        };
        if self.of_base(Target::Tier, &tier.name)
            && let Some(old) = self.tiers.named(&tier.name.value)
        {
            let there = old.tier.name.span;
            return self.there_already(Target::Tier, &tier.name, there);
        }
        let layers = std::mem::take(&mut tier.layers);
        let row = self.layers.row();
        let name = tier.name.value.clone();
        self.tiers.put(&name, Standing { tier, row }, goal);
        for layer in layers {
            self.add_layer(layer, row);
        }
    }

    /// Puts a layer in front of the place `goal`.
    fn add_layer(&mut self, layer: Layer, goal: usize) {
        if self.of_base(Target::Layer, &layer.name)
            && let Some(old) = self.layers.named(&layer.name.value)
        {
            let there = old.name.span;
            return self.there_already(Target::Layer, &layer.name, there);
        }
        let name = layer.name.value.clone();
        self.layers.put(&name, layer, goal);
    }

    /// A new layer or tier that the base has.
    fn there_already(&mut self, target: Target, name: &Spanned<String>, there: Span) {
        let kind = target.name();
        let which = if target == Target::Tier { "tier=" } else { "" };
        let message = format!("the base has a {kind} `{}` already", name.value);
        self.found.push(
            Diagnostic::error(codes::DUPLICATE_NAME, message)
                .at(name.span)
                .related(there, format!("the {kind} of that name"))
                .help(format!(
                    "to change it write refine {which}{} {{ … }}",
                    name.value
                )),
        );
    }

    fn refine_layer(&mut self, patch: Patch<Layer>) {
        let at = self.layer_at(&patch.item.name);
        if let Some(old) = at.and_then(|at| self.layers.get_mut(at)) {
            layer::refine(old, patch, &self.names, self.found);
        }
    }

    fn refine_tier(&mut self, mut patch: Patch<Tier>) {
        let at = self.tier_at(&patch.item.name);
        let Some(Standing { tier, row }) = at.and_then(|at| self.tiers.get_mut(at)) else {
            return;
        };
        let row = *row;
        let layers = std::mem::take(&mut patch.item.layers);
        layer::refine_tier(tier, patch, &self.names, self.found);
        for layer in layers {
            self.add_layer(layer, row);
        }
    }

    fn remove(&mut self, target: Target, name: &Spanned<String>) {
        let span = name.span;
        let removed = |target, name| Removed { target, name, span };
        let manifest = &mut self.manifest;
        let all = name.value.as_str();
        let named = |other: &Spanned<String>| other.value == name.value;
        let gone = match target {
            Target::Layer => self.layers.take(all).len(),
            Target::Tier => {
                let gone = self.tiers.take(all);
                for Standing { row, .. } in &gone {
                    let layers = self.layers.take_row(*row, |l| &l.name.value);
                    let layers = layers
                        .into_iter()
                        .map(|l| removed(Target::Layer, l.name.value));
                    manifest.removed.extend(layers);
                }
                gone.len()
            }
            Target::Fact => self.facts.take(all).len(),
            Target::Let => self.lets.take(all).len(),
            Target::Root => self.roots.take(all).len(),
            Target::Scan => manifest.scans.extract_if(.., |s| named(&s.name)).count(),
            Target::Scenario => (manifest.scenarios)
                .extract_if(.., |s| named(&s.name))
                .count(),
        };
        if gone == 0 {
            return self.unknown(target, name);
        }
        manifest.removed.push(removed(target, name.value.clone()));
    }

    fn r#move(&mut self, name: &Spanned<String>, to: &Destination) {
        let Some(at) = self.layer_at(name) else {
            return;
        };
        if let Destination::Beside(place) = to
            && place.beside().value == name.value
        {
            self.found.push(
                Diagnostic::error(
                    codes::CONFLICTING_SETTINGS,
                    format!("the layer `{}` cannot stand beside itself", name.value),
                )
                .at(place.beside().span)
                .help("name another layer, or a tier with tier="),
            );
            return;
        }
        let goal = match to {
            Destination::Beside(place) => {
                let beside = self.layer_at(place.beside());
                beside.map(|beside| place.goal(beside, &self.layers))
            }
            Destination::Tier(tier) => {
                let tier = self.tier_at(tier);
                tier.and_then(|tier| Some(self.tiers.get(tier)?.row))
            }
        };
        if let Some(goal) = goal {
            self.layers.shift(at, goal);
        }
    }

    /// The place of a layer, which must be there.
    fn layer_at(&mut self, name: &Spanned<String>) -> Option<usize> {
        let at = self.layers.find(&name.value);
        if at.is_none() {
            self.unknown(Target::Layer, name);
        }
        at
    }

    /// The place of a tier, which must be there.
    fn tier_at(&mut self, name: &Spanned<String>) -> Option<usize> {
        let at = self.tiers.find(&name.value);
        if at.is_none() {
            self.unknown(Target::Tier, name);
        }
        at
    }
}

impl Place {
    /// In front of what to put something, where the other one stands at `at`.
    fn goal<T>(&self, at: usize, shelf: &Shelf<T>) -> usize {
        match self {
            Self::After(_) => shelf.behind(at),
            Self::Before(_) => at,
        }
    }
}
