//! The cases that can be distinguished: the values of the facts that programs compare, also through lets and layers.

use crate::compile::plan::{self, Plan, ProgramUse};
use crate::diagnostic::span::Literal;
use crate::manifest::{Fact, FactType};
use crate::template::Analysis;
use crate::template::fact::FactValue;
use crate::text::Json;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The most facts and lets that the conditions of all layers may compare, if their values are tried for `loaded()`.
const MAX_ASKED: usize = 1_000;

/// The most names that a let may compare through others to be remembered.
const MAX_SHORT: usize = 32;

/// The names that programs compare, with the texts that each is compared with.
pub(super) type Comparisons = BTreeMap<String, BTreeSet<String>>;

/// The values of facts in a case; none if a fact is missing.
pub(super) type Case<'p> = BTreeMap<&'p str, Option<Json>>;

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
        programs: &[&ProgramUse<'_>],
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

    /// At most `most` cases that can be distinguished, in each of which `given` holds. `compared` are the relevant facts, with the
    /// texts that they are compared with. If there are more cases, the values of later facts take turns in those of the first.
    pub(super) fn cases(
        &self,
        compared: &Comparisons,
        given: &Case<'p>,
        most: usize,
    ) -> Vec<Case<'p>> {
        let mut cases = vec![given.clone()];
        for (fact, texts) in self.facts(compared) {
            let name = fact.name.value.as_str();
            let values = values(fact, texts);
            if given.contains_key(name) {
                continue;
            }
            if cases.len() * values.len() <= most {
                cases = with_each(&cases, name, &values);
            } else {
                let turns = values.iter().cycle();
                for (case, value) in cases.iter_mut().zip(turns) {
                    case.insert(name, value.clone());
                }
            }
        }
        cases
    }

    /// All cases of these conditions, if they depend on nothing but facts of which all values are known; none if they depend on
    /// more, or if there are more than `most` cases.
    pub(super) fn all(&self, conditions: &[&Literal], most: usize) -> Option<Vec<Case<'p>>> {
        let compared = self.compared(&[], conditions);
        // Lets cannot ask.
        let mut own = conditions.iter().map(|c| self.plan.analysis(c));
        let asks = |analysis: &Analysis| !analysis.exists.is_empty() || !analysis.loaded.is_empty();
        if own.any(|analysis| analysis.is_none_or(asks)) {
            return None;
        }
        let mut cases = vec![Case::new()];
        for (fact, texts) in self.facts(&compared) {
            let is_finite = fact.kind.value == FactType::Bool || !fact.one_of.is_empty();
            let values = values(fact, texts);
            if !is_finite || cases.len() * values.len() > most {
                return None;
            }
            cases = with_each(&cases, fact.name.value.as_str(), &values);
        }
        Some(cases)
    }

    /// The facts among names, in their order, each with the texts that it is compared with.
    fn facts<'c>(
        &self,
        compared: &'c Comparisons,
    ) -> impl Iterator<Item = (&'p Fact, &'c BTreeSet<String>)> {
        let numbered = (compared.iter())
            .filter_map(|(name, texts)| Some((*self.numbers.get(name.as_str())?, texts)));
        let numbered: BTreeMap<usize, _> = numbered.collect();
        let facts = &self.plan.manifest().facts;
        (numbered.into_iter()).map(move |(at, texts)| (&facts[at], texts))
    }

    /// A value of each fact that may well be given: its default, else that of a scenario, else any of its type.
    pub(super) fn typical(&self) -> Case<'p> {
        let manifest = self.plan.manifest();
        let mut sets = BTreeMap::new();
        for (name, value) in manifest.scenarios.iter().rev().flat_map(|s| &s.sets) {
            sets.insert(name.value.as_str(), value);
        }
        let typical = |fact: plan::Fact<'p>| {
            let written = fact.written;
            let set = sets.get(written.name.value.as_str());
            let set = set.and_then(|v| FactValue::from_written(written.kind.value, v).ok()?);
            let known = fact.default.cloned().or(set);
            let value = known.map_or_else(|| any(written), |value| value.to_json());
            (written.name.value.as_str(), Some(value))
        };
        self.plan.facts().map(typical).collect()
    }
}

/// Each of the cases with each of the values of a fact.
fn with_each<'p>(cases: &[Case<'p>], name: &'p str, values: &[Option<Json>]) -> Vec<Case<'p>> {
    let with = |case: &Case<'p>, value: &Option<Json>| {
        let mut case = case.clone();
        case.insert(name, value.clone());
        case
    };
    let cases = cases.iter();
    let all = cases.flat_map(|case| values.iter().map(move |value| with(case, value)));
    all.collect()
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
fn values(fact: &Fact, texts: &BTreeSet<String>) -> Vec<Option<Json>> {
    let mut values: Vec<Json> = match fact.kind.value {
        _ if !fact.one_of.is_empty() => {
            let allowed = fact.one_of.iter().map(|allowed| allowed.value.clone());
            allowed.map(Json::from).collect()
        }
        FactType::Bool => vec![Json::Bool(true), Json::Bool(false)],
        FactType::String if !texts.is_empty() => {
            let mut other = "other".to_owned();
            while texts.contains(&other) {
                other.push('-');
            }
            let texts = texts.iter().chain([&other]);
            texts.map(|text| Json::text(text.as_str())).collect()
        }
        FactType::List if !texts.is_empty() => {
            let texts = texts.iter().map(|text| Json::text(text.as_str()));
            vec![Json::list(texts), Json::list([])]
        }
        _ => vec![any(fact)],
    };
    let missing = may_be_missing(fact).then_some(None);
    values.drain(..).map(Some).chain(missing).collect()
}

/// Any value of a fact's type.
fn any(fact: &Fact) -> Json {
    if let Some(allowed) = fact.one_of.first() {
        return allowed.value.clone().into();
    }
    match fact.kind.value {
        FactType::String => Json::text("invented"),
        FactType::Int => serde_json::Value::from(1).into(),
        FactType::Float => serde_json::Value::from(1.5).into(),
        FactType::Bool => Json::Bool(true),
        FactType::Date => Json::text("2026-01-02"),
        FactType::DateTime => Json::text("2026-01-02T03:04:05Z"),
        FactType::List => Json::list([Json::text("invented")]),
        FactType::Map => Json::object([]),
    }
}
