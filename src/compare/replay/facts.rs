//! The value of a fact in each mix.

use super::leaves::{Edit, Leaf, Leaves, Mix, Unit, Written};
use super::runs::{Run, each, mixed, runs};
use crate::prompt::{FactOrigin, Hidden, RecordedFact};
use crate::text::Json;
use serde_json::{Map, Value};

/// A fact of both sides, with what differs.
pub(super) struct Fact {
    sides: [Option<RecordedFact>; 2],
    choice: Choice,
}

enum Choice {
    Whole(usize),
    /// The items of lists, as JSON.
    Items([Vec<String>; 2], Vec<Run>),
    /// The keys of maps; a key that has no leaf does not differ.
    Keys([Map<String, Value>; 2], Vec<(String, Option<usize>)>),
}

/// A value as JSON; none of a private one.
fn shown(fact: &RecordedFact) -> Option<Value> {
    match fact {
        RecordedFact::Known { value, .. } => serde_json::to_value(value).ok(),
        RecordedFact::Private { .. } => None,
    }
}

fn written(value: Option<&Value>) -> Option<Written> {
    let text = match value? {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(Written { text, line: 0 })
}

impl Fact {
    /// A fact whose values differ; none is shown if it is private.
    pub(super) fn new(
        name: &str,
        sides: [Option<RecordedFact>; 2],
        is_private: bool,
        leaves: &mut Leaves,
    ) -> Self {
        let values = sides.each_ref().map(|side| {
            let side = side.as_ref().filter(|_| !is_private);
            side.and_then(shown)
        });
        let mut leaf = |edit, [a, b]: [Option<&Value>; 2]| {
            let leaf = Leaf {
                edit,
                path: None,
                a: written(a),
                b: written(b),
            };
            leaves.add(Some(Unit::Fact(name.to_owned())), leaf)
        };
        let choice = match &values {
            [Some(Value::Array(a)), Some(Value::Array(b))] => {
                let texts = [a, b].map(|all| all.iter().map(Value::to_string).collect());
                let [x, y]: &[Vec<String>; 2] = &texts;
                let runs = runs([x, y], each, &mut |x, y| {
                    let sides = [a[x.clone()].first(), b[y.clone()].first()];
                    let name = match sides[1].or(sides[0]) {
                        Some(Value::String(text)) => text.clone(),
                        _ => if y.is_empty() { x } else { y }.start.to_string(),
                    };
                    leaf(Edit::Item(name), sides)
                });
                Choice::Items(texts, runs)
            }
            [Some(Value::Object(a)), Some(Value::Object(b))] => {
                let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
                names.sort_unstable();
                names.dedup();
                let keys = names.into_iter().map(|name| {
                    let sides = [a.get(name), b.get(name)];
                    let differs = sides[0] != sides[1];
                    let leaf = differs.then(|| leaf(Edit::Item(name.clone()), sides));
                    (name.clone(), leaf)
                });
                let keys = keys.collect();
                Choice::Keys([a.clone(), b.clone()], keys)
            }
            [a, b] => Choice::Whole(leaf(Edit::Value, [a.as_ref(), b.as_ref()])),
        };
        Self { sides, choice }
    }

    /// Its values, in A and in B.
    pub(super) fn sides(&self) -> impl Iterator<Item = &RecordedFact> {
        self.sides.iter().flatten()
    }

    /// Its value in a mix; none if it has none there.
    pub(super) fn of(&self, mix: &Mix) -> Option<RecordedFact> {
        let value = match &self.choice {
            Choice::Whole(leaf) => return self.sides[usize::from(mix.contains(leaf))].clone(),
            Choice::Items([a, b], runs) => {
                let items = mixed(runs, [a, b], mix);
                let items = items.map(|item| serde_json::from_str(item).unwrap_or_default());
                Value::Array(items.collect())
            }
            Choice::Keys(sides, keys) => {
                let kept = keys.iter().filter_map(|(name, leaf)| {
                    let is_b = leaf.is_none_or(|leaf| mix.contains(&leaf));
                    let value = sides[usize::from(is_b)].get(name)?;
                    Some((name.clone(), value.clone()))
                });
                Value::Object(kept.collect())
            }
        };
        Some(RecordedFact::Known {
            value: Json::from(value),
            origin: FactOrigin::Call,
        })
    }
}

/// What is known of a private value: with it the build can be repeated. `hash` is that of a value which only one side withholds.
pub(super) fn private(
    sides: [Option<&RecordedFact>; 2],
    hash: &dyn Fn(&Json) -> String,
) -> Private {
    let [a, b] = sides.map(|side| match side? {
        RecordedFact::Private { private, value } => Some((private.clone(), value.clone())),
        RecordedFact::Known { value, .. } => Some((hash(value), Hidden(Some(value.clone())))),
    });
    let is_same = a.as_ref().map(|(hash, _)| hash) == b.as_ref().map(|(hash, _)| hash);
    let [x, y] = [a, b].map(|side| side.and_then(|(_, value)| value.0));
    match (is_same, x, y) {
        (_, None, None) => Private::Unknown,
        (true, x, y) => Private::Same(x.or(y)),
        (false, Some(_), Some(_)) => Private::Other,
        (false, x, y) => Private::OneSided(x.or(y)),
    }
}

/// What is known of a private value of both sides.
pub(super) enum Private {
    /// Nothing: no mix can be built.
    Unknown,
    /// It is the same.
    Same(Option<Json>),
    /// Both are known, and differ.
    Other,
    /// Only one is known, and the other one is another.
    OneSided(Option<Json>),
}
