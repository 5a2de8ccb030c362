//! Ingredients that share a block are listed as those that do not.

use super::Ingredients;
use crate::prompt::{Ingredient, LetDependencies};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Each time another number, below `n`.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

fn value(name: &str) -> Ingredient {
    Ingredient::Let {
        name: name.to_owned(),
        expression: format!("of {name}"),
    }
}

fn condition(number: usize) -> Ingredient {
    Ingredient::Condition {
        expression: number.to_string(),
        value: true,
        inputs: Vec::new(),
        node: None,
    }
}

/// The dependencies of `name` that are not listed, then itself.
fn read(reads: &BTreeMap<Arc<str>, Vec<Arc<str>>>, name: &str, listed: &mut Vec<Ingredient>) {
    if listed.contains(&value(name)) {
        return;
    }
    for name in &reads[name] {
        read(reads, name, listed);
    }
    listed.push(value(name));
}

#[test]
fn names_read_through_lets_are_listed_once_and_in_order() {
    let mut dice = Dice(7);
    for _ in 0..300 {
        let size = 1 + dice.below(12);
        let names: Vec<Arc<str>> = (0..size).map(|i| format!("v{i}").into()).collect();
        let mut reads: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let some = (0..dice.below(4)).filter_map(|_| names.get(dice.below(at.max(1))));
            let some = some.filter(|read| *read != name).cloned();
            reads.insert(name.clone(), some.collect());
        }
        let rows = (reads.iter()).map(|(name, reads)| (name.clone(), value(name), &reads[..]));
        let dependencies = Arc::new(LetDependencies::new(rows));
        for _ in 0..10 {
            let mut made = Ingredients::default();
            let mut listed = Vec::new();
            for number in 0..dice.below(6) {
                let name = &names[dice.below(size)];
                let index = match dice.below(3) {
                    0 => {
                        listed.push(condition(number));
                        made.intern(condition(number))
                    }
                    // A fact by itself.
                    1 if reads[name].is_empty() => {
                        read(&reads, name, &mut listed);
                        made.intern(value(name))
                    }
                    _ => {
                        read(&reads, name, &mut listed);
                        made.read(name, &dependencies, || panic!("{name} is known"))
                    }
                };
                assert_eq!(made.len(), listed.len());
                let at = made.get_own(index).cloned();
                let at = at.unwrap_or_else(|| made[index as usize].clone());
                assert_eq!(at, made.to_vec()[index as usize]);
            }
            assert_eq!(made.to_vec(), listed, "{reads:?}");
            for (index, ingredient) in listed.iter().enumerate() {
                let own = made.get_own(u32::try_from(index).unwrap());
                assert!(own.is_none_or(|own| own == ingredient));
            }
            let json = serde_json::to_value(&made).unwrap();
            assert_eq!(json, serde_json::to_value(&listed).unwrap());
            for ingredient in &mut made {
                *ingredient = condition(0);
            }
            assert!(made.iter().all(|i| *i == condition(0)) && made.len() == listed.len());
        }
    }
}
