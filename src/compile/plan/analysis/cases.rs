//! The cases that can be distinguished: the values of the facts that programs compare, also through lets and layers.

use super::site::{NodeUse, ProgramUse};
use crate::compile::plan::Plan;
use crate::diagnostic::span::Literal;
use crate::manifest::{Fact, FactType};
use crate::template::analyse::AbstractValue;
use crate::template::{Analysis, Value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most assignments of values that are tried for one program.
const MAX_CASES: usize = 128;

/// The most facts and lets that the conditions of all layers may compare, if their values are tried for `loaded()`.
const MAX_ASKED: usize = 1_000;

/// The most names that a let may compare through others to be remembered.
const MAX_SHORT: usize = 32;

/// The names that programs compare, with the texts that each is compared with.
pub(super) type Comparisons = BTreeMap<String, BTreeSet<String>>;

/// The known values of the facts in a case.
pub(super) type Case<'p> = BTreeMap<&'p str, AbstractValue>;

/// The comparisons that distinguish cases.
#[derive(Debug)]
pub(super) struct Cases<'p> {
    plan: &'p Plan,
    lets: BTreeMap<&'p str, &'p Analysis>,
    /// The numbers of facts, by name.
    numbers: BTreeMap<&'p str, usize>,
    /// The comparisons in the conditions of all layers, once a program calls `loaded()`.
    of_layers: OnceCell<Comparisons>,
    /// The comparisons behind each let with few of them, once a program is evaluated.
    short: OnceCell<BTreeMap<&'p str, Comparisons>>,
}

impl<'p> Cases<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let lets = plan.manifest().lets.iter().filter_map(|item| {
            let analysis = plan.analysis(&item.expression)?;
            Some((item.name.value.as_str(), analysis))
        });
        let facts = plan.manifest().facts.iter().enumerate();
        Self {
            plan,
            lets: lets.collect(),
            numbers: facts.map(|(at, f)| (f.name.value.as_str(), at)).collect(),
            of_layers: OnceCell::new(),
            short: OnceCell::new(),
        }
    }

    /// All that programs read, with what the conditions around them, the layers that these ask for and the lets read; and the
    /// texts that each is compared with.
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
        for analysis in conditions.iter().filter_map(|c| self.plan.analysis(c)) {
            asks |= !analysis.loaded.is_empty();
            add(&mut out, compared(analysis));
        }
        if asks {
            add(&mut out, self.of_layers().clone());
        }
        self.with_lets(&mut out);
        out
    }

    /// The comparisons in the conditions of all layers; none if they are too many to try.
    fn of_layers(&self) -> &Comparisons {
        self.of_layers.get_or_init(|| {
            let mut out = BTreeMap::new();
            let layers = self.plan.manifest().tiers.iter().flat_map(|t| &t.layers);
            let conditions = layers.filter_map(|l| l.when.as_ref());
            for analysis in conditions.filter_map(|c| self.plan.analysis(c)) {
                add(&mut out, compared(analysis));
            }
            if out.len() > MAX_ASKED {
                out.clear();
            }
            out
        })
    }

    /// As [`Self::compared`], for a member of a group: with the conditions of all members.
    pub(super) fn compared_around(&self, node: &NodeUse<'_>) -> Comparisons {
        let mut conditions = node.site.conditions.clone();
        let group = node.parents().last().into_iter();
        conditions
            .extend(group.flat_map(|n| n.descendants().filter_map(|n| n.settings.when.as_ref())));
        self.compared(&[], &conditions)
    }

    /// Adds the comparisons behind lets.
    fn with_lets(&self, out: &mut Comparisons) {
        let short = self.short.get_or_init(|| self.let_comparisons());
        let mut open: Vec<String> = out.keys().cloned().collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(after) = short.get(name.as_str()) {
                add(out, after.clone());
                continue;
            }
            let item = self.of_let(&name);
            open.extend(item.keys().cloned());
            add(out, item);
        }
    }

    /// The comparisons of a let; none if there is no let of that name.
    fn of_let(&self, name: &str) -> Comparisons {
        self.lets
            .get(name)
            .copied()
            .map(compared)
            .unwrap_or_default()
    }

    /// The comparisons of each let through all lets that it reads, without these, if they are at most [`MAX_SHORT`]
    /// names: the total could grow with the square of the lets. A let uses those above it.
    fn let_comparisons(&self) -> BTreeMap<&'p str, Comparisons> {
        let mut all: BTreeMap<&str, Comparisons> = BTreeMap::new();
        for item in &self.plan.manifest().lets {
            let name = item.name.value.as_str();
            let mut own = Comparisons::new();
            let known = self.of_let(name).into_iter().all(|(met, texts)| {
                let after = all.get(met.as_str());
                let is_known = after.is_some() || !self.lets.contains_key(met.as_str());
                add(
                    &mut own,
                    after.cloned().unwrap_or_else(|| [(met, texts)].into()),
                );
                is_known && own.len() <= MAX_SHORT
            });
            if known {
                all.insert(name, own);
            }
        }
        all
    }

    /// The cases that can be distinguished: the known values of the facts in each. `compared` are the relevant facts,
    /// with the texts that they are compared with.
    pub(super) fn cases(&self, compared: &Comparisons) -> Vec<Case<'p>> {
        let facts = &self.plan.manifest().facts;
        let mut cases = vec![Case::new()];
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
                .flat_map(|case: &Case<'p>| {
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
pub(super) fn may_be_missing(fact: &Fact) -> bool {
    fact.is_optional() && fact.default.is_none() && fact.clock.is_none() && fact.env_set.is_none()
}

/// The values of a fact that can be distinguished.
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
