//! Names for layers, files and facts, from the words of the text.

mod words;
mod value;

pub(super) use value::{Site, VALUE, fact, of_lines};
pub(super) use words::variable;

use super::fact::{Confidence, Fact, FactKind, Pace, Why};
use super::kind::common_kind;
use super::label;
use std::collections::BTreeSet;
use words::{LONGEST, WORDS, is_empty_word, numberless, shared, words};

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Reserves `name`, or if it is in use the first free one of `name-2`, `name-3`, …; `between` is the hyphen.
    pub(super) fn take(&mut self, name: &str, between: char) -> String {
        let mut found = name.to_owned();
        let mut number = 1;
        while !self.taken.insert(found.clone()) {
            number += 1;
            found = format!("{name}{between}{number}");
        }
        found
    }

    /// Takes the first of `names` that is free; if none is, the first with a number.
    fn first(&mut self, names: &[(String, Why)]) -> (String, Why) {
        let free = names.iter().find(|(name, _)| !self.taken.contains(name));
        let free = free.or(names.first()).cloned();
        let (name, why) = free.unwrap_or(("value".to_owned(), Why::Layer));
        (self.take(&name, '_'), why)
    }
}

/// Gives the facts their names, those first that are surest; what of the text was edited once is its layer's wording.
pub(super) fn settle(facts: &mut [Fact]) {
    let mut names = Names::default();
    for fact in &mut *facts {
        fact.names.sort_by_key(|(_, why)| why.confidence());
        if fact.pace == Pace::Once && fact.kind == FactKind::Text && fact.is_sentence {
            let name = variable(&format!("{}_wording", fact.layer));
            fact.names.insert(0, (name, Why::Layer));
        }
    }
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|at| facts[*at].names.first().map(|(_, why)| why.confidence()));
    for at in order {
        (facts[at].name, facts[at].why) = names.first(&facts[at].names);
    }
}

/// A name for what is called `titles` in the dumps that have it, or has no title and begins with `firsts`; none if they have no
/// words in ASCII in common.
/// `is_first` says that it may say who the agent is.
pub(super) fn layer(
    titles: &[&str],
    firsts: &[&str],
    is_first: bool,
) -> Option<(String, Confidence)> {
    let (titled, first) = (shared(titles), shared(firsts));
    let name = words(&titled, usize::MAX, '-');
    if !name.is_empty() {
        return Some((name, Confidence::Sure));
    }
    if let Some(label) = firsts.first().and_then(|line| label::of_line(line)) {
        let name = words(numberless(label.name), WORDS, '-');
        let all_say = firsts.iter().all(|line| line.contains(label.name));
        if all_say && !name.is_empty() && label.name.split_whitespace().count() <= WORDS {
            return Some((name, Confidence::Sure));
        }
    }
    if is_first
        && ["You ", "I am ", "Du ", "Sie "]
            .iter()
            .any(|you| first.starts_with(you))
    {
        return Some(("identity".to_owned(), Confidence::Likely));
    }
    let name = match common_kind(firsts).name() {
        "" => subject(&first),
        kind => kind.to_owned(),
    };
    (!name.is_empty()).then_some((name, Confidence::Guess))
}

/// The beginning of a sentence: its first words that name something, up to one that does not or is a verb.
fn subject(sentence: &str) -> String {
    let all = sentence.split_whitespace();
    let mut all = all.skip_while(|w| is_empty_word(w)).peekable();
    let first = all.next().unwrap_or_default();
    let ends = |word: &str| word.ends_with([',', '.', ';', ':']);
    let is_noun = |word: &&str| !ends(first) && !is_empty_word(word) && !word.ends_with('s');
    let second = all.peek().copied().filter(is_noun).unwrap_or_default();
    match words(&format!("{first} {second}"), 2, '-') {
        name if name.is_empty() => words(sentence, WORDS, '-'),
        name => name,
    }
}

