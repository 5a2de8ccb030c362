//! The programs of a manifest, read once, and what is known where each runs.

use super::yields;
use super::{Context, NodeUse, ProgramKind, ProgramUse, Site};
use crate::compile::Plan;
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{Fact, FactType, Layer, Node, NodeKind};
use crate::template::analyse::{AbstractEnv, AbstractValue, Code, Common, Let, Loaded, Shown};
use crate::template::{Analysis, Value};
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many assignments of values are tried for one program.
const MAX_CASES: usize = 128;

/// The most facts and lets that the conditions of all layers may compare, if their values are tried for `loaded()`.
const MAX_ASKED: usize = 1_000;

/// How many names a let may compare by way of others to be remembered.
const MAX_SHORT: usize = 32;

/// The names that programs compare, with the texts that each is compared with.
type Comparisons = BTreeMap<String, BTreeSet<String>>;

/// Everything that can be tried.
#[derive(Debug)]
pub struct Trials<'a> {
    pub(super) context: &'a Context<'a>,
    /// What is known of each fact in any build.
    facts: BTreeMap<&'a str, AbstractValue>,
    lets: BTreeMap<&'a str, Let<'a>>,
    of_lets: BTreeMap<&'a str, &'a Analysis>,
    templates: BTreeMap<&'a str, Code<'a>>,
    /// Conditions and other expressions, by place.
    conditions: BTreeMap<Span, Code<'a>>,
    /// Layers, by name.
    layers: BTreeMap<&'a str, &'a Layer>,
    /// The numbers of facts, by name.
    numbers: BTreeMap<&'a str, usize>,
    /// What the conditions of all layers compare, once a program asks for layers.
    of_layers: OnceCell<Comparisons>,
    /// What is compared behind each let that has little behind it, once a program is tried.
    short: OnceCell<BTreeMap<&'a str, Comparisons>>,
}

