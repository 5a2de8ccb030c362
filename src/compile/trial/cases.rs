//! The cases that can be distinguished: the values of the facts that programs compare, also through lets and layers.

use crate::compile::plan::{self, Plan};
use crate::diagnostic::span::Literal;
use crate::manifest::{Fact, FactType};
use crate::template::Analysis;
use crate::template::fact::FactValue;
use crate::text::Json;
use std::collections::{BTreeMap, BTreeSet};

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
        }
    }

    /// The names that programs read, also through lets, with the texts that each is compared with.
    pub(super) fn compared<'a>(
        &self,
        programs: impl IntoIterator<Item = &'a Analysis>,
    ) -> Comparisons {
        let mut out = Comparisons::new();
        for analysis in programs {
            add(&mut out, analysis);
        }
        let read = plan::read_with(&self.plan.lets, out.keys().map(String::as_str));
        for analysis in read.iter().filter_map(|name| self.lets.get(&**name)) {
            add(&mut out, analysis);
        }
        out
    }

    /// At most `most` cases that can be distinguished, in each of which `fixed` holds. `compared` are the relevant facts, with the
    /// texts that they are compared with. If there are more cases, the values of later facts take turns in those of the first.
    pub(super) fn samples(
        &self,
        compared: &Comparisons,
        fixed: &Case<'p>,
        most: usize,
    ) -> Vec<Case<'p>> {
        let mut cases = vec![fixed.clone()];
        for (fact, texts) in self.facts(compared) {
            let name = fact.name.value.as_str();
            let values = values(fact, texts);
            if fixed.contains_key(name) {
                continue;
            }
            if cases.len() * values.len() <= most {
                cases = with_each(&cases, name, &values);
                continue;
            }
            let count = values.len().clamp(cases.len(), most);
            cases = cases.iter().cycle().take(count).cloned().collect();
            for (case, value) in cases.iter_mut().zip(values.iter().cycle()) {
                case.insert(name, value.clone());
            }
        }
        cases
    }

    /// All cases of these conditions, if they depend on nothing but facts of which all values are known; none if they depend on
    /// more, or if there are more than `most` cases.
    pub(super) fn all_if_finite(
        &self,
        conditions: &[&Literal],
        most: usize,
    ) -> Option<Vec<Case<'p>>> {
        let analyses = conditions.iter().map(|c| self.plan.analysis(c));
        let analyses: Vec<&Analysis> = analyses.collect::<Option<_>>()?;
        // Lets cannot ask.
        let asks =
            |analysis: &&Analysis| !analysis.exists.is_empty() || !analysis.loaded.is_empty();
        if analyses.iter().any(asks) {
            return None;
        }
        let compared = self.compared(analyses);
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
            let value = known.map_or_else(|| invented(written), |value| value.to_json());
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

/// Adds the names that a program itself reads, with the texts that each is compared with.
fn add(out: &mut Comparisons, analysis: &Analysis) {
    for (name, texts) in &analysis.compared {
        let known = out.entry(name.clone()).or_default();
        known.extend(texts.iter().cloned());
    }
    for used in &analysis.names {
        out.entry(used.name.clone()).or_default();
    }
}

/// Whether a build may be without a value for a fact.
pub(super) fn may_be_missing(fact: &Fact) -> bool {
    fact.is_optional() && fact.default.is_none() && fact.clock.is_none() && fact.env_set.is_none()
}

/// The values of a fact that can be distinguished.
fn values(fact: &Fact, texts: &BTreeSet<String>) -> Vec<Option<Json>> {
    let values: Vec<Json> = match fact.kind.value {
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
        _ => vec![invented(fact)],
    };
    let missing = may_be_missing(fact).then_some(None);
    values.into_iter().map(Some).chain(missing).collect()
}

/// Any value of a fact's type.
fn invented(fact: &Fact) -> Json {
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
