//! Builds with invented facts and documents, for rules that ask what a build may do.
//!
//! No source is opened, and nothing of this machine is asked. What is said to happen was seen to happen in such a build; what none
//! of them shows is not said.

mod cases;
mod documents;

use self::cases::{Case, Cases, Comparisons, may_be_missing};
use super::bind::{self, ResolvedInputs};
use super::given::{FixedInputs, GivenInputs};
use super::layer::Content;
use super::layer_facts::LayerFacts;
use super::load::{self, Loaded, LoadedLayer};
use super::plan::{self, Needs, NodeUse, PlanAnalysis, ProgramUse, Site, What, Written};
use super::{reminder, render, roots};
use crate::diagnostic::span::{Literal, Span};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::Fact;
use crate::prompt::drift::{Change, ChangeKind};
use crate::template::Scope;
use crate::world::MapWorld;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most layers that are looked at for one rule, in all builds together. Beyond that nothing more is found.
const MOST_LAYERS: usize = 50_000;

/// The most cases of one condition.
const MOST_CASES: usize = 128;

/// The most cases in which a layer is built without a fact.
const MOST_WITHOUT: usize = 8;

/// The folder of all roots that are not next to a manifest.
const FOLDER: &str = "/invented";

/// Builds of one plan with invented inputs.
pub struct Trials<'a, 'p> {
    analysis: &'a PlanAnalysis<'p>,
    cases: Cases<'p>,
    typical: Case<'p>,
    /// The programs of each part, with those that they include.
    parts: BTreeMap<Part<'p>, Vec<&'a ProgramUse<'p>>>,
    /// The folders that are looked into, and nothing in them.
    world: MapWorld,
    /// The part of [`MOST_LAYERS`] that may still be looked at.
    left: Cell<usize>,
}

/// A part of what is built that can be built without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'p> {
    /// The lets alone.
    Lets,
    /// The layers of a tier.
    Tier(&'p str),
    /// A layer.
    Layer(&'p str),
    /// The directory rules about a folder.
    DirectoryRules,
    /// The reminder of a session.
    Reminder,
}

/// A part with what is built for it.
struct Unit<'a, 'p> {
    part: Part<'p>,
    /// The layers that are not built.
    others: BTreeSet<String>,
    nodes: Vec<&'a NodeUse<'p>>,
    /// The names that its programs compare.
    compared: Comparisons,
}

/// The inputs of a build that is tried.
struct Attempt<'t> {
    inputs: &'t GivenInputs,
    bound: &'t ResolvedInputs,
    world: &'t MapWorld,
}

/// A place at which a build fails without an optional fact.
#[derive(Debug)]
pub struct FailsWithout<'a, 'p> {
    /// The fact.
    pub fact: &'p Fact,
    /// The program that is run.
    pub used: &'a ProgramUse<'p>,
    /// Where it fails, or a template that it includes.
    pub span: Span,
}

/// A `when` that holds in every build, or in none.
#[derive(Debug)]
pub struct SettledCondition<'a, 'p> {
    /// The condition.
    pub condition: &'p Literal,
    /// The location of what it is written on, of the first such if there are several.
    pub site: &'a Site<'p>,
    /// Whether it always holds; else it never does.
    pub truth: bool,
}

impl<'p> Part<'p> {
    fn containing(used: &ProgramUse<'p>) -> Self {
        let site = &used.site;
        match (site.directory_rules, site.layer, site.tier) {
            (Some(_), ..) => Self::DirectoryRules,
            (_, Some(layer), _) => Self::Layer(&layer.name.value),
            (.., Some(tier)) => Self::Tier(&tier.name.value),
            _ if used.what == What::Let => Self::Lets,
            _ => Self::Reminder,
        }
    }
}

impl<'a, 'p> Trials<'a, 'p> {
    /// Trials of the plan that was prepared for checks.
    #[must_use]
    pub fn new(analysis: &'a PlanAnalysis<'p>) -> Self {
        let mut parts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for used in &analysis.programs {
            parts.entry(Part::containing(used)).or_default().push(used);
        }
        let cases = Cases::new(analysis.plan);
        let homes = roots::homes(analysis.plan.manifest());
        let world = MapWorld::new().folder(FOLDER);
        Self {
            world: homes.fold(world, |world, home| world.folder(home)),
            analysis,
            typical: cases.typical(),
            cases,
            parts,
            left: Cell::new(MOST_LAYERS),
        }
    }