impl<'a> Trials<'a> {
    /// Reads all programs. What cannot be read was refused before there was a plan.
    #[must_use]
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        let manifest = context.manifest();
        let plan = context.plan;
        let lets = manifest.lets.iter().filter_map(|item| {
            let code = Code::expression(&item.expression.text).ok()?;
            let reads = plan.let_reads(&item.name.value);
            Some((item.name.value.as_str(), Let { code, reads }))
        });
        let of_lets = manifest.lets.iter().filter_map(|item| {
            let analysis = plan.analysis(&item.expression)?;
            Some((item.name.value.as_str(), analysis))
        });
        let templates = plan
            .templates()
            .filter_map(|(name, program)| Some((name, Code::template(program.text()).ok()?)));
        let read: BTreeSet<Span> = (manifest.lets.iter())
            .map(|item| item.expression.span)
            .collect();
        let conditions = (plan.expressions())
            .filter(|e| !read.contains(&e.span))
            .filter_map(|e| Some((e.span, Code::expression(&e.text).ok()?)));
        Self {
            context,
            facts: (manifest.facts.iter())
                .map(|f| (f.name.value.as_str(), plain(f)))
                .collect(),
            lets: lets.collect(),
            of_lets: of_lets.collect(),
            templates: templates.collect(),
            conditions: conditions.collect(),
            layers: (manifest.tiers.iter().flat_map(|t| &t.layers))
                .map(|l| (l.name.value.as_str(), l))
                .collect(),
            numbers: (manifest.facts.iter().enumerate())
                .map(|(at, f)| (f.name.value.as_str(), at))
                .collect(),
            of_layers: OnceCell::new(),
            short: OnceCell::new(),
        }
    }

    /// A program, read.
    #[must_use]
    pub(super) fn code<'p>(used: &'p ProgramUse<'_>) -> Option<Code<'p>> {
        let source = used.program.text();
        let code = match used.kind.is_expression() {
            true => Code::expression(source),
            false => Code::template(source),
        };
        code.ok()
    }

    /// The place in a file of what a run of `used` shows.
    #[must_use]
    pub(super) fn span(
        &self,
        used: &ProgramUse<'_>,
        place: &crate::template::analyse::TestPlace,
    ) -> Span {
        let program = place.template.as_ref();
        let program = program.and_then(|name| self.plan().template(name));
        program.unwrap_or(&used.program).span_of(place.range())
    }

    /// What is judged.
    pub(super) fn plan(&self) -> &'a Plan {
        self.context.plan
    }

    fn condition(&self, literal: &Literal) -> Option<&Code<'a>> {
        self.conditions.get(&literal.span)
    }

    /// Whether a `when` holds; true if there is none.
    #[must_use]
    pub(super) fn holds(&self, when: Option<&Literal>, setting: &AbstractEnv<'_>) -> Option<bool> {
        match when {
            None => Some(true),
            Some(when) => setting.holds(self.condition(when)?),
        }
    }

    /// A setting in which these facts are known, and nothing else is.
    #[must_use]
    pub(super) fn setting<'p>(
        &'p self,
        facts: BTreeMap<&'p str, AbstractValue>,
    ) -> AbstractEnv<'p> {
        let common = Common {
            facts: &self.facts,
            lets: &self.lets,
            templates: &self.templates,
            loaded: self,
        };
        AbstractEnv::new(common, facts)
    }

    /// Takes it that all these conditions hold; none if that cannot be, or fails.
    #[must_use]
    pub(super) fn inside<'p>(
        &self,
        conditions: &[&Literal],
        mut setting: AbstractEnv<'p>,
    ) -> Option<AbstractEnv<'p>> {
        for condition in conditions {
            let code = self.condition(condition)?;
            if setting.holds(code) == Some(false) {
                return None;
            }
            setting.assume(code, true);
        }
        Some(setting)
    }

    /// Whether no build has all that these conditions are around; `left` is how much may still be tried to find out. Where
    /// that is not enough nothing is known, and it is taken that no build has.
    #[must_use]
    pub(super) fn exclude(&self, conditions: &[&Literal], left: &Cell<usize>) -> bool {
        if left.get() == 0 {
            return true;
        }
        let compared = self.compared(&[], conditions);
        let cases = self.cases(&compared);
        let bytes: usize = conditions.iter().map(|c| c.text.len()).sum();
        let Some(rest) = left
            .get()
            .checked_sub(cases.len() * (bytes + compared.len()))
        else {
            left.set(0);
            return true;
        };
        left.set(rest);
        let possible = |case| self.inside(conditions, self.setting(case)).is_some();
        !cases.into_iter().any(possible)
    }

    /// The node that a program stands in, if it stands in one.
    #[must_use]
    pub(super) fn node_of(&self, site: &Site<'_>) -> Option<&'a NodeUse<'a>> {
        let inner = site.around.first()?;
        self.context.node_of(*inner)
    }

    /// Whether a program surely does not run, although its conditions hold: what it works on yields nothing, or a member of a
    /// `first` before it yields.
    #[must_use]
    pub(super) fn is_idle(&self, used: &ProgramUse<'_>, setting: &AbstractEnv<'_>) -> bool {
        let node = self.node_of(&used.site);
        if node.is_some_and(|n| self.is_behind(n, setting)) {
            return true;
        }
        match (used.kind, node, used.site.layer) {
            (ProgramKind::Wrap | ProgramKind::Marker, Some(node), _) => {
                yields::nothing(node.node, self, setting)
            }
            (
                ProgramKind::Template | ProgramKind::Wrap | ProgramKind::Marker,
                None,
                Some(layer),
            ) => {
                let content = layer.content.as_ref();
                content.is_some_and(|c| yields::nothing(c, self, setting))
            }
            _ => false,
        }
    }

    /// Whether a node stands in a `first` behind a member that surely yields.
    #[must_use]
    pub(super) fn is_behind(&self, node: &NodeUse<'_>, setting: &AbstractEnv<'_>) -> bool {
        let chain = node.parents.iter().copied().chain([node.node]);
        let chain: Vec<_> = chain.collect();
        let wrapped = |at: usize| chain[..=at].iter().any(|n| yields::may_empty(n));
        let outer = (node.site.layer).is_some_and(|l| yields::may_take_all(&l.transforms))
            || (node.site.tier).is_some_and(|t| yields::may_take_all(&t.transforms));
        chain.windows(2).enumerate().any(|(at, pair)| {
            let NodeKind::First(members) = &pair[0].kind else {
                return false;
            };
            let before = members.iter().take_while(|m| m.span != pair[1].span);
            !outer && !wrapped(at) && before.into_iter().any(|m| yields::surely(m, self, setting))
        })
    }

    /// The programs as they are run: each with those that it includes behind it.
    pub(super) fn groups(&self) -> impl Iterator<Item = &'a [ProgramUse<'a>]> {
        self.context.programs.chunk_by(|_, next| next.included)
    }

    /// All that programs read, with what the conditions around them, the layers that these ask for and the lets read; and the
    /// texts that each is compared with.
    #[must_use]
    pub(super) fn compared(
        &self,
        programs: &[ProgramUse<'_>],
        conditions: &[&Literal],
    ) -> Comparisons {
        let mut out = BTreeMap::new();
        let mut asks = false;
        for used in programs {
            asks |= !used.analysis.loaded.is_empty();
            add(&mut out, compared(used.analysis));
        }
        for analysis in conditions.iter().filter_map(|c| self.plan().analysis(c)) {
            asks |= !analysis.loaded.is_empty();
            add(&mut out, compared(analysis));
        }
        if asks {
            add(&mut out, self.of_layers().clone());
        }
        self.with_lets(&mut out);
        out
    }

    /// What the conditions of all layers compare; nothing, if that is too much to try.
    fn of_layers(&self) -> &Comparisons {
        self.of_layers.get_or_init(|| {
            let mut out = BTreeMap::new();
            let layers = self.context.manifest().tiers.iter().flat_map(|t| &t.layers);
            let conditions = layers.filter_map(|l| l.when.as_ref());
            for analysis in conditions.filter_map(|c| self.plan().analysis(c)) {
                add(&mut out, compared(analysis));
            }
            if out.len() > MAX_ASKED {
                out.clear();
            }
            out
        })
    }

    /// As [`Trials::compared`], for a member of a group: with the conditions of all members.
    #[must_use]
    pub(super) fn compared_around(&self, node: &NodeUse<'_>) -> Comparisons {
        let mut conditions = node.site.conditions.clone();
        let mut open: Vec<&Node> = node.parents.last().copied().into_iter().collect();
        while let Some(node) = open.pop() {
            conditions.extend(&node.settings.when);
            if let NodeKind::First(members) | NodeKind::All { members, .. } = &node.kind {
                open.extend(members);
            }
        }
        self.compared(&[], &conditions)
    }

    /// Adds what is compared behind lets.
    fn with_lets(&self, out: &mut Comparisons) {
        let short = self.short.get_or_init(|| self.behind_lets());
        let mut open: Vec<String> = out.keys().cloned().collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(behind) = short.get(name.as_str()) {
                add(out, behind.clone());
                continue;
            }
            let item = self.of_let(&name);
            open.extend(item.keys().cloned());
            add(out, item);
        }
    }

    /// What a let compares; nothing, if there is none of that name.
    fn of_let(&self, name: &str) -> Comparisons {
        self.of_lets
            .get(name)
            .copied()
            .map(compared)
            .unwrap_or_default()
    }

    /// What each let compares by way of all lets behind it, without these, where that is [`MAX_SHORT`] names at most: more of
    /// them could be as many as the square of the lets. A let sees those above it.
    fn behind_lets(&self) -> BTreeMap<&'a str, Comparisons> {
        let mut all: BTreeMap<&str, Comparisons> = BTreeMap::new();
        for item in &self.context.manifest().lets {
            let name = item.name.value.as_str();
            let mut own = Comparisons::new();
            let known = self.of_let(name).into_iter().all(|(met, texts)| {
                let behind = all.get(met.as_str());
                let is_known = behind.is_some() || !self.lets.contains_key(met.as_str());
                add(
                    &mut own,
                    behind.cloned().unwrap_or_else(|| [(met, texts)].into()),
                );
                is_known && own.len() <= MAX_SHORT
            });
            if known {
                all.insert(name, own);
            }
        }
        all
    }

    /// The cases that can be told apart: what is known of the facts in each. `compared` are the facts that matter, with the
    /// texts that they are compared with.
    #[must_use]
    pub(super) fn cases(&self, compared: &Comparisons) -> Vec<BTreeMap<&'a str, AbstractValue>> {
        let facts = &self.context.manifest().facts;
        let mut cases = vec![BTreeMap::new()];
        let numbered = (compared.iter())
            .filter_map(|(name, texts)| Some((self.numbers.get(name.as_str())?, texts)));
        let numbered: BTreeMap<_, _> = numbered.collect();
        for (fact, texts) in numbered.into_iter().map(|(at, texts)| (&facts[*at], texts)) {
            let values = values(fact, texts);
            if cases.len() * values.len() > MAX_CASES {
                continue;
            }
            let name = fact.name.value.as_str();
            cases = (cases.iter())
                .flat_map(|case: &BTreeMap<&'a str, AbstractValue>| {
                    values.iter().map(|value| {
                        let mut case = case.clone();
                        case.insert(name, value.clone());
                        case
                    })
                })
                .collect();
        }
        cases
    }

    /// What a run of `used` shows where everything around it holds; none if it is never run so.
    #[must_use]
    pub(super) fn run(
        &self,
        used: &ProgramUse<'_>,
        code: &Code<'_>,
        facts: BTreeMap<&str, AbstractValue>,
    ) -> Option<Shown> {
        let setting = self.inside(&used.site.conditions, self.setting(facts))?;
        (!self.is_idle(used, &setting)).then(|| setting.run(code))
    }
}