/// A name for the scenario of a dump, from its file's name.
pub(super) fn scenario(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' || c == '.' {
            c
        } else {
            '-'
        }
    };
    let name: String = stem.chars().map(kept).take(LONGEST * 2).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() {
        "dump".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Confidence, Names, Site, Why, fact, layer, scenario, variable};

    #[test]
    fn facts_are_named_after_the_text_before_them() {
        let first = |value: &str, before: &str, after: &str| {
            let site = Site {
                before: before.to_owned(),
                after: after.to_owned(),
                layer: "env".to_owned(),
                values: vec![value],
            };
            let (name, why) = fact(&site).swap_remove(0);
            (name, why.confidence())
        };
        let all: &[(&str, &str, &str, &str, Confidence)] = &[
            ("2026-03-30", "Due date: ", "", "due_date", Confidence::Sure),
            ("2026-03-30", "Today is ", ".", "today", Confidence::Likely),
            (
                "2026-03-30",
                "Built for Ann on ",
                ".",
                "date",
                Confidence::Likely,
            ),
            (
                "/a",
                "x\n- Working directory: `",
                "`",
                "working_directory",
                Confidence::Sure,
            ),
            ("/a", "", "", "folder", Confidence::Likely),
            (
                "x",
                "<env cwd=\"a\" model=\"",
                "\"",
                "model",
                Confidence::Sure,
            ),
            ("x", "<branch>", "</branch>", "branch", Confidence::Sure),
            ("x", "| Town | ", " |", "town", Confidence::Sure),
            ("12", "There are ", " files.", "files", Confidence::Likely),
            (
                "x",
                "Done. Your shell is ",
                ".",
                "shell",
                Confidence::Likely,
            ),
            ("x", "Open files:\n", "", "open_files", Confidence::Sure),
            (
                "x",
                "## Guest\n\n- Name: ",
                "",
                "guest_name",
                Confidence::Sure,
            ),
            ("x", "Name: ", "", "env_name", Confidence::Sure),
            ("x", "6.1 Größe: ", "", "grosse", Confidence::Sure),
            (
                "x\ny",
                "# Orders\n\n|---|\n",
                "",
                "orders",
                Confidence::Sure,
            ),
            ("x", "# 概要\n", "", "env", Confidence::Guess),
        ];
        for (value, before, after, name, confidence) in all {
            let found = first(value, before, after);
            assert_eq!(found, ((*name).to_owned(), *confidence), "{before}");
        }
    }

    #[test]
    fn names_have_only_allowed_characters() {
        let named = |title: &str, text: &str| layer(&[title], &[text], true).unwrap().0;
        assert_eq!(named("Tool Use & Safety", ""), "tool-use-safety");
        assert_eq!(named("2. Tools", ""), "tools");
        assert_eq!(named("2026 plan", ""), "2026-plan");
        assert_eq!(named("", "You are Atlas."), "identity");
        assert_eq!(named("", "Rule 1: Be kind."), "rule");
        assert_eq!(
            named("", "Always answer in short sentences."),
            "always-answer"
        );
        assert_eq!(layer(&["概要"], &[""], true), None);
        // Changing text is no part of a name.
        let both = layer(&["Tools (7)", "Tools (8)"], &["", ""], true).unwrap();
        assert_eq!(both, ("tools".to_owned(), Confidence::Sure));
        assert_eq!(scenario("dumps/2026-03-30 a.txt"), "2026-03-30-a");
        assert_eq!(scenario("-.txt"), "dump");
        assert_eq!(variable("3 files"), "n_3_files");
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut names = Names::default();
        let taken: Vec<String> = (0..3).map(|_| names.take("a", '-')).collect();
        assert_eq!(taken, ["a", "a-2", "a-3"]);
        let wanted = ["a", "b"].map(|name| (name.to_owned(), Why::Label));
        assert_eq!(names.first(&wanted).0, "b");
        assert_eq!(names.first(&wanted).0, "a_2");
    }
}
