//! The rules that may match a text, by words that every match has: one pass over the text finds those of all rules.

use aho_corasick::AhoCorasick;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The words of a list with `|` between them, as texts are compared with them.
pub(crate) fn words(written: &str) -> impl Iterator<Item = String> {
    let words = written.split('|').filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

/// The words of a list of rules, each of which needs one of its own.
#[derive(Debug)]
pub(crate) struct Words {
    /// None if there are no words.
    automaton: Option<AhoCorasick>,
    /// For each word the rules that it is one of.
    rules: Vec<Vec<usize>>,
    /// For each rule whether it needs none.
    free: Vec<bool>,
}

impl Words {
    /// The words of each rule, in lower case; a rule without any may match every text.
    pub(crate) fn new<'w>(rules: impl Iterator<Item = &'w [String]>) -> Self {
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut free = Vec::new();
        for (rule, words) in rules.enumerate() {
            free.push(words.is_empty());
            for word in words {
                users.entry(word).or_default().push(rule);
            }
        }
        let mut builder = AhoCorasick::builder();
        let automaton = builder.ascii_case_insensitive(true).build(users.keys());
        Self {
            automaton: automaton.ok().filter(|_| !users.is_empty()),
            rules: users.into_values().collect(),
            free,
        }
    }

    /// For each rule whether it may match.
    pub(crate) fn may_match(&self, text: &str) -> Vec<bool> {
        let Some(automaton) = &self.automaton else {
            return vec![true; self.free.len()];
        };
        let text = if text.is_ascii() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.to_lowercase())
        };
        let mut may = self.free.clone();
        let mut open = may.iter().filter(|may| !**may).count();
        for hit in automaton.find_overlapping_iter(&*text) {
            if open == 0 {
                break;
            }
            for rule in &self.rules[hit.pattern().as_usize()] {
                open -= usize::from(!std::mem::replace(&mut may[*rule], true));
            }
        }
        may
    }
}
