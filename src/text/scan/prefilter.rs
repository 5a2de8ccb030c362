//! The rules that may match a text: one pass over it finds the literals of all rules.

use super::Pattern;
use super::literal::{Needs, folded};
use aho_corasick::AhoCorasick;
use std::collections::BTreeMap;

/// The literals of a rule set.
#[derive(Debug)]
pub(super) struct Prefilter {
    /// None if there are no literals.
    automaton: Option<AhoCorasick>,
    literals: usize,
    rules: Vec<Requirement>,
}

/// The requirements of a rule, by the numbers of literals.
#[derive(Debug)]
enum Requirement {
    Nothing,
    Text(usize),
    All(Vec<Requirement>),
    Either(Vec<Requirement>),
}

impl Requirement {
    fn of<'n>(needs: &'n Needs, numbers: &mut BTreeMap<&'n str, usize>) -> Self {
        let mut each = |parts: &'n [Needs]| {
            let parts = parts.iter().map(|part| Self::of(part, numbers));
            parts.collect()
        };
        match needs {
            Needs::Nothing => Self::Nothing,
            Needs::All(parts) => Self::All(each(parts)),
            Needs::Either(parts) => Self::Either(each(parts)),
            Needs::Text(text) => {
                let next = numbers.len();
                Self::Text(*numbers.entry(text).or_insert(next))
            }
        }
    }

    fn is_met(&self, met: &[bool]) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(number) => met[*number],
            Self::All(parts) => parts.iter().all(|part| part.is_met(met)),
            Self::Either(parts) => parts.iter().any(|part| part.is_met(met)),
        }
    }
}

impl Prefilter {
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let mut numbers = BTreeMap::new();
        let rules = patterns.map(|pattern| Requirement::of(pattern.needs(), &mut numbers));
        let rules: Vec<Requirement> = rules.collect();
        let mut texts = vec![""; numbers.len()];
        for (text, number) in &numbers {
            texts[*number] = text;
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&texts);
        Self {
            automaton: automaton.ok().filter(|_| !texts.is_empty()),
            literals: texts.len(),
            rules,
        }
    }

    /// For each rule whether it may match.
    pub(super) fn may_match(&self, text: &str) -> Vec<bool> {
        let mut met = vec![self.automaton.is_none(); self.literals];
        let mut open = self.literals;
        if let Some(automaton) = &self.automaton {
            for hit in automaton.find_overlapping_iter(&*folded(text)) {
                let met = &mut met[hit.pattern().as_usize()];
                open -= usize::from(!std::mem::replace(met, true));
                if open == 0 {
                    break;
                }
            }
        }
        self.rules.iter().map(|rule| rule.is_met(&met)).collect()
    }
}