impl Loaded for Trials<'_> {
    fn loaded(&self, layer: &str, setting: &AbstractEnv<'_>) -> AbstractValue {
        let layer = self.layers.get(layer).copied();
        let holds = layer.and_then(|l| self.holds(l.when.as_ref(), setting));
        match (layer, holds) {
            (_, Some(false)) => AbstractValue::boolean(false),
            (Some(layer), Some(true)) if yields::loaded(layer, self, setting) => {
                AbstractValue::boolean(true)
            }
            _ => AbstractValue::Present,
        }
    }
}

/// The names that a program reads, with the texts that each is compared with.
fn compared(analysis: &Analysis) -> Comparisons {
    let mut out = analysis.compared.clone();
    for used in &analysis.names {
        out.entry(used.name.clone()).or_default();
    }
    out
}

fn add(out: &mut Comparisons, more: Comparisons) {
    for (name, texts) in more {
        out.entry(name).or_default().extend(texts);
    }
}

/// Whether a build may be without a value for a fact.
#[must_use]
pub(super) fn may_be_missing(fact: &Fact) -> bool {
    fact.is_optional() && fact.default.is_none() && fact.clock.is_none() && fact.env_set.is_none()
}

fn plain(fact: &Fact) -> AbstractValue {
    match may_be_missing(fact) {
        true => AbstractValue::Anything,
        false => AbstractValue::Present,
    }
}

/// The values of a fact that can be told apart.
fn values(fact: &Fact, texts: &BTreeSet<String>) -> Vec<AbstractValue> {
    let mut out = Vec::new();
    let allowed = fact.one_of.iter().map(|v| &v.value);
    match fact.kind.value {
        FactType::Bool if fact.one_of.is_empty() => {
            out.extend([AbstractValue::boolean(true), AbstractValue::boolean(false)]);
        }
        FactType::String if !fact.one_of.is_empty() => {
            out.extend(allowed.filter_map(|v| v.as_str().map(AbstractValue::text)));
        }
        FactType::Bool => {
            out.extend(allowed.filter_map(|v| v.as_bool().map(AbstractValue::boolean)))
        }
        FactType::Int if !fact.one_of.is_empty() => {
            out.extend(
                allowed.filter_map(|v| v.as_i64().map(|n| AbstractValue::Value(Value::from(n)))),
            );
        }
        FactType::String if !texts.is_empty() => {
            out.extend(texts.iter().map(|t| AbstractValue::text(t)));
            out.push(AbstractValue::Other(Arc::new(texts.clone())));
        }
        _ => out.push(AbstractValue::Present),
    }
    if may_be_missing(fact) {
        out.push(AbstractValue::missing());
    }
    out
}
