//! Lays overlays over their bases: base first, then what each file says, in its order.

mod check;
mod layer;
mod names;
mod scan;
mod session;
mod slots;
mod unknown;

use super::model::{Fact, Layer, Let, Manifest, Origin, Root, ScanSet, Sheet, Tier};
use super::statement::{Destination, Level, Patch, Place, Removed, Statement, Target};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported};
use crate::span::{FileId, Files, Span, Spanned};
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
) -> Result<Manifest, Reported> {
    let sheets: Vec<Sheet> = levels.iter().flat_map(|l| l.sheets.clone()).collect();
    let names = sheets.iter().map(|s| (s.file, s.name.clone())).collect();
    let mut found = Diagnostics::default();
    let mut merger = Merger {
        manifest: empty(sheets),
        names,
        facts: None,
        declared: BTreeMap::new(),
        once: BTreeMap::new(),
        base: false,
        found: &mut found,
    };
    for level in levels.into_iter().rev() {
        merger.level(level);
    }
    let Merger {
        mut manifest,
        names,
        ..
    } = merger;
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

fn empty(sheets: Vec<Sheet>) -> Manifest {
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

impl Manifest {
    /// Where one of its files came from.
    #[must_use]
    pub fn origin_of(&self, file: FileId) -> &Origin {
        let sheet = self.sheets.iter().find(|s| s.file == file);
        sheet.map_or(&self.origin, |s| &s.origin)
    }

    /// How the map names one of its files.
    #[must_use]
    pub fn name_of(&self, file: FileId) -> Arc<str> {
        let sheet = self.sheets.iter().find(|s| s.file == file);
        sheet
            .or(self.sheets.first())
            .map_or_else(|| "".into(), |s| s.name.clone())
    }

    /// Where an overlay took away the thing of this kind and name, if one did.
    #[must_use]
    pub fn removal(&self, kind: &str, name: &str) -> Option<Span> {
        let removed = self.removed.iter().rev();
        let mut those = removed.filter(|r| r.target.name() == kind && r.name == name);
        those.next().map(|r| r.span)
    }
}

impl Manifest {
    /// The facts and lets that overlays took away, and where.
    #[must_use]
    pub fn removed_names(&self) -> BTreeMap<String, Span> {
        let variables = [Target::Fact, Target::Let];
        let those = self
            .removed
            .iter()
            .filter(|r| variables.contains(&r.target));
        those.map(|r| (r.name.clone(), r.span)).collect()
    }
}

struct Merger<'d> {
    manifest: Manifest,
    names: Names,
    /// Where each fact stands in the manifest; none once that has to be found out again.
    facts: Option<BTreeMap<String, usize>>,
    /// What the level that is being laid declares, so that what it says twice is told and not merged.
    declared: BTreeMap<(Target, String), Span>,
    /// What it may say once, and where it did.
    once: BTreeMap<&'static str, Span>,
    /// Whether something stands below that level.
    base: bool,
    found: &'d mut Diagnostics,
}

impl Merger<'_> {
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
                if let Some((tier, at)) = self.layer_at(place.beside()) {
                    self.add_layer(layer, tier, place.index(at));
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
        let same = |r: &Root| r.name.value == patch.item.name.value;
        let roots = &mut self.manifest.roots;
        match of_base.then(|| roots.iter().position(same)).flatten() {
            Some(at) => check::refine_root(&mut roots[at], patch, self.found),
            None => {
                let there = roots.iter().find(|r| same(r)).map(|r| r.name.span);
                if there.is_some_and(|at| self.refined_twice(Target::Root, &patch.item.name, at)) {
                    return;
                }
                self.nothing_to_unset(&patch);
                self.manifest.roots.push(patch.item);
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
        let place = self.fact_at(&patch.item.name.value);
        let facts = &mut self.manifest.facts;
        if let Some(at) = place.filter(|_| of_base) {
            return check::refine_fact(&mut facts[at], patch, self.found);
        }
        let there = place.map(|at| (facts[at].name.span, facts[at].kind.clone()));
        if let Some((at, _)) = there
            && self.refined_twice(Target::Fact, &patch.item.name, at)
        {
            return;
        }
        self.nothing_to_unset(&patch);
        // Of two new ones the second is told as such, with a type or without.
        match patch.item.kind.clone().or(there.map(|(_, kind)| kind)) {
            Some(kind) => {
                let facts = &mut self.manifest.facts;
                if let Some(places) = &mut self.facts {
                    let name = patch.item.name.value.clone();
                    places.entry(name).or_insert(facts.len());
                }
                facts.push(patch.item.of_kind(kind));
            }
            None => self.without_type(&patch.item),
        }
    }

    /// Where the first fact of that name stands.
    fn fact_at(&mut self, name: &str) -> Option<usize> {
        let all = self.manifest.facts.iter().enumerate().rev();
        let all = all.map(|(at, fact)| (fact.name.value.clone(), at));
        let places = self.facts.get_or_insert_with(|| all.collect());
        places.get(name).copied()
    }

    fn without_type(&mut self, fact: &Fact<Option<Spanned<super::FactType>>>) {
        let name = &fact.name;
        let known = self.manifest.facts.iter().map(|f| f.name.value.as_str());
        let near = nearest(&name.value, known).filter(|_| self.base);
        let found = Diagnostic::error(codes::MISSING_ARGUMENT, "`fact` lacks its type");
        self.found.push(match near {
            Some(near) => found
                .at(name.span)
                .help(format!(
                    "the base has a fact `{near}`; a new one needs a type"
                ))
                .suggest(name.span, near),
            None => found.at(fact.span).help("write the type behind `fact`"),
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
        let same = |l: &Let| l.name.value == item.name.value;
        let lets = &mut self.manifest.lets;
        match of_base.then(|| lets.iter().position(same)).flatten() {
            Some(at) => lets[at] = item,
            None => lets.push(item),
        }
    }

    fn tier(&mut self, mut tier: Tier, place: Option<&Place>) {
        let at = match place {
            None => self.manifest.tiers.len(),
            Some(place) => match self.tier_at(place.beside()) {
                Some(at) => place.index(at),
                None => return,
            },
        };
        if self.of_base(Target::Tier, &tier.name) {
            let mut all = self.manifest.tiers.iter();
            if let Some(old) = all.find(|t| t.name.value == tier.name.value) {
                let there = old.name.span;
                return self.there_already(Target::Tier, &tier.name, there);
            }
        }
        let layers = std::mem::take(&mut tier.layers);
        self.manifest.tiers.insert(at, tier);
        for layer in layers {
            let end = self.manifest.tiers[at].layers.len();
            self.add_layer(layer, at, end);
        }
    }

    fn add_layer(&mut self, layer: Layer, tier: usize, at: usize) {
        if self.of_base(Target::Layer, &layer.name) {
            let mut all = self.manifest.tiers.iter().flat_map(|t| &t.layers);
            if let Some(old) = all.find(|l| l.name.value == layer.name.value) {
                let there = old.name.span;
                return self.there_already(Target::Layer, &layer.name, there);
            }
        }
        self.manifest.tiers[tier].layers.insert(at, layer);
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
        if let Some((tier, at)) = self.layer_at(&patch.item.name) {
            let old = &mut self.manifest.tiers[tier].layers[at];
            layer::refine(old, patch, &self.names, self.found);
        }
    }

    fn refine_tier(&mut self, mut patch: Patch<Tier>) {
        let Some(at) = self.tier_at(&patch.item.name) else {
            return;
        };
        let layers = std::mem::take(&mut patch.item.layers);
        layer::refine_tier(&mut self.manifest.tiers[at], patch, &self.names, self.found);
        for layer in layers {
            let end = self.manifest.tiers[at].layers.len();
            self.add_layer(layer, at, end);
        }
    }

    fn remove(&mut self, target: Target, name: &Spanned<String>) {
        let manifest = &mut self.manifest;
        let named = |other: &Spanned<String>| other.value == name.value;
        let before = manifest.count();
        match target {
            Target::Layer => {
                for tier in &mut manifest.tiers {
                    tier.layers.retain(|l| !named(&l.name));
                }
            }
            Target::Tier => {
                let gone = manifest.tiers.extract_if(.., |t| named(&t.name));
                let layers = gone.flat_map(|t| t.layers);
                let removed = layers.map(|l| Removed {
                    target: Target::Layer,
                    name: l.name.value,
                    span: name.span,
                });
                manifest.removed.extend(removed);
            }
            Target::Fact => {
                self.facts = None;
                manifest.facts.retain(|f| !named(&f.name));
            }
            Target::Let => manifest.lets.retain(|l| !named(&l.name)),
            Target::Root => manifest.roots.retain(|r| !named(&r.name)),
            Target::Scan => manifest.scans.retain(|s| !named(&s.name)),
            Target::Scenario => manifest.scenarios.retain(|s| !named(&s.name)),
        }
        if manifest.count() == before {
            return self.unknown(target, name);
        }
        manifest.removed.push(Removed {
            target,
            name: name.value.clone(),
            span: name.span,
        });
    }

    fn r#move(&mut self, name: &Spanned<String>, to: &Destination) {
        let Some((tier, at)) = self.layer_at(name) else {
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
            Destination::Beside(place) => self.layer_at(place.beside()).map(|_| ()),
            Destination::Tier(tier) => self.tier_at(tier).map(|_| ()),
        };
        if goal.is_none() {
            return;
        }
        let layer = self.manifest.tiers[tier].layers.remove(at);
        let goal = match to {
            Destination::Beside(place) => {
                let beside = self.layer_at(place.beside());
                beside.map(|(tier, at)| (tier, place.index(at)))
            }
            Destination::Tier(tier) => {
                let tier = self.tier_at(tier);
                tier.map(|tier| (tier, self.manifest.tiers[tier].layers.len()))
            }
        };
        if let Some((tier, at)) = goal {
            self.manifest.tiers[tier].layers.insert(at, layer);
        }
    }

    /// The tier and the place in it of a layer, which must be there.
    fn layer_at(&mut self, name: &Spanned<String>) -> Option<(usize, usize)> {
        for (index, tier) in self.manifest.tiers.iter().enumerate() {
            if let Some(at) = tier.layers.iter().position(|l| l.name.value == name.value) {
                return Some((index, at));
            }
        }
        self.unknown(Target::Layer, name);
        None
    }

    /// The index of a tier, which must be there.
    fn tier_at(&mut self, name: &Spanned<String>) -> Option<usize> {
        let mut tiers = self.manifest.tiers.iter();
        let at = tiers.position(|t| t.name.value == name.value);
        if at.is_none() {
            self.unknown(Target::Tier, name);
        }
        at
    }
}

impl Manifest {
    /// How many things stand in it.
    fn count(&self) -> usize {
        let layers: usize = self.tiers.iter().map(|t| t.layers.len()).sum();
        layers
            + self.tiers.len()
            + self.facts.len()
            + self.lets.len()
            + self.roots.len()
            + self.scans.len()
            + self.scenarios.len()
    }
}
