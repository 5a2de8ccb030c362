//! The changed facts that flip a condition. The condition is evaluated again with each fact at its old or new value.

use super::reads::Reads;
use super::side::Side;
use super::values::Values;
use crate::prompt::Ingredient;
use crate::template::fact::FactValue;
use crate::template::{self, Engine, Scope};
use crate::text::Data;
use crate::text::data::View;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most lets that are evaluated for one condition.
const MOST_LETS: usize = 16;

/// A condition that can be asked again.
struct Condition<'p> {
    expression: &'p str,
    values: &'p Values<'p>,
    facts: Vec<&'p str>,
    lets: BTreeMap<&'p str, &'p str>,
}

/// Those of the facts `changed` that changed the answer of `expression` from `old`: with the value of one side for
/// the fact, and those of the other side for the rest, the answer differs. None if that is unknown: a value is
/// private, the condition asks for files or layers, or no fact decides by itself.
pub(super) fn deciding<'p>(
    expression: &'p str,
    reads: &'p Reads,
    changed: &[&'p str],
    old: bool,
    values: &'p Values<'p>,
    sides: [&'p Side<'p>; 2],
) -> Option<BTreeSet<&'p str>> {
    let lets = lets(sides);
    let condition = Condition {
        expression,
        values,
        facts: reads.facts_alone(&lets)?,
        lets: lets
            .into_iter()
            .filter(|(name, _)| reads.names.iter().any(|n| n == name))
            .collect(),
    };
    if condition.lets.len() > MOST_LETS
        || condition.ask(|_| false)? != old
        || condition.ask(|_| true)? == old
    {
        return None;
    }
    let mut out = BTreeSet::new();
    for fact in changed {
        let alone = condition.ask(|name| name == *fact)? != old;
        let needed = condition.ask(|name| name != *fact)? == old;
        if alone || needed {
            out.insert(*fact);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The lets of both sides, by name.
fn lets<'p>(sides: [&'p Side<'p>; 2]) -> BTreeMap<&'p str, &'p str> {
    let ingredients = sides.into_iter().flat_map(Side::ingredients);
    let lets = ingredients.filter_map(|i| match i {
        Ingredient::Let { name, expression } => Some((name.as_str(), expression.as_str())),
        _ => None,
    });
    lets.collect()
}

impl Condition<'_> {
    /// Its answer, with B's value for each fact that `in_b` picks and A's for the others.
    fn ask(&self, in_b: impl Fn(&str) -> bool) -> Option<bool> {
        let mut values = template::Values::default();
        for fact in &self.facts {
            let value = self.values.open(fact, in_b(fact))?;
            values.insert_fact(*fact, value.and_then(typed).as_ref(), false);
        }
        let engine = Engine::new();
        // In whatever order they need each other.
        for _ in &self.lets {
            let scope = Scope::new(Arc::new(values.clone()));
            for (name, expression) in &self.lets {
                let value = engine.evaluate(expression, &scope).ok();
                if let Some(value) = value {
                    values.insert_let(*name, *expression, value.value, value.facts);
                }
            }
        }
        let answer = engine.evaluate(self.expression, &Scope::new(Arc::new(values)));
        answer.ok().map(|answer| answer.is_true())
    }
}

/// A value as the fact had it; a day compares as its text does.
fn typed(data: &Data) -> Option<FactValue> {
    Some(match data.view() {
        View::Null => return None,
        View::Bool(is) => FactValue::Bool(is),
        View::Number(number) => match number.as_i64() {
            Some(whole) => FactValue::Int(whole),
            None => FactValue::Float(number.as_f64()?),
        },
        View::Text(text) => FactValue::String(text.into()),
        View::List(_) => FactValue::List(data.clone()),
        View::Map(_) => FactValue::Map(data.clone()),
    })
}