    /// The conditions that hold in every build or in none, as far as they depend on facts whose values are all known; what such
    /// conditions around them rule out is left out.
    #[must_use]
    pub fn settled_conditions(&self) -> Vec<SettledCondition<'a, 'p>> {
        let mut seen: BTreeMap<Span, (&'p Literal, &'a Site<'p>, BTreeSet<bool>)> = BTreeMap::new();
        for used in &self.analysis.programs {
            let (What::Condition, Written::Expression(condition)) = (used.what, used.written)
            else {
                continue;
            };
            let new = || (condition, &used.site, BTreeSet::new());
            let (.., truths) = seen.entry(condition.span).or_insert_with(new);
            truths.extend(self.truths(condition, &used.site));
        }
        let settled = seen.into_values().filter_map(|(condition, site, truths)| {
            let mut truths = truths.into_iter();
            let truth = truths.next().filter(|_| truths.next().is_none())?;
            Some(SettledCondition {
                condition,
                site,
                truth,
            })
        });
        settled.collect()
    }

    /// What a condition is in the builds that look at it; both if not all of them are known.
    fn truths(&self, condition: &'p Literal, site: &Site<'p>) -> Vec<bool> {
        let around = site.conditions.iter().copied();
        let around = around.filter(|c| self.cases.all_if_finite(&[c], MOST_CASES).is_some());
        let mut around: Vec<&Literal> = around.collect();
        let with_around = [around.as_slice(), &[condition]].concat();
        let mut cases = self.cases.all_if_finite(&with_around, MOST_CASES);
        if cases.is_none() {
            around.clear();
            cases = self.cases.all_if_finite(&[condition], MOST_CASES);
        }
        let Some(cases) = cases.filter(|cases| self.may_look_at(cases.len())) else {
            return vec![true, false];
        };
        let holds = |case: &Case<'p>| {
            let facts = case.keys().map(|name| Arc::from(*name)).collect();
            let needs = Needs::named(Some(facts), Some(BTreeSet::new()));
            let inputs = self.inputs(case);
            let diags = &mut Diagnostics::default();
            let bound = bind::bind(self.analysis.plan, &inputs, &self.world, &needs, diags).ok()?;
            let scope = Scope::new(bound.values.clone());
            let holds = |condition: &Literal| {
                let answer = self.analysis.plan.engine.evaluate(&condition.text, &scope);
                Some(answer.ok()?.value.is_true())
            };
            // A condition that fails ends the build: it goes neither way.
            let is_reached = around.iter().all(|c| holds(c) == Some(true));
            if is_reached { holds(condition) } else { None }
        };
        cases.iter().filter_map(holds).collect()
    }

    /// Where a build fails without an optional fact: of each part and fact the first place, since the build ends there.
    #[must_use]
    pub fn fails_without(&self) -> Vec<FailsWithout<'a, 'p>> {
        let facts = self.analysis.plan.manifest().facts.iter();
        let mut facts = facts.filter(|fact| may_be_missing(fact)).peekable();
        if facts.peek().is_none() {
            return Vec::new();
        }
        let units: Vec<Unit<'a, 'p>> = self.parts.keys().map(|part| self.unit(*part)).collect();
        let mut out: Vec<FailsWithout<'a, 'p>> = Vec::new();
        for fact in facts {
            let mut places = BTreeSet::new();
            for unit in &units {
                let failure = self.failure(fact, unit);
                out.extend(failure.filter(|failure| places.insert(failure.span)));
            }
        }
        out
    }

