//! Which rules may match a text at all: one pass over it for all of their literals.

use super::Pattern;
use super::literal::folded;
use aho_corasick::AhoCorasick;

/// The literals of a rule set.
#[derive(Debug)]
pub(super) struct Prefilter {
    /// None if there are no literals.
    automaton: Option<AhoCorasick>,
    /// For each literal the rules that it stands for.
    rules: Vec<Vec<usize>>,
    /// For each rule whether it must always be tried.
    always: Vec<bool>,
}

impl Prefilter {
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let mut literals: Vec<(&str, usize)> = Vec::new();
        let mut always = Vec::new();
        for (rule, pattern) in patterns.enumerate() {
            let own = pattern.literals();
            always.push(own.is_none());
            let own = own.into_iter().flatten();
            literals.extend(own.map(|literal| (literal.as_str(), rule)));
        }
        literals.sort_unstable();
        let mut texts: Vec<&str> = Vec::new();
        let mut rules: Vec<Vec<usize>> = Vec::new();
        for (text, rule) in literals {
            if texts.last() != Some(&text) {
                texts.push(text);
                rules.push(Vec::new());
            }
            if let Some(last) = rules.last_mut() {
                last.push(rule);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&texts);
        let automaton = automaton.ok().filter(|_| !texts.is_empty());
        if automaton.is_none() {
            always.fill(true);
        }
        Self {
            automaton,
            rules,
            always,
        }
    }

    /// For each rule whether it may match.
    pub(super) fn may_match(&self, text: &str) -> Vec<bool> {
        let mut may = self.always.clone();
        let Some(automaton) = &self.automaton else {
            return may;
        };
        let mut open = self.rules.len();
        let mut met = vec![false; self.rules.len()];
        for hit in automaton.find_overlapping_iter(&*folded(text)) {
            let literal = hit.pattern().as_usize();
            if !met[literal] {
                met[literal] = true;
                open -= 1;
                for rule in &self.rules[literal] {
                    may[*rule] = true;
                }
                if open == 0 {
                    break;
                }
            }
        }
        may
    }
}