    fn unit(&self, part: Part<'p>) -> Unit<'a, 'p> {
        let layers = self.layers(part);
        let of_layers = layers.iter().map(|layer| Part::Layer(layer));
        let parts: BTreeSet<Part<'p>> = of_layers.chain([part]).collect();
        let programs = parts.iter().filter_map(|part| self.parts.get(part));
        let programs = programs.flatten().map(|used| used.analysis);
        let nodes = self.analysis.nodes.iter();
        let is_in = |node: &&NodeUse<'p>| match (node.site.directory_rules, node.site.layer) {
            (Some(_), _) => part == Part::DirectoryRules,
            (None, Some(layer)) => layers.contains(layer.name.value.as_str()),
            (None, None) => false,
        };
        Unit {
            part,
            others: self.others(&layers),
            nodes: nodes.filter(is_in).collect(),
            compared: self.cases.compared(programs),
        }
    }

    fn failure(&self, fact: &'p Fact, unit: &Unit<'a, 'p>) -> Option<FailsWithout<'a, 'p>> {
        let name = fact.name.value.as_str();
        if !unit.compared.contains_key(name) {
            return None;
        }
        let without = Case::from([(name, None)]);
        let cases = self.cases.samples(&unit.compared, &without, MOST_WITHOUT);
        // A source that finds something may keep a template from being run, and so may one that finds nothing.
        let nodes = [unit.nodes.as_slice(), &[]];
        let choices = if unit.nodes.is_empty() { 1 } else { 2 };
        let mut tries = cases
            .iter()
            .flat_map(|case| nodes[..choices].iter().map(move |nodes| (case, nodes)));
        tries.find_map(|(case, nodes)| {
            let failed = self.build(case, unit, nodes)?.err()?;
            let mut spans = failed.iter().filter_map(|failure| failure.span);
            let (used, span) = spans.find_map(|span| Some((self.reader(name, span)?, span)))?;
            let mut with = case.clone();
            with.insert(name, self.typical[name].clone());
            let fails_too = match self.build(&with, unit, nodes)? {
                Ok(()) => false,
                Err(failed) => failed.iter().any(|other| other.span == Some(span)),
            };
            (!fails_too).then_some(FailsWithout { fact, used, span })
        })
    }

    /// The program that is run where the value of a fact is read, also through lets: in an expression at `span`, or before a filter
    /// there.
    fn reader(&self, fact: &str, span: Span) -> Option<&'a ProgramUse<'p>> {
        let reads = |used: &ProgramUse<'p>| {
            let names = used.analysis.names.iter();
            let placed = names.map(|name| (name, used.program.span_of(name.range.clone())));
            let before = placed.filter(|(_, at)| at.file == span.file && at.start < span.end);
            let mut before: Vec<_> = before.collect();
            before.sort_by_key(|(_, at)| at.start);
            let is_within = |(_, at): &&(_, Span)| span.start < at.end;
            let mut near: Vec<_> = before.iter().filter(is_within).collect();
            if near.is_empty() {
                near.extend(before.last());
            }
            near.iter().any(|(name, _)| {
                let read = plan::read_with(&self.analysis.plan.lets, [name.name.as_str()]);
                read.iter().any(|name| **name == *fact)
            })
        };
        let mut groups = self.analysis.groups();
        groups
            .find(|group| group.iter().any(|used| used.covers(span) && reads(used)))?
            .first()
    }

    /// Whether one prompt has documents of both nodes with the same path. After too many attempts for other nodes the answer is no.
    #[must_use]
    pub fn may_both_yield(&self, a: &NodeUse<'p>, b: &NodeUse<'p>) -> bool {
        let names = [a, b].map(|node| node.site.layer.map(|layer| layer.name.value.as_str()));
        let [Some(one), Some(other)] = names else {
            return false;
        };
        let plan = self.analysis.plan;
        let layers = self.with_asked([one, other]);
        let around = layers.iter().filter_map(|name| self.analysis.layer(name));
        let around = around.filter_map(|(layer, _)| layer.written.when.as_ref());
        let own = a.site.conditions.iter().chain(&b.site.conditions).copied();
        let conditions = own.chain(around).filter_map(|c| plan.analysis(c));
        let compared = self.cases.compared(conditions);
        let cases = self.cases.samples(&compared, &Case::new(), MOST_CASES);
        let others = self.others(&layers);
        cases.iter().any(|case| {
            let paths = self.attempt(case, &others, &[a, b], |attempt, diags| {
                let loaded = load::load(plan, attempt.bound, attempt.world, diags)?;
                Ok([one, other].map(|layer| paths(&loaded, layer, a.root())))
            });
            let Some(Ok([first, second])) = paths else {
                return false;
            };
            let least = if one == other { 2 } else { 1 };
            let count = |path: &Arc<str>| first.iter().filter(|other| *other == path).count();
            second.iter().any(|path| count(path) >= least)
        })
    }

    /// Builds a part in a case, with the documents of these nodes. None if nothing more may be looked at.
    fn build(
        &self,
        case: &Case<'p>,
        unit: &Unit<'a, 'p>,
        nodes: &[&NodeUse<'p>],
    ) -> Option<Result<(), Diagnostics>> {
        self.attempt(case, &unit.others, nodes, |attempt, diags| {
            self.build_part(unit.part, attempt, diags)
        })
    }

    /// Binds the inputs of a case, and goes on without some layers and with the documents of these nodes. None if nothing more may be
    /// looked at; the errors of the build if it fails.
    fn attempt<T>(
        &self,
        case: &Case<'p>,
        others: &BTreeSet<String>,
        nodes: &[&NodeUse<'p>],
        go_on: impl FnOnce(&Attempt<'_>, &mut Diagnostics) -> Result<T, ErrorReported>,
    ) -> Option<Result<T, Diagnostics>> {
        if !self.may_look_at(self.analysis.layers().count() + 1) {
            return None;
        }
        let mut facts = self.typical.clone();
        facts.extend(case.clone());
        let inputs = self.inputs(&facts);
        let mut diags = Diagnostics::default();
        let (plan, needs) = (self.analysis.plan, Needs::all());
        let bound = bind::bind(plan, &inputs, &self.world, &needs, &mut diags);
        let built = bound.and_then(|mut bound| {
            bound.without.clone_from(others);
            let nodes = nodes.iter();
            let world = nodes.fold(self.world.clone(), |world, node| {
                documents::with_documents(world, node, &bound)
            });
            let attempt = Attempt {
                inputs: &inputs,
                bound: &bound,
                world: &world,
            };
            go_on(&attempt, &mut diags)
        });
        Some(built.map_err(|ErrorReported { .. }| diags))
    }

    fn build_part(
        &self,
        part: Part<'p>,
        attempt: &Attempt<'_>,
        diags: &mut Diagnostics,
    ) -> Result<(), ErrorReported> {
        let plan = self.analysis.plan;
        let Attempt {
            inputs,
            bound,
            world,
        } = *attempt;
        match part {
            Part::Lets => Ok(()),
            Part::Tier(_) | Part::Layer(_) => {
                let loaded = load::load(plan, bound, world, diags)?;
                render::render(plan, bound, loaded, diags).map(drop)
            }
            Part::DirectoryRules => plan.directory_rules_layers().iter().try_for_each(|layer| {
                let facts = LayerFacts::default();
                let loaded = load::alone(plan, bound, world, (layer, &facts), diags)?;
                let mut renderer = render::Renderer {
                    plan,
                    bound,
                    asked: &facts,
                    diags,
                };
                let finished = loaded.map(|present| renderer.finish(layer, present, None));
                finished.transpose().map(drop)
            }),
            Part::Reminder => {
                let change = Change {
                    layer: "invented".to_owned(),
                    tier: "invented".to_owned(),
                    kind: ChangeKind::Changed,
                    text: "An invented text.".to_owned(),
                    causes: Vec::new(),
                };
                reminder::render(plan, inputs, world, &[change], diags).map(drop)
            }
        }
    }

    /// These facts, and a folder for each root.
    fn inputs(&self, facts: &Case<'p>) -> GivenInputs {
        let facts = facts.iter();
        let facts = facts.filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?)));
        let names = plan::root_names(self.analysis.plan.manifest()).into_iter();
        let names = names.filter(|name| ![roots::MANIFEST, roots::TEXT].contains(name));
        let fixed = FixedInputs {
            facts: facts.collect(),
            roots: names.map(|name| (name.to_owned(), FOLDER.into())).collect(),
        };
        GivenInputs {
            fixed: Some(Arc::new(fixed)),
            ..GivenInputs::default()
        }
    }

    /// The layers to build for a part, with those that they ask for.
    fn layers(&self, part: Part<'p>) -> BTreeSet<&'p str> {
        match part {
            Part::Layer(layer) => self.with_asked([layer]),
            Part::Tier(name) => {
                let tiers = self.analysis.tiers.iter();
                let tier = tiers.filter(|tier| tier.written.name.value == name);
                let layers = tier.flat_map(|tier| &tier.layers);
                self.with_asked(layers.map(|layer| layer.written.name.value.as_str()))
            }
            Part::Lets | Part::DirectoryRules | Part::Reminder => BTreeSet::new(),
        }
    }

    /// These layers, and those that `loaded()` in them asks for: without them the answer would be another one.
    fn with_asked(&self, layers: impl IntoIterator<Item = &'p str>) -> BTreeSet<&'p str> {
        let mut open: Vec<&str> = layers.into_iter().collect();
        let mut all = BTreeSet::new();
        while let Some(layer) = open.pop() {
            if !all.insert(layer) {
                continue;
            }
            let programs = self.parts.get(&Part::Layer(layer)).into_iter().flatten();
            let loaded = programs.flat_map(|used| &used.analysis.loaded);
            open.extend(loaded.map(|layer| layer.name.as_str()));
        }
        all
    }

    /// All other layers.
    fn others(&self, layers: &BTreeSet<&'p str>) -> BTreeSet<String> {
        let all = self.analysis.layers();
        let names = all.map(|(layer, _)| layer.written.name.value.as_str());
        let others = names.filter(|name| !layers.contains(name));
        others.map(str::to_owned).collect()
    }

    /// Whether so many layers may still be looked at.
    fn may_look_at(&self, layers: usize) -> bool {
        let left = self.left.get().checked_sub(layers);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The paths of the documents of a layer that are of a root.
fn paths(loaded: &Loaded<'_>, name: &str, root: &str) -> Vec<Arc<str>> {
    let mut out = Vec::new();
    for layer in loaded.tiers.iter().flatten() {
        let LoadedLayer::New(layer, content) = layer else {
            continue;
        };
        let Content::Present(present) = &**content else {
            continue;
        };
        if *layer.name == *name {
            let parts = present.parts.iter().map(|(_, part)| part);
            let texts = present.content.iter().chain(parts);
            let documents = texts.flat_map(|text| &text.documents);
            let of_root = documents.filter(|document| *document.root == *root);
            out.extend(of_root.map(|document| document.path.clone()));
        }
    }
    out
}
